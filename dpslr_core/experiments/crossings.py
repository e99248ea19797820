"""Crossings of error curves of a sweep with confidence intervals, and the smallest error at every swept value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from ..support.run import Z95
from ..support.types import Floats
from .ranking import ALIKE, Lead
from .sweep import Sweep

LINEAR = ("x_new", "slope", "lower", "upper", "beta")
_FAR = 100.0  # of a logarithm: errors e^200 apart
_EQUAL = 1e-6  # relative: errors nearer to each other are those of one law, computed in two ways


@dataclass(frozen=True)
class Crossing:
    """Value at which the error of ``winner`` falls below the error of ``loser`` as the parameter grows.

    Attributes
    ----------
    low, high : float
        Ends of the values at which the two errors cannot be told apart with 95% confidence; -inf or inf where these go
        on to the end of the sweep.
    """

    value: float
    low: float
    high: float
    parameter: str
    winner: str
    loser: str


def crossings(sweep: Sweep, first: str, second: str) -> list[Crossing]:
    """Find the crossings of the errors of two mechanisms, in order of the parameter.

    Between two values the logarithm of the ratio of the errors is taken as linear in the logarithm of the parameter (in
    the parameter itself if it is in LINEAR). The interval comes from the standard error of the paired difference over
    the data sets, on which both mechanisms were measured: it ends where the logarithm is 1.96 of its standard errors
    from 0, or at the two values where one error is infinite. Crossings whose intervals overlap are one, or none where
    the same mechanism is ahead before and after. ValueError names a mechanism that is not in the sweep.
    """
    curve, logarithmic = _gap(sweep, first, second)
    g = curve[1]
    roots = [
        _root(*curve, i, j) for i, j in pairwise(np.flatnonzero(g).tolist()) if g[i] * g[j] < 0
    ]
    together: list[list[_Root]] = []  # roots whose intervals overlap
    for root in roots:
        if together and root.low <= max(earlier.high for earlier in together[-1]):
            together[-1].append(root)
        else:
            together.append([root])
    result = []
    for same in together:
        if len(same) % 2:
            winner, loser = (first, second) if same[0].before > 0 else (second, first)
            ends = (
                same[len(same) // 2].t,
                min(root.low for root in same),
                max(root.high for root in same),
            )
            value, low, high = (
                float(np.exp(t)) if logarithmic and isfinite(t) else float(t) for t in ends
            )
            result.append(Crossing(value, low, high, sweep.parameter, winner, loser))
    return result


class _Root(NamedTuple):
    """Place t at which a gap changes sign, the ends of a confidence interval of t, and the sign below t."""

    t: float
    low: float
    high: float
    before: float


def _gap(
    sweep: Sweep, first: str, second: str
) -> tuple[tuple[Floats, Floats, Floats, np.ndarray], bool]:
    """Compute the gap between two curves where not both are infinite: (t, g, standard error of g, finite), logarithmic.

    The parameter is t, or its logarithm if logarithmic. The gap g is log(a / b) / 2 of the errors a and b, a large
    number of the right sign where one of them is 0 or infinite; finite says where neither is infinite. The variance of
    log(a / b) is var_a/a^2 + var_b/b^2 - 2 cov/(a b), with 2 cov = var_a + var_b - var_difference.
    """
    if first == second:
        raise ValueError(f"mechanisms must be two different ones, got {first!r} twice")
    batches = sweep.batches
    rows = [sweep.frame[sweep.frame["mechanism"] == name] for name in (first, second)]
    values = np.array([batch.value for batch in batches])
    a, b = (own_rows["error"].to_numpy(float) for own_rows in rows)
    errors = [own_rows["monte_carlo_error"].to_numpy(float) for own_rows in rows]
    errors.append(np.array([batch.difference_error(first, second) for batch in batches]))
    var_a, var_b, var_difference = (error**2 for error in errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        g = np.where(
            np.isclose(a, b, rtol=_EQUAL, atol=0.0),
            0.0,
            np.clip(0.5 * (np.log(a) - np.log(b)), -_FAR, _FAR),
        )
        variance = var_a / a**2 + var_b / b**2 - (var_a + var_b - var_difference) / (a * b)
    usable = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    error = np.where(usable, 0.5 * np.sqrt(np.maximum(variance, 0.0)), 0.0)
    defined = ~(np.isnan(a) | np.isnan(b) | (np.isinf(a) & np.isinf(b)))
    logarithmic = _logarithmic(sweep.parameter, values)
    t = np.log(values) if logarithmic else values
    return (t[defined], g[defined], error[defined], np.isfinite(a + b)[defined]), logarithmic


def _logarithmic(parameter: str, values: Floats) -> bool:
    return parameter not in LINEAR and bool((values > 0).all())


def _root(t: Floats, g: Floats, error: Floats, finite: np.ndarray, i: int, j: int) -> _Root:
    """Find the root between neighbouring values i and j of opposite sign, or in the middle of zeros between them."""
    before = float(np.sign(g[i]))
    if not (finite[i] and finite[j]):
        return _Root(0.5 * (t[i] + t[j]), t[i], t[j], before)
    root = (
        t[i] + (t[j] - t[i]) * g[i] / (g[i] - g[j]) if j == i + 1 else 0.5 * (t[i + 1] + t[j - 1])
    )
    margin = -Z95 * np.interp(root, t[[i, j]], error[[i, j]])

    def edge(t: Floats, sure: Floats, beyond: float) -> float:
        """Return the first point from the root along t where ``sure``, negative at the root, reaches 0; or beyond."""
        near, below = root, margin
        for point, above in zip(t, sure, strict=True):
            if above > 0:
                return (
                    float(near + (point - near) * below / (below - above))
                    if isfinite(below)
                    else float(point)
                )
            near, below = point, above
        return beyond

    low = edge(t[i::-1], (before * g - Z95 * error)[i::-1], -inf)
    high = edge(t[j:], (-before * g - Z95 * error)[j:], inf)
    return _Root(root, low, high, before)


_NEARLY = 1.1  # times the smallest error: still at the front


def lead(sweep: Sweep, value: float, names: Sequence[str]) -> Lead:
    """Find the algorithm with the smallest error at one swept value, and the algorithms tied with the first.

    Errors are tied where the paired difference over the data sets does not tell them apart with 95% confidence, or
    where they are the same to three digits.
    """
    frame = sweep.frame
    rows = frame[
        (frame["value"] == value)
        & frame["mechanism"].isin(list(names))
        & np.isfinite(frame["error"])
    ]
    rows = rows.sort_values("error", kind="stable")
    ordered, errors = rows["mechanism"].tolist(), rows["error"].to_numpy(dtype=float)
    batch = sweep.at(value)
    paired = [
        0.0 if name == ordered[0] else batch.difference_error(ordered[0], name) for name in ordered
    ]
    return Lead.of(ordered, errors, np.maximum(Z95 * np.array(paired), ALIKE * errors[:1]))


def leads(sweep: Sweep, names: Sequence[str]) -> dict[float, Lead]:
    """Compute the lead at every value where any error is finite, in order of the values."""
    at_values = {batch.value: lead(sweep, batch.value, names) for batch in sweep.batches}
    return {value: leader for value, leader in at_values.items() if leader.mechanism is not None}


def lead_changes(sweep: Sweep, names: Sequence[str]) -> list[Crossing]:
    """Find the crossings of algorithms that lead somewhere, where they cross at the front or within 10% of it.

    They are in order of the parameter.
    """
    leaders = dict.fromkeys(
        leader.mechanism for leader in leads(sweep, names).values() if leader.mechanism
    )
    crossed = [
        crossing for pair in combinations(leaders, 2) for crossing in crossings(sweep, *pair)
    ]
    at_front = []
    for crossing in crossed:  # errors between the values too, by the interpolation of crossings
        error_there = {}
        for name in names:
            rows = sweep.frame[sweep.frame["mechanism"] == name].sort_values("value")
            values, errors = rows["value"].to_numpy(float), rows["error"].to_numpy(float)
            logarithmic = _logarithmic(crossing.parameter, values)
            *t, point = (np.log if logarithmic else np.array)([*values, crossing.value])
            with np.errstate(divide="ignore"):
                logs = np.clip(np.log(errors), -700, 700)
            defined = ~np.isnan(logs)
            error_there[name] = (
                float(np.exp(np.interp(point, np.array(t)[defined], logs[defined])))
                if defined.any()
                else inf
            )
        if min(error_there[crossing.winner], error_there[crossing.loser]) <= _NEARLY * min(
            error_there.values()
        ):
            at_front.append(crossing)
    return sorted(at_front, key=lambda crossing: crossing.value)
