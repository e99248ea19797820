"""The records of a data set with their lines: by Plotly on a page, where they can be clicked, by Vega in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..audit.moved import AFTER, BEFORE, MovedRecord
from ..dataset import ROUNDING, Dataset, Record
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..support.types import Floats
from .styles import Figure, figure_of, style
from .vega import GREY, LEGEND, Ends, Spec, axis, layer, looks, nominal, quantitative, with_data, xy

BAND = "rgba(128, 128, 128, 0.22)"
RECORD, CHOSEN, ERROR = "#3fa0dc", "#c2185b", "#8a8a93"  # colours of records, of the one that is moved, of the band
OLS_LINE: dict[str, Any] = {"color": "#4d74b8", "width": 2.5}
THEIL_SEN_LINE: dict[str, Any] = {"color": "#d55e00", "width": 2.5, "dash": "dash"}
DOTTED: dict[str, Any] = {"color": GREY, "width": 1, "dash": "dot"}
RECORDS = 400  # records in each panel of private lines
MANY_POINTS, TOO_MANY_POINTS = 2_000, 20_000  # above: WebGL markers; above: a density
FEW = 100  # records up to which they are drawn large
CELLS = (80, 60)  # across and up, of a density in a file
HEIGHT, SAVED = 430, 330  # pixels, on a page and in a file
WITHIN = "OLS ± one standard error"
# A click chooses a record; the others keep their look.
CLICKABLE: dict[str, Any] = {"selected": {"marker": {"opacity": 0.9}}, "unselected": {"marker": {"opacity": 0.55}}}
_LOOKS = {"ols": ("OLS", OLS_LINE), "theil_sen": ("Theil–Sen", THEIL_SEN_LINE)}
_SOLID, _DASHED = [1, 0], [7, 4]
Look = tuple[str, str, float, list[int]]  # of a line in a file: name, colour, width and dash


# On a page.


def scatter(
    data: Dataset,
    lines: pd.DataFrame,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    at: Sequence[float] = (),
    zoom: bool = False,
) -> Figure:
    """The records with the OLS and Theil-Sen lines and the band of one standard error of the OLS prediction.

    lines: x, ols, low, high, theil_sen in the unit square. The axes show the public bounds, so that pictures of
    different groups compare, or, with zoom, the records.
    """
    across = x.from_unit(lines["x"])
    band = {"type": "scatter", "x": across, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    line = {"type": "scatter", "x": across, "mode": "lines"}
    traces = [
        record_markers(data.x, data.y, x, y),
        band | {"y": y.from_unit(lines["low"]), "showlegend": False},
        band | {"y": y.from_unit(lines["high"]), "fill": "tonexty", "fillcolor": BAND, "name": WITHIN},
        line | {"y": y.from_unit(lines["ols"]), "name": "OLS", "line": OLS_LINE},
        line | {"y": y.from_unit(lines["theil_sen"]), "name": "Theil–Sen", "line": THEIL_SEN_LINE},
    ]
    return figure_of(traces, HEIGHT, shapes=_uprights(x, at), **axes_of(data, x, y, zoom))


def axes_of(data: Dataset, x: Axis, y: Axis, zoom: bool = False) -> dict[str, dict[str, Any]]:
    """The axes of records: the public bounds or, with zoom, the records with a margin of a tenth."""
    sides: list[Ends] = [(-0.02, 1.02), (-0.05, 1.05)]
    if zoom:
        widths = [(values, float(np.ptp(values))) for values in (data.x, data.y)]
        margins = [(values, 0.1 * width if width > ROUNDING else 0.01) for values, width in widths]
        sides = [(float(values.min()) - margin, float(values.max()) + margin) for values, margin in margins]
    return {
        f"{name}axis": {"title": {"text": axis.label}, "range": list(axis.from_unit(side))}
        for name, axis, side in zip("xy", (x, y), sides, strict=True)
    }


def record_markers(x_unit: Floats, y_unit: Floats, x: Axis, y: Axis) -> dict[str, Any]:
    """The records as markers, as WebGL markers where there are many, as a density where there are too many."""
    where = {"x": x.from_unit(x_unit), "y": y.from_unit(y_unit), "name": "records"}
    if x_unit.size > TOO_MANY_POINTS:
        return where | {"type": "histogram2d", "nbinsx": 80, "nbinsy": 60, "colorscale": "Blues", "showscale": False}
    many = x_unit.size > MANY_POINTS
    marker = {"color": RECORD, "size": 3 if many else 6, "opacity": 0.55}
    return where | {"type": "scattergl" if many else "scatter", "mode": "markers", "marker": marker}


def moved_scatter(
    moved: MovedRecord,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    at: Sequence[float] = (),
    zoom: bool = False,
    height: int = HEIGHT,
) -> Figure:
    """The records, both lines after the move and, thin, before it; an arrow from where the record was.

    The first trace holds the records in their order, so that a click names a row.
    """
    lines = moved.lines()
    records = record_markers(moved.before.x, moved.before.y, x, y)
    if moved.before.n <= FEW:
        records["marker"] |= {"size": 11}
    traces = [{**records, **(CLICKABLE if "marker" in records else {})}]  # a density of many records has no marks
    for when in (BEFORE, AFTER):  # both without a move too, so that nothing but the lines changes with one
        rows, before = lines[lines["data"] == when], when == BEFORE
        for column, (name, look) in _LOOKS.items():
            traces.append({
                "type": "scatter", "mode": "lines", "name": f"{name}, before" if before else name, "hoverinfo": "skip",
                "x": x.from_unit(rows["x"]), "y": y.from_unit(rows[column]), "opacity": 0.7 if before else 1.0,
                "line": {**look, "width": 1.2 if before else 3},
            })  # fmt: skip
    here = {"x": float(x.from_unit(moved.x)), "y": float(y.from_unit(moved.y))}
    traces.append({
        "type": "scatter", "mode": "markers", "name": "the record", "hoverinfo": "skip",
        "x": [here["x"]], "y": [here["y"]],
        "marker": {"size": 18, "symbol": "circle-open", "color": CHOSEN, "line": {"width": 3}}, "cliponaxis": False,
    })  # fmt: skip
    arrow = {
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": CHOSEN, "standoff": 10,
        **here, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
        "ax": float(x.from_unit(moved.old[0])), "ay": float(y.from_unit(moved.old[1])),
    }  # fmt: skip
    arrows = [arrow] if moved.moved else []
    return figure_of(traces, height, shapes=_uprights(x, at), annotations=arrows, **axes_of(moved.before, x, y, zoom))


def _uprights(x: Axis, at: Sequence[float]) -> list[dict[str, Any]]:
    places = [float(place) for place in x.from_unit(at)]
    shape = {"type": "line", "yref": "y domain", "y0": 0, "y1": 1, "line": DOTTED}
    return [shape | {"x0": place, "x1": place} for place in places]


# Vega-Lite.


def spaghetti(
    data: Dataset,
    lines: pd.DataFrame,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    residuals: bool = False,
    height: int = 230,
) -> dict[str, Spec]:
    """Private lines over the records, a panel for each algorithm, all with the same axes; the first names them.

    lines: mechanism, trial, x, y, rows in drawing order, in the unit square. At most RECORDS records are drawn in
    each panel, spread evenly over the data. residuals: distances from the OLS line are drawn in place of y.
    """
    pick = np.linspace(0, data.n - 1, min(RECORDS, data.n)).astype(int)

    def placed(across: Floats, up: Floats) -> dict[str, Floats]:
        return {"x": x.from_unit(across), "y": y.scale * (up - data.predict(across)) if residuals else y.from_unit(up)}

    records = pd.DataFrame(placed(data.x[pick], data.y[pick]))
    low, high = map(float, y.from_unit([-0.25, 1.25]))
    if residuals:
        high = 3 * max(float(records["y"].abs().max()), 1e-9 * y.scale)
        low = -high
    sides = axis(x.label, (float(x.from_unit(-0.02)), float(x.from_unit(1.02))), format=",~r", tickCount=5)
    title: str | None = "distance from OLS" if residuals else y.label
    panels: dict[str, Spec] = {}
    for name, rows in lines.groupby("mechanism", sort=False, observed=True):
        drawn = rows[["trial"]].assign(**placed(rows["x"].to_numpy(), rows["y"].to_numpy()))
        alone = drawn["trial"].is_unique  # a release at one point is no line
        mark: Spec = {"type": "tick", "size": 8, "thickness": 1.2} if alone else {"type": "line", "strokeWidth": 1.2}
        mark |= {"color": style(str(name))["color"], "opacity": 0.65, "clip": True}
        dots = {"type": "circle", "size": 9, "color": GREY, "opacity": 0.45, "clip": True}
        place = xy(sides, axis(None if panels else title, (low, high), format=",~r", tickCount=5))
        layers = [layer("records", dots, place), layer("lines", mark, place | {"detail": nominal("trial")})]
        panels[str(name)] = with_data({"layer": layers, "height": height}, records=records, lines=drawn)
    return panels


def records_picture(data: Dataset, lines: pd.DataFrame, x: Axis = UNIT_X, y: Axis = UNIT_Y, zoom: bool = False) -> Spec:
    """The picture of the Data page; lines: of curves.regression_lines."""
    styles = [*_line_looks("", 2.5), (WITHIN, ERROR, 1.0, _SOLID)]
    columns = {"ols": "OLS", "theil_sen": "Theil–Sen", "low": WITHIN, "high": WITHIN}
    return _drawn(data, styles, [_path(lines, *pair, x, y) for pair in columns.items()], x, y, zoom, [])


def moved_picture(moved: MovedRecord, x: Axis = UNIT_X, y: Axis = UNIT_Y, zoom: bool = False) -> Spec:
    """The picture with a record moved: lines after the move and, thin, before it."""
    lines, styles, paths = moved.lines(), [], []
    for when, width, suffix in ((BEFORE, 1.0, ", before (thin)"), (AFTER, 2.5, ""))[not moved.moved :]:
        rows = lines[lines["data"] == when]
        styles += _line_looks(suffix, width)
        paths += [_path(rows, column, f"{name}{suffix}", x, y) for column, (name, _) in _LOOKS.items()]
    places = [moved.old, (moved.x, moved.y)] if moved.moved else [moved.old]
    return _drawn(moved.before, styles, paths, x, y, zoom, places)


def _line_looks(suffix: str, width: float) -> list[Look]:
    dashes = zip(_LOOKS.values(), (_SOLID, _DASHED), strict=True)
    return [(f"{name}{suffix}", look["color"], width, dash) for (name, look), dash in dashes]


def _path(rows: pd.DataFrame, column: str, name: str, x: Axis, y: Axis) -> pd.DataFrame:
    return pd.DataFrame({"line": name, "part": column, "x": x.from_unit(rows["x"]), "y": y.from_unit(rows[column])})


def _drawn(
    data: Dataset, styles: Sequence[Look], paths: Sequence[pd.DataFrame], x: Axis, y: Axis, zoom: bool,
    places: Sequence[Record],
) -> Spec:  # fmt: skip
    """The records, their lines, and the places from the first to the last of which a record was moved.

    Many records are cells with the number in them as their shade, so that a file stays small.
    """
    spans = [(float(side["range"][0]), float(side["range"][1])) for side in axes_of(data, x, y, zoom).values()]
    sides = [axis(each.label, span, format=",~r", tickCount=6) for each, span in zip((x, y), spans, strict=True)]
    place = xy(sides[0], sides[1])
    across, up = x.from_unit(data.x), y.from_unit(data.y)
    dots: Spec = {"type": "circle", "size": 28, "opacity": 1, "color": RECORD, "clip": True}
    cells: Spec = {}
    records = pd.DataFrame({"x": across, "y": up})
    if across.size > MANY_POINTS:
        counts, left, below = np.histogram2d(across, up, CELLS, spans)
        column, row = np.nonzero(counts)
        ends = {"x": left[column], "x2": left[column + 1], "y": below[row], "y2": below[row + 1]}
        records = pd.DataFrame({**ends, "share": np.sqrt(counts[column, row] / counts.max(initial=1))})
        dots |= {"type": "rect"}
        shade = quantitative("share", scale={"domain": [0, 1], "range": [0.15, 1]}, legend=None)
        cells = {"x2": {"field": "x2"}, "y2": {"field": "y2"}, "opacity": shade}
    names, colors, widths, dashes = zip(*styles, strict=True)
    look = looks("line", names, LEGEND | {"orient": "top"}, color=colors, strokeWidth=widths, strokeDash=dashes)
    chosen = pd.DataFrame(places, columns=["x", "y"])
    chosen = chosen.assign(x=x.from_unit(chosen["x"]), y=y.from_unit(chosen["y"]), last=chosen.index == len(places) - 1)
    thick = {"type": "circle", "size": 95, "opacity": 1, "color": CHOSEN, "clip": True}
    layers = [
        layer("records", dots, place | cells),
        layer("lines", {"type": "line", "clip": True}, place | look | {"detail": nominal("part")}),
        layer("chosen", {"type": "line", "color": CHOSEN, "strokeWidth": 1, "clip": True}, place),
        layer("chosen", thick, place) | {"transform": [{"filter": "datum.last"}]},
    ]
    shape = {"layer": layers, "height": SAVED}
    return with_data(shape, records=records, lines=pd.concat(paths, ignore_index=True), chosen=chosen)
