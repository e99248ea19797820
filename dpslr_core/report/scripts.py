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
from types import MappingProxyType
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

if TYPE_CHECKING:  # imported late, as every page with scripts imports this module
    from jinja2 import Environment

    from ..paper.figures import Figure, Settings

SCENARIO_FILE = "scenario.json"  # as the app saves it


def compare_script(view: View, at: float) -> str:
    """Script for the ranking of the Compare page at one point, in the units of the view."""
    return _script("compare", view.scenario, view.scenario.admitted, view, "y", at=at)


def sweep_script(described: SweepDescription, view: View) -> str:
    """Script for the errors of the Sweep page; x_new in the unit square."""
    loaded = described.data is not None
    values: dict[str, Any] = {"sweep": described, "loaded": loaded}
    return _script("sweep", described.base, described.mechanisms, view, **values)


def areas_script(
    view: View,
    at: float,
    trials: int,
    question: Question = "prediction",
    target: float = TARGET,
    public: Mapping[str, tuple[float, ...]] = MappingProxyType({}),
    sample: int | None = None,
) -> str:
    """Script for the table of all areas at one point, in the units of y, and for the decision of the page.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    at : float
        Point in the unit square.
    trials : int
        Number of runs in each area of algorithms without an exact law.
    question : Question
        Question of the decision.
    target : float
        Share of the areas that should pass.
    public : mapping of str to tuple of float
        Public numbers to pool with, by name, in the order of the areas.
    sample : int, optional
        Number of areas, drawn at random; by default all areas.
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
        "public": dict(public),
    }
    return _script("areas", s, sought, view, "xy" if pooling is not None else "y", **values)


def _poolable(view: View) -> bool:
    """Whether there are enough areas with enough records to be pooled."""
    return len(split_groups(view.grouped.frame).datasets) >= LEAST_AREAS


def guidance_script(scenario: Scenario, decide: bool, looked: bool) -> str:
    """Script for the answer of the Guidance page.

    Parameters
    ----------
    scenario : Scenario
        Scenario with the guesses as its model.
    decide : bool
        Whether more data sets are simulated to decide between tied algorithms.
    looked : bool
        Whether the guesses were read off the data.
    """
    return _script("guidance", scenario, scenario.admitted, decide=decide, looked=looked)


def data_script(view: View) -> str:
    """Script for the sizes and predictions of the Data page."""
    return _script("data", view.scenario, (), view, "xy")


def privacy_script(
    view: View, moved: MovedRecord, mechanism: Mechanism, number: int, known: bool
) -> str:
    """Script for the privacy loss of a move on the Privacy page.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    moved : MovedRecord
        The move.
    mechanism : Mechanism
        The algorithm.
    number : int
        Index of the point.
    known : bool
        Whether the algorithm has an exact output distribution. If not, the loss is of everything released together.
    """
    values: dict[str, Any] = {"moved": moved, "number": number, "known": known}
    return _script("privacy", view.scenario, (mechanism,), view, "y" if known else "", **values)


def figure_script(figure: Figure, settings: Settings) -> str:
    """Script for the numbers of a figure of the paper, with the parameters it is shown with."""
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
    """Script for the table of the lesson's step."""
    changed = {name: getattr(lesson, name) for name in lesson.to_query()}
    return (
        _environment()
        .get_template("lesson.py.j2")
        .render(lesson=lesson, steps=len(STEPS), changed=changed)
    )


def findings_script(weaker: bool, command: str) -> str:
    """Script for the stored tables of the page Findings.

    Parameters
    ----------
    weaker : bool
        Whether algorithms with a weaker guarantee are shown.
    command : str
        Command that measured the tables.
    """
    return _environment().get_template("findings.py.j2").render(weaker=weaker, command=command)


