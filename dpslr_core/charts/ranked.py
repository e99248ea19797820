"""The ranked errors of all algorithms above their output distributions, linked: choose a row, see its curve.

Written as a Vega-Lite specification, not with altair: this picture is drawn at every step of a slider, for everyone in
a class, and altair takes a hundred times as long to write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ..experiments.curves import Curve
from ..sources.axis import UNIT_Y, Axis
from ..text.ranked import drawable_rows
from .base import BOTTOM, error_range
from .labels import apart
from .rows import BELOW, GREEN, LEFT, ROW, round_ticks
from .styles import dash_lengths, style

CURVES, RIGHT = 260, 180  # pixels of the output distributions, and beside them for their names
BAR = 8  # pixels, the height of a bar
WIDE = "width > 640"  # where there is room for names beside the curves
GREY = "#808080"
GAUSSIAN = "standard error"
CHOSEN, ROWS = "chosen", "rows"  # the names of the selection, and of the layer that it is made in
Spec = dict[str, Any]


def ranked_chart(
    ranked: pd.DataFrame,
    curves: Sequence[Curve],
    shown: Sequence[str],
    limits: Sequence[float],
    y: Axis = UNIT_Y,
) -> Spec:
    """One row per algorithm: a bar of noise and gap up to C(68), a line on to C(95); below, output distributions.

    ranked: of experiments.ranking. curves: one of each algorithm, in the unit square; those not in shown appear while
    their row is pointed at. limits: of the estimates, in the unit square. Pointing at a row
    or a curve greys the others in the browser, without a round trip.

    The result is a Vega-Lite specification whose "datasets" are frames.
    """
    rows = drawable_rows(ranked, y)
    rows["color"] = [style(name)["color"] for name in ranked["algorithm"].tolist()]
    span = error_range(np.append(ranked["ratio"], ranked["ratio95"]))
    rows["start"] = span[0]  # where bars begin
    rows["filled"] = rows["noise"].clip(lower=span[0])
    rows["tick"] = rows["gap"].where(rows["gap"] > span[0])
    standard_error = float(ranked["standard_error"].iloc[0]) * y.scale
    drawn = _drawn(curves, ranked, limits, y)
    names = [curve.mechanism for curve in drawn]
    select = {"type": "point", "fields": ["algorithm"], "on": "pointerover,click", "clear": "dblclick"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "params": [{"name": CHOSEN, "select": select, "views": [ROWS]}],
        "vconcat": [_rows(rows, span, standard_error, y), _curves(names, list(y.from_unit(limits)), y)],
        "spacing": 8,
        "config": {"view": {"stroke": None}},
        "datasets": {"rows": rows, "curves": _points(drawn, shown), "names": _names(drawn, shown)},
    }


def _drawn(curves: Sequence[Curve], ranked: pd.DataFrame, limits: Sequence[float], y: Axis) -> list[Curve]:
    """The curves in the units of y, with that of the sampling error alone."""
    center, error = (float(ranked[name].iloc[0]) for name in ("center", "standard_error"))
    sampling = []
    if error > 0:
        grid = np.linspace(limits[0], limits[1], 120)
        sampling.append(Curve(GAUSSIAN, "exact", grid, ndtr((grid - center) / error)))
    return [curve._replace(estimates=y.from_unit(curve.estimates)) for curve in (*sampling, *curves)]


def _points(curves: Sequence[Curve], shown: Sequence[str]) -> pd.DataFrame:
    """All points of the curves, and whether each is shown at first."""
    sizes, names = [curve.estimates.size for curve in curves], [curve.mechanism for curve in curves]
    return pd.DataFrame({
        "algorithm": pd.Categorical.from_codes(np.arange(len(names)).repeat(sizes), names),  # each name is sent once
        "estimate": np.concatenate([curve.estimates for curve in curves], dtype=np.float32, casting="same_kind"),
        "cdf": np.concatenate([curve.cdf for curve in curves], dtype=np.float32, casting="same_kind"),
        "shown": np.repeat(_are_shown(curves, shown), sizes),
    })  # fmt: skip


def _are_shown(curves: Sequence[Curve], shown: Sequence[str]) -> list[bool]:
    return [curve.mechanism in (GAUSSIAN, *shown) for curve in curves]


def _nominal(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "nominal", **more}


def _quantitative(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "quantitative", **more}


def _rows(rows: pd.DataFrame, span: tuple[float, float], standard_error: float, y: Axis) -> Spec:
    """A row per algorithm; errors in standard errors on the axis below, in the units of y on that above."""
    scale = {"type": "log", "domain": list(span), "clamp": True, "nice": False, "range": [LEFT, _expr("width - 12")]}
    below, above = _two_axes(span, standard_error, y)
    row = {"y": _row_axis(rows), "color": _nominal("color", scale=None), "tooltip": _tooltip()}
    row["opacity"] = {"condition": {"param": CHOSEN, "value": 1}, "value": 0.25}

    def layer(mark: Spec, x: Spec, **more: Any) -> Spec:
        return {"data": {"name": "rows"}, "mark": mark, "encoding": row | {"x": x} | more}

    def part(field: str) -> Spec:
        return _quantitative(field, scale=scale, axis=None)

    def error(axis: Spec | None = None) -> Spec:
        return _quantitative("ratio", scale=scale, axis=axis)

    whole = layer({"type": "bar", "height": {"band": 1}}, {"value": 0}, x2={"value": "width"}, opacity={"value": 0.001})
    layers = [
        *_region_below_one(_quantitative("low", scale=scale, axis=below)),
        layer({"type": "point", "opacity": 0}, error(above)),
        {"name": ROWS} | whole,
        layer({"type": "bar", "height": BAR, "fillOpacity": 0.45}, part("start"), x2={"field": "filled"}),
        layer({"type": "bar", "height": BAR, "filled": False}, part("filled"), x2={"field": "ratio"}),
        layer({"type": "tick", "size": 2 * BAR, "thickness": 2}, part("tick")),
        layer({"type": "rule", "strokeWidth": 2}, error(), x2={"field": "ratio95"}),
        layer({"type": "point", "filled": True, "size": 100}, error()),
        layer({"type": "text", "align": "left", "dx": 6}, {"value": LEFT}, text=_nominal("words")),
    ]
    return {"layer": layers, "height": {"step": ROW}, "resolve": {"axis": {"x": "independent"}}}


def _expr(text: str) -> Spec:
    return {"expr": text}


def _two_axes(span: tuple[float, float], standard_error: float, y: Axis) -> tuple[Spec, Spec]:
    """The axis of errors in standard errors, and that in the units of y, with round numbers each."""
    shared = {"titleLimit": 900, "titlePadding": 4, "domain": False}
    below = {"values": round_ticks(span), "title": "error in standard errors", "format": ",~r"} | shared
    round_errors = round_ticks((span[0] * standard_error, span[1] * standard_error)) if standard_error > 0 else []
    above = {
        "values": [error / standard_error for error in round_errors],
        "labelExpr": f"'±' + format(datum.value * {standard_error!r}, ',.2~r')",
        "title": f"error in {y.unit or y.name}",
        "orient": "top",
        "grid": False,
    }
    return below, above | shared


def _row_axis(rows: pd.DataFrame) -> Spec:
    """The names of the algorithms in their order, under the headings of their guarantees in bold."""
    kinds: dict[str, list[str]] = {}
    for promise, name in zip(rows["promise"].tolist(), rows["algorithm"].tolist(), strict=True):
        kinds.setdefault(promise, []).append(name)
    order = [name for kind, names in kinds.items() for name in (kind, *names)]
    bold = {"test": f"indexof({list(kinds)!r}, datum.value) >= 0", "value": "bold"}
    look = {
        "offset": -LEFT, "labelLimit": LEFT, "labelFontSize": 13, "labelFlush": False, "domain": False, "ticks": False,
        "grid": False, "labelFontWeight": {"condition": bold, "value": "normal"},
    }  # fmt: skip
    return _nominal("algorithm", sort=None, title=None, axis=look, scale={"domain": order})


def _tooltip() -> list[Spec]:
    return [
        _nominal("algorithm", title="algorithm"),
        _nominal("guarantee", title="guarantee"),
        _nominal("size68", title="error: 68% of releases within"),
        _nominal("size95", title="95% of releases within"),
        _quantitative("ratio", title="error / standard error", format=",.3~r"),
        _nominal("noise_size", title="noise alone"),
        _nominal("gap_size", title="gap to OLS"),
        _quantitative("failure_rate", title="no answer", format=".1%"),
    ]


def _region_below_one(x: Spec) -> list[Spec]:
    """The region below 1 and, at its upper end, its name."""
    region = {"values": [{"low": BOTTOM, "high": 1.0, "name": BELOW}]}
    rectangle = {"type": "rect", "color": GREEN, "opacity": 0.16, "clip": True}
    name = {"x": {"value": LEFT}, "y": {"value": ROW / 2}, "text": _nominal("name")}
    return [
        {"data": region, "mark": rectangle, "encoding": {"x": x, "x2": {"field": "high"}}},
        {"data": region, "mark": {"type": "text", "align": "left", "color": GREEN, "dx": 4}, "encoding": name},
    ]


def _curves(names: Sequence[str], limits: Sequence[float], y: Axis) -> Spec:
    """The output distributions, each named at its end where there is room."""
    right = _expr(f"{WIDE} ? width - {RIGHT} : width - 12")
    title = f"released prediction: {y.label}"
    across = {"domain": list(limits), "nice": False, "zero": False, "range": [LEFT, right]}
    share = {"title": "share of releases at or below", "format": "%", "offset": -LEFT, "tickCount": 5}
    colours, widths, dashes = zip(*(_look(name) for name in names), strict=True)

    def by_name(values: Sequence[Any]) -> Spec:
        return _nominal("algorithm", legend=None, scale={"domain": list(names), "range": list(values)})

    encoding = {
        "x": _quantitative("estimate", scale=across, axis={"title": title, "tickCount": 6, "grid": False}),
        "y": _quantitative("cdf", scale={"domain": [0, 1]}, axis=share),
        "opacity": _shown_or_chosen(),
        "color": by_name(colours),
        "strokeWidth": by_name(widths),
        "strokeDash": by_name(dashes),
    }
    lines = {"data": {"name": "curves"}, "mark": {"type": "line", "clip": True}, "encoding": encoding}
    return {"layer": [lines, _ends()], "height": CURVES}


def _shown_or_chosen() -> Spec:
    """A curve is seen while its row is chosen; one that is shown at first, paler while another is chosen."""
    conditions = [
        {"param": CHOSEN, "empty": False, "value": 1},
        {"test": f"datum.shown && !length(data('{CHOSEN}_store'))", "value": 1},
        {"test": "datum.shown", "value": 0.2},
    ]
    return {"condition": conditions, "value": 0}


def _look(name: str) -> tuple[str, float, list[int]]:
    """Colour, width and dash of a curve."""
    return (GREY, 5, [1, 0]) if name == GAUSSIAN else (style(name)["color"], 2.5, dash_lengths(name))


def _ends() -> Spec:
    """The names of the curves beside their right ends."""
    encoding = {
        "x": {"value": _expr(f"{WIDE} ? width - {RIGHT - 6} : width + 1000")},
        "y": _quantitative("cdf", scale={"domain": [0, 1]}),
        "text": _nominal("algorithm"),
        "color": _nominal("color", scale=None),
        "opacity": _shown_or_chosen(),
    }
    return {"data": {"name": "names"}, "mark": {"type": "text", "align": "left", "fontSize": 12}, "encoding": encoding}


def _names(curves: Sequence[Curve], shown: Sequence[str]) -> pd.DataFrame:
    """Where each name stands; no two that are shown lie on top of each other."""
    ends = np.array([curve.cdf[-1] for curve in curves], dtype=np.float32).astype(float)
    seen = np.array(_are_shown(curves, shown))
    (upwards,) = seen.nonzero()
    upwards = upwards[np.argsort(ends[upwards])]
    ends[upwards] = apart(ends[upwards], 0.075, 0.02, 1)
    names = [curve.mechanism for curve in curves]
    colours = [_look(name)[0] for name in names]
    return pd.DataFrame({"algorithm": names, "cdf": ends, "shown": seen, "color": colours})
