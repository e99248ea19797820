"""Errors of algorithms, a row each under a heading for each kind of guarantee: what the ranked pictures share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .base import BOTTOM
from .vega import Spec, expression, nominal

ROW, LEFT = 22, 178  # pixels of a row, and beside the plot for the names of rows
GREEN = "#2b8f5f"
BELOW = "error below standard error"


Kinds = tuple[tuple[str, tuple[str, ...]], ...]  # guarantees in their order, each with its algorithms


def by_guarantee(rows: pd.DataFrame) -> Kinds:
    """The algorithms of each guarantee. rows: algorithm and guarantee_class, those of a class one after another."""
    kinds: dict[str, list[str]] = {}
    for kind, name in zip(rows["guarantee_class"].tolist(), rows["algorithm"].tolist(), strict=True):
        kinds.setdefault(str(kind), []).append(str(name))
    return tuple((kind, tuple(names)) for kind, names in kinds.items())


def row_axis(kinds: Kinds) -> Spec:
    """The names of the algorithms in their order, under the headings of their guarantees in bold."""
    bold = {"test": f"indexof({[kind for kind, _ in kinds]!r}, datum.value) >= 0", "value": "bold"}
    look = {
        "offset": -LEFT, "labelLimit": LEFT, "labelFontSize": 13, "labelFlush": False, "domain": False, "ticks": False,
        "grid": False, "labelFontWeight": {"condition": bold, "value": "normal"},
    }  # fmt: skip
    order = [name for kind, names in kinds for name in (kind, *names)]
    return nominal("algorithm", sort=None, title=None, axis=look, scale={"domain": order})


def error_scale(span: Sequence[float]) -> Spec:
    """A logarithmic scale of errors, right of the names."""
    right = expression("width - 12")
    return {"type": "log", "domain": list(span), "clamp": True, "nice": False, "range": [LEFT, right]}


def region_below_one(x: Spec, text: str) -> list[Spec]:
    """The region below 1 and, at its upper end, its name. x: the axis of a field "low"."""
    region = {"values": [{"low": BOTTOM, "high": 1.0, "name": text}]}
    rectangle = {"type": "rect", "color": GREEN, "opacity": 0.16, "clip": True}
    name = {"x": {"value": LEFT}, "y": {"value": ROW / 2}, "text": nominal("name")}
    return [
        {"data": region, "mark": rectangle, "encoding": {"x": x, "x2": {"field": "high"}}},
        {"data": region, "mark": {"type": "text", "align": "left", "color": GREEN, "dx": 4}, "encoding": name},
    ]


def round_ticks(span: tuple[float, float]) -> list[float]:
    """Round numbers within the range, the more of them the shorter it is."""
    decades = range(int(np.floor(np.log10(span[0]))), int(np.ceil(np.log10(span[1]))) + 1)
    ticks = [digit * 10.0**decade for decade in decades for digit in ((1, 2, 5) if len(decades) <= 4 else (1,))]
    return [tick for tick in ticks if span[0] <= tick <= span[1]]
