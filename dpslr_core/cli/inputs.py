"""Options of commands, and the data, the scenario and the guesses that the options name.

Options that set a field of a scenario have its help, and its limits are checked there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce, wraps
from math import isclose
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import click
import numpy as np
import pandas as pd
from pydantic import BaseModel, ValidationError

from ..guidance import private_mechanisms
from ..guidance.recommendation import (
    USUAL_RANGES,
    Recommendation,
    answered,
    data_guesses,
    guessed_scenario,
    sized_question,
)
from ..mechanisms import FILE_VARIABLE, MECHANISMS, algorithms
from ..mechanisms.base import Mechanism
from ..privacy.accounting import PAPER, RULES, Accounting
from ..report.metadata import Metadata, metadata, page_link, public_metadata
from ..scenario import FOR_PERSON, Scenario, mechanism_named, parse_hyperparameter
from ..sources.axis import LOGARITHM, Axis, Rescaling
from ..sources.choices import Bounds, GuessedAreas, Synthetic, UploadedFile
from ..sources.files import read_file
from ..sources.grouping import GroupedData
from ..sources.numbers import DECIMALS, Style, parse_points, read_number, read_whole
from ..sources.public_areas import GUESSES as AREA_GUESSES
from ..sources.public_areas import read_guesses, read_sizes
from ..sources.stored import RepeatedName, check_names
from ..sources.tables import Table, numbers_of, written_as
from ..support.readable import one_name, visible
from ..support.run import QUARTERS
from ..text.data import View, delta_sentence, extrapolation_sentence, persons_sentence, shown_group
from . import Refused

Decorator = Callable[[Any], Any]
Options = Mapping[str, Any]  # by name; an option that was not given is None or empty


class Parsed(click.ParamType):
    """Type of an option whose text is read by `read`; its ValueError is the sentence for the user."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name, self.read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the value of a text; click.BadParameter if it has none."""
        try:
            return self.read(value) if isinstance(value, str) else value
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


