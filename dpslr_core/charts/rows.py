"""Errors of algorithms, a row each under a heading for each kind of guarantee: what the ranked pictures share.

In all charts of altair's an encoding is an object (alt.Text("name:N"), alt.XValue(0)): a string or dict is first
validated against every kind of channel, which takes a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from .base import BOTTOM

ROW, LEFT = 22, 178  # pixels of a row, and beside the plot for the names of rows
GREEN = "#2b8f5f"
BELOW = "error below standard error"


def unframed() -> alt.Config:
    """No frame about a plot; as part of a new figure, since configure_view would copy all of a finished one."""
    return alt.Config(view=alt.ViewConfig(stroke=None))


def row_axis(rows: pd.DataFrame) -> alt.Y:
    """The names of the algorithms in their order, under the headings of their guarantees in bold.

    rows: algorithm and promise, the rows of a promise one after another.
    """
    kinds = list(dict.fromkeys(rows["promise"]))
    order = [name for kind in kinds for name in (kind, *rows.loc[rows["promise"] == kind, "algorithm"])]
    look = alt.Axis(
        offset=-LEFT, labelLimit=LEFT, labelFontSize=13, labelFlush=False, domain=False, ticks=False, grid=False,
        labelFontWeight=alt.condition(
            f"indexof({kinds!r}, datum.value) >= 0", alt.value("bold"), alt.value("normal")
        ),
    )  # fmt: skip
    return alt.Y("algorithm:N", sort=None, title=None, axis=look, scale=alt.Scale(domain=order))


def error_scale(span: Sequence[float]) -> alt.Scale:
    """A logarithmic scale of errors, right of the names."""
    return alt.Scale(type="log", domain=list(span), clamp=True, nice=False, range=[LEFT, {"expr": "width - 12"}])


def region_below_one(x: Any, name: str) -> list[Any]:
    """The region below 1 and, at its upper end, its name. x: the axis of a field of that name."""
    region = alt.Chart(pd.DataFrame({"low": [BOTTOM], "high": [1.0], "name": [name]}))
    return [
        region.mark_rect(color=GREEN, opacity=0.16, clip=True).encode(x=x("low"), x2=alt.X2("high:Q")),
        region.mark_text(align="left", color=GREEN, dx=4).encode(
            x=alt.XValue(LEFT), y=alt.YValue(ROW / 2), text=alt.Text("name:N")
        ),
    ]


def round_ticks(span: tuple[float, float]) -> list[float]:
    """Round numbers within the range, the more of them the shorter it is."""
    decades = range(int(np.floor(np.log10(span[0]))), int(np.ceil(np.log10(span[1]))) + 1)
    ticks = [digit * 10.0**decade for decade in decades for digit in ((1, 2, 5) if len(decades) <= 4 else (1,))]
    return [tick for tick in ticks if span[0] <= tick <= span[1]]
