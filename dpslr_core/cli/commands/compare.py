"""``dpslr compare``: the algorithms on one data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...report.metadata import metadata, page_link
from ..ends import said
from ..given.data import in_units, read_input
from ..options import ALGORITHMS, DATA, JSON, OWN_SEED, out_option, trials_option
from ..output import PICTURES, REPORTS, TABLES, Output, check_out
from ..progress import compared_with_progress
from ..reports import REPORT, compare_report, write_report

SHOWN = ("mechanism", "at", "center", "standard_error", "c68", "c95", "ratio", "gap", "noise", "failure_rate", "how")


@click.command()
@DATA
@ALGORITHMS
@trials_option(1000, "Trials")
@OWN_SEED
@out_option("a table (.csv, .parquet, .json), the report (.html, .docx) or its picture (.svg, .png)")
@REPORT
@JSON
def compare(file: Path | None, out: Path | None, report: Path | None, as_json: bool, **options: Any) -> None:
    """Compare the algorithms on FILE as one data set and print the error of each, in the units of the data.

    c68: 68% of the releases are this near to the OLS prediction. ratio: c68 in standard errors of that prediction. gap:
    from that prediction to the algorithm's own target, whatever epsilon is. noise: as c68, about that target.
    With --scenario: the numbers of the page Compare. Draws from a seed illustrate and may not be published as a
    release.
    """
    with said():
        check_out(out, (*TABLES, *REPORTS, *PICTURES), file)
        check_out(report, REPORTS, file, "--report")
        given = read_input(file, options)
        view, s = given.view, given.view.scenario
        result = compared_with_progress(view.data, s)
        make = compare_report(view, s.at[0], result)
        if report is not None:
            write_report(make(), report)
        about = metadata(view, "errors of the algorithms on one data set", page_link("compare", s, view.x))
        summary = {"n": view.data.n, "epsilon": s.epsilon, "accounting": s.accounting, "seed": s.seed}
        output = Output(in_units(result.summary, given.units), about, "summary", SHOWN, summary, make)
        output.deliver(out, as_json)