class _File(click.Path):
    """Type of a path to a file on a disk: a pipe would wait for whoever writes to it, a device may have no end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of a file; click.BadParameter if there is none."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.is_file():
            self.fail(f"{visible(str(path))} is no file but a pipe or a device.", param, ctx)
        return path


NUMBER, WHOLE, RULE = (
    Parsed("float", read_number),
    Parsed("integer", read_whole),
    Parsed("rule", Accounting.parse),
)
COLUMN = Parsed("text", one_name)
EXISTING = _File(exists=True, dir_okay=False, path_type=Path)
OUT = click.Path(dir_okay=False, path_type=Path)


def _together(*options: Decorator) -> Decorator:
    """Join several options in one decorator, in this order in the help."""
    return lambda command: reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )


FLAGS = {
    "x_column": "x",
    "y_column": "y",
    "group_column": "group",
    "person_column": "person",
    "x_numbers": "numbers",
}
BY_TYPE: dict[Any, dict[str, Any]] = {
    float: {"type": NUMBER},
    int: {"type": WHOLE},
    int | None: {"type": WHOLE},
    str: {"type": COLUMN, "metavar": "COLUMN"},
    Bounds | None: {"nargs": 2, "metavar": "LO HI"},
}


def flag(name: str) -> str:
    """Return the option that sets a field: "--x-bounds" for x_bounds."""
    return f"--{FLAGS.get(name, name.replace('_', '-'))}"


def field_option(model: type[BaseModel], name: str, usual: str = "", **more: Any) -> Decorator:
    """Make the option that sets a field of a scenario or of a source, with the field's help; the field checks limits.

    Parameters
    ----------
    model : type
        Scenario or a source.
    name : str
        Name of the field, and of the command's argument.
    usual : str, optional
        Default that the help names.
    **more
        Settings of the option that do not follow from the type of the field.
    """
    info = model.model_fields[name]
    annotations = (info.annotation, *get_args(info.annotation))
    choices = [
        value
        for annotation in annotations
        if get_origin(annotation) is Literal
        for value in get_args(annotation)
    ]
    settings = {"type": click.Choice(choices)} if choices else BY_TYPE.get(info.annotation, {})
    description = (
        f"{info.description or f'{info.title}.'}{f'  [default: {usual}]' if usual else ''}"
    )
    return click.option(flag(name), name, **({"help": description} | settings | more))


def given(model: type[BaseModel], options: Options) -> dict[str, Any]:
    """Return the fields of a scenario or of a source that options set."""
    return {
        name: options[name] for name in model.model_fields if options.get(name) not in (None, ())
    }


# The data: a file and its columns, or a scenario.

AXES = _together(
    *(
        option
        for axis in ("x", "y")
        for option in (
            field_option(UploadedFile, f"{axis}_column"),
            field_option(UploadedFile, f"{axis}_bounds", "0 1, where all values lie there"),
            field_option(UploadedFile, f"{axis}_transform", type=str, metavar=LOGARITHM),
        )
    )
)
GROUP = field_option(UploadedFile, "group_column")
DATA = _together(
    click.argument("file", type=EXISTING, required=False),
    click.option(
        "--scenario",
        type=EXISTING,
        metavar="FILE.json",
        help='A scenario as the app saves it under "Cite and take away": all settings at once, and the same numbers. '
        "Further options replace its own. One of an uploaded file also takes FILE.",
    ),
    AXES,
    field_option(UploadedFile, "x_most"),
    field_option(UploadedFile, "person_column"),
    field_option(UploadedFile, "x_numbers", "as all columns of FILE together say"),
)
MODEL = _together(
    *(field_option(Synthetic, name) for name in ("n", "var_x", "var_e")),
    *(
        field_option(Synthetic, name, f"{Synthetic.model_fields[name].default}")
        for name in ("slope", "intercept", "x_mean", "x_shape")
    ),
)
GUESSES = _together(
    MODEL,
    click.option(
        "--lower", type=NUMBER, help="Lower end of the range of predictions.  [default: -0.5]"
    ),
    click.option(
        "--upper", type=NUMBER, help="Upper end of the range of predictions.  [default: 1.5]"
    ),
    click.option(
        "--look",
        is_flag=True,
        help="Read the guesses off an uploaded FILE; that choice is not private.",
    ),
)


# The algorithms and the budget that they may spend.


def with_mechanism_file(command: Callable[..., Any]) -> Any:
    """Add the option --mechanisms, whose algorithms are among all others while the command runs."""

    @click.option(
        "--mechanisms",
        type=EXISTING,
        metavar="FILE.py",
        help="A Python file with algorithms of your own. It is run as code: docs/add_an_algorithm.md.  "
        f"[default: ${FILE_VARIABLE}]",
    )
    @wraps(command)
    def with_file(mechanisms: Path | None, **given: Any) -> Any:
        before = {name: os.environ[name] for name in (FILE_VARIABLE,) if name in os.environ}
        try:
            if mechanisms is not None:
                os.environ[FILE_VARIABLE] = str(mechanisms.resolve())
            algorithms()
            return command(**given)
        finally:
            os.environ.pop(FILE_VARIABLE, None)
            os.environ.update(before)

    return with_file


ALGORITHMS = _together(
    with_mechanism_file,
    field_option(Scenario, "epsilon"),
    click.option(
        "--accounting",
        type=RULE,
        metavar=f"[{'|'.join(RULES)}:DELTA]",
        help="What each algorithm may spend: "
        + "; ".join(f"{name}: {rule.explanation.rstrip('.')}" for name, rule in RULES.items())
        + f".  [default: {PAPER}]",
    ),
    click.option(
        "--records-per-person",
        type=click.IntRange(1),
        metavar="K",
        help=f"{FOR_PERSON}  [default: 1]",
    ),
    click.option(
        "--at",
        "points",
        multiple=True,
        metavar="X[,X...]",
        help="Where to predict, in the units of x, as FILE writes them; repeatable.  [default: 1/4 and 3/4 of "
        "the way between the bounds]",
    ),
    click.option(
        "--algorithm",
        "algorithms",
        multiple=True,
        metavar="NAME",
        help=f"An algorithm; repeatable.  [default: all: {', '.join(algorithm.__name__ for algorithm in MECHANISMS)} "
        "and those of --mechanisms; those of the scenario, if one is given]",
    ),
    click.option(
        "--set",
        "chosen",
        multiple=True,
        metavar="NAME.FIELD=VALUE",
        help="A hyperparameter, such as DPExpTheilSen.k=10; repeatable. Lengths along y (lower, upper, theta, start) "
        "count from 0 at the lower bound of y to 1 at the upper.",
    ),
    field_option(Scenario, "also_k"),
)


# The areas, the work and the result.

SIZES = click.option(
    "--sizes",
    type=COLUMN,
    metavar="COLUMN",
    default="n",
    show_default=True,
    help="The column of --areas FILE with each area's number of records.",
)
LOOK_AT = click.option(
    "--look-at",
    metavar="X",
    help="The point of --at that is looked at, in the units of x.  [default: the first]",
)
SAMPLE = click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Look at N areas alone, drawn at random by their labels; "
    "the page does so with 200 where there are more than 300.  [default: all]",
)
SEED = field_option(Scenario, "seed", default=0, show_default=True)
OWN_SEED = field_option(Scenario, "seed", "that of the scenario, or 0")
WORKERS = click.option(
    "--workers", default=-1, show_default=True, help="Processes; -1: one for each core."
)
JSON = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON with all digits; null where a number is infinite or undefined.",
)


def trials_option(usual: int, subject: str) -> Decorator:
    """Make --trials, with a default (`usual`) and a help (`subject`) that depend on the command."""
    description = f"{subject} for algorithms without an exact law.  [default: that of the scenario, or {usual}]"
    return field_option(Scenario, "trials", help=description)


def _remember(context: click.Context, _parameter: click.Parameter, force: bool) -> None:
    context.meta["force"] = force  # read by output.check_out


FORCE = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Overwrite an output that exists already.",
)


def out_option(formats: str, **more: Any) -> Decorator:
    """Make the options --out and --force.

    Parameters
    ----------
    formats : str
        Endings of --out by which the format is chosen, for the help.
    more : dict
        Settings of the option --out.
    """
    file = click.option(
        "--out",
        type=OUT,
        metavar="FILE",
        help=f"Write to this file, by its ending: {formats}.",
        **more,
    )
    return _together(file, FORCE)


# ---------------------------------------------------------------- what the options mean

IN_UNITS_OF_Y = [
    "center",
    "c68",
    "c68_low",
    "c68_high",
    "c95",
    "gap",
    "noise",
    "standard_error",
    "bias",
]
NONE_REJECTED = pd.DataFrame(columns=["group", "n", "reason"])
Loaded = tuple[Scenario, GroupedData, pd.DataFrame]  # the frame: groups that cannot be used


class Input(NamedTuple):
    """The view that the options name, and the groups that are left out.

    Attributes
    ----------
    view : View
        Scenario, data and units.
    typed : dict of float to float
        Number in the units of x, as it was typed, of each point of the unit square.
    rejected : DataFrame
        Groups that are left out, with the reason.
    """

    view: View
    typed: dict[float, float]
    rejected: pd.DataFrame


def read_input(
    file: Path | None,
    options: Options,
    most_trials: int | None = None,
    modelled: bool = False,
) -> Input:
    """Read the data and the scenario of a command: columns of a file, a scenario, or a linear model.

    Parameters
    ----------
    file : Path or None
        The table.
    options : mapping
        Options of the command by name.
    most_trials : int, optional
        Most trials of a scenario, where --trials does not say more.
    modelled : bool, optional
        Whether the options of a linear model can stand in the place of data.

    Raises
    ------
    ValueError
        Names the option that is missing or wrong.
    """
    if options["scenario"] is not None:
        scenario, grouped, rejected = _of_scenario(file, options)
    elif file is None and modelled:
        every = tuple(algorithm() for algorithm in algorithms())
        scenario = with_options(
            Scenario(source=Synthetic(**given(Synthetic, options)), mechanisms=every), options
        )
        grouped, rejected = scenario.source.load(), NONE_REJECTED
    else:
        scenario, grouped, rejected = _of_columns(file, options)
    if most_trials is not None and options["trials"] is None:
        scenario = scenario.model_copy(update={"trials": min(scenario.trials, most_trials)})
    read = _viewed(scenario, grouped, options, rejected)
    view = read.view
    persons = persons_sentence(grouped, scenario.records_per_person, "with --records-per-person")
    beyond = "" if options.get("group_column") else extrapolation_sentence(view)
    large_delta = delta_sentence(scenario.accounting, grouped)
    for note in filter(None, (persons, beyond, large_delta)):
        click.echo(f"Note: {visible(note)}", err=True)
    return read


def _viewed(
    scenario: Scenario, grouped: GroupedData, options: Options, rejected: pd.DataFrame
) -> Input:
    """Return the view of a scenario at the points of --at, or at the scenario's points without --at."""
    points = points_of(options, grouped.x.numbers)
    if points:
        scenario = scenario.model_copy(update={"at": tuple(grouped.x.to_unit(points).tolist())})
    typed = points or tuple(map(grouped.x.nearest, scenario.at))
    label = shown_group(scenario.group, grouped)
    view = View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)
    return Input(view, dict(zip(scenario.at, typed, strict=True)), rejected)


