"""The epsilons at which the noise in each of many areas is no larger than the sampling error, by algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import ceil, inf, log, log1p, nan
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..experiments.areas import best_by_area, flat_line, passing_rows
from ..experiments.errors import ols
from ..experiments.ranking import candidates
from ..mechanisms.base import Chance, Mechanism
from ..privacy import Budget
from ..privacy.accounting import PAPER, AccountingLike, admitted, paid
from ..support.run import QUARTERS, checkpoint
from ..support.types import Floats
from ..support.workers import in_order, one_thread
from .required_values import EPSILONS, LOG_EPSILONS, decades, ends_of_passing

Question = Literal["prediction", "slope", "line"]  # what is published
QUESTIONS: tuple[Question, ...] = ("prediction", "slope", "line")
Row = tuple[float, float, float]  # of COLUMNS, from standard_error on
COLUMNS = ("group", "mechanism", "standard_error", "passes_from", "passes_to")
BATCH = 4  # areas handed to a worker at a time
_TOLERANCE = 1e-6 / log(10)  # of an end between passing and not: relative, 1e-6
_SHARE = 0.68 - 1e-12  # of the releases, within one standard error; but for rounding
_SURE = 0.95  # a share of the releases from which on no larger epsilon is looked at


def passing_epsilons(
    datasets: Mapping[Any, Dataset],
    mechanisms: Sequence[Mechanism],
    budget: Budget,
    workers: int | str = 1,
    progress: Callable[[int], object] | None = None,
    question: Question = "prediction",
) -> pd.DataFrame:
    """The epsilons at which each area passes with each algorithm: its C(68) is at most a standard error.

    datasets: the areas by label.
    mechanisms: the algorithms, with different names.
    budget: the points, which epsilon pays for together, and what each algorithm may spend; its epsilon is not used.
    workers: 1, another number of processes, -1 for all cores, or a Dask scheduler's address (tcp://...).
    progress: progress(number) is called as this number of areas more arrive.
    question: what C(68) is of: "prediction", at the first point of the budget; "slope", of a release at 1/4 and 3/4,
    which epsilon pays for whatever the budget's points are; "line": an area passes where it passes at every point of
    the budget and in the slope, see line_of.

    One row for each area and algorithm, in this order:
    group, mechanism
    standard_error: of OLS, in units of y: at the point, or of the slope; of the line, at the first point.
    passes_from: the smallest epsilon at which the area passes with a line that has a slope, see Mechanism.slope_kept.
    passes_to: the largest up to which it passes from there on; as a rule infinite. Of other stretches nothing is told:
    an algorithm whose own target is off OLS can pass for one alone.

    passes_from is infinite where no epsilon in EPSILONS is enough, EPSILONS[0] where that is enough already, and NaN
    where the algorithm has no exact law or the area no sampling error. They are solved for on exact laws, to 1e-6
    from above, so that they are enough. The scan before goes by quarters of a decade where an area does not pass and by
    eighths where it does: shorter stretches can be missed. Counts, minima and halves follow from this frame alone: see
    passes, smallest_epsilons and half_passes_from. ValueError where the question is none of these.
    """
    if question not in QUESTIONS:
        raise ValueError(f"question must be one of {', '.join(QUESTIONS)}, got {question!r}")
    areas = list(datasets.items())
    batches = [areas[start : start + BATCH] for start in range(0, len(areas), BATCH)]
    task = partial(_of_batch, mechanisms=tuple(mechanisms), budget=budget, question=question)
    rows = []
    for batch, part in zip(batches, in_order(task, batches, workers), strict=True):
        rows += part
        if progress:
            progress(len(batch))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def sought_mechanisms(
    mechanisms: Sequence[Mechanism], accounting: AccountingLike = PAPER
) -> tuple[Mechanism, ...]:
    """The algorithms among which the smallest epsilon of an area is sought, whatever epsilon is chosen elsewhere.

    The candidates of a ranking: those with the strongest guarantee; all private ones where none has that.
    """
    return candidates(mechanisms, Budget(1.0, accounting=accounting))


def passes(passing: pd.DataFrame, epsilon: float) -> pd.Series:
    """Whether each row of passing_epsilons passes at this epsilon."""
    return (passing["passes_from"] <= epsilon) & (epsilon <= passing["passes_to"])


def smallest_epsilons(passing: pd.DataFrame) -> pd.DataFrame:
    """The smallest epsilon at which each area passes with any of the algorithms, and with which of them.

    passing: of passing_epsilons, with the rows of the algorithms in question. Columns group, standard_error,
    passes_from and passes_with: the epsilon infinite and the name empty where none does, NaN and empty where nothing
    was sought. Of algorithms with the same epsilon the first.
    """
    ordered = passing.sort_values("passes_from", kind="stable")
    first = ordered.drop_duplicates("group").set_index("group")
    first = first.loc[passing["group"].drop_duplicates()].reset_index()
    first["passes_with"] = first["mechanism"].where(np.isfinite(first["passes_from"]), "")
    return first[["group", "standard_error", "passes_from", "passes_with"]]


def best_with_epsilons(
    measured: pd.DataFrame, passing: pd.DataFrame, epsilon: float
) -> pd.DataFrame:
    """The rows of best_by_area with passes_from and passes_with of smallest_epsilons, all among the same algorithms.

    measured: rows of by_group at the point and epsilon. passing: of passing_epsilons there. Algorithms without an exact
    law, for which no epsilon is sought, are left out of both; where no algorithm has one, of neither. Column
    passes: whether the area passes at epsilon, by the same frame as far as that reaches.
    """
    missing = set(not_sought(passing))
    names = [name for name in passing["mechanism"].unique() if name not in missing]
    best = best_by_area(measured, names or passing["mechanism"].unique())
    known = passing[passing["mechanism"].isin(names)]
    if known.empty or not EPSILONS[0] <= epsilon <= EPSILONS[1]:
        best["passes"] = passing_rows(best)
    else:
        best["passes"] = best["group"].isin(known.loc[passes(known, epsilon), "group"])
    smallest = smallest_epsilons(passing if known.empty else known).drop(columns="standard_error")
    return best.merge(smallest, on="group", validate="one_to_one")


def areas_passing(passing: pd.DataFrame, epsilon: float) -> int:
    """The number of areas that pass at this epsilon with at least one of the algorithms. passing: as for passes."""
    return int(passing.loc[passes(passing, epsilon), "group"].nunique())


def half_passes_from(passing: pd.DataFrame) -> float:
    """The smallest epsilon at which at least half of the areas that were sought pass; infinite where it is never so."""
    known = passing["passes_from"].notna()
    half = ceil(passing.loc[known, "group"].nunique() / 2)
    starts = sorted({start for start in passing["passes_from"] if start < inf})
    enough = (epsilon for epsilon in starts if areas_passing(passing, epsilon) >= half)
    return next(enough, inf) if half else inf


def not_sought(passing: pd.DataFrame) -> list[str]:
    """The algorithms for which no epsilon was sought in an area that has a sampling error: they have no exact law."""
    usable = passing[passing["standard_error"] > 0]
    return usable.loc[usable["passes_from"].isna(), "mechanism"].drop_duplicates().tolist()


def _of_batch(
    batch: Sequence[tuple[Any, Dataset]],
    mechanisms: Sequence[Mechanism],
    budget: Budget,
    question: Question,
) -> list[tuple[Any, ...]]:
    """The rows of some areas."""
    with one_thread():
        return [
            (label, mechanism.name, *_row(data, mechanism, budget, question))
            for label, data in batch
            for mechanism in mechanisms
        ]


def _row(data: Dataset, mechanism: Mechanism, budget: Budget, question: Question) -> Row:
    """Return standard_error, passes_from and passes_to of an area."""
    if question == "line":
        rows = [_row(data, mechanism, each, "prediction") for each in each_point_first(budget)]
        error, first, last = _all_of([*rows, _row(data, mechanism, budget, "slope")]).tolist()
        return error, first, last
    of_slope = question == "slope"
    if of_slope:
        center, error, budget = data.slope, data.slope_standard_error, replace(budget, at=QUARTERS)
    else:
        center, error = (float(numbers[0]) for numbers in ols(data, budget))
    if not 0 < error < inf:
        return error, nan, nan
    ends = center - error, center + error
    if of_slope:
        within = mechanism.slope_within(data, *ends)
    else:
        within = mechanism.chance_within(data, mechanism.first_point_alone(budget).at, *ends)

    def chance(spent: Budget) -> Chance | None:
        return within(spent.epsilon if of_slope else mechanism.first_point_alone(spent).epsilon)

    if chance(replace(budget, epsilon=1.0)) is None:
        return error, nan, nan

    @cache
    def tried(at: float) -> tuple[Budget | None, Chance]:
        """The budget that is spent at this logarithm of epsilon, None where the algorithm is left out; its chance."""
        checkpoint()
        asked = replace(budget, epsilon=10**at)
        spent = paid(mechanism, asked) if admitted([mechanism], asked) else None
        return spent, (chance(spent) if spent else None) or Chance(0.0)

    def slope(at: float) -> float:
        """1 where a typical release has a slope, else -1."""
        spent, inside = tried(at)
        return (
            -1.0 if spent is None or flat_line(mechanism, data, spent.epsilon, inside.flat) else 1.0
        )

    scan = ends_of_passing(
        lambda at: _excess(tried(at)[1].inside), *LOG_EPSILONS, _TOLERANCE, enough=_excess(_SURE)
    )
    ends_found = list(scan)
    if not ends_found:
        return error, inf, inf
    sloped = next(
        ends_of_passing(slope, ends_found[0], LOG_EPSILONS[1], _TOLERANCE, lambda _: inf), inf
    )
    stretches = list(zip(ends_found[::2], [*ends_found[1::2], inf], strict=False))
    start, end = next((stretch for stretch in stretches if stretch[1] >= sloped), stretches[0])
    return error, 10 ** max(start, sloped) if end >= sloped else inf, 10**end


def each_point_first(budget: Budget) -> list[Budget]:
    """Return the budget once for each of its points, with this point first."""
    return [
        replace(budget, at=(at, *(point for point in budget.at if point != at))) for at in budget.at
    ]


def line_of(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of the question "line" from those of its parts.

    Parameters
    ----------
    parts : sequence of DataFrame
        Rows of `passing_epsilons` for the prediction at each point, each point first, and for the slope.
    """
    numbers = list(COLUMNS[2:])
    rows = _all_of([part[numbers].to_numpy() for part in parts])
    return parts[0].assign(**dict(zip(numbers, rows.T, strict=True)))


def _all_of(rows: ArrayLike) -> Floats:
    """Return rows (the last axis is of `Row`) that pass where the rows of all parts (the first axis) pass."""
    parts = np.asarray(rows, dtype=float)
    first, last = parts[..., 1].max(axis=0), parts[..., 2].min(axis=0)  # NaN where any is
    return np.stack([parts[0, ..., 0], np.where(first > last, inf, first), last], axis=-1)


def _excess(share: float) -> float:
    """Decades by which the rate of an exponential share is larger than that of 68%; below 0 it is not enough."""
    return decades(log1p(-min(share, 1 - 1e-16)) / log1p(-_SHARE))
