"""Errors of the algorithms: ``dpslr compare`` (one data set), ``sweep``, ``by-group`` (every area) and ``report``."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..charts.curves import error_curves
from ..dataset import Dataset
from ..experiments import Comparison, ranges
from ..experiments.areas import AREA_TRIALS, COLUMNS, measured_groups, shares_below, split_groups
from ..experiments.comparison import compare_one
from ..experiments.ranking import ranking
from ..experiments.sweep import combine, plan_sweep, sweep_batches
from ..guidance.area_epsilons import QUESTIONS, passing_epsilons, sought_mechanisms
from ..guidance.decision import Decision, areas_of, drawn_areas, usable_areas
from ..mechanisms.base import Mechanism
from ..report.content import MeasuredAreas, report_on, report_on_areas
from ..report.metadata import metadata, page_link, public_metadata
from ..scenario import Scenario
from ..sources.choices import Synthetic
from ..sources.numbers import parse_points
from ..support import VERSION
from ..support.readable import in_full
from ..support.run import Run, give_memory_back
from ..support.tables import joined_rows
from ..support.workers import end_processes
from ..text.areas import flat_in
from ..text.compare import answer
from ..text.data import COMPUTED, ON_ONE_LINE, View
from ..text.phrases import SEEDED, joined, place_on
from ..text.sweep import ERROR, SweepDescription, SweepFacts, headline, lead_sentences, notes
from . import inputs, output
from .inputs import Options
from .output import PICTURES, REPORTS, TABLES, Output, Parts, Picture, progress

# One data set.

ERRORS = (
    "mechanism",
    "at",
    "center",
    "standard_error",
    "c68",
    "c95",
    "ratio",
    "gap",
    "noise",
    "failure_rate",
    "how",
)


@click.command()
@inputs.DATA
@inputs.ALGORITHMS
@inputs.trials_option(1000, "Trials")
@inputs.OWN_SEED
@inputs.out_option("a table, .csv, .parquet, .json or .tex")
@inputs.JSON
def compare(file: Path | None, out: Path | None, as_json: bool, **options: Any) -> None:
    """Compare the algorithms on FILE as one data set and print the error of each, in the units of the data.

    c68: 68% of the releases are this near to the OLS prediction. ratio: c68 in standard errors of that prediction. gap:
    from that prediction to the algorithm's own target, whatever epsilon is. noise: as c68, about that target.
    With --scenario: the numbers of the page Compare. Draws from a seed illustrate and may not be published as a
    release.
    """
    output.check_out(out, TABLES, file)
    view, typed, _ = inputs.read_input(file, options)
    s, comparison = view.scenario, measured_comparison(view)
    about = metadata(
        view, "errors of the algorithms on one data set", page_link("compare", s, view.x)
    )
    summary = {
        "n": view.data.n,
        "epsilon": s.epsilon,
        "accounting": str(s.accounting),
        "seed": s.seed,
    }
    frame = inputs.in_units(comparison.summary.copy(), view.x, view.y, typed)
    sentences = [ON_ONE_LINE] if view.data.residual_sd == 0 else []
    for at in s.at:
        ranked = ranking(comparison.summary, s.admitted, at, s.epsilon, s.accounting)
        sentences.append(f"At {place_on(view.x, at)}: {answer(ranked, view.y)}")
    Output(frame, about, "summary", ERRORS, summary).deliver(
        out, as_json, "\n".join([*sentences, ""])
    )


def measured_comparison(view: View) -> Comparison:
    """Compare the algorithms on the data set of a view, with a bar; ValueError if the accounting admits none."""
    s = view.scenario
    if not s.admitted:
        raise ValueError(f"accounting {s.accounting} leaves none of the algorithms")
    run = Run(s.trials, s.seed)
    return Comparison.of(
        [compare_one(view.data, m, s.budget, run) for m in progress(s.admitted, "algorithms")]
    )


# A parameter that varies.

SWEPT = ("value", "mechanism", "error", "monte_carlo_error", "exact")


@click.command()
@inputs.DATA
@inputs.MODEL
@inputs.ALGORITHMS
@inputs.OWN_SEED
@click.option(
    "--vary",
    default="n",
    show_default=True,
    type=click.Choice(tuple(ranges.RANGES)),
    help="The parameter.",
)
@click.option(
    "--values",
    metavar="V[,V...]",
    help="Its values; x_new in the units of x.  [default: those of the page]",
)
@click.option(
    "--datasets",
    default=ranges.USUAL_DATASETS,
    show_default=True,
    help="Simulated data sets at each value.",
)
@click.option(
    "--trials",
    type=inputs.WHOLE,
    help="Trials on each data set for algorithms without an exact law.  [default: "
    f"{ranges.USUAL_TRIALS}, on loaded data {ranges.LOADED_TRIALS}; never more than the "
    "scenario's]",
)
@inputs.WORKERS
@inputs.out_option("a table (.csv, .parquet, .json, .tex) or a picture (.svg, .png)")
@inputs.JSON
def sweep(file: Path | None, out: Path | None, as_json: bool, workers: int, **options: Any) -> None:
    """Vary one parameter and print the error of every algorithm, in standard errors.

    On simulated data sets of a linear model (--n --var-x --var-e, or a scenario with such data), or on FILE or the data
    of a scenario. The error is measured at the first point of --at. With --scenario: the numbers of the page Sweep.
    """
    output.check_out(out, (*TABLES, *PICTURES), file)
    view, d = _described_sweep(file, options)
    source = d.base.linear_model if d.data is None else d.data
    plan = plan_sweep(d.parameter, d.values, source, d.base.budget, d.mechanisms)
    batches = []
    with progress(unit="data sets", total=d.datasets * len(d.values)) as bar:
        for batch in sweep_batches(plan, Run(d.trials, d.base.seed, workers), d.datasets):
            batches.append(batch)
            bar.update(len(batch.ratios))
    result = combine(batches)
    frame, facts = result.frame, SweepFacts.of(result, d, view.x)
    words = joined(headline(facts), notes(facts, d.names))
    sentence = f"{joined(words, *lead_sentences(result, d.leading, view.x))}\n"
    if d.parameter == "x_new":
        frame = frame.assign(value=view.x.from_unit(frame["value"]))
    title = f"error of the algorithms as {d.parameter} varies, in standard errors"
    more = {"varied": d.parameter, "data sets": d.datasets, "trials": d.trials}
    about = (
        public_metadata(d.base, title, "", more)
        if d.data is None
        else metadata(view, title, "", more)
    )

    def drawn() -> Picture:
        ends = float(frame["value"].min()), float(frame["value"].max())
        return Picture(
            error_curves(frame, ends, ranges.RANGES[d.parameter].name, ERROR),
            words,
        )

    result_to_deliver = Output(frame, about, "rows", SWEPT, drawn=drawn)
    result_to_deliver.deliver(out, as_json, sentence if out is None else "")


def _described_sweep(file: Path | None, options: Options) -> tuple[View, SweepDescription]:
    """Read the sweep that the options describe, and the view of its scenario; ValueError names a wrong option."""
    view = inputs.read_input(file, {**options, "trials": None}, modelled=True).view
    model = inputs.given(Synthetic, options)
    s, x, parameter = view.scenario, view.x, options["vary"]
    simulated, of_x = isinstance(s.source, Synthetic), parameter == "x_new"
    if model and not simulated:
        raise ValueError(f"{inputs.flag(next(iter(model)))} can be given for simulated data only")
    if options["values"]:
        typed = parse_points(options["values"], "--values", x.numbers if of_x else "point")
        values = ranges.listed_values(parameter, typed, x)
    else:
        page = ranges.RANGES[parameter]
        ends = (x.lower, x.upper) if of_x else (page.first, page.last)
        values = ranges.values_between(parameter, ends, ranges.USUAL_VALUES, x)
    if of_x:
        values = tuple(float(value) for value in x.to_unit(values))
    datasets, most = (
        (options["datasets"], ranges.USUAL_TRIALS) if simulated else (1, ranges.LOADED_TRIALS)
    )
    trials, mechanisms = (
        options["trials"] or min(s.trials, most),
        tuple(ranges.swept_mechanisms(s, parameter)),
    )
    return view, SweepDescription(
        parameter, values, s, mechanisms, datasets, trials, None if simulated else view.data
    )


# Every area.

Frames = Generator[pd.DataFrame, None, None]


@click.command("by-group")
@inputs.DATA
@inputs.GROUP
@inputs.ALGORITHMS
@inputs.trials_option(AREA_TRIALS, "Trials per area,")
@inputs.OWN_SEED
@inputs.WORKERS
@click.option(
    "--dask", metavar="tcp://HOST:PORT", help="A Dask scheduler to work on, in place of --workers."
)
@inputs.out_option("the result as a table, .parquet or .csv", required=True)
@inputs.JSON
def by_group(
    file: Path | None,
    workers: int,
    dask: str | None,
    out: Path,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure every algorithm in every area of FILE; write one row per area, algorithm and point.

    The numbers are in the units of the data and the same whatever the workers. Interrupted, the same command goes
    on from what is kept in OUT.part. Areas that cannot be used are listed in NAME.rejected.csv. With --scenario: the
    numbers of the page Small areas, with its 100 trials at most. Draws from a seed illustrate and may not be published
    as a release.
    """
    output.check_out(out, (".parquet", ".csv"), file)
    left_out = out.with_name(f"{out.stem}.rejected.csv")
    output.check_out(left_out, (".csv",), file)
    if options["group_column"] is None and options["scenario"] is None:
        raise ValueError("--group must be given with FILE: the column that tells the areas apart")
    read = inputs.read_input(file, options, AREA_TRIALS)
    give_memory_back()
    s, x, y, typed = read.view.scenario, read.view.x, read.view.y, read.typed
    datasets, rejected = _areas(read)
    about = metadata(
        read.view, "errors of the algorithms in every area", page_link("small_areas", s, x)
    )
    del read  # so that the table itself leaves the memory
    key = output.run_key({
        "scenario": s.model_dump(mode="json"),
        # the module of an algorithm from a file is named after the file's content
        "mechanisms": [[type(m).__module__, repr(m)] for m in s.compared],
        "groups": [[label, data.digest] for label, data in datasets.items()],
        "columns": COLUMNS,
    })  # fmt: skip
    parts, measured = Parts(out, key), len(datasets)

    def so_far() -> str:
        done = sum(frame_of_part["group"].nunique() for _, frame_of_part in parts.read())
        return f"{done:,} of {measured:,} areas are kept in {parts.folder}"

    with output.interruptible(so_far):
        frame = _measured_areas(datasets, s, parts, dask or workers)
        inputs.in_units(frame, x, y, typed)
        output.write(frame, out, about)
        _write_rejected(rejected, left_out)
        parts.remove()
    if as_json:
        counts = {"areas": measured, "rejected": len(rejected), "written": str(out)}
        click.echo(Output(shares_below(frame), about, "shares", None, counts).json())
        return
    click.echo(
        f"{measured:,} areas. Share of them that pass, their C(68) below the sampling error, by "
        "point:\n"
    )
    click.echo(summary(frame).to_string(index=False))
    if len(rejected):
        reasons = ", ".join(
            f"{number:,} {reason}" for reason, number in rejected["reason"].value_counts().items()
        )
        click.echo(f"\n{len(rejected):,} areas could not be used: {reasons}; see {left_out.name}.")
    click.echo(f"\nWritten to {out}. It is {COMPUTED[s.source.origin]}. {SEEDED}")


