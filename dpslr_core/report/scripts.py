"""Python scripts and commands that give the numbers that a page shows, to the last bit.

Each script is a template of templates/. No record is written into one: a coordinate that was not moved is read off the
data again. Texts of files and links become string literals, so that none of them is run.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from pydantic import BaseModel

from ..audit.moved import MovedRecord
from ..experiments.areas import split_groups
from ..experiments.pooling import LEAST_AREAS
from ..guidance.area_epsilons import Question, sought_mechanisms
from ..guidance.decision import TARGET
from ..lesson.settings import STEPS, Lesson
from ..mechanisms import FILE_VARIABLE, MECHANISMS
from ..mechanisms.base import Mechanism, hyperparameters
from ..mechanisms.centered import CenteredSums
from ..privacy.accounting import PAPER, Accounting
from ..scenario import Scenario
from ..sources.choices import GuessedAreas, UploadedFile
from ..sources.numbers import format_points
from ..support import VERSION
from ..text.data import View
from ..text.sweep import SweepDescription
from .document import environment

if TYPE_CHECKING:  # every page that can be taken away imports this module
    from jinja2 import Environment

    from ..paper.figures import Figure, Settings

SCENARIO_FILE = "scenario.json"  # as the app saves it


def compare_script(view: View, at: float) -> str:
    """The ranking of the Compare page at one point, in the units of the view."""
    return _script("compare", view.scenario, view.scenario.admitted, view, "y", at=at)


def sweep_script(described: SweepDescription, view: View) -> str:
    """The errors of the Sweep page; x_new in the unit square."""
    loaded = described.data is not None
    values: dict[str, Any] = {"sweep": described, "loaded": loaded}
    return _script("sweep", described.base, described.mechanisms, view, **values)


def areas_script(
    view: View,
    at: float,
    trials: int,
    question: Question = "prediction",
    target: float = TARGET,
    public: Sequence[str] = (),
    sample: int | None = None,
) -> str:
    """The table of all areas of the Small areas page at one point, in the units of y, and its decision.

    trials: in each area, for algorithms without an exact law.
    question, target: of the decision. public: names of the numbers of each area that are declared public, to pool with.
    sample: of how many areas, drawn at random; None: of all.
    """
    s = view.scenario
    sought = sought_mechanisms(s.compared, s.accounting)
    first = replace(s.budget, at=(at, *(point for point in s.at if point != at)))
    values: dict[str, Any] = {"at": at, "budget": first, "trials": trials}
    pooling = (
        next((m for m in sought if isinstance(m, CenteredSums)), None) if _poolable(view) else None
    )
    values |= {
        "question": question,
        "target": target,
        "sample": sample,
        "pooling": pooling,
        "public": list(public),
    }
    return _script("areas", s, sought, view, "xy" if pooling is not None else "y", **values)


def _poolable(view: View) -> bool:
    """Whether there are enough areas with enough records to be pooled."""
    return len(split_groups(view.grouped.frame).datasets) >= LEAST_AREAS


def guidance_script(scenario: Scenario, decide: bool, looked: bool) -> str:
    """The answer of the Guidance page. scenario: with the guesses as its model; decide, looked: as on the page."""
    return _script("guidance", scenario, scenario.admitted, decide=decide, looked=looked)


def data_script(view: View) -> str:
    """Script of the sizes and predictions of the Data page."""
    return _script("data", view.scenario, (), view, "xy")


def privacy_script(
    view: View, moved: MovedRecord, mechanism: Mechanism, number: int, known: bool
) -> str:
    """The privacy loss of a move on the Privacy page.

    number: of the point, from 0. known: whether the algorithm has an exact output distribution; otherwise the loss is
    that of all that is published.
    """
    values: dict[str, Any] = {"moved": moved, "number": number, "known": known}
    return _script("privacy", view.scenario, (mechanism,), view, "y" if known else "", **values)


def figure_script(figure: Figure, settings: Settings) -> str:
    """Python that gives the numbers of a figure of the paper, with the parameters it is shown with."""
    changed, full = _changed(figure, settings)
    given = (
        [f"{{{', '.join(f'{name!r}: {literal(value)}' for name, value in changed.items())}}}"]
        if changed
        else []
    )
    given += ["effort=Effort.FULL"] if full else []
    given += [f"seed={settings.seed}"] if settings.seed else []
    return (
        _environment().get_template("figure.py.j2").render(figure=figure, full=full, settings=given)
    )


def lesson_script(lesson: Lesson) -> str:
    """The table of the lesson's step."""
    changed = {name: getattr(lesson, name) for name in lesson.to_query()}
    return (
        _environment()
        .get_template("lesson.py.j2")
        .render(lesson=lesson, steps=len(STEPS), changed=changed)
    )


def findings_script(weaker: bool, command: str) -> str:
    """The tables of the page Findings, as they come with the package. command: that measured them."""
    return _environment().get_template("findings.py.j2").render(weaker=weaker, command=command)


def _script(
    name: str,
    scenario: Scenario,
    mechanisms: Sequence[Mechanism],
    view: View | None = None,
    axes: str = "",
    **values: Any,
) -> str:
    """A script with the settings of a scenario, on the data of a view where there is one. axes: those that it names."""
    source, own = scenario.source, any(map(_is_own, mechanisms))
    known: dict[str, Any] = {
        "s": scenario, "source": source, "uploaded": isinstance(source, UploadedFile), "mechanisms": mechanisms,
        "guesses": isinstance(source, GuessedAreas),
        "rule": _accounting_argument(scenario.accounting), "own": own,
        "algorithms": sorted({type(mechanism).__name__ for mechanism in mechanisms if not _is_own(mechanism)}),
    }  # fmt: skip
    if view is not None:
        x = "UNIT_X" if view.x != view.grouped.x else "grouped.x"
        y = "UNIT_Y" if view.y != view.grouped.y else "grouped.y"
        unit_axes = [
            axis for axis in (x, y) if axis.startswith("UNIT") and axis[-1].lower() in axes
        ]
        known |= {"view": view, "x": x, "y": y, "unit_axes": unit_axes}
    return _environment().get_template(f"{name}.py.j2").render(known | values)