def guessed_input(options: Options) -> Input:
    """Return areas simulated from public numbers: rows of --areas FILE, and guesses common to all areas.

    Raises
    ------
    ValueError
        Names the option that is missing or wrong.
    """
    file, scenario = (
        options["areas"],
        Scenario(mechanisms=tuple(algorithm() for algorithm in algorithms())),
    )
    if options["scenario"] is not None:
        scenario = read_scenario(options["scenario"])
    elif options["epsilon"] is None:
        raise ValueError("--epsilon must be given with --areas, unless --scenario says it")
    planned, style = scenario.source, options["x_numbers"]
    columns = planned if isinstance(planned, UploadedFile) else UploadedFile()
    if options["group_column"] is None:
        raise ValueError("--group must be given with --areas: the column of the areas' names")
    table = read_file(file)
    sizes = read_sizes(table, options["group_column"], options["sizes"], file.name, style)
    x, y = (_public_axis(axis, columns, options) for axis in ("x", "y"))
    common = {name: Synthetic.model_fields[name].default for name in AREA_GUESSES[2:]}
    common |= {name: value for name, value in given(Synthetic, options).items() if name != "n"}
    guesses = read_guesses(table, x, y, common, style)
    for name, column in (("var_x", "x_sd"), ("var_e", "sigma_e")):
        if name not in guesses:
            raise ValueError(
                f"{flag(name)} or a column {column} must be given with --areas: a public guess"
            )
    source = GuessedAreas(
        name=file.name,
        x=x,
        y=y,
        areas=tuple(sizes["group"]),
        n=tuple(sizes["n"].tolist()),
        **guesses,
    )
    scenario = with_options(scenario.model_copy(update={"source": source, "group": ""}), options)
    return _viewed(scenario, source.load(), options, NONE_REJECTED)


