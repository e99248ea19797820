"""Draws of every way to release, compared with draws of what is audited.

What is drawn: ``release`` of many and, again and again, of one; ``releases``; ``release_statistics`` of many and of
one. What with: draws of the law of the release where there is one; a literal simulation with the declared noise for
noisy sums and for gradient descent.

Every test gives the chance of so large a deviation if the draws are as they should be. The least of several counts as
many times. At ``LEVEL`` 10,000 comparisons together raise a false alarm with a chance of 1e-5.

Power: 4,000 draws show a scale of Laplace, Gaussian or Student-t noise that is wrong by 20%. 2,000 draws show noise
that is left out, cut, or shared by two numbers or by two releases. Fewer draws show less: half the noise at 1,000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from dpslr_core.dataset import Dataset
from dpslr_core.laws.base import Law
from dpslr_core.laws.joint import JointLaw
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.mechanisms.centered import CenteredSums
from dpslr_core.mechanisms.deepest_line import DeepestLine
from dpslr_core.mechanisms.descent import GradientDescent
from dpslr_core.mechanisms.noisy_stats import NoisySufficientStatistics
from dpslr_core.privacy import PureDP
from dpslr_core.support.run import stream
from dpslr_core.support.types import Floats
from tests.reference import centered, paper

from .neighbours import crossover_at

LEVEL = 1e-9  # chance of a false alarm of one comparison
_MORE = 5  # draws of a reference for each draw that is compared with them
_MOST_PARTS = 2_000  # estimates of which the joint law of medians is a mixture; of more each point is compared alone
_COARSE = 40  # cells along an axis of a grid of lines, which take a hundredth of the time
_REJECTING = 1.0  # tolerance of laws from rank queries by which draws reject up to a half
_FEWER = (
    500  # draws that are compared with an average of drawn laws, whose own error must not count
)


class Agreement(NamedTuple):
    """The chance that draws as they should be deviate as much, and in what they deviate most."""

    p: float
    what: str = ""

    @property
    def holds(self) -> bool:
        """Whether a deviation like this is to be expected now and then."""
        return self.p > LEVEL


def worst(agreements: Sequence[Agreement]) -> Agreement:
    """The least likely of several, its chance times their number."""
    least = min(agreements, default=Agreement(1.0))
    return least._replace(p=min(1.0, least.p * max(1, len(agreements))))


def compare_samples(draws: Floats, reference: Floats, jointly: bool = True) -> Agreement:
    """Draws against draws of a reference, shapes (size, m) and (more, m), by the ranks among both.

    NaN is a failure and counts as the least. jointly: whether sums and differences of the numbers are compared, too.
    """
    both = np.nan_to_num(np.concatenate([draws, reference]), nan=-1e300)
    size, ranks = len(draws), stats.rankdata(both, axis=0).T
    columns, tests = [*ranks], list[Agreement]()
    for first, second in combinations(ranks, 2) if jointly else ():
        columns += [first + second, first - second]
    for column in columns:
        distance = stats.ks_2samp(column[:size], column[size:], method="asymp")
        from_middle = np.abs(column - np.median(column))
        spread = stats.mannwhitneyu(from_middle[:size], from_middle[size:])
        tests += [Agreement(distance.pvalue, "distribution"), Agreement(spread.pvalue, "spread")]
    for drawn, expected, rank in zip(both[:size].T, both[size:].T, ranks, strict=True):
        values, counts = np.unique(drawn, return_counts=True)
        again = counts[~np.isin(values, expected)] - 1
        tests.append(Agreement(float(again.sum() <= size / 100), "equal draws"))
        if values.size > 1:
            in_turn = stats.spearmanr(rank[: size - 1], rank[1:size])
            tests.append(Agreement(in_turn.pvalue, "releases share noise"))
    return worst(tests)


# ---------------------------------------------------------------- every way to release


@dataclass(frozen=True)
class DrawCase:
    """A data set, and how it is released.

    draws, singles: releases drawn together, and one by one. crossover: for the release, the number of records from
    which on medians are drawn by rank queries; None: as it is. coarse: whether lines are drawn from a coarser grid.
    """

    data: Dataset
    epsilon: float
    at: tuple[float, ...]
    draws: int
    singles: int
    crossover: int | None = None
    coarse: bool = True


def compare_draws(mechanism: Mechanism, case: DrawCase, seed: int = 0) -> list[Agreement]:
    """Every way to release this data set, against what is audited; empty where an algorithm offers nothing of that.

    A function of its arguments: the same seed gives the same draws.
    """
    if case.coarse and isinstance(mechanism, DeepestLine):
        mechanism = replace(mechanism, grid=min(mechanism.grid, _COARSE))
    rng = stream(seed, "audit", case.data.digest, repr(mechanism), case.at)
    sums = None
    if isinstance(mechanism, NoisySufficientStatistics | CenteredSums):
        sums = _expected_sums(mechanism, case, _MORE * case.draws, rng)
        lines = _lines(sums, np.array(case.at))
        if mechanism.clip:
            lines = np.clip(lines, mechanism.lower, mechanism.upper)
        agreement = partial(compare_samples, reference=lines)
    else:
        agreement = _by_law(mechanism, case, rng)
    compared = []
    if agreement is not None:
        for draws in _releases(mechanism, case, rng):
            shaped = draws.shape[1:] == (len(case.at),)
            compared.append(agreement(draws) if shaped else Agreement(0.0, "shape"))
    if sums is not None:
        compared += _statistics(mechanism, case, sums, rng)
    return compared


def _releases(mechanism: Mechanism, case: DrawCase, rng: np.random.Generator) -> Iterator[Floats]:
    """The releases drawn in each way, shape (some, m)."""
    arguments = case.epsilon, case.at
    with crossover_at(case.crossover, _REJECTING) if case.crossover else nullcontext():
        yield mechanism.release(case.data, *arguments, case.draws, rng=rng)
        if case.singles:
            singles = [
                mechanism.release(case.data, *arguments, 1, rng=rng) for _ in range(case.singles)
            ]
            yield np.concatenate(singles)
        other = Dataset(case.data.x[::-1], 1 - case.data.y[::-1])
        both = mechanism.releases(
            [other, case.data], *arguments, max(case.singles, 1000), rng.spawn(2)
        )
        yield both[1]


def _by_law(mechanism: Mechanism, case: DrawCase, rng: np.random.Generator) -> Any:
    """The comparison with releases drawn from the law, or by a literal descent; None where there is neither."""
    at, size = np.array(case.at), _MORE * case.draws
    if isinstance(mechanism, GradientDescent):
        return partial(compare_samples, reference=_descents(mechanism, case, at, size, rng))
    joint = mechanism.view(case.data, case.epsilon, at).law
    simple = isinstance(joint, JointLaw) or (joint.exact and joint.total < _MOST_PARTS)
    parts = joint.parts if simple else []
    jointly = bool(parts) and not (isinstance(joint, JointLaw) and joint.dependence_unknown)
    if not jointly:
        laws = mechanism.law(case.data, case.epsilon, at)
        if any(law is None for law in laws):
            return None
        parts = [(1.0, laws)]
    # A mixture: a part by its weight, then each number by its law.
    weights = np.array([weight for weight, _ in parts])
    counts = rng.multinomial(size, weights / weights.sum()).tolist()
    drawn = [
        np.column_stack([_drawn(law, count, rng) for law in laws])
        for count, (_, laws) in zip(counts, parts, strict=True)
        if count
    ]
    reference = rng.permutation(np.concatenate(drawn))
    first = _FEWER if any(law.averaged for law in parts[0][1]) else None
    return lambda draws: compare_samples(draws[:first], reference, jointly)


def _drawn(law: Law, count: int, rng: np.random.Generator) -> Floats:
    """Draws by the quantiles of a law, which a release does not use; of an average of many laws by its parts."""
    return law.sample(count, rng) if law.averaged else law.ppf(rng.random(count))


def _unit_noise(mechanism: Mechanism, case: DrawCase, shape: tuple[int, ...], rng: Any) -> Floats:
    """Noise of scale one of the kind that the guarantee goes with."""
    pure = isinstance(mechanism.guarantee(case.epsilon), PureDP)
    return rng.laplace(size=shape) if pure else rng.standard_normal(shape)


def _descents(
    mechanism: GradientDescent, case: DrawCase, at: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Algorithms 6 and 7 record by record, every gradient clipped, with the declared noise; shape (size, m)."""
    noise = _unit_noise(mechanism, case, (mechanism.steps, 2, size), rng)
    p25, p75 = paper.gradient_descent(
        case.data.x.tolist(),
        case.data.y.tolist(),
        mechanism.noise_scale(case.epsilon) * noise,
        mechanism.clip,
        mechanism.start,
    )
    return np.column_stack([paper.on_line(p25, p75, point) for point in at.tolist()])


