"""What a report on many areas says, before it is a page or a file: every number of it comes from by_group."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
import pandas as pd

from ..charts.base import TOP, error_range
from ..charts.rows import BELOW, round_ticks
from ..charts.styles import style
from ..experiments import how_sure
from ..experiments.areas import best_by_area, split_groups
from ..guidance.required_values import EPSILONS
from ..sources.axis import Axis
from ..text import areas as text
from ..text.intervals import areas as text_of_widths
from ..text.phrases import both_sides_of_one, format_amount
from ..text.view import View
from .parts import Report, Section, Table
from .pictures.areas import AreaPicture, Curve
from .sections import MADE_WITH, NONE, WARNING, about, again, method, or_none

_MORE = {"passes_from": "passes from ε", "interval": "interval / that of OLS"}  # columns that there may be


@dataclass(frozen=True)
class MeasuredAreas:
    """What was measured in all areas at one point.

    rows: of by_group at the point, in the unit square. passes_from: of passing_epsilons, columns group and
    passes_from, or None where it was not computed. rejected: the groups that are left out, with the reason.
    trials: how often algorithms without an exact law were run in each area.
    """

    rows: pd.DataFrame
    passes_from: pd.DataFrame | None
    rejected: pd.DataFrame
    trials: int


def report_on_areas(view: View, at: float, areas: MeasuredAreas, link: str) -> Report:
    """The report on many areas at one point of the scenario, in the units of the view. link: as in report_on.

    ValueError where nothing that is private was measured.
    """
    s = view.scenario
    ranked = text.ranked_shares(areas.rows, s.compared, s.epsilon, s.accounting)
    if not ranked["private"].any():
        raise ValueError("a report on areas needs an algorithm that is differentially private")
    names = list(filter(None, [str(ranked["mechanism"].iloc[0]), text.compared_with(ranked)]))
    best, count = _best(areas, ranked), areas.rows["group"].nunique()
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
        context=text.context(view, at, ranked, len(areas.rejected)),
        warning=WARNING,
        about=about(view, at, question, records, (*_found(best, ranked, areas), *widths)),
        picture=_picture(areas.rows, names),
        picture_sentence=text.counts_sentence(areas.rows, names),
        table=area_table(best, y),
        method=method([text.cost_sentence(view, areas.trials)]),
        again=again(view),
        link=link,
        scenario=view.scenario.model_dump_json(),
        made_with=MADE_WITH,
    )


def _best(areas: MeasuredAreas, ranked: pd.DataFrame) -> pd.DataFrame:
    """The best algorithm of each area among the pure ones, the private ones where none is; smallest ratio first."""
    names = set(ranked["mechanism"][ranked["pure"]]) or set(ranked["mechanism"][ranked["private"]])
    best = best_by_area(areas.rows, names)
    if areas.passes_from is not None:
        best = best.merge(areas.passes_from[["group", "passes_from"]], on="group", validate="one_to_one")
    return best.sort_values("ratio", kind="stable", ignore_index=True)


def _with_widths(best: pd.DataFrame, view: View, at: float) -> tuple[pd.DataFrame, tuple[Section, ...]]:
    """A column interval (its median width / that of OLS) of the algorithm whose intervals come with its release.

    Of several the one that describes its data best, as on the page. Nothing more where there is none.
    """
    offering = how_sure.free_of_charge(view.scenario.admitted)
    if not offering:
        return best, ()
    mechanism = how_sure.describing(offering) or offering[0]
    s, datasets = view.scenario, split_groups(view.grouped.frame).datasets
    widths = how_sure.area_widths(datasets, mechanism, s.budget, s.at.index(at), s.seed)
    said = [text_of_widths.area_widths_sentence(widths, mechanism.name), "The table has its width in each area."]
    said += [mechanism.interval_remark] * bool(mechanism.interval_remark)
    ratios = widths.set_index("group")["ratio"]
    return best.assign(interval=best["group"].map(ratios)), (Section("How sure", tuple(said)),)


def _found(best: pd.DataFrame, ranked: pd.DataFrame, areas: MeasuredAreas) -> tuple[Section, ...]:
    """What is said of the algorithms, of the best in each area, and of the groups that are left out."""
    reasons = areas.rejected["reason"].value_counts() if len(areas.rejected) else {}
    left_out = [f"{count:,} {'group' if count == 1 else 'groups'}: {reason}." for reason, count in reasons.items()]
    most = None if areas.passes_from is None else EPSILONS[1]
    return (
        Section("Algorithms", (text.ratio_sentence(ranked, len(best)),)),
        Section("Areas", (text.table_sentence(best, most),)),
        Section("Left out", tuple(left_out)),
    )


def _picture(rows: pd.DataFrame, names: list[str]) -> AreaPicture:
    """Of each of these algorithms, how many areas have C(68) of at most so many standard errors."""
    usable = rows[rows["standard_error"] > 0]
    ratios = {name: np.sort(usable.loc[usable["mechanism"] == name, "ratio"].to_numpy()) for name in names}
    answered = {name: values[values < TOP] for name, values in ratios.items()}
    span = error_range(np.concatenate(list(answered.values())))
    ticks = round_ticks(span)
    return AreaPicture(
        tuple(Curve(name, style(name)["color"], tuple(values.tolist())) for name, values in answered.items()),
        max(len(values) for values in ratios.values()) or 1,
        span,
        tuple((ratio, format_amount(ratio), "") for ratio in ticks),
        BELOW,
        "error C(68), in standard errors",
    )


def area_table(best: pd.DataFrame, y: Axis) -> Table:
    """A row per area (of best_by_area, with what is known of _MORE), its error in the units of y."""
    columns = ["area", "n", f"C(68), {y.unit or y.name}", "in standard errors", "below sampling error"]
    columns += [heading for name, heading in _MORE.items() if name in best]
    rows = tuple(_cells(row, y) for row in best.to_dict("records"))
    return Table("Areas, smallest error in standard errors first", (*columns, "best algorithm"), rows)


def _cells(row: dict[str, float], y: Axis) -> tuple[str, ...]:
    below = NONE if not row["standard_error"] > 0 else "yes" if row["ratio"] < 1 else "no"
    ratio = both_sides_of_one(row["ratio"]) if isfinite(row["ratio"]) else NONE
    more = [format_amount(row[name]) if isfinite(row[name]) else NONE for name in _MORE if name in row]
    return (
        str(row["group"]), f"{int(row['n']):,}", or_none(row["c68"] * y.scale), ratio, below, *more,
        str(row["mechanism"]),
    )  # fmt: skip
