"""Epsilons at which the noise in each of many areas is no larger than the sampling error, by algorithm."""

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
    """Find the epsilons at which each area passes with each algorithm: its C(68) is at most a standard error.

    They are solved for on exact laws, to 1e-6 from above, so that they are enough. The scan before goes by quarters of
    a decade where an area does not pass and by eighths where it does: shorter stretches can be missed. Counts, minima
    and halves follow from this frame alone: see passes, smallest_epsilons and half_passes_from.

    Parameters
    ----------
    datasets : mapping of label to Dataset
        Records of each area.
    mechanisms : sequence of Mechanism
        Algorithms with different names.
    budget : Budget
        Points, which epsilon pays for together, and what each algorithm may spend; its epsilon is not used.
    workers : int or str
        1, another number of processes, -1 for all cores, or a Dask scheduler's address (tcp://...).
    progress : callable, optional
        progress(number) is called when this number of further areas is done.
    question : str
        Quantity whose C(68) is compared: "prediction", at the first point of the budget; "slope", of a release at 1/4
        and 3/4, which epsilon pays for whatever the budget's points are; "line", for which an area passes where it
        passes at every point of the budget and in the slope, see line_of. Others are a ValueError.

    Returns
    -------
    DataFrame
        One row for each area and algorithm, in this order, with the columns

        group, mechanism
        standard_error
            Of OLS, in units of y, at the point; of the slope; for the line, at the first point.
        passes_from
            Smallest epsilon at which the area passes with a line that has a slope, see Mechanism.slope_kept; infinite
            where no epsilon in EPSILONS is enough, EPSILONS[0] where that is enough already, and NaN where the
            algorithm has no exact law or the area no sampling error.
        passes_to
            Largest epsilon up to which the area passes from there on; as a rule infinite. An algorithm whose own target
            is off OLS can pass in one stretch alone; stretches after the first are not looked for.
    """
    if question not in QUESTIONS:
        raise ValueError(f"question must be one of {', '.join(QUESTIONS)}, got {question!r}")
    areas = list(datasets.items())
    batches = [areas[start : start + BATCH] for start in range(0, len(areas), BATCH)]
    task = partial(_of_batch, mechanisms=tuple(mechanisms), budget=budget, question=question)
    rows = []
    for batch, rows_of_batch in zip(batches, in_order(task, batches, workers), strict=True):
        rows += rows_of_batch
        if progress:
            progress(len(batch))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def sought_mechanisms(
    mechanisms: Sequence[Mechanism], accounting: AccountingLike = PAPER
) -> tuple[Mechanism, ...]:
    """Select the algorithms among which the smallest epsilon of an area is sought, whatever the chosen epsilon.

    They are the candidates of a ranking: those with the strongest guarantee; all private ones where none has that.
    """
    return candidates(mechanisms, Budget(1.0, accounting=accounting))


def passes(passing: pd.DataFrame, epsilon: float) -> pd.Series:
    """Tell whether each row of passing_epsilons passes at this epsilon."""
    return (passing["passes_from"] <= epsilon) & (epsilon <= passing["passes_to"])


def smallest_epsilons(passing: pd.DataFrame) -> pd.DataFrame:
    """Find the smallest epsilon at which each area passes with any of the algorithms, and that algorithm.

    Parameters
    ----------
    passing : DataFrame
        Rows of passing_epsilons for the algorithms in question.

    Returns
    -------
    DataFrame
        Columns group, standard_error, passes_from and passes_with; infinite and empty where no algorithm passes, NaN
        and empty where nothing was sought. Among algorithms with the same epsilon the first is named.
    """
    ordered = passing.sort_values("passes_from", kind="stable")
    first = ordered.drop_duplicates("group").set_index("group")
    first = first.loc[passing["group"].drop_duplicates()].reset_index()
    first["passes_with"] = first["mechanism"].where(np.isfinite(first["passes_from"]), "")
    return first[["group", "standard_error", "passes_from", "passes_with"]]


