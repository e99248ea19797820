"""What a report says of one data set or of many areas: every number is that of the comparison, or of by_group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..charts.areas import area_counts
from ..charts.ranked import ranked_rows
from ..experiments.areas import best_by_area, split_groups
from ..experiments.comparison import Comparison
from ..experiments.ranking import ranked_shares, ranking
from ..experiments.released_intervals import (
    LEAST_SD,
    area_widths,
    describing,
    free_of_charge,
    ols_interval,
    one_release,
    with_intervals,
)
from ..guidance.area_epsilons import best_with_epsilons
from ..privacy import Budget
from ..sources.axis import Axis
from ..text import areas as text
from ..text.compare import PARTS, compare_context, headline, verdict_sentence
from ..text.data import View, extrapolation_sentence
from ..text.intervals import area_widths_sentence, ranked_by_width, release_sentence
from ..text.phrases import both_sides_of_one, format_amount, format_share, listed, place_on
from .document import Report, Section, Table
from .sections import ERROR_PARTS, MADE_WITH, NONE, WARNING, about, again, how_known, method, or_none, sampling_error


def report_on(view: View, comparison: Comparison, at: float, link: str, warned: Sequence[str] = ()) -> Report:
    """The report on a comparison at one of its points, in the units of the view.

    at: one of view.scenario.at, in the unit square, else ValueError. link: the address of the Compare page with these
    settings, without a host. warned: what the page has warned of; that points lie beyond all records is said anyway.
    """
    if at not in view.scenario.at:
        raise ValueError(f"at must be one of {view.scenario.at}, got {at!r}")
    scenario, y = view.scenario, view.y
    compared, epsilon, rule = scenario.compared, scenario.epsilon, scenario.accounting
    rankings = {point: ranking(comparison.summary, compared, point, epsilon, rule) for point in scenario.at}
    others = tuple(
        f"At {place_on(view.x, point)}: {headline(rows, y)}" for point, rows in rankings.items() if point != at
    )
    ranked = rankings[at]
    question = (
        f"Which differentially private algorithm should predict {y.label} from {view.x.label}, and is its error "
        "smaller than the sampling error?"
    )
    more = Section("Sampling error", (sampling_error(view, ranked, at),)), Section("Other points", others)
    return Report(
        title=f"Private regression of {y.name} on {view.x.name}",
        answer=headline(ranked, y),
        context=compare_context(view),
        warning=WARNING,
        warnings=tuple(filter(None, (extrapolation_sentence(view), *warned))),
        about=about(view, at, question, f"{view.data_name}: {view.data.n:,} records.", more),
        picture=ranked_rows(ranked, y),
        picture_sentence=f"{verdict_sentence(ranked, y, view.x)} {PARTS}",
        table=ranking_table(ranked, y),
        method=method(how_known(ranked), (ERROR_PARTS,)),
        again=again(view),
        link=link,
        scenario=scenario.model_dump_json(),
        made_with=MADE_WITH,
        more=interval_tables(view, ranked, at),
    )


def ranking_table(ranked: pd.DataFrame, y: Axis) -> Table:
    """The ranking (of experiments.ranking), its errors in the units of y and in standard errors."""
    unit = y.unit or y.name
    columns = (
        "algorithm", f"C(68), {unit}", f"C(95), {unit}", "error / standard error (68%)", f"noise alone, {unit}",
        f"gap, {unit}", "no answer", "guarantee",
    )  # fmt: skip
    return Table("Ranking", columns, tuple(_ranking_cells(row, y) for _, row in ranked.iterrows()))


def interval_tables(view: View, ranked: pd.DataFrame, at: float) -> tuple[Table, ...]:
    """How wide the intervals are of those that offer any, narrowest first, and that of OLS; nothing where none does.

    ranked: of experiments.ranking at the point.
    """
    s, ranks = view.scenario, ranked[["algorithm", "guarantee_class", "guarantee"]]
    offering = [m for m in with_intervals(s.compared) if m.name in set(ranks["algorithm"])]
    if not offering or not view.data.residual_sd > LEAST_SD:
        return ()
    budget = Budget(s.epsilon, s.at, s.accounting)
    rows = pd.concat([one_release(view.data, m, budget, s.seed, 0) for m in offering], ignore_index=True)
    rows = ranked_by_width(rows[rows["at"] == at].merge(ranks, on="algorithm"))
    low, high = (float(end[0]) for end in ols_interval(view.data, [at]))
    open_ended = rows.loc[~np.isfinite(rows["width"]), "algorithm"].tolist()
    shown = rows[np.isfinite(rows["width"])]
    cells = [_width_cells(row, high - low, view.y) for _, row in shown.iterrows()]
    cells.append(("OLS", format_amount((high - low) * view.y.scale), "1", format_share(1.0), "not private"))
    unit = view.y.unit or view.y.name
    columns = ("algorithm", f"median width, {unit}", "times that of OLS", "intervals with two ends", "guarantee")
    more = [f"Most intervals of {listed(open_ended)} lack an end."] if open_ended else []
    more += shown.loc[shown["flat"], "remark"].tolist()
    said = " ".join([release_sentence(rows, high - low, view.x, view.y), *more])
    return (Table("How sure: 95% confidence intervals", columns, tuple(cells), said),)


def _width_cells(row: pd.Series, ols_width: float, y: Axis) -> tuple[str, ...]:
    sizes = [format_amount(row["width"] * y.scale), format_amount(row["width"] / ols_width)]
    return (str(row["algorithm"]), *sizes, format_share(row["two_ends"]), str(row["guarantee"]))


def _ranking_cells(row: pd.Series, y: Axis) -> tuple[str, ...]:
    *sizes, noise = (or_none(row[bound] * y.scale) for bound in ("c68", "c95", "noise"))
    ratio = both_sides_of_one(row["ratio"]) if isfinite(row["ratio"]) else NONE
    gap = or_none(row["gap"] * y.scale).removeprefix("±")
    failed = format_share(row["failure_rate"])
    return (str(row["algorithm"]), *sizes, ratio, noise, gap, failed, str(row["guarantee"]))


# ---------------------------------------------------------------- many areas

# Columns that there may be: heading, and how a cell is written.
_MORE: dict[str, tuple[str, Callable[[Any], str]]] = {
    "passes_from": ("smallest ε that passes", lambda epsilon: text.no_smaller(epsilon) if isfinite(epsilon) else NONE),
    "passes_with": ("with", lambda name: name or NONE),
    "interval": ("interval / that of OLS", lambda ratio: format_amount(ratio) if isfinite(ratio) else NONE),
}


@dataclass(frozen=True)
class MeasuredAreas:
    """What was measured in all areas at one point.

    rows: of by_group at the point, in the unit square. epsilons: of passing_epsilons there, None where they were not
    computed. rejected: the groups that are left out, with the reason. trials: how often algorithms without an exact law
    were run in each area. flat_lines: whether a line without slope passes too.
    """

    rows: pd.DataFrame
    epsilons: pd.DataFrame | None
    rejected: pd.DataFrame
    trials: int
    flat_lines: bool = False


def report_on_areas(view: View, at: float, areas: MeasuredAreas, link: str, warned: Sequence[str] = ()) -> Report:
    """The report on many areas at one point of the scenario, in the units of the view. link, warned: as in report_on.

    ValueError where nothing that is private was measured.
    """
    s = view.scenario
    view = replace(view, scenario=s.model_copy(update={"trials": areas.trials}))  # those that were run
    ranked = ranked_shares(areas.rows, s.compared, s.epsilon, s.accounting, areas.flat_lines)
    if not ranked["private"].any():
        raise ValueError("a report on areas needs an algorithm that is differentially private")
    names = list(filter(None, [str(ranked["mechanism"].iloc[0]), text.compared_with(ranked)]))
    best, count = _best(areas, ranked, s.epsilon), areas.rows["group"].nunique()
    best, widths = _with_widths(best, view, at)
    x, y = view.x, view.y
    question = (
        f"In how many areas is the error smaller than the sampling error, where {y.label} is predicted from "
        f"{x.label}? Which algorithm is best in each?"
    )
    records = f"{view.grouped.name}: {count:,} areas, {int(best['n'].sum()):,} records."
    return Report(
        title=f"Private regression of {y.name} on {x.name} in {count:,} areas",
        answer=text.headline(ranked, count),
        context=text.context(view, at, ranked, len(areas.rejected), (), areas.flat_lines),
        warning=WARNING,
        warnings=tuple(warned),
        about=about(view, at, question, records, (*_told(best, ranked, areas, s.epsilon), *widths)),
        picture=area_counts(areas.rows, names),
        picture_sentence=text.counts_sentence(areas.rows, names),
        table=area_table(best, y, areas.flat_lines),
        method=method([text.cost_sentence(view, areas.trials)]),
        again=again(view),
        link=link,
        scenario=view.scenario.model_dump_json(),
        made_with=MADE_WITH,
    )


def _best(areas: MeasuredAreas, ranked: pd.DataFrame, epsilon: float) -> pd.DataFrame:
    """The best algorithm of each area among the pure ones, the private ones where none is; smallest ratio first."""
    if areas.epsilons is not None:
        best = best_with_epsilons(areas.rows, areas.epsilons, epsilon, areas.flat_lines)
    else:
        names = set(ranked["mechanism"][ranked["pure"]]) or set(ranked["mechanism"][ranked["private"]])
        best = best_by_area(areas.rows, names, areas.flat_lines)
    return best.sort_values("ratio", kind="stable", ignore_index=True)


def _with_widths(best: pd.DataFrame, view: View, at: float) -> tuple[pd.DataFrame, tuple[Section, ...]]:
    """A column interval (its median width / that of OLS) of the algorithm whose intervals come with its release.

    Of several the one that describes its data best, as on the page. Nothing more where there is none.
    """
    offering = free_of_charge(view.scenario.admitted)
    if not offering:
        return best, ()
    mechanism = describing(offering) or offering[0]
    s, datasets = view.scenario, split_groups(view.grouped.frame).datasets
    widths = area_widths(datasets, mechanism, s.budget, s.at.index(at), s.seed)
    said = [area_widths_sentence(widths, mechanism.name), "The table has its width in each area."]
    said += [mechanism.interval_remark] * bool(mechanism.interval_remark)
    ratios = widths.set_index("group")["ratio"]
    return best.assign(interval=best["group"].map(ratios)), (Section("How sure", tuple(said)),)


def _told(best: pd.DataFrame, ranked: pd.DataFrame, areas: MeasuredAreas, epsilon: float) -> tuple[Section, ...]:
    """What is said of the algorithms, of the best in each area, and of the groups that are left out."""
    reasons = areas.rejected["reason"].value_counts() if len(areas.rejected) else {}
    left_out = [f"{count:,} {'group' if count == 1 else 'groups'}: {reason}." for reason, count in reasons.items()]
    return (
        Section("Algorithms", (text.ratio_sentence(ranked, len(best)),)),
        Section("Areas", tuple(_of_areas(best, ranked, areas, epsilon))),
        Section("Left out", tuple(left_out)),
    )


def _of_areas(best: pd.DataFrame, ranked: pd.DataFrame, areas: MeasuredAreas, epsilon: float) -> list[str]:
    """How many pass and from which epsilon on half of them do: with the best of each, with the one that leads alone."""
    if areas.epsilons is None:
        return [text.table_sentence(best, areas.flat_lines), text.PASSES]
    said = [text.passing_sentence(areas.epsilons, epsilon, areas.flat_lines)]
    alone = areas.epsilons[areas.epsilons["mechanism"] == ranked["mechanism"].iloc[0]]
    if areas.epsilons["mechanism"].nunique() > 1 and len(alone):
        said.append(text.passing_sentence(alone, epsilon, areas.flat_lines))
    return [*said, text.PASSES]


def area_table(best: pd.DataFrame, y: Axis, flat_lines: bool = False) -> Table:
    """A row per area (of best_by_area, with what is known of _MORE), its error in the units of y."""
    columns = ["area", "n", f"C(68), {y.unit or y.name}", "in standard errors", "passes"]
    columns += [heading for name, (heading, _) in _MORE.items() if name in best]
    verdicts = text.verdicts(best, flat_lines)
    rows = tuple(_area_cells(row, verdict, y) for row, verdict in zip(best.to_dict("records"), verdicts, strict=True))
    return Table("Areas, smallest error in standard errors first", (*columns, "best algorithm"), rows)


def _area_cells(row: dict[str, Any], verdict: str, y: Axis) -> tuple[str, ...]:
    passes = {"fail": "no", text.NO_SAMPLING_ERROR: NONE}.get(verdict, verdict.replace("pass", "yes"))
    ratio = both_sides_of_one(row["ratio"]) if isfinite(row["ratio"]) else NONE
    more = [_MORE[name][1](row[name]) for name in _MORE if name in row]
    return (
        str(row["group"]), f"{int(row['n']):,}", or_none(row["c68"] * y.scale), ratio, passes, *more,
        str(row["mechanism"]),
    )  # fmt: skip
