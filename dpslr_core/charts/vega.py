"""Vega-Lite specifications as plain dictionaries, which a page draws and charts.files writes.

What a specification says of a picture's shape is made once and kept (functools.lru_cache); "datasets" are frames that
are put beside it each time. altair writes the same, but takes a hundred times as long at each step of a slider.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

Spec = dict[str, Any]
SHAPES = 64  # of each kind of picture that are kept
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TEXT = 11  # pixels: text whose size no specification sets
_SIZES = ("fontSize", "labelFontSize", "titleFontSize")
_LARGEST = 15  # pixels: more than that the places of names and numbers have no room for


def with_data(shape: Spec, **datasets: pd.DataFrame) -> Spec:
    """A picture: a shape with its data by name, without a frame about its plots."""
    return {"$schema": SCHEMA, "config": {"view": {"stroke": None}}, **shape, "datasets": datasets}


def as_specification(picture: Any) -> Spec:
    """A specification, which a figure of altair's is made into; the page's theme is its theme."""
    if isinstance(picture, dict):
        return picture
    import altair as alt

    with alt.theme.enable("none"), alt.data_transformers.enable("default", max_rows=None):
        return dict(picture.to_dict(validate=False))


def layer(data: str, mark: Spec, encoding: Spec) -> Spec:
    """Marks for the rows of a data set."""
    return {"data": {"name": data}, "mark": mark, "encoding": encoding}


def nominal(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "nominal", **more}


def quantitative(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "quantitative", **more}


def expression(text: str) -> Spec:
    """Value that the browser computes, for example from the width of the picture."""
    return {"expr": text}


def with_larger_text(picture: Spec, size: float) -> Spec:
    """A picture with the sizes of text that it sets itself so much larger, as far as there is room.

    The sizes of titles and ticks come from the page, whose own text size they follow; so do all those of plotly.
    """
    shape = {key: part if key == "datasets" else _enlarged(part, size) for key, part in picture.items()}
    return shape | {"config": shape.get("config", {}) | {"text": {"fontSize": _TEXT * size}}}


def _enlarged(part: Any, size: float) -> Any:
    """A part of a specification with larger fonts."""
    if isinstance(part, list | tuple):
        return [_enlarged(each, size) for each in part]
    if isinstance(part, dict):
        return {
            key: max(value, min(value * size, _LARGEST)) if key in _SIZES and isinstance(value, int | float)
            else _enlarged(value, size)
            for key, value in part.items()
        }  # fmt: skip
    return part
