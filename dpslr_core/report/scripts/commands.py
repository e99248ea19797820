"""One command of ``dpslr`` for each page: with the saved scenario beside it, the numbers that the page shows."""

from __future__ import annotations

import shlex

from ...scenario import Scenario
from ...sources.choices import UploadedFile
from ...support.amounts import in_full
from ...text.sweep import SweepDescription
from ...text.view import View

FILE = "scenario.json"  # as the app saves it


def compare_command(view: View[Scenario]) -> str:
    """The errors of the Compare page, at all points."""
    return _command("compare", view)


def sweep_command(described: SweepDescription, view: View[Scenario]) -> str:
    """The errors of the Sweep page; the saved scenario is that of the sweep, whose first point is looked at."""
    x_new = described.parameter == "x_new"
    values = view.grouped.x.from_unit(described.values).tolist() if x_new else described.values
    words = ["--vary", described.parameter, "--values", ",".join(map(repr, map(float, values)))]
    if described.data is None:
        words += ["--datasets", str(described.datasets)]
    return _command("sweep", view, *words, "--trials", str(described.trials))


def areas_command(view: View[Scenario], at: float, flat_lines: bool = False) -> str:
    """The table of all areas of the Small areas page at one point.

    flat_lines: whether a line without slope passes too.
    """
    first = at == view.scenario.at[0]
    look = [] if first else ["--look-at", in_full(float(view.grouped.x.from_unit(at)))]
    return _command("required", view, "--on", "areas", *look, *["--flat-lines"] * flat_lines)


def guidance_command(weaker: bool) -> str:
    """The answer of the Guidance page; the saved scenario is that of the guesses."""
    return shlex.join(["dpslr", "recommend", "--scenario", FILE, *(["--weaker"] if weaker else [])])


def _command(name: str, view: View[Scenario], *words: str) -> str:
    uploaded = isinstance(view.scenario.source, UploadedFile)
    return shlex.join(["dpslr", name, *([view.grouped.name] if uploaded else []), "--scenario", FILE, *words])
