"""The Compare page: width and curves of its picture, and the views below it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core import charts
from dpslr_core.charts.intervals import dot_plot
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.curves import cdf_curves, empirical_curves, private_lines, quantile_dots
from dpslr_core.experiments.ranking import lead_among
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import booked
from dpslr_core.privacy.accounting import paid
from dpslr_core.report.content import report_on
from dpslr_core.report.document import Report
from dpslr_core.report.scripts import compare_command, compare_script
from dpslr_core.text.compare import dots_sentence, lines_sentence, releases_sentence, verdict_sentence
from dpslr_core.text.phrases import SEEDED

from . import show, takeaway
from .controls import BOUND
from .how_sure import intervals
from .link import unused_of_link
from .page import chosen_view
from .plain import plain
from .settings import View, at_point, in_units, point_query, unit_of
from .show import on_a_phone, room
from .takeaway import Shown, of_report, report_buttons, take_away

WIDTHS = ("auto", "3", "6", "12", "25", "50", "100", "200", "400", "1000")


def picture_width() -> str:
    """The chosen half width of the output distributions in standard errors."""
    with st.popover("Width"):
        width = st.select_slider(
            "Width of the output distributions, ± standard errors", WIDTHS, value="auto", key="width", **BOUND
        )
    return str(width)


def limits(view: View, comparison: Comparison, at: float, width: str) -> tuple[float, float]:
    """The picture's limits in the unit square: so many standard errors about OLS.

    "auto" takes the first width that is twice the 68% error of the second-best algorithm that errs at all, so that
    it moves in steps and pictures of neighbouring settings compare.
    """
    center, error = float(view.data.predict([at])[0]), float(view.data.standard_error([at])[0])
    if not error > 0:
        return (-0.5, 1.5) if not np.isfinite(center) else (center - 0.5, center + 0.5)
    if width != "auto":
        return center - float(width) * error, center + float(width) * error
    found = comparison.summary.loc[comparison.summary["at"] == at, "c68"].to_numpy()
    bounds = np.sort(found[np.isfinite(found) & (found > 0)])
    needed = 2 * bounds[min(1, bounds.size - 1)] / error if bounds.size else 3.0
    half = next((float(w) for w in WIDTHS[1:] if float(w) >= needed), float(WIDTHS[-1]))
    return center - half * error, center + half * error


CURVES, CURVES_CHOSEN = "curves", "curves_chosen"
USUAL = ("NoisyStats", "NoisyIntercept")


def curves_shown(ranked: pd.DataFrame) -> list[str]:
    """The chosen curves: at first the best pure algorithm's, NoisyStats' and NoisyIntercept's; kept once chosen."""
    names = list(ranked["algorithm"])
    if not st.session_state.get(CURVES_CHOSEN):
        usual = dict.fromkeys((lead_among(ranked).mechanism, *USUAL))
        st.session_state[CURVES] = [name for name in usual if name in names]
    else:
        st.session_state[CURVES] = [name for name in st.session_state.get(CURVES, []) if name in names]
    shown = st.pills(
        "Output distributions drawn below", names, selection_mode="multi", key=CURVES, on_change=_touched,
        help="Pointing at a row of the ranking shows its curve as well.", persist_state="session",
    )  # fmt: skip
    return list(shown or [])


def _touched() -> None:
    st.session_state[CURVES_CHOSEN] = True


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
        return ranking_table(self.ranked, self.view)


def details(compared: Compared) -> None:
    """The choice of a view, and the view."""
    chosen_view("details", VIEWS)(compared)
    left, right = st.columns(2)
    view, query = compared.view, point_query(compared.view)
    warned, unused = takeaway.warnings(), unused_of_link()

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
    show.numbers(compared.table, "ranking", ranking_columns(compared.view), height="content")


def _lines(compared: Compared) -> None:
    view = compared.view
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        first = draw_again(view) * LINES % view.scenario.trials
    residuals = right.toggle("Show distances from the OLS line", key=RESIDUALS, **BOUND)
    lines = private_lines(compared.comparison, first=first, count=LINES)
    lines = lines[lines["mechanism"].isin(compared.shown)] if compared.shown else lines
    columns = 1 if on_a_phone() else 2
    told = lines_sentence(view, compared.ranked, LINES)
    st.markdown(plain(told))
    show.panels(charts.spaghetti(view.data, lines, view.x, view.y, residuals), told, "lines", columns)
    st.caption(SEEDED)
    with st.expander("The numbers in these pictures"):
        show.numbers(in_units(lines, view), "lines", note=SEEDED)


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
    show.chart(figure, verdict_sentence(compared.ranked, view.y, view.x), in_units(curves, view), "output_cdf", note)


def _releases(compared: Compared) -> None:
    play(compared.view, compared.comparison, compared.ranked, compared.at, compared.window)


def _how_sure(compared: Compared) -> None:
    intervals(compared.view, compared.at, compared.ranked)


