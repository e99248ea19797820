"""Families of data sets: axes in the user's units, groups in the unit square, and the sample data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats
from ..dataset import Dataset
from .groups import group_faults

SAMPLE_FOLDER = Path(__file__).parents[2] / "sample_data"
ONE_GROUP = "all"  # the label of the only group where the data have no group column


@dataclass(frozen=True)
class Axis:
    """A quantity in the user's units and its public bounds, which are mapped to 0 and 1.

    The bounds must not be read off private data. ValueError unless they are finite, lower < upper and
    upper - lower does not overflow, and the name is not blank.
    """

    name: str
    unit: str = ""
    lower: float = 0.0
    upper: float = 1.0

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("name of an axis must not be blank")
        _validate.ordered(lower=self.lower, upper=self.upper)
        _validate.positive(scale=self.scale)

    @property
    def scale(self) -> float:
        """upper - lower: what 1 in the unit square is in the user's units."""
        return float(self.upper) - float(self.lower)

    @property
    def label(self) -> str:
        """The name with the unit in brackets: "temperature (°C)"."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def to_unit(self, values: ArrayLike) -> Floats:
        """(values - lower) / scale, same shape; values beyond the bounds land outside [0, 1]."""
        with np.errstate(over="ignore"):
            return np.asarray((np.asarray(values, dtype=float) - self.lower) / self.scale)

    def from_unit(self, values: ArrayLike) -> Floats:
        """lower + scale values, same shape: the inverse of to_unit."""
        return np.asarray(self.lower + self.scale * np.asarray(values, dtype=float))


UNIT_X = Axis("x")
UNIT_Y = Axis("y")


@dataclass(frozen=True, eq=False)
class Family:
    """One or more groups of records on common axes.

    frame: columns group (str), x, y with x and y in [0, 1]; kept as a copy. clipped_x, clipped_y: how many
    values were moved to a bound to get there. reproducible: whether the data can be had again from a name
    alone (samples, UCI), which an upload cannot. about: one or two sentences with the source.
    ValueError where a column is missing, there are no rows, or a value is outside [0, 1].
    """

    name: str
    about: str
    x: Axis
    y: Axis
    frame: pd.DataFrame
    clipped_x: int = 0
    clipped_y: int = 0
    reproducible: bool = False

    def __post_init__(self) -> None:
        missing = [column for column in ("group", "x", "y") if column not in self.frame]
        if missing:
            raise ValueError(f"frame of {self.name!r} must have the columns group, x and y; missing {missing}")
        if self.frame.empty:
            raise ValueError(f"frame of {self.name!r} must have at least one row")
        frame = self.frame[["group", "x", "y"]].reset_index(drop=True)
        frame = frame.astype({"group": "str", "x": float, "y": float})
        for column in ("x", "y"):
            if not frame[column].between(0, 1).all():
                raise ValueError(f"{column} of {self.name!r} must lie in [0, 1]")
        object.__setattr__(self, "frame", frame)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The group labels, in order of appearance."""
        return tuple(str(group) for group in self.frame["group"].unique())

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of records of each group, in order of appearance."""
        return {str(group): int(n) for group, n in self.frame.groupby("group", sort=False).size().items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all groups and records: the key under which results for this family are kept."""
        digest = hashlib.sha256("\x1f".join(self.frame["group"]).encode())
        digest.update(np.ascontiguousarray(self.frame[["x", "y"]].to_numpy()).tobytes())
        return digest.hexdigest()

    @cached_property
    def unusable(self) -> dict[str, str]:
        """The groups that dataset() refuses, with the reason."""
        return group_faults(*(self.frame[column].to_numpy() for column in ("group", "x", "y")))

    @property
    def usable(self) -> tuple[str, ...]:
        """The labels of the other groups, in order of appearance."""
        return tuple(group for group in self.groups if group not in self.unusable)

    @cached_property
    def _rows(self) -> dict[str, np.ndarray]:
        return {str(group): rows for group, rows in self.frame.groupby("group", sort=False).indices.items()}

    def dataset(self, group: str | None = None) -> Dataset:
        """The records of one group; None is the first usable one.

        ValueError where the group does not exist or is unusable.
        """
        if group is None:
            group = next(iter(self.usable), self.groups[0])
        if group not in self.sizes:
            raise ValueError(f"group must be one of {_some(self.groups)}, got {group!r}")
        if group in self.unusable:
            raise ValueError(f"group {group!r} cannot be used: {self.unusable[group]}")
        rows = self.frame.iloc[self._rows[group]]
        return Dataset(rows["x"].to_numpy(), rows["y"].to_numpy())


