"""The paper: ``dpslr figure``, ``claims`` and ``cite``."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click
import pandas as pd

from ..paper import results
from ..paper.claims import SECTIONS
from ..paper.figures import FIGURES, Effort, Figure, Settings, figure_named
from ..paper.pictures import together
from ..report.metadata import BIBTEX, CITATIONS, claims_metadata, figure_metadata
from ..sources.numbers import read_number
from ..sources.samples import DataUnavailable
from ..sources.stored import unwritable
from ..support.workers import in_order
from . import UNAVAILABLE, output
from .inputs import FORCE, SEED, WORKERS, out_option
from .output import Picture, progress

ENDINGS = (".svg", ".png", ".html", ".csv")  # of a figure's files


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All figures, in the paper's order.")
@click.option(
    "--full", is_flag=True, help="As many data sets and trials as the paper; takes minutes."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="A file that ends in .svg, .png, .html or .csv, or a folder for all of them.",
)
@FORCE
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter, such as epsilon=2; repeatable.",
)
@SEED
@WORKERS
def figure(
    names: tuple[str, ...],
    every: bool,
    full: bool,
    out: Path | None,
    changed: tuple[str, ...],
    seed: int,
    workers: int,
) -> None:
    """Rebuild figures of the paper; without NAME list them.

    Prints what the paper says and how many of its claims hold. SVG, PNG and HTML open without a
    network; the CSV holds the numbers in the picture.
    """
    if not names and not every:
        click.echo("\n".join(f"{f.name:<24}{f.heading}" for f in FIGURES))
        return
    wanted = [figure_named(name) for name in names] if names else list(FIGURES)
    _check_figures(wanted, out)
    chosen, values = [], dict[str, float]()
    for text in changed:
        name, _, value = text.partition("=")
        try:
            values[name] = read_number(value)
        except ValueError as problem:
            raise ValueError(f"--set must look like epsilon=2, got {text!r}: {problem}") from None
    for f in wanted:  # of several figures, a figure takes the parameters that it has
        parameters = {parameter.name for parameter in f.parameters}
        own = {
            name: value for name, value in values.items() if name in parameters or len(wanted) == 1
        }
        chosen.append((f, f.settings(own, Effort.FULL if full else Effort.QUICK, seed)))
    missing = 0
    for f, settings in chosen:
        try:
            frame = _measured(f, settings, out, workers)
        except DataUnavailable as problem:
            click.echo(f"{f.heading}: {problem}", err=True)
            missing += 1
            continue
        claims_sentence = results.said_of(f, frame, settings)
        click.echo(f"{f.heading}\n  The paper says: {f.says}\n  {claims_sentence}")
        if different := f.changed_from_print(settings):
            click.echo(f"  Changed: {different}.")
    if missing:
        sys.exit(UNAVAILABLE)


def _check_figures(wanted: list[Figure], out: Path | None) -> None:
    """Raise ValueError if the results could not be written after all the work; makes the folder."""
    if out is None:
        return
    if out.suffix and out.suffix not in ENDINGS:
        raise ValueError(f"--out must end in {', '.join(ENDINGS)} or be a folder, got {str(out)!r}")
    if out.suffix and len(wanted) > 1:
        raise ValueError(f"--out must be a folder for several figures, got {str(out)!r}")
    if not out.suffix:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(out, error) from error
    for figure in wanted:
        for file in _files(figure, out):
            output.check_out(file, ENDINGS)


def _files(figure: Figure, out: Path) -> list[Path]:
    """Paths of a figure's files: the named file, or one file for each ending in a folder."""
    return (
        [out] if out.suffix in ENDINGS else [out / f"{figure.name}{ending}" for ending in ENDINGS]
    )


def _measured(figure: Figure, settings: Settings, out: Path | None, workers: int) -> pd.DataFrame:
    """Measure the rows of a figure, and write them where a file or a folder is named."""
    tasks = figure.tasks(settings)
    with closing(in_order(figure.measure, tasks, workers if len(tasks) > 8 else 1)) as work:
        frames = list(progress(work, "parts", len(tasks), name=figure.name))
    joined = figure.joined(frames, settings)
    if out is not None:
        panels = together(figure.panels(joined, settings), figure.columns)
        for path in _files(figure, out):
            content = joined if path.suffix == ".csv" else Picture(panels, width=None)
            output.write(content, path, figure_metadata(figure, settings))
    return joined


@click.command()
@out_option("a table, .json, .csv or .parquet", default=results.STORED, show_default=True)
@WORKERS
def claims(out: Path, workers: int) -> None:
    """Compute every numeric claim of the paper anew, and keep the numbers in a file.

    Each claim holds, or is of a kind: an error in print, not reproduced on public data, about data that are not public
    (ours are simulated), dependent on what is not in print, or about defaults that differ here.

    About two minutes. A .json file holds our numbers for the page Paper, the others the whole table. Claims about the
    UCI data sets need these, see the README.
    """
    if out != results.STORED:
        output.check_out(out, (".json", ".csv", ".parquet"))
    sections = progress(results.compute_all(workers), "sections", len(SECTIONS))
    computed = [result for section in sections for result in section]
    rows = results.frame(computed)
    if out.suffix == ".json":
        results.save(computed, out)
    else:
        output.write(rows, out, claims_metadata())
    click.echo(" ".join(filter(None, (results.headline(rows), results.others(rows)))))
    click.echo(results.differing(rows))
    click.echo(f"Written to {out}.")


@click.command()
@click.option("--bibtex", "as_bibtex", is_flag=True, help="Print BibTeX.")
def cite(as_bibtex: bool) -> None:
    """Print how to cite the paper and this tool."""
    click.echo(BIBTEX if as_bibtex else CITATIONS)
