"""One release after another by two algorithms, so that a class sees the distributions grow."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core import charts
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.curves import cdf_curves, empirical_curves
from dpslr_core.text.comparison import releases_sentence
from dpslr_core.text.phrases import SEEDED

from .. import show
from ..controls import BOUND
from ..settings import View

COUNT, PLAYING = "releases_drawn", "releases_playing"
LAST = 20  # releases that are compared one by one


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
    playing = bool(st.session_state.get(PLAYING))

    @st.fragment(run_every=1.0 if playing else None)
    def grow() -> None:
        if st.session_state.get(PLAYING):
            st.session_state[COUNT] = min(st.session_state.get(COUNT, 0) + 1, view.scenario.trials)
        count = max(1, st.session_state.get(COUNT, 1))
        chosen = comparison.only([first, second])
        curves = pd.concat([cdf_curves(chosen, at, window), empirical_curves(chosen, at, window, count)])
        place = ranked.iloc[0]
        figure = charts.output_cdf(curves, place["center"], place["standard_error"], window, view.y)
        show.picture(figure, releases_sentence(chosen, first, second, at, count, LAST), "releases")
        st.caption(SEEDED)

    grow()


def _set(playing: bool) -> None:
    st.session_state[PLAYING] = playing


def _again() -> None:
    st.session_state[COUNT] = 0
