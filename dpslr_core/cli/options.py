"""Options of commands; those that set a field of a scenario have its help, and its limits are checked there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from ..mechanisms import FILE_VARIABLE, MECHANISMS, algorithms
from ..privacy.accounting import APPROX, Accounting, OneDelta, SpendingRule, rule_of
from ..scenario import FOR_PERSON, Scenario
from ..sources.choices import Synthetic
from ..sources.numbers import STYLES, read_number, read_whole
from ..support.readable import visible

Decorator = Callable[[Any], Any]


class Number(click.ParamType):
    """A number as people write it; whole: without decimals."""

    def __init__(self, whole: bool = False) -> None:
        self.whole = whole
        self.name = "integer" if whole else "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | int:
        """The number in a text; click.BadParameter, with both readings where there are two."""
        try:
            return value if isinstance(value, float | int) else read_whole(value) if self.whole else read_number(value)
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


class _File(click.Path):
    """A file on a disk: a pipe would wait for whoever writes to it, a device may have no end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path of a file; click.BadParameter where there is none."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.is_file():
            self.fail(f"{visible(str(path))} is no file but a pipe or a device.", param, ctx)
        return path


NUMBER, WHOLE = Number(), Number(whole=True)
EXISTING = _File(exists=True, dir_okay=False, path_type=Path)
OUT = click.Path(dir_okay=False, path_type=Path)


def _together(*options: Decorator) -> Decorator:
    """Several options as one decorator, in this order in the help."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def field_option(model: type[BaseModel], name: str, default: str = "") -> Decorator:
    """The option for a number of a scenario or of a source, whose field has the help and checks the limits."""
    info = model.model_fields[name]
    usual = f"  [default: {default}]" if default else ""
    kind = NUMBER if info.annotation is float else WHOLE
    return click.option(f"--{name.replace('_', '-')}", type=kind, help=f"{info.description}{usual}")


# The data: a file and its columns, or a scenario.


def _axis_options(axis: str) -> tuple[Decorator, ...]:
    """Column, public bounds and transform of x or y."""
    return (
        click.option(f"--{axis}", metavar="COLUMN", help=f"The column of {axis}."),
        click.option(
            f"--{axis}-bounds", nargs=2, metavar="LO HI",
            help=f"Public bounds of {axis}, known without the data; values beyond are moved to the nearer one.  "
            "[default: 0 1, where all values lie there]",
        ),
        click.option(
            f"--{axis}-transform", metavar="log10|FILE",
            help=f"The logarithm of {axis}, or its percentile in a public table: a file with a value and its "
            "percentile in each row. It follows the clipping to the bounds.",
        ),
    )  # fmt: skip


DATA = _together(
    click.argument("file", type=EXISTING, required=False),
    click.option(
        "--scenario", type=EXISTING, metavar="FILE.json",
        help='A scenario as the app saves it under "Cite and take away": all settings at once, and the same numbers. '
        "Further options replace its own. One of an uploaded file also takes FILE.",
    ),
    *_axis_options("x"),
    *_axis_options("y"),
    click.option(
        "--numbers", type=click.Choice(STYLES),
        help="How x and y are written: with a decimal point (1,234.5), a decimal comma (1.234,5), or plainly, so that "
        "nothing else is read.  [default: as all columns of FILE together say]",
    ),
)  # fmt: skip
MODEL = _together(
    *(field_option(Synthetic, name) for name in ("n", "var_x", "var_e")),
    *(field_option(Synthetic, name, f"{Synthetic.model_fields[name].default}") for name in ("slope", "intercept")),
)
GUESSES = _together(
    MODEL,
    click.option("--lower", type=NUMBER, help="Lower end of the range of predictions.  [default: -0.5]"),
    click.option("--upper", type=NUMBER, help="Upper end of the range of predictions.  [default: 1.5]"),
    click.option("--weaker", is_flag=True, help="Also recommend what is not purely differentially private."),
    click.option("--look", is_flag=True, help="Read the guesses off an uploaded FILE; that choice is not private."),
)


# The algorithms and the budget that they may spend.


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
        type=EXISTING,
        metavar="FILE.py",
        help="A Python file with algorithms of your own. It is run as code: docs/add_an_algorithm.md.  "
        f"[default: ${FILE_VARIABLE}]",
    )
    @wraps(command)
    def with_file(mechanisms: Path | None, **options: Any) -> Any:
        with _environment(FILE_VARIABLE, str(mechanisms.resolve())) if mechanisms else nullcontext():
            algorithms()
            return command(**options)

    return with_file


def _accounting(_context: click.Context, _option: click.Parameter, text: str | None) -> SpendingRule | None:
    """The rule of this name; click.BadParameter where there is none."""
    try:
        return None if text is None else rule_of(text)
    except ValueError as problem:
        raise click.BadParameter(str(problem)) from None


ALGORITHMS = _together(
    with_mechanism_file,
    field_option(Scenario, "epsilon"),
    click.option(
        "--accounting", callback=_accounting, metavar=f"[{'|'.join(Accounting)}|{APPROX}:DELTA]",
        help="What each algorithm may spend: "
        + "; ".join(f"{rule}: {rule.explanation.rstrip('.')}" for rule in (*Accounting, OneDelta()))
        + f".  [default: {Accounting.PAPER}]",
    ),
    click.option(
        "--records-per-person", type=click.IntRange(1), metavar="K",
        help=f"{FOR_PERSON}  [default: 1]",
    ),
    click.option(
        "--at", multiple=True, metavar="X[,X...]",
        help="Where to predict, in the units of x, as FILE writes them; repeatable.  [default: 1/4 and 3/4 of "
        "the way between the bounds]",
    ),
    click.option(
        "--algorithm", "algorithms", multiple=True, metavar="NAME",
        help=f"An algorithm; repeatable.  [default: all: {', '.join(algorithm.__name__ for algorithm in MECHANISMS)} "
        "and those of --mechanisms; those of the scenario, if one is given]",
    ),
    click.option(
        "--set", "chosen", multiple=True, metavar="NAME.FIELD=VALUE",
        help="A hyperparameter, such as DPExpTheilSen.k=10; repeatable. Lengths along y (lower, upper, theta, start) "
        "count from 0 at the lower bound of y to 1 at the upper.",
    ),
    field_option(Scenario, "also_k"),
)  # fmt: skip


# The areas, the work and the result.

LOOK_AT = click.option(
    "--look-at",
    metavar="X",
    help="The point of --at that is looked at, in the units of x.  [default: the first]",
)
FLAT_LINES = click.option(
    "--flat-lines", is_flag=True, help="In areas, count a flat line too, which has no slope: NoisyIntercept's."
)
SEED = click.option("--seed", default=0, show_default=True, help=Scenario.model_fields["seed"].description)
OWN_SEED = field_option(Scenario, "seed", "that of the scenario, or 0")
WORKERS = click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON with all digits; null where a number is infinite or undefined."
)
REPORT = click.option(
    "--report",
    type=OUT,
    metavar="FILE.html|FILE.docx",
    help="Also write a report to hand on, for the first point of --at: answer, picture, table, method and limits.",
)


def trials_option(usual: int, what: str) -> Decorator:
    """--trials, whose default depends on the command."""
    default = f"  [default: that of the scenario, or {usual}]"
    return click.option("--trials", type=WHOLE, help=f"{what} for algorithms without an exact law.{default}")


def out_option(formats: str) -> Decorator:
    """--out, by whose ending the format is chosen."""
    return click.option("--out", type=OUT, metavar="FILE", help=f"Write to this file, by its ending: {formats}.")
