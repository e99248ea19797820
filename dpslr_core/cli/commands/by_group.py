"""``dpslr by-group``: the algorithms in every area, whatever interrupts it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pandas as pd
from tqdm import tqdm

from ...dataset import Dataset
from ...experiments.areas import AREA_TRIALS, COLUMNS, measured_groups, shares_below, split_groups
from ...mechanisms.accounting import admitted
from ...report.metadata import Metadata, metadata, page_link
from ...scenario import Scenario
from ...sources.files.stored import unwritable
from ...support.run import Run
from ...support.version import VERSION
from ...support.work.memory import give_memory_back
from ...support.work.rows import Rows
from ...support.workers import end_processes
from ...text.areas import flat_in
from ...text.phrases import SEEDED, in_full
from ...text.view import View
from ..ends import said
from ..files import is_own, refuse_foreign, write_frame
from ..given.data import Units, in_units, read_input
from ..options import ALGORITHMS, DATA, FLAT_LINES, JSON, OUT, OWN_SEED, WORKERS, trials_option
from ..output import REPORTS, Output, check_out
from ..parts import Parts, interruptible, run_key
from ..reports import REPORT, areas_report, write_report

WRITTEN = (".parquet", ".csv")


@click.command("by-group")
@DATA
@click.option("--group", metavar="COLUMN", help="The column that tells the areas apart.")
@ALGORITHMS
@trials_option(AREA_TRIALS, "Trials per area,")
@OWN_SEED
@FLAT_LINES
@WORKERS
@click.option("--dask", metavar="tcp://HOST:PORT", help="A Dask scheduler to work on, in place of --workers.")
@click.option("--out", required=True, type=OUT, help="The result, .parquet or .csv; replaces an earlier one.")
@REPORT
@JSON
def by_group(
    file: Path | None,
    group: str | None,
    flat_lines: bool,
    workers: int,
    dask: str | None,
    out: Path,
    report: Path | None,
    **options: Any,
) -> None:
    """Measure every algorithm in every area of FILE; write one row per area, algorithm and point.

    The numbers are in the units of the data and the same whatever the workers. Interrupted, the same command goes
    on from what is kept in OUT.part. Areas that cannot be used are listed in NAME.rejected.csv. With --scenario: the
    numbers of the page Small areas, with its 100 trials at most. Draws from a seed illustrate and may not be published
    as a release.
    """
    with said():
        check_out(out, WRITTEN, file)
        check_out(report, REPORTS, file, "--report")
        left_out = _rejected_path(out, file)
        if group is None and options["scenario"] is None:
            raise ValueError("--group must be given with FILE: the column that tells the areas apart")
        areas = _read(file, group, options, report is not None)
        parts, labels = Parts(out, run_key(areas.scenario, areas.datasets)), tuple(areas.datasets)
        with interruptible(lambda: _kept(parts, len(labels))):
            frame, shown = _measured(areas, parts, dask or workers)
            write_frame(_in_order(frame, labels), out, areas.about)
            _write_rejected(areas.rejected, left_out)
            parts.remove()
        if areas.view is not None and report is not None:
            in_unit_square = _in_order(shown, labels)
            write_report(
                areas_report(areas.view, areas.scenario.at[0], in_unit_square, areas.rejected, flat_lines)(), report
            )
    if options["as_json"]:
        counts = {"areas": frame["group"].nunique(), "rejected": len(areas.rejected), "written": str(out)}
        click.echo(Output(shares_below(frame, flat_lines), areas.about, "shares", None, counts).json())
    else:
        _summarise(frame, areas.rejected, out, flat_lines)


@dataclass(frozen=True)
class _Areas:
    """What is measured, and how it is told. datasets: empty once they are measured, as they take much memory.

    view: with the records, for a report; None where none is wanted.
    """

    scenario: Scenario
    datasets: dict[str, Dataset]
    rejected: pd.DataFrame
    units: Units
    about: Metadata
    view: View[Scenario] | None


def _read(file: Path | None, group: str | None, options: dict[str, Any], reported: bool) -> _Areas:
    """The areas in the file or of the scenario; of the table itself nothing is held."""
    given = read_input(file, options, group, AREA_TRIALS)
    give_memory_back()
    view, groups = given.view, split_groups(given.view.grouped.frame)
    rejected = pd.concat([given.rejected, groups.rejected], ignore_index=True)
    link = page_link("small_areas", view.scenario, view.x)
    about = metadata(view, "errors of the algorithms in every area", link)
    datasets, shown = dict(groups.datasets), view if reported else None
    return _Areas(view.scenario, datasets, rejected, given.units, about, shown)


def _kept(parts: Parts, areas: int) -> str:
    """How much of a run there is, and where."""
    done = sum(part["group"].nunique() for _, part in parts.read())
    return f"{done:,} of {areas:,} areas are kept in {parts.folder}"


def _measured(areas: _Areas, parts: Parts, workers: int | str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of by_group in the units of the data, and for a report those of the first point in the unit square.

    They are what an interrupted run kept, and the rest, which is kept as it arrives.
    """
    s, count = areas.scenario, len(areas.datasets)
    size = count * len(admitted(s.compared, s.budget)) * len(s.at)
    rows, shown = Rows(size, COLUMNS), Rows(size, COLUMNS)

    def add(frame: pd.DataFrame) -> None:
        rows.add(in_units(frame, areas.units))
        if areas.view is not None:
            shown.add(frame[frame["at"] == s.at[0]])

    done: set[str] = set()
    first_new = 0
    for number, frame in parts.read():
        first_new = number + 1
        done.update(frame["group"])
        add(frame)
    if done:
        click.echo(f"Going on: {len(done):,} of {count:,} areas were kept in {parts.folder}.", err=True)
    left = measured_groups(dict(areas.datasets), s.compared, s.budget, Run(s.trials, s.seed, workers), done)
    areas.datasets.clear()
    give_memory_back()
    with closing(left), tqdm(total=count, initial=len(done), unit=" areas", disable=None) as bar:
        for number, frame in enumerate(left, first_new):
            parts.keep(number, frame)
            add(frame)
            bar.update(frame["group"].nunique())
    if isinstance(workers, int) and workers != 1:
        end_processes()  # the whole table takes their memory
    return rows.frame(), shown.frame()


