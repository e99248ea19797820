"""Panels of the paper's figures as Vega-Lite specifications, alone and together; "datasets" are frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from ..charts import vega
from ..charts.curves import (
    GAUSSIAN,
    LEGEND_COLUMNS,
    LEGEND_LINE,
    CurveSets,
    legend_columns,
    named_curves,
    tooltip,
)
from ..charts.styles import style
from ..charts.vega import GREY, Ends, Spec, band, layer, looks, nominal, quantitative, with_data, xy

EXACT = "exact rate"
PRINTED = "in print"
RED = "#e0566a"
NO_ALGORITHM = {name: {"color": GREY, "dash": "solid"} for name in (GAUSSIAN, EXACT)} | {
    PRINTED: {"color": RED, "dash": "dash"}
}
HEIGHT, AXIS = 300, 60  # heights in pixels of a plot, and of the axis below
TICK = 12  # height in pixels of the mark of an estimate
SHAPES = ("circle", "diamond", "square", "triangle-up")
BELOW = {"orient": "bottom", "title": None, "labelLimit": 260}  # legend below a plot
axis = partial(vega.axis, grid=True)  # the grid stays on layers of fixed values, too


def curves(
    frame: pd.DataFrame,
    x: Spec,
    y: Spec,
    *behind: Spec,
    step: bool = False,
    open_dots: pd.DataFrame | None = None,
) -> Spec:
    """Draw a curve for each algorithm.

    Parameters
    ----------
    frame : DataFrame
        Rows of curves: algorithm, x, y.
    x, y : dict
        Axes, as `axis` returns them.
    *behind : dict
        Layers that are drawn first.
    step : bool
        Whether curves are steps.
    open_dots : DataFrame, optional
        Rows of open circles, as in ``charts.curves.named_curves``.
    """
    lines: CurveSets = {"curves": (frame, {"interpolate": "step-after"} if step else {})}
    return named_curves(
        lines, x, y, HEIGHT, styles=NO_ALGORITHM, behind=behind, open_dots=open_dots, alone=False
    )


def in_panel(picture: Spec) -> Spec:
    """Return a picture of another page as high as the panels of the paper's figures."""
    return picture | {"height": HEIGHT}


def dots(frame: pd.DataFrame, x: Spec, y: Spec, *behind: Spec, size: int = 28) -> Spec:
    """Draw a dot for each row, with colour and shape by algorithm.

    Parameters
    ----------
    frame : DataFrame
        Rows: algorithm, x, y.
    x, y : dict
        Axes, as `axis` returns them.
    *behind : dict
        Layers that are drawn first.
    size : int
        Size of a dot, in square pixels.
    """
    names = _names(frame)
    colors = [(NO_ALGORITHM.get(name) or style(name))["color"] for name in names]
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
    look = looks("algorithm", names, BELOW, color=colors, shape=shapes) | {"tooltip": tooltip(x, y)}
    mark = {"type": "point", "clip": True, "filled": True, "size": size, "opacity": 0.75}
    finite = frame[["x", "y"]].where(np.isfinite(frame[["x", "y"]])).round(12)
    return _panel(
        [*behind, layer("dots", mark, xy(x, y) | look)], dots=frame[["algorithm"]].join(finite)
    )


def density(frame: pd.DataFrame, estimates: Sequence[float] | np.ndarray, ends: Ends) -> Spec:
    """Draw densities as steps (frame with algorithm, x, y), and a tick for each estimate."""
    x = axis("released value", ends)
    panel = curves(frame, x, axis("density, largest = 1", (0.0, 1.05)), step=True)
    tick = {"type": "tick", "color": GREY, "size": TICK, "thickness": 2, "yOffset": -TICK / 2}
    panel["layer"].append(layer("estimates", tick, {"x": x | {"field": "x"}, "y": {"datum": 0}}))
    panel["datasets"]["estimates"] = pd.DataFrame({"x": estimates})
    return panel


def stretches(frame: pd.DataFrame, estimates: Sequence[float] | np.ndarray, ends: Ends) -> Spec:
    """Draw the widest stretch for each number of changed records, in colour the stretch that decides.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``diagrams.stretches``.
    estimates : array-like
        Estimates, drawn as lines.
    ends : tuple of float
        Ends of the axis of estimates.
    """
    x = axis("estimates", ends)
    scale = {"domain": [True, False], "range": [style("DPSSTheilSen")["color"], GREY]}
    y = {
        "y": {
            "field": "records",
            "type": "ordinal",
            "title": "records changed before",
            "sort": "ascending",
        }
    }
    bar = {
        "x": x | {"field": "low"},
        "x2": {"field": "high"},
        "color": nominal("decides", legend=None, scale=scale),
    }
    value = {
        "x": quantitative("high", scale=x["scale"]),
        "text": quantitative("value", format=".3f"),
    }
    words = {"type": "text", "align": "left", "dx": 6, "fontSize": 11}
    estimate = {"type": "rule", "color": GREY, "opacity": 0.35}
    layers = [
        layer("estimates", estimate, {"x": quantitative("x", scale=x["scale"])}),
        layer("stretches", {"type": "bar", "height": 8}, y | bar),
        layer("stretches", words, y | value),
    ]
    return _panel(layers, stretches=frame, estimates=pd.DataFrame({"x": estimates}))