def _some(labels: tuple[str, ...], show: int = 8) -> str:
    """The labels as text, the middle left out where there are many."""
    quoted = [repr(label) for label in labels]
    if len(quoted) <= show:
        return ", ".join(quoted)
    return f"{', '.join(quoted[: show - 1])}, ... {quoted[-1]} ({len(quoted)} in all)"


def build_family(
    name: str,
    about: str,
    x: Axis,
    y: Axis,
    group: ArrayLike,
    x_values: ArrayLike,
    y_values: ArrayLike,
    *,
    reproducible: bool,
) -> Family:
    """A family from values in the user's units: rescaled by the axes' bounds, clipped to [0, 1] and counted.

    group, x_values, y_values: one entry per record; the values are finite.
    """
    unit = {"x": x.to_unit(x_values), "y": y.to_unit(y_values)}
    clipped = {column: int(np.sum((values < 0) | (values > 1))) for column, values in unit.items()}
    inside = {column: np.clip(values, 0, 1) for column, values in unit.items()}
    frame = pd.DataFrame({"group": group, **inside})
    return Family(name, about, x, y, frame, clipped["x"], clipped["y"], reproducible)


@dataclass(frozen=True)
class Sample:
    """A CSV of sample_data: which of its columns are x, y and the group, and the public bounds."""

    key: str
    title: str
    file: str
    x_column: str
    x: Axis
    y_column: str
    y: Axis
    group_column: str | None
    about: str


SAMPLES = (
    Sample(
        key="linear",
        title="Homes: floor area and electricity",
        file="linear.csv",
        x_column="floor_area_m2",
        x=Axis("floor area", "m²", 20, 220),
        y_column="electricity_kwh",
        y=Axis("electricity per year", "kWh", 0, 10_000),
        group_column=None,
        about="Simulated: 250 homes, a straight line with moderate noise. Made by sample_data/make.py.",
    ),
    Sample(
        key="tracts",
        title="Small areas: parents' and children's income rank",
        file="tracts.csv",
        x_column="parent_rank",
        x=Axis("parent income rank"),
        y_column="child_rank",
        y=Axis("child income rank"),
        group_column="tract",
        about="Simulated: 40 census-tract-like groups of 30 to 150 people with ranks rounded up to two "
        "decimals, in the manner of the Opportunity Atlas. Made by sample_data/make.py.",
    ),
    Sample(
        key="bikes",
        title="Shared bikes: temperature and rides",
        file="bikes.csv",
        x_column="temperature_c",
        x=Axis("temperature", "°C", -8, 39),
        y_column="rides",
        y=Axis("rides per hour", "", 0, 1000),
        group_column="month_hour",
        about="Simulated: 24 groups (month and hour of the day) of 45 to 62 hours each, from nearly noiseless to "
        "very noisy, in the manner of a bike-share log. Made by sample_data/make.py.",
    ),
)


def load_sample(key: str) -> Family:
    """The family of one entry of SAMPLES, read from sample_data; ValueError where no entry has the key."""
    sample = next((sample for sample in SAMPLES if sample.key == key), None)
    if sample is None:
        raise ValueError(f"key must be one of {_some(tuple(s.key for s in SAMPLES))}, got {key!r}")
    table = pd.read_csv(SAMPLE_FOLDER / sample.file, dtype="str")
    group = np.full(len(table), ONE_GROUP) if sample.group_column is None else table[sample.group_column]
    x_values, y_values = (
        table[column].to_numpy(dtype=object).astype(float) for column in (sample.x_column, sample.y_column)
    )
    return build_family(sample.title, sample.about, sample.x, sample.y, group, x_values, y_values, reproducible=True)
