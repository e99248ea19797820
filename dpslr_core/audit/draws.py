"""Draws of every way to release, compared with the audited law, with declared noise or with a literal simulation.

What is drawn: ``release`` of many and, again and again, of one; ``releases_of_all``; ``release_statistics`` of many and
of one. What with: the law of the release where there is one; the noise that the audit of neighbours takes for granted
on each released sum; for noisy gradient descent and for an algorithm that chooses, a literal simulation with the
declared noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, is_dataclass, replace
from math import hypot
from typing import Any

import numpy as np
from scipy.special import logsumexp, ndtr

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.centered import slope_per_covariance
from ..laws.joint import JointLaw
from ..mechanisms.base import Mechanism
from ..mechanisms.centered.centered_stats import CenteredStats, CenteredSums
from ..mechanisms.choice import predicted
from ..mechanisms.choice.by_centered_stats import ChooseByCenteredStats
from ..mechanisms.depth.deepest_line import DeepestLine
from ..mechanisms.descent import GradientDescent
from ..mechanisms.noisy_stats import NoisySufficientStatistics
from ..privacy import PureDP
from ..support.run import QUARTERS, stream
from ..support.types import Floats
from .agreement import AGREES, Agreement, of_uniforms, with_laws, with_samples, worst
from .loss import crossover_at

_MORE = 5  # draws of a reference for each draw that is compared with them
_MOST_PARTS = 2_000  # estimates of which the joint law of medians is a mixture; of more each point is compared alone
_COARSE = 40
_REJECTING = 1.0  # tolerance of laws from rank queries, so that draws from them must reject up to a half
_FEWER = 500  # draws that are compared with an average of drawn laws, whose own error must not count
_CLOSE = 1e-9  # relative, of numbers that follow from others

Parts = Sequence[tuple[float, Sequence[Law]]]


@dataclass(frozen=True)
class DrawCase:
    """A data set, and how it is released.

    crossover: for the release, the number of records from which on medians are drawn by rank queries; None: as it is.
    draws, singles: releases drawn together, and one by one.
    coarse: whether lines are drawn from a grid of at most 40 cells along an axis, which takes a hundredth of the time.
    """

    kind: str
    data: Dataset
    epsilon: float
    at: tuple[float, ...]
    draws: int
    singles: int
    crossover: int | None = None
    coarse: bool = True


@dataclass(frozen=True)
class Compared:
    """One comparison: what was drawn, against what, how many draws, and how well they agree."""

    path: str
    against: str
    draws: int
    agreement: Agreement
    case: DrawCase


@dataclass(frozen=True)
class Reference:
    """The expected releases of one data set: a law of every number, or draws to be compared with."""

    against: str
    laws: Sequence[Law] = ()
    independent: bool = False
    samples: Floats | None = None

    def agreement(self, draws: Floats, rng: np.random.Generator) -> Agreement:
        """How well releases, shape (size, m), agree with it."""
        if self.samples is not None:
            return with_samples(draws, self.samples, rng)
        averaged = any(law.averaged for law in self.laws)  # over drawn matchings, so that it is itself not exact
        return with_laws(draws[: _FEWER if averaged else None], self.laws, self.independent, rng)


def compare_draws(mechanism: Mechanism, case: DrawCase, seed: int = 0) -> list[Compared]:
    """Every way to release this data set, against what is audited; empty where an algorithm offers nothing of that.

    A function of its arguments: the same seed gives the same draws.
    """
    if case.coarse:
        mechanism = coarser(mechanism)
    rng = stream(seed, "audit", case.data.digest, repr(mechanism), case.at)
    reference, compared = reference_of(mechanism, case, rng), list[Compared]()
    if reference is not None:
        for path, draws in _releases(mechanism, case, rng):
            shaped = draws.shape[1:] == (len(case.at),)
            agreement = reference.agreement(draws, rng) if shaped else Agreement(0.0, "shape")
            compared.append(Compared(path, reference.against, len(draws), agreement, case))
    if hasattr(mechanism, "release_statistics"):
        compared += _statistics(mechanism, case, reference, rng)
    return compared


def coarser(mechanism: Mechanism) -> Mechanism:
    """The algorithm with a grid of lines of at most 40 cells along an axis; others as they are."""
    if isinstance(mechanism, DeepestLine | ChooseByCenteredStats):
        return replace(mechanism, grid=min(mechanism.grid, _COARSE))
    return mechanism


def _releases(mechanism: Mechanism, case: DrawCase, rng: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """The releases drawn in each way, shape (some, m)."""
    arguments = case.epsilon, case.at
    with crossover_at(case.crossover, _REJECTING) if case.crossover else nullcontext():
        yield "release", mechanism.release(case.data, *arguments, case.draws, rng=rng)
        singles = [mechanism.release(case.data, *arguments, 1, rng=rng) for _ in range(case.singles)]
        if singles:
            yield "single releases", np.concatenate(singles)
        other = Dataset(case.data.x[::-1], 1 - case.data.y[::-1])
        both = mechanism.releases_of_all([other, case.data], *arguments, max(case.singles, 1000), rng.spawn(2))
        yield "releases of many data sets", both[1]


# ---------------------------------------------------------------- what releases should be


def reference_of(mechanism: Mechanism, case: DrawCase, rng: np.random.Generator) -> Reference | None:
    """The expected releases of a data set; None where an algorithm has no law and declares nothing."""
    data, epsilon, at = case.data, case.epsilon, np.array(case.at)
    if isinstance(mechanism, GradientDescent):
        samples = _descents(mechanism, data, epsilon, at, _MORE * case.draws, rng)
        return Reference("a simulation with the declared noise of each gradient", samples=samples)
    if isinstance(mechanism, ChooseByCenteredStats):
        samples = _choices(mechanism, data, epsilon, at, _MORE * case.draws, rng)
        return Reference("a simulation of both stages by their laws", samples=samples)
    if isinstance(mechanism, NoisySufficientStatistics | CenteredSums):
        lines = _lines_of_sums(mechanism, data, epsilon, at, _MORE * case.draws, rng)
        samples = np.clip(lines, mechanism.lower, mechanism.upper) if mechanism.clip else lines
        return Reference("a simulation with the declared noise of each sum", samples=samples)
    joint = mechanism.view(data, epsilon, at).law
    parts = joint.parts if isinstance(joint, JointLaw) or (joint.exact and joint.total < _MOST_PARTS) else []
    if len(parts) > 1:
        return Reference("joint law", samples=_of_mixture(parts, _MORE * case.draws, rng))
    if parts and not (isinstance(joint, JointLaw) and joint.apart):
        return Reference("joint law", list(parts[0][1]), independent=True)
    known = [law for law in mechanism.law(data, epsilon, at) if law is not None]
    if len(known) == at.size:
        return Reference("law at each point", known)
    return None


def _of_mixture(parts: Parts, size: int, rng: np.random.Generator) -> Floats:
    """Draws of a mixture: a part by its weight, then each number by its law, shape (size, m)."""
    counts = rng.multinomial(size, np.array([weight for weight, _ in parts]) / sum(weight for weight, _ in parts))
    drawn = [
        np.column_stack([law.ppf(rng.random(count)) for law in laws])
        for count, (_, laws) in zip(counts.tolist(), parts, strict=True)
        if count
    ]
    return np.asarray(rng.permutation(np.concatenate(drawn)))


def _unit_noise(mechanism: Mechanism, epsilon: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Noise of scale one of the kind that the guarantee goes with."""
    if isinstance(mechanism.guarantee(epsilon), PureDP):
        return rng.laplace(size=shape)
    return rng.standard_normal(shape)