def descent(frame: pd.DataFrame, answers: pd.DataFrame) -> Spec:
    """Draw the paths of descents in the plane of both predictions (algorithm, step, x, y), and answers (name, x, y)."""
    ends = [
        (float(min(frame[name].min(), 0.0)), float(max(frame[name].max(), 1.0)))
        for name in ("x", "y")
    ]
    channels = xy(axis("prediction at x = 0.25", ends[0]), axis("prediction at x = 0.75", ends[1]))
    names = _names(frame)
    colors = [GREY if "without" in name else style(name)["color"] for name in names]
    path = {"type": "line", "strokeWidth": 1.2, "point": {"size": 12}, "clip": True}
    cross = {"type": "point", "filled": True, "size": 110, "shape": "cross", "color": RED}
    words = {"type": "text", "align": "left", "dx": 9, "dy": -7, "fontSize": 12}
    look = looks("algorithm", names, BELOW, color=colors) | {"order": quantitative("step")}
    layers = [
        layer("path", path, channels | look),
        layer("answers", cross, channels),
        layer("answers", words, channels | {"text": nominal("name")}),
    ]
    return _panel(layers, path=frame, answers=answers)


def noisy_ratio(frame: pd.DataFrame) -> Spec:
    """Draw noisy numerators over noisy denominators with their outcomes: no answer without a positive denominator.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``diagrams.noisy_ratio``.
    """
    ends = float(min(frame["x"].min(), 0.0)), float(frame["x"].max())
    most = float(frame["y"].abs().max())
    x = axis("n var(x) with noise", ends)
    channels = xy(x, axis("n cov(x, y) with noise", (-most, most)))
    color = looks(
        "outcome", ["answer", "no answer"], BELOW, color=[style("NoisyStats")["color"], RED]
    )
    point = {"type": "point", "filled": True, "size": 14, "opacity": 0.6}
    layers = [
        band(x, (ends[0], 0.0), color=RED, opacity=0.12),
        layer(
            "line", {"type": "line", "color": GREY, "strokeDash": [4, 3], "clip": True}, channels
        ),
        layer("releases", point, channels | color),
    ]
    line = pd.DataFrame({"x": [0.0, ends[1]], "y": [0.0, float(frame["slope"].iloc[0]) * ends[1]]})
    return _panel(layers, line=line, releases=frame[["x", "y", "outcome"]])


def for_page(panel: Spec, across: int = 1) -> Spec:
    """Return a panel for a page that shows `across` panels in a line; a narrow panel has a narrow legend."""
    named = [_names(frame) for frame in panel["datasets"].values() if "algorithm" in frame]
    names = max(named, key=len, default=[""])
    columns = legend_columns(names) if across < 3 else 1
    # Streamlit fits axes and legend into the height.
    height = HEIGHT + AXIS + LEGEND_LINE * -(-len(names) // columns)
    return panel | {"height": height, "config": {"legend": {"columns": columns}}}


def together(panels: Mapping[str, Spec], columns: int = 2, width: int = 380) -> Spec:
    """Join pictures as the panels of one picture for a file, each with its title, on white.

    Parameters
    ----------
    panels : mapping of str to dict
        Pictures by title.
    columns : int
        Panels side by side.
    width : int
        Width of a panel in pixels.
    """
    specs: list[Spec] = []
    datasets: dict[str, pd.DataFrame] = {}
    for title, panel in panels.items():
        layers = [
            panel_layer | {"data": {key: f"{title}: {value}" if key == "name" else value}}
            for panel_layer in panel["layer"]
            for key, value in panel_layer["data"].items()
        ]
        specs.append({"title": title, "width": width, "height": panel["height"], "layer": layers})
        datasets |= {f"{title}: {name}": frame for name, frame in panel["datasets"].items()}
    picture: Spec = {"concat": specs, "columns": columns} if len(specs) > 1 else specs[0]
    look = {"background": "white", "config": {"legend": {"columns": LEGEND_COLUMNS}}}
    return with_data({"padding": 12} | picture | look, **datasets)


def _panel(layers: list[Spec], **datasets: pd.DataFrame) -> Spec:
    return with_data({"height": HEIGHT, "layer": layers}, **datasets)


def _names(frame: pd.DataFrame) -> list[str]:
    """Return the algorithms of a frame, in its order."""
    return list(dict.fromkeys(frame["algorithm"].astype(str)))
