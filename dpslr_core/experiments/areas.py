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

BATCH, BATCH_RECORDS = (
    64,
    5_000,
)  # groups, and records in them, handed to a worker at a time: about half a second
AREA_TRIALS = 100  # trials per area for the algorithms without a law, where thousands of areas are to be measured
FLAT = 0.1  # the share of the slope below which a line counts as flat
COLUMNS = (
    "group", "n", "nvar", "mechanism", "at", "c68", "c68_low", "c68_high", "c95", "standard_error", "ratio", "bias",
    "failure_rate", "exact", "guarantee", "flat",
)  # fmt: skip


@dataclass(frozen=True)
class Groups:
    """The usable groups as data sets, sorted by label, and the others with the reason: group, n, reason."""

    datasets: Mapping[Any, Dataset]
    rejected: pd.DataFrame


def split_groups(groups: pd.DataFrame) -> Groups:
    """The data sets in a frame with columns group, x, y (in the unit square), in any order of rows.

    The records of each group are put in order of x, then y: a group is a set of records, so that random draws
    must not depend on the order in which a file lists them. A group with fewer than 3 records, a missing value,
    x or y out of bounds, or constant x is set aside with its reason, and so are the rows without a label.
    Labels that look alike are one group, see one_name. TypeError where groups is no frame; ValueError where a column is
    missing or there twice, x or y hold something else than numbers, or labels cannot be sorted.
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
    """compare's summary for every group: one row per group, mechanism and point, sorted by group.

    groups: columns group, x, y, one row per record, x and y in the unit square.
    mechanisms: those to compare, with different names.
    epsilon: the total budget of a release at all points in one group; above 0.
    at: the points to predict at, in the unit square, shape (m,).
    trials: the number of draws where a mechanism has no law, 1 or more.
    seed: 0 or more.
    workers: 1, another number of processes, -1 for all cores, or a Dask scheduler's address (tcp://...).
    progress: progress(done, all) is called as batches of groups arrive.
    accounting: what each algorithm may spend, as in compare.

    The numbers are the same bit for bit whatever the workers and whatever the order of the rows, and those of compare
    on the data sets of split_groups (apart from MaximumObservedSensitivity, whose noise here is scaled by all groups
    together). Each record is in one group, so that the whole release costs epsilon (parallel composition), provided
    that the groups' labels and sizes are public and fixed. Draws from a seed illustrate and may not be published as a
    release; the numbers are computed from the true data and are not private. Groups that cannot be used are listed in
    ``attrs["rejected"]``, see split_groups. ValueError names a bad argument, TypeError one of a wrong type.

    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> groups = pd.DataFrame({"group": [*"aaabbb"], "x": [0, 0.5, 1] * 2, "y": [0.2, 0.5, 0.6, 0.1, 0.2, 0.3]})
    >>> errors = by_group(groups, [NoisyIntercept()], epsilon=1.0, at=0.5)
    >>> errors["group"].tolist(), errors["c68"].round(2).tolist()
    (['a', 'b'], [0.38, 0.38])
    """
    mechanisms = different_names(mechanisms)
    split = split_groups(groups)
    rejected, areas, done, parts = split.rejected.to_dict("records"), len(split.datasets), 0, []
    budget, run = Budget(epsilon, at, accounting), Run(trials, seed, workers)
    measured = measured_groups(split.datasets, mechanisms, budget, run)
    del split  # the records of a batch are let go once it is measured
    for part in measured:
        parts.append(part)
        done += part["group"].nunique()
        if progress:
            progress(done, areas)
    frame = joined_rows(parts, COLUMNS)
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
    """The frames of by_group, a batch of groups at a time, in order; closing the iterator stops the workers.

    datasets: the records by label.
    mechanisms: those to compare, with different names; those that the budget's accounting leaves out have no rows.
    budget: epsilon and the points of every release.
    run: trials where there is no law, seed and workers.
    done: labels of groups that were measured before; they still inform the mechanisms that look at all groups, so
    that the others' numbers are those of one uninterrupted run. The iterator lets go of a batch once it is measured.
    first_point_only: the rows of budget.at[0] alone, which costs less; the same numbers where laws are exact, other
    draws where there is none.

    ValueError where two mechanisms share a name or the workers cannot be had.
    """
    mechanisms = different_names(mechanisms)
    with one_thread():
        informed = [
            m.informed_by(list(datasets.values()), budget.at) for m in admitted(mechanisms, budget)
        ]
    finished = set(done)
    left = {label: data for label, data in datasets.items() if label not in finished}
    task = partial(
        _measure_batch,
        mechanisms=informed,
        budget=budget,
        run=run,
        first_point_only=first_point_only,
    )
    batches = list(_batches(left, run.workers))
    del datasets, left
    for number, frame in enumerate(in_order(task, batches, run.workers)):
        batches[number].clear()
        give_memory_back()
        yield frame


def flat_line(mechanism: Mechanism, data: Dataset, epsilon: float, fallback: float) -> bool:
    """Whether a typical release is a flat line: every one, more than half of them, or the slope is shrunk to FLAT.

    epsilon: what is spent. fallback: the share of releases that are flat for want of another answer.
    """
    return fallback > 0.5 or mechanism.slope_kept(data, epsilon) < FLAT


def passing_rows(measured: pd.DataFrame) -> pd.Series:
    """Whether each row of by_group passes: its error is below the sampling error, by a line that has a slope."""
    below = (measured["standard_error"] > 0) & (measured["ratio"] < 1)
    return below & ~measured["flat"].astype(bool)


def shares_below(measured: pd.DataFrame) -> pd.DataFrame:
    """The share of the areas in which an algorithm passes, by mechanism and point.

    measured: rows of by_group. Columns mechanism, at, areas_below
    (how many areas pass), areas, below (their share), median_ratio, failure_rate (the mean), flat (in how many areas
    the line is flat), in the order of measured. Areas whose standard error is 0 have no sampling error to compare
    with: they count in failure_rate alone. Source: the criterion of Section "Error Metric".
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
    """The row of each area's algorithm with the smallest C(68) among these names; by standard error, then label.

    measured: rows of by_group at one point. Where none of them answers often enough, C(68) is infinite. A flat line is
    the best of an area only where there is no other.
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
    """The groups in batches that are short, and at least four for each worker even where the groups are few."""
    known = isinstance(workers, int) and workers > 0
    most = min(BATCH, max(1, len(datasets) // (4 * int(workers) if known else 32)))
    batch: Batch = []
    for label, data in datasets.items():
        batch.append((label, data))
        if len(batch) == most or sum(each.n for _, each in batch) >= BATCH_RECORDS:
            yield batch
            batch = []
    if batch:
        yield batch


def _measure_batch(
    batch: Batch, mechanisms: Sequence[Mechanism], budget: Budget, run: Run, first_point_only: bool
) -> pd.DataFrame:
    """The rows of some groups, as one frame."""
    shown = Budget(budget.epsilon, budget.at[:1]) if first_point_only else budget
    rows: list[list[dict[str, object]]] = [[] for _ in batch]  # of each area
    with one_thread():
        for mechanism in mechanisms:
            promised, spent = str(guarantee(mechanism, budget)), paid(mechanism, budget)
            asked = mechanism.first_point_alone(spent) if first_point_only else spent
            errors = measure([data for _, data in batch], mechanism, asked, run, parts=False)
            for of_area, (label, data), each in zip(rows, batch, errors, strict=True):
                flat = flat_line(mechanism, data, spent.epsilon, each[0].fallback)
                same = {
                    "group": label,
                    "n": data.n,
                    "nvar": data.nvar,
                    "guarantee": promised,
                    "flat": flat,
                }
                of_area += [
                    same | row
                    for row in summary_rows(data, mechanism, shown, each[: len(shown.at)])
                ]
    give_memory_back()
    return pd.DataFrame([row for of_area in rows for row in of_area], columns=list(COLUMNS))