def _lines_of_sums(
    mechanism: NoisySufficientStatistics | CenteredSums,
    data: Dataset,
    epsilon: float,
    at: Floats,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Predictions, shape (size, m), that follow from sums with the declared noise; NaN where there is no slope."""
    n = data.n
    if isinstance(mechanism, CenteredSums):
        u, w = data.x - 0.5, data.y - 0.5
        sums = np.array([u.sum(), w.sum(), u @ u, u @ w])
        noise = _unit_noise(mechanism, epsilon, (5, size), rng)[:4]
        of_u, of_w, of_uu, of_uw = sums[:, None] + mechanism.noise_scale(epsilon)[:4, None] * noise
        released = {"x_mean": 0.5 + of_u / n, "nvar": of_uu - of_u**2 / n, "ncov": of_uw - of_u * of_w / n}
        slope = _centered_slope(mechanism, epsilon, released)
        return np.asarray(0.5 + (of_w / n)[:, None] + slope[:, None] * (at - released["x_mean"][:, None]))
    noise = _unit_noise(mechanism, epsilon, (3, size), rng)
    scales = [mechanism.noise_scale(1 - 1 / n, epsilon, share) for share in mechanism.split[:2]]
    nvar, ncov = (sum_ + scale * part for sum_, scale, part in zip((data.nvar, data.ncov), scales, noise, strict=False))
    slope = _noisy_slope(mechanism, n, epsilon, nvar, ncov)
    scale = mechanism.noise_scale((1 + np.abs(slope)) / n, epsilon, mechanism.split[2])
    return np.asarray((data.y_mean + scale * noise[2])[:, None] + slope[:, None] * (at - data.x_mean))


def _noisy_slope(mechanism: NoisySufficientStatistics, n: int, epsilon: float, nvar: Floats, ncov: Floats) -> Floats:
    """The slope by definition, from noisy nvar and ncov alone."""
    if mechanism.adaptive_ridge:
        return np.asarray(ncov / mechanism.ridged(nvar, n, epsilon))
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(nvar > 0, ncov / nvar, 0.0 if mechanism.fallback else np.nan)


def _centered_slope(mechanism: CenteredSums, epsilon: float, released: dict[str, Floats]) -> Floats:
    """The slope by definition, from the noisy sums alone."""
    nvar, ncov, scale = released["nvar"], released["ncov"], mechanism.noise_scale(epsilon)
    if mechanism.ridge:
        return np.asarray(ncov * slope_per_covariance(mechanism._kind, nvar, released["x_mean"] - 0.5, scale, True))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(nvar > 0, ncov / nvar, 0.0)


def _descents(
    mechanism: GradientDescent, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Algorithms 6 and 7 record by record, every gradient clipped, with the declared noise; shape (size, m)."""
    weights, scale = np.stack([0.75 - data.x, data.x - 0.25]), mechanism.noise_scale(epsilon)
    p, squares, total = np.tile(np.array(mechanism.start)[:, None], size), np.zeros(size), np.zeros((2, size))
    first = mechanism.steps // 2
    for step in range(mechanism.steps):
        total += p if step >= first else 0.0
        residuals = data.y[:, None] - 2 * (weights.T @ p)
        gradient = np.array(
            [np.clip(2 * w[:, None] * residuals, -mechanism.clip, mechanism.clip).sum(0) for w in weights]
        )
        gradient += scale * _unit_noise(mechanism, epsilon, (2, size), rng)
        squares += (gradient**2).sum(axis=0)
        p = p + gradient / np.sqrt(squares)
    return _line(total / (mechanism.steps - first), at)


def _line(quarters: Floats, at: Floats) -> Floats:
    """Predictions at the points of at from those at 1/4 and 3/4, shape (2, size); shape (size, m)."""
    return np.outer(quarters[0], 2 * (0.75 - at)) + np.outer(quarters[1], 2 * (at - 0.25))


def _choices(
    mechanism: ChooseByCenteredStats, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Both stages by the definition: sums, the plan that follows from them and n, then sums or a line; (size, m)."""
    first, rest, sums = mechanism.share * epsilon, (1 - mechanism.share) * epsilon, CenteredStats()
    line = DeepestLine(grid=mechanism.grid, lower=mechanism.lower, upper=mechanism.upper)
    noise = rng.laplace(size=(5, size))
    released = sums._statistics(data, first, noise)
    plan, both = predicted.plan(released, sums.noise_scale(first), first, rest, line), hypot(first, rest)
    mixed = (first * noise + rest * rng.laplace(size=(5, size))) / both
    predictions = sums._statistics(data, both, mixed).predict(at)
    known = np.clip(np.nan_to_num(released.predict(QUARTERS)), line.lower, line.upper)
    drawn = _lines(line, data, rest, size, rng)
    ends = known + np.einsum("sij,sj->si", plan.weight, drawn - known)
    return np.where(plan.sums[:, None], predictions, _line(ends.T, at))


def _lines(mechanism: DeepestLine, data: Dataset, epsilon: float, size: int, rng: np.random.Generator) -> Floats:
    """Lines drawn by the scores of all cells, as their predictions at 1/4 and 3/4; shape (size, 2)."""
    logs = -mechanism.weight(epsilon) * mechanism.scores(data).of_all()
    cumulated = np.cumsum(np.exp(logs - logsumexp(logs)))
    cells = np.minimum(np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right"), logs.size - 1)
    places = np.column_stack(np.divmod(cells, mechanism.grid)) + rng.random((size, 2))
    return np.asarray(mechanism.lower + (mechanism.upper - mechanism.lower) / mechanism.grid * places)


# ---------------------------------------------------------------- released sums


def _statistics(
    mechanism: Any, case: DrawCase, reference: Reference | None, rng: np.random.Generator
) -> Iterator[Compared]:
    """Released sums of many and of one, against their declared noise, and what follows from them."""
    arguments = case.data, case.epsilon
    released = mechanism.release_statistics(*arguments, case.draws, rng=rng)
    singles = [mechanism.release_statistics(*arguments, 1, rng=rng) for _ in range(case.singles)]
    other = Dataset(1 - case.data.x**2, case.data.y[::-1] / 2)
    elsewhere = mechanism.release_statistics(other, case.epsilon, case.draws, rng=rng)
    for path, parts in (("release_statistics", [released]), ("single release_statistics", singles)):
        if not parts:
            continue
        agreements = [_of_sums(mechanism, case, parts, rng)]
        if reference is not None and not getattr(mechanism, "clip", False):
            predicted_lines = np.concatenate([part.predict(case.at) for part in parts])
            agreements.append(reference.agreement(predicted_lines, rng))
        if any(_public(part, 1 if len(parts) > 1 else case.draws) != _public(elsewhere, case.draws) for part in parts):
            agreements.append(Agreement(0.0, "a number beside the sums depends on the data"))
        yield Compared(path, "declared noise of each sum", sum(map(_size, parts)), worst(agreements), case)


def _size(released: Any) -> int:
    return max(value.size for value in vars(released).values() if isinstance(value, np.ndarray))


def _public(released: Any, size: int) -> list[str]:
    """Values handed out beside the numbers of each release: the same for all data sets of n records."""
    if not is_dataclass(released):
        return []
    values = [(f.name, getattr(released, f.name)) for f in fields(released)]
    return [
        name if isinstance(value, np.ndarray) and value.shape == (size,) else f"{name}={value!r}"
        for name, value in values
    ]


def _of_sums(mechanism: Any, case: DrawCase, parts: Sequence[Any], rng: np.random.Generator) -> Agreement:
    """How well released sums agree with the declared noise, and whether the slope follows from them."""
    data, epsilon = case.data, case.epsilon
    released = {
        name: np.concatenate([np.atleast_1d(getattr(part, name)) for part in parts]) for name in _arrays(parts[0])
    }
    if isinstance(mechanism, NoisySufficientStatistics):
        shares, slope = _noisy_sums(mechanism, data, epsilon, released, rng)
        own = mechanism.noise_scale((1 + np.abs(slope)) / data.n, epsilon, mechanism.split[2])
        follow = {"nvar", "ncov", "slope", "intercept", "intercept_scale"}
        if not np.allclose(released["intercept_scale"], own, rtol=_CLOSE, atol=0, equal_nan=True):
            return Agreement(0.0, "the scale of the intercept's noise does not follow from the released sums")
    elif isinstance(mechanism, CenteredSums):
        shares, slope = _centered_sums(mechanism, data, epsilon, released)
        follow = {"x_mean", "y_mean", "nvar", "ncov", "nvar_y", "slope"}
    else:
        return AGREES
    if not released.keys() <= follow:
        return Agreement(0.0, f"nothing is declared of {', '.join(sorted(released.keys() - follow))}")
    if not np.allclose(released["slope"], slope, rtol=_CLOSE, atol=0, equal_nan=True):
        return Agreement(0.0, "the slope does not follow from the released sums")
    return of_uniforms(shares, independent=True)


def _arrays(released: Any) -> list[str]:
    return [name for name, value in vars(released).items() if isinstance(value, np.ndarray)]


def _noise_cdf(mechanism: Mechanism, epsilon: float) -> Callable[[Floats], Floats]:
    """The cdf of noise of scale one of the kind that the guarantee goes with."""
    if isinstance(mechanism.guarantee(epsilon), PureDP):
        return lambda t: np.where(t < 0, 0.5 * np.exp(-np.abs(t)), 1 - 0.5 * np.exp(-np.abs(t)))
    return ndtr


def _noisy_sums(
    mechanism: NoisySufficientStatistics,
    data: Dataset,
    epsilon: float,
    released: dict[str, Floats],
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Shares of the noises of nvar, ncov and the intercept, shape (size, 3), and the slope by definition."""
    nvar, ncov, slope = released["nvar"], released["ncov"], released["slope"]
    sensitivities, n = [1 - 1 / data.n] * 2, data.n
    of_nvar, of_ncov = (
        mechanism.noise_scale(delta, epsilon, share)
        for delta, share in zip(sensitivities, mechanism.split, strict=False)
    )
    of_intercept = mechanism.noise_scale((1 + np.abs(slope)) / n, epsilon, mechanism.split[2])
    noises = [
        (nvar - data.nvar) / of_nvar,
        (ncov - data.ncov) / of_ncov,
        (released["intercept"] - (data.y_mean - slope * data.x_mean)) / of_intercept,
    ]
    shares = _noise_cdf(mechanism, epsilon)(np.column_stack(noises))
    shares = np.where(np.isnan(slope)[:, None] & (np.arange(3) == 2), rng.random(shares.shape), shares)
    return shares, _noisy_slope(mechanism, n, epsilon, nvar, ncov)


def _centered_sums(
    mechanism: CenteredSums, data: Dataset, epsilon: float, released: dict[str, Floats]
) -> tuple[Floats, Floats]:
    """Shares of the noises of the five sums, shape (size, 5), and the slope by definition."""
    n, u, w = data.n, data.x_mean - 0.5, data.y_mean - 0.5
    of_u, of_w = n * (released["x_mean"] - data.x_mean), n * (released["y_mean"] - data.y_mean)
    squares = float(((data.y - data.y_mean) ** 2).sum())
    of_uu = released["nvar"] - data.nvar + 2 * u * of_u + of_u**2 / n
    of_uw = released["ncov"] - data.ncov + u * of_w + w * of_u + of_u * of_w / n
    of_ww = released["nvar_y"] - squares + 2 * w * of_w + of_w**2 / n
    scale = mechanism.noise_scale(epsilon)
    shares = _noise_cdf(mechanism, epsilon)(np.column_stack([of_u, of_w, of_uu, of_uw, of_ww]) / scale)
    return shares, _centered_slope(mechanism, epsilon, released)
