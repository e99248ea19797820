"""What a report says, before it is a page or a file: every number of it comes from the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
import pandas as pd

from ..charts.ranked import ranked_rows
from ..experiments.comparison import Comparison
from ..experiments.ranking import ranking
from ..experiments.released_intervals import LEAST_SD, ols_interval, one_release, with_intervals
from ..privacy import Budget
from ..sources.axis import Axis
from ..text.compare import PARTS, compare_context, headline, verdict_sentence
from ..text.data import View, extrapolation_sentence
from ..text.intervals import ranked_by_width, release_sentence
from ..text.phrases import both_sides_of_one, format_amount, format_share, listed, place_on
from .parts import Report, Section, Table
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
    return Table("Ranking", columns, tuple(_cells(row, y) for _, row in ranked.iterrows()))


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


def _cells(row: pd.Series, y: Axis) -> tuple[str, ...]:
    *sizes, noise = (or_none(row[bound] * y.scale) for bound in ("c68", "c95", "noise"))
    ratio = both_sides_of_one(row["ratio"]) if isfinite(row["ratio"]) else NONE
    gap = or_none(row["gap"] * y.scale).removeprefix("±")
    failed = format_share(row["failure_rate"])
    return (str(row["algorithm"]), *sizes, ratio, noise, gap, failed, str(row["guarantee"]))
