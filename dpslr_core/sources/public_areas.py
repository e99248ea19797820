"""Public numbers of areas, in a table with a row for each area, and records simulated from these numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..support import validate
from ..support.run import stream
from ..support.tables import plain_labels
from .axis import Axis
from .columns import Table
from .linear import X_SHAPES, LinearModel
from .numbers import Style
from .tables import labels_of, no_column, numbers_of
from .totals import refuse_total

# Arguments of LinearModel that are guessed, by area or for all areas.
GUESSES = ("var_x", "var_e", "slope", "intercept", "x_mean", "x_shape")
# Columns of a table with guesses, in the units of the data, and the argument of LinearModel that each column gives.
COLUMNS = {
    "x_mean": "x_mean",
    "x_sd": "var_x",
    "x_shape": "x_shape",
    "sigma_e": "var_e",
    "slope": "slope",
}
NEEDED = "A public file of areas needs a column of their names and one of their numbers of records."


def read_sizes(
    table: Table, group: str, sizes: str, name: str, style: Style | None = None
) -> pd.DataFrame:
    """Return the areas of a public table with their numbers of records: columns group and n.

    Parameters
    ----------
    table : Table
        Table with a row for each area.
    group, sizes : str
        Columns of the areas' labels and of their numbers of records.
    name : str
        Name of the file, for messages.
    style : Style, optional
        How numbers are written; None: as in the file's other columns.

    Raises
    ------
    ValueError
        Names what is wrong with the table, and the area.
    """
    if not table.readable:
        raise ValueError(" ".join(problem.message for problem in table.problems))
    for column in (group, sizes):
        if column not in table.names:
            raise ValueError(f"{name}: {no_column(column, table)} {NEEDED}")
    refuse_total(table, name)
    read, labels = numbers_of(table, sizes, style), labels_of(table, group)
    whole = np.isfinite(read.values) & (read.values == np.rint(read.values)) & (read.values >= 0)
    if not whole.all():
        row = int(np.argmin(whole))
        raise ValueError(
            f"column {sizes!r} of {name} must hold the whole number of records of every area, "
            f"got {str(table.column(sizes).iloc[row])!r} for {labels.iloc[row]!r}"
        )
    if (wrong := labels.eq("") | labels.duplicated()).any():
        raise ValueError(
            f"each area must have a name and stand once in {name}, got {labels[wrong].iloc[0]!r}"
        )
    return pd.DataFrame({"group": labels.to_numpy(), "n": read.values.astype(int)})


def read_guesses(
    table: Table, x: Axis, y: Axis, common: Mapping[str, Any], style: Style | None = None
) -> dict[str, Any]:
    """Return guesses of a public table, completed by common guesses, in the unit square.

    Parameters
    ----------
    table : Table
        Table as for `read_sizes`; its columns `COLUMNS` hold guesses in the units of the data.
    x, y : Axis
        Quantities, with their units and public bounds.
    common : mapping
        Guesses in the unit square for areas without their own: `GUESSES`, of which var_x and var_e may be missing.
    style : Style, optional
        Style in which the numbers are written.

    Returns
    -------
    dict
        By name of the guess, a value for all areas or a tuple with a value for each.

    Raises
    ------
    ValueError
        Names a guess that is missing or cannot be.
    """
    guesses: dict[str, Any] = dict(common)
    for column in [column for column in COLUMNS if column in table.names]:
        name, own = COLUMNS[column], _own(table, column, x, y, style)
        missing = [value is None for value in own]
        if any(missing) and name not in common:
            area = table.rows[missing.index(True)]
            raise ValueError(
                f"column {column!r} has no number in row {area}, and no guess for all areas "
                "stands in"
            )
        guesses[name] = tuple(common[name] if value is None else value for value in own)
    if isinstance(guesses["slope"], tuple):
        # Lines of different slopes have the common line's height at the mean of x.
        steeper = np.array(guesses["slope"]) - common["slope"]
        guesses["intercept"] = tuple(
            (common["intercept"] - steeper * np.array(guesses["x_mean"])).tolist()
        )
    return guesses


def _own(table: Table, column: str, x: Axis, y: Axis, style: Style | None) -> list[Any]:
    """Return a column of guesses in the unit square, None where a cell is empty."""
    if column == "x_shape":
        texts = table.column(column).astype("str").where(table.column(column).notna(), "")
        for text in filter(None, texts):
            validate.one_of(X_SHAPES, x_shape=text)
        return [text or None for text in texts]
    read = numbers_of(table, column, style)
    if any(problem.severity == "error" for problem in read.problems):
        raise ValueError(" ".join(problem.message for problem in read.problems))
    values = read.values
    scaled = {
        "x_mean": x.to_unit(values),
        "x_sd": (values / x.scale) ** 2,
        "sigma_e": (values / y.scale) ** 2,
        "slope": values * x.scale / y.scale,
    }[column]
    return [None if np.isnan(value) else value for value in scaled.tolist()]


def guessed_areas(sizes: pd.DataFrame, model: LinearModel, seed: int = 0) -> pd.DataFrame:
    """Simulate records in areas of which only public numbers are known: columns group, x, y, as `decide` takes them.

    A decision on these areas has looked at no record.

    Parameters
    ----------
    sizes : DataFrame
        Columns group and n, a row for each area, and any of `GUESSES` that differ between areas.
    model : LinearModel
        Guesses for the other areas, in the unit square; its n is not used.
    seed : int
        Seed, 0 or more. An area's records depend on its label, its guesses and the seed alone.

    Raises
    ------
    ValueError
        If a column is missing; if an area occurs twice, n is no whole number from 3 on, or LinearModel refuses a guess.
        Names the columns, or the area.

    Examples
    --------
    >>> sizes = pd.DataFrame({"group": ["a", "b"], "n": [40, 90], "var_e": [0.01, 0.02]})
    >>> guessed_areas(sizes, LinearModel(n=3, var_x=0.02, var_e=0.01)).groupby("group").size().to_dict()
    {'a': 40, 'b': 90}
    """
    if not {"group", "n"} <= {*sizes.columns}:
        there = ", ".join(map(str, sizes.columns))
        raise ValueError(f"a public table of areas needs the columns group and n, got {there}")
    sizes = sizes.assign(group=plain_labels(sizes["group"]))
    if (twice := sizes["group"].duplicated()).any():
        area = sizes["group"][twice].iloc[0]
        raise ValueError(f"sizes must have one row for each area, got {area!r} more than once")
    frames = []
    for row in sizes[["group", "n", *sizes.columns.intersection(GUESSES)]].to_dict("records"):
        label, n = str(row.pop("group")), row.pop("n")
        try:
            if validate.number("n", n) % 1:
                raise ValueError(f"n must be a whole number, got {n}")
            data = replace(model, n=int(n), **row).simulate(stream(seed, "guessed area", label))
        except (TypeError, ValueError) as error:
            raise ValueError(f"area {label!r}: {error}") from error
        frames.append(pd.DataFrame({"group": label, "x": data.x, "y": data.y}))
    return pd.concat(frames, ignore_index=True)