def _in_order(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """The rows in the order of the areas, which is theirs already unless a part was removed."""
    place = {label: number for number, label in enumerate(labels)}
    if frame["group"].drop_duplicates().map(place).is_monotonic_increasing:
        return frame
    return frame.sort_values("group", key=lambda group: group.map(place), kind="stable", ignore_index=True)


LEFT_OUT = ", areas that were left out"  # what NAME.rejected.csv is


def _rejected_path(out: Path, file: Path | None) -> Path:
    """NAME.rejected.csv. ValueError where there is a file of that name that is no earlier list of this command."""
    path = out.with_name(f"{out.stem}.rejected.csv")
    if file is not None and path.exists() and path.resolve() == file.resolve():
        raise ValueError(f"--out would replace {str(path)!r}, the data: choose another name, or move that file")
    refuse_foreign(path, LEFT_OUT)
    return path


def _write_rejected(rejected: pd.DataFrame, path: Path) -> None:
    """NAME.rejected.csv, or none where nothing was rejected: one of an earlier run is removed."""
    if len(rejected):
        write_frame(rejected, path, {"dpslr": VERSION, "table": LEFT_OUT.removeprefix(", ")}, LEFT_OUT)
        return
    try:
        if is_own(path, LEFT_OUT):
            path.resolve().unlink()  # of a link the file that it leads to, as when it is written
    except OSError as error:
        raise unwritable(path, error) from error


def _summarise(frame: pd.DataFrame, rejected: pd.DataFrame, out: Path, flat_lines: bool) -> None:
    """Print the summary of all areas."""
    areas = frame["group"].nunique()
    click.echo(f"{areas:,} areas. Share of them that pass, their C(68) below the sampling error, by point:\n")
    click.echo(summary(frame, flat_lines).to_string(index=False))
    if len(rejected):
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in rejected["reason"].value_counts().items())
        click.echo(f"\n{len(rejected):,} areas could not be used: {reasons}; see {out.stem}.rejected.csv.")
    click.echo(f"\nWritten to {out}. It is computed from the true data and is not private. {SEEDED}")


def summary(frame: pd.DataFrame, flat_lines: bool = False) -> pd.DataFrame:
    """Per algorithm: the share of areas that pass at each point, of those with a sampling error; failures; flat lines.

    flat_lines: whether a line without slope passes too.
    """
    guarantees = frame.groupby("mechanism", sort=False)["guarantee"].first()
    rows = []
    for name, mine in shares_below(frame, flat_lines).groupby("mechanism", sort=False):
        known = mine.dropna(subset="below").sort_values("at").set_index("at")["below"]
        row = {"algorithm": name, "line": flat_in(int(mine["flat"].max()), int(mine["areas"].max()))}
        row |= {f"at {in_full(point)}": f"{share:.1%}" for point, share in known.items()}
        rows.append(row | {"failed releases": f"{mine['failure_rate'].mean():.2%}", "guarantee": guarantees[name]})
    table = pd.DataFrame(rows).fillna("")
    return table if (table["line"] != "").any() else table.drop(columns="line")
