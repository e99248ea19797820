"""What stands below the ranking on the Compare page: one of several views, chosen by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd
import streamlit as st

from dpslr_core import charts
from dpslr_core.charts.dots import dot_plot
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.curves import cdf_curves, private_lines
from dpslr_core.experiments.quantiles import quantile_dots
from dpslr_core.report.content import report_on
from dpslr_core.report.parts import Report
from dpslr_core.report.scripts import compare_command, compare_script
from dpslr_core.text.comparison import Verdict, dots_sentence, lines_sentence, verdict
from dpslr_core.text.phrases import SEEDED

from .. import show
from ..controls import BOUND
from ..inputs.opened_link import unused_of_link
from ..report import report_buttons
from ..settings import View
from ..takeaway import saved_as
from ..takeaway.panel import Shown, of_report, take_away
from . import intervals, ranking
from .picture import at_point, on_a_phone, point_query, room
from .releases import play

RESIDUALS = "residuals"


@dataclass(frozen=True)
class Compared:
    """What all views draw from: the comparison, its ranking at one point, the limits of pictures, the curves shown."""

    view: View
    comparison: Comparison
    ranked: pd.DataFrame
    at: float
    window: tuple[float, float]
    shown: list[str]

    @cached_property
    def table(self) -> pd.DataFrame:
        """The ranking in the units of y."""
        return ranking.table(self.ranked, self.view)

    @cached_property
    def verdict(self) -> Verdict:
        """The ranking of the private algorithms, for sentences."""
        s = self.view.scenario
        return verdict(self.comparison.summary, s.admitted, self.at, s.epsilon, s.accounting)


def draw(compared: Compared) -> None:
    """The choice of a view, and the view."""
    chosen = st.segmented_control("Details", list(VIEWS), key="details", default="Numbers", required=True, **BOUND)
    VIEWS.get(str(chosen), _numbers)(compared)
    left, right = st.columns(2)
    view, query = compared.view, point_query(compared.view)
    warned, unused = saved_as.warnings(), unused_of_link()

    def report() -> Report:
        said = (*unused(), *warned)
        return report_on(view, compared.comparison, compared.at, f"/compare?{query}", said)

    with left:
        report_buttons("Answer, picture, ranking, method and limits on two pages.", report)
    with right:
        take_away(Shown(
            page="compare", scenario=view.scenario, query=query, table=compared.table,
            script=partial(compare_script, view, compared.at), command=compare_command(view),
            reproducible=view.grouped.reproducible, more=at_point(view, compared.at),
            picture=lambda: of_report(report()),
        ))  # fmt: skip


def _numbers(compared: Compared) -> None:
    show.numbers(compared.table, "ranking", ranking.columns(compared.view), height="content")


def _lines(compared: Compared) -> None:
    view = compared.view
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        first = ranking.draw_again(view) * ranking.LINES % view.scenario.trials
    residuals = right.toggle("Show distances from the OLS line", key=RESIDUALS, **BOUND)
    lines = private_lines(compared.comparison, first=first, count=ranking.LINES)
    lines = lines[lines["mechanism"].isin(compared.shown)] if compared.shown else lines
    columns = 1 if on_a_phone() else 2
    figure = charts.spaghetti(view.data, lines, view.x, view.y, columns=columns, residuals=residuals)
    told = lines_sentence(view, compared.verdict, ranking.LINES)
    show.chart(figure, told, ranking.in_units(lines, view), "lines", SEEDED)


def _dots(compared: Compared) -> None:
    view, names = compared.view, list(compared.ranked["algorithm"])
    usual = names.index(compared.shown[0]) if compared.shown else 0
    name = st.selectbox("Algorithm", names, usual, key="dots_of", **BOUND)
    dots = quantile_dots(compared.comparison, str(name), compared.at)
    figure = dot_plot(dots, str(name), compared.ranked.iloc[0], view.y)
    show.vega(figure, dots_sentence(dots, compared.ranked.iloc[0], str(name), view.y), "dots", told=True)


def _curves(compared: Compared) -> None:
    """All curves, named at their ends, and, on request, the trials."""
    view, first = compared.view, compared.ranked.iloc[0]
    trials = st.toggle("Show the trials over the exact curves", key="show_trials", **BOUND)
    curves = cdf_curves(compared.comparison, compared.at, compared.window, trials)
    figure = charts.output_cdf(curves, first["center"], first["standard_error"], compared.window, view.y, room())
    note = SEEDED if (curves["kind"] == "trials").any() else ""
    show.chart(figure, compared.verdict.sentence(view.y, view.x), ranking.in_units(curves, view), "output_cdf", note)


def _releases(compared: Compared) -> None:
    play(compared.view, compared.comparison, compared.ranked, compared.at, compared.window)


def _how_sure(compared: Compared) -> None:
    intervals.draw(compared.view, compared.at, compared.ranked)


VIEWS: dict[str, Callable[[Compared], None]] = {
    "Numbers": _numbers,
    "Private lines": _lines,
    "50 releases as dots": _dots,
    "All curves": _curves,
    "Release by release": _releases,
    "How sure": _how_sure,
}
