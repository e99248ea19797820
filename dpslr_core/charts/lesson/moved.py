"""One record moved, or one that leaves: the records with the lines before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...dataset import Dataset
from ...experiments.moved import AFTER, BEFORE, MovedRecord
from ...sources.axis import UNIT_X, UNIT_Y, Axis
from ..base import figure_of
from ..compare import OLS_LINE, THEIL_SEN_LINE, axes_of, record_markers

HEIGHT = 430
FEW = 100  # records up to which they are drawn large
_LOOKS = {"ols": ("OLS", OLS_LINE), "theil_sen": ("Theil–Sen", THEIL_SEN_LINE)}
_CHOSEN = "#c2185b"


def moved_scatter(
    moved: MovedRecord,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    at: Sequence[float] = (),
    zoom: bool = False,
    height: int = HEIGHT,
) -> go.Figure:
    """The records, both lines after the move and, thin, before it; an arrow from where the record was.

    The first trace holds the records in their order, so that a click names its place.
    """
    lines = moved.lines()
    records = record_markers(moved.before.x, moved.before.y, x, y)
    if moved.before.n <= FEW:
        records["marker"] |= {"size": 11}
    traces = [{**records, **(_ALL_CLEAR if "marker" in records else {})}]  # a density of many records has no marks
    if moved.moved:
        traces += [_line(lines, BEFORE, name, x, y) for name in _LOOKS]
    traces += [_line(lines, AFTER, name, x, y) for name in _LOOKS]
    traces.append(_chosen(moved.x, moved.y, "the record", x, y))
    dotted = {"color": "#808080", "width": 1, "dash": "dot"}
    marks = [{"type": "line", "yref": "y domain", "x0": p, "x1": p, "y0": 0, "y1": 1, "line": dotted}
             for p in x.from_unit(at).tolist()]  # fmt: skip
    arrows = [_arrow(moved, x, y)] if moved.moved else []
    return figure_of(traces, height, shapes=marks, annotations=arrows, **axes_of(moved.before, x, y, zoom))


# A click chooses a record; the others keep their look.
_ALL_CLEAR: dict[str, Any] = {"selected": {"marker": {"opacity": 0.9}}, "unselected": {"marker": {"opacity": 0.55}}}


def people_with_lines(
    data: Dataset, lines: Sequence[tuple[str, Dataset]], chosen: int | None, x: Axis, y: Axis, at: float
) -> go.Figure:
    """A few people with the OLS line of each of some data sets, the last one drawn in full; one person is marked.

    lines: names and data sets. chosen: the place of a person, from 0. Their numbers, from 1, stand beside the people.
    """
    people = {
        "type": "scatter", "mode": "markers+text", "name": "people", "x": x.from_unit(data.x), "y": y.from_unit(data.y),
        "text": [str(number) for number in range(1, data.n + 1)], "textposition": "top center",
        "marker": {"color": "#3fa0dc", "size": 12}, "hoverinfo": "x+y",
    }  # fmt: skip
    ends = np.array([0.0, 1.0])
    traces = [{**people, **_ALL_CLEAR}]
    for number, (name, fitted) in enumerate(lines, 1):
        look = OLS_LINE if number == len(lines) else {**OLS_LINE, "width": 2, "dash": "dot"}
        traces.append({
            "type": "scatter", "mode": "lines", "name": name, "x": x.from_unit(ends),
            "y": y.from_unit(fitted.predict(ends)), "line": {**look, "width": look["width"] + 0.5},
        })  # fmt: skip
    if chosen is not None:
        traces.append(_chosen(float(data.x[chosen]), float(data.y[chosen]), "leaves", x, y))
    place = float(x.from_unit(at))
    mark = {"type": "line", "yref": "y domain", "x0": place, "x1": place, "y0": 0, "y1": 1,
            "line": {"color": "#808080", "width": 1, "dash": "dot"}}  # fmt: skip
    return figure_of(traces, HEIGHT, shapes=[mark], **axes_of(data, x, y))


def _line(lines: pd.DataFrame, when: str, name: str, x: Axis, y: Axis) -> dict[str, Any]:
    """One line; those before the move are thin."""
    rows = lines[lines["data"] == when]
    label, look = _LOOKS[name]
    before = when == BEFORE
    return {
        "type": "scatter", "mode": "lines", "name": f"{label}, before" if before else label, "hoverinfo": "skip",
        "x": x.from_unit(rows["x"]), "y": y.from_unit(rows[name]), "opacity": 0.7 if before else 1.0,
        "line": {**look, "width": 1.2} if before else {**look, "width": 3},
    }  # fmt: skip


def _chosen(x_unit: float, y_unit: float, name: str, x: Axis, y: Axis) -> dict[str, Any]:
    """The mark on one record."""
    return {
        "type": "scatter", "mode": "markers", "name": name, "hoverinfo": "skip",
        "x": x.from_unit([x_unit]), "y": y.from_unit([y_unit]),
        "marker": {"size": 18, "symbol": "circle-open", "color": _CHOSEN, "line": {"width": 3}},
    }  # fmt: skip


def _arrow(moved: MovedRecord, x: Axis, y: Axis) -> dict[str, Any]:
    """From where the record was to where it is."""
    (old_x, old_y), new = moved.old, (moved.x, moved.y)
    return {
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": _CHOSEN, "standoff": 10,
        "x": float(x.from_unit(new[0])), "y": float(y.from_unit(new[1])), "xref": "x", "yref": "y",
        "ax": float(x.from_unit(old_x)), "ay": float(y.from_unit(old_y)), "axref": "x", "ayref": "y",
    }  # fmt: skip