def _public_axis(axis: str, columns: UploadedFile, options: Options) -> Axis:
    """Return x or y with the public bounds of the options, else of the scenario's columns, else of the unit square."""
    style = options["x_numbers"] or columns.x_numbers or "point"
    typed, of_columns = options[f"{axis}_bounds"], getattr(columns, f"{axis}_bounds")
    lower, upper = [read_number(end, style) for end in typed] if typed else of_columns or (0.0, 1.0)
    name = options[f"{axis}_column"] or getattr(columns, f"{axis}_column") or axis
    transform = options[f"{axis}_transform"] or getattr(columns, f"{axis}_transform")
    return Rescaling(Axis(name, "", lower, upper, style), transform).axis


def points_of(options: Options, style: Style = "point") -> tuple[float, ...]:
    """Read the numbers of --at, given one by one or in lists.

    Parameters
    ----------
    options : mapping
        Options of the command by name.
    style : Style
        Way in which x is written.

    Raises
    ------
    ValueError
        Names the text that is no number.
    """
    return tuple(
        point for text in options["points"] for point in parse_points(text, "points", style)
    )


def looked_at(read: Input, text: str | None) -> float:
    """Return the point to look at, in the unit square.

    Parameters
    ----------
    read : Input
        View with the points.
    text : str or None
        Value of --look-at; None for the first point.

    Raises
    ------
    ValueError
        If --look-at is none of the points.
    """
    if text is None:
        return read.view.scenario.at[0]
    wanted = read_number(text, read.view.x.numbers)
    point, typed = min(read.typed.items(), key=lambda item: abs(item[1] - wanted))
    if isclose(typed, wanted, rel_tol=1e-9):
        return point
    raise ValueError(
        f"--look-at must be one of the points {tuple(read.typed.values())}, got {wanted}"
    )


