"""What can be said on the command line, and what becomes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from pydantic import ValidationError

from ..mechanisms import FILE_VARIABLE, MECHANISMS, algorithms
from ..mechanisms.base import Mechanism
from ..scenario import Scenario, mechanism_named, parse_hyperparameter, parse_points
from ..sources.choices import UploadedFile
from ..sources.files.numbers import STYLES
from ..sources.files.reading import Column, grouped_from_table
from ..sources.grouping import GroupedData
from ..support.accounting import Accounting
from .files import WRITTEN, read_file

NAMES = ", ".join(algorithm.__name__ for algorithm in MECHANISMS)


class Refused(click.ClickException):
    """A sentence for the user, and exit code 2."""

    exit_code = 2


@contextmanager
def said() -> Iterator[None]:
    """What is wrong with the options, a file or a cluster becomes one sentence."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise Refused(f"{name}: {first['msg'].removeprefix('Value error, ')}, got {first['input']!r}") from error
    except (ValueError, OSError, ImportError) as error:
        raise Refused(str(error)) from error


def _points(_: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> tuple[float, ...]:
    """The numbers of --at, given one by one or in lists."""
    try:
        points = parse_points(" ".join(texts))
    except ValueError as error:
        raise click.BadParameter(str(error).replace("x_new", "points"), param=option) from error
    if not np.isfinite(points).all():
        raise click.BadParameter(f"points must be finite, got {points}", param=option)
    return points


def _together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Several options as one decorator, in this order in the help."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


DATA = _together(
    click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path)),
    click.option("--x", required=True, metavar="COLUMN", help="The column of x."),
    click.option("--y", required=True, metavar="COLUMN", help="The column of y."),
    click.option(
        "--x-bounds",
        nargs=2,
        type=float,
        default=(0, 1),
        metavar="LO HI",
        help="Public bounds of x, known without the data; values beyond are moved to the nearer one.  [default: 0 1]",
    ),
    click.option(
        "--y-bounds", nargs=2, type=float, default=(0, 1), metavar="LO HI", help="Public bounds of y.  [default: 0 1]"
    ),
    click.option(
        "--numbers",
        type=click.Choice(STYLES),
        help="How x and y are written: with a decimal point (1,234.5), a decimal comma (1.234,5), or plainly, so that "
        "nothing else is read.  [default: decided for each column]",
    ),
)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """An environment variable with this value for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


def with_mechanism_file(command: Callable[..., Any]) -> Any:
    """The option --mechanisms, whose algorithms are among all others while the command runs."""

    @click.option(
        "--mechanisms",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE.py",
        help="A Python file with algorithms of your own. It is run as code: docs/add_an_algorithm.md.  "
        f"[default: ${FILE_VARIABLE}]",
    )
    @wraps(command)
    def with_file(mechanisms: Path | None, **options: Any) -> Any:
        with _environment(FILE_VARIABLE, str(mechanisms.resolve())) if mechanisms else nullcontext():
            with said():
                algorithms()
            return command(**options)

    return with_file


ACCOUNTING = click.option(
    "--accounting",
    type=click.Choice([str(rule) for rule in Accounting]),
    default=str(Accounting.PAPER),
    show_default=True,
    help="What each algorithm may spend: "
    + "; ".join(f"{rule}: {rule.explanation.rstrip('.')}" for rule in Accounting)
    + ".",
)
ALGORITHMS = _together(
    with_mechanism_file,
    click.option("--epsilon", required=True, type=float, help="Privacy budget for all points of --at together."),
    ACCOUNTING,
    click.option(
        "--at",
        multiple=True,
        callback=_points,
        metavar="X[,X...]",
        help="Where to predict, in the units of x; repeatable.  [default: 1/4 and 3/4 of the way between the bounds]",
    ),
    click.option(
        "--algorithm",
        "algorithms",
        multiple=True,
        metavar="NAME",
        help=f"An algorithm; repeatable.  [default: all: {NAMES} and those of --mechanisms]",
    ),
    click.option(
        "--set",
        "chosen",
        multiple=True,
        metavar="NAME.FIELD=VALUE",
        help="A hyperparameter, such as DPExpTheilSen.k=10; repeatable. Lengths along y (lower, upper, theta, start) "
        "count from 0 at the lower bound of y to 1 at the upper.",
    ),
    click.option("--also-k", type=int, help="Run what draws matchings with this many matchings as well."),
)
OUT = click.Path(dir_okay=False, path_type=Path)
SEED = click.option("--seed", default=0, show_default=True, help="The same seed gives the same numbers.")


def check_result(out: Path, file: Path | None = None, written: Sequence[str] = WRITTEN, option: str = "--out") -> None:
    """ValueError where the result could not be written after all the work."""
    if out.suffix not in written:
        raise ValueError(f"{option} must end in {' or '.join(written)}, got {str(out)!r}")
    if not out.parent.is_dir():
        raise ValueError(f"{option}: there is no folder {str(out.parent)!r}")
    if file is not None and out.resolve() == file.resolve():
        raise ValueError(f"{option} would replace the data, {str(file)!r}")


def read_grouped(file: Path, group: str | None, options: Mapping[str, Any]) -> tuple[GroupedData, pd.DataFrame]:
    """The grouped data in a file and the groups that cannot be used; warnings are told, errors refused."""
    table = read_file(file)
    x, y = (Column(options[key], options[f"{key}_bounds"], style=options["numbers"]) for key in ("x", "y"))
    built = grouped_from_table(table, x, y, group, file.name)
    problems = dict.fromkeys((*table.problems, *built.problems))
    for problem in problems:
        if problem.severity == "warning":
            click.echo(f"Note: {problem.message}", err=True)
    if built.grouped is None:
        raise Refused(" ".join(problem.message for problem in problems if problem.severity == "error"))
    return built.grouped, built.rejected


def scenario_of(grouped: GroupedData, options: Mapping[str, Any], group: str = "") -> Scenario:
    """The scenario that the options name; its points are in the unit square. group: the column of the areas."""
    values = {name: options[name] for name in ("epsilon", "accounting", "trials", "seed", "also_k")}
    if options["at"]:
        values["at"] = tuple(float(point) for point in grouped.x.to_unit(options["at"]))
    source = UploadedFile(
        x_column=options["x"], y_column=options["y"], group_column=group, x_bounds=options["x_bounds"],
        y_bounds=options["y_bounds"], x_numbers=options["numbers"], y_numbers=options["numbers"],
    )  # fmt: skip
    return Scenario(source=source, mechanisms=_mechanisms(options["algorithms"], options["chosen"]), **values)


def points_of(grouped: GroupedData, scenario: Scenario, options: Mapping[str, Any]) -> tuple[float, ...]:
    """The points of the scenario in the units of x, just as they were given."""
    return options["at"] or tuple(float(point) for point in grouped.x.from_unit(scenario.at))


def _mechanisms(names: tuple[str, ...], chosen: tuple[str, ...]) -> tuple[Mechanism, ...]:
    """The algorithms of --algorithm with the hyperparameters of --set; ValueError names what cannot be."""
    values: dict[type[Mechanism], dict[str, Any]] = {mechanism_named(name): {} for name in names}
    values = values or {algorithm: {} for algorithm in algorithms()}
    for text in chosen:
        name, dot, rest = text.partition(".")
        field, equals, value = rest.partition("=")
        if not (dot and equals):
            raise ValueError(f"--set must look like DPExpTheilSen.k=10, got {text!r}")
        algorithm = mechanism_named(name)
        if algorithm not in values:
            raise ValueError(f"--set {text}: {name} is not among the chosen algorithms")
        values[algorithm][field] = parse_hyperparameter(algorithm, field, value)
    return tuple(algorithm(**given) for algorithm, given in values.items())
