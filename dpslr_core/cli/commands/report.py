"""``dpslr report``: a report to hand on, as a page of HTML, a Word file, or its picture alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ...experiments.areas import AREA_TRIALS, split_groups
from ...report.parts import Report
from ...support.run import Run
from ..ends import said
from ..files import write_result
from ..given.data import Input, looked_at, read_input
from ..options import ALGORITHMS, DATA, FLAT_LINES, LOOK_AT, OUT, OWN_SEED, WORKERS, trials_option
from ..output import PICTURES, PRIVACY, REPORTS, check_out, report_bytes
from ..progress import compared_with_progress, epsilons_with_progress, measured_with_progress
from ..reports import areas_report, compare_report


@click.command()
@DATA
@click.option("--group", metavar="COLUMN", help="The column that tells areas apart; with FILE.")
@click.option("--areas", is_flag=True, help="On all areas of a scenario, as the page Small areas; so is --group.")
@ALGORITHMS
@trials_option(1000, "Trials")
@OWN_SEED
@LOOK_AT
@FLAT_LINES
@WORKERS
@click.option("--out", required=True, type=OUT, help="The report (.html, .docx) or its picture alone (.svg, .png).")
def report(file: Path | None, group: str | None, areas: bool, workers: int, out: Path, **options: Any) -> None:
    """Write a report on one data set, or on all areas: answer, picture, table, method and limits.

    What it says is what the pages Compare and Small areas say.
    """
    with said():
        check_out(out, (*REPORTS, *PICTURES), file)
        on_areas = areas or group is not None
        given = read_input(file, options, group, AREA_TRIALS if on_areas else None)
        view, s, at = given.view, given.view.scenario, looked_at(given, options["look_at"])
        if on_areas:
            make = _on_areas(given, at, workers, options["flat_lines"])
        else:
            make = compare_report(view, at, compared_with_progress(view.data, s))
        write_result(report_bytes(make(), out.suffix), out)
    click.echo(f"Written to {out}. {PRIVACY}")


def _on_areas(given: Input, at: float, workers: int, flat_lines: bool) -> Callable[[], Report]:
    """Measures all areas, with progress, and makes the report on them."""
    s, groups = given.view.scenario, split_groups(given.view.grouped.frame)
    measured = measured_with_progress(groups.datasets, s.compared, s.budget, Run(s.trials, s.seed, workers))
    rejected = pd.concat([given.rejected, groups.rejected], ignore_index=True)
    epsilons = epsilons_with_progress(groups.datasets, s, at, workers)
    return areas_report(given.view, at, measured, rejected, flat_lines, epsilons)
