"""The two pictures of Start: the same people, six released lines of each of two algorithms; sliders move both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..experiments.same_people import ALGORITHMS, BEST, EPSILONS, PEOPLE, SIMPLEST, USUAL, people
from ..text.start import error_label
from .curves import Room
from .styles import style
from .vega import GREEN, GREY, INK, Spec, layer, once, quantitative, with_data

HEIGHT, APART = 265, 1.06  # height in pixels; distance of the pictures in units of x
SPAN = (0.0, 0.9)  # ends of y
_ALONG = np.linspace(0, 1, 21)
_INK = {"expr": INK}


def two_pictures(tables: Mapping[str, pd.DataFrame], room: Room) -> Spec:
    """Draw both pictures with a slider of epsilon and a slider of n.

    Parameters
    ----------
    tables : mapping
        Errors and lines, by name, as ``load`` of experiments.same_people reads them.
    room : Room
        Screen; if it is narrow, the pictures stand one below the other.
    """
    lines = tables["lines"].dropna()
    rise = 2 * (lines["three_quarters"] - lines["quarter"])
    start = lines["quarter"] - rise / 4
    errors = tables["errors"].assign(label=tables["errors"]["ratio"].map(error_label))
    records, fits = zip(*map(_records_and_fit, PEOPLE), strict=True)
    data = {
        "lines": lines.assign(y=start, y2=start + rise), "errors": errors.drop(columns="ratio"),
        "records": pd.concat(records), "fits": pd.concat(fits), "labels": _labels(pd.concat(fits)),
    }  # fmt: skip
    sliders = [
        _slider("epsilon", "Privacy budget ε", EPSILONS),
        _slider("people", "People, n", PEOPLE),
    ]
    shared = {"params": sliders, "padding": {"left": 0, "right": 0, "top": 0, "bottom": 4}}
    if room.narrow:
        panels = [
            {"layer": _picture(mechanism.name, 0, 1), "height": 0.8 * HEIGHT}
            for mechanism in ALGORITHMS
        ]
        return with_data({**shared, "vconcat": panels, "spacing": 16}, **data)
    layers = [*_picture(BEST.name, 0, 1 + APART), *_picture(SIMPLEST.name, APART, 1 + APART)]
    return with_data({**shared, "layer": layers, "height": HEIGHT}, **data)


def _records_and_fit(n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the records of n people, and the line without privacy with its band of the sampling error."""
    data = people(n)
    middle, error = data.predict(_ALONG), data.standard_error(_ALONG)
    records = pd.DataFrame({"n": n, "x": data.x, "y": data.y})
    return records, pd.DataFrame(
        {"n": n, "x": _ALONG, "y": middle, "low": middle - error, "high": middle + error}
    )


def _labels(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the labels of the lines: text, position, and the ends of a thin line to the named line."""
    words = [
        ("sampling error", "left", _ALONG[1], -0.03, -0.13),
        ("without privacy", "right", _ALONG[-2], -0.03, -0.2),
        ("six private lines", "right", _ALONG[-2], 0.03, 0.13),
    ]
    tables = []
    for label, align, x, near, far in words:
        rows = fits.loc[fits["x"] == x, ["n", "x", "y"]]
        tables.append(
            rows.assign(
                label=label, align=align, y=rows["y"] + far, y2=rows["y"] + near, below=far < 0
            )
        )
    return pd.concat(tables)


def _slider(name: str, label: str, stops: Sequence[float]) -> Spec:
    bind = {
        "input": "range",
        "name": label,
        "min": stops[0],
        "max": stops[-1],
        "step": stops[1] - stops[0],
    }
    return {"name": name, "value": USUAL[name], "bind": bind}


def _picture(name: str, left: float, width: float) -> list[Spec]:
    """Return the layers of an algorithm's picture, which begins at `left` on a horizontal axis from 0 to `width`."""
    x = {"axis": None, "scale": {"domain": [0, width], "nice": False}}
    y = {"axis": None, "scale": {"domain": SPAN, "nice": False}}
    channels = {"x": quantitative("x", **x), "y": quantitative("y", **y)}
    across = {"x": x | {"datum": left}, "x2": {"datum": left + 1}}
    of_people = {
        "transform": [
            {"filter": "datum.n == people"},
            {"calculate": f"datum.x + {left}", "as": "x"},
        ]
    }
    of_all = "datum.n == people && abs(datum.epsilon - epsilon) < 0.01"
    of_algorithm = {"transform": [{"filter": f"{of_all} && datum.algorithm == '{name}'"}]}

    top = {"x": x | {"datum": left}, "y": {"value": 0}}
    text = {"type": "text", "align": "left", "baseline": "alphabetic", "fontSize": 13}
    band = channels | {"y": quantitative("low", **y), "y2": {"field": "high"}}
    words = text | {"align": {"expr": "datum.align"}, "dy": {"expr": "datum.below ? 12 : -4"}}
    named = [
        layer(
            "labels",
            {"type": "rule", "color": _INK, "strokeWidth": 1},
            channels | {"y2": {"field": "y2"}},
        )
        | of_people,
        layer("labels", words, channels | {"text": {"field": "label"}}) | of_people,
    ]
    frame = {"y": y | {"datum": SPAN[0]}, "y2": {"datum": SPAN[1]}}
    name_mark = text | {"dy": -26, "fontSize": 16, "fontWeight": 600}
    release = {"type": "rule", "color": style(name)["color"], "strokeWidth": 1.5, "clip": True}
    plain_line = {"type": "line", "color": _INK, "strokeDash": [5, 3], "strokeWidth": 2}
    layers = [
        once({"type": "rect", "color": GREY, "opacity": 0.06}, across | frame),
        layer("records", {"type": "circle", "size": 11, "color": GREY, "opacity": 1}, channels)
        | of_people,
        layer("fits", {"type": "area", "color": GREEN, "opacity": 0.85}, band) | of_people,
        layer("lines", release, across | {"y": channels["y"], "y2": {"field": "y2"}})
        | of_algorithm,
        layer("fits", plain_line, channels) | of_people,
        once(name_mark, top | {"text": {"value": name}}),
        layer("errors", text | {"dy": -9}, top | {"text": {"field": "label"}}) | of_algorithm,
    ]
    return layers + named if name == BEST.name else layers