@cache
def _environment() -> Environment:
    """The templates of scripts, with what writes values as Python."""
    templates = environment()
    templates.filters |= {
        "literal": literal,
        "call": call,
        "source_call": _source_call,
        "mechanism_call": _mechanism_call,
        "mechanism_list": lambda mechanisms: "\n".join(
            ["[", *(f"    {_mechanism_call(m)}," for m in mechanisms), "]"]
        ),
        "budget_call": lambda b: (
            f"Budget({literal(b.epsilon)}, {literal(b.at)}{_accounting_argument(b.accounting)})"
        ),
        "sorted_imports": _sorted_imports,
        "kind": lambda value: type(value).__name__,
    }
    templates.globals |= {
        "version": VERSION,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "file_variable": FILE_VARIABLE,
        "own": False,
        "algorithms": (),
        "unit_axes": (),
        "source": None,
        "uploaded": False,
        "guesses": False,
        "not_private": "# What is printed is computed from the true data and is not private.",
        "workers": "  # more, or -1 for all cores: the same numbers",
    }
    return templates


def _sorted_imports(lines: str) -> str:
    """The standard library first, then the package, by module; names of one module together."""
    imports = sorted(set(filter(None, lines.splitlines())))
    ours, others = (
        [line for line in imports if ("dpslr_core" in line) is own] for own in (True, False)
    )
    return "\n".join([*others, *([""] if others else []), *ours, ""])


# Values as Python writes them.


def literal(value: Any) -> str:
    """A number, text, tuple or None; what is none of these as the text it stands for in a link."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    if isinstance(value, tuple):
        inside = ", ".join(map(literal, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value if value is None or type(value) in (bool, int, float, str) else str(value))


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call with these arguments by name."""
    return f"{name}({', '.join(f'{key}={literal(value)}' for key, value in arguments.items())})"


def _source_call(source: BaseModel) -> str:
    """A source as a call, its fields where they differ from their defaults."""
    fields = type(source).model_fields
    given = {name: getattr(source, name) for name, info in fields.items() if name != "kind"}
    return call(
        type(source).__name__, {name: v for name, v in given.items() if v != fields[name].default}
    )


def _is_own(mechanism: Mechanism) -> bool:
    """Whether the algorithm is from a file of the user's own."""
    return type(mechanism) not in MECHANISMS


def _mechanism_call(mechanism: Mechanism) -> str:
    """A mechanism as a call, its hyperparameters where they differ from their defaults."""
    name = type(mechanism).__name__
    return call(
        f"mechanism_named({name!r})" if _is_own(mechanism) else name, hyperparameters(mechanism)
    )


def _accounting_argument(accounting: Accounting) -> str:
    """The rule as a further argument of a call, nothing where it is the usual one."""
    return "" if accounting == PAPER else f", accounting={str(accounting)!r}"


# Commands of dpslr, with the saved scenario beside them.


def compare_command(view: View) -> str:
    """The errors of the Compare page, at all points."""
    return _command("compare", view)


def sweep_command(described: SweepDescription, view: View) -> str:
    """The errors of the Sweep page; the saved scenario is that of the sweep, whose first point is looked at."""
    x_new = described.parameter == "x_new"
    values = map(view.grouped.x.nearest, described.values) if x_new else described.values
    words = ["--vary", described.parameter, "--values", format_points(values)]
    if described.data is None:
        words += ["--datasets", str(described.datasets)]
    return _command("sweep", view, *words, "--trials", str(described.trials))


def areas_command(view: View, at: float, sample: int | None = None) -> str:
    """The table of all areas of the Small areas page at one point.

    sample: of how many areas, drawn at random; None: of all.
    """
    first = at == view.scenario.at[0]
    look = [] if first else ["--look-at", format_points([view.grouped.x.nearest(at)])]
    drawn = [] if sample is None else ["--sample", str(sample)]
    return _command("required", view, "--on", "areas", *look, *drawn)


def guidance_command(decide: bool) -> str:
    """The answer of the Guidance page; the saved scenario is that of the guesses."""
    return shlex.join(["dpslr", "recommend", "--scenario", SCENARIO_FILE, *["--decide"] * decide])


def _command(name: str, view: View, *words: str) -> str:
    uploaded = isinstance(view.scenario.source, UploadedFile)
    file = [view.grouped.name] if uploaded else []
    return shlex.join(["dpslr", name, *file, "--scenario", SCENARIO_FILE, *words])


def figure_command(figure: Figure, settings: Settings) -> str:
    """The command that writes the numbers of a figure of the paper as CSV."""
    changed, full = _changed(figure, settings)
    words = [word for name, value in changed.items() for word in ("--set", f"{name}={value!r}")] + [
        "--full"
    ] * full
    words += ["--seed", str(settings.seed)] if settings.seed else []
    return shlex.join(["dpslr", "figure", figure.name, *words, "--out", f"{figure.name}.csv"])


def _changed(figure: Figure, settings: Settings) -> tuple[dict[str, float | int], bool]:
    """The parameters that are not as they are at first; whether there are as many data sets and trials as in print."""
    changed = {name: value for name, value in settings.values if value != figure.settings()[name]}
    return changed, figure.has_full and settings.amount == figure.full
