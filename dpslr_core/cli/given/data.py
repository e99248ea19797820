"""What a command works on: columns of a file, or a scenario as the app saves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from pydantic import ValidationError

from ...mechanisms import algorithms
from ...mechanisms.base import Mechanism
from ...scenario import Scenario, mechanism_named, parse_hyperparameter
from ...sources.axis import Axis
from ...sources.choices import UploadedFile
from ...sources.files.csv_table import Table
from ...sources.files.numbers import DECIMALS, Style
from ...sources.files.reading import numbers_of, written_as
from ...sources.files.typed import parse_points, read_number
from ...sources.grouping import GroupedData
from ...sources.transforms import LOGARITHM, Transform, read_reference_table, read_transform
from ...support.csv_safe import visible
from ...text.view import View, shown_group
from ..ends import Refused
from ..files import read_file

IN_UNITS_OF_Y = ["center", "c68", "c68_low", "c68_high", "c95", "gap", "noise", "standard_error", "bias"]
_OF_SOURCE = ("x", "y", "x_bounds", "y_bounds", "x_transform", "y_transform", "numbers", "group")
_OF_SCENARIO = ("epsilon", "accounting", "records_per_person", "trials", "seed", "also_k")


class Units(NamedTuple):
    """The units of the data: the axes, and each point of the unit square as it was given."""

    x: Axis
    y: Axis
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Input:
    """The view that the options name, its points in the units of x as they were given, the groups left out."""

    view: View[Scenario]
    points: tuple[float, ...]
    rejected: pd.DataFrame

    @property
    def units(self) -> Units:
        """In which results are told."""
        return Units(self.view.x, self.view.y, tuple(zip(self.view.scenario.at, self.points, strict=True)))


def read_input(
    file: Path | None, options: Mapping[str, Any], group: str | None = None, most_trials: int | None = None
) -> Input:
    """The data and the scenario of a command. ValueError names the option that is missing or cannot be.

    file: the table. options: by their names; those not given are None or empty. group: the column of the areas.
    most_trials: of a scenario, where --trials does not say it.
    """
    if options["scenario"] is not None:
        scenario, grouped, rejected = _of_scenario(file, options, group)
    else:
        scenario, grouped, rejected = _of_columns(file, options, group)
    if most_trials is not None and options["trials"] is None:
        scenario = changed(scenario, trials=min(scenario.trials, most_trials))
    points = points_of(options, grouped.x.numbers)
    if points:
        scenario = changed(scenario, at=tuple(float(point) for point in grouped.x.to_unit(points)))
    label = shown_group(scenario.group, grouped)
    view = View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)
    return Input(view, points or tuple(float(p) for p in grouped.x.from_unit(scenario.at)), rejected)


def points_of(options: Mapping[str, Any], style: Style = "point") -> tuple[float, ...]:
    """The numbers of --at, given one by one or in lists; style: how x is written. ValueError names what is none."""
    return tuple(point for text in options["at"] for point in parse_points(text, "points", style))


def looked_at(given: Input, text: str | None) -> float:
    """The point to look at, in the unit square: the first or that of --look-at, ValueError where it is none of them."""
    if text is None:
        return given.view.scenario.at[0]
    wanted = read_number(text, given.view.x.numbers)
    near = [isclose(point, wanted, rel_tol=1e-9) for point in given.points]
    if not any(near):
        raise ValueError(f"--look-at must be one of the points {given.points}, got {wanted}")
    return given.view.scenario.at[near.index(True)]


def read_scenario(path: Path) -> Scenario:
    """The scenario in a JSON file. ValueError names what cannot be, and the file where it is no JSON."""
    try:
        return Scenario.model_validate_json(path.read_text(encoding="utf-8"))
    except OverflowError:
        raise ValueError(f"{path} holds a number that is too large to compute with") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} holds no scenario: it is no text in UTF-8") from None
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise ValueError(f"{path} holds no scenario: {first['msg']}") from None
        raise


def changed(scenario: Scenario, **values: Any) -> Scenario:
    """The scenario with other values, checked like any other's."""
    return scenario.model_copy(update=values)


def with_options(scenario: Scenario, options: Mapping[str, Any]) -> Scenario:
    """The scenario with what the options say in place of its own."""
    given = {name: options[name] for name in _OF_SCENARIO if options.get(name) is not None}
    if options["algorithms"] or options["chosen"]:
        given["mechanisms"] = mechanisms_of(options["algorithms"], options["chosen"], scenario.mechanisms)
    return changed(scenario, **given) if given else scenario


def _of_scenario(
    file: Path | None, options: Mapping[str, Any], group: str | None
) -> tuple[Scenario, GroupedData, pd.DataFrame]:
    """The scenario of --scenario and its data."""
    given = [name for name in _OF_SOURCE if (group if name == "group" else options.get(name)) not in (None, ())]
    if given:
        raise ValueError(f"--{given[0].replace('_', '-')} cannot stand beside --scenario, which says it")
    scenario = with_options(read_scenario(options["scenario"]), options)
    source = scenario.source
    if not isinstance(source, UploadedFile):
        if file is not None:
            raise ValueError(f"FILE cannot stand beside a scenario with the source {source.kind!r}, got {str(file)!r}")
        return scenario, source.load(), pd.DataFrame(columns=["group", "n", "reason"])
    if file is None:
        raise ValueError("FILE must be given: the scenario is one of an uploaded file, which is not in it")
    grouped, rejected = _built(read_file(file), source, file.name)
    return scenario, grouped, rejected


