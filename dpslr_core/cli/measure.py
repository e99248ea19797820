"""Errors of the algorithms: on one data set (``dpslr compare``), as a parameter varies (``sweep``), in every area
(``by-group``), and reports on them (``report``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..dataset import Dataset
from ..experiments import Comparison, ranges
from ..experiments.areas import AREA_TRIALS, COLUMNS, measured_groups, shares_below, split_groups
from ..experiments.comparison import compare_one
from ..experiments.crossings import leads
from ..experiments.ranking import candidates
from ..experiments.sweep import Sweep, combine, plan_sweep, sweep_batches
from ..guidance.area_epsilons import passing_epsilons, sought_mechanisms
from ..mechanisms import algorithms
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import admitted
from ..report.document import Report
from ..report.metadata import Metadata, metadata, page_link, public_metadata
from ..scenario import Scenario
from ..sources.axis import Axis
from ..sources.choices import Synthetic
from ..sources.numbers import parse_points
from ..sources.stored import unwritable
from ..support import VERSION
from ..support.readable import format_amount, in_full
from ..support.run import Run, give_memory_back
from ..support.tables import Rows
from ..support.workers import end_processes
from ..text.areas import flat_in
from ..text.data import View
from ..text.phrases import SEEDED, listed
from ..text.sweep import SweepDescription
from .inputs import (
    ALGORITHMS,
    DATA,
    FLAT_LINES,
    JSON,
    LOOK_AT,
    MODEL,
    NUMBER,
    OUT,
    OWN_SEED,
    REPORT,
    WHOLE,
    WORKERS,
    Input,
    Options,
    Units,
    in_units,
    looked_at,
    model_options,
    out_option,
    points_of,
    read_input,
    trials_option,
    view_of,
    with_options,
)
from .output import (
    PAGES,
    PICTURES,
    PRIVACY,
    REPORTS,
    TABLES,
    Output,
    Parts,
    check_out,
    interruptible,
    is_own,
    progress,
    refuse_foreign,
    run_key,
    write_frame,
    write_report,
    write_result,
    written_report,
)

# One data set.

ERRORS = ("mechanism", "at", "center", "standard_error", "c68", "c95", "ratio", "gap", "noise", "failure_rate", "how")


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
    check_out(out, (*TABLES, *REPORTS, *PICTURES), file)
    check_out(report, REPORTS, file, "--report")
    read = read_input(file, options)
    view, s = read.view, read.view.scenario
    result = measured_comparison(view.data, s)
    make = partial(compare_report, view, s.at[0], result)
    if report is not None:
        write_report(make(), report)
    about = metadata(view, "errors of the algorithms on one data set", page_link("compare", s, view.x))
    summary = {"n": view.data.n, "epsilon": s.epsilon, "accounting": s.accounting, "seed": s.seed}
    Output(in_units(result.summary, read.units), about, "summary", ERRORS, summary, make).deliver(out, as_json)


def measured_comparison(data: Dataset, s: Scenario) -> Comparison:
    """compare for a scenario, with a bar. ValueError where the accounting leaves none."""
    if not s.admitted:
        raise ValueError(f"accounting {s.accounting} leaves none of the algorithms")
    run = Run(s.trials, s.seed)
    return Comparison.of([compare_one(data, m, s.budget, run) for m in progress(s.admitted, "algorithms")])


def compare_report(view: View, at: float, comparison: Comparison) -> Report:
    """The report on one of the points."""
    from ..report.content import report_on  # its pictures come with the app

    return report_on(view, comparison, at, page_link("compare", view.scenario, view.x))


# A parameter that varies.

SWEPT = ("value", "mechanism", "mean", "monte_carlo_error", "median", "infinite_share", "exact")
ERROR = "error in standard errors"


@click.command()
@DATA
@MODEL
@ALGORITHMS
@OWN_SEED
@click.option("--vary", default="n", show_default=True, type=click.Choice(tuple(ranges.RANGES)), help="The parameter.")
@click.option("--values", metavar="V[,V...]", help="Exactly these values; x_new in the units of x.")
@click.option("--from", "low", type=NUMBER, help="The smallest value.  [default: that of the page]")
@click.option("--to", "high", type=NUMBER, help="The largest value.  [default: that of the page]")
@click.option("--count", default=ranges.USUAL_VALUES, show_default=True, help="Values between them.")
@click.option("--datasets", default=ranges.USUAL_DATASETS, show_default=True, help="Simulated data sets at each value.")
@click.option(
    "--trials", type=WHOLE,
    help="Trials on each data set for algorithms without an exact law.  [default: "
    f"{ranges.USUAL_TRIALS}, on loaded data {ranges.LOADED_TRIALS}; never more than the scenario's]",
)  # fmt: skip
@WORKERS
@out_option("a table (.csv, .parquet, .json) or a picture (.svg, .png, and .html to move in)")
@JSON
def sweep(file: Path | None, out: Path | None, as_json: bool, workers: int, **options: Any) -> None:
    """Vary one parameter and print the error of every algorithm, in standard errors.

    On simulated data sets of a linear model (--n --var-x --var-e, or a scenario with such data), or on FILE or the data
    of a scenario. The error is measured at the first point of --at. With --scenario: the numbers of the page Sweep.
    """
    check_out(out, (*TABLES, *PICTURES, *PAGES), file)
    view, described = _described_sweep(file, options)
    s, data, parameter, datasets = described.base, described.data, described.parameter, described.datasets
    result = _swept(described, workers)
    frame, sentence = result.frame, _leaders(result, described)
    if parameter == "x_new":
        frame = frame.assign(value=view.x.from_unit(frame["value"]))
    title = f"error of the algorithms as {parameter} varies, in standard errors"
    more = {"varied": parameter, "data sets": datasets, "trials": described.trials}
    about = public_metadata(s, title, "", more) if data is None else metadata(view, title, "", more)
    output = Output(frame, about, "rows", SWEPT, picture=partial(_sweep_picture, frame, parameter, sentence))
    if out is not None and out.suffix in PAGES:
        output.write(out)
        click.echo(f"Written to {out}.", err=True)
        output.deliver(None, as_json, sentence)
    else:
        output.deliver(out, as_json, sentence if out is None else "")


def _swept(described: SweepDescription, workers: int) -> Sweep:
    """The errors at all values, with a bar; few values at a time, because one task holds all values of a data set."""
    s, data, datasets, count = described.base, described.data, described.datasets, len(described.values)
    if count > ranges.MOST_VALUES:
        click.echo(f"Note: {count:,} values, at each of them {datasets:,} data sets.", err=True)
    batches, run = [], Run(described.trials, s.seed, workers)
    with progress(unit="data sets", total=datasets * count) as bar:
        source = s.linear_model if data is None else data
        plan = plan_sweep(described.parameter, described.values, source, s.budget, described.mechanisms)
        for first in range(0, count, ranges.MOST_VALUES):
            part = replace(plan, settings=plan.settings[first : first + ranges.MOST_VALUES])
            for batch in sweep_batches(part, run, datasets):
                batches.append(batch)
                bar.update(len(batch.ratios))
    return combine(batches)


def _described_sweep(file: Path | None, options: Options) -> tuple[View, SweepDescription]:
    """The sweep that the options name, and the view of its scenario."""
    model, without_trials = model_options(options), {**options, "trials": None}
    if file is None and options["scenario"] is None:
        at = {"at": points_of(options)} if options["at"] else {}
        every = tuple(algorithm() for algorithm in algorithms())
        scenario = with_options(Scenario(source=Synthetic(**model), mechanisms=every, **at), without_trials)
        view = view_of(scenario, scenario.source.load())
    else:
        view = read_input(file, without_trials).view
        if model:
            source = view.scenario.source
            if not isinstance(source, Synthetic):
                raise ValueError(f"--{next(iter(model)).replace('_', '-')} can be given for simulated data only")
            source = Synthetic(**(source.model_dump(exclude={"kind"}) | model))
            view = view_of(view.scenario.model_copy(update={"source": source}), source.load())
    s, parameter = view.scenario, options["vary"]
    data = None if isinstance(s.source, Synthetic) else view.data
    datasets, most = (options["datasets"], ranges.USUAL_TRIALS) if data is None else (1, ranges.LOADED_TRIALS)
    values, mechanisms = _swept_values(options, view.x), tuple(ranges.swept_mechanisms(s, parameter))
    return view, SweepDescription(
        parameter, values, s, mechanisms, datasets, options["trials"] or min(s.trials, most), data
    )


def _swept_values(options: Options, x: Axis) -> tuple[float, ...]:
    """The values of the parameter, x_new in the unit square. ValueError names what cannot be."""
    parameter = options["vary"]
    of_x = parameter == "x_new"
    if options["values"]:
        typed = parse_points(options["values"], "--values", x.numbers if of_x else "point")
        values = ranges.listed_values(parameter, typed, x)
    else:
        low, high = (x.lower, x.upper) if of_x else (ranges.RANGES[parameter].first, ranges.RANGES[parameter].last)
        low = low if options["low"] is None else options["low"]
        high = high if options["high"] is None else options["high"]
        values = ranges.values_between(parameter, (low, high), options["count"], x)
    return tuple(float(value) for value in x.to_unit(values)) if of_x else values


def _leaders(result: Sweep, described: SweepDescription) -> str:
    """The sentence that names the leading algorithm at both ends."""
    s = described.base
    ahead = leads(result, [m.name for m in candidates(s.admitted, s.budget)])
    if not ahead:
        return "No private algorithm answers often enough at any of these values.\n"
    ends = [
        f"at {described.parameter} = {in_full(end)} {ahead[end].mechanism}, {format_amount(ahead[end].error)}"
        " standard errors"
        for end in dict.fromkeys((min(ahead), max(ahead)))
    ]
    return f"Smallest error of a private algorithm: {listed(ends)}.\n"


def _sweep_picture(frame: pd.DataFrame, parameter: str, sentence: str) -> tuple[dict[str, Any], str]:
    """The curves, and the sentence as their name."""
    from ..charts.curves import error_curves  # charts come with the app

    ends = float(frame["value"].min()), float(frame["value"].max())
    return error_curves(frame, ends, ranges.RANGES[parameter].name, ERROR), sentence


# Every area.

LEFT_OUT = ", areas that were left out"  # the kind of NAME.rejected.csv


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
    check_out(out, (".parquet", ".csv"), file)
    check_out(report, REPORTS, file, "--report")
    rejected_file = _rejected_file(out, file)
    if group is None and options["scenario"] is None:
        raise ValueError("--group must be given with FILE: the column that tells the areas apart")
    areas = _read_areas(file, group, options, report is not None)
    parts, labels = Parts(out, _key(areas)), tuple(areas.datasets)

    def so_far() -> str:
        done = sum(part["group"].nunique() for _, part in parts.read())
        return f"{done:,} of {len(labels):,} areas are kept in {parts.folder}"

    with interruptible(so_far):
        frame, shown = _measured_areas(areas, parts, dask or workers)
        write_frame(_in_order(frame, labels), out, areas.about)
        _write_rejected(areas.rejected, rejected_file)
        parts.remove()
    if areas.view is not None and report is not None:
        rows, at = _in_order(shown, labels), areas.scenario.at[0]
        write_report(areas_report(areas.view, at, rows, areas.rejected, flat_lines), report)
    if options["as_json"]:
        counts = {"areas": frame["group"].nunique(), "rejected": len(areas.rejected), "written": str(out)}
        click.echo(Output(shares_below(frame, flat_lines), areas.about, "shares", None, counts).json())
    else:
        _summarise(frame, areas.rejected, out, flat_lines)


@dataclass(frozen=True)
class Areas:
    """The areas to be measured. datasets: empty once they are measured, as they take much memory.

    view: with the records, for a report; None where none is wanted.
    """

    scenario: Scenario
    datasets: dict[str, Dataset]
    rejected: pd.DataFrame
    units: Units
    about: Metadata
    view: View | None


def _read_areas(file: Path | None, group: str | None, options: Options, reported: bool) -> Areas:
    """The areas in the file or of the scenario; of the table itself nothing is held."""
    read = read_input(file, options, group, AREA_TRIALS)
    give_memory_back()
    view, groups = read.view, split_groups(read.view.grouped.frame)
    rejected = pd.concat([read.rejected, groups.rejected], ignore_index=True)
    link = page_link("small_areas", view.scenario, view.x)
    about = metadata(view, "errors of the algorithms in every area", link)
    datasets, shown = dict(groups.datasets), view if reported else None
    return Areas(view.scenario, datasets, rejected, read.units, about, shown)


def _key(areas: Areas) -> str:
    """A name for a run; the module of an algorithm from a file is named after the file's content."""
    return run_key({
        "scenario": areas.scenario.model_dump(mode="json"),
        "mechanisms": [[type(m).__module__, repr(m)] for m in areas.scenario.compared],
        "groups": [[label, data.digest] for label, data in areas.datasets.items()],
        "columns": COLUMNS,
    })  # fmt: skip


