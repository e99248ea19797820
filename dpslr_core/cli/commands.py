"""Comparing the algorithms on a file, as one data set or area by area."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click
import pandas as pd
from tqdm import tqdm

from .. import experiments
from ..dataset import Dataset
from ..experiments.areas import COLUMNS, measured_groups, split_groups
from ..report.areas import MeasuredAreas, report_on_areas
from ..report.content import report_on
from ..report.parts import Report
from ..scenario import Scenario
from ..sources.grouping import GroupedData
from ..support.run import Run
from ..text.phrases import SEEDED, format_amount, in_full
from ..text.view import View
from .files import write_frame
from .options import (
    ALGORITHMS,
    DATA,
    OUT,
    SEED,
    check_result,
    points_of,
    read_grouped,
    said,
    scenario_of,
)
from .parts import Parts, run_key
from .reports import REPORT, write_report
from .reports import WRITTEN as REPORTS

IN_UNITS_OF_Y = ["center", "c68", "c68_low", "c68_high", "c95", "standard_error", "bias"]
INTERRUPTED = 130  # the exit code of a shell command ended by Ctrl-C


@click.command("by-group")
@DATA
@click.option("--group", required=True, metavar="COLUMN", help="The column that tells the areas apart.")
@ALGORITHMS
@click.option("--trials", default=100, show_default=True, help="Trials per area, for algorithms without an exact law.")
@SEED
@click.option("--workers", default=-1, show_default=True, help="Processes; -1: one for each core.")
@click.option("--dask", metavar="tcp://HOST:PORT", help="A Dask scheduler to work on, in place of --workers.")
@click.option("--out", required=True, type=OUT, help="The result, .parquet or .csv; replaced at the end if it exists.")
@REPORT
def by_group(file: Path, group: str, workers: int, dask: str | None, out: Path, **options: Any) -> None:
    """Measure every algorithm in every area of FILE; write one row per area, algorithm and point.

    The numbers are in the units of the data and the same whatever the workers. Interrupted, the same command goes
    on from what is kept in OUT.part. Areas that cannot be used are listed in NAME.rejected.csv. Draws from a seed
    illustrate and may not be published as a release.
    """
    with said():
        check_result(out, file)
        _check_report(options["report"], file)
        grouped, rejected = read_grouped(file, group, options)
        scenario = scenario_of(grouped, options, group)
        groups = split_groups(grouped.frame)
        rejected = pd.concat([rejected, groups.rejected], ignore_index=True)
        parts = Parts(out, run_key(scenario, groups.datasets))
        with _interruptible(parts, len(groups.datasets)):
            measured = _measured(groups.datasets, scenario, parts, dask or workers)
            frame = _in_units(measured, grouped, scenario, options)
            write_frame(frame, out)
            _write_rejected(rejected, out)
            parts.remove()
        if options["report"]:
            write_report(_areas_report(_view(grouped, scenario), measured, rejected), options["report"])
    _summarise(frame, rejected, out)


def _check_report(report: Path | None, file: Path) -> None:
    """ValueError where the report could not be written after all the work."""
    if report is not None:
        check_result(report, file, REPORTS, "--report")


def _view(grouped: GroupedData, scenario: Scenario) -> View[Scenario]:
    """All that a report speaks of; its data set is the first."""
    group = grouped.usable[0]
    return View(scenario, grouped, group, grouped.dataset(group), grouped.x, grouped.y)


def _link(page: str, view: View[Scenario]) -> str:
    return f"/{page}?{urlencode(view.scenario.to_query(view.x), doseq=True)}"


def _areas_report(view: View[Scenario], measured: pd.DataFrame, rejected: pd.DataFrame) -> Report:
    """The report on the first point; measured: rows of by_group in the unit square."""
    at = view.scenario.at[0]
    areas = MeasuredAreas(measured[measured["at"] == at], None, rejected, view.scenario.trials)
    return report_on_areas(view, at, areas, _link("small_areas", view))


@contextmanager
def _interruptible(parts: Parts, areas: int) -> Iterator[None]:
    """Ctrl-C, a closed terminal or kill ends the run in order, with a word on how to go on."""
    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.default_int_handler) for number in ends}
    try:
        yield
    except KeyboardInterrupt:
        done = sum(part["group"].nunique() for part in parts.read())
        progress = f"{done:,} of {areas:,} areas are kept in {parts.folder}"
        click.echo(f"Interrupted: {progress}; run the same command again to go on.", err=True)
        sys.exit(INTERRUPTED)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _measured(datasets: Mapping[str, Dataset], scenario: Scenario, parts: Parts, workers: int | str) -> pd.DataFrame:
    """The frame of by_group in the unit square: what an interrupted run kept, and the rest, kept as it arrives."""
    frames = parts.read()
    done = {label for frame in frames for label in frame["group"]}
    if done:
        click.echo(f"Going on: {len(done):,} of {len(datasets):,} areas were kept in {parts.folder}.", err=True)
    s = scenario
    left = measured_groups(datasets, s.compared, s.budget, Run(s.trials, s.seed, workers), done)
    with tqdm(total=len(datasets), initial=len(done), unit=" areas", disable=None) as bar:
        for frame in left:
            parts.keep(len(frames), frame)
            frames.append(frame)
            bar.update(frame["group"].nunique())
    place = {label: number for number, label in enumerate(datasets)}
    frame = pd.concat(frames or [pd.DataFrame(columns=list(COLUMNS))], ignore_index=True)
    return frame.sort_values("group", key=lambda group: group.map(place), kind="stable", ignore_index=True)


def _in_units(
    frame: pd.DataFrame, grouped: GroupedData, scenario: Scenario, options: Mapping[str, Any]
) -> pd.DataFrame:
    """A frame of compare or by_group in the units of the data."""
    points = dict(zip(scenario.at, points_of(grouped, scenario, options), strict=True))
    scaled = {name: frame[name] * grouped.y.scale for name in IN_UNITS_OF_Y if name in frame}
    if "center" in frame:
        scaled["center"] = grouped.y.from_unit(frame["center"])
    if "nvar" in frame:
        scaled["nvar"] = frame["nvar"] * grouped.x.scale**2
    return frame.assign(at=frame["at"].map(points), **scaled)


def _write_rejected(rejected: pd.DataFrame, out: Path) -> None:
    """NAME.rejected.csv, or none where nothing was rejected."""
    path = out.with_name(f"{out.stem}.rejected.csv")
    if len(rejected):
        write_frame(rejected, path)
    else:
        path.unlink(missing_ok=True)


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
    for name, mine in experiments.shares_below(frame).groupby("mechanism", sort=False):
        known = mine.dropna(subset="below").sort_values("at").set_index("at")["below"]
        row = {"algorithm": name} | {f"at {in_full(point)}": f"{share:.1%}" for point, share in known.items()}
        rows.append(row | {"failed releases": f"{mine['failure_rate'].mean():.2%}", "guarantee": guarantees[name]})
    return pd.DataFrame(rows).fillna("")


@click.command()
@DATA
@ALGORITHMS
@click.option("--trials", default=1000, show_default=True, help="Trials, for algorithms without an exact law.")
@SEED
@REPORT
@click.option("--json", "as_json", is_flag=True, help="Print JSON; null where a number is infinite or undefined.")
def compare(file: Path, as_json: bool, **options: Any) -> None:
    """Compare the algorithms on FILE as one data set and print the error of each, in the units of the data.

    c68: 68% of the releases are this near to the OLS prediction. ratio: c68 in standard errors of that prediction.
    Draws from a seed illustrate and may not be published as a release.
    """
    with said():
        _check_report(options["report"], file)
        grouped, _ = read_grouped(file, None, options)
        s = scenario_of(grouped, options)
        data = grouped.dataset()
        result = experiments.compare(data, s.compared, s.epsilon, s.at, s.trials, s.seed, accounting=s.accounting)
        if options["report"]:
            view = _view(grouped, s)
            write_report(report_on(view, result, s.at[0], _link("compare", view)), options["report"])
    frame = _in_units(result.summary, grouped, s, options)
    if as_json:
        rows = json.loads(frame.to_json(orient="records", double_precision=15))
        about = {"n": data.n, "epsilon": s.epsilon, "accounting": s.accounting, "seed": s.seed}
        click.echo(json.dumps(about | {"summary": rows}, indent=2))
    else:
        shown = ["mechanism", "at", "center", "standard_error", "c68", "c95", "ratio", "failure_rate", "how"]
        click.echo(frame[shown].to_string(index=False, float_format=lambda value: format_amount(value, 4)))