def _of_columns(
    file: Path | None, options: Mapping[str, Any], group: str | None
) -> tuple[Scenario, GroupedData, pd.DataFrame]:
    """The scenario that the options say, and the data in the columns of the file."""
    if file is None:
        raise ValueError("FILE with --x and --y must be given, or --scenario FILE.json")
    for name in ("x", "y", "epsilon"):
        if options[name] is None:
            raise ValueError(f"--{name} must be given with FILE, unless --scenario says it")
    table = read_file(file)
    transforms = {which: transform_of(options[f"{which}_transform"]) for which in ("x", "y")}
    bounds = {which: _bounds(which, table, options, transforms[which]) for which in ("x", "y")}
    source = UploadedFile(
        x_column=options["x"], y_column=options["y"], group_column=group or "", x_bounds=bounds["x"],
        y_bounds=bounds["y"], x_numbers=options["numbers"], y_numbers=options["numbers"],
        x_transform=transforms["x"], y_transform=transforms["y"],
    )  # fmt: skip
    grouped, rejected = _built(table, source, file.name)
    scenario = Scenario(source=source, mechanisms=tuple(algorithm() for algorithm in algorithms()))
    return with_options(scenario, options), grouped, rejected


def _built(table: Table, source: UploadedFile, name: str) -> tuple[GroupedData, pd.DataFrame]:
    """The grouped data in a table and the groups that cannot be used; warnings are told, errors refused."""
    built = source.built(table, name)
    problems = dict.fromkeys((*table.problems, *built.problems))
    for problem in problems:
        if problem.severity == "warning":
            click.echo(f"Note: {visible(problem.message)}", err=True)
    if built.grouped is None:
        said = [problem.message for problem in problems if problem.severity == "error"]
        if any(problem.of_style for problem in problems):
            said.append(f"The option --numbers {' or --numbers '.join(DECIMALS)} decides it.")
        raise Refused(visible(" ".join(said)))
    return built.grouped, built.rejected


def _bounds(which: str, table: Table, options: Mapping[str, Any], transform: Transform | None) -> tuple[float, float]:
    """The public bounds of a column, 0 and 1 where none are given and it lies there."""
    column, option = options[which], f"--{which}-bounds LO HI"
    if given := options[f"{which}_bounds"]:
        lower, upper = (read_number(text, written_as(table, column, options["numbers"])) for text in given)
        return lower, upper
    if transform is not None:
        raise ValueError(f"{option} must be given with --{which}-transform: the public bounds before the transform")
    if table.frame is not None and column in table.frame:
        read = numbers_of(table, column, options["numbers"])
        if any(problem.of_style for problem in read.problems):
            return 0.0, 1.0  # what cannot be read is refused with its own sentence
        values = read.values
        outside = np.flatnonzero((values < 0) | (values > 1))
        if outside.size:
            first, row = values[outside[0]], table.frame.index[outside[0]]
            raise ValueError(
                f"{option} must be given, the public bounds of {column!r}: {outside.size:,} of its values lie outside "
                f"[0, 1], the first in row {row}, {first:.6g}"
            )
    return 0.0, 1.0


def transform_of(text: str | None) -> Transform | None:
    """What --x-transform says: log10, or a file with a reference table. ValueError otherwise."""
    if text is None or text == LOGARITHM:
        return read_transform(text)
    path = Path(text)
    if not path.is_file():
        raise ValueError(f"a transform must be {LOGARITHM} or a file with a public table, got {text!r}")
    return read_reference_table(path.read_text(encoding="utf-8-sig"))


def mechanisms_of(
    names: tuple[str, ...], chosen: tuple[str, ...], usual: tuple[Mechanism, ...]
) -> tuple[Mechanism, ...]:
    """The algorithms of --algorithm, or the usual ones, with the hyperparameters of --set."""
    own = {type(mechanism): mechanism for mechanism in usual}
    values: dict[type[Mechanism], dict[str, Any]] = {mechanism_named(name): {} for name in names}
    values = values or {algorithm: {} for algorithm in own}
    for text in chosen:
        name, dot, rest = text.partition(".")
        field, equals, value = rest.partition("=")
        if not (dot and equals):
            raise ValueError(f"--set must look like DPExpTheilSen.k=10, got {text!r}")
        algorithm = mechanism_named(name)
        if algorithm not in values:
            raise ValueError(f"--set {text}: {name} is not among the chosen algorithms")
        values[algorithm][field] = parse_hyperparameter(algorithm, field, value)
    return tuple(_with(own.get(algorithm, algorithm()), given) for algorithm, given in values.items())


def _with(mechanism: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    return replace(mechanism, **values) if values else mechanism


def in_units(frame: pd.DataFrame, units: Units) -> pd.DataFrame:
    """A frame of compare or by_group in the units of the data, its points as they were given."""
    y = units.y
    scaled = {name: frame[name] * y.scale for name in IN_UNITS_OF_Y if name in frame}
    if "center" in frame:
        scaled["center"] = y.from_unit(frame["center"])
    if "nvar" in frame:
        scaled["nvar"] = frame["nvar"] * units.x.scale**2
    return frame.assign(at=frame["at"].map(dict(units.points)), **scaled)
