"""The winner map of the Guidance page: for the user's own epsilon and var(x), coarse at first."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.charts.maps import winners
from dpslr_core.guidance import Recommendation
from dpslr_core.guidance.maps import own_map
from dpslr_core.guidance.maps.own_map import COARSE, FINE, Cell, Resolution
from dpslr_core.text.guidance import evidence as text

from .. import show
from ..cache import kept_by_origin
from ..plain import plain
from ..work.paced import paced
from . import runs


def draw(recommendation: Recommendation, looked: bool) -> None:
    """The map after each stage in the same place."""
    if len(own_map.mechanisms_of(recommendation)) < 2:
        st.info("A map needs two or more algorithms that may win. Choose more in the sidebar.")
        return
    place = st.empty()
    for stage, resolution in enumerate((COARSE, FINE)):
        won = _won(recommendation, resolution, looked)
        with place.container():
            _picture(recommendation, won, resolution.datasets, stage)


def _picture(recommendation: Recommendation, won: pd.DataFrame, datasets: int, stage: int) -> None:
    about = recommendation.circumstances
    figure = winners.winner_map(won, (about.epsilon_nvar, about.var_e))
    name = f"winner_map_{stage}"
    show.picture(figure, text.map_sentence(recommendation, won), name)
    st.caption(plain(text.own_map_caption(recommendation, datasets, coarse=stage == 0)))
    with st.expander("The numbers in this picture"):
        show.numbers(won, name)


def _won(recommendation: Recommendation, resolution: Resolution, looked: bool) -> pd.DataFrame:
    """The winners of all cells, cell after cell."""
    cells = own_map.cells(recommendation, resolution)
    bar, rows = st.progress(0.0), []
    for number, cell in enumerate(paced(cells, runs.work_after(recommendation))):
        bar.progress(number / len(cells), f"{number} of {len(cells)} cells")
        rows.append(_winner(looked, cell))
    bar.empty()
    return own_map.won_of(rows)


@kept_by_origin(1_000)
def _winner(cell: Cell) -> pd.DataFrame:
    return own_map.winner(cell)
