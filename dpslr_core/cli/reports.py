"""A report as a file: what compare and by-group measured, as a page or for Word."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ..report.html import as_html
from ..report.parts import Report

WRITTEN = (".html", ".docx")
REPORT = click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html|FILE.docx",
    help="Also write a report to hand on, for the first point of --at: answer, picture, table, method and limits.",
)


def write_report(report: Report, path: Path) -> None:
    """The report as its file's ending says, whole or not at all."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(as_html(report).encode() if path.suffix == ".html" else _as_word(report))
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    click.echo(f"Report written to {path}. It is computed from the true data and is not private.", err=True)


def _as_word(report: Report) -> bytes:
    from ..report.word import as_word  # python-docx comes with the app

    return as_word(report)
