"""One data set of a sweep: simulate it, and measure the error of each mechanism at each setting."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nan, sqrt
from typing import Any, cast

import numpy as np

from .. import pairwise
from .._types import Floats
from ..dataset import Dataset
from ..experiments import error_bound, error_bound_interval
from ..laws import Law
from ..mechanisms import Mechanism, TheilSen
from ..mechanisms.matchings import MatchingMechanism
from ..pairwise import PublicGrid
from ..pairwise.middles import Middles
from ..scenario import Scenario
from ..streams import stream
from .settings import Setting

Asked = tuple[Mechanism, float, tuple[float, ...]]  # a mechanism, epsilon, and points of which the first is measured
Measured = tuple[float, float, float, float]  # a ratio or bound, the ends of its interval, 1 where it is not exact
_CHUNK = 1 << 16  # pairwise estimates formed at a time: what is done with them stays in the cache


def measured(
    group: tuple[Setting, ...], number: int, trials: int, seed: int, data: Dataset | None = None
) -> list[list[Measured]]:
    """The ratios on simulated data set ``number``, or on data, for each setting and mechanism.

    The settings have their data in common; what they share beside, matchings too, is made once.
    """
    records = simulated(group[0].scenario, seed, number) if data is None else data
    asked = [[first_point(m, s.scenario.epsilon, s.at) for m in s.mechanisms] for s in group]
    drawn = (
        _matching_draws(records, (one for row in asked for one in row), trials, seed, number) if data is None else {}
    )
    known: dict[object, Measured] = {}
    for setting, row in zip(group, asked, strict=True):
        center, unit = _reference(records, setting, truth=data is None)
        for one in row:
            if one not in known:
                found = drawn[one] if one in drawn else _law_or_draws(records, one, trials, seed, number)
                known[one] = _ratio(_bounds(found, center), unit)
    return [[known[one] for one in row] for row in asked]


def simulated(scenario: Scenario, seed: int, number: int) -> Dataset:
    """Data set ``number`` of a sweep: simulate_linear's recipe, with uniforms and normals from a stream each.

    n records are the first n of any larger set, and runs that differ in a variance or the slope share their noise.
    """
    uniform = stream(seed, "x", number).random(scenario.n)
    normal = stream(seed, "e", number).standard_normal(scenario.n)
    return linear(scenario, uniform, normal)


def linear(scenario: Scenario, uniform: Floats, normal: Floats) -> Dataset:
    """x and y made of uniforms and normals of shape (n,), as simulate_linear makes them of its own."""
    x = 0.5 + np.sqrt(12 * scenario.var_x) * (uniform - 0.5)
    y = scenario.slope * x + scenario.intercept + np.sqrt(scenario.var_e) * normal
    return Dataset(np.clip(x, 0, 1), np.clip(y, 0, 1))


def first_point(mechanism: Mechanism, epsilon: float, at: tuple[float, ...]) -> Asked:
    """What gives the first point the law that it has in a release at all points, at less cost.

    By the ledger: one that says the same of the first point alone spends the same whatever the points; one whose
    every row is what the mechanism would say of that point alone, at that share, gives each point a release of its
    own. Anything else, such as a row beside those of the points, is asked for all of them. Without a ledger epsilon
    is of no account: 1.
    """
    rows = mechanism.ledger(epsilon, at)
    if rows == mechanism.ledger(epsilon, at[:1]):
        return mechanism, epsilon if rows else 1.0, at[:1]
    if len(rows) == len(at) and all(
        mechanism.ledger(row.share, (point,)) == (row,) for row, point in zip(rows, at, strict=True)
    ):
        return mechanism, rows[0].share, at[:1]
    return mechanism, epsilon, at


def _reference(data: Dataset, setting: Setting, truth: bool) -> tuple[float, float]:
    """What the first point is measured against, and the standard deviation of OLS there (see sweep)."""
    x_new, scenario = setting.at[0], setting.scenario
    if not truth:
        return float(data.predict(x_new)[0]), float(data.standard_error(x_new)[0])
    spread = (x_new - data.x_mean) ** 2 / data.nvar if data.nvar > 0 else inf
    return scenario.slope * x_new + scenario.intercept, sqrt(scenario.var_e * (1 / data.n + spread))


def _law_or_draws(data: Dataset, one: Asked, trials: int, seed: int, number: int) -> Law | Floats:
    """The law at the first point, or draws of shape (trials,) where there is none."""
    mechanism, epsilon, at = one
    law = mechanism.law(data, epsilon, at)[0]
    return law or mechanism.release(data, epsilon, at, trials, rng=stream(seed, "trials", number))[:, 0]


def _matching_draws(data: Dataset, asked: Iterable[Asked], trials: int, seed: int, number: int) -> dict[Asked, Floats]:
    """Draws of shape (trials,) of all that k random matchings are asked for, the same ones for the same k and point.

    An average of conditional laws would take too many matchings for each of hundreds of data sets, and that of a
    few has too small a C.
    """
    alike: dict[tuple[int, float, int], dict[Asked, None]] = {}
    for one in asked:
        mechanism, point = one[0], one[2][0]
        if isinstance(mechanism, MatchingMechanism) and not pairwise.is_complete(data.n, mechanism.k):
            bits = mechanism.grid(np.array([point])).bits
            alike.setdefault((int(mechanism.k or 0), point, bits), {})[one] = None
    drawn: dict[Asked, Floats] = {}
    for (k, point, _), same in alike.items():
        drawn |= _on_matchings(data, k, point, list(same), trials, seed, number)
    return drawn


def _on_matchings(
    data: Dataset, k: int, point: float, asked: list[Asked], trials: int, seed: int, number: int
) -> dict[Asked, Floats]:
    """The draws on one sequence of sets of k matchings; each takes its noise from its own copy of one stream."""
    rng = stream(seed, "matchings", number)
    noises = {one: stream(seed, "trials", number) for one in asked}
    grids = {one: cast(MatchingMechanism, one[0]).grid(np.array([point])) for one in asked}
    parts: dict[Asked, list[Floats]] = {one: [] for one in asked}
    size = max(1, _CHUNK // pairwise.pair_count(data.n, k))
    grid = grids[asked[0]]  # its range is of no account here
    x, y = grid.positions(data.x), grid.positions(data.y)
    in_turn = sorted(asked, key=lambda one: isinstance(one[0], TheilSen))  # whose medians the others will have sorted
    for start in range(0, trials, size):
        some = min(size, trials - start)
        middles = Middles(pairwise.matched_estimates(x, y, k, some, grid.heights, rng)[0])
        for one in in_turn:
            parts[one].append(_medians(one[0], middles, one[1], k, grids[one], noises[one]))
    return {one: np.concatenate(part) for one, part in parts.items()}


def _medians(
    mechanism: Any, middles: Middles, epsilon: float, k: int, grid: PublicGrid, rng: np.random.Generator
) -> Floats:
    """What a mechanism of the Theil-Sen family releases on pairwise estimates, one number per row."""
    if isinstance(mechanism, TheilSen):
        return middles.medians()
    return np.asarray(mechanism._draw_medians(middles, epsilon, k, grid, rng))


def _bounds(found: Law | Floats, center: float) -> Measured:
    """C(68) about the center, its interval, and 1 where it is not exact."""
    if not isinstance(found, Law):
        return error_bound(found, center, 68), *error_bound_interval(found, center, 68), 1.0
    bound = found.error_bound(68, center)
    return (bound, bound, bound, 0.0) if found.exact else (bound, *found.error_bound_interval(68, center), 1.0)


def _ratio(found: Measured, unit: float) -> Measured:
    """The bounds in units of the standard deviation of OLS; where that is 0 or infinite, inf, or NaN for no error."""
    usable = 0 < unit < inf
    bound, low, high = (b / unit if usable else inf if b > 0 else nan for b in found[:3])
    return bound, low, high, found[3]