def best_with_epsilons(
    measured: pd.DataFrame, passing: pd.DataFrame, epsilon: float
) -> pd.DataFrame:
    """Add passes_from and passes_with of smallest_epsilons to the rows of best_by_area, among the same algorithms.

    Algorithms without an exact law, for which no epsilon is sought, are left out of both, unless no algorithm has one.
    Column passes says whether the area passes at epsilon, by ``passing`` as far as that reaches.

    Parameters
    ----------
    measured : DataFrame
        Rows of by_group at the point and epsilon.
    passing : DataFrame
        Rows of passing_epsilons at the point.
    epsilon : float
        Budget of the release in each area.
    """
    missing = set(not_sought(passing))
    names = [name for name in passing["mechanism"].unique() if name not in missing]
    best = best_by_area(measured, names or passing["mechanism"].unique())
    with_law = passing[passing["mechanism"].isin(names)]
    if with_law.empty or not EPSILONS[0] <= epsilon <= EPSILONS[1]:
        best["passes"] = passing_rows(best)
    else:
        best["passes"] = best["group"].isin(with_law.loc[passes(with_law, epsilon), "group"])
    smallest = smallest_epsilons(passing if with_law.empty else with_law).drop(
        columns="standard_error"
    )
    return best.merge(smallest, on="group", validate="one_to_one")


def areas_passing(passing: pd.DataFrame, epsilon: float) -> int:
    """Count the areas that pass at this epsilon with any algorithm in ``passing``, rows of passing_epsilons."""
    return int(passing.loc[passes(passing, epsilon), "group"].nunique())


def half_passes_from(passing: pd.DataFrame) -> float:
    """Return the smallest epsilon at which at least half of the areas that have one sought pass; else infinite."""
    sought = passing["passes_from"].notna()
    half = ceil(passing.loc[sought, "group"].nunique() / 2)
    starts = sorted({start for start in passing["passes_from"] if start < inf})
    enough = (epsilon for epsilon in starts if areas_passing(passing, epsilon) >= half)
    return next(enough, inf) if half else inf


def not_sought(passing: pd.DataFrame) -> list[str]:
    """List the algorithms that lack an exact law in an area with a sampling error: no epsilon was sought for them."""
    usable = passing[passing["standard_error"] > 0]
    return usable.loc[usable["passes_from"].isna(), "mechanism"].drop_duplicates().tolist()


def _of_batch(
    batch: Sequence[tuple[Any, Dataset]],
    mechanisms: Sequence[Mechanism],
    budget: Budget,
    question: Question,
) -> list[tuple[Any, ...]]:
    """Compute the rows of some areas."""
    with one_thread():
        return [
            (label, mechanism.name, *_row(data, mechanism, budget, question))
            for label, data in batch
            for mechanism in mechanisms
        ]


def _row(data: Dataset, mechanism: Mechanism, budget: Budget, question: Question) -> Row:
    """Return standard_error, passes_from and passes_to of an area."""
    if question == "line":
        rows = [
            _row(data, mechanism, point_first, "prediction")
            for point_first in each_point_first(budget)
        ]
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
        """Return the budget spent at this logarithm of epsilon, None if the algorithm is left out, and the chance."""
        checkpoint()
        at_epsilon = replace(budget, epsilon=10**at)
        spent = paid(mechanism, at_epsilon) if admitted([mechanism], at_epsilon) else None
        return spent, (chance(spent) if spent else None) or Chance(0.0)

    def slope(at: float) -> float:
        """Return 1 where a typical release has a slope, else -1."""
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
    """Return copies of the budget, one for each of its points, with this point first."""
    return [
        replace(budget, at=(at, *(point for point in budget.at if point != at))) for at in budget.at
    ]


def line_of(answers: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Combine rows of passing_epsilons to rows of the question "line": an area passes if all its rows pass.

    Parameters
    ----------
    answers : sequence of DataFrame
        Rows for the prediction at each point, each point first, and for the slope.
    """
    numbers = list(COLUMNS[2:])
    rows = _all_of([answer[numbers].to_numpy() for answer in answers])
    return answers[0].assign(**dict(zip(numbers, rows.T, strict=True)))


def _all_of(rows: ArrayLike) -> Floats:
    """Combine rows (the last axis is of `Row`): a combined row passes where all rows along the first axis pass."""
    numbers = np.asarray(rows, dtype=float)
    first, last = numbers[..., 1].max(axis=0), numbers[..., 2].min(axis=0)  # NaN where any is
    return np.stack([numbers[0, ..., 0], np.where(first > last, inf, first), last], axis=-1)


def _excess(share: float) -> float:
    """Return the decades by which the rate of an exponential share is above the rate of 68%; below 0 if too low."""
    return decades(log1p(-min(share, 1 - 1e-16)) / log1p(-_SHARE))
