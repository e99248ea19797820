"""The Compare page: its comparison, the width and curves of its picture, and the views below the picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.compared import PICKED, error_bars, first_rows, release_dots
from dpslr_core.charts.curves import Room, output_cdf
from dpslr_core.charts.records import spaghetti
from dpslr_core.charts.vega import Spec
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.comparison import compare_one
from dpslr_core.experiments.curves import (
    cdf_curves,
    empirical_curves,
    private_lines,
    quantile_dots,
)
from dpslr_core.experiments.memory import megabytes
from dpslr_core.experiments.ranking import lead_among, ranking
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import booked
from dpslr_core.privacy.accounting import paid
from dpslr_core.release.text import released_sentence
from dpslr_core.report.scripts import compare_command
from dpslr_core.support.run import Run
from dpslr_core.text.compare import (
    compare_context,
    dots_sentence,
    headline,
    lines_sentence,
    picture_sentence,
    releases_sentence,
    weaker_sentence,
)
from dpslr_core.text.phrases import SEEDED, joined, place_on, spent_on

from . import show
from .cache import kept_by_origin, key_of
from .ends import end_page
from .how_sure import intervals
from .inputs import Allowed, number_box, number_text
from .link import LINK, bound, set_to
from .plain import plain
from .settings import View, in_units, unit_of
from .takeaway import warned
from .work import WAIT, Work, progress

SLOW = 3_000  # records from which the bar is shown at once
WIDTHS = ("auto", "3", "6", "12", "25", "50", "100", "200", "400", "1000")
USUAL = "NoisyStats"  # the paper's simplest: its releases stand beside the best algorithm's
DOTS = 20  # releases of an algorithm on the first screen
LINES = 20  # private lines drawn per algorithm
LAST_RELEASES = 20  # releases that are compared one by one
BELOW, CURVES = 330, 520  # pixels of output distributions, on the first screen and in details
RATIO = "error / standard error (68%)"


def comparison(view: View) -> Comparison:
    """Compare the view's algorithms on its data, one at a time with a bar.

    Each algorithm is kept on its own, so that a click computes only what it changes. An algorithm that is out of reach
    at this size is left out with a warning; the page ends if none is left.
    """
    s, data, comparisons = view.scenario, view.data, list[Comparison]()
    run = Run(s.trials, s.seed)
    private = not view.grouped.reproducible
    work = Work(  # without algorithms and budget, so that a click holds for other choices too
        f"compare {key_of((data, s.at, s.trials, s.also_k))}",
        "the matchings k, the trials, the points x_new or the records n, or choose fewer "
        "algorithms",
        megabytes(s.admitted, data.n, len(s.at), s.trials),
        compare_command(view),
        s,
    )
    records, wait = f"on {data.n:,} records …", 0.0 if data.n >= SLOW else WAIT
    for mechanism in progress(s.admitted, work, lambda m: f"{m.name} {records}", wait=wait):
        try:
            comparisons.append(_of_one(private, data, mechanism, s.budget, run))
        except ValueError as problem:  # out of reach at this size; the other algorithms are shown
            st.warning(warned(str(problem)))
    if not comparisons:
        end_page()
    return Comparison.of(comparisons)


_of_one = kept_by_origin(60)(compare_one)


class PointAnswer(NamedTuple):
    """Answer of the page at one point.

    Attributes
    ----------
    ranked : pandas.DataFrame
        Ranking of the algorithms.
    best : str or None
        Best algorithm with the strongest guarantee.
    headline, errors : str
        Sentences on the answer and on the picture of errors.
    window : tuple of float
        Limits of the pictures in y, in the unit square.
    table : pandas.DataFrame
        Ranking in the units of y.
    """

    ranked: pd.DataFrame
    best: str | None
    headline: str
    errors: str
    window: tuple[float, float]
    table: pd.DataFrame


@dataclass(frozen=True)
class Compared:
    """Comparison that all views draw from.

    Attributes
    ----------
    view : View
        Data and settings of the sidebar.
    comparison : Comparison
        Result of `comparison`.
    at : float
        Point that is looked at, in the unit square.
    width : str
        Width of the pictures, out of WIDTHS.
    """

    view: View
    comparison: Comparison
    at: float
    width: str

    @property
    def digest(self) -> str:
        """Cache key of this comparison."""
        view, s = self.view, self.view.scenario
        run = Run(s.trials, s.seed)
        return key_of(
            (
                view.data,
                s.admitted,
                s.epsilon,
                s.accounting,
                s.at,
                run,
                view.x,
                view.y,
                self.at,
                self.width,
            )
        )

    @property
    def private(self) -> bool:
        """Whether private data go into the results, so that these stay in the session."""
        return not self.view.grouped.reproducible

    @cached_property
    def answer(self) -> PointAnswer:
        """Answer of the page; kept, as every rerun shows it."""
        return _answer(self.private, self)

    @property
    def shown(self) -> list[str]:
        """Names of the algorithms whose curves are drawn."""
        return list(st.session_state.get("curves") or [])

    @property
    def picture(self) -> Spec:
        """Picture of the errors on the first screen."""
        return _picture(self.private, self)

    @property
    def curves(self) -> Spec:
        """Picture of the output distributions on the first screen."""
        return _curves_below(self.private, self, tuple(self.shown))

    def second_algorithm(self, clicked: str | None) -> str | None:
        """Return the algorithm whose releases stand below the best algorithm's.

        Parameters
        ----------
        clicked : str or None
            Algorithm whose bar was clicked. Otherwise NoisyStats is taken, or the last in the ranking.

        Returns
        -------
        str or None
            None if the best algorithm is the only one.
        """
        names = [
            name for name in first_rows(self.answer.ranked)["algorithm"] if name != self.answer.best
        ]
        wanted = [name for name in (clicked, USUAL, *reversed(names)) if name in names]
        return wanted[0] if wanted else None

    def draw_releases(self, second: str | None) -> None:
        """Draw twenty releases of the best algorithm and of `second`."""
        names = tuple(name for name in (self.answer.best, second) if name)
        if not names:
            return
        show.vega(*_twenty(self.private, self, names), "twenty")

    @property
    def curves_heading(self) -> str:
        """Heading of the output distributions."""
        return f"Output distributions at {place_on(self.view.x, self.at)}"


def picked() -> str | None:
    """Return the algorithm whose bar was clicked; None before a click."""
    rows = st.session_state["chart_errors"].selection.get(PICKED) or [{}]
    name: str | None = rows[0].get("algorithm")
    return name


@kept_by_origin(60)
def _released(compared: Compared) -> str:
    """Return the sentence on the error of a real release, if its law differs from the explored one; takes a second."""
    return released_sentence(compared.view, compared.answer.ranked, compared.at)


@kept_by_origin(60)
def _answer(compared: Compared) -> PointAnswer:
    view, s = compared.view, compared.view.scenario
    ranked = ranking(compared.comparison.summary, s.admitted, compared.at, s.epsilon, s.accounting)
    return PointAnswer(
        ranked,
        lead_among(ranked).mechanism,
        headline(ranked, view.y),
        picture_sentence(ranked),
        limits(view, ranked, compared.width),
        _ranking_table(view, ranked),
    )


@kept_by_origin(60)
def _picture(compared: Compared) -> Spec:
    return error_bars(first_rows(compared.answer.ranked))


@kept_by_origin(60)
def _twenty(compared: Compared, names: tuple[str, ...]) -> tuple[Spec, str]:
    """Return picture and sentence of DOTS releases of each algorithm."""
    answer, y = compared.answer, compared.view.y
    dots = {name: quantile_dots(compared.comparison, name, compared.at, DOTS) for name in names}
    first = answer.ranked.iloc[0]
    sentence = joined(*(dots_sentence(frame, first, name, y) for name, frame in dots.items()))
    return release_dots(dots, first, answer.best, y), sentence


@kept_by_origin(60)
def _curves_below(compared: Compared, shown: tuple[str, ...]) -> Spec:
    curves = cdf_curves(compared.comparison.only(shown), compared.at, compared.answer.window)
    return _cdf_picture(compared, curves, Room(), BELOW)


def _cdf_picture(
    compared: Compared, curves: pd.DataFrame, room: Room, height: int = CURVES
) -> Spec:
    """Return the picture of output distributions at the point, with the sampling error."""
    answer, first = compared.answer, compared.answer.ranked.iloc[0]
    errors = first["center"], first["standard_error"]
    return output_cdf(curves, *errors, answer.window, compared.view.y, room, height=height)


def limits(view: View, ranked: pd.DataFrame, width: str) -> tuple[float, float]:
    """Return the limits of the pictures in y, in the unit square: a number of standard errors to each side of OLS.

    Parameters
    ----------
    view : View
        Data and settings.
    ranked : pandas.DataFrame
        Ranking of the algorithms.
    width : str
        Number of standard errors. "auto" takes the first of WIDTHS that is twice the second smallest positive C(68), so
        that the limits move in steps and pictures of neighbouring settings compare.
    """
    center, error = map(float, ranked[["center", "standard_error"]].iloc[0])
    if not error > 0:
        return (-0.5, 1.5) if not np.isfinite(center) else (center - 0.5, center + 0.5)
    half = float(WIDTHS[-1]) if width == "auto" else float(width)
    if width == "auto":
        errors = ranked["c68"].to_numpy()
        bounds = np.sort(errors[np.isfinite(errors) & (errors > 0)])
        needed = 2 * bounds[min(1, bounds.size - 1)] / error if bounds.size else 3.0
        half = next((float(w) for w in WIDTHS[1:] if float(w) >= needed), half)
    return center - half * error, center + half * error


def _everything(compared: Compared) -> None:
    """Draw all algorithms, also those with a weaker guarantee or none."""
    view, ranked = compared.view, compared.answer.ranked
    if weaker := weaker_sentence(ranked, view.y):
        st.markdown(plain(weaker))
    st.caption(plain(compare_context(view)))
    show.vega(error_bars(ranked), compared.answer.errors, "ranked")


def _numbers(compared: Compared) -> None:
    unit = unit_of(compared.view.y)
    helps = {
        RATIO: "The error is C(68): 68% of the releases are this near to OLS. Below 1 it is less than the sampling "
        "error. A dash: it does not answer in 68% of the releases.",
        f"noise alone{unit}": "68% of the releases are this near to the algorithm's own target. More ε makes it "
        "smaller.",
        f"gap{unit}": "How far the algorithm's own target is from OLS on these data, whatever ε is.",
    }
    share = st.column_config.NumberColumn(
        format="percent", help="Share of releases without an answer."
    )
    show.numbers(
        compared.answer.table, "ranking", {"no answer": share}, height="content", helps=helps
    )


def _ranking_table(view: View, ranked: pd.DataFrame) -> pd.DataFrame:
    """Return the ranking in the units of y."""
    y, by_name, unit = view.y, {m.name: m for m in view.scenario.admitted}, unit_of(view.y)
    return pd.DataFrame(
        {
            "algorithm": ranked["algorithm"].array,
            RATIO: ranked["ratio"].array,
            f"C(68){unit}": ranked["c68"].to_numpy() * y.scale,
            f"C(95){unit}": ranked["c95"].to_numpy() * y.scale,
            f"noise alone{unit}": ranked["noise"].to_numpy() * y.scale,
            f"gap{unit}": ranked["gap"].to_numpy() * y.scale,
            "no answer": ranked["failure_rate"].array,
            "guarantee": ranked["guarantee"].array,
            f"median − OLS{unit}": ranked["bias"].to_numpy() * y.scale,
            "how it is known": ranked["how"].array,
            "what the budget pays for": [
                _ledger(by_name[name], view) for name in ranked["algorithm"].tolist()
            ],
        }
    )


def _ledger(mechanism: Mechanism, view: View) -> str:
    """Return the algorithm's ledger in one line."""
    budget = paid(mechanism, view.scenario.budget)
    costs = booked(mechanism.ledger(budget.epsilon, budget.at), mechanism.guarantee(budget.epsilon))
    rows = "; ".join(f"{spent_on(spend, view.x)}: {cost}" for spend, cost in costs)
    several = view.scenario.records_per_person > 1
    return f"{rows}; for one record" if rows and several else rows or "none"


