"""Thousands of small data sets at once: the same comparison in every group, on one core, many, or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from numpy.typing import ArrayLike

from . import _validate
from ._types import Floats
from .dataset import Dataset
from .experiments import different_names, measure
from .mechanisms import Mechanism
from .mechanisms.base import QUARTERS

BATCH = 24  # groups handed to a worker at a time: about a quarter of a second of work
COLUMNS = (
    "group", "n", "nvar", "mechanism", "at", "c68", "c68_low", "c68_high", "c95", "standard_error", "ratio", "bias",
    "failure_rate", "exact", "guarantee",
)  # fmt: skip
REASONS = {
    "small": "fewer than 3 records",
    "missing": "a missing or infinite value",
    "outside": "x or y outside [0, 1]",
    "constant": "all x are equal",
}


@dataclass(frozen=True)
class Groups:
    """The usable groups as data sets, sorted by label, and the others with the reason: group, n, reason."""

    datasets: Mapping[str, Dataset]
    rejected: pd.DataFrame


def split_groups(groups: pd.DataFrame) -> Groups:
    """The data sets in a frame with columns group, x, y (in the unit square), in any order of rows.

    A group with fewer than 3 records, a missing value, x or y out of bounds, or constant x is set aside with its
    reason. Rows without a group label belong to no group and are counted under an empty label. ValueError where a
    column is missing or x or y hold something else than numbers.
    """
    missing = [column for column in ("group", "x", "y") if column not in groups]
    if missing:
        raise ValueError(f"groups must have the columns group, x and y; missing {missing}")
    x, y = (_validate.numbers(**{column: groups[column].to_numpy()}) for column in ("x", "y"))
    labels = groups["group"].astype("str").where(groups["group"].notna(), "")
    datasets: dict[str, Dataset] = {}
    rejected = []
    for label, rows in sorted(labels.groupby(labels).indices.items()):
        reason = "no group label" if label == "" else _fault(x[rows], y[rows])
        if reason:
            rejected.append({"group": label, "n": len(rows), "reason": reason})
        else:
            datasets[str(label)] = Dataset(x[rows], y[rows])
    return Groups(datasets, pd.DataFrame(rejected, columns=["group", "n", "reason"]))


def _fault(x: Floats, y: Floats) -> str | None:
    """Why a group cannot be regressed, or None."""
    if x.size < 3:
        return REASONS["small"]
    both = np.concatenate([x, y])
    if not np.isfinite(both).all():
        return REASONS["missing"]
    if both.min() < 0 or both.max() > 1:
        return REASONS["outside"]
    return REASONS["constant"] if np.ptp(x) == 0 else None


def by_group(
    groups: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: ArrayLike = QUARTERS,
    trials: int = 100,
    seed: int = 0,
    workers: int | str = 1,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """compare's summary for every group: one row per group, mechanism and point, sorted by group.

    groups: columns group, x, y. workers: 1, another number of processes, -1 for all cores, or a Dask scheduler's
    address (tcp://...). The numbers are the same bit for bit whatever the workers, and whatever the order of the
    rows. Each record is in one group, so that the whole release costs epsilon (parallel composition).
    progress(done, all) is called as batches of groups arrive. Groups that cannot be used are listed in
    ``attrs["rejected"]``, see split_groups. ValueError names a bad argument.
    """
    split = split_groups(groups)
    parts = []
    for part in measured_groups(split.datasets, mechanisms, epsilon, at, trials, seed, workers):
        parts.append(part)
        if progress:
            progress(sum(p["group"].nunique() for p in parts), len(split.datasets))
    frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))
    frame.attrs["rejected"] = split.rejected.to_dict("records")
    return frame


def measured_groups(
    datasets: Mapping[str, Dataset],
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: ArrayLike = QUARTERS,
    trials: int = 100,
    seed: int = 0,
    workers: int | str = 1,
) -> Iterator[pd.DataFrame]:
    """The frames of by_group, a batch of groups at a time, in order; what has arrived is not lost."""
    at = _validate.points(at=at)
    _validate.positive(epsilon=epsilon)
    _validate.integer(1, trials=trials)
    _validate.integer(0, seed=seed)
    different_names(mechanisms)
    informed = [mechanism.informed_by(list(datasets.values()), at) for mechanism in mechanisms]
    labels = list(datasets)
    batches = [labels[i : i + BATCH] for i in range(0, len(labels), BATCH)]
    with _backend(workers) as jobs:
        tasks = (
            delayed(_measure_batch)(
                [(label, datasets[label]) for label in batch], informed, float(epsilon), at, int(trials), int(seed)
            )
            for batch in batches
        )
        yield from Parallel(n_jobs=jobs, return_as="generator", batch_size=1, pre_dispatch="4*n_jobs")(tasks)


def _measure_batch(
    batch: Sequence[tuple[str, Dataset]],
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    at: Floats,
    trials: int,
    seed: int,
) -> pd.DataFrame:
    """The rows of some groups, as one frame."""
    rows = [
        {"group": label, "n": data.n, "nvar": data.nvar, "guarantee": str(mechanism.guarantee(epsilon)), **row}
        for label, data in batch
        for mechanism in mechanisms
        for row in measure(data, mechanism, epsilon, at, trials, seed)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _backend(workers: int | str) -> AbstractContextManager[Any]:
    """A context in which joblib runs on so many processes or on the Dask cluster at an address."""
    if isinstance(workers, str):
        return _DaskBackend(workers)
    if not isinstance(workers, (int, np.integer)) or isinstance(workers, bool) or workers == 0 or workers < -1:
        raise ValueError(f"workers must be a number of processes, -1 for all, or tcp://host:port, got {workers!r}")
    return nullcontext(int(workers))


class _DaskBackend:
    """joblib on a Dask scheduler; the connection is closed at the end."""

    def __init__(self, address: str) -> None:
        if "://" not in address:
            raise ValueError(f"workers must be a number of processes, -1 for all, or tcp://host:port, got {address!r}")
        self.address = address

    def __enter__(self) -> int:
        try:
            from distributed import Client
        except ImportError:
            raise ValueError("workers on a Dask cluster need: pip install -r requirements-cluster.txt") from None
        self.client = Client(self.address, timeout=10)
        self.config = parallel_config(backend="dask", client=self.client)
        self.config.__enter__()
        return -1

    def __exit__(self, *error: object) -> None:
        self.config.__exit__(*error)
        self.client.close()
