"""Where the error curves of a sweep cross, how sure that is, and which algorithm leads at each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf, isfinite

import numpy as np
import pandas as pd

from ..support.run import Z95
from ..support.types import Floats
from .ranking import ALIKE, Lead
from .sweep import Sweep

LINEAR = ("x_new", "slope", "lower", "upper", "beta")
_FAR = 100.0  # of a logarithm: errors e^200 apart


@dataclass(frozen=True)
class Crossing:
    """Where the mean error of ``winner`` falls below that of ``loser`` as the parameter grows.

    low, high: every value between them at which the two cannot be told apart with 95% confidence; -inf or inf where
    that goes on to the end of the sweep.
    """

    value: float
    low: float
    high: float
    parameter: str
    winner: str
    loser: str


@dataclass(frozen=True)
class _Gap:
    """g = log(a / b) / 2 of two mean errors along t, the parameter or its logarithm, with its standard error.

    Where one of the two is 0 or infinite, g is a large number of the right sign; finite says where neither is infinite.
    """

    t: Floats
    g: Floats
    error: Floats
    finite: np.ndarray
    logarithmic: bool

    def value(self, t: float) -> float:
        """The parameter at t."""
        return float(np.exp(t)) if self.logarithmic and isfinite(t) else float(t)


def crossings(sweep: Sweep, first: str, second: str) -> list[Crossing]:
    """Where the mean errors of two mechanisms cross, in order of the parameter.

    Between two values the logarithm of the ratio of the errors is taken as linear in the
    logarithm of the parameter (in x_new, slope, lower, upper, beta themselves). The interval comes from the standard
    error of the paired difference over the data sets, which both were measured on: it ends where the logarithm is
    1.96 of its standard errors from 0, or at the two values where one error is infinite. Crossings whose intervals
    overlap are one, or none where the same mechanism is ahead before and after. ValueError names a mechanism that is
    not in the sweep.
    """
    gap = _gap(sweep, first, second)
    order = np.flatnonzero(gap.g != 0)
    roots = [_root(gap, i, j) for i, j in pairwise(order.tolist()) if gap.g[i] * gap.g[j] < 0]
    result = []
    for same in _overlapping(roots):
        if len(same) % 2:
            winner, loser = (first, second) if same[0].before > 0 else (second, first)
            low, high = min(root.low for root in same), max(root.high for root in same)
            value, low, high = (gap.value(t) for t in (same[len(same) // 2].t, low, high))
            result.append(Crossing(value, low, high, sweep.parameter, winner, loser))
    return result


@dataclass(frozen=True)
class _Root:
    """A change of sign at t, its interval, and the sign before."""

    t: float
    low: float
    high: float
    before: float


def _root(gap: _Gap, i: int, j: int) -> _Root:
    """The root between two neighbouring values i and j of opposite sign, or in the middle of zeros between them."""
    t, g, before = gap.t, gap.g, float(np.sign(gap.g[i]))
    if not (gap.finite[i] and gap.finite[j]):
        return _Root(0.5 * (t[i] + t[j]), t[i], t[j], before)
    root = t[i] + (t[j] - t[i]) * g[i] / (g[i] - g[j]) if j == i + 1 else 0.5 * (t[i + 1] + t[j - 1])
    margin = -Z95 * np.interp(root, t[[i, j]], gap.error[[i, j]])
    low = _edge(root, margin, t[i::-1], (before * g - Z95 * gap.error)[i::-1], -inf)
    high = _edge(root, margin, t[j:], (-before * g - Z95 * gap.error)[j:], inf)
    return _Root(root, low, high, before)


def _edge(root: float, margin: float, t: Floats, sure: Floats, beyond: float) -> float:
    """The first place from the root along t where what is sure, negative at the root, reaches 0; or beyond."""
    for place, here in zip(t, sure, strict=True):
        if here > 0:
            return float(root + (place - root) * margin / (margin - here)) if isfinite(margin) else float(place)
        root, margin = place, here
    return beyond


def _overlapping(roots: list[_Root]) -> list[list[_Root]]:
    """The roots, those together whose intervals overlap."""
    together: list[list[_Root]] = []
    for root in roots:
        if together and root.low <= max(other.high for other in together[-1]):
            together[-1].append(root)
        else:
            together.append([root])
    return together


def _gap(sweep: Sweep, first: str, second: str) -> _Gap:
    """The gap between two curves of a sweep, where not both are infinite."""
    if first == second:
        raise ValueError(f"mechanisms must be two different ones, got {first!r} twice")
    differences = sweep.difference_errors(first, second)
    rows = [sweep.frame[sweep.frame["mechanism"] == name] for name in (first, second)]
    values = np.array(list(differences), dtype=float)
    a, b = (mine["mean"].to_numpy(float) for mine in rows)
    errors = [mine["monte_carlo_error"].to_numpy(float) for mine in rows]
    known = ~(np.isnan(a) | np.isnan(b) | (np.isinf(a) & np.isinf(b)))
    g, error = _half_log_ratio(a, b, [*errors, np.array(list(differences.values()))])
    logarithmic = sweep.parameter not in LINEAR and bool((values > 0).all())
    t = np.log(values) if logarithmic else values
    return _Gap(t[known], g[known], error[known], np.isfinite(a + b)[known], logarithmic)


def _half_log_ratio(a: Floats, b: Floats, errors: Sequence[Floats]) -> tuple[Floats, Floats]:
    """log(a / b) / 2 between -_FAR and _FAR, and its standard error where both are above 0 and finite, else 0.

    errors: those of a, b and a - b. The variance of log(a / b) is var_a/a^2 + var_b/b^2 - 2 cov/(a b), with
    2 cov = var_a + var_b - var_difference.
    """
    var_a, var_b, var_difference = (error**2 for error in errors)
    usable = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    with np.errstate(invalid="ignore", divide="ignore"):
        g = np.clip(0.5 * (np.log(a) - np.log(b)), -_FAR, _FAR)
        variance = var_a / a**2 + var_b / b**2 - (var_a + var_b - var_difference) / (a * b)
    g = np.where(a == b, 0.0, g)
    return g, np.where(usable, 0.5 * np.sqrt(np.maximum(variance, 0.0)), 0.0)


_NEARLY = 1.1  # times the smallest error: still at the front


def lead(sweep: Sweep, value: float, names: Sequence[str]) -> Lead:
    """The lead among the algorithms named, by their mean error at one value.

    Means are tied where the paired difference over the data sets does not tell them apart with 95% confidence, or where
    they are the same to three digits.
    """
    frame = sweep.frame
    rows = frame[(frame["value"] == value) & frame["mechanism"].isin(list(names)) & np.isfinite(frame["mean"])]
    rows = rows.sort_values("mean", kind="stable")
    ordered, means = rows["mechanism"].tolist(), rows["mean"].to_numpy(dtype=float)
    batch = sweep.at(value)
    paired = [0.0 if name == ordered[0] else batch.difference_error(ordered[0], name) for name in ordered]
    return Lead.of(ordered, means, np.maximum(Z95 * np.array(paired), ALIKE * means[:1]))


def leads(sweep: Sweep, names: Sequence[str]) -> dict[float, Lead]:
    """The lead at every value where any mean is finite, in order of the values."""
    at_values = {batch.value: lead(sweep, batch.value, names) for batch in sweep.batches}
    return {value: leader for value, leader in at_values.items() if leader.mechanism is not None}


def lead_changes(sweep: Sweep, names: Sequence[str]) -> list[Crossing]:
    """The crossings of algorithms that lead somewhere, where they cross at the front or within 10% of it.

    In order of the parameter.
    """
    leaders = dict.fromkeys(leader.mechanism for leader in leads(sweep, names).values() if leader.mechanism)
    crossed = [crossing for pair in combinations(leaders, 2) for crossing in crossings(sweep, *pair)]
    at_front = [crossing for crossing in crossed if _at_front(sweep.frame, crossing, names)]
    return sorted(at_front, key=lambda crossing: crossing.value)


def _at_front(frame: pd.DataFrame, crossing: Crossing, names: Sequence[str]) -> bool:
    """Whether the better of the two that cross is within 10% of the smallest error there, between the values too."""
    here = {name: _error_at(frame, crossing, name) for name in names}
    return min(here[crossing.winner], here[crossing.loser]) <= _NEARLY * min(here.values())


def _error_at(frame: pd.DataFrame, crossing: Crossing, name: str) -> float:
    """The mean error of an algorithm where two others cross, by the interpolation that crossings uses."""
    rows = frame[frame["mechanism"] == name].sort_values("value")
    values, means = rows["value"].to_numpy(float), rows["mean"].to_numpy(float)
    logarithmic = crossing.parameter not in LINEAR and bool((values > 0).all())
    t: Floats = np.log(values) if logarithmic else values
    with np.errstate(divide="ignore"):
        logs = np.clip(np.log(means), -700, 700)
    known = ~np.isnan(logs)
    place = np.log(crossing.value) if logarithmic else crossing.value
    return float(np.exp(np.interp(place, t[known], logs[known]))) if known.any() else np.inf