def _lines(compared: Compared) -> None:
    """Draw twenty of the trials; a button moves on to the next twenty."""
    view, last = compared.view, max(compared.view.scenario.trials // LINES - 1, 0)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    number, button = left.columns([1, 5], vertical_alignment="bottom")

    def step() -> None:
        set_to("draw", number_text(0 if draw >= last else draw + 1))

    with number:
        draw = int(number_box("Draw", "draw", 0, Allowed(0, last, whole=True)) or 0)
    button.button("Draw again", on_click=step, help="Twenty other releases of the same algorithms.")
    residuals = right.toggle("Show distances from the OLS line", key="residuals", **LINK)
    lines = private_lines(
        compared.comparison, first=draw * LINES % view.scenario.trials, count=LINES
    )
    lines = lines[lines["mechanism"].isin(compared.shown)] if compared.shown else lines
    sentence = lines_sentence(LINES)
    st.markdown(plain(sentence))
    panels = spaghetti(view.data, lines, view.x, view.y, residuals)
    show.panels(panels, sentence, "lines", 1 if show.on_a_phone() else 2)
    st.caption(SEEDED)
    with st.expander("The numbers in these pictures"):
        show.numbers(in_units(lines, view), "lines", note=SEEDED)


def _curves(compared: Compared) -> None:
    """Draw all output distributions, named at their ends, and, on request, the trials."""
    trials = st.toggle("Show the trials over the exact curves", key="show_trials", **LINK)
    curves = cdf_curves(compared.comparison, compared.at, compared.answer.window, trials)
    figure, errors = _cdf_picture(compared, curves, show.room()), compared.answer.errors
    note = SEEDED if (curves["kind"] == "trials").any() else ""
    show.chart(figure, errors, in_units(curves, compared.view), "output_cdf", note)


def _releases(compared: Compared) -> None:
    """Draw the error of a release of the best algorithm, and two algorithms whose releases arrive one a second."""
    with st.spinner("Computing the law of a release …"):
        released = _released(compared.private, compared)
    if released:
        st.markdown(plain(released))
    view, ranked, at, window = (
        compared.view,
        compared.answer.ranked,
        compared.at,
        compared.answer.window,
    )
    names = list(ranked.loc[ranked["c68"] > 0, "algorithm"])
    if len(names) < 2:
        st.info("Choose two algorithms under More settings that add noise.")
        return
    left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
    first = str(left.selectbox("A", names, 0, **bound("release_a", names)))
    second = str(middle.selectbox("B", names, 1, **bound("release_b", names)))
    with right.container(horizontal=True):
        st.button("▶ Play", on_click=set_to, args=("releases_playing", True), key="play")
        st.button("■ Stop", on_click=set_to, args=("releases_playing", False), key="stop")
        st.button("Start again", on_click=set_to, args=("releases_drawn", 0), key="again")

    @st.fragment(run_every=1.0 if st.session_state.get("releases_playing") else None)
    def grow() -> None:
        state = st.session_state
        if state.get("releases_playing"):
            state["releases_drawn"] = min(state.get("releases_drawn", 0) + 1, view.scenario.trials)
        count = max(1, state.get("releases_drawn", 1))
        chosen = compared.comparison.only([first, second])
        curves = pd.concat(
            [cdf_curves(chosen, at, window), empirical_curves(chosen, at, window, count)]
        )
        sentence = releases_sentence(chosen, first, second, at, count, LAST_RELEASES)
        show.vega(
            _cdf_picture(compared, curves, show.room()), sentence, "releases", sentence_above=True
        )
        st.caption(SEEDED)

    grow()


VIEWS: dict[str, Callable[[Compared], None]] = {
    "Numbers": _numbers,
    "All algorithms": _everything,
    "Private lines": _lines,
    "All curves": _curves,
    "Release by release": _releases,
    "How sure": lambda compared: intervals(compared.view, compared.at, compared.answer.ranked),
}
