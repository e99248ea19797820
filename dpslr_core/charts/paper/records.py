"""Records of one data set, and tables drawn as figures."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from .axes import across, up
from .look import HEIGHT, Look, Records, Scale, Table

_RECORD, _LINE = "#3fa0dc", "#d55e00"
_ROW = 24  # pixels of a row of a table


def scatter(panel: Records) -> Any:
    """Records with the OLS line."""
    frame = panel.frame
    look = Look(Scale("x", (0.0, 1.0)), Scale("y", (0.0, 1.0)))
    points = alt.Chart(frame[["x", "y"]].round(6)).mark_point(filled=True, size=18, opacity=0.5, color=_RECORD)
    slope, ends = float(frame["slope"].iloc[0]), np.array([0.0, 1.0])
    line = pd.DataFrame({"x": ends, "y": frame["y"].mean() + slope * (ends - frame["x"].mean())})
    drawn = alt.Chart(line).mark_line(color=_LINE, strokeWidth=2, clip=True)
    return alt.layer(points.encode(x=across(look), y=up(look)), drawn.encode(x=across(look), y=up(look)), height=HEIGHT)


def table(panel: Table) -> Any:
    """A table of texts as a figure: a row per row, the first column bold."""
    frame, columns = panel.frame, list(panel.frame.columns)
    cells = pd.DataFrame(
        [
            {"row": number, "column": place, "text": str(row[name])}
            for number, row in enumerate([dict(zip(columns, columns, strict=True)), *frame.to_dict("records")])
            for place, name in enumerate(columns)
        ]
    )
    words = alt.Chart(cells).mark_text(align="left", baseline="middle", fontSize=12)
    return words.encode(
        x=alt.X("column:Q", axis=None, scale=alt.Scale(domain=[0, len(columns)])),
        y=alt.Y("row:O", axis=None),
        text=alt.Text("text:N"),
    ).properties(height=_ROW * (len(frame) + 1))
