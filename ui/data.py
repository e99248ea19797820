"""The Data page: leafing through groups, one record moved, and what can be taken away."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpslr_core.audit.moved import MovedRecord, output_change
from dpslr_core.charts.privacy import odds_chart
from dpslr_core.charts.records import moved_scatter
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.mechanisms import Mechanism
from dpslr_core.text.data import loss_sentence, moved_sentence

from . import show, takeaway
from .cache import kept
from .moved import algorithm_choice, ask_for_laws, linked_mover, moved_query, moved_settings, private_algorithms
from .settings import View, link
from .takeaway import page_query

lines = kept(64)(regression_lines)


HEIGHT = 380  # pixels of the pictures, so that the sliders stand below them on the first screen
USUAL = "DPExpTheilSen"


def move_one(view: View, zoom: bool) -> MovedRecord:
    """Two pictures side by side, below them the record, its two sliders and the algorithm; the move."""
    mover = linked_mover(view)
    pictures = st.container()
    left, middle, right = st.columns(3)
    with left:
        mover.choice("Record")
        mover.put_back()
    with middle:
        mover.sliders()
    with right:
        offered = private_algorithms(view)
        chosen = "Output distributions of", "moved_algorithm", USUAL
        mechanism = algorithm_choice(offered, *chosen) if offered else None
    takeaway.declare(view, data_query(view), moved_settings(mover))
    moved, at = mover.moved, view.scenario.at
    with pictures:
        left, right = st.columns(2)
        with left:
            figure = moved_scatter(moved, view.x, view.y, at, zoom, HEIGHT)
            told, clicked = moved_sentence(moved, at[0], view.x, view.y), partial(mover.clicked, "chart_moved")
            show.picture(figure, told, "moved", on_select=clicked, selection_mode="points")
        with right:
            odds = _outputs(view, moved, mechanism)
    if odds is not None:
        with st.expander("The numbers of the output distributions"):
            show.numbers(odds, "outputs")
    st.caption(f"This is {view.computed}.")
    return moved


def data_query(view: View) -> str:
    """The query of the page's link, with the record that is moved, where one is."""
    query = page_query(link(view), {"zoom": False, "moving": False, "moved_algorithm": ""})
    return "&".join(filter(None, (query, moved_query() if st.session_state.get("moving") else "")))


def _outputs(view: View, moved: MovedRecord, mechanism: Mechanism | None) -> pd.DataFrame | None:
    """The output distributions at the first point, before and after; a sentence where there are none."""
    if mechanism is None:
        st.info("Choose a private algorithm in the sidebar.")
        return None
    ask_for_laws("moved", view, mechanism)
    change = _changed(moved, mechanism, view.scenario.budget)
    if change is None:
        st.info(f"No exact output distribution of {mechanism.name} is known: choose another algorithm.")
        return None
    odds = change.odds(change.window(), view.y)
    show.picture(odds_chart(change, odds, view.y, HEIGHT), loss_sentence(change, moved.moved), "outputs")
    return odds


_changed = kept(32, spinner="Computing the output distributions …")(output_change)  # of uploads, too: in the session
