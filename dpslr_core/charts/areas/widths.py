"""How wide intervals are in many areas, in widths of the OLS interval: sampling error and noise in two colours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...support.types import Floats
from ..base import figure_of
from ..intervals import NOISE, SAMPLING

WIDEST, TWICE = 5.0, 2.0  # widths of OLS: the top of the picture, and what is counted


def area_widths_chart(widths: pd.DataFrame) -> go.Figure:
    """The median width of each area / that of OLS, the narrowest first; the part that sampling error alone makes below.

    widths: of released_intervals.area_widths; areas without sampling error are left out. Wider intervals, and those
    without two ends, reach the top of the picture.
    """
    rows = widths[widths["ratio"].notna()].sort_values("ratio", kind="stable")
    whole = rows["ratio"].clip(upper=WIDEST).to_numpy()
    alone = np.fmin((rows["sampling"] / rows["ols"]).fillna(0).to_numpy(), whole)
    names = rows["group"].astype("str").tolist()
    traces = [
        _bars(alone, "sampling error alone", SAMPLING, names),
        _bars(whole - alone, "added by the noise", NOISE, names),
    ]
    lines = [_line(1.0, "solid"), _line(TWICE, "dash")]
    notes = [_note(1.0, "OLS, not private"), _note(TWICE, "twice OLS")]
    across = {"title": {"text": f"{len(rows):,} areas, narrowest interval first"}, "range": [0.5, len(rows) + 0.5]}
    up = {"title": {"text": "median width / width of OLS"}, "range": [0, WIDEST]}
    return figure_of(
        traces, 400, shapes=lines, annotations=notes, barmode="stack", bargap=0, xaxis=across, yaxis=up,
    )  # fmt: skip


def _bars(heights: Floats, name: str, color: str, areas: list[str]) -> dict[str, Any]:
    """One part of every area's bar; areas: their labels, for the pointer."""
    places = np.arange(1, len(areas) + 1)
    return {
        "type": "bar", "name": name, "x": places, "y": heights, "customdata": areas,
        "marker": {"color": color, "line": {"width": 0}}, "hovertemplate": "%{customdata}: %{y:.3~g}",
    }  # fmt: skip


def _line(height: float, dash: str) -> dict[str, Any]:
    look = {"color": "#808080", "width": 2, "dash": dash}
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": height, "y1": height, "line": look}


def _note(height: float, text: str) -> dict[str, Any]:
    """A name just above a line, on a ground of its own."""
    return {
        "xref": "x domain", "x": 0.01, "y": height, "xanchor": "left", "yanchor": "bottom", "text": text,
        "showarrow": False, "bgcolor": "rgba(255, 255, 255, 0.85)", "font": {"color": "#202020"},
    }  # fmt: skip
