"""A report as a file: what compare and by-group measured, as a page or for Word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pandas as pd

from ..experiments.comparison import Comparison
from ..report.metadata import page_link
from ..report.parts import Report
from ..scenario import Scenario
from ..text.view import View
from .files import write_result
from .output import PRIVACY, report_bytes

REPORT = click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html|FILE.docx",
    help="Also write a report to hand on, for the first point of --at: answer, picture, table, method and limits.",
)


def compare_report(view: View[Scenario], at: float, comparison: Comparison) -> Callable[[], Report]:
    """Makes the report on one of the points."""

    def make() -> Report:
        from ..report.content import report_on  # its pictures come with the app

        return report_on(view, comparison, at, page_link("compare", view.scenario, view.x))

    return make


def areas_report(
    view: View[Scenario],
    at: float,
    measured: pd.DataFrame,
    rejected: pd.DataFrame,
    flat_lines: bool,
    epsilons: pd.DataFrame | None = None,
) -> Callable[[], Report]:
    """Makes the report on one of the points; measured: rows of by_group in the unit square.

    flat_lines: whether a line without slope passes too. epsilons: of passing_epsilons at the point, where they were
    sought.
    """

    def make() -> Report:
        from ..report.areas import MeasuredAreas, report_on_areas  # its pictures come with the app

        areas = MeasuredAreas(measured[measured["at"] == at], epsilons, rejected, view.scenario.trials, flat_lines)
        return report_on_areas(view, at, areas, page_link("small_areas", view.scenario, view.x))

    return make


def write_report(report: Report, path: Path) -> None:
    """The report as its file's ending says, whole or not at all."""
    write_result(report_bytes(report, path.suffix), path)
    click.echo(f"Report written to {path}. {PRIVACY}", err=True)
