"""The records with their lines as a picture for files: the page draws them with plotly, where they can be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..experiments.moved import AFTER, BEFORE, MovedRecord
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from .compare import MANY_POINTS, OLS_LINE, THEIL_SEN_LINE, axes_of
from .vega import SHAPES, Spec, layer, nominal, quantitative, with_data

HEIGHT = 330  # pixels
RECORD, CHOSEN, ERROR = "#3fa0dc", "#c2185b", "#8a8a93"
OLS, THEIL_SEN = str(OLS_LINE["color"]), str(THEIL_SEN_LINE["color"])
CELLS = (80, 60)  # across and up, of a density
WITHIN = "OLS ± one standard error"
Look = tuple[str, str, float, tuple[int, int]]  # of a line: name, colour, width and dash
_SOLID, _DASHED = (1, 0), (7, 4)


def records_picture(data: Dataset, lines: pd.DataFrame, x: Axis = UNIT_X, y: Axis = UNIT_Y, zoom: bool = False) -> Spec:
    """The picture of the Data page; lines: of curves.regression_lines."""
    looks = (("OLS", OLS, 2.5, _SOLID), ("Theil–Sen", THEIL_SEN, 2.5, _DASHED), (WITHIN, ERROR, 1.0, _SOLID))
    columns = {"ols": "OLS", "theil_sen": "Theil–Sen", "low": WITHIN, "high": WITHIN}
    return _drawn(data, looks, [_path(lines, *pair, x, y) for pair in columns.items()], x, y, zoom, [])


def moved_picture(moved: MovedRecord, x: Axis = UNIT_X, y: Axis = UNIT_Y, zoom: bool = False) -> Spec:
    """The picture with a record moved: lines after the move and, thin, before it."""
    lines, looks, paths = moved.lines(), [], []
    for when, width, name in ((BEFORE, 1.0, ", before (thin)"), (AFTER, 2.5, "")):
        if when == BEFORE and not moved.moved:
            continue
        rows = lines[lines["data"] == when]
        looks += [(f"OLS{name}", OLS, width, _SOLID), (f"Theil–Sen{name}", THEIL_SEN, width, _DASHED)]
        paths += [_path(rows, "ols", f"OLS{name}", x, y), _path(rows, "theil_sen", f"Theil–Sen{name}", x, y)]
    places = [moved.old, (moved.x, moved.y)] if moved.moved else [moved.old]
    return _drawn(moved.before, tuple(looks), paths, x, y, zoom, places)


def _path(rows: pd.DataFrame, column: str, name: str, x: Axis, y: Axis) -> pd.DataFrame:
    """A line of the page, in the users' units."""
    return pd.DataFrame({"line": name, "part": column, "x": x.from_unit(rows["x"]), "y": y.from_unit(rows[column])})


def _drawn(
    data: Dataset,
    looks: tuple[Look, ...],
    paths: Sequence[pd.DataFrame],
    x: Axis,
    y: Axis,
    zoom: bool,
    places: Sequence[tuple[float, float]],
) -> Spec:
    """The records, their lines, and the places from the first to the last of which a record was moved."""
    spans = tuple(tuple(map(float, side["range"])) for side in axes_of(data, x, y, zoom).values())
    across, up = x.from_unit(data.x), y.from_unit(data.y)
    many = across.size > MANY_POINTS
    records = _density(across, up, spans) if many else pd.DataFrame({"x": across, "y": up})
    chosen = pd.DataFrame(places, columns=["x", "y"])
    chosen = chosen.assign(x=x.from_unit(chosen["x"]), y=y.from_unit(chosen["y"]), last=chosen.index == len(places) - 1)
    shape = _shape(looks, spans, (x.label, y.label), many)
    return with_data(shape, records=records, lines=pd.concat(paths, ignore_index=True), chosen=chosen)


def _density(across: np.ndarray, up: np.ndarray, spans: tuple[tuple[float, ...], ...]) -> pd.DataFrame:
    """Cells with their records, so that the file of many records stays small: x, x2, y, y2, share of the fullest."""
    counts, x, y = np.histogram2d(across, up, CELLS, spans)
    column, row = np.nonzero(counts)
    share = np.sqrt(counts[column, row] / counts.max(initial=1))
    return pd.DataFrame({"x": x[column], "x2": x[column + 1], "y": y[row], "y2": y[row + 1], "share": share})


@lru_cache(SHAPES)
def _shape(looks: tuple[Look, ...], spans: tuple[tuple[float, ...], ...], labels: tuple[str, str], many: bool) -> Spec:
    """The shape of both pictures. spans, labels: of the axes. many: whether the records are a density."""
    names, colors, widths, dashes = map(list, zip(*looks, strict=True))
    dashes = [list(dash) for dash in dashes]
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolSize": 300, "labelLimit": 260}
    look = {
        channel: nominal("line", sort=None, legend=legend, scale={"type": "ordinal", "domain": names, "range": values})
        for channel, values in (("color", colors), ("strokeWidth", widths), ("strokeDash", dashes))
    }
    x, y = (
        {channel: quantitative(channel, scale={"domain": list(span), "nice": False, "zero": False},
                               axis={"title": label, "titleLimit": 600, "tickCount": 6})}
        for channel, span, label in zip("xy", spans, labels, strict=True)
    )  # fmt: skip
    dots = {"type": "circle", "size": 28, "opacity": 1, "color": RECORD, "clip": True}
    if many:
        dots |= {"type": "rect"}
        ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
        shade = {"opacity": quantitative("share", scale={"domain": [0, 1], "range": [0.15, 1]}, legend=None)}
    thick = {"type": "circle", "size": 95, "opacity": 1, "color": CHOSEN, "clip": True}
    last = {"transform": [{"filter": "datum.last"}]}
    layers = [
        layer("records", dots, x | y | (ends | shade if many else {})),
        layer("lines", {"type": "line", "clip": True}, x | y | look | {"detail": nominal("part")}),
        layer("chosen", {"type": "line", "color": CHOSEN, "strokeWidth": 1, "clip": True}, x | y),
        layer("chosen", thick, x | y) | last,
    ]
    return {"layer": layers, "height": HEIGHT}
