"""Records of a data set with their lines, and a record that is moved; Plotly draws where a click chooses a record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ..audit.moved import AFTER, BEFORE, MovedRecord
from ..dataset import ROUNDING, Dataset
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..support.types import Floats
from ..text.phrases import place_on, size_of, value_on
from .styles import Figure, as_text, figure_of, style
from .vega import GREEN, GREY, Ends, Spec, axis, chart_of, layer, nominal, shape_of, with_data, xy

RECORD, CHOSEN = "#3fa0dc", "#c2185b"  # colours of records, and of the record that is moved
LINE, THEIL_SEN = "#6e6e76", "#d55e00"  # colours of the OLS line and of the Theil-Sen line
RECORDS = 400  # records in each panel of private lines
MANY_POINTS = 2_000  # records above which markers are drawn by WebGL, and cells in a file
FEW = 100  # largest number of records that are drawn large
CELLS = (80, 60)  # cells of a density in a file, across and up
SAVED, MOVED_HEIGHT = 330, 340  # heights in pixels: records, and a moved record
# A click chooses a record, and all records keep almost the same look.
CLICKABLE: dict[str, Any] = {
    "selected": {"marker": {"opacity": 0.9}},
    "unselected": {"marker": {"opacity": 0.55}},
}


# On a page.


def axes_of(data: Dataset, x: Axis, y: Axis, zoom: bool = False) -> dict[str, dict[str, Any]]:
    """Return Plotly's axes of records: their ends are the public bounds or, with `zoom`, the records and a margin.

    Parameters
    ----------
    data : Dataset
        Records in the unit square.
    x, y : Axis
        Units of the axes.
    zoom : bool
        Whether each axis ends a tenth of the data's width beyond the records.
    """
    sides: list[Ends] = [(-0.02, 1.02), (-0.05, 1.05)]
    if zoom:
        widths = [(values, float(np.ptp(values))) for values in (data.x, data.y)]
        margins = [(values, 0.1 * width if width > ROUNDING else 0.01) for values, width in widths]
        sides = [
            (float(values.min()) - margin, float(values.max()) + margin)
            for values, margin in margins
        ]
    return {
        f"{name}axis": {"title": {"text": as_text(axis.label)}, "range": list(axis.from_unit(side))}
        for name, axis, side in zip("xy", (x, y), sides, strict=True)
    }


def moved_scatter(
    moved: MovedRecord, x: Axis = UNIT_X, y: Axis = UNIT_Y, height: int = MOVED_HEIGHT
) -> Figure:
    """Draw the records, the line without privacy before and after a move, and an arrow from the record's old position.

    The first trace holds the records in their order, so that a click names a row.

    Parameters
    ----------
    moved : MovedRecord
        Data and move.
    x, y : Axis
        Units of the axes.
    height : int
        Height in pixels.
    """
    lines = moved.lines()
    many = moved.before.n > MANY_POINTS
    size = 11 if moved.before.n <= FEW else 3 if many else 6
    records = CLICKABLE | {
        "type": "scattergl" if many else "scatter",
        "mode": "markers",
        "name": "records",
        "x": x.from_unit(moved.before.x),
        "y": y.from_unit(moved.before.y),
        "marker": {"color": GREY, "size": size, "opacity": 0.55},
    }
    traces = [records]
    for when, width in ((BEFORE, 1.2), (AFTER, 3)):
        rows = lines[lines["data"] == when]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"line {when}",
                "hoverinfo": "skip",
                "x": x.from_unit(rows["x"]),
                "y": y.from_unit(rows["ols"]),
                "line": {"color": GREY, "width": width},
            }
        )
    new = {"x": float(x.from_unit(moved.x)), "y": float(y.from_unit(moved.y))}
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "the record",
            "hoverinfo": "skip",
            "x": [new["x"]],
            "y": [new["y"]],
            "marker": {"size": 18, "symbol": "circle-open", "color": CHOSEN, "line": {"width": 3}},
            "cliponaxis": False,
        }
    )
    old = {"ax": float(x.from_unit(moved.old[0])), "ay": float(y.from_unit(moved.old[1]))}
    arrow = {
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": CHOSEN, "standoff": 10,
        **new, **old, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
    }  # fmt: skip
    side = "left" if moved.x < 0.5 else "right"
    label = f"record {moved.place + 1:,}{', moved here' if moved.moved else ''}"
    name = {
        **new, "text": label, "showarrow": False, "xanchor": side, "xshift": 14 if side == "left" else -14,
        "yshift": 11 if moved.y > 0.5 else -11, "font": {"size": 14},
    }  # fmt: skip
    notes = [arrow, name] if moved.moved else [name]
    return figure_of(traces, height, annotations=notes, **axes_of(moved.before, x, y))


# Vega-Lite.


def spaghetti(
    data: Dataset,
    lines: pd.DataFrame,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    height: int = 230,
) -> dict[str, Spec]:
    """Draw private lines over the records, a panel for each algorithm, all with the same axes.

    Parameters
    ----------
    data : Dataset
        Records; at most RECORDS, spread evenly over the data, are drawn in each panel.
    lines : DataFrame
        Columns mechanism, trial, x, y, rows in drawing order, in the unit square.
    x, y : Axis
        Units of the axes; the title of y is in the first panel alone.
    height : int
        Height of a panel, in pixels.

    Returns
    -------
    dict
        Specification of the panel of each algorithm, by its name.
    """
    pick = np.linspace(0, data.n - 1, min(RECORDS, data.n)).astype(int)

    def placed(across: Floats, up: Floats) -> dict[str, Floats]:
        return {"x": x.from_unit(across), "y": y.from_unit(up)}

    records = pd.DataFrame(placed(data.x[pick], data.y[pick]))
    low, high = map(float, y.from_unit([-0.25, 1.25]))
    sides = axis(x.label, (float(x.from_unit(-0.02)), float(x.from_unit(1.02))), tickCount=5)
    panels: dict[str, Spec] = {}
    for name, rows in lines.groupby("mechanism", sort=False, observed=True):
        drawn = rows[["trial"]].assign(**placed(rows["x"].to_numpy(), rows["y"].to_numpy()))
        alone = drawn["trial"].is_unique  # a release at one point is no line
        mark: Spec = (
            {"type": "tick", "size": 8, "thickness": 1.2}
            if alone
            else {"type": "line", "strokeWidth": 1.2}
        )
        mark |= {"color": style(str(name))["color"], "opacity": 0.65, "clip": True}
        dots = {"type": "circle", "size": 9, "color": GREY, "opacity": 0.45, "clip": True}
        channels = xy(sides, axis(None if panels else y.label, (low, high), tickCount=5))
        layers = [
            layer("records", dots, channels),
            layer("lines", mark, channels | {"detail": nominal("trial")}),
        ]
        panels[str(name)] = with_data(
            {"layer": layers, "height": height}, records=records, lines=drawn
        )
    return panels


def records_picture(
    data: Dataset,
    lines: pd.DataFrame,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    zoom: bool = False,
    at: float | None = None,
    theil_sen: bool = False,
) -> Spec:
    """Draw records, the line without privacy and its sampling error, with their names.

    Many records are drawn as cells shaded by the number of records in them, so that a file stays small.

    Parameters
    ----------
    data : Dataset
        Records in the unit square.
    lines : DataFrame
        Line, band and Theil–Sen estimates, as of ``curves.regression_lines``.
    x, y : Axis
        Units of the axes.
    zoom : bool
        Whether the axes end at the records; otherwise at the public bounds.
    at : float, optional
        Point of the unit square whose prediction is written in the picture.
    theil_sen : bool
        Whether the Theil–Sen line is drawn too.
    """
    spans = [
        (float(side["range"][0]), float(side["range"][1]))
        for side in axes_of(data, x, y, zoom).values()
    ]
    columns = ["ols", "low", "high", "theil_sen"]
    line = lines.assign(
        x=x.from_unit(lines["x"]), **{name: y.from_unit(lines[name]) for name in columns}
    )
    if not theil_sen:
        line["theil_sen"] = np.nan
    many = data.n > MANY_POINTS
    records = pd.DataFrame({"x": x.from_unit(data.x), "y": y.from_unit(data.y)})
    return with_data(
        _records_shape(x.label, y.label, spans[0], spans[1], many, theil_sen),
        records=_cells(records, spans) if many else records,
        line=line[["x", *columns]].replace([np.inf, -np.inf], np.nan),
        prediction=_prediction(data, x, y, at, sum(spans[0]) / 2),
        once=pd.DataFrame({"row": [1]}),
    )


def _prediction(data: Dataset, x: Axis, y: Axis, at: float | None, middle: float) -> pd.DataFrame:
    """Return the point of a prediction, its label and the label's side; no row without a prediction."""
    if at is None or data.x_is_constant:
        return pd.DataFrame(columns=["x", "y", "said", "side"])
    center, error = float(data.predict([at])[0]), float(data.standard_error([at])[0])
    label = f"at {place_on(x, at)}: {value_on(y, center)} {size_of(error, y)}"
    point = float(x.from_unit(at))
    side = "left" if point < middle else "right"
    return pd.DataFrame(
        {"x": [point], "y": float(y.from_unit(center)), "said": label, "side": side}
    )


