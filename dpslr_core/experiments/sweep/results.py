"""What a sweep has measured: a frame, and how sure the difference of two of its curves is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np
import pandas as pd

from ...support.run import Z95
from ...support.types import Floats

COLUMNS = (
    "parameter", "value", "mechanism", "mean", "monte_carlo_error", "low", "high", "median", "infinite_share",
    "datasets", "exact",
)  # fmt: skip
BatchKey = tuple[float, int, int]


@dataclass(frozen=True, eq=False)
class SweepBatch:
    """What was measured at one value on some data sets: a part of a sweep.

    ratios: of dtype RATIO, shape (data sets, mechanisms). averaged: whether there are other data sets to average
    over. Batches depend on the arguments of the sweep other than values, datasets and workers; ``key`` tells those of
    one sweep apart.
    """

    parameter: str
    value: float
    first: int
    names: tuple[str, ...]
    ratios: np.ndarray
    averaged: bool

    @property
    def key(self) -> BatchKey:
        """The value, the number of the first data set, and how many there are."""
        return self.value, self.first, len(self.ratios)

    def rows(self) -> list[tuple[object, ...]]:
        """The rows of COLUMNS, one per mechanism."""
        return [
            (self.parameter, self.value, name, *self._numbers(ratios), bool(ratios["exact"].all()))
            for name, ratios in zip(self.names, self.ratios.T, strict=True)
        ]

    def _numbers(self, ratios: np.ndarray) -> tuple[float, ...]:
        """mean to datasets, of the ratios of one mechanism."""
        values, low, high = ratios["ratio"], ratios["low"][0], ratios["high"][0]
        infinite, mean = float(np.isinf(values).mean()), float(np.mean(values))
        error = _error(values) if self.averaged else (high - low) / (2 * Z95) if infinite == 0 else np.nan
        if self.averaged:
            low, high = mean - Z95 * error, mean + Z95 * error
        if infinite:
            low = high = np.inf
        return mean, error, low, high, float(np.median(values)), infinite, values.size

    def difference_error(self, first: str, second: str) -> float:
        """The standard error of the difference of two means, over the same data sets; inf where it is not known.

        ValueError where one of the mechanisms was not measured.
        """
        a, b = (self.ratios[:, self.names.index(name)] for name in (first, second))
        if not (np.isfinite(a["ratio"]) & np.isfinite(b["ratio"])).all():
            return np.inf
        if not self.averaged:
            first_width, second_width = (one["high"][0] - one["low"][0] for one in (a, b))
            return math.hypot(first_width, second_width) / (2 * Z95)
        return _error(a["ratio"] - b["ratio"]) if len(a) > 1 else np.inf


def _error(numbers: Floats) -> float:
    """The standard error of a mean of independent numbers; NaN of one alone, or where one is infinite."""
    known = numbers.size > 1 and np.isfinite(numbers).all()
    return float(np.std(numbers, ddof=1) / np.sqrt(numbers.size)) if known else np.nan


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep, or the part of it that has been measured. batches: one per value, in order of the values."""

    batches: tuple[SweepBatch, ...]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The frame that sweep returns."""
        return pd.DataFrame([row for batch in self.batches for row in batch.rows()], columns=list(COLUMNS))

    @property
    def parameter(self) -> str:
        """What varies."""
        return self.batches[0].parameter

    def at(self, value: float) -> SweepBatch:
        """What was measured at one of the values."""
        return next(batch for batch in self.batches if batch.value == value)

    def difference_errors(self, first: str, second: str) -> dict[float, float]:
        """By value the standard error of the difference of two mechanisms' means, paired over the data sets.

        inf where it is not known. ValueError names a mechanism that was not measured.
        """
        for name in (first, second):
            if any(name not in batch.names for batch in self.batches):
                raise ValueError(f"mechanism must be in the sweep, got {name!r}")
        return {batch.value: batch.difference_error(first, second) for batch in self.batches}


def combine(batches: Iterable[SweepBatch]) -> Sweep:
    """The sweep that batches of it, in any order, make.

    ValueError where the batches are of different sweeps, or hold a data set twice.
    """
    ordered = sorted(batches, key=lambda batch: (batch.value, batch.first))
    if len({(batch.parameter, batch.names) for batch in ordered}) > 1:
        raise ValueError("batches must be of one sweep, got different parameters or mechanisms")
    return Sweep(tuple(_joined(list(same)) for _, same in groupby(ordered, key=lambda batch: batch.value)))


def _joined(batches: list[SweepBatch]) -> SweepBatch:
    """The batches of one value as one, their data sets in order."""
    for batch, after in pairwise(batches):
        if after.first < batch.first + len(batch.ratios):
            raise ValueError(f"batches must not share data sets, got data set {after.first} twice at {batch.value:g}")
    return replace(batches[0], ratios=np.concatenate([batch.ratios for batch in batches]))
