"""DPGradDescent: noisy, clipped gradient descent on the predictions at 1/4 and 3/4 (Algorithms 6 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product, repeat
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..privacy import ApproxDP, Guarantee, NoiseKind, Spend, gaussian_mu, noise_loss, rho_of
from ..support import validate
from ..support.run import QUARTERS, checkpoint
from ..support.types import Floats, Integers
from .base import (
    AddedNoise,
    BudgetSplit,
    Mechanism,
    MechanismFamily,
    View,
    check_release,
    checked_points,
    hyperparameter,
)

MOST_STEPS = 10**6
_BLOCK = 32_000  # records times trials in a block of gradients, which fits into the cache
_ROWS = 16  # data sets are filled up to a multiple of this many records, so that they run together
_MANY = 300  # records from which a check for clipped gradients pays
_NOISES = 4_000  # trials times steps in one draw of noise for a data set


@dataclass(frozen=True)
class GradientDescent(AddedNoise):
    """Gradient descent on (p25, p75) with clipped per-record gradients and noise in every step.

    The noise is proportional to clip, and to steps (Laplace) or their square root (Gaussian).
    """

    steps: int = hyperparameter(
        30,
        help="Number of gradient steps (T); the budget is split among them.",
        low=2,
        high=2000,
        step=10,
    )
    clip: float = hyperparameter(
        0.1, help="Each record's gradient is clipped to [-clip, clip] (τ).", low=0.01, step=0.1
    )
    start: tuple[float, float] = hyperparameter(
        (0.5, 0.5), help="First guess of the predictions at 1/4 and 3/4.", step=0.1
    )

    family: ClassVar[MechanismFamily] = MechanismFamily.GRADIENT_DESCENT
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    source: ClassVar[str] = "Algorithms 6 and 7"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "Algorithms 6 and 7 step by −γΔ with Δ proportional to y − ŷ, which climbs. It ends at "
        "(11.3, −10.1) where the truth is (0.325, 0.575). Here the step is +γΔ.",
        "γ is printed as one over the root of a sum of squared vectors. Here it is one number, "
        "with the squared Euclidean norm of each step's noisy gradient.",
    )

    loss_by_law: ClassVar[bool] = False
    aim: ClassVar[str] = "the end of a descent without noise"

    def _check(self) -> None:
        validate.integer(2, MOST_STEPS, steps=self.steps)
        validate.positive(clip=self.clip)
        start = validate.points(start=self.start)
        if start.size != 2:
            raise ValueError(f"start must hold two numbers, got {self.start!r}")

    def noise_sizes(self, epsilon: float) -> Sequence[float]:
        """List the largest joint shift of both gradient sums of each step by one record, in scales of their noise."""
        return (self._size_of_step(epsilon),) * self.steps

    def _rho(self, epsilon: float) -> float:
        """Compute rho of the Gaussian noise of all steps together."""
        return rho_of(epsilon)

    def _size_of_step(self, epsilon: float) -> float:
        """Compute the largest joint shift of both gradient sums of a step by one record, in scales of their noise."""
        return (
            epsilon / self.steps
            if self.noise_name == "Laplace"
            else sqrt(2 * self._rho(epsilon) / self.steps)
        )

    def as_in_paper(self) -> Mechanism:
        return replace(self, steps=80, clip=1.0)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """Return one row for the equal gradient sums of all steps: every point is read off the same line."""
        epsilon = validate.number("epsilon", epsilon)
        return (Spend(f"{self.steps} equal noisy gradient sums, together", epsilon),)

    def loss(self, before: View, after: View, epsilon: float) -> float:
        """Compute the loss of publishing the noisy gradients of all steps, each charged as at the worst parameters.

        ValueError where the data sets are not neighbours.
        """
        replaced = before.data.replaced(after.data)
        if replaced is None:
            return 0.0
        guarantee = self.guarantee(epsilon)
        shifts = gradient_shifts(*replaced, self.clip) / self.noise_scale(epsilon)
        return self.steps * max(noise_loss(shift, guarantee) for shift in shifts)

    def noise_scale(self, epsilon: float) -> float:
        """Compute the noise scale of each coordinate of a step's gradient sum (Algorithms 6 and 7).

        One record moves each of the two sums by at most 2 clip, which is 4 clip together and sqrt(8) clip in the
        Euclidean norm.
        """
        return (
            (4 if self.noise_name == "Laplace" else sqrt(8))
            * self.clip
            / self._size_of_step(epsilon)
        )

    def releases(
        self,
        datasets: Sequence[Dataset],
        epsilon: float,
        at: ArrayLike,
        size: int,
        generators: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """Draw releases as in Mechanism; data sets of similar n run together, a bounded number at a time."""
        check_release(epsilon, size, *generators)
        points = checked_points(datasets, at)
        released, rows = [np.empty((0, 0))] * len(datasets), [_rows(data.n) for data in datasets]
        for count in sorted(set(rows)):
            alike = [i for i, row_count in enumerate(rows) if row_count == count]
            together = max(1, _BLOCK // (count * size))
            for start in range(0, len(alike), together):
                batch = alike[start : start + together]
                noises = self._noises(epsilon, size, [generators[i] for i in batch])
                answers = self._answers([datasets[i] for i in batch], points, size, noises)
                for i, answer in zip(batch, answers, strict=True):
                    released[i] = answer
        return released

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        return self.releases([data], epsilon, at, size, [rng])[0]

    def _noises(
        self, epsilon: float, size: int, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Floats]:
        """Yield the noise of each step, shape (data sets, 2, size); drawn for several steps at a time."""
        remaining, scale, batch = self.steps - 1, self.noise_scale(epsilon), 1 + _NOISES // size
        while remaining > 0:
            shape = min(batch, remaining), size, 2
            yield from scale * np.stack(
                [self._noise(rng, shape).swapaxes(1, 2) for rng in rngs], axis=1
            )
            remaining -= batch

    def _answers(
        self, datasets: Sequence[Dataset], at: Floats, size: int, noises: Iterable[Floats]
    ) -> Floats:
        """Predict by the mean of p^t over t >= steps/2, shape (data sets, size, m)."""
        second_half = islice(self._iterates(datasets, size, noises), self.steps // 2, None)
        mean = sum(second_half, np.zeros(())) / (self.steps - self.steps // 2)
        p25, p75 = mean[:, 0, :, None], mean[:, 1, :, None]
        return 2 * (p25 * (0.75 - at) + p75 * (at - 0.25))

    def _iterates(
        self, datasets: Sequence[Dataset], size: int, noises: Iterable[Floats]
    ) -> Iterator[Floats]:
        """Yield p^0, ..., p^(steps - 1) of the descents in data sets of similar n, each of shape (data sets, 2, size).

        p^(t+1) = p^t + g_t / sqrt(sum_{l <= t} |g_l|^2), g_t the noisy sum of clipped gradients. The iterates of a data
        set do not depend on the other data sets. Source: Algorithms 6 and 7.

        Parameters
        ----------
        datasets : sequence of Dataset
            Data sets as in gradient_sums.
        size : int
            Number of descents in each data set.
        noises : iterable of arrays, shape (data sets, 2, size)
            Noise of each step.
        """
        sums = gradient_sums(datasets, self.clip, size)
        p = np.broadcast_to(np.array(self.start)[:, None], (len(datasets), 2, size))
        squares = np.zeros((len(datasets), 1, size))
        yield p
        for noise in noises:
            checkpoint()
            gradient = sums(p) + noise
            with np.errstate(over="ignore"):  # only absurd numbers overflow: the step is then 0
                squares += gradient[:, :1] ** 2 + gradient[:, 1:] ** 2
            p = p + gradient / np.sqrt(squares)
            yield p

    @property
    def _target_key(self) -> Hashable:
        return "descent", self.steps, self.clip, *self.start

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """Predict by the descent without noise, in as many steps; NaN if a gradient vanishes on the way."""
        with np.errstate(invalid="ignore"):
            return self._answers([data], at, 1, repeat(np.zeros((1, 2, 1)), self.steps - 1))[0, 0]

    def path(self, data: Dataset, epsilon: float, rng: np.random.Generator) -> Floats:
        """Draw p^0, ..., p^(steps - 1) of one descent, shape (steps, 2). A release is the mean of the second half."""
        return np.array(
            [p[0, :, 0] for p in self._iterates([data], 1, self._noises(epsilon, 1, [rng]))]
        )


def _rows(n: int) -> int:
    """Round n up to a multiple of 16."""
    return -(-n // _ROWS) * _ROWS


def gradient_sums(
    datasets: Sequence[Dataset], clip: float, trials: int
) -> Callable[[Floats], Floats]:
    """Prepare the sum of clipped gradients as a function of p = (p25, p75); both of shape (data sets, 2, trials).

    The gradients of record i are 2 (y_i - fit_i) (3/4 - x_i) and 2 (y_i - fit_i) (x_i - 1/4), each clipped to
    [-clip, clip]; fit_i = 2 (p25 (3/4 - x_i) + p75 (x_i - 1/4)) is the height of the line at x_i. If no gradient is
    clipped, the sums are linear in p. Checking for that makes the time depend on the records, which is allowed here:
    `release` of this project refuses gradient descent.

    Parameters
    ----------
    datasets : sequence of Dataset
        Data sets with the same n after rounding up to a multiple of 16; gradients of 0 fill them up.
    clip : float
        Largest absolute value of a gradient.
    trials : int
        Number of descents in each data set.
    """
    # Coefficients of p25, p75 and 1.
    gradients = np.zeros((len(datasets), 2, _rows(datasets[0].n), 3))
    for coefficients, data in zip(gradients, datasets, strict=True):
        weights = np.array([0.75 - data.x, data.x - 0.25])
        coefficients[:, : data.n] = weights[..., None] * np.stack(
            [-4 * weights[0], -4 * weights[1], 2 * data.y], axis=1
        )
    lines, size = np.ones((len(datasets), 1, 3, trials)), max(1, _BLOCK // trials)
    blocks = [gradients[:, :, first : first + size] for first in range(0, gradients.shape[2], size)]
    ones = np.ones(min(size, gradients.shape[2]))

    def clipped_sums(p: Floats, which: Integers | slice = slice(None)) -> Floats:
        lines[which, 0, :2] = p
        total = np.zeros_like(p)
        for block in blocks:
            checkpoint()
            clipped = np.matmul(block[which], lines[which])
            total += np.matmul(ones[: block.shape[2]], clipped.clip(-clip, clip, out=clipped))
        return total

    if gradients.shape[2] < _MANY:
        return clipped_sums
    ols = np.array([data.predict(QUARTERS) for data in datasets])[:, :, None]
    totals, reach = gradients.sum(axis=2), _unclipped_reach(gradients, ols, clip)

    def sums(p: Floats) -> Floats:
        total = np.matmul(totals[..., :2], p) + totals[..., 2:]
        unclipped = (np.abs(p - ols) < reach).all(axis=1, keepdims=True)
        clipped = np.flatnonzero(~unclipped.all(axis=2))
        if clipped.size:
            exact = clipped_sums(p[clipped], clipped)
            total[clipped] = np.where(unclipped[clipped], total[clipped], exact)
        return total

    return sums


def _unclipped_reach(gradients: Floats, ols: Floats, clip: float) -> Floats:
    """Compute the distance from OLS within which no record's gradient is clipped, shape (data sets, 1, 1).

    Gradients are linear in p: where each prediction is r from OLS, gradients differ from their values at OLS by at most
    r times the sum of their absolute coefficients. The distance is negative where a gradient is clipped at OLS, NaN
    where x is constant.

    Parameters
    ----------
    gradients : array, shape (data sets, 2, records, 3)
        Coefficients of p25, p75 and 1.
    ols : array, shape (data sets, 2, 1)
        Predictions at 1/4 and 3/4.
    clip : float
        Largest absolute value of a gradient.
    """
    at_ols = (gradients[..., :2] @ ols[:, None])[..., 0] + gradients[..., 2]
    with np.errstate(divide="ignore"):
        reach = (clip - np.abs(at_ols)) / np.abs(gradients[..., :2]).sum(axis=-1)
    return reach.min(axis=(1, 2))[:, None, None]


def gradient_shifts(record: Record, replacement: Record, clip: float) -> Floats:
    """List the shifts |g - g'| of two records' clipped gradients at all candidates for the worst parameters.

    The residuals at two different x are any two numbers; at the same x they differ by y' - y. Between the residuals at
    which clipping begins, g and g' are linear and the cost of a shift is convex, so that only those residuals are
    tried.

    Returns
    -------
    array, shape (candidates, 2)
        Shifts of both coordinates.
    """
    weights = np.array([[0.75 - x, x - 0.25] for x, _ in (record, replacement)])
    ends = [
        np.array([sign * clip / (2 * abs(w)) for w in row if w for sign in (-1, 1)])
        for row in weights
    ]
    if record[0] == replacement[0]:
        rise = replacement[1] - record[1]
        residual = np.append(ends[0], ends[1] - rise)
        residuals = np.array([residual, residual + rise])
    else:
        residuals = np.array(list(product(*ends))).T
    before, after = (
        np.clip(2 * np.outer(r, w), -clip, clip) for w, r in zip(weights, residuals, strict=True)
    )
    return np.abs(before - after)


@dataclass(frozen=True)
class DPGDPure(GradientDescent):
    """Noisy gradient descent with Laplace noise: pure differential privacy.

    $$
    \\tilde g_t = \\sum_i\\bigl[\\nabla_i(p^t)\\bigr]_{-\\tau}^{\\tau} + \\mathrm{Lap}(4\\tau T/\\varepsilon)^2,\\quad
    p^{t+1}=p^t+\\frac{\\tilde g_t}{\\sqrt{\\sum_{l\\le t}\\|\\tilde g_l\\|^2}},\\quad
    \\tilde p=\\frac2T\\sum_{t=T/2}^{T-1}p^t
    $$

    p holds the predictions at 1/4 and 3/4; other points lie on the line through them. By default τ = 0.1 and T = 30. In
    seven settings the error was about a third of that with τ = 1 and T = 80, which the paper's figures have.
    """

    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    source: ClassVar[str] = "Algorithm 6"


@dataclass(frozen=True)
class DPGDzCDP(GradientDescent):
    """Noisy gradient descent with Gaussian noise: zero-concentrated differential privacy, ρ = ε²/2.

    $$
    \\tilde g_t = \\sum_i\\bigl[\\nabla_i(p^t)\\bigr]_{-\\tau}^{\\tau} +
    \\mathcal N\\bigl(0,(2\\tau/\\sqrt{\\rho/T})^2\\bigr)^2
    $$

    and otherwise as DPGDPure.
    """

    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
    source: ClassVar[str] = "Algorithm 7"


@dataclass(frozen=True)
class DPGDApprox(DPGDzCDP):
    """DPGDzCDP with the largest ρ that keeps it (ε, δ)-differentially private.

    $$
    \\Phi\\bigl(\\tfrac\\mu2-\\tfrac\\varepsilon\\mu\\bigr)
    -e^{\\varepsilon}\\,\\Phi\\bigl(-\\tfrac\\mu2-\\tfrac\\varepsilon\\mu\\bigr)=\\delta,\\qquad
    \\rho=\\frac{\\mu^2}2
    $$

    That is the exact trade-off of Gaussian noise. Each of the T steps moves by μ/√T standard deviations at most.
    Together they are as hard to tell apart as two normal distributions μ apart, even where a step depends on those
    before it.
    """

    delta: float = hyperparameter(
        2.0**-30,
        help="Probability that the epsilon guarantee may fail with (δ).",
        low=1e-15,
        high=0.1,
    )

    source: ClassVar[str] = "Algorithm 7. Balle and Wang (2018) replace the lemma after Algorithm 7"
    corrections: ClassVar[tuple[str, ...]] = (
        *GradientDescent.corrections,
        "The lemma after Algorithm 7 bounds ε from above by ρ + √(4ρ log(√(πρ)/δ)). That is "
        "correct and loose. Here "
        "the exact curve of Gaussian noise is used: at ε = 1, δ = 2⁻³⁰ it needs 0.878 times the "
        "noise.",
    )

    def _check(self) -> None:
        super()._check()
        validate.inside(0, 1, closed="neither", delta=self.delta)

    def guarantee(self, epsilon: float) -> Guarantee:
        return ApproxDP(epsilon, self.delta)

    def _rho(self, epsilon: float) -> float:
        return gaussian_mu(epsilon, self.delta) ** 2 / 2
