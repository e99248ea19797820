"""``dpslr by-group``: the algorithms in every area, whatever interrupts it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pandas as pd
from tqdm import tqdm

from ...dataset import Dataset
from ...experiments.areas import AREA_TRIALS, COLUMNS, measured_groups, shares_below, split_groups
from ...report.metadata import metadata, page_link
from ...scenario import Scenario
from ...sources.files.stored import unwritable
from ...support.run import Run
from ...text.phrases import SEEDED, in_full
from ..ends import said
from ..files import write_frame
from ..given.data import in_units, read_input
from ..options import ALGORITHMS, DATA, JSON, OUT, OWN_SEED, WORKERS, trials_option
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
@WORKERS
@click.option("--dask", metavar="tcp://HOST:PORT", help="A Dask scheduler to work on, in place of --workers.")
@click.option("--out", required=True, type=OUT, help="The result, .parquet or .csv; replaced at the end if it exists.")
@REPORT
@JSON
def by_group(
    file: Path | None, group: str | None, workers: int, dask: str | None, out: Path, report: Path | None, **options: Any
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
        if group is None and options["scenario"] is None:
            raise ValueError("--group must be given with FILE: the column that tells the areas apart")
        given = read_input(file, options, group, AREA_TRIALS)
        scenario, groups = given.view.scenario, split_groups(given.view.grouped.frame)
        rejected = pd.concat([given.rejected, groups.rejected], ignore_index=True)
        about = metadata(
            given.view, "errors of the algorithms in every area", page_link("small_areas", scenario, given.view.x)
        )
        parts = Parts(out, run_key(scenario, groups.datasets))
        with interruptible(lambda: _kept(parts, len(groups.datasets))):
            measured = _measured(groups.datasets, scenario, parts, dask or workers)
            frame = in_units(measured, given)
            write_frame(frame, out, about)
            _write_rejected(rejected, out)
            parts.remove()
        if report is not None:
            write_report(areas_report(given.view, scenario.at[0], measured, rejected)(), report)
    if options["as_json"]:
        counts = {"areas": frame["group"].nunique(), "rejected": len(rejected), "written": str(out)}
        click.echo(Output(shares_below(frame), about, "shares", None, counts).json())
    else:
        _summarise(frame, rejected, out)


def _kept(parts: Parts, areas: int) -> str:
    """How much of a run there is, and where."""
    done = sum(part["group"].nunique() for part in parts.read())
    return f"{done:,} of {areas:,} areas are kept in {parts.folder}"


def _measured(datasets: Mapping[str, Dataset], scenario: Scenario, parts: Parts, workers: int | str) -> pd.DataFrame:
    """The frame of by_group in the unit square: what an interrupted run kept, and the rest, kept as it arrives."""
    frames = parts.read()
    done = {label for frame in frames for label in frame["group"]}
    if done:
        click.echo(f"Going on: {len(done):,} of {len(datasets):,} areas were kept in {parts.folder}.", err=True)
    s = scenario
    left = measured_groups(datasets, s.compared, s.budget, Run(s.trials, s.seed, workers), done)
    with closing(left), tqdm(total=len(datasets), initial=len(done), unit=" areas", disable=None) as bar:
        for frame in left:
            parts.keep(len(frames), frame)
            frames.append(frame)
            bar.update(frame["group"].nunique())
    place = {label: number for number, label in enumerate(datasets)}
    frame = pd.concat(frames or [pd.DataFrame(columns=list(COLUMNS))], ignore_index=True)
    return frame.sort_values("group", key=lambda group: group.map(place), kind="stable", ignore_index=True)


def _write_rejected(rejected: pd.DataFrame, out: Path) -> None:
    """NAME.rejected.csv, or none where nothing was rejected."""
    path = out.with_name(f"{out.stem}.rejected.csv")
    if len(rejected):
        write_frame(rejected, path)
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def _summarise(frame: pd.DataFrame, rejected: pd.DataFrame, out: Path) -> None:
    """Print the summary of all areas."""
    areas = frame["group"].nunique()
    click.echo(f"{areas:,} areas. Share of them with noise, C(68), below the sampling error, by point:\n")
    click.echo(summary(frame).to_string(index=False))
    if len(rejected):
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in rejected["reason"].value_counts().items())
        click.echo(f"\n{len(rejected):,} areas could not be used: {reasons}; see {out.stem}.rejected.csv.")
    click.echo(f"\nWritten to {out}. It is computed from the true data and is not private. {SEEDED}")


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Per algorithm: the share of areas with ratio below 1 at each point, of those with a sampling error; failures."""
    guarantees = frame.groupby("mechanism", sort=False)["guarantee"].first()
    rows = []
    for name, mine in shares_below(frame).groupby("mechanism", sort=False):
        known = mine.dropna(subset="below").sort_values("at").set_index("at")["below"]
        row = {"algorithm": name} | {f"at {in_full(point)}": f"{share:.1%}" for point, share in known.items()}
        rows.append(row | {"failed releases": f"{mine['failure_rate'].mean():.2%}", "guarantee": guarantees[name]})
    return pd.DataFrame(rows).fillna("")