# ---------------------------------------------------------------- released sums


def _expected_sums(
    mechanism: Any, case: DrawCase, size: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw the sums that a mechanism releases, by definition, with the declared noise: arrays of shape (size,)."""
    data, epsilon, n = case.data, case.epsilon, case.data.n
    if isinstance(mechanism, CenteredSums):
        scales = mechanism.noise_scale(epsilon)
        noise = scales[:, None] * _unit_noise(mechanism, case, (5, size), rng)
        u, w, nvar, ncov, nvar_y = centered.statistics(data.x, data.y, noise)
        variance = 2.0 if isinstance(mechanism.guarantee(epsilon), PureDP) else 1.0
        ridge = centered.ridge_of(u, scales, variance) if mechanism.ridge else 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(nvar > 0, ncov * nvar / (nvar**2 + ridge), 0.0)
        sums = {"x_mean": 0.5 + u, "y_mean": 0.5 + w, "nvar_y": nvar_y}
        return sums | {"nvar": nvar, "ncov": ncov, "slope": slope}
    noise = _unit_noise(mechanism, case, (3, size), rng)
    scales = [mechanism.noise_scale(1 - 1 / n, epsilon, share) for share in mechanism.split[:2]]
    nvar, ncov = data.nvar + scales[0] * noise[0], data.ncov + scales[1] * noise[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(nvar > 0, ncov / nvar, 0.0 if mechanism.fallback else np.nan)
    scale = mechanism.noise_scale((1 + np.abs(slope)) / n, epsilon, mechanism.split[2])
    intercept = data.y_mean - slope * data.x_mean + scale * noise[2]
    sums = {"nvar": nvar, "ncov": ncov, "slope": slope}
    return sums | {"intercept": intercept, "intercept_scale": scale}


def _lines(sums: dict[str, Floats], at: Floats) -> Floats:
    """Predictions that follow from released sums, shape (size, m)."""
    slope = sums["slope"][:, None]
    if "intercept" in sums:
        return sums["intercept"][:, None] + slope * at
    return sums["y_mean"][:, None] + slope * (at - sums["x_mean"][:, None])


def _statistics(
    mechanism: Any, case: DrawCase, expected: dict[str, Floats], rng: np.random.Generator
) -> Iterator[Agreement]:
    """Released sums of many and of one against what is expected, and their predictions against themselves."""

    def sums_of(data: Dataset, size: int) -> tuple[dict[str, Floats], Floats, list[str]]:
        """Numbers of each release, their predictions, and what is handed out with them, the same for all data."""
        released = mechanism.release_statistics(data, case.epsilon, size, rng=rng)
        assert is_dataclass(released)
        drawn, public = {}, []
        for name, value in vars(released).items():
            if isinstance(value, np.ndarray) and value.shape == (size,):
                drawn[name] = value
            else:
                public.append(f"{name}={value!r}")
        return drawn, released.predict(case.at), public

    other = Dataset(1 - case.data.x**2, case.data.y[::-1] / 2)
    elsewhere = sums_of(other, 1)[2]
    for count, size in ((1, case.draws), (case.singles, 1)):
        parts = [sums_of(case.data, size) for _ in range(count)]
        if any(public != elsewhere for _, _, public in parts):
            yield Agreement(0.0, "a number beside the sums depends on the data")
        elif any(drawn.keys() != expected.keys() for drawn, _, _ in parts):
            yield Agreement(0.0, "not the numbers that are declared")
        elif parts:
            drawn = {name: np.concatenate([part[0][name] for part in parts]) for name in expected}
            predictions = np.concatenate([part[1] for part in parts])
            follow = np.allclose(predictions, _lines(drawn, np.array(case.at)), equal_nan=True)
            yield Agreement(float(follow), "predictions do not follow from the sums")
            columns = (
                np.column_stack([each[name] for name in expected]) for each in (drawn, expected)
            )
            yield compare_samples(*columns)
