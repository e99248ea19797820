"""The panels of the paper's figures as Vega-Lite specifications, whose "datasets" are frames; alone and together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..charts.styles import dash_lengths, style

Spec = dict[str, Any]
Ends = tuple[float, float]
GAUSSIAN, EXACT = "standard error", "exact rate"  # curves of no algorithm
GREY, RED, BLUE, ORANGE = "#808080", "#e0566a", "#3fa0dc", "#d55e00"
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
HEIGHT, AXIS, LEGEND_LINE, TABLE_ROW = 300, 60, 20, 24  # pixels: a plot, what is below it, a line of its legend, a row
TICK = 12  # pixels: the mark of an estimate
LEGEND_COLUMNS = 2
SHAPES = ("circle", "diamond", "square", "triangle-up")
LEGEND = {"orient": "bottom", "title": None, "labelLimit": 260, "symbolStrokeWidth": 2.5}


def axis(title: str, ends: Ends | None = None, log: bool = False, format: str = ",.4~r") -> Spec:
    """A channel of numbers without its field: its title, its ends (those of the data where there are none).

    A short logarithmic axis has its ticks at round numbers.
    """
    scale: Spec = {"nice": False} | ({"type": "log"} if log else {"zero": False})
    look: Spec = {"title": title, "format": format, "grid": True, "labelOverlap": True, "titleLimit": 600}
    if ends:
        scale["domain"] = list(ends)
        if log:
            from ..charts.rows import round_ticks  # loads altair, which no list of figures needs

            look["values"] = round_ticks(ends)
    return {"type": "quantitative", "scale": scale, "axis": look}


def rule(channel: str, along: Spec, value: float) -> Spec:
    """The layer of a dotted line across a plot, at a value of x or y."""
    return _layer(
        "", {"type": "rule", "color": GREY, "strokeDash": [2, 3], "strokeWidth": 2}, {channel: (along, value)}
    )


def band(along: Spec, ends: Ends, color: str = GREY, opacity: float = 0.18) -> Spec:
    """The layer of a band from one x to another."""
    x2 = {"x2": {"datum": ends[1]}}
    return _layer("", {"type": "rect", "color": color, "opacity": opacity, "clip": True}, {"x": (along, ends[0])}, x2)


def curves(
    frame: pd.DataFrame, x: Spec, y: Spec, *behind: Spec, step: bool = False, open_dots: pd.DataFrame | None = None
) -> Spec:
    """A curve for each algorithm, in its colour and dash, on layers behind; NaN in y is a gap.

    frame, open_dots: algorithm, x, y. step: whether curves are steps.
    """
    line = {"type": "line", "clip": True, "strokeWidth": 2} | ({"interpolate": "step-after"} if step else {})
    names = _names(frame)
    dashes = [[1, 0] if name in (GAUSSIAN, EXACT) else dash_lengths(name) for name in names]
    place = {"x": (x, "x"), "y": (y, "y")}
    looks = {"color": _colors(names), "strokeDash": _by_algorithm(names, dashes), "tooltip": _tooltip(x, y)}
    layers, datasets = [*behind, _layer("curves", line, place, looks)], {"curves": _drawable(frame)}
    if open_dots is not None and len(open_dots):
        circle = {"type": "point", "clip": True, "filled": False, "size": 40}
        layers.append(_layer("open dots", circle, place, {"color": _colors(names) | {"legend": None}}))
        datasets["open dots"] = _drawable(open_dots)
    return _panel(layers, datasets)


def dots(frame: pd.DataFrame, x: Spec, y: Spec, *behind: Spec, size: int = 28) -> Spec:
    """A dot for each row, with colour and shape by algorithm. frame: algorithm, x, y. size: in square pixels."""
    names = _names(frame)
    shapes = _by_algorithm(names, [SHAPES[number % len(SHAPES)] for number in range(len(names))])
    mark = {"type": "point", "clip": True, "filled": True, "size": size, "opacity": 0.75}
    looks = {"color": _colors(names), "shape": shapes, "tooltip": _tooltip(x, y)}
    return _panel([*behind, _layer("dots", mark, {"x": (x, "x"), "y": (y, "y")}, looks)], {"dots": _drawable(frame)})


def scatter(frame: pd.DataFrame) -> Spec:
    """Records with the OLS line. frame: x, y in the unit square; slope, of all records, the same in all rows."""
    slope, ends = float(frame["slope"].iloc[0]), np.array([0.0, 1.0])
    line = pd.DataFrame({"x": ends, "y": frame["y"].mean() + slope * (ends - frame["x"].mean())})
    place = {"x": (axis("x", (0.0, 1.0)), "x"), "y": (axis("y", (0.0, 1.0)), "y")}
    point = {"type": "point", "filled": True, "size": 18, "opacity": 0.5, "color": BLUE}
    layers = [
        _layer("records", point, place),
        _layer("line", {"type": "line", "color": ORANGE, "strokeWidth": 2, "clip": True}, place),
    ]
    return _panel(layers, {"records": frame[["x", "y"]].round(6), "line": line})


def table(frame: pd.DataFrame) -> Spec:
    """A table of texts as a picture, with the names of its columns as the first row."""
    rows = [list(frame.columns), *frame.to_numpy().tolist()]
    cells = [(number, place, str(text)) for number, row in enumerate(rows) for place, text in enumerate(row)]
    x = {"field": "column", "type": "quantitative", "axis": None, "scale": {"domain": [0, len(frame.columns)]}}
    y = {"field": "row", "type": "ordinal", "axis": None}
    words = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 12}
    layer = _layer("cells", words, {}, {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}})
    return _panel([layer], {"cells": pd.DataFrame(cells, columns=["row", "column", "text"])}, TABLE_ROW * len(rows))


def density(frame: pd.DataFrame, estimates: Sequence[float] | np.ndarray, ends: Ends) -> Spec:
    """Densities as steps, and a tick for each estimate. frame: algorithm, x, y."""
    x = axis("released value", ends)
    panel = curves(frame, x, axis("density, largest = 1", (0.0, 1.05)), step=True)
    tick = {"type": "tick", "color": GREY, "size": TICK, "thickness": 2, "yOffset": -TICK / 2}
    panel["layer"].append(_layer("estimates", tick, {"x": (x, "x")}, {"y": {"datum": 0}}))
    panel["datasets"]["estimates"] = pd.DataFrame({"x": estimates})
    return panel


def stretches(frame: pd.DataFrame, estimates: Sequence[float] | np.ndarray, ends: Ends) -> Spec:
    """The widest stretch for each number of changed records, in colour the one that decides.

    frame: records, low, high, value (discounted), decides.
    """
    x = axis("estimates", ends)
    unlabelled = {name: value for name, value in x.items() if name != "axis"}
    y = {"field": "records", "type": "ordinal", "title": "records changed before", "sort": "ascending"}
    scale = {"domain": [True, False], "range": [style("DPSSTheilSen")["color"], GREY]}
    bar = {
        "y": y,
        "x2": {"field": "high"},
        "color": {"field": "decides", "type": "nominal", "legend": None, "scale": scale},
    }
    words = {"type": "text", "align": "left", "dx": 6, "color": GREY, "fontSize": 11}
    value = {"y": y, "text": {"field": "value", "type": "quantitative", "format": ".3f"}}
    layers = [
        _layer("estimates", {"type": "rule", "color": GREY, "opacity": 0.35}, {"x": (unlabelled, "x")}),
        _layer("stretches", {"type": "bar", "height": 8}, {"x": (x, "low")}, bar),
        _layer("stretches", words, {"x": (unlabelled, "high")}, value),
    ]
    return _panel(layers, {"stretches": frame, "estimates": pd.DataFrame({"x": estimates})})


def descent(frame: pd.DataFrame, answers: pd.DataFrame) -> Spec:
    """The paths of descents in the plane of both predictions (algorithm, step, x, y), and answers (name, x, y)."""
    ends = [(float(min(frame[name].min(), 0.0)), float(max(frame[name].max(), 1.0))) for name in ("x", "y")]
    x, y = (axis(f"prediction at x = {at}", each) for at, each in zip((0.25, 0.75), ends, strict=True))
    place = {"x": (x, "x"), "y": (y, "y")}
    path = {"type": "line", "strokeWidth": 1.2, "point": {"size": 12}, "clip": True}
    names = _names(frame)
    colors = [GREY if "without" in name else style(name)["color"] for name in names]
    layers = [
        _layer("path", path, place, {
            "color": _by_algorithm(names, colors) | {"legend": {"orient": "bottom", "title": None}},
            "order": {"field": "step", "type": "quantitative"},
        }),
        _layer("answers", {"type": "point", "filled": True, "size": 110, "shape": "cross", "color": RED}, place),
        _layer("answers", {"type": "text", "align": "left", "dx": 9, "dy": -7, "color": RED, "fontSize": 12}, place,
               {"text": {"field": "name", "type": "nominal"}}),
    ]  # fmt: skip
    return _panel(layers, {"path": frame, "answers": answers})


def noisy_ratio(frame: pd.DataFrame, slope: float) -> Spec:
    """Noisy numerators y over noisy denominators x, with the outcome; where x is not positive there is no answer."""
    ends = float(min(frame["x"].min(), 0.0)), float(frame["x"].max())
    most = float(frame["y"].abs().max())
    x, y = axis("n var(x) with noise", ends), axis("n cov(x, y) with noise", (-most, most))
    place = {"x": (x, "x"), "y": (y, "y")}
    scale = {"domain": ["answer", "no answer"], "range": [style("NoisyStats")["color"], RED]}
    legend = {"orient": "bottom", "title": None}
    layers = [
        band(x, (ends[0], 0.0), RED, 0.12),
        _layer("line", {"type": "line", "color": GREY, "strokeDash": [4, 3], "clip": True}, place),
        _layer("releases", {"type": "point", "filled": True, "size": 14, "opacity": 0.6}, place,
               {"color": {"field": "outcome", "type": "nominal", "legend": legend, "scale": scale}}),
    ]  # fmt: skip
    line = pd.DataFrame({"x": [0.0, ends[1]], "y": [0.0, slope * ends[1]]})
    return _panel(layers, {"line": line, "releases": frame})


def for_page(panel: Spec, across: int = 1) -> Spec:
    """The panel for a page that is as wide as so many of them; where it is narrow, so is its legend."""
    columns = LEGEND_COLUMNS if across < 3 else 1
    named = [len(_names(frame)) for frame in panel["datasets"].values() if "algorithm" in frame]
    height = HEIGHT + AXIS + LEGEND_LINE * -(-max(named, default=1) // columns)  # Streamlit fits axes and legend in
    return panel | {"$schema": SCHEMA, "height": height, "config": {"legend": {"columns": columns}}}


def together(panels: Mapping[str, Spec], columns: int = 2, width: int = 380) -> Spec:
    """All panels as one picture for a file: each with its title, on white."""
    parts: list[Spec] = []
    datasets: dict[str, pd.DataFrame] = {}
    for title, panel in panels.items():
        layers = [layer | {"data": {key: f"{title}: {value}" if key == "name" else value}}
                  for layer in panel["layer"] for key, value in layer["data"].items()]  # fmt: skip
        parts.append({"title": title, "width": width, "height": panel["height"], "layer": layers})
        datasets |= {f"{title}: {name}": frame for name, frame in panel["datasets"].items()}
    whole: Spec = {"concat": parts, "columns": columns} if len(parts) > 1 else parts[0]
    shared = {"background": "white", "padding": 12, "config": {"legend": {"columns": LEGEND_COLUMNS}}}
    return {"$schema": SCHEMA} | whole | shared | {"datasets": datasets}


def _panel(layers: list[Spec], datasets: dict[str, pd.DataFrame], height: int = HEIGHT) -> Spec:
    return {"height": height, "layer": layers, "datasets": datasets}


def _layer(data: str, mark: Spec, place: Mapping[str, tuple[Spec, str | float]], looks: Spec | None = None) -> Spec:
    """A layer of marks. place: by channel its axis, with the field or the one value that it shows."""
    channels = {
        name: along | ({"field": shown} if isinstance(shown, str) else {"datum": shown})
        for name, (along, shown) in place.items()
    }
    source: Spec = {"name": data} if data else {"values": [{}]}  # a mark of fixed values needs one row
    return {"data": source, "mark": mark, "encoding": channels | (looks or {})}


def _names(frame: pd.DataFrame) -> list[str]:
    """The algorithms of a frame in its order."""
    return list(dict.fromkeys(frame["algorithm"].astype(str)))


def _by_algorithm(names: Sequence[str], values: Sequence[Any]) -> Spec:
    """A channel with one value for each algorithm, which the legend names."""
    scale = {"domain": list(names), "range": list(values)}
    return {"field": "algorithm", "type": "nominal", "legend": LEGEND, "scale": scale}


def _colors(names: Sequence[str]) -> Spec:
    return _by_algorithm(names, [GREY if name in (GAUSSIAN, EXACT) else style(name)["color"] for name in names])


def _tooltip(x: Spec, y: Spec) -> list[Spec]:
    """The algorithm of a mark, and its numbers with the titles of their axes."""
    numbers = [
        {"field": field, "type": "quantitative", "title": along["axis"]["title"], "format": ".4~g"}
        for field, along in (("x", x), ("y", y))
    ]
    return [{"field": "algorithm", "type": "nominal"}, *numbers]


def _drawable(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that are drawn, what is not finite as NaN."""
    numbers = {name: frame[name].where(np.isfinite(frame[name])).round(12) for name in ("x", "y")}
    return pd.DataFrame({"algorithm": frame["algorithm"].astype(str), **numbers})
