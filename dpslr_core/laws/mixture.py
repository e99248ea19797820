"""Laws made of other laws: weighted averages, an answer in the place of failures, and clipping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import Z95, checkpoint
from ..support.types import Floats, Integers
from .base import Law, solve_all, tails_of_all
from .solver import Unknowns

FIRST, MOST = 32, 1024  # conditional laws drawn at first and at most
TOLERANCE = 0.02  # half the 95% interval of C(68), relative, at which enough laws have been drawn


@dataclass(frozen=True, eq=False)
class Mixture(Law):
    """Law with cdf(t) = sum over i of weights[i] * components[i].cdf(t).

    Attributes
    ----------
    components : tuple of Law
        Laws that may fail, though not for certain. None may jump, unless drawn.
    weights : array, shape (len(components),)
        Weights above 0 with the sum 1.
    drawn : bool
        Whether the components are a random sample of conditional laws. The mixture is then an estimate of the true law
        with a known error. As every component is exact, C(q) is far better known than from the same number of releases.
    """

    components: tuple[Law, ...]
    weights: Floats
    drawn: bool = False

    @classmethod
    def of_draws(cls, laws: Sequence[Law]) -> Mixture:
        """Make the plain average of independently drawn conditional laws."""
        return cls(tuple(laws), np.full(len(laws), 1 / len(laws)), drawn=True)

    @cached_property
    def failure(self) -> float:
        return self._average([law.failure for law in self.components]).item()

    @property
    def exact(self) -> bool:
        return not self.drawn and all(law.exact for law in self.components)

    @property
    def averaged(self) -> bool:
        return bool(self.drawn) or any(law.averaged for law in self.components)

    @property
    def cdf_error(self) -> float:
        """Average of the components' cdf_error; error_bound_interval has the error of drawing."""
        return self._average([law.cdf_error for law in self.components]).item()

    @property
    def least_tail(self) -> float:
        return max(law.least_tail for law in self.components)

    @property
    def how(self) -> str:
        """Label for tables: "32 drawn laws", else the label of the first component that is not exact."""
        if self.drawn:
            return f"{len(self.components):,} drawn laws"
        return next((law.how for law in self.components if not law.exact), super().how)

    def cdf(self, t: ArrayLike) -> Floats:
        return self._average([law.cdf(t) for law in self.components])

    def logpdf(self, t: ArrayLike) -> Floats:
        log_weights = np.log(self.weights).tolist()
        logs = [
            weight + law.logpdf(t) for weight, law in zip(log_weights, self.components, strict=True)
        ]
        return np.logaddexp.reduce(logs, axis=0)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` independent releases, shape (size,), each from a drawn component; NaN = failed.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        chosen = rng.choice(len(self.components), size=size, p=self.weights)
        draws = np.empty(size)
        for i in np.unique(chosen):
            from_it = chosen == i
            draws[from_it] = self.components[i].sample(int(from_it.sum()), rng)
        return draws

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Compute a 95% confidence interval for the true C(q) of drawn laws; else the interval of Law.

        The mass within c is the mean over the drawn laws; the ends are where this mean plus or minus 1.96 standard
        errors, taken at C(q), reaches q/100. Raises ValueError unless 0 <= q <= 100.
        """
        if not self.drawn:
            return super().error_bound_interval(q, center)
        bound = self.error_bound(q, center)
        if not np.isfinite(bound):
            return bound, bound
        margin = 100 * Z95 * self._mass_error(bound, center)
        low = self.error_bound(max(0.0, q - margin), center)
        high = self.error_bound(q + margin, center) if q + margin <= 100 else np.inf
        return low, high

    def _average(self, values: Sequence[Any]) -> Floats:
        """Compute the weighted average of `values`, a value for every component."""
        return np.einsum("i,i...->...", self.weights, values)

    def _mass_error(self, c: float, center: float) -> float:
        """Compute the standard error of the estimated mass within c of center."""
        ends = np.array([center - c, center + c])
        masses = np.diff([law.cdf(ends) for law in self.components], axis=1)
        return float(np.std(masses, ddof=1) / np.sqrt(len(masses)))

    @cached_property
    def ends(self) -> tuple[float, float]:
        ends = np.array([law.ends for law in self.components])
        return float(ends[:, 0].min()), float(ends[:, 1].max())

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        counts = np.array([len(law.components) for law in laws])
        first = np.cumsum(counts) - counts
        starts = np.cumsum(counts[number]) - counts[number]
        target = np.repeat(np.arange(t.size), counts[number])
        component = np.arange(target.size) + (first[number] - starts)[target]
        weights = np.concatenate([law.weights for law in laws])[component]
        tails = tails_of_all(
            [inner for law in laws for inner in law.components], component, t[target]
        )
        return np.add.reduceat(tails * weights, starts, axis=1)


def draw_mixtures(
    conditional_laws: Callable[[int], Sequence[Sequence[Law]]],
    centers: ArrayLike,
    most: int,
) -> tuple[Mixture, ...]:
    """Draw conditional laws at m points until their mixtures know C(68) to TOLERANCE; return a mixture per point.

    The number of laws is doubled until half the 95% interval of C(68) is below TOLERANCE times C(68) at every point, or
    there are `most` laws.

    Parameters
    ----------
    conditional_laws : callable
        Draws r more laws for every point: conditional_laws(r) has m lists of r laws.
    centers : array, shape (m,), in units of y
        Numbers that errors are measured from; not finite: the median of the mixture.
    most : int
    """
    centers = np.asarray(centers, dtype=float)
    drawn = [list(laws) for laws in conditional_laws(min(FIRST, most))]
    while True:
        mixtures = tuple(Mixture.of_draws(laws) for laws in drawn)
        count = len(mixtures[0].components)
        if count >= most or all(_precise(m, c) for m, c in zip(mixtures, centers, strict=True)):
            return mixtures
        checkpoint()
        for laws, more in zip(drawn, conditional_laws(min(count, most - count)), strict=True):
            laws.extend(more)


def _precise(mixture: Mixture, center: float) -> bool:
    center = center if np.isfinite(center) else mixture.median
    low, high = mixture.error_bound_interval(68, center)
    return bool(high - low <= 2 * TOLERANCE * mixture.error_bound(68, center))


@dataclass(frozen=True, eq=False)
class FallbackLaw(Mixture):
    """Law of answers that can fail, with a cruder answer in place of failures: answered.cdf + failure * crude.cdf.

    `components` are (answered, crude); crude never fails, neither jumps. `weights` are 1 and the failure of answered:
    their sum is above 1, as the mass of answered is below 1.
    """

    @classmethod
    def of(cls, answered: Law, crude: Law) -> Law:
        """Make the law of answered with crude in place of failures; answered itself where it never fails."""
        failure = answered.failure
        return cls((answered, crude), np.array([1.0, failure])) if failure > 0 else answered

    @property
    def failure(self) -> float:
        return 0.0

    @property
    def fallback(self) -> float:
        """Probability of a crude answer in the place of a failure."""
        return float(self.weights[1])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` independent releases, shape (size,). Raises ValueError unless rng is a numpy.random.Generator."""
        draws = self.components[0].sample(size, rng)
        failed = np.isnan(draws)
        draws[failed] = self.components[1].sample(int(failed.sum()), rng)
        return draws


@dataclass(frozen=True)
class ClippedLaw(Law):
    """Law of min(max(p, lower), upper), where p follows the law `inner`, without jumps; a failure stays a failure.

    cdf(t) is 0 below lower, 1 - failure from upper on and inner.cdf(t) between; both ends have mass.
    """

    inner: Law
    lower: float
    upper: float

    @property
    def failure(self) -> float:
        return self.inner.failure

    @property
    def least_tail(self) -> float:
        return self.inner.least_tail

    @property
    def fallback(self) -> float:
        """Probability of a fallback answer, as in `inner`: clipping does not change it."""
        return self.inner.fallback

    def cdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        return np.where(
            t < self.lower, 0.0, np.where(t >= self.upper, 1 - self.failure, self.inner.cdf(t))
        )

    def ppf(self, q: ArrayLike) -> Floats:
        return np.clip(self.inner.ppf(q), self.lower, self.upper)

    def logpdf(self, t: ArrayLike) -> Floats:
        """Return the log density at t, same shape; +inf at both ends, which have mass."""
        t = np.asarray(t, dtype=float)
        inside = np.where((t > self.lower) & (t < self.upper), self.inner.logpdf(t), -np.inf)
        return np.where((t == self.lower) | (t == self.upper), np.inf, inside)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` independent releases, shape (size,). Raises ValueError unless rng is a numpy.random.Generator."""
        return np.clip(self.inner.sample(size, rng), self.lower, self.upper)

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        """Compute Law.solve from the law `inner` without clipping.

        C(q) is that of `inner` while center - c and center + c are both inside. Beyond the nearer end, which holds all
        mass on its side, c is the distance to a quantile on the farther side, at most the distance to the farther end.
        """
        number, mass, center = unknowns
        lower, upper, failure = np.array([(law.lower, law.upper, law.failure) for law in laws]).T[
            :, number
        ]
        inner = [law.inner for law in laws]
        numbers = solve_all(inner, unknowns)
        quantile, below, above = np.isnan(center), center - lower, upper - center
        numbers[quantile] = np.clip(numbers[quantile], lower[quantile], upper[quantile])
        near, far = np.minimum(below, above), np.maximum(below, above)
        beyond = np.flatnonzero(~quantile & (numbers >= near))
        tail = np.where(below > above, np.maximum(1 - failure - mass, 0.0), mass)[beyond]
        farther = solve_all(inner, Unknowns(number[beyond], tail, np.full(beyond.size, np.nan)))
        farther = np.clip(
            farther, lower[beyond], upper[beyond]
        )  # the quantile may lie beyond a center that is outside the range
        numbers[beyond] = np.clip(
            np.abs(farther - center[beyond]), np.abs(near[beyond]), far[beyond]
        )
        return numbers
