"""Thousands of small data sets at once: the same comparison in every group, on one core, many, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..mechanisms.base import Mechanism, different_names
from ..privacy import Budget
from ..privacy.accounting import PAPER, AccountingLike, admitted, guarantee, paid
from ..sources.grouping import REASONS, group_faults
from ..support import validate
from ..support.columns import float_array
from ..support.run import QUARTERS, Run, give_memory_back
from ..support.tables import joined_rows, plain_columns, plain_labels
from ..support.workers import in_order, one_thread
from .comparison import summary_rows
from .errors import measure

# Most groups, and records in them, handed to a worker at a time: about half a second.
BATCH, BATCH_RECORDS = 64, 5_000
AREA_TRIALS = 100  # trials per area without a law, where thousands of areas are measured
FLAT = 0.1  # share of the slope below which a line counts as flat
COLUMNS = (
    "group", "n", "nvar", "mechanism", "at", "c68", "c68_low", "c68_high", "c95", "standard_error", "ratio", "bias",
    "failure_rate", "exact", "guarantee", "flat",
)  # fmt: skip


@dataclass(frozen=True)
class Groups:
    """Usable groups as data sets, sorted by label, and the rejected ones as rows group, n, reason."""

    datasets: Mapping[Any, Dataset]
    rejected: pd.DataFrame


def split_groups(groups: pd.DataFrame) -> Groups:
    """Split a frame with the columns group, x, y (in the unit square) into the data sets of its groups.

    The order of the rows does not matter: the records of each group are put in order of x, then y, so that random draws
    do not depend on how a file lists them. A group with fewer than 3 records, a missing value, x or y out of bounds, or
    constant x is rejected with its reason, and so are the rows without a label. Labels that look alike are one group,
    see one_name.

    Raises
    ------
    TypeError
        Where groups is no frame.
    ValueError
        Where a column is missing or there twice, x or y hold something else than numbers, or labels cannot be sorted.
    """
    if not isinstance(groups, pd.DataFrame):
        raise TypeError(f"groups must be a pandas DataFrame, got {validate.given(groups)}")
    groups = plain_columns(groups, "groups", ("group", "x", "y"))
    missing = [column for column in ("group", "x", "y") if column not in groups]
    if missing:
        raise ValueError(f"groups must have the columns group, x and y; missing {missing}")
    # A missing value is NaN; adding 0 makes -0.0 and 0.0 sort alike.
    x, y = (float_array(groups[name], name, missing_as_nan=True) + 0.0 for name in ("x", "y"))
    try:
        named = plain_labels(groups["group"])
        named = named.mask(named.astype("str").str.strip() == "")
        code, distinct = pd.factorize(named, sort=True)  # -1 where there is no label
    except TypeError:
        raise ValueError(
            "group must hold labels of one kind, such as text or numbers, that can be sorted"
        ) from None
    labels = distinct.tolist()
    order = np.lexsort((y, x, code))
    edges = np.searchsorted(code[order], np.arange(-1, len(labels) + 1))
    datasets: dict[Any, Dataset] = {}
    faults, rejected = group_faults(code, x, y) | {-1: REASONS["unlabelled"]}, []
    for number, label in enumerate([None, *labels], -1):
        rows = order[edges[number + 1] : edges[number + 2]]
        if number not in faults:
            datasets[label] = Dataset(x[rows], y[rows])
        elif rows.size:
            rejected.append({"group": label, "n": rows.size, "reason": faults[number]})
    return Groups(datasets, pd.DataFrame(rejected, columns=["group", "n", "reason"]))


def by_group(
    groups: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: ArrayLike = QUARTERS,
    trials: int = 100,
    seed: int = 0,
    workers: int | str = 1,
    progress: Callable[[int, int], None] | None = None,
    *,
    accounting: AccountingLike = PAPER,
) -> pd.DataFrame:
    """Compare algorithms in every group: one row of errors per group, mechanism and point, sorted by group.

    The numbers are the same bit for bit whatever the workers and whatever the order of the rows, and equal to those
    that compare gives for the data sets of split_groups (apart from MaximumObservedSensitivity, whose noise here is
    scaled by all groups together). Each record is in one group, so that the whole release costs epsilon (parallel
    composition), provided that the groups' labels and sizes are public and fixed. Draws from a seed illustrate and may
    not be published as a release; the numbers are computed from the true data and are not private.

    Parameters
    ----------
    groups : DataFrame
        Columns group, x, y, one row per record, x and y in the unit square.
    mechanisms : sequence of Mechanism
        Algorithms to compare, with different names.
    epsilon : float
        Total budget of a release at all points in one group; above 0.
    at : float or array, shape (m,)
        Points to predict at, in the unit square.
    trials : int
        Number of draws where a mechanism has no law, 1 or more.
    seed : int
        Seed of the draws, 0 or more.
    workers : int or str
        1, another number of processes, -1 for all cores, or a Dask scheduler's address (tcp://...).
    progress : callable, optional
        progress(done, all), in groups, is called as batches of groups arrive.
    accounting : AccountingLike
        What each algorithm may spend, as in compare.

    Returns
    -------
    DataFrame
        Columns COLUMNS; errors in units of y, ratio in standard errors. ``attrs["rejected"]`` lists the groups that
        cannot be used, see split_groups.

    Raises
    ------
    ValueError, TypeError
        Names an argument that is out of range, or of a wrong type.

    Examples
    --------
    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> groups = pd.DataFrame({"group": [*"aaabbb"], "x": [0, 0.5, 1] * 2, "y": [0.2, 0.5, 0.6, 0.1, 0.2, 0.3]})
    >>> errors = by_group(groups, [NoisyIntercept()], epsilon=1.0, at=0.5)
    >>> errors["group"].tolist(), errors["c68"].round(2).tolist()
    (['a', 'b'], [0.38, 0.38])
    """
    mechanisms = different_names(mechanisms)
    split = split_groups(groups)
    rejected, areas, done, frames = split.rejected.to_dict("records"), len(split.datasets), 0, []
    budget, run = Budget(epsilon, at, accounting), Run(trials, seed, workers)
    measured = measured_groups(split.datasets, mechanisms, budget, run)
    del split  # the records of a batch are let go once it is measured
    for frame_of_batch in measured:
        frames.append(frame_of_batch)
        done += frame_of_batch["group"].nunique()
        if progress:
            progress(done, areas)
    frame = joined_rows(frames, COLUMNS)
    frame.attrs["rejected"] = rejected
    return frame


def measured_groups(
    datasets: Mapping[Any, Dataset],
    mechanisms: Sequence[Mechanism],
    budget: Budget,
    run: Run,
    done: Collection[Any] = (),
    first_point_only: bool = False,
) -> Generator[pd.DataFrame, None, None]:
    """Yield the frames of by_group, a batch of groups at a time, in order; closing the iterator stops the workers.

    Parameters
    ----------
    datasets : mapping of label to Dataset
        Records of each group. The iterator lets go of a batch once it is measured.
    mechanisms : sequence of Mechanism
        Algorithms with different names; those that the budget's accounting leaves out have no rows.
    budget : Budget
        Epsilon and the points of every release.
    run : Run
        Trials where there is no law, seed and workers.
    done : collection
        Labels of groups that were measured before. They still inform the mechanisms that look at all groups, so that
        the numbers are the same as in an uninterrupted run.
    first_point_only : bool
        Whether only rows of budget.at[0] are computed, which costs less; the numbers are the same where laws are exact.

    Raises
    ------
    ValueError
        Where two mechanisms share a name or the workers cannot be had.
    """
    mechanisms = different_names(mechanisms)
    with one_thread():
        informed = [
            m.informed_by(list(datasets.values()), budget.at) for m in admitted(mechanisms, budget)
        ]
    finished = set(done)
    remaining = {label: data for label, data in datasets.items() if label not in finished}
    task = partial(
        _measure_batch,
        mechanisms=informed,
        budget=budget,
        run=run,
        first_point_only=first_point_only,
    )
    batches = list(_batches(remaining, run.workers))
    del datasets, remaining
    for number, frame in enumerate(in_order(task, batches, run.workers)):
        batches[number].clear()
        give_memory_back()
        yield frame


def flat_line(mechanism: Mechanism, data: Dataset, epsilon: float, fallback: float) -> bool:
    """Tell whether a typical release is a flat line: in over half of all releases, or by a slope shrunk below FLAT.

    Parameters
    ----------
    epsilon : float
        Budget that the mechanism spends.
    fallback : float
        Share of releases that are flat because the algorithm had no other answer.
    """
    return fallback > 0.5 or mechanism.slope_kept(data, epsilon) < FLAT


def passing_rows(measured: pd.DataFrame) -> pd.Series:
    """Tell whether each row of by_group passes: an error below the sampling error, by a line that has a slope."""
    below = (measured["standard_error"] > 0) & (measured["ratio"] < 1)
    return below & ~measured["flat"].astype(bool)


def shares_below(measured: pd.DataFrame) -> pd.DataFrame:
    """Compute the share of the areas in which an algorithm passes, by mechanism and point.

    Source: the criterion of Section "Error Metric".

    Parameters
    ----------
    measured : DataFrame
        Rows of by_group.

    Returns
    -------
    DataFrame
        Columns mechanism, at, areas_below (number of areas that pass), areas, below (their share), median_ratio,
        failure_rate (the mean), flat (number of areas with a flat line), in the order of measured. Areas whose standard
        error is 0 have no sampling error to compare with: they count in failure_rate alone.
    """
    usable = measured["standard_error"] > 0
    areas = measured.assign(
        ratio=measured["ratio"].where(usable), flat=measured["flat"].astype(bool) & usable
    )
    areas["below"] = passing_rows(measured).astype(float).where(areas["ratio"].notna())
    groups = areas.groupby(["mechanism", "at"], sort=False, observed=True)
    counts = groups.agg(
        areas_below=("below", "sum"),
        areas=("below", "count"),
        below=("below", "mean"),
        median_ratio=("ratio", "median"),
        failure_rate=("failure_rate", "mean"),
        flat=("flat", "sum"),
    )
    return counts.astype({"areas_below": int, "flat": int}).reset_index()


def best_by_area(measured: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Choose for each area the row of the algorithm with the smallest C(68), sorted by standard error, then label.

    A flat line is the best of an area only where there is no other. Where no algorithm answers often enough, C(68) is
    infinite.

    Parameters
    ----------
    measured : DataFrame
        Rows of by_group at one point.
    names : collection of str
        Algorithms to choose from.
    """
    rows = measured[measured["mechanism"].isin(list(names))]
    best = (
        rows.assign(last=rows["flat"].astype(bool))
        .sort_values(["last", "c68"], kind="stable")
        .drop_duplicates("group")
    )
    best = best.drop(columns="last")
    return best.sort_values(["standard_error", "group"], kind="stable", ignore_index=True)