def in_units(frame: pd.DataFrame, x: Axis, y: Axis, typed: Mapping[float, float]) -> pd.DataFrame:
    """Put a frame of compare or by_group into the units of the data, its points as they were typed.

    The frame is changed in place, one column after the other, because a table of all areas takes much memory.
    """
    for name in IN_UNITS_OF_Y:
        if name in frame:
            frame[name] = y.from_unit(frame[name]) if name == "center" else frame[name] * y.scale
    if "nvar" in frame:
        frame["nvar"] = frame["nvar"] * x.scale**2
    frame["at"] = frame["at"].map(dict(typed))
    return frame


# A scenario: from its file, and with what the options say.


def read_scenario(path: Path) -> Scenario:
    """Read the scenario in a JSON file; ValueError names a wrong value, or a file that is no JSON."""
    try:
        content = path.read_text(encoding="utf-8")
        check_names(content)
        return Scenario.model_validate_json(content)
    except RepeatedName as error:
        raise ValueError(f"{path} cannot be used: {error}") from None
    except OverflowError:
        raise ValueError(f"{path} holds a number that is too large to compute with") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} holds no scenario: it is no text in UTF-8") from None
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise ValueError(f"{path} holds no scenario: {first['msg']}") from None
        raise


def with_options(scenario: Scenario, options: Options) -> Scenario:
    """Return the scenario with the settings of the options in place of its own."""
    settings = given(Scenario, options)
    if options.get("records_per_person") is not None:
        settings["records_per_person"] = options["records_per_person"]
    if options["algorithms"] or options["chosen"]:
        own = {type(mechanism): mechanism for mechanism in scenario.mechanisms}
        values: dict[type[Mechanism], dict[str, Any]]
        values = {mechanism_named(name): {} for name in options["algorithms"]} or {
            algorithm: {} for algorithm in own
        }
        for text in options["chosen"]:
            name, dot, rest = text.partition(".")
            field, equals, value = rest.partition("=")
            if not (dot and equals):
                raise ValueError(f"--set must look like DPExpTheilSen.k=10, got {text!r}")
            algorithm = mechanism_named(name)
            if algorithm not in values:
                raise ValueError(f"--set {text}: {name} is not among the chosen algorithms")
            values[algorithm][field] = parse_hyperparameter(algorithm, field, value)
        chosen = (
            replace(own.get(algorithm) or algorithm(), **fields)
            for algorithm, fields in values.items()
        )
        settings["mechanisms"] = tuple(chosen)
    return scenario.model_copy(update=settings) if settings else scenario


def _of_scenario(file: Path | None, options: Options) -> Loaded:
    """Read --scenario with the options, also the options of a linear model if it has one, and load its data."""
    for name in given(UploadedFile, options):
        raise ValueError(f"{flag(name)} cannot stand beside --scenario, which says it")
    scenario = with_options(read_scenario(options["scenario"]), options)
    source = scenario.source
    if isinstance(source, Synthetic) and (model := given(Synthetic, options)):
        source = Synthetic(**(source.model_dump() | model))
        scenario = scenario.model_copy(update={"source": source})
    if not isinstance(source, UploadedFile):
        if file is not None:
            raise ValueError(
                f"FILE cannot stand beside a scenario with the source {source.kind!r}, got "
                f"{str(file)!r}"
            )
        return scenario, source.load(), NONE_REJECTED
    if file is None:
        raise ValueError(
            "FILE must be given: the scenario is one of an uploaded file, which is not in it"
        )
    return scenario, *_grouped(read_file(file), source, file.name)


# The columns of a file.


def _of_columns(file: Path | None, options: Options) -> Loaded:
    """Make the scenario that the options describe, and read the data in the columns of the file."""
    if file is None:
        raise ValueError("FILE with --x and --y must be given, or --scenario FILE.json")
    for name in ("x_column", "y_column", "epsilon"):
        if options[name] is None:
            raise ValueError(f"{flag(name)} must be given with FILE, unless --scenario says it")
    table = read_file(file)
    typed: dict[str, Any] = {f"{axis}_bounds": _bounds(axis, table, options) for axis in ("x", "y")}
    if options["x_most"]:
        typed["x_most"] = _typed_range("x", options["x_most"], table, options)
    source = UploadedFile(
        **(given(UploadedFile, options) | typed | {"y_numbers": options["x_numbers"]})
    )
    grouped, rejected = _grouped(table, source, file.name)
    every = tuple(algorithm() for algorithm in algorithms())
    scenario = Scenario(source=source, mechanisms=every, at=grouped.usual_at)
    return with_options(scenario, options), grouped, rejected


