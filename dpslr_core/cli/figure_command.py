"""The paper's figures from a terminal: one of them, or all, as pictures and tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from ..charts.paper.files import DRAWN, written
from ..charts.paper.panels import together
from ..paper.figures import FIGURES, Effort, Figure, Settings, figure_named
from ..report.metadata import figure_metadata
from ..sources.files.stored import unwritable
from ..sources.files.typed import read_number
from ..sources.uci import DataUnavailable
from ..support.version import VERSION
from ..support.workers import in_order
from .ends import UNAVAILABLE, Refused, said
from .files import refuse_foreign, write_frame, write_result
from .options import SEED
from .output import check_folder
from .parts import Parts, digest_of, interruptible

ENDINGS = (*DRAWN, ".csv")


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All figures, in the paper's order.")
@click.option("--full", is_flag=True, help="As many data sets and trials as the paper; takes minutes.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR",
    help="A file that ends in .svg, .png, .html or .csv, or a folder for all of them.",
)
@click.option(
    "--set", "changed", multiple=True, metavar="NAME=VALUE", help="A parameter, such as epsilon=2; repeatable."
)
@SEED
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
def figure(
    names: tuple[str, ...], every: bool, full: bool, out: Path | None, changed: tuple[str, ...], seed: int, workers: int
) -> None:
    """Rebuild figures of the paper; without NAME list them.

    Prints what the paper says and whether our numbers agree. Interrupted, the same command goes on from what is kept
    beside the result. SVG, PNG and HTML open without a network; the CSV holds the numbers in the picture.
    """
    if not names and not every:
        click.echo("\n".join(f"{f.name:<24}{f.heading}" for f in FIGURES))
        return
    with said():
        wanted = [figure_named(name) for name in names] if names else list(FIGURES)
        _check(wanted, out)
        effort = Effort.FULL if full else Effort.QUICK
        chosen = [(f, f.settings(_values(changed, f, len(wanted) > 1), effort, seed)) for f in wanted]
        unavailable = [f.name for f, settings in chosen if not _made(f, settings, out, workers)]
    if unavailable:
        sys.exit(UNAVAILABLE)


def _check(wanted: list[Figure], out: Path | None) -> None:
    """ValueError where the results could not be written after all the work; makes the folder."""
    if out is None:
        return
    if out.suffix in ENDINGS:
        if len(wanted) > 1:
            raise ValueError(f"--out must be a folder for several figures, got {str(out)!r}")
        if not out.parent.is_dir():
            raise ValueError(f"--out: there is no folder {str(out.parent)!r}")
    elif out.suffix:
        raise ValueError(f"--out must end in {', '.join(ENDINGS)} or be a folder, got {str(out)!r}")
    else:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(out, error) from error
    check_folder(out if out.suffix else out / "figure")
    for figure in wanted:
        for file in _files(figure, out):
            refuse_foreign(file)


def _files(figure: Figure, out: Path) -> list[Path]:
    """The files of a figure: the one that is named, or one of each ending in a folder."""
    return [out] if out.suffix in ENDINGS else [out / f"{figure.name}{ending}" for ending in ENDINGS]


def _values(texts: tuple[str, ...], figure: Figure, of_several: bool) -> dict[str, float]:
    """The parameters of --set; of several figures each takes those that it has."""
    values = {}
    known = [parameter.name for parameter in figure.parameters]
    for text in texts:
        name, _, value = text.partition("=")
        try:
            number = read_number(value)
        except ValueError as problem:
            raise ValueError(f"--set must look like epsilon=2, got {text!r}: {problem}") from None
        if name in known or not of_several:
            values[name] = number
    return values


def _made(figure: Figure, settings: Settings, out: Path | None, workers: int) -> bool:
    """Measure a figure, write it and say what it shows; False, with a sentence, where its data cannot be had."""
    try:
        frame = _measured(figure, settings, out, workers)
    except DataUnavailable as problem:
        click.echo(f"{figure.heading}: {problem}", err=True)
        return False
    click.echo(f"{figure.heading}\n  The paper says: {figure.says}\n  {figure.agrees(frame, settings)}")
    if changed := figure.changed_from_print(settings):
        click.echo(f"  Changed: {changed}.")
    return True


def _measured(figure: Figure, settings: Settings, out: Path | None, workers: int) -> pd.DataFrame:
    """The rows of a figure, written where they are wanted; what an interrupted run kept is not measured again."""
    tasks = list(figure.tasks(settings))
    if out is None:
        return figure.joined(list(_frames(figure, dict(enumerate(tasks)), workers, 0).values()), settings)
    parts = Parts(out if out.suffix in ENDINGS else out / figure.name, _key(figure, settings))
    done = dict(parts.read())
    with _kept(parts, len(tasks)):
        left = {number: task for number, task in enumerate(tasks) if number not in done}
        done |= _frames(figure, left, workers, len(done), parts)
        frame = figure.joined([done[number] for number in sorted(done)], settings)
        _write(figure, frame, settings, _files(figure, out))
        parts.remove()
    return frame


@contextmanager
def _kept(parts: Parts, tasks: int) -> Iterator[None]:
    """An interruption says how much there is."""
    with interruptible(lambda: f"{sum(1 for _ in parts.read()):,} of {tasks:,} parts are kept in {parts.folder}"):
        yield


def _frames(
    figure: Figure, left: Mapping[int, Any], workers: int, done: int, parts: Parts | None = None
) -> dict[int, pd.DataFrame]:
    """The rows of the parts that are left, kept as they arrive."""
    frames = {}
    with tqdm(total=done + len(left), initial=done, desc=figure.name, unit=" parts", disable=None) as bar:
        work = in_order(figure.measure, list(left.values()), workers if len(left) > 8 else 1)
        with closing(work) as arriving:
            for number, frame in zip(left, arriving, strict=True):
                if parts is not None:
                    parts.keep(number, frame)
                frames[number] = frame
                bar.update()
    return frames


def _write(figure: Figure, frame: pd.DataFrame, settings: Settings, files: list[Path]) -> None:
    """Pictures and tables, each whole or not at all. Refused where the package that draws is not there."""
    chart = together(figure.panels(frame, settings), figure.columns, figure.width)
    for path in files:
        if path.suffix == ".csv":
            write_frame(frame, path, figure_metadata(figure, settings))
            continue
        try:
            write_result(written(chart, path.suffix), path)
        except ImportError as error:
            raise Refused("SVG, PNG and HTML need: pip install vl-convert-python") from error


def _key(figure: Figure, settings: Settings) -> str:
    """A name for a run: everything that determines its numbers."""
    versions = [VERSION, np.__version__, scipy.__version__]
    return digest_of({"figure": figure.name, "settings": repr(settings), "versions": versions})