def _script(
    name: str,
    scenario: Scenario,
    mechanisms: Sequence[Mechanism],
    view: View | None = None,
    axes: str = "",
    **values: Any,
) -> str:
    """Render a script with the settings of a scenario, on the data of a view if there is one.

    Parameters
    ----------
    name : str
        Name of the template.
    scenario : Scenario
        The settings.
    mechanisms : sequence of Mechanism
        Algorithms to run.
    view : View, optional
        Data and units.
    axes : str
        Axes that the script names: "x", "y", "xy" or "".
    **values
        Further variables of the template.
    """
    source, own = scenario.source, any(map(_is_own, mechanisms))
    variables: dict[str, Any] = {
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
        variables |= {"view": view, "x": x, "y": y, "unit_axes": unit_axes}
    return _environment().get_template(f"{name}.py.j2").render(variables | values)


@cache
def _environment() -> Environment:
    """Templates of scripts, with filters that write values as Python."""
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
    """Sort lines of imports: the standard library first, then the package, by module."""
    imports = sorted(set(filter(None, lines.splitlines())))
    ours, foreign = (
        [line for line in imports if ("dpslr_core" in line) is own] for own in (True, False)
    )
    return "\n".join([*foreign, *([""] if foreign else []), *ours, ""])


# Values as Python writes them.


def literal(value: Any) -> str:
    """Write a number, text, tuple or None as Python; any other value as the text of `str`."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    if isinstance(value, tuple):
        inside = ", ".join(map(literal, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value if value is None or type(value) in (bool, int, float, str) else str(value))


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """Write a call with these arguments by name."""
    return f"{name}({', '.join(f'{key}={literal(value)}' for key, value in arguments.items())})"


def _source_call(source: BaseModel) -> str:
    """Write a source as a call with the fields that differ from their defaults."""
    fields = type(source).model_fields
    given = {name: getattr(source, name) for name, info in fields.items() if name != "kind"}
    return call(
        type(source).__name__, {name: v for name, v in given.items() if v != fields[name].default}
    )


def _is_own(mechanism: Mechanism) -> bool:
    """Whether the algorithm is from a file of the user's own."""
    return type(mechanism) not in MECHANISMS


def _mechanism_call(mechanism: Mechanism) -> str:
    """Write a mechanism as a call with the hyperparameters that differ from their defaults."""
    name = type(mechanism).__name__
    return call(
        f"mechanism_named({name!r})" if _is_own(mechanism) else name, hyperparameters(mechanism)
    )


def _accounting_argument(accounting: Accounting) -> str:
    """Write the rule as a further argument of a call; "" where it is the paper's rule."""
    return "" if accounting == PAPER else f", accounting={str(accounting)!r}"


# Commands of dpslr, with the saved scenario beside them.


def compare_command(view: View) -> str:
    """Command for the errors of the Compare page, at all points."""
    return _command("compare", view)


def sweep_command(described: SweepDescription, view: View) -> str:
    """Command for the errors of the Sweep page, beside its saved scenario; the first point of the scenario counts."""
    x_new = described.parameter == "x_new"
    values = map(view.grouped.x.nearest, described.values) if x_new else described.values
    words = ["--vary", described.parameter, "--values", format_points(values)]
    if described.data is None:
        words += ["--datasets", str(described.datasets)]
    return _command("sweep", view, *words, "--trials", str(described.trials))


def areas_command(view: View, at: float, sample: int | None = None) -> str:
    """Command for the table of all areas of the Small areas page at one point.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    at : float
        Point in the unit square.
    sample : int, optional
        Number of areas, drawn at random; by default all areas.
    """
    first = at == view.scenario.at[0]
    look = [] if first else ["--look-at", format_points([view.grouped.x.nearest(at)])]
    drawn = [] if sample is None else ["--sample", str(sample)]
    return _command("required", view, "--on", "areas", *look, *drawn)


def guidance_command(decide: bool) -> str:
    """Command for the answer of the Guidance page, beside the saved scenario of the guesses."""
    return shlex.join(["dpslr", "recommend", "--scenario", SCENARIO_FILE, *["--decide"] * decide])


def _command(name: str, view: View, *words: str) -> str:
    uploaded = isinstance(view.scenario.source, UploadedFile)
    file = [view.grouped.name] if uploaded else []
    return shlex.join(["dpslr", name, *file, "--scenario", SCENARIO_FILE, *words])


def figure_command(figure: Figure, settings: Settings) -> str:
    """Command that writes the numbers of a figure of the paper as CSV."""
    changed, full = _changed(figure, settings)
    words = [word for name, value in changed.items() for word in ("--set", f"{name}={value!r}")] + [
        "--full"
    ] * full
    words += ["--seed", str(settings.seed)] if settings.seed else []
    return shlex.join(["dpslr", "figure", figure.name, *words, "--out", f"{figure.name}.csv"])


def _changed(figure: Figure, settings: Settings) -> tuple[dict[str, float | int], bool]:
    """Parameters that differ from the figure's defaults, and whether the amounts are the paper's."""
    changed = {name: value for name, value in settings.values if value != figure.settings()[name]}
    return changed, figure.has_full and settings.amount == figure.full