VIEWS: dict[str, Callable[[Compared], None]] = {
    "Numbers": _numbers,
    "Private lines": _lines,
    "50 releases as dots": _dots,
    "All curves": _curves,
    "Release by release": _releases,
    "How sure": _how_sure,
}


LINES = 20  # private lines drawn per algorithm

RATIO = "error / standard error (68%)"


def ranking_columns(view: View) -> dict[str, Any]:
    """How the columns of the table are shown and explained."""
    unit, number = unit_of(view.y), st.column_config.NumberColumn
    return {
        RATIO: number(
            help="The error is C(68): 68% of the releases are this near to OLS. Below 1 it is less than the sampling "
            "error. A dash: it does not answer in 68% of the releases."
        ),
        f"noise alone{unit}": number(
            help="68% of the releases are this near to the algorithm's own target. More ε makes it smaller."
        ),
        f"gap{unit}": number(help="How far the algorithm's own target is from OLS on these data, whatever ε is."),
        "no answer": number(format="percent", help="Share of releases without an answer."),
    }


def ranking_table(ranked: pd.DataFrame, view: View) -> pd.DataFrame:
    """The ranking in the units of y."""
    by_name = {m.name: m for m in view.scenario.admitted}
    unit = unit_of(view.y)
    return pd.DataFrame({
        "algorithm": ranked["algorithm"].array,
        RATIO: ranked["ratio"].array,
        f"C(68){unit}": ranked["c68"].to_numpy() * view.y.scale,
        f"C(95){unit}": ranked["c95"].to_numpy() * view.y.scale,
        f"noise alone{unit}": ranked["noise"].to_numpy() * view.y.scale,
        f"gap{unit}": ranked["gap"].to_numpy() * view.y.scale,
        "no answer": ranked["failure_rate"].array,
        "guarantee": ranked["guarantee"].array,
        f"median − OLS{unit}": ranked["bias"].to_numpy() * view.y.scale,
        "how it is known": ranked["how"].array,
        "what the budget pays for": [_ledger(by_name[name], view) for name in ranked["algorithm"].tolist()],
    })  # fmt: skip


def _ledger(mechanism: Mechanism, view: View) -> str:
    """The ledger in one line."""
    budget = paid(mechanism, view.scenario.budget)
    costs = booked(mechanism.ledger(budget.epsilon, budget.at), mechanism.guarantee(budget.epsilon))
    rows = "; ".join(f"{what}: {cost}" for what, cost in costs)
    several = view.scenario.records_per_person > 1
    return f"{rows}; for one record" if rows and several else rows or "none"


def draw_again(view: View) -> int:
    """Which twenty of the trials to draw; the button moves on to the next twenty."""
    last = max(view.scenario.trials // LINES - 1, 0)

    def step() -> None:
        st.session_state["draw"] = 0 if st.session_state["draw"] >= last else st.session_state["draw"] + 1

    left, right = st.columns([1, 5], vertical_alignment="bottom")
    right.button("Draw again", on_click=step, help="Twenty other releases of the same algorithms.")
    return int(left.number_input("Draw", 0, last, key="draw", **BOUND))


RELEASES_DRAWN, RELEASES_PLAYING = "releases_drawn", "releases_playing"
LAST_RELEASES = 20  # releases that are compared one by one


def play(view: View, comparison: Comparison, ranked: pd.DataFrame, at: float, window: tuple[float, float]) -> None:
    """Two algorithms, Play and Stop, and the picture that grows by a release a second."""
    names = list(ranked.loc[ranked["c68"] > 0, "algorithm"])
    if len(names) < 2:
        st.info("Choose two algorithms in the sidebar that add noise.")
        return
    left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
    first = str(left.selectbox("A", names, 0, key="release_a", **BOUND))
    second = str(middle.selectbox("B", names, 1, key="release_b", **BOUND))
    with right.container(horizontal=True):
        st.button("▶ Play", on_click=_set, args=(True,), key="play")
        st.button("■ Stop", on_click=_set, args=(False,), key="stop")
        st.button("Start again", on_click=_again, key="again")
    playing = bool(st.session_state.get(RELEASES_PLAYING))

    @st.fragment(run_every=1.0 if playing else None)
    def grow() -> None:
        if st.session_state.get(RELEASES_PLAYING):
            st.session_state[RELEASES_DRAWN] = min(st.session_state.get(RELEASES_DRAWN, 0) + 1, view.scenario.trials)
        count = max(1, st.session_state.get(RELEASES_DRAWN, 1))
        chosen = comparison.only([first, second])
        curves = pd.concat([cdf_curves(chosen, at, window), empirical_curves(chosen, at, window, count)])
        place = ranked.iloc[0]
        figure = charts.output_cdf(curves, place["center"], place["standard_error"], window, view.y)
        show.picture(figure, releases_sentence(chosen, first, second, at, count, LAST_RELEASES), "releases")
        st.caption(SEEDED)

    grow()


def _set(playing: bool) -> None:
    st.session_state[RELEASES_PLAYING] = playing


def _again() -> None:
    st.session_state[RELEASES_DRAWN] = 0
