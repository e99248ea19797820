"""The picture of all areas, drawn again only where another algorithm leads."""

from __future__ import annotations

import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.charts.areas.ratios import area_ratios
from dpslr_core.text.areas import compared_with, picture_sentence

from .. import show
from ..settings import View


def draw_picture(
    place: DeltaGenerator, view: View, measured: pd.DataFrame, ranked: pd.DataFrame, drawn: list[str] | None
) -> list[str]:
    """The algorithms shown: the first of ranked_shares and what it is compared with; drawn: those shown before."""
    other = compared_with(ranked)
    names = [str(ranked["mechanism"].iloc[0]), *([other] if other else [])]
    if names != drawn and (measured["standard_error"] > 0).any():
        with place.container():
            key = "areas" if drawn is None else "areas_again"
            show.vega(area_ratios(measured, names, view.y), picture_sentence(measured, names), key)
    return names
