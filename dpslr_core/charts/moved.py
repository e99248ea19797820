"""One record moved: the records with both lines, and an algorithm's two output distributions with their odds."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log10
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..dataset import Record
from ..experiments.moved import AFTER, BEFORE, MovedRecord, OutputChange
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..text.phrases import format_amount
from .base import figure_of
from .compare import BAND, OLS_LINE, THEIL_SEN_LINE, axes_of, record_markers
from .styles import faded, style

HEIGHT = 430
FEW = 100  # records up to which they are drawn large
CHOSEN = "#c2185b"  # the colour of the record that is moved
DOTTED: dict[str, Any] = {"color": "#808080", "width": 1, "dash": "dot"}
# A click chooses a record; the others keep their look.
CLICKABLE: dict[str, Any] = {"selected": {"marker": {"opacity": 0.9}}, "unselected": {"marker": {"opacity": 0.55}}}
_LOOKS = {"ols": ("OLS", OLS_LINE), "theil_sen": ("Theil–Sen", THEIL_SEN_LINE)}
_MOST = 700.0  # exp of more has no float


def moved_scatter(
    moved: MovedRecord,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    at: Sequence[float] = (),
    zoom: bool = False,
    height: int = HEIGHT,
) -> go.Figure:
    """The records, both lines after the move and, thin, before it; an arrow from where the record was.

    The first trace holds the records in their order, so that a click names a row.
    """
    lines = moved.lines()
    records = record_markers(moved.before.x, moved.before.y, x, y)
    if moved.before.n <= FEW:
        records["marker"] |= {"size": 11}
    traces = [{**records, **(CLICKABLE if "marker" in records else {})}]  # a density of many records has no marks
    if moved.moved:
        traces += [_line(lines, BEFORE, name, x, y) for name in _LOOKS]
    traces += [_line(lines, AFTER, name, x, y) for name in _LOOKS]
    traces.append(chosen_record((moved.x, moved.y), "the record", x, y))
    marks = [upright(float(point)) for point in x.from_unit(at)]
    arrows = [_arrow(moved, x, y)] if moved.moved else []
    return figure_of(traces, height, shapes=marks, annotations=arrows, **axes_of(moved.before, x, y, zoom))


def upright(at: float, line: dict[str, Any] = DOTTED) -> dict[str, Any]:
    """A shape: a line from bottom to top, by default thin, dotted and grey."""
    return {"type": "line", "yref": "y domain", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line}


def chosen_record(record: Record, name: str, x: Axis, y: Axis) -> dict[str, Any]:
    """A trace: the ring about one record."""
    return {
        "type": "scatter", "mode": "markers", "name": name, "hoverinfo": "skip",
        "x": x.from_unit([record[0]]), "y": y.from_unit([record[1]]),
        "marker": {"size": 18, "symbol": "circle-open", "color": CHOSEN, "line": {"width": 3}},
    }  # fmt: skip


def _line(lines: pd.DataFrame, when: str, name: str, x: Axis, y: Axis) -> dict[str, Any]:
    """A trace: one line; lines before the move are thin."""
    rows = lines[lines["data"] == when]
    label, look = _LOOKS[name]
    before = when == BEFORE
    return {
        "type": "scatter", "mode": "lines", "name": f"{label}, before" if before else label, "hoverinfo": "skip",
        "x": x.from_unit(rows["x"]), "y": y.from_unit(rows[name]), "opacity": 0.7 if before else 1.0,
        "line": {**look, "width": 1.2} if before else {**look, "width": 3},
    }  # fmt: skip


def _arrow(moved: MovedRecord, x: Axis, y: Axis) -> dict[str, Any]:
    """An annotation: from where the record was to where it is."""
    (old_x, old_y), new = moved.old, (moved.x, moved.y)
    return {
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": CHOSEN, "standoff": 10,
        "x": float(x.from_unit(new[0])), "y": float(y.from_unit(new[1])), "xref": "x", "yref": "y",
        "ax": float(x.from_unit(old_x)), "ay": float(y.from_unit(old_y)), "axref": "x", "ayref": "y",
    }  # fmt: skip


def odds_chart(change: OutputChange, odds: pd.DataFrame, y: Axis = UNIT_Y, height: int = HEIGHT) -> go.Figure:
    """The output densities above; the odds of each outcome below, which stay in the band from exp(-ε) to exp(ε).

    odds: of change.odds, in the units of y, over the window that is drawn. Only where the guarantee is of pure
    differential privacy there is a band.
    """
    name, ends = change.mechanism.name, odds["estimate"].iloc[[0, -1]].tolist()
    factor = exp(min(change.loss.promised, _MOST)) if change.loss.unit == "ε" else None
    ratio = {
        "type": "scatter", "mode": "lines", "name": "odds", "showlegend": False, "xaxis": "x", "yaxis": "y2",
        "x": odds["estimate"].to_numpy(), "y": odds["odds"].to_numpy(),
        "line": {"color": style(name)["color"], "width": 3},
    }  # fmt: skip
    even = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y2", "y0": 1, "y1": 1, "line": DOTTED}
    return figure_of(
        [*_densities(odds, name), ratio], height,
        xaxis={"title": {"text": f"released prediction: {y.label}"}, "range": ends, "anchor": "y2"},
        yaxis={"title": {"text": "density"}, "domain": [0.56, 1], "showticklabels": False, "rangemode": "tozero"},
        yaxis2=_odds_axis(factor, odds["odds"].to_numpy()), shapes=[*([_band(factor)] if factor else []), even],
    )  # fmt: skip


def _densities(odds: pd.DataFrame, algorithm: str) -> list[dict[str, Any]]:
    """Two traces: the density before filled and pale, after as a line in the algorithm's colour."""
    colour = style(algorithm)["color"]
    looks: dict[str, dict[str, Any]] = {
        BEFORE: {"fill": "tozeroy", "fillcolor": faded(algorithm, 0.25), "line": {"color": colour, "width": 1}},
        AFTER: {"line": {"color": colour, "width": 3}},
    }
    return [
        {
            "type": "scatter", "mode": "lines", "name": f"{algorithm}, {name}", "x": odds["estimate"].to_numpy(),
            "y": odds[name].to_numpy(), **look,
        }
        for name, look in looks.items()
    ]  # fmt: skip


def _odds_axis(factor: float | None, odds: Any) -> dict[str, Any]:
    """A logarithmic axis a little wider than the band, or than the odds, with ticks at its ends and at 1."""
    if factor is None:
        logs = np.abs(np.log(odds[np.isfinite(odds) & (odds > 0)]))
        factor = exp(min(float(logs.max(initial=0.1)), _MOST))
    reach = 1.25 * log10(factor)
    return {
        "title": {"text": "after : before"}, "type": "log", "domain": [0, 0.44], "range": [-reach, reach],
        "tickvals": [1 / factor, 1, factor], "ticktext": [f"1/{format_amount(factor)}", "1", format_amount(factor)],
    }  # fmt: skip


def _band(factor: float) -> dict[str, Any]:
    """A shape: the odds that epsilon allows."""
    return {
        "type": "rect", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y2", "y0": 1 / factor, "y1": factor,
        "fillcolor": BAND, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip
