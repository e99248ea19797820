"""Squares for the claims of the paper, a row of squares for each part of the paper, claims that hold first."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from .compared import PICKED, shape_of
from .vega import GREY, INK, Spec, on_ground, with_data

# First words of the column "where".
PARTS = ("Introduction", "Algorithms", "Experiment", "Results", "Appendix")
HOLD, DIFFER, ERRORS = "hold", "differ", "wrong in print"
# Colours of each group: inside, edge, name on a white page, name on a dark page.
COLORS = {
    HOLD: ("#4d82d0", "#4d82d0", "#2f62ac", "#8db4f0"),
    DIFFER: ("transparent", GREY, "#5c5c66", "#b9b9c2"),
    ERRORS: ("#d0641c", "#d0641c", "#a84e12", "#f0975a"),
}
PLACES = (4.2, 6.6, 9.3)  # horizontal positions of the names of groups, in squares
APART, LINE = 1.4, 23  # lines from one part to the next; pixels of a line


def claim_squares(claims: pd.DataFrame, across: int, picked: str = "") -> Spec:
    """Draw a square for each claim, in the colour of its group.

    Parameters
    ----------
    claims : DataFrame
        A row for each claim: ``key``, ``claim``, ``kind``, ``where`` in the paper, and ``group``, a key of COLORS.
    across : int
        Squares in a line.
    picked : str, optional
        Key of the claim with a ring.
    """
    squares, order = claims.drop(columns="where"), claims["group"].map(list(COLORS).index)
    drawings, labels, top = [], [], 0.0
    for part in PARTS:
        rows = squares.loc[
            order[claims["where"].str.startswith(part)].sort_values(kind="stable").index
        ]
        number = np.arange(len(rows))
        drawings.append(rows.assign(x=number % across, y=top + 1 + number // across))
        labels.append(("part", part, -0.4, top))
        counts = rows["group"].value_counts()
        labels += [
            (group, f"{counts[group]} {group}", distance, top)
            for group, distance in zip(COLORS, PLACES, strict=True)
            if group in counts
        ]
        top += APART + 1 + number[-1] // across
    drawn = pd.concat(drawings)
    inside, edge, *_ = zip(*COLORS.values(), strict=True)
    drawn = drawn.assign(fill=drawn["group"].map(dict(zip(COLORS, inside, strict=True))))
    drawn = drawn.assign(stroke=drawn["group"].map(dict(zip(COLORS, edge, strict=True))))
    columns = ["group", "said", "x", "y"]
    ring = drawn.loc[drawn["key"] == picked, ["x", "y"]]
    return with_data(
        _shape(across, top), squares=drawn, labels=pd.DataFrame(labels, columns=columns), ring=ring
    )


@cache
def _shape(across: int, lines: float) -> Spec:
    """Return the chart of `claim_squares` without its data."""
    import altair as alt  # commands without a picture need no Altair

    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.5, across - 0.4], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[lines - 0.6, -0.5], nice=False))
    squares = alt.Chart(alt.NamedData("squares")).encode(
        x=x,
        y=y,
        fill=alt.Fill("fill:N", scale=None),
        stroke=alt.Stroke("stroke:N", scale=None),
        tooltip=[alt.Tooltip(f"{name}:N", title=name) for name in ("claim", "kind")],
    )
    ring = alt.Chart(alt.NamedData("ring")).encode(x=x, y=y)
    labels = alt.Chart(alt.NamedData("labels")).encode(x=x, y=y, text="said:N")
    layers = [
        squares.mark_square(size=260, strokeWidth=1.5, opacity=1, cursor="pointer")
        .properties(name="squares")
        .add_params(alt.selection_point(name=PICKED, fields=["key"], on="click", empty=False)),
        ring.mark_square(size=480, filled=False, strokeWidth=3, opacity=1, stroke=alt.ExprRef(INK)),
    ]
    colors = {group: on_ground(light, dark) for group, (*_, light, dark) in COLORS.items()}
    for group, color in {"part": INK, **colors}.items():
        own = labels.transform_filter(alt.datum.group == group)
        layers.append(
            own.mark_text(align="left", fontSize=13, fontWeight="bold", color=alt.ExprRef(color))
        )
    return shape_of(alt.layer(*layers).properties(height=round(LINE * lines)))
