"""Data sets in groups: records in the unit square with axes in the user's units, and groups without a regression."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..dataset import ROUNDING, Dataset
from ..support.readable import one_name
from ..support.run import QUARTERS
from ..support.tables import plain_labels
from ..support.types import Floats
from .axis import Axis

SMALLEST = 3  # records that a line and its standard error need
REASONS = {
    "unlabelled": "no group label",
    "small": "fewer than 3 records",
    "missing": "a missing or infinite value",
    "outside": "x or y outside [0, 1]",
    "constant": "x is constant",
}


def group_faults(labels: ArrayLike | pd.Series, x: Floats, y: Floats) -> dict[Any, str]:
    """Return the groups that allow no regression, in order of appearance, with the reason.

    Parameters
    ----------
    labels : array_like or Series, shape (n,)
        Group label of each record.
    x, y : array of float, shape (n,)
        Records in the unit square.
    """
    # A Series is kept: in an array each text would be an object of its own.
    code, groups = pd.factorize(labels if isinstance(labels, pd.Series) else np.asarray(labels))
    labelled = code >= 0
    x, y = np.asarray(x), np.asarray(y)
    if not labelled.all():
        code, x, y = code[labelled], x[labelled], y[labelled]
    low, high = np.full(groups.size, np.inf), np.full(groups.size, -np.inf)

    def any_record(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell for each group whether any of its records has the flag."""
        return np.bincount(code, flags, groups.size) > 0

    with np.errstate(invalid="ignore"):  # a missing value; infinity minus infinity
        np.minimum.at(low, code, x)
        np.maximum.at(high, code, x)
        tests = {
            "small": np.bincount(code, minlength=groups.size) < SMALLEST,
            "missing": any_record(~(np.isfinite(x) & np.isfinite(y))),
            "outside": any_record((x < 0) | (x > 1) | (y < 0) | (y > 1)),
            "constant": high - low <= ROUNDING,
        }
    reasons = np.select(list(tests.values()), [REASONS[name] for name in tests], "")
    return {
        label: reason
        for label, reason in zip(groups.tolist(), reasons.tolist(), strict=True)
        if reason
    }


# ---------------------------------------------------------------- grouped data

_SHOWN = 8  # labels that a message repeats
ONE_GROUP = "all"  # the label of the only group where the data have no group column


@dataclass(frozen=True, eq=False)
class GroupedData:
    """Groups of records on common axes.

    Parameters
    ----------
    name, about : str
        Name of the data, and a sentence or two with their source.
    x, y : Axis
        Quantities with their units and public bounds.
    frame : DataFrame
        Columns group (str), x, y with x and y in [0, 1]; held as a copy.
    clipped_x, clipped_y : int
        Numbers of values that were moved to a bound.
    reproducible : bool
        Whether a name alone gives the data again (samples, UCI), as with no upload.
    left_out : int
        Number of rows of the file that are no records.
    left_out_with_group : int
        Number of these rows in groups that cannot be used; the other rows have no number in x or y, or no label.
    rows : mapping of str to int
        Number of rows of each label in the file, see `public_sizes`; empty where every row is a record.
    rows_per_person : int
        Most records of any person; 0 where nothing tells people apart.
    usual_at : tuple of float
        Public points of the unit square for predictions, where nobody chooses others.

    Raises
    ------
    ValueError
        If a column is missing, there are no rows, or a value is outside [0, 1].
    """

    name: str
    about: str
    x: Axis
    y: Axis
    frame: pd.DataFrame
    clipped_x: int = 0
    clipped_y: int = 0
    reproducible: bool = False
    left_out: int = 0
    left_out_with_group: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    rows_per_person: int = 0
    usual_at: tuple[float, ...] = QUARTERS

    def __post_init__(self) -> None:
        if self.frame.empty:
            raise ValueError(f"frame of {self.name!r} must have at least one row")
        frame = self.frame[["group", "x", "y"]].reset_index(drop=True)
        frame = frame.astype({"group": "str", "x": float, "y": float})
        frame["group"] = plain_labels(frame["group"])
        for column in ("x", "y"):
            if not frame[column].between(0, 1).all():
                raise ValueError(f"{column} of {self.name!r} must lie in [0, 1]")
        object.__setattr__(self, "frame", frame)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of records of each group, in order of appearance."""
        return {
            str(group): int(n)
            for group, n in self.frame.groupby("group", sort=False).size().items()
        }

    @property
    def public_sizes(self) -> dict[str, int]:
        """Number of rows of each label, whatever their values, also of groups that cannot be used.

        Replacing records leaves these numbers unchanged. The numbers in `sizes` depend on which rows can be used.
        """
        return dict(self.rows) or self.sizes

    @property
    def groups(self) -> tuple[str, ...]:
        """Group labels, in order of appearance."""
        return tuple(self.sizes)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all groups and records: the key under which results for these data are cached."""
        digest = hashlib.sha256(json.dumps(self.frame["group"].to_list()).encode())
        digest.update(np.ascontiguousarray(self.frame[["x", "y"]].to_numpy()).tobytes())
        return digest.hexdigest()

    @cached_property
    def unusable(self) -> dict[str, str]:
        """Groups that `dataset` refuses, with the reason."""
        return group_faults(
            self.frame["group"], *(self.frame[column].to_numpy() for column in ("x", "y"))
        )

    @property
    def usable(self) -> tuple[str, ...]:
        """Labels of the groups that `dataset` accepts, in order of appearance."""
        return tuple(group for group in self.groups if group not in self.unusable)

    @cached_property
    def _rows(self) -> dict[str, np.ndarray]:
        return {
            str(group): rows
            for group, rows in self.frame.groupby("group", sort=False).indices.items()
        }

    def dataset(self, group: str | None = None) -> Dataset:
        """Return the records of a group in the unit square; of the first usable group for None.

        ValueError where the group does not exist or is unusable.
        """
        group = next(iter(self.usable), self.groups[0]) if group is None else one_name(group)
        if group not in self.sizes:
            quoted = [repr(label) for label in self.groups]
            if len(quoted) > _SHOWN:
                quoted = [*quoted[: _SHOWN - 1], f"... {quoted[-1]} ({len(quoted)} in all)"]
            raise ValueError(f"group must be one of {', '.join(quoted)}, got {group!r}")
        if group in self.unusable:
            raise ValueError(f"group {group!r} cannot be used: {self.unusable[group]}")
        rows = self.frame.iloc[self._rows[group]]
        return Dataset(rows["x"].to_numpy(), rows["y"].to_numpy())
