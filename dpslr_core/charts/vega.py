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
    """What the browser computes, such as from the width of the picture."""
    return {"expr": text}