def _measured_areas(areas: Areas, parts: Parts, workers: int | str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of by_group in the units of the data, and for a report those of the first point in the unit square.

    Parts of an interrupted run come first, then the rest, which is added to them as it arrives.
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
    with closing(left), progress(unit="areas", total=count, initial=len(done)) as bar:
        for number, frame in enumerate(left, first_new):
            parts.add(number, frame)
            add(frame)
            bar.update(frame["group"].nunique())
    if isinstance(workers, int) and workers != 1:
        end_processes()  # the whole table takes their memory
    return rows.frame(), shown.frame()


def _in_order(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """The rows in the order of the areas, which they have already unless a part was removed."""
    numbers = {label: number for number, label in enumerate(labels)}
    if frame["group"].drop_duplicates().map(numbers).is_monotonic_increasing:
        return frame
    return frame.sort_values("group", key=lambda group: group.map(numbers), kind="stable", ignore_index=True)


def _rejected_file(out: Path, file: Path | None) -> Path:
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
    for name, shares in shares_below(frame, flat_lines).groupby("mechanism", sort=False):
        known = shares.dropna(subset="below").sort_values("at").set_index("at")["below"]
        row = {"algorithm": name, "line": flat_in(int(shares["flat"].max()), int(shares["areas"].max()))}
        row |= {f"at {in_full(point)}": f"{share:.1%}" for point, share in known.items()}
        rows.append(row | {"failed releases": f"{shares['failure_rate'].mean():.2%}", "guarantee": guarantees[name]})
    table = pd.DataFrame(rows).fillna("")
    return table if (table["line"] != "").any() else table.drop(columns="line")


# Reports.


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
    check_out(out, (*REPORTS, *PICTURES), file)
    on_areas = areas or group is not None
    read = read_input(file, options, group, AREA_TRIALS if on_areas else None)
    view, at = read.view, looked_at(read, options["look_at"])
    if on_areas:
        made = _report_on_areas(read, at, workers, options["flat_lines"])
    else:
        made = compare_report(view, at, measured_comparison(view.data, view.scenario))
    write_result(written_report(made, out.suffix), out)
    click.echo(f"Written to {out}. {PRIVACY}")


def _report_on_areas(read: Input, at: float, workers: int, flat_lines: bool) -> Report:
    """The report on all areas, measured with progress."""
    s, groups = read.view.scenario, split_groups(read.view.grouped.frame)
    measured = measured_rows(groups.datasets, s.compared, s.budget, Run(s.trials, s.seed, workers))
    rejected = pd.concat([read.rejected, groups.rejected], ignore_index=True)
    epsilons = measured_epsilons(groups.datasets, s, at, workers)
    return areas_report(read.view, at, measured, rejected, flat_lines, epsilons)


def measured_rows(
    datasets: Mapping[Any, Dataset], mechanisms: Sequence[Mechanism], budget: Budget, run: Run
) -> pd.DataFrame:
    """The rows of by_group in the unit square, with a bar."""
    frames = []
    with progress(unit="areas", total=len(datasets)) as bar:
        for frame in measured_groups(datasets, mechanisms, budget, run):
            frames.append(frame)
            bar.update(frame["group"].nunique())
    return pd.concat(frames, ignore_index=True)


def measured_epsilons(datasets: Mapping[Any, Dataset], s: Scenario, at: float, workers: int | str) -> pd.DataFrame:
    """passing_epsilons of a scenario's algorithms at one of its points, with a bar."""
    budget = replace(s.budget, at=(at, *(point for point in s.at if point != at)))
    with progress(unit="areas: smallest epsilon", total=len(datasets)) as bar:
        return passing_epsilons(datasets, sought_mechanisms(s.compared, s.accounting), budget, workers, bar.update)


def areas_report(
    view: View,
    at: float,
    measured: pd.DataFrame,
    rejected: pd.DataFrame,
    flat_lines: bool,
    epsilons: pd.DataFrame | None = None,
) -> Report:
    """The report on one of the points; measured: rows of by_group in the unit square.

    flat_lines: whether a line without slope passes too. epsilons: of passing_epsilons at the point, where they were
    sought.
    """
    from ..report.content import MeasuredAreas, report_on_areas

    areas = MeasuredAreas(measured[measured["at"] == at], epsilons, rejected, view.scenario.trials, flat_lines)
    return report_on_areas(view, at, areas, page_link("small_areas", view.scenario, view.x))