def _cells(records: pd.DataFrame, spans: Sequence[Ends]) -> pd.DataFrame:
    """Return the cells that hold records, with the square root of their count over the largest count."""
    counts, x_edges, y_edges = np.histogram2d(records["x"], records["y"], CELLS, spans)
    column, row = np.nonzero(counts)
    ends = {
        "x": x_edges[column],
        "x2": x_edges[column + 1],
        "y": y_edges[row],
        "y2": y_edges[row + 1],
    }
    return pd.DataFrame({**ends, "share": np.sqrt(counts[column, row] / counts.max(initial=1))})


@lru_cache(16)
def _records_shape(
    x_label: str, y_label: str, across: Ends, up: Ends, many: bool, theil_sen: bool
) -> Spec:
    """Return the chart of `records_picture` without its data."""
    import altair as alt  # commands without a picture need no Altair

    looks = [
        axis(label, span, tickCount=6)["axis"] for label, span in ((x_label, across), (y_label, up))
    ]
    scales = [alt.Scale(domain=list(span), nice=False) for span in (across, up)]
    x = alt.X("x:Q", scale=scales[0], axis=alt.Axis(**looks[0]))
    y = alt.Y("y:Q", scale=scales[1], axis=alt.Axis(**looks[1]))
    height = {
        name: alt.Y(f"{name}:Q", scale=scales[1], axis=alt.Axis(**looks[1]))
        for name in ("low", "ols", "theil_sen")
    }
    records = chart_of("records").encode(x=x, y=y)
    if many:
        shade = alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.15, 1]), legend=None)
        dots = records.mark_rect(color=RECORD, clip=True).encode(
            x2="x2:Q", y2="y2:Q", opacity=shade
        )
    else:
        dots = records.mark_circle(color=RECORD, size=34, opacity=0.6, clip=True)
    line = chart_of("line").encode(x=x)
    point = chart_of("prediction").encode(x=x)
    layers = [
        line.mark_area(
            color=GREEN, opacity=1, fillOpacity=0.35, stroke=GREEN, strokeWidth=1.5, clip=True
        ).encode(y=height["low"], y2="high:Q"),
        dots,
        line.mark_line(color=LINE, strokeWidth=2.5, clip=True).encode(y=height["ols"]),
        line.mark_line(color=THEIL_SEN, strokeWidth=2.5, strokeDash=[7, 4], clip=True).encode(
            y=height["theil_sen"]
        ),
        point.mark_rule(color=LINE).encode(y=y, y2=alt.value(26)),
        point.mark_square(color=LINE, size=90, opacity=1).encode(y=y),
        point.mark_text(
            align=alt.ExprRef("datum.side"), baseline="bottom", fontSize=16, fontWeight="bold"
        ).encode(y=alt.value(22), text="said:N"),
    ]
    names = [("the line without privacy", 32, LINE), ("± sampling error", 14, GREEN)]
    names += [("Theil–Sen line", 50, THEIL_SEN)] if theil_sen else []
    once = chart_of("once")
    for name, above, color in names:
        y_place = alt.value(alt.ExprRef(f"height - {above}"))
        words = once.mark_text(align="right", fontSize=13, fontWeight="bold", text=name)
        layers.append(words.encode(x=alt.value(alt.ExprRef("width - 15")), y=y_place))
        swatch = once.mark_square(color=color, size=90, opacity=1)
        layers.append(swatch.encode(x=alt.value(alt.ExprRef("width - 6")), y=y_place))
    return shape_of(alt.layer(*layers).properties(height=SAVED))
