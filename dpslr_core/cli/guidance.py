"""``dpslr recommend``, ``decide`` and ``required``: the algorithm to use, and the smallest sufficient epsilon or n."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from math import inf, nan
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..charts.areas import passing_curves
from ..experiments.areas import AREA_TRIALS, split_groups
from ..guidance.area_epsilons import (
    QUESTIONS,
    best_with_epsilons,
    passing_epsilons,
    sought_mechanisms,
)
from ..guidance.decision import TARGET, Decision, areas_of, drawn_areas, usable_areas
from ..guidance.required_values import (
    RequiredValue,
    curve_tasks,
    noise_curve,
    required_n,
    size_tasks,
)
from ..report.document import Report
from ..report.guidance import report_on_guidance
from ..report.metadata import metadata, page_link
from ..sources.axis import UNIT_X, UNIT_Y
from ..sources.choices import GuessedAreas, Synthetic
from ..sources.public_areas import COLUMNS as GUESSED
from ..support.readable import decimals
from ..text import decision as decision_text
from ..text import guidance as text
from ..text.areas import PASSES, passing_sentence, verdicts
from ..text.data import BEYOND_GUESSES, beyond_sentence
from ..text.phrases import joined, place_on
from . import FINDING, inputs
from .inputs import EXISTING, Options
from .measure import measured_at
from .output import PICTURES, REPORTS, TABLES, Output, Picture, check_out, progress

EVIDENCE = (
    "mechanism",
    "times",
    "error",
    "monte_carlo_error",
    "behind",
    "guarantee",
)  # columns that are printed


@click.command()
@inputs.DATA
@inputs.GUESSES
@click.option(
    "--decide",
    is_flag=True,
    help="Simulate up to five times as many data sets where algorithms are tied.",
)
@inputs.ALGORITHMS
@inputs.trials_option(50, "Trials, at most 50,")
@inputs.OWN_SEED
@inputs.out_option(
    "the evidence as a table (.csv, .parquet, .json, .tex), a report (.html, .docx) or its "
    "picture (.svg, .png)"
)
@inputs.JSON
def recommend(file: Path | None, out: Path | None, as_json: bool, **options: Any) -> None:
    """Say which algorithm to use, from public guesses in the unit square alone, and why.

    The answer of the page Guidance. Where a scenario's data are public ones, the guesses are read off them; off an
    uploaded FILE with --look alone, because that choice is not private.
    """
    check_out(out, (*TABLES, *REPORTS, *PICTURES), file)
    answered = inputs.guided(file, options)
    r, looked = answered.recommendation, answered.view is not None
    summary = {
        "algorithm": r.algorithm, "second": r.second, "margin": r.margin, "noise": r.noise,
        "too_close": r.lead.too_close, "looked_at_data": looked,
    }  # fmt: skip
    answer = joined(text.headline(r), text.weaker_sentence(r))
    sentences = [
        answer,
        text.context(r),
        text.details(r),
        *[text.looking_sentence(True)] * looked,
    ]
    about = answered.about("expected errors on simulated data sets")

    def make_report() -> Report:
        view = answered.view
        axes = (UNIT_X, UNIT_Y) if view is None else (view.x, view.y)
        link = f"{page_link('guidance', answered.scenario)}{'&decide=true' if options['decide'] else ''}"
        return report_on_guidance(r, answered.scenario, looked, link, axes, looked)

    output = Output(r.evidence, about, "evidence", EVIDENCE, summary, make_report)
    output.deliver(out, as_json, "\n\n".join(filter(None, sentences)) + "\n")


@click.command()
@inputs.DATA
@inputs.GUESSES
@inputs.ALGORITHMS
@inputs.trials_option(50, "Trials, at most 50,")
@inputs.OWN_SEED
@click.option(
    "--r",
    default=1.0,
    show_default=True,
    help="The target: C(68) in standard errors, at most this.",
)
@click.option(
    "--for",
    "solve_for",
    type=click.Choice(["epsilon", "n"]),
    default="epsilon",
    show_default=True,
    help="What is solved for; n on simulated data sets alone.",
)
@click.option(
    "--on",
    type=click.Choice(("guesses", "areas")),
    help="Simulated data sets, or every area by any of the algorithms.  [default: areas with "
    "--group, otherwise guesses]",
)
@inputs.LOOK_AT
@inputs.GROUP
@inputs.SAMPLE
@inputs.WORKERS
@inputs.out_option("a table, .csv, .parquet, .json or .tex")
@inputs.JSON
def required(file: Path | None, out: Path | None, as_json: bool, **options: Any) -> None:
    """Find the smallest epsilon, or n, at which the error is at most the sampling error.

    From guesses (--n --var-x --var-e --epsilon) or a scenario: on simulated data sets, as the page Guidance. From FILE
    with --group: in every area, as the page Small areas, which looks at the true data.
    The exit code is 1 where no algorithm gets there.
    """
    check_out(out, TABLES, file)
    in_areas = options["on"] == "areas" or bool(options["group_column"])
    if in_areas and (options["solve_for"] == "n" or options["r"] != 1):
        raise ValueError("--for n and --r need guesses: in areas ε is solved for, for C(68) of 1")
    if not in_areas and options["sample"] is not None:
        raise ValueError("--sample is of areas: give --group, or --on areas")
    output, sentence = (_in_areas if in_areas else _by_guesses)(file, options)
    output.deliver(out, as_json, f"{sentence}\n")
    if output.frame[output.frame.columns[-1]].isna().all():
        sys.exit(FINDING)


@click.command()
@inputs.DATA
@inputs.GROUP
@inputs.ALGORITHMS
@click.option(
    "--areas",
    type=EXISTING,
    metavar="FILE",
    help="Look at no record: a public file with a row for each area. Its "
    f"columns {', '.join(GUESSED)} are guesses where areas differ, in the units of --x-bounds "
    "and --y-bounds.",
)
@inputs.SIZES
@inputs.MODEL
@click.option(
    "--target", default=TARGET, show_default=True, help="The share of areas that should pass."
)
@click.option(
    "--question",
    default="prediction",
    show_default=True,
    type=click.Choice(QUESTIONS),
    help="Whose error is to be at most its standard error.",
)
@inputs.SAMPLE
@inputs.LOOK_AT
@inputs.WORKERS
@inputs.out_option("a table by algorithm (.csv, .parquet, .json, .tex) or the picture (.svg, .png)")
@inputs.JSON
def decide(file: Path | None, out: Path | None, as_json: bool, **options: Any) -> None:
    """Say which one algorithm to publish in all areas at epsilon, how many pass, and what another epsilon brings.

    The answer of the page Small areas, on FILE with --group or on the areas of a scenario. It looks at the records of
    FILE: it is not private. With --areas it looks at public numbers and guesses alone, and the answer is a plan to act
    on. The exit code is 1 where fewer areas pass than the target asks for.
    """
    check_out(out, (*TABLES, *PICTURES), file)
    if options["group_column"] is None and options["scenario"] is None and options["areas"] is None:
        raise ValueError("--group must be given with FILE: the column that tells the areas apart")
    options |= {"trials": None, "seed": 0}
    guessed = options["areas"] is not None
    if not guessed and (model := inputs.given(Synthetic, options)):
        raise ValueError(f"{inputs.flag(next(iter(model)))} can be given with --areas only")
    read = inputs.guessed_input(options) if guessed else inputs.read_input(file, options)
    view, at, workers = read.view, inputs.looked_at(read, options["look_at"]), options["workers"]
    s, every = view.scenario, split_groups(view.grouped.frame).datasets
    datasets = {label: every[label] for label in drawn_areas(every, options["sample"])}
    sought = sought_mechanisms(s.compared, s.accounting)
    first = replace(s.budget, at=(at, *(point for point in s.at if point != at)))
    with progress(unit="areas: smallest epsilon", total=len(datasets)) as bar:
        passing = passing_epsilons(
            datasets, sought, first, workers, bar.update, options["question"]
        )
    of = usable_areas(every, first, options["question"]) if len(datasets) < len(every) else None
    decision = Decision(
        passing,
        areas_of(datasets),
        s.epsilon,
        options["target"],
        options["question"],
        of,
    )
    summary = {
        "publish": decision.mechanism, "epsilon": s.epsilon, "areas": decision.count, "target": decision.target,
        "needed": decision.needed, "question": decision.question, "sampled_of": decision.of,
    }  # fmt: skip

    def drawn() -> Picture:
        return Picture(passing_curves(decision), decision_text.picture_sentence(decision))

    title, point = "which one algorithm to publish in all areas", {"point": place_on(view.x, at)}
    about = metadata(view, title, "", point)
    output = Output(
        decision.algorithms.replace(inf, nan), about, "algorithms", None, summary, drawn
    )
    beyond = beyond_sentence(every.values(), view.x, at, simulated=guessed)
    paragraphs = [
        joined(decision_text.answer(decision), beyond),
        joined(*decision_text.about(decision)),
    ]
    warning = decision_text.LOOKED[s.source.origin].replace("**", "")
    standing = (
        decision_text.guesses_sentence(s.source) if isinstance(s.source, GuessedAreas) else ""
    )
    warned = BEYOND_GUESSES if guessed and beyond else ""
    paragraphs += [joined(warning, standing, warned)]
    answer = "\n\n".join(filter(None, paragraphs))
    if as_json or out is not None:
        output.deliver(out, as_json, answer)
    else:
        click.echo(answer)  # its table stands below in words
    if not as_json and decision.count:
        click.echo(f"\n{decision_text.counts_sentence(decision)}\n")
        click.echo(decision_text.algorithms_table(decision).to_string(index=False, na_rep="—"))
    if not as_json and len(decision.failing()):
        click.echo(
            f"\n{decision_text.failing_table(decision, view.y.scale).to_string(index=False, na_rep='—')}"
        )
    if not len(decision.algorithms) or decision.algorithms["passing"].iloc[0] < decision.needed:
        sys.exit(FINDING)


def _by_guesses(file: Path | None, options: Options) -> tuple[Output, str]:
    """Smallest epsilon or n on simulated data sets, as on the Guidance page: the table, and its sentence."""
    answered, r, solve_for = (
        inputs.guided(file, {**options, "group_column": None}),
        options["r"],
        options["solve_for"],
    )
    recommendation = answered.recommendation
    if solve_for == "epsilon":
        tasks, symbol = curve_tasks(recommendation, r), "ε"
        values = [noise_curve(*task).required for task in progress(tasks, "algorithms")]
        datasets = {"datasets": [task[4] for task in tasks]}
    else:
        tasks, symbol, datasets = size_tasks(recommendation, r), "n", {}
        values = [required_n(*task) for task in progress(tasks, "algorithms")]
    eligible = [mechanism.name for mechanism in recommendation.candidates]
    sentence = text.required_sentence(values, symbol, r, recommendation.budget.epsilon, eligible)
    about = answered.about(f"smallest {solve_for} on simulated data sets", {"target": decimals(r)})
    return Output(_table(values, solve_for, **datasets), about), sentence


def _table(values: list[RequiredValue], solve_for: str, **more: Any) -> pd.DataFrame:
    """Table with a row for each algorithm; the value stands last, and is missing where it is out of reach."""
    rows = (
        pd.DataFrame([asdict(value) for value in values])
        .rename(columns={"value": solve_for})
        .assign(**more)
    )
    return rows[["mechanism", "at_least", "most", *more, solve_for]].astype({solve_for: float})


def _in_areas(file: Path | None, options: Options) -> tuple[Output, str]:
    """Smallest epsilon in all areas, as on the Small areas page: the table, C(68) in units of y, and its sentence."""
    read = inputs.read_input(file, options, AREA_TRIALS)
    view, at = read.view, inputs.looked_at(read, options["look_at"])
    s, every = view.scenario, split_groups(view.grouped.frame).datasets
    datasets = {label: every[label] for label in drawn_areas(every, options["sample"])}
    sought = sought_mechanisms(s.compared, s.accounting)
    measured, epsilons = measured_at(at, datasets, s, sought, options["workers"])
    table = best_with_epsilons(measured, epsilons, s.epsilon)
    frame = table.assign(c68=table["c68"] * view.y.scale, verdict=verdicts(table))
    frame = frame[
        ["group", "n", "mechanism", "c68", "ratio", "verdict", "passes_with", "passes_from"]
    ]
    about = metadata(view, "areas by their best algorithm", "", {"point": place_on(view.x, at)})
    of = (
        decision_text.OF_SAMPLE.format(len(datasets), len(every))
        if len(datasets) < len(every)
        else ""
    )
    sentence = joined(of, passing_sentence(epsilons, s.epsilon), PASSES)
    return Output(frame.replace({"passes_from": inf}, nan), about, "areas"), sentence
