"""A command and a script that give the numbers of a figure of the paper, with the parameters it is shown with."""

from __future__ import annotations

import shlex

from ...paper.figures import Figure, Settings
from .literals import literal
from .whole import plain_script


def figure_command(figure: Figure, settings: Settings) -> str:
    """The command that writes the numbers as CSV."""
    changed = [word for name, value in _changed(figure, settings).items() for word in ("--set", f"{name}={value!r}")]
    full = ["--full"] if _full(figure, settings) else []
    seed = ["--seed", str(settings.seed)] if settings.seed else []
    return shlex.join(["dpslr", "figure", figure.name, *changed, *full, *seed, "--out", f"{figure.name}.csv"])


def figure_script(figure: Figure, settings: Settings) -> str:
    """Python that gives the numbers."""
    full = _full(figure, settings)
    changed = ", ".join(f"{name!r}: {literal(value)}" for name, value in _changed(figure, settings).items())
    given = [f"{{{changed}}}"] if changed else []
    given += ["effort=Effort.FULL"] if full else []
    given += [f"seed={settings.seed}"] if settings.seed else []
    imports = [f"from dpslr_core.paper.figures import {'Effort, ' if full else ''}figure_named"]
    body = [
        f"figure = figure_named({figure.name!r})",
        f"settings = figure.settings({', '.join(given)})",
        "table = figure.compute(settings)",
        "print(figure.agrees(table, settings))",
        "print(table.to_string(index=False))",
    ]
    return plain_script(figure.heading, imports, body)


def _changed(figure: Figure, settings: Settings) -> dict[str, float | int]:
    """The parameters that are not as they are at first."""
    return {name: value for name, value in settings.values if value != figure.settings()[name]}


def _full(figure: Figure, settings: Settings) -> bool:
    return figure.has_full and settings.amount == figure.full