def _areas(read: inputs.Input) -> tuple[dict[Any, Dataset], pd.DataFrame]:
    """Data sets of the areas by their labels, and all groups that are left out."""
    groups = split_groups(read.view.grouped.frame)
    return dict(groups.datasets), pd.concat([read.rejected, groups.rejected], ignore_index=True)


def _measured_areas(
    datasets: dict[Any, Dataset], s: Scenario, parts: Parts, workers: int | str
) -> pd.DataFrame:
    """Measure all areas: the rows of by_group in the unit square, in the order of the areas. `datasets` is emptied.

    Parts of an interrupted run are read first. The other areas are measured, and added to the parts as they arrive.
    """
    order, done, last = {label: index for index, label in enumerate(datasets)}, set[Any](), -1
    rows = []
    for number, frame in parts.read():
        last = number
        done.update(frame["group"])
        rows.append(frame)
    if done:
        click.echo(
            f"Going on: {len(done):,} of {len(order):,} areas were kept in {parts.folder}.",
            err=True,
        )
    arriving_frames = measured_groups(
        dict(datasets), s.compared, s.budget, Run(s.trials, s.seed, workers), done
    )
    datasets.clear()
    give_memory_back()
    with closing(_with_bar(arriving_frames, len(order), len(done))) as arriving:
        for number, frame in enumerate(arriving, last + 1):
            parts.add(number, frame)
            rows.append(frame)
    if isinstance(workers, int) and workers != 1:
        end_processes()  # the whole table takes their memory
    frame = joined_rows(rows, COLUMNS)
    in_order = frame["group"].drop_duplicates().map(order).is_monotonic_increasing
    if not in_order:  # a file of the parts was removed between the runs
        frame = frame.sort_values(
            "group", key=lambda group: group.map(order), kind="stable", ignore_index=True
        )
    return frame


