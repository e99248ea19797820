"""The epsilons at which the noise in each of many areas is no larger than the sampling error, by algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import ceil, exp, inf, log, log1p, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from ..dataset import Dataset
from ..experiments.areas import best_by_area, flat_line, passing_rows
from ..experiments.errors import ols
from ..experiments.ranking import candidates
from ..mechanisms.base import Chance, Mechanism
from ..privacy import Budget
from ..privacy.accounting import Accounting, Rule, admitted, paid
from ..support.run import checkpoint
from ..support.workers import in_order, one_thread
from .required_values import EPSILONS

COLUMNS = ("group", "mechanism", "standard_error", "passes_from", "flat_from", "gaps")
BATCH = 4  # areas handed to a worker at a time
_LEAST, _MOST = (log(end) for end in EPSILONS)
_BELOW, _ABOVE = log(10) / 4, log(10) / 8  # shortest steps of the scan where it does not pass, and where it does
_TOLERANCE = 1e-6  # relative, of an end between passing and not
_SHARE = 0.68 - 1e-12  # of the releases, within one standard error; but for rounding
_SURE = 0.95  # a share of the releases from which on no larger epsilon is looked at
_FARTHEST = 0.01  # that a rate counts as off by, as a factor


def passing_epsilons(
    datasets: Mapping[Any, Dataset],
    mechanisms: Sequence[Mechanism],
    budget: Budget,
    workers: int | str = 1,
    progress: Callable[[int], object] | None = None,
) -> pd.DataFrame:
    """At which epsilons each area passes with each algorithm: C(68) at the first point is at most one standard error.

    datasets: the areas by label.
    mechanisms: the algorithms, with different names.
    budget: the points, which epsilon pays for together, and what each algorithm may spend; its epsilon is not used.
    workers: 1, another number of processes, -1 for all cores, or a Dask scheduler's address (tcp://...).
    progress: progress(number) is called as so many areas more arrive.

    One row for each area and algorithm, in this order:
    group, mechanism
    standard_error: of OLS at the point, in units of y.
    passes_from: the smallest epsilon at which the area passes with a line that has a slope, see Mechanism.slope_kept.
    flat_from: the smallest at which it passes where flat lines count too; never above passes_from.
    gaps: (low, high) of stretches above flat_from, low < epsilon < high, where it does not pass; as a rule none.

    Both are infinite where no epsilon in EPSILONS is enough, EPSILONS[0] where that is enough already, and NaN where
    the algorithm has no exact law or the area no sampling error. They are solved for on exact laws, to a relative 1e-6
    from above, so that they are enough. The scan before goes by quarters of a decade where an area does not pass and by
    eighths where it does: shorter stretches can be missed. Counts, minima and halves follow from this frame alone: see
    passes, smallest_epsilons and half_passes_from.
    """
    areas = list(datasets.items())
    batches = [areas[start : start + BATCH] for start in range(0, len(areas), BATCH)]
    task = partial(_of_batch, mechanisms=tuple(mechanisms), budget=budget)
    rows = []
    for batch, part in zip(batches, in_order(task, batches, workers), strict=True):
        rows += part
        if progress:
            progress(len(batch))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def sought_mechanisms(mechanisms: Sequence[Mechanism], accounting: Rule = Accounting.PAPER) -> tuple[Mechanism, ...]:
    """The algorithms among which the smallest epsilon of an area is sought, whatever epsilon is chosen elsewhere.

    The candidates of a ranking: those with the strongest guarantee; all private ones where none has that.
    """
    return candidates(mechanisms, Budget(1.0, accounting=accounting))


def passes(passing: pd.DataFrame, epsilon: float, flat_lines: bool = False) -> pd.Series:
    """Whether each row of passing_epsilons passes at this epsilon. flat_lines: whether a line without slope counts."""
    first = passing["flat_from" if flat_lines else "passes_from"]
    in_gap = [any(low < epsilon < high for low, high in gaps) for gaps in passing["gaps"]]
    return (first <= epsilon) & ~np.array(in_gap, dtype=bool)


def smallest_epsilons(passing: pd.DataFrame, flat_lines: bool = False) -> pd.DataFrame:
    """Of each area, the smallest epsilon at which it passes with any of the algorithms, and with which of them.

    passing: of passing_epsilons, with the rows of the algorithms in question. Columns group, standard_error,
    passes_from and passes_with: the epsilon infinite and the name empty where none does, NaN and empty where nothing
    was sought. Of algorithms with the same epsilon the first.
    """
    rows = passing.assign(passes_from=passing["flat_from"] if flat_lines else passing["passes_from"])
    first = rows.sort_values("passes_from", kind="stable").drop_duplicates("group").set_index("group")
    first = first.loc[rows["group"].drop_duplicates()].reset_index()
    known = np.isfinite(first["passes_from"])
    return first.assign(passes_with=first["mechanism"].where(known, ""))[
        ["group", "standard_error", "passes_from", "passes_with"]
    ]


def best_with_epsilons(
    measured: pd.DataFrame, passing: pd.DataFrame, epsilon: float, flat_lines: bool = False
) -> pd.DataFrame:
    """The rows of best_by_area with passes_from and passes_with of smallest_epsilons, all among the same algorithms.

    measured: rows of by_group at the point and epsilon. passing: of passing_epsilons there. Algorithms without an exact
    law, for which no epsilon is sought, are left out of both; where no algorithm has one, of neither. Columns passes
    and by_flat_line: whether the area passes at epsilon, and whether only a line without slope would, both by the same
    frame as far as that reaches.
    """
    missing = set(not_sought(passing))
    names = [name for name in passing["mechanism"].unique() if name not in missing]
    best = best_by_area(measured, names or passing["mechanism"].unique(), flat_lines)
    known = passing[passing["mechanism"].isin(names)]
    if known.empty or not EPSILONS[0] <= epsilon <= EPSILONS[1]:
        sloped, any_line = (passing_rows(best, flat) for flat in (False, True))
    else:
        sloped, any_line = (
            best["group"].isin(known.loc[passes(known, epsilon, flat), "group"]) for flat in (False, True)
        )
    smallest = smallest_epsilons(passing if known.empty else known, flat_lines).drop(columns="standard_error")
    return best.assign(passes=any_line if flat_lines else sloped, by_flat_line=any_line & ~sloped).merge(
        smallest, on="group", validate="one_to_one"
    )


def areas_passing(passing: pd.DataFrame, epsilon: float, flat_lines: bool = False) -> int:
    """The number of areas that pass at this epsilon with at least one of the algorithms. passing: as for passes."""
    return int(passing.loc[passes(passing, epsilon, flat_lines), "group"].nunique())


def half_passes_from(passing: pd.DataFrame, flat_lines: bool = False) -> float:
    """The smallest epsilon at which at least half of the areas that were sought pass; infinite where it is never so."""
    known = passing["flat_from"].notna()
    half = ceil(passing.loc[known, "group"].nunique() / 2)
    starts = passing["flat_from" if flat_lines else "passes_from"].tolist()
    starts += [high for gaps in passing["gaps"] for _, high in gaps]
    candidates = sorted({start for start in starts if start < inf})
    return next((e for e in candidates if areas_passing(passing, e, flat_lines) >= half), inf) if half else inf


def not_sought(passing: pd.DataFrame) -> list[str]:
    """The algorithms for which no epsilon was sought in an area that has a sampling error: they have no exact law."""
    usable = passing[passing["standard_error"] > 0]
    return usable.loc[usable["flat_from"].isna(), "mechanism"].drop_duplicates().tolist()


def _of_batch(
    batch: Sequence[tuple[Any, Dataset]], mechanisms: Sequence[Mechanism], budget: Budget
) -> list[tuple[Any, ...]]:
    """The rows of some areas."""
    with one_thread():
        return [
            (label, mechanism.name, float(ols(data, budget)[1][0]), *_row(data, mechanism, budget))
            for label, data in batch
            for mechanism in mechanisms
        ]


def _row(data: Dataset, mechanism: Mechanism, budget: Budget) -> tuple[float, float, tuple[tuple[float, float], ...]]:
    """passes_from, flat_from and gaps."""
    centers, errors = ols(data, budget)
    center, error = float(centers[0]), float(errors[0])
    if not 0 < error < inf:
        return nan, nan, ()
    alone = mechanism.first_point_alone(Budget(1.0, budget.at))
    chance = mechanism.chance_within(data, alone.at, center - error, center + error)
    if chance(alone.epsilon) is None:
        return nan, nan, ()

    @cache
    def spends(log_epsilon: float) -> Budget | None:
        """The budget that the algorithm is called with; None where the rule leaves it out."""
        tried = replace(budget, epsilon=exp(log_epsilon))
        return paid(mechanism, tried) if admitted([mechanism], tried) else None

    @cache
    def chances(log_epsilon: float) -> Chance:
        checkpoint()
        spent = spends(log_epsilon)
        return (chance(mechanism.first_point_alone(spent).epsilon) if spent else None) or Chance(0.0)

    def share(log_epsilon: float) -> float:
        return chances(log_epsilon).inside

    def has_slope(log_epsilon: float) -> bool:
        spent = spends(log_epsilon)
        return spent is not None and not flat_line(mechanism, data, spent.epsilon, chances(log_epsilon).flat)

    ends = _changes(share)
    if not ends:
        return inf, inf, ()
    gaps = tuple(zip(ends[1::2], [*ends[2::2], inf], strict=False))
    starts = ends[::2]
    if has_slope(log(starts[0])):
        return starts[0], starts[0], gaps
    sloped = _first_slope(has_slope, log(starts[0]))
    later = [max(start, sloped) for start, end in zip(starts, [*ends[1::2], inf], strict=False) if end >= sloped]
    return (later[0] if later else inf), starts[0], gaps


def _changes(share: Callable[[float], float]) -> list[float]:
    """Epsilons in ascending order: from the first on it passes, up to the second, again from the third, and so on.

    share: of the releases within one standard error, by log epsilon. Where it falls short by a factor, as a rate, the
    next epsilon looked at is larger by that factor: the rate grows hardly faster than epsilon does.
    """
    changes, at, excess = [], _LEAST, _excess(share(_LEAST))
    if excess >= 0:
        changes.append(EPSILONS[0])
    while at < _MOST and excess < _excess(_SURE):
        before, last = at, excess
        at = min(at + (_ABOVE if excess >= 0 else max(-excess, _BELOW)), _MOST)
        excess = _excess(share(at))
        if (excess >= 0) != (last >= 0):
            changes.append(_between(share, before, at, rising=excess >= 0))
    return changes


def _between(share: Callable[[float], float], low: float, high: float, rising: bool) -> float:
    """The epsilon between two logarithms at which an area begins to pass, or up to which it does; it passes there."""
    root = brentq(lambda at: _excess(share(at)), low, high, xtol=_TOLERANCE / 4, rtol=1e-12)
    sign, last = (1, high) if rising else (-1, low)
    for step in (0.0, *_TOLERANCE * 2.0 ** np.arange(-1, 40)):
        at = root + sign * step
        if sign * (last - at) <= 0:
            break
        if share(at) >= _SHARE:
            return exp(at)
    return exp(last)


def _first_slope(has_slope: Callable[[float], bool], low: float) -> float:
    """The smallest epsilon above this logarithm from which a typical release has a slope, infinite where none has."""
    high = _MOST
    if not has_slope(high):
        return inf
    while high - low > _TOLERANCE:
        middle = (low + high) / 2
        low, high = (low, middle) if has_slope(middle) else (middle, high)
    return exp(high)


def _excess(share: float) -> float:
    """By what factor, in logarithms, the rate of an exponential share is too large; below 0: it is not enough."""
    rate = log1p(-min(share, 1 - 1e-16)) / log1p(-_SHARE)
    return log(min(max(rate, _FARTHEST), 1 / _FARTHEST))
