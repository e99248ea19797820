"""Reports on one data set and on many areas, with the numbers of the comparison and of by_group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..charts.areas import passing_curves
from ..charts.compared import error_bars
from ..experiments.areas import split_groups
from ..experiments.comparison import Comparison
from ..experiments.ranking import ranking
from ..guidance.area_epsilons import best_with_epsilons
from ..guidance.decision import Decision
from ..mechanisms.base import hyperparameters
from ..privacy.accounting import PAPER, guarantee
from ..release.text import released_sentence
from ..sources.axis import Axis
from ..sources.choices import GuessedAreas
from ..support import VERSION
from ..text import areas as text
from ..text import decision as decision_text
from ..text import memo
from ..text.compare import answer, compare_context, picture_sentence
from ..text.data import View, beyond_sentence, clipping_sentence, extrapolation_sentence
from ..text.phrases import (
    SEEDED,
    both_sides_of_one,
    counted,
    format_amount,
    format_share,
    in_full,
    joined,
    listed,
    place_on,
    points_on,
    points_together,
    size_of,
    value_on,
)
from .document import Report, Section, Table
from .metadata import MADE_WITH as NUMBERS_BY

MADE_WITH = f"dpslr {VERSION}, {NUMBERS_BY}."
NONE = "—"
ON_PAPER = 250  # pixels of height of a decision's picture, so that the rest fits on the page
NEIGHBOURS = (
    "Two data sets are neighbours if they differ in one record. The number of records is public."
)
LIMITS = (
    "All numbers here are computed from the data. Do not publish them if the data are private.",
    "Choosing an algorithm or ε by looking at private data reveals something about them that ε "
    "does not cover. Choose on public or simulated data.",
    SEEDED,
)
ERROR = (
    "68% of the releases of an algorithm are within its error, C(68), of the OLS prediction, and 95% within C(95).",
    "The gap is how far the algorithm's own target is from OLS on these data. No ε changes it.",
    "A dash: the algorithm does not answer often enough.",
)
AGAIN = (
    "The link, behind the address of the app, shows the same numbers. So does the scenario, "
    "a file beside this report."
)
AGAIN_FROM_A_FILE = "Both need the same uploaded file, which is in neither."
AGAIN_ON_GUESSES = "`dpslr decide --scenario` reads the scenario, a file beside this report with the public numbers."


def report_on(
    view: View, comparison: Comparison, at: float, link: str, warned: Sequence[str] = ()
) -> Report:
    """Make the report on a comparison at one of its points, in the units of the view.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    comparison : Comparison
        Errors at all points of the scenario.
    at : float
        Point of ``view.scenario.at``, in the unit square.
    link : str
        Address of the Compare page with these settings, without a host.
    warned : sequence of str
        Warnings of the page. A warning of points beyond all records is added.

    Raises
    ------
    ValueError
        If `at` is not a point of the scenario.
    """
    if at not in view.scenario.at:
        raise ValueError(f"at must be one of {view.scenario.at}, got {at!r}")
    s, y = view.scenario, view.y
    rankings = {
        point: ranking(comparison.summary, s.compared, point, s.epsilon, s.accounting)
        for point in s.at
    }
    other_points = tuple(
        f"At {place_on(view.x, point)}: {answer(rows, y)}"
        for point, rows in rankings.items()
        if point != at
    )
    ranked = rankings[at]
    best = ranked.iloc[0]
    size = "0, as all records lie on one line"
    failing: Sequence[str] = memo.NOTHING_TO_COMPARE
    if best["standard_error"] > 0:
        size = size_of(best["standard_error"], y)
        failing = memo.TOO_LARGE if best["ratio"] > 1 else ()
    sampling = (
        f"Without privacy (OLS) the prediction of {y.name} at {place_on(view.x, at)} is "
        f"{value_on(y, best['center'])}. Its standard error is {size}."
    )
    table = ranking_table(ranked, y)
    return Report(
        title=f"Private regression of {y.name} on {view.x.name}",
        answer=joined(answer(ranked, y), beyond_sentence([view.data], view.x, at)),
        context=joined(released_sentence(view, ranked, at), compare_context(view)),
        warning=_warning(view),
        warnings=tuple(filter(None, (extrapolation_sentence(view), *warned))),
        picture=error_bars(ranked),
        picture_sentence=picture_sentence(ranked),
        decide=first_of(table, DECIDING),
        memo=memo_of(view, str(best["algorithm"]), areas=False, failing=failing),
        about=sections(
            Section("Data", _data(view)),
            Section("Settings", _settings(view, at)),
            Section("Sampling error", (sampling,)),
            Section("Other points", other_points),
        ),
        tables=(table, PUBLISHED),
        method=sections(
            Section("Method", (*ERROR, *how_known(ranked), NEIGHBOURS)), Section("Limits", LIMITS)
        ),
        again=again(view),
        link=link,
        scenario=s.model_dump_json(),
        made_with=MADE_WITH,
    )


def sections(*several: Section) -> tuple[Section, ...]:
    """Leave out the sections without a sentence."""
    return tuple(section for section in several if section.sentences)


def _warning(view: View) -> str:
    """State where the numbers come from; for private records also what may not be done with them."""
    private = "Do not act on this report. " if view.scenario.source.origin == "private" else ""
    return f"{private}It is {view.computed}." if private else f"This report is {view.computed}."


DECIDING = (0, 1, 3, 5, 6)  # columns of ranking_table on the first page
MOST_DECIDING = 6  # rows on the first page


def first_of(table: Table, columns: Sequence[int]) -> Table:
    """Return the first MOST_DECIDING rows of a table, in the columns with these indices, to decide by."""
    rows = tuple(tuple(row[i] for i in columns) for row in table.rows[:MOST_DECIDING])
    rest = len(table.rows) - len(rows)
    sentence = f"{rest} more {'is' if rest == 1 else 'are'} in the appendix." if rest else ""
    return Table("To decide by", tuple(table.columns[i] for i in columns), rows, sentence)


def memo_of(view: View, name: str, areas: bool, failing: Sequence[str]) -> tuple[Section, ...]:
    """Sections on what an algorithm protects, what was assumed, and what to do; empty ones are left out.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    name : str
        The algorithm.
    areas : bool
        Whether many areas are released.
    failing : sequence of str
        Sentences about results that are not good enough.
    """
    s = view.scenario
    named = {mechanism.name: mechanism for mechanism in s.mechanisms}
    promised = guarantee(named[name], s.budget)
    looked = decision_text.LOOKED[s.source.origin].replace("**", "")
    assumed = (*memo.FIXED, clipping_sentence(view.grouped), *_guessed(view), looked)
    return sections(
        Section("Protected", memo.protects(promised, s.epsilon, areas)),
        Section("Assumed", assumed),
        Section("Not good enough", tuple(failing)),
        Section("Next step", memo.AFTER_GUESSES if _guessed(view) else memo.NEXT),
    )


def _guessed(view: View) -> tuple[str, ...]:
    """Sentence, if any, on the guesses that the records were simulated from."""
    source = view.scenario.source
    return (decision_text.guesses_sentence(source),) if isinstance(source, GuessedAreas) else ()


PUBLISHED = Table(
    "What others chose: sources", ("published", "ε", "protects", "source"), memo.PUBLISHED
)


def ranking_table(ranked: pd.DataFrame, y: Axis) -> Table:
    """Table of a ranking of ``experiments.ranking``, its errors in the units of y and in standard errors."""
    unit = y.unit or y.name
    columns = (
        "algorithm", f"C(68), {unit}", f"C(95), {unit}", "error / standard error (68%)", f"gap, {unit}", "no answer",
        "guarantee",
    )  # fmt: skip
    rows = [
        (
            str(row.algorithm),
            or_none(row.c68 * y.scale),
            or_none(row.c95 * y.scale),
            both_sides_of_one(row.ratio) if isfinite(row.ratio) else NONE,
            or_none(row.gap * y.scale).removeprefix("±"),
            format_share(row.failure_rate),
            str(row.guarantee),
        )
        for row in ranked.itertuples()
    ]
    return Table("Ranking", columns, tuple(rows))


# ---------------------------------------------------------------- many areas


@dataclass(frozen=True)
class MeasuredAreas:
    """Measurements in all areas at one point, and the decision made of them.

    Attributes
    ----------
    rows : DataFrame
        Rows of ``by_group`` at the point, in the unit square.
    epsilons : DataFrame
        Frame of ``passing_epsilons`` at the point.
    rejected : DataFrame
        Groups that are left out, with the reason.
    trials : int
        Number of runs of algorithms without an exact law, in each area.
    decision : Decision
        Decision on the algorithm to publish.
    of : int
        Number of all areas where the rows are a random sample, else 0.
    others : mapping
        Decisions on what else could be published, by name.
    """

    rows: pd.DataFrame
    epsilons: pd.DataFrame
    rejected: pd.DataFrame
    trials: int
    decision: Decision
    of: int = 0
    others: Mapping[str, Decision] = field(default_factory=dict)


def report_on_areas(
    view: View, at: float, areas: MeasuredAreas, link: str, warned: Sequence[str] = ()
) -> Report:
    """Make the report on many areas at one point of the scenario, in the units of the view.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    at : float
        Point in the unit square.
    areas : MeasuredAreas
        Measurements and decision at the point.
    link : str
        Address of the Small areas page with these settings, without a host.
    warned : sequence of str
        Warnings of the page.

    Raises
    ------
    ValueError
        If there is nothing to decide: no private algorithm with an exact law, or no area with a sampling error.
    """
    decided, x, y = areas.decision, view.x, view.y
    if not decided.count:
        raise ValueError(
            "a report on areas needs an algorithm that is differentially private, with an exact "
            "output distribution, and an area with a sampling error"
        )
    # the scenario may ask for more trials than were run
    view = replace(view, scenario=view.scenario.model_copy(update={"trials": areas.trials}))
    best = best_with_epsilons(areas.rows, areas.epsilons, decided.epsilon)
    best = best.sort_values("ratio", kind="stable", ignore_index=True)
    every = split_groups(view.grouped.frame).datasets
    sampled = decision_text.OF_SAMPLE.format(len(best), areas.of) if areas.of else ""
    beyond = beyond_sentence(every.values(), x, at)
    of_all = beyond.endswith("all records.")
    failing = (_failing_table(decided, view),) if len(decided.failing()) else ()
    reasons = areas.rejected["reason"].value_counts() if len(areas.rejected) else {}
    left_out = [f"{counted(count, 'group')}: {reason}." for reason, count in reasons.items()]
    leading = decided.mechanism or str(decided.algorithms["mechanism"].iloc[0])
    return Report(
        title=f"Private regression of {y.name} on {x.name} in {areas.of or len(best):,} areas",
        answer=joined(decision_text.answer(decided, areas.others), beyond if of_all else ""),
        context=joined(text.context(view, at), sampled, "" if of_all else beyond),
        warning=_warning(view),
        warnings=tuple(warned),
        picture=passing_curves(decided, (), ON_PAPER),
        picture_sentence=decision_text.picture_sentence(decided),
        decide=_decision_table(decided),
        memo=memo_of(view, leading, areas=True, failing=memo.not_passing(decided)),
        about=sections(
            Section("Data", _data(view)),
            Section("Settings", _settings(view, at)),
            Section("Decision", decision_text.about(decided)),
            Section("Areas", (text.passing_sentence(areas.epsilons, decided.epsilon), text.PASSES)),
            Section("Left out", tuple(left_out)),
        ),
        tables=(replace(area_table(best, y), sentence=sampled), *failing, PUBLISHED),
        method=sections(
            Section("Method", (*ERROR, text.cost_sentence(view, areas.trials), NEIGHBOURS)),
            Section("Limits", LIMITS[2:] if _guessed(view) else LIMITS),
        ),
        again=again(view),
        link=link,
        scenario=view.scenario.model_dump_json(),
        made_with=MADE_WITH,
    )


def _decision_table(decided: Decision) -> Table:
    """Table by algorithm: the epsilon from which on it reaches the target, and the areas that pass at each epsilon."""
    shown = decision_text.algorithms_table(decided)
    cells = [
        (
            str(name),
            text.no_smaller(start) if isfinite(start) else NONE,
            *(f"{int(count):,}" for count in counts),
        )
        for name, start, *counts in shown.itertuples(index=False, name=None)
    ]
    table = first_of(Table("", tuple(shown.columns), tuple(cells)), range(len(shown.columns)))
    return replace(table, sentence=joined(decision_text.counts_sentence(decided), table.sentence))


def _failing_table(decided: Decision, view: View) -> Table:
    """Table of the areas that do not pass, and what would help each area."""
    slope = decided.question == "slope"
    scale, unit = (
        (view.y.scale / view.x.scale, "")
        if slope
        else (view.y.scale, f", {view.y.unit or view.y.name}")
    )
    shown = decision_text.failing_table(decided, scale, unit)
    cells = [tuple(_cell(value) for value in row) for row in shown.itertuples(index=False)]
    return Table(
        "Areas that do not pass",
        tuple(shown.columns),
        tuple(cells),
        decision_text.failing_sentence(decided),
    )


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isfinite(value):
        return NONE
    return f"{value:,}" if isinstance(value, int) else format_amount(float(value))


def area_table(best: pd.DataFrame, y: Axis) -> Table:
    """Table with a row for each area of a frame of ``best_with_epsilons``; errors in y's units."""
    columns = (
        "area", "n", f"C(68), {y.unit or y.name}", "in standard errors", "passes", "smallest ε that passes", "with",
        "best algorithm",
    )  # fmt: skip
    words = {"pass": "yes", "fail": "no", text.NO_SAMPLING_ERROR: NONE}
    rows = [
        (
            str(row.group),
            f"{row.n:,}",
            or_none(row.c68 * y.scale),
            both_sides_of_one(row.ratio) if isfinite(row.ratio) else NONE,
            words.get(verdict, verdict),
            text.no_smaller(row.passes_from) if isfinite(row.passes_from) else NONE,
            row.passes_with or NONE,
            str(row.mechanism),
        )
        for row, verdict in zip(best.itertuples(), text.verdicts(best), strict=True)
    ]
    return Table("Areas, smallest error in standard errors first", columns, tuple(rows))