def _grouped(table: Table, source: UploadedFile, name: str) -> tuple[GroupedData, pd.DataFrame]:
    """Group the data of a table; return also the rejected groups. Warnings are printed, errors raise Refused."""
    built = source.built(table, name)
    problems = dict.fromkeys((*table.problems, *built.problems))
    for problem in problems:
        if problem.severity == "warning":
            click.echo(f"Note: {visible(problem.message)}", err=True)
    if built.grouped is None:
        errors = [problem.message for problem in problems if problem.severity == "error"]
        if any(problem.of_style for problem in problems):
            errors.append(f"The option --numbers {' or --numbers '.join(DECIMALS)} decides it.")
        raise Refused(visible(" ".join(errors)))
    return built.grouped, built.rejected


def _typed_range(
    axis: str, typed: Sequence[str], table: Table, options: Options
) -> tuple[float, float]:
    """Read two numbers as the column of an axis writes them."""
    style = written_as(table, options[f"{axis}_column"], options["x_numbers"])
    lower, upper = (read_number(text, style) for text in typed)
    return lower, upper


def _bounds(axis: str, table: Table, options: Options) -> tuple[float, float]:
    """Return the public bounds of a column; 0 and 1 where none are given and all values lie there."""
    column, option = options[f"{axis}_column"], f"--{axis}-bounds LO HI"
    if typed := options[f"{axis}_bounds"]:
        return _typed_range(axis, typed, table, options)
    if options[f"{axis}_transform"] is not None:
        raise ValueError(
            f"{option} must be given with --{axis}-transform: the public bounds before the "
            "transform"
        )
    if not table.readable or column not in table.names:
        return 0.0, 1.0
    read = numbers_of(table, column, options["x_numbers"])
    outside = np.flatnonzero((read.values < 0) | (read.values > 1))
    unclear = any(problem.of_style for problem in read.problems)  # refused later, in other words
    if outside.size and not unclear:
        first, row = read.values[outside[0]], table.rows[outside[0]]
        raise ValueError(
            f"{option} must be given, the public bounds of {column!r}: {outside.size:,} of its "
            f"values lie outside [0, 1], the first in row {row}, {first:.6g}"
        )
    return 0.0, 1.0


# The guesses that guidance goes by.


class Guided(NamedTuple):
    """Recommendation, its scenario, and the data whose shape it goes by; None where it goes by public guesses alone."""

    recommendation: Recommendation
    scenario: Scenario
    view: View | None = None

    def about(self, table: str, more: Mapping[str, object] | None = None) -> Metadata:
        """Metadata of a table: everything that determines its numbers."""
        if self.view is None:
            return public_metadata(self.scenario, table, page_link("guidance", self.scenario), more)
        return metadata(self.view, table, "", more)


def guided(file: Path | None, options: Options) -> Guided:
    """Compute the recommendation that the options ask for; ValueError names an option that is missing or wrong."""
    scenario, view = _guessed(file, options)
    return Guided(answered(sized_question(scenario, options.get("decide", False))), scenario, view)


def _guessed(file: Path | None, options: Options) -> tuple[Scenario, View | None]:
    """Scenario of the simulated data sets, and the view that its guesses were read off, or None."""
    guesses = given(Synthetic, options)
    if options["scenario"] is None and file is None:
        for name in ("n", "var_x", "var_e", "epsilon"):
            if options[name] is None:
                raise ValueError(f"{flag(name)} must be given, or --scenario FILE.json")
        ranges = {name: options[name] for name in ("lower", "upper") if options[name] is not None}
        usual = private_mechanisms(algorithms(), **(USUAL_RANGES | ranges))
        at = points_of(options) or QUARTERS
        return with_options(
            Scenario(source=Synthetic(**guesses), mechanisms=usual, at=at), options
        ), None
    view = read_input(file, options).view
    scenario = view.scenario
    if isinstance(scenario.source, Synthetic):
        return scenario, None
    if {"var_x", "var_e"} <= guesses.keys():
        return guessed_scenario(scenario, guesses.pop("n", view.public_n), guesses), None
    if scenario.source.kind == "upload" and not options["look"]:
        raise ValueError(
            "--var-x and --var-e must be given, public guesses in the unit square, or --look to "
            "read them off the file: a choice that looks at private data is not private"
        )
    return guessed_scenario(scenario, view.data.n, data_guesses(view.data) | guesses), view
