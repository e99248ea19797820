"""What epsilon promises: two output densities, and below them how many times as likely each outcome is."""

from __future__ import annotations

from math import exp, log10
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...experiments.moved import AFTER, BEFORE, OutputChange
from ...sources.axis import UNIT_Y, Axis
from ...text.phrases import format_amount
from ..base import figure_of
from ..compare import BAND
from ..styles import faded, style
from .moved import HEIGHT

_MOST = 700.0  # exp of more has no float


def odds_chart(change: OutputChange, rows: pd.DataFrame, y: Axis = UNIT_Y, height: int = HEIGHT) -> go.Figure:
    """The densities above; the odds of each outcome below. They stay in the band from exp(-ε) to exp(ε).

    rows: of change.odds, over the window that is drawn. There is a band where the promise is of pure differential
    privacy.
    """
    name, window = change.mechanism.name, rows["estimate"].iloc[[0, -1]]
    factor = exp(min(change.loss.promised, _MOST)) if change.loss.unit == "ε" else None
    odds = rows["odds"].to_numpy()
    ratio = {
        "type": "scatter", "mode": "lines", "name": "odds", "showlegend": False, "xaxis": "x", "yaxis": "y2",
        "x": y.from_unit(rows["estimate"]), "y": odds, "line": {"color": style(name)["color"], "width": 3},
    }  # fmt: skip
    across = {"title": {"text": f"released prediction: {y.label}"}, "range": list(y.from_unit(window)), "anchor": "y2"}
    return figure_of(
        [*_densities(rows, name, y), ratio], height, xaxis=across,
        yaxis={"title": {"text": "density"}, "domain": [0.56, 1], "showticklabels": False, "rangemode": "tozero"},
        yaxis2=_odds_axis(factor, odds), shapes=[*([_band(factor)] if factor else []), _even()],
    )  # fmt: skip


def _densities(rows: pd.DataFrame, algorithm: str, y: Axis) -> list[dict[str, Any]]:
    """The two curves: before filled and pale, after as a line in the algorithm's colour."""
    colour = style(algorithm)["color"]
    looks: dict[str, dict[str, Any]] = {
        BEFORE: {"fill": "tozeroy", "fillcolor": faded(algorithm, 0.25), "line": {"color": colour, "width": 1}},
        AFTER: {"line": {"color": colour, "width": 3}},
    }
    return [
        {
            "type": "scatter", "mode": "lines", "name": f"{algorithm}, {name}", "x": y.from_unit(rows["estimate"]),
            "y": rows[name].to_numpy() / y.scale, **look,
        }
        for name, look in looks.items()
    ]  # fmt: skip


def _odds_axis(factor: float | None, odds: Any) -> dict[str, Any]:
    """A logarithmic axis a little wider than the band, or than the odds, with ticks at its ends and at 1."""
    if factor is None:
        known = np.abs(np.log(odds[np.isfinite(odds) & (odds > 0)]))
        factor = exp(min(float(known.max(initial=0.1)), _MOST))
    reach = 1.25 * log10(factor)
    return {
        "title": {"text": "after : before"}, "type": "log", "domain": [0, 0.44], "range": [-reach, reach],
        "tickvals": [1 / factor, 1, factor], "ticktext": [f"1/{format_amount(factor)}", "1", format_amount(factor)],
    }  # fmt: skip


def _band(factor: float) -> dict[str, Any]:
    """What epsilon allows."""
    return {
        "type": "rect", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y2", "y0": 1 / factor, "y1": factor,
        "fillcolor": BAND, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _even() -> dict[str, Any]:
    """As likely on both."""
    line = {"color": "#808080", "width": 1, "dash": "dot"}
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y2", "y0": 1, "y1": 1, "line": line}
