"""Reports on one data set and on many areas, with the numbers of the comparison and of by_group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

import pandas as pd

from ..charts.areas import area_counts, passing_curves
from ..charts.compared import error_bars
from ..experiments.areas import best_by_area, split_groups
from ..experiments.comparison import Comparison
from ..experiments.ranking import ranked_shares, ranking
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
    "Two data sets are neighbours if they differ in one record. The number of records, the "
    "bounds and all settings are public."
)
ERROR_PARTS = (
    "The error has two sources. The noise is how far 68% of releases are from the algorithm's "
    "own target; more ε makes "
    "it smaller. The gap is how far that target is from OLS on these data; no ε changes it. They "
    "do not add up: the error is at most their sum."
)
LIMITS = (
    "All numbers here are computed from the data. Do not publish them if the data are private.",
    "Choosing an algorithm or ε by looking at private data reveals something about them that ε "
    "does not cover. Choose on public or simulated data.",
    SEEDED,
    "The ranking holds for these data, bounds, points and this ε. It says nothing about whether "
    "a straight line suits the data.",
)


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
    scenario, y = view.scenario, view.y
    compared, epsilon, rule = scenario.compared, scenario.epsilon, scenario.accounting
    rankings = {
        point: ranking(comparison.summary, compared, point, epsilon, rule) for point in scenario.at
    }
    other_points = tuple(
        f"At {place_on(view.x, point)}: {answer(rows, y)}"
        for point, rows in rankings.items()
        if point != at
    )
    ranked = rankings[at]
    question = (
        f"Which differentially private algorithm should predict {y.label} from {view.x.label}, "
        "and is its error smaller than the sampling error?"
    )
    center, error = (float(ranked[name].iloc[0]) for name in ("center", "standard_error"))
    sampling = (
        f"Without privacy (OLS) the prediction of {y.name} at {place_on(view.x, at)} is "
        f"{value_on(y, center)}. Its standard error is "
        f"{size_of(error, y) if error > 0 else '0, as all records lie on one line'}."
    )
    more = Section("Sampling error", (sampling,)), Section("Other points", other_points)
    leading, table = str(ranked["algorithm"].iloc[0]), ranking_table(ranked, y)
    failing = (
        memo.too_large(float(ranked["ratio"].iloc[0])) if error > 0 else memo.NOTHING_TO_COMPARE
    )
    return Report(
        title=f"Private regression of {y.name} on {view.x.name}",
        answer=joined(answer(ranked, y), beyond_sentence([view.data], view.x, at)),
        context=joined(released_sentence(view, ranked, at), compare_context(view)),
        warning=_warning(view),
        warnings=tuple(filter(None, (extrapolation_sentence(view), *warned))),
        picture=error_bars(ranked),
        picture_sentence=picture_sentence(ranked),
        decide=first_of(table, DECIDING),
        memo=memo_of(view, leading, areas=False, failing=failing),
        published=published(),
        about=about(view, at, question, f"{view.data_name}: {view.data.n:,} records.", more),
        table=table,
        method=method(how_known(ranked), (ERROR_PARTS,)),
        again=again(view),
        link=link,
        scenario=scenario.model_dump_json(),
        made_with=MADE_WITH,
    )


def _warning(view: View) -> str:
    """State where the numbers come from; for private records also what may not be done with them."""
    private = "Do not act on this report. " if view.scenario.source.origin == "private" else ""
    return f"{private}It is {view.computed}." if private else f"This report is {view.computed}."


DECIDING = (0, 1, 3, 6, 7)  # columns of ranking_table on the first page
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
    sections = (
        Section("Protected", memo.protects(promised, s.epsilon, areas)),
        Section(
            "Assumed", tuple(memo.assumed(clipping_sentence(view.grouped), *_guessed(view), looked))
        ),
        Section("Not good enough", tuple(failing)),
        Section("Next step", memo.AFTER_GUESSES if _guessed(view) else memo.NEXT),
    )
    return tuple(section for section in sections if section.sentences)


def _guessed(view: View) -> tuple[str, ...]:
    """Sentence, if any, on the guesses that the records were simulated from."""
    source = view.scenario.source
    return (decision_text.guesses_sentence(source),) if isinstance(source, GuessedAreas) else ()


def published() -> Table:
    """Table of the epsilons that others chose, with sources."""
    table = memo.published_table()
    rows = tuple(tuple(row) for row in table.itertuples(index=False))
    return Table("What others chose: sources", tuple(table.columns), rows)


def ranking_table(ranked: pd.DataFrame, y: Axis) -> Table:
    """Table of a ranking of ``experiments.ranking``, its errors in the units of y and in standard errors."""
    unit = y.unit or y.name
    columns = (
        "algorithm", f"C(68), {unit}", f"C(95), {unit}", "error / standard error (68%)", f"noise alone, {unit}",
        f"gap, {unit}", "no answer", "guarantee",
    )  # fmt: skip
    cells = []
    for row in ranked.to_dict("records"):
        *sizes, noise = (or_none(row[bound] * y.scale) for bound in ("c68", "c95", "noise"))
        ratio = both_sides_of_one(row["ratio"]) if isfinite(row["ratio"]) else NONE
        gap = or_none(row["gap"] * y.scale).removeprefix("±")
        failed, promised = format_share(row["failure_rate"]), str(row["guarantee"])
        cells.append((str(row["algorithm"]), *sizes, ratio, noise, gap, failed, promised))
    return Table("Ranking", columns, tuple(cells))


# ---------------------------------------------------------------- many areas

# Optional columns: their heading, and the function that writes a cell.
_MORE: dict[str, tuple[str, Callable[[Any], str]]] = {
    "passes_from": (
        "smallest ε that passes",
        lambda epsilon: text.no_smaller(epsilon) if isfinite(epsilon) else NONE,
    ),
    "passes_with": ("with", lambda name: name or NONE),
}


@dataclass(frozen=True)
class MeasuredAreas:
    """Measurements in all areas at one point.

    Attributes
    ----------
    rows : DataFrame
        Rows of ``by_group`` at the point, in the unit square.
    epsilons : DataFrame or None
        Frame of ``passing_epsilons`` at the point; None where no epsilons were computed.
    rejected : DataFrame
        Groups that are left out, with the reason.
    trials : int
        Number of runs of algorithms without an exact law, in each area.
    decision : Decision or None
        Decision on the algorithm to publish; None where none was sought.
    of : int
        Number of all areas where the rows are a random sample, else 0.
    others : mapping
        Decisions on what else could be published, by name.
    """

    rows: pd.DataFrame
    epsilons: pd.DataFrame | None
    rejected: pd.DataFrame
    trials: int
    decision: Decision | None = None
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
        Measurements at the point.
    link : str
        Address of the Small areas page with these settings, without a host.
    warned : sequence of str
        Warnings of the page.

    Raises
    ------
    ValueError
        If no private algorithm was measured.
    """
    s = view.scenario
    # the scenario may ask for more trials than were run
    view = replace(view, scenario=s.model_copy(update={"trials": areas.trials}))
    ranked = ranked_shares(areas.rows, s.compared, s.epsilon, s.accounting)
    if not ranked["private"].any():
        raise ValueError("a report on areas needs an algorithm that is differentially private")
    names = text.beside_each_other(ranked)
    if areas.epsilons is not None:
        best = best_with_epsilons(areas.rows, areas.epsilons, s.epsilon)
    else:  # algorithms with pure privacy, or all private ones without any
        pure, private = (set(ranked["mechanism"][ranked[kind]]) for kind in ("pure", "private"))
        best = best_by_area(areas.rows, pure or private)
    best = best.sort_values("ratio", kind="stable", ignore_index=True)
    every = split_groups(view.grouped.frame).datasets
    count = areas.rows["group"].nunique()
    all_areas = areas.of or count
    x, y = view.x, view.y
    question = (
        f"In how many areas is the error smaller than the sampling error, where {y.label} is "
        "predicted from "
        f"{x.label}? Which algorithm is best in each?"
    )
    sampled = decision_text.OF_SAMPLE.format(count, all_areas) if all_areas > count else ""
    records = f"{view.grouped.name}: {all_areas:,} areas, {sum(data.n for data in every.values()):,} records."
    beyond = beyond_sentence(every.values(), x, at)
    of_all = beyond.endswith("all records.")
    answer, picture = text.headline(ranked, count), area_counts(areas.rows, names)
    sentence, decided = text.picture_sentence(areas.rows, names), areas.decision
    decisions: tuple[Section, ...] = ()
    failing: tuple[str, ...] = (text.table_sentence(best),)
    leading, decide = str(ranked["mechanism"].iloc[0]), _shares_table(ranked)
    more: tuple[Table, ...] = ()
    if decided is not None and decided.count and not text.nothing_passes(ranked, count):
        answer, sentence = (
            decision_text.answer(decided, areas.others),
            decision_text.picture_sentence(decided),
        )
        picture = passing_curves(decided, (), ON_PAPER)
        of_decision = (
            decision_text.question_sentence,
            decision_text.target_sentence,
            decision_text.failing_sentence,
        )
        decisions = (
            Section("Decision", tuple(sentence_of(decided) for sentence_of in of_decision)),
        )
        leading, decide = decided.mechanism or leading, _decision_table(decided)
        failing, more = (
            memo.not_passing(decided),
            (_failing_table(decided, view),) * bool(len(decided.failing())),
        )
    return Report(
        title=f"Private regression of {y.name} on {x.name} in {all_areas:,} areas",
        answer=joined(answer, beyond if of_all else ""),
        context=joined(text.context(view, at), sampled, "" if of_all else beyond),
        warning=_warning(view),
        warnings=tuple(warned),
        picture=picture,
        picture_sentence=sentence,
        decide=decide,
        memo=memo_of(view, leading, areas=True, failing=failing),
        published=published(),
        about=about(
            view,
            at,
            question,
            records,
            (*decisions, *_paragraphs(best, ranked, areas, s.epsilon)),
        ),
        table=replace(area_table(best, y), sentence=sampled),
        method=method(
            [text.cost_sentence(view, areas.trials)],
            limits=LIMITS[2:] if _guessed(view) else LIMITS,
        ),
        again=again(view),
        link=link,
        scenario=view.scenario.model_dump_json(),
        made_with=MADE_WITH,
        more=more,
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


def _shares_table(ranked: pd.DataFrame) -> Table:
    """Table of the number of areas that pass with each private algorithm, from a frame of ``ranked_shares``."""
    rows = ranked[ranked["private"]]
    cells = [
        (row.mechanism, f"{row.areas_below:,} of {row.areas:,}", str(row.guarantee))
        for row in rows.itertuples()
    ]
    return first_of(
        Table("", ("algorithm", "areas that pass", "guarantee"), tuple(cells)), range(3)
    )


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


def _paragraphs(
    best: pd.DataFrame, ranked: pd.DataFrame, areas: MeasuredAreas, epsilon: float
) -> tuple[Section, ...]:
    """Sections on the algorithms, on the best algorithm of each area, and on groups that are left out.

    Parameters
    ----------
    best : DataFrame
        Frame of ``best_by_area``.
    ranked : DataFrame
        Frame of ``ranked_shares``.
    areas : MeasuredAreas
        Measurements.
    epsilon : float
        Budget in each area.
    """
    passing = text.table_sentence(best)
    if areas.epsilons is not None:
        passing = text.passing_sentence(areas.epsilons, epsilon)
    noted = text.notes(ranked)
    reasons = areas.rejected["reason"].value_counts() if len(areas.rejected) else {}
    left_out = [
        f"{count:,} {'group' if count == 1 else 'groups'}: {reason}."
        for reason, count in reasons.items()
    ]
    return (
        Section("Algorithms", (text.headline(ranked, len(best)), *filter(None, [noted]))),
        Section("Areas", (passing, text.PASSES)),
        Section("Left out", tuple(left_out)),
    )


def area_table(best: pd.DataFrame, y: Axis) -> Table:
    """Table with a row for each area of a ``best_by_area`` frame, with columns of _MORE if any; errors in y's units."""
    columns = ["area", "n", f"C(68), {y.unit or y.name}", "in standard errors", "passes"]
    columns += [heading for name, (heading, _) in _MORE.items() if name in best]
    cells = []
    for row, verdict in zip(best.to_dict("records"), text.verdicts(best), strict=True):
        passes = {"fail": "no", text.NO_SAMPLING_ERROR: NONE}.get(
            verdict, verdict.replace("pass", "yes")
        )
        ratio = both_sides_of_one(row["ratio"]) if isfinite(row["ratio"]) else NONE
        sizes = f"{int(row['n']):,}", or_none(row["c68"] * y.scale), ratio
        more = [_MORE[name][1](row[name]) for name in _MORE if name in row]
        cells.append((str(row["group"]), *sizes, passes, *more, str(row["mechanism"])))
    return Table(
        "Areas, smallest error in standard errors first", (*columns, "best algorithm"), tuple(cells)
    )


# ---------------------------------------------------------------- paragraphs


def about(
    view: View, at: float, question: str, records: str, more: Sequence[Section]
) -> tuple[Section, ...]:
    """Sections on question, data and settings, and further ones; empty sections are left out.

    Parameters
    ----------
    view : View
        Data, scenario and units.
    at : float
        Point in the unit square.
    question : str
        The question of the report.
    records : str
        Sentence on the number of records.
    more : sequence of Section
        Further sections.
    """
    sections = (
        Section("Question", (question,)),
        Section("Data", (records, view.grouped.about, clipping_sentence(view.grouped))),
        Section("Settings", _settings(view, at)),
        *more,
    )
    return tuple(section for section in sections if section.sentences)


def _settings(view: View, at: float) -> tuple[str, ...]:
    """Sentences on budget, points, seed, trials, rule of spending and hyperparameters."""
    scenario, rule = view.scenario, view.scenario.accounting
    points = [f"{view.x.name} = {point}" for point in points_on(view.x, scenario.at)]
    changed = [
        f"{mechanism.name}: {', '.join(f'{field} = {value}' for field, value in hyperparameters(mechanism).items())}"
        for mechanism in scenario.mechanisms
        if hyperparameters(mechanism)
    ]
    return (
        f"ε = {in_full(scenario.epsilon)} for {points_together(len(points), points[0])}.",
        *(
            [f"The points are {listed(points)}; this report looks at {place_on(view.x, at)}."]
            if points[1:]
            else []
        ),
        f"Seed {scenario.seed}, and {scenario.trials:,} trials where there is no exact output "
        "distribution.",
        *(
            [f"What each algorithm may spend: {rule.label}. {rule.explanation}"]
            if rule != PAPER
            else []
        ),
        *([f"Set by hand: {'; '.join(changed)}."] if changed else []),
    )


def method(
    precision: Sequence[str], parts: Sequence[str] = (), limits: tuple[str, ...] = LIMITS
) -> tuple[Section, ...]:
    """Sections on how the numbers are made and what they do not say.

    Parameters
    ----------
    precision : sequence of str
        Sentences on how exact the numbers are.
    parts : sequence of str
        Sentences on what errors consist of.
    limits : tuple of str
        Sentences on limits.
    """
    explained = (
        "C(68) is the error of an algorithm: 68% of its releases are this near to the OLS "
        "prediction, and 95% within "
        "C(95). Below 1 standard error it is smaller than the sampling error. A dash: it does "
        "not answer often enough."
    )
    return (
        Section("Method", (explained, *parts, *precision, NEIGHBOURS)),
        Section("Limits", limits),
    )


def how_known(ranked: pd.DataFrame) -> list[str]:
    """Sentences on which errors are read off an exact output distribution, and how exact the other errors are."""
    exact, drawn = ranked[ranked["exact"].astype(bool)], ranked[~ranked["exact"].astype(bool)]
    sentences = []
    if len(exact):
        errors = "All errors" if drawn.empty else f"The errors of {listed(exact['algorithm'])}"
        sentences.append(f"{errors} are read off exact output distributions, without simulation.")
    for how, rows in drawn.groupby("how", sort=False):
        low, high = rows["c68_low"] / rows["c68"] - 1, rows["c68_high"] / rows["c68"] - 1
        off = float(pd.concat([-low, high]).replace(float("inf"), float("nan")).max())
        precision = "" if pd.isna(off) else f", so that C(68) may be off by {format_share(off)}"
        sentences.append(f"Those of {listed(rows['algorithm'])} come from {how}{precision}.")
    return sentences


def again(view: View) -> str:
    """State the way to the same numbers."""
    if _guessed(view):
        return "The scenario, a file beside this report, holds the public numbers. `dpslr decide --scenario` reads it."
    if view.grouped.reproducible:
        return (
            "The link, behind the address of the app, shows the same numbers. So does the "
            "scenario, a file beside this report."
        )
    return (
        "The link, behind the address of the app, shows the same numbers once the same file is "
        "uploaded. The file is in neither the link nor the scenario, a file beside this report."
    )


def or_none(amount: float) -> str:
    """Write a distance to both sides, "±0.12"; a dash where it is not finite."""
    return f"±{format_amount(amount)}" if isfinite(amount) else NONE