def _with_bar(frames: Frames, areas: int, done: int = 0) -> Frames:
    """Yield the frames of measured_groups as they arrive, with a bar; the generator must be closed if left early."""
    with closing(frames), progress(unit="areas", total=areas, initial=done) as bar:
        for frame in frames:
            yield frame
            bar.update(frame["group"].nunique())


def _write_rejected(rejected: pd.DataFrame, path: Path) -> None:
    """Write NAME.rejected.csv, or, if nothing was rejected, remove the file that --force overwrites."""
    if len(rejected):
        output.write(rejected, path, {"dpslr": VERSION, "table": "areas that were left out"})
        return
    for file in (path, *output.beside(path)):
        file.unlink(missing_ok=True)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Table by algorithm: share of the areas that pass at each point, failures and flat lines, as texts."""
    guarantees = frame.groupby("mechanism", sort=False)["guarantee"].first()
    rows = []
    for name, shares in shares_below(frame).groupby("mechanism", sort=False):
        passing = shares.dropna(subset="below").sort_values("at").set_index("at")["below"]
        row = {
            "algorithm": name,
            "line": flat_in(int(shares["flat"].max()), int(shares["areas"].max())),
        }
        row |= {f"at {in_full(point)}": f"{share:.1%}" for point, share in passing.items()}
        rows.append(
            row
            | {
                "failed releases": f"{shares['failure_rate'].mean():.2%}",
                "guarantee": guarantees[name],
            }
        )
    table = pd.DataFrame(rows).fillna("")
    return table if (table["line"] != "").any() else table.drop(columns="line")


# Reports.


@click.command()
@inputs.DATA
@inputs.GROUP
@click.option(
    "--areas",
    is_flag=True,
    help="On all areas of a scenario, as the page Small areas; so is --group.",
)
@inputs.ALGORITHMS
@inputs.trials_option(1000, "Trials")
@inputs.OWN_SEED
@inputs.SAMPLE
@inputs.LOOK_AT
@inputs.WORKERS
@inputs.out_option("the report (.html, .docx) or its picture alone (.svg, .png)", required=True)
def report(file: Path | None, areas: bool, workers: int, out: Path, **options: Any) -> None:
    """Write a report on one data set, or on all areas: answer, picture, table, method and limits.

    What it says is what the pages Compare and Small areas say.
    """
    output.check_out(out, (*REPORTS, *PICTURES), file)
    on_areas = areas or options["group_column"] is not None
    read = inputs.read_input(file, options, AREA_TRIALS if on_areas else None)
    view, at = read.view, inputs.looked_at(read, options["look_at"])
    if on_areas:
        every, rejected = _areas(read)
        datasets = {label: every[label] for label in drawn_areas(every, options["sample"])}
        measured, epsilons = measured_at(
            at, datasets, view.scenario, view.scenario.compared, workers
        )
        of = len(every) if len(datasets) < len(every) else 0
        usable = (
            usable_areas(every, replace(view.scenario.budget, at=(at,)), QUESTIONS[0])
            if of
            else None
        )
        decision = Decision(epsilons, areas_of(datasets), view.scenario.epsilon, of=usable)
        measured_areas = MeasuredAreas(
            measured,
            epsilons,
            rejected,
            view.scenario.trials,
            decision,
            of=of,
        )
        written = report_on_areas(
            view, at, measured_areas, page_link("small_areas", view.scenario, view.x)
        )
    else:
        written = report_on(
            view, measured_comparison(view), at, page_link("compare", view.scenario, view.x)
        )
    output.write(written, out)
    click.echo(f"Written to {out}. {written.warning}")


def measured_at(
    at: float,
    datasets: Mapping[Any, Dataset],
    s: Scenario,
    mechanisms: Sequence[Mechanism],
    workers: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure all areas at one of the scenario's points, with bars.

    Parameters
    ----------
    at : float
        Point in the unit square.
    datasets : mapping
        Data sets of the areas by label.
    s : Scenario
        Budget, trials and seed.
    mechanisms : sequence of Mechanism
        Algorithms to measure.
    workers : int
        Number of processes.

    Returns
    -------
    (DataFrame, DataFrame)
        Rows of ``by_group`` in the unit square, and frame of ``passing_epsilons``.
    """
    run = Run(s.trials, s.seed, workers)
    frames = _with_bar(measured_groups(datasets, mechanisms, s.budget, run), len(datasets))
    rows = pd.concat(list(frames), ignore_index=True)
    first = replace(s.budget, at=(at, *(point for point in s.at if point != at)))
    with progress(unit="areas: smallest epsilon", total=len(datasets)) as bar:
        sought = sought_mechanisms(s.compared, s.accounting)
        return rows[rows["at"] == at], passing_epsilons(
            datasets, sought, first, workers, bar.update
        )
