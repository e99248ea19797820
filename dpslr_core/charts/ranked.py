"""Ranked errors on one data set, a row for each algorithm under its guarantee."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..sources.axis import UNIT_Y, Axis
from ..text.compare import drawable_rows
from .curves import BOTTOM, error_range
from .styles import style
from .vega import (
    GREEN,
    Ends,
    Spec,
    layer,
    nominal,
    quantitative,
    round_ticks,
    with_data,
)

ROW, LEFT = 22, 178  # pixels of a row, and beside the plot for the names of rows
BAR = 8  # pixels, the height of a bar
BELOW = "error below the sampling error"
CHOSEN, ROWS = "chosen", "rows"  # the names of the selection, and of the layer that it is made in
# Pointing at a row greys the others in the browser, without a round trip.
_SELECTION = {
    "name": CHOSEN,
    "select": {
        "type": "point",
        "fields": ["algorithm"],
        "on": "pointerover,click",
        "clear": "dblclick",
    },
    "views": [ROWS],
}
_TOOLTIP = [
    nominal("algorithm", title="algorithm"),
    nominal("guarantee", title="guarantee"),
    nominal("size68", title="error: 68% of releases within"),
    nominal("size95", title="95% of releases within"),
    quantitative("ratio", title="error / sampling error", format=",.3~r"),
    nominal("noise_size", title="noise alone"),
    nominal("gap_size", title="gap to OLS"),
    quantitative("failure_rate", title="no answer", format=".1%"),
]


# Rows.


def _row_axis(rows: pd.DataFrame) -> Spec:
    """The names of the algorithms in their order, under the headings of their guarantees in bold.

    rows: algorithm and guarantee_class, those of a class one after another.
    """
    kinds = list(dict.fromkeys(map(str, rows["guarantee_class"].tolist())))
    bold = {"test": f"indexof({kinds!r}, datum.value) >= 0", "value": "bold"}
    look = {
        "offset": -LEFT, "labelLimit": LEFT, "labelFontSize": 13, "labelFlush": False, "domain": False, "ticks": False,
        "grid": False, "labelFontWeight": {"condition": bold, "value": "normal"},
    }  # fmt: skip
    return nominal("algorithm", sort=None, title=None, axis=look, scale={"domain": order_of(rows)})


def order_of(rows: pd.DataFrame) -> list[str]:
    """Headings and names of the rows from above."""
    kinds: dict[str, list[str]] = {}
    for name, kind in zip(
        rows["algorithm"].tolist(), rows["guarantee_class"].tolist(), strict=True
    ):
        kinds.setdefault(str(kind), []).append(str(name))
    return [name for kind, names in kinds.items() for name in (kind, *names)]


def _error_scale(span: Ends) -> Spec:
    """A logarithmic scale of errors, right of the names."""
    right = {"expr": "width - 12"}
    return {
        "type": "log",
        "domain": list(span),
        "clamp": True,
        "nice": False,
        "range": [LEFT, right],
    }


def _region_below_one(x: Spec, text: str) -> list[Spec]:
    """The region below 1 and, at its upper end, its name. x: the axis of a field "low"."""
    region = {"values": [{"low": BOTTOM, "high": 1.0, "name": text}]}
    rectangle = {"type": "rect", "color": GREEN, "opacity": 0.16, "clip": True}
    name = {"x": {"value": LEFT}, "y": {"value": ROW / 2}, "text": nominal("name")}
    return [
        {"data": region, "mark": rectangle, "encoding": {"x": x, "x2": {"field": "high"}}},
        {"data": region, "mark": {"type": "text", "align": "left", "dx": 4}, "encoding": name},
    ]


# One data set.


def ranked_rows(ranked: pd.DataFrame, y: Axis = UNIT_Y) -> Spec:
    """One row per algorithm: a bar of noise and gap up to C(68), a line on to C(95). ranked: of experiments.ranking."""
    shape, rows = _rows(ranked, y)
    return with_data({"params": [_SELECTION], **shape}, rows=rows)


def _rows(ranked: pd.DataFrame, y: Axis) -> tuple[Spec, pd.DataFrame]:
    """The rows and their data; errors in standard errors on the axis below, in the units of y on that above."""
    rows = drawable_rows(ranked, y)
    span = error_range(np.append(ranked["ratio"], ranked["ratio95"]))
    noise, gap = rows["noise"].to_numpy(), rows["gap"].to_numpy()
    rows = rows.assign(
        color=[style(name)["color"] for name in ranked["algorithm"].tolist()],
        start=span[0],  # where bars begin
        filled=np.maximum(noise, span[0]),
        tick=np.where(gap > span[0], gap, np.nan),
    )
    unit = float(ranked["standard_error"].iloc[0]) * y.scale
    around = {"titleLimit": 900, "titlePadding": 4, "domain": False}
    below = {
        "values": round_ticks(span),
        "title": "error in sampling errors",
        "format": ",~r",
    } | around
    above = {
        "values": [tick / unit for tick in round_ticks((span[0] * unit, span[1] * unit))]
        if unit > 0
        else [],
        "labelExpr": f"'±' + format(datum.value * {unit!r}, ',.2~r')",
        "title": f"error in {y.unit or y.name}",
        "orient": "top",
        "grid": False,
    } | around
    scale = _error_scale(span)
    row = {"y": _row_axis(ranked), "color": nominal("color", scale=None), "tooltip": _TOOLTIP}
    row["opacity"] = {"condition": {"param": CHOSEN, "value": 1}, "value": 0.25}

    def part(mark: Spec, x: Spec, **more: Any) -> Spec:
        return layer("rows", mark, row | {"x": x} | more)

    def error(field: str, axis: Spec | None = None) -> Spec:
        return quantitative(field, scale=scale, axis=axis)

    whole = part(
        {"type": "bar", "height": {"band": 1}},
        {"value": 0},
        x2={"value": "width"},
        opacity={"value": 0.001},
    )
    words = {
        channel: row[channel] for channel in ("y", "tooltip", "opacity")
    } | {  # in the colour of the theme
        "x": {"value": LEFT},
        "text": nominal("words"),
    }
    shape = {"height": {"step": ROW}, "resolve": {"axis": {"x": "independent"}}}
    written = layer("rows", {"type": "text", "align": "left", "dx": 6}, words)
    if not unit > 0:  # there is no axis of standard errors
        return {"layer": [{"name": ROWS} | whole, written], **shape}, rows
    layers = [
        *_region_below_one(error("low", below), BELOW),
        part({"type": "point", "opacity": 0}, error("ratio", above)),
        {"name": ROWS} | whole,
        part(
            {"type": "bar", "height": BAR, "fillOpacity": 0.45},
            error("start"),
            x2={"field": "filled"},
        ),
        part(
            {"type": "bar", "height": BAR, "filled": False}, error("filled"), x2={"field": "ratio"}
        ),
        part({"type": "tick", "size": 2 * BAR, "thickness": 2}, error("tick")),
        part({"type": "rule", "strokeWidth": 2}, error("ratio"), x2={"field": "ratio95"}),
        part({"type": "point", "filled": True, "size": 100}, error("ratio")),
        written,
    ]
    return {"layer": layers, **shape}, rows
