"""Beliefs after a release, the trade-off curve, the ledgers, and staircase noise beside Laplace noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...audit.pair import Pair, allowed_misses, beliefs, laplace_law, misses_at, posterior, staircase_law
from ...sources.axis import UNIT_Y, Axis
from ..base import figure_of
from ..compare import BAND
from ..styles import faded, style
from .loss import HEIGHT

ALARMS = np.concatenate([np.geomspace(1e-6, 0.02, 120, endpoint=False), np.linspace(0.02, 1, 240)])
_GREY: dict[str, Any] = {"color": "#808080", "width": 2}
_ROW = 34  # pixels of an algorithm in the ledgers
_STAIRCASE, _LAPLACE = "#c23b4e", "#0760d3"


def belief_chart(pair: Pair, prior: float, y: Axis = UNIT_Y) -> go.Figure:
    """The belief after each answer, in the band of those that the guarantee allows; the prior is dotted."""
    allowed = beliefs(prior, pair.bound)
    curve = {
        "type": "scatter", "mode": "lines", "name": f"belief after the answer of {pair.name}",
        "x": y.from_unit(pair.curve["estimate"]), "y": posterior(prior, pair.curve["loss"]),
        "line": {"color": style(pair.name)["color"], "width": 3},
    }  # fmt: skip
    place = {"xref": "x domain", "x0": 0, "x1": 1}
    shapes = [
        {"type": "rect", **place, "y0": allowed.least, "y1": allowed.largest, "fillcolor": BAND, "line": _GREY,
         "layer": "below"},
        {"type": "line", **place, "y0": prior, "y1": prior, "line": {**_GREY, "dash": "dot"}},
    ]  # fmt: skip
    across = {"title": {"text": f"released prediction: {y.label}"}, "range": list(y.from_unit(pair.window))}
    up = {"title": {"text": "belief that the record was moved"}, "range": [-0.02, 1.02], "tickformat": ".0%"}
    return figure_of([curve], HEIGHT, shapes=shapes, xaxis=across, yaxis=up, showlegend=True)


def tradeoff_chart(pair: Pair) -> go.Figure:
    """The fewest misses for each share of false alarms: by chance, of this pair, and what the guarantee allows."""
    allowed = allowed_misses(pair.guarantee, pair.known, ALARMS)
    lines = [
        ("blind guessing", 1 - ALARMS, {**_GREY, "dash": "dot"}),
        (f"{pair.name}, this record", misses_at(pair.tests, ALARMS), {"color": style(pair.name)["color"], "width": 3}),
        ("allowed by the guarantee and its noise", allowed, {**_GREY, "dash": "dash"}),
    ]
    traces = [
        {"type": "scatter", "mode": "lines", "name": name, "x": ALARMS, "y": misses, "line": look}
        for name, misses, look in lines
    ]
    traces[-1] |= {"fill": "tozeroy", "fillcolor": BAND}
    share = {"range": [-0.01, 1.01], "tickformat": ".0%"}
    return figure_of(
        traces, HEIGHT, xaxis={"title": {"text": "false alarms"}, **share}, yaxis={"title": {"text": "misses"}, **share}
    )


def tradeoff_table(pair: Pair) -> pd.DataFrame:
    """The numbers of tradeoff_chart."""
    return pd.DataFrame(
        {
            "false alarms": ALARMS,
            "misses": misses_at(pair.tests, ALARMS),
            "misses allowed": allowed_misses(pair.guarantee, pair.known, ALARMS),
        }
    )


def ledger_chart(rows: pd.DataFrame) -> go.Figure:
    """The parts that each algorithm splits its budget into, as bars; rows: of audit.spending.ledgers."""
    names = list(dict.fromkeys(rows["algorithm"]))
    traces = []
    for number in range(int(rows.groupby("algorithm").size().max())):
        part = rows.groupby("algorithm", sort=False).nth(number)
        traces.append({
            "type": "bar", "orientation": "h", "y": part["algorithm"], "x": part["share"].to_numpy(),
            "text": part["what"], "textposition": "inside", "insidetextanchor": "start", "showlegend": False,
            "marker": {"color": [faded(name, 0.35 + 0.3 * (number % 2)) for name in part["algorithm"]],
                       "line": {"color": [style(name)["color"] for name in part["algorithm"]], "width": 1}},
            "hovertemplate": "%{text}: %{x:.1%}<extra></extra>",
        })  # fmt: skip
    across = {"title": {"text": "share of the budget"}, "range": [0, 1], "tickformat": ".0%"}
    return figure_of(
        traces, 90 + _ROW * len(names), barmode="stack", uniformtext={"minsize": 9, "mode": "hide"}, xaxis=across,
        yaxis={"autorange": "reversed", "automargin": True, "title": {"text": ""}},
    )  # fmt: skip


def staircase_chart(epsilon: float) -> go.Figure:
    """The densities of staircase and Laplace noise, in units of what one record can change; logarithmic."""
    across = np.linspace(-2, 2, 1601)
    traces = [
        {"type": "scatter", "mode": "lines", "name": name, "x": across, "line": {"color": colour, "width": 2.5},
         "y": law.logpdf(across) / np.log(10)}
        for name, law, colour in (
            ("staircase noise", staircase_law(epsilon), _STAIRCASE), ("Laplace noise", laplace_law(epsilon), _LAPLACE)
        )
    ]  # fmt: skip
    moves = {"type": "rect", "yref": "y domain", "x0": 0, "x1": 1, "y0": 0, "y1": 1, "fillcolor": BAND,
             "line": {"width": 0}, "layer": "below"}  # fmt: skip
    return figure_of(
        traces, HEIGHT, shapes=[moves],
        xaxis={"title": {"text": "noise; the band is what one record can change"}, "range": [-2, 2]},
        yaxis={"title": {"text": "density, power of ten"}},
    )  # fmt: skip