Batch = list[tuple[Any, Dataset]]


def _batches(datasets: Mapping[Any, Dataset], workers: int | str) -> Iterator[Batch]:
    """Yield the groups in short batches, at least four for each worker even where the groups are few."""
    counted = isinstance(workers, int) and workers > 0
    most = min(BATCH, max(1, len(datasets) // (4 * int(workers) if counted else 32)))
    batch: Batch = []
    for label, data in datasets.items():
        batch.append((label, data))
        if (
            len(batch) == most
            or sum(data_in_batch.n for _, data_in_batch in batch) >= BATCH_RECORDS
        ):
            yield batch
            batch = []
    if batch:
        yield batch


def _measure_batch(
    batch: Batch, mechanisms: Sequence[Mechanism], budget: Budget, run: Run, first_point_only: bool
) -> pd.DataFrame:
    """Measure the groups of a batch, as one frame."""
    shown = Budget(budget.epsilon, budget.at[:1]) if first_point_only else budget
    rows: list[list[dict[str, object]]] = [[] for _ in batch]  # of each area
    with one_thread():
        for mechanism in mechanisms:
            promised, spent = str(guarantee(mechanism, budget)), paid(mechanism, budget)
            measured_budget = mechanism.first_point_alone(spent) if first_point_only else spent
            errors = measure(
                [data for _, data in batch], mechanism, measured_budget, run, parts=False
            )
            for of_area, (label, data), errors_of_area in zip(rows, batch, errors, strict=True):
                flat = flat_line(mechanism, data, spent.epsilon, errors_of_area[0].fallback)
                same = {
                    "group": label,
                    "n": data.n,
                    "nvar": data.nvar,
                    "guarantee": promised,
                    "flat": flat,
                }
                of_area += [
                    same | row
                    for row in summary_rows(data, mechanism, shown, errors_of_area[: len(shown.at)])
                ]
    give_memory_back()
    return pd.DataFrame([row for of_area in rows for row in of_area], columns=list(COLUMNS))