# ---------------------------------------------------------------- paragraphs


def _data(view: View) -> tuple[str, ...]:
    """Sentences on the number of records, their origin and the bounds."""
    records = counted(len(view.grouped.frame), "record")
    if len(view.grouped.groups) > 1:
        records = f"{records} in {counted(len(view.grouped.groups), 'group')}"
    return f"{view.grouped.name}: {records}.", view.grouped.about, clipping_sentence(view.grouped)


def _settings(view: View, at: float) -> tuple[str, ...]:
    """Sentences on budget, points, seed, trials, rule of spending and hyperparameters."""
    s, x, rule = view.scenario, view.x, view.scenario.accounting
    points = listed(f"{x.name} = {point}" for point in points_on(x, s.at))
    changed = [
        f"{m.name}: {', '.join(f'{name} = {value}' for name, value in hyperparameters(m).items())}"
        for m in s.mechanisms
        if hyperparameters(m)
    ]
    sentences = (
        f"ε = {in_full(s.epsilon)} for {points_together(len(s.at))}: {points}.",
        f"This report looks at {place_on(x, at)}." if len(s.at) > 1 else "",
        f"Seed {s.seed}, and {s.trials:,} trials where there is no exact output distribution.",
        "" if rule == PAPER else f"Rule of spending: {rule.label}. {rule.explanation}",
        f"Set by hand: {'; '.join(changed)}." if changed else "",
    )
    return tuple(filter(None, sentences))


def how_known(ranked: pd.DataFrame) -> list[str]:
    """Sentence, if any, on the errors that are simulated, and how far they may be off; all others are exact."""
    drawn = ranked[~ranked["exact"].astype(bool) & np.isfinite(ranked["c68"])]
    if drawn.empty:
        return ["All errors are read off exact output distributions, without simulation."]
    off = (drawn[["c68_low", "c68_high"]].div(drawn["c68"], axis=0) - 1).abs().max(axis=None)
    return [
        f"The errors of {listed(drawn['algorithm'])} are simulated, and may be off by {format_share(off)}.",
        "All others are read off exact output distributions.",
    ]


def again(view: View) -> str:
    """State the way to the same numbers."""
    if _guessed(view):
        return AGAIN_ON_GUESSES
    return joined(AGAIN, "" if view.grouped.reproducible else AGAIN_FROM_A_FILE)


def or_none(amount: float) -> str:
    """Write a distance to both sides, "±0.12"; a dash where it is not finite."""
    return f"±{format_amount(amount)}" if isfinite(amount) else NONE
