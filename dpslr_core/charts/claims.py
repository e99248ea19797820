"""Squares for the claims of the paper, a row of squares for each part of the paper, claims that hold first."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from .compared import PICKED
from .vega import GREY, INK, Spec, chart_of, shape_of, with_data

# First words of the column "where".
PARTS = ("Introduction", "Algorithms", "Experiment", "Results", "Appendix")
HOLD, DIFFER, HIDDEN, ERRORS = "hold", "differ", "not public", "print errors"
# Colours of each group: inside, edge, name on a white page, name on a dark page.
COLORS = {
    HOLD: ("#4d82d0", "#4d82d0", "#2f62ac", "#8db4f0"),
    DIFFER: (GREY, GREY, "#5c5c66", "#b9b9c2"),
    HIDDEN: ("transparent", GREY, "#5c5c66", "#b9b9c2"),
    ERRORS: ("#d0641c", "#d0641c", "#a84e12", "#f0975a"),
}
PART = ("#1b1b1f", "#f4f4f6")  # colours of the name of a part
NAMED = "luminance(background) > 0.4 ? datum.light : datum.dark"
PLACES = (-0.4, 2.5, 5.4, 9.8)  # horizontal positions of the names of groups, in squares
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
    order = claims["group"].map(list(COLORS).index)
    inside, edge, *_ = zip(*(COLORS[group] for group in claims["group"]), strict=True)
    squares = claims.drop(columns="where").assign(fill=inside, stroke=edge)
    counts = claims["group"].value_counts()
    labels = [
        (
            f"{'□' if group == HIDDEN else '■'} {counts[group]} {group}",
            place,
            0.0,
            *COLORS[group][2:],
        )
        for group, place in zip(COLORS, PLACES, strict=True)
        if group in counts
    ]
    drawings, top = [], APART
    for part in PARTS:
        here = claims["where"].str.startswith(part)
        rows = squares.loc[order[here].sort_values(kind="stable").index]
        number = np.arange(len(rows))
        drawings.append(rows.assign(x=number % across, y=top + 1 + number // across))
        held = (rows["group"] == HOLD).sum()
        labels.append((f"{part}: {held} of {len(rows)}", PLACES[0], top, *PART))
        top += APART + 1 + number[-1] // across
    drawn = pd.concat(drawings)
    return with_data(
        _shape(across, top),
        squares=drawn,
        labels=pd.DataFrame(labels, columns=["said", "x", "y", "light", "dark"]),
        ring=drawn.loc[drawn["key"] == picked, ["x", "y"]],
    )


@cache
def _shape(across: int, lines: float) -> Spec:
    """Return the chart of `claim_squares` without its data."""
    import altair as alt  # commands without a picture need no Altair

    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.5, across - 0.4], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[lines - 0.6, -0.5], nice=False))
    squares = chart_of("squares").encode(
        x=x,
        y=y,
        fill=alt.Fill("fill:N", scale=None),
        stroke=alt.Stroke("stroke:N", scale=None),
        tooltip=[alt.Tooltip(f"{name}:N", title=name) for name in ("claim", "kind")],
    )
    ring = chart_of("ring").encode(x=x, y=y)
    labels = chart_of("labels").encode(x=x, y=y, text="said:N")
    layers = [
        labels.mark_text(align="left", fontSize=13, fontWeight="bold", color=alt.ExprRef(NAMED)),
        squares.mark_square(size=260, strokeWidth=1.5, opacity=1, cursor="pointer")
        .properties(name="squares")
        .add_params(alt.selection_point(name=PICKED, fields=["key"], on="click", empty=False)),
        ring.mark_square(size=480, filled=False, strokeWidth=3, opacity=1, stroke=alt.ExprRef(INK)),
    ]
    return shape_of(alt.layer(*layers).properties(height=round(LINE * lines)))
