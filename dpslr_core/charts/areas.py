"""Charts of many areas: errors beside sampling errors, and areas that pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..guidance.decision import Decision
from ..text.decision import sample_words
from ..text.phrases import format_amount
from .compared import BELOW
from .curves import TOP, USUAL, Room, apart, named_curves
from .styles import style
from .vega import (
    GREEN,
    GREY,
    INK,
    TITLE_ABOVE,
    Ends,
    Spec,
    axis,
    band,
    chart_of,
    once,
    round_ticks,
    rule,
    shape_of,
    with_data,
)

RIGHT = 145  # pixels beside the picture for the names of the curves
LEADER = 18  # pixels between the end of a curve and its name
SPAN_TO = 50.0  # least epsilon at the right end of the picture of areas that pass
SEEN = (
    0.02  # share of passing areas from which a curve is visible: the axis of epsilon starts there
)
PICKED = "picked"  # name of the selection of an epsilon
NAME = 0.088  # height of a name, as a share of the height of the picture of areas that pass
DECIDING = 280  # height in pixels of the picture of a decision


# Shares of the areas.


def ratio_cdf(
    curves: pd.DataFrame,
    limits: Ends = (0.01, 1000.0),
    room: Room = USUAL,
    alone: bool = True,
) -> Spec:
    """Draw the CDF over areas of C(68) / standard error for every algorithm, with the region below 1 shaded.

    Parameters
    ----------
    curves : DataFrame
        Rows of ``experiments.curves.ratio_curves``; each curve is continued at its last height to the end of the axis.
    limits : tuple of float
        Ends of the horizontal axis, in standard errors.
    room : Room
        Width and text size of the screen, for the names of the curves.
    alone : bool
        As in `named_curves`.
    """
    x = axis("error C(68), in standard errors", limits, log=True, grid=False)
    y = axis("share of areas at or below", (0.0, 1.0), format=".0%", tickCount=6)
    drawn = pd.DataFrame(
        {"algorithm": curves["mechanism"].astype("str"), "x": curves["ratio"], "y": curves["share"]}
    )
    beyond = (
        drawn.groupby("algorithm", sort=False)
        .last()
        .reset_index()
        .assign(x=1.2 * max(limits[1], TOP))
    )
    look: Spec = {"interpolate": "step-after"}
    behind = [
        band(x, (limits[0], 1.0), color=GREEN, opacity=0.16),
        rule("x", x, 1.0, color=GREEN, strokeDash=[1, 0]),
        once(
            {"type": "text", "align": "left", "text": BELOW},
            {"x": {"value": 5}, "y": {"value": 10}},
        ),
    ]
    lines = {"curves": (pd.concat([drawn, beyond]), look)}
    return named_curves(lines, x, y, 480, room, behind=behind, alone=alone)


def passing_curves(
    decision: Decision,
    stops: Sequence[float] = (),
    height: int = DECIDING,
) -> Spec:
    """Draw the number of areas that pass against epsilon, a curve for each algorithm with which an area passes.

    Parameters
    ----------
    decision : Decision
        Its algorithm has a colour, and so has the algorithm that reaches the target at the smallest epsilon; both
        points are marked. Where the areas are a sample, a band is the interval for all areas.
    stops : sequence of float, optional
        Epsilons that a click chooses from, in the selection PICKED; pointing at a stop shows its numbers of areas.
    height : int, optional
        Height in pixels.
    """
    curves, epsilon, count = decision.curves(), decision.epsilon, max(decision.count, 1)
    rows = curves[curves.groupby("mechanism", observed=True)["passing"].transform("max") > 0]
    seen = rows["share"] >= min(SEEN, rows["share"].max())
    first = rows.loc[seen, "epsilon"].min() if len(rows) else epsilon
    span = min(epsilon / 2, first / 1.5), max(2 * epsilon, SPAN_TO)
    drawn = pd.DataFrame(
        {"algorithm": rows["mechanism"].astype("str"), "x": rows["epsilon"], "y": rows["passing"]}
    )
    drawn = drawn.assign(
        low=rows["low"] * count, high=rows["high"] * count, x=drawn["x"].clip(*span)
    )
    drawn = drawn[drawn["x"] < span[1]].drop_duplicates(["algorithm", "x"], keep="last")
    ends = drawn.groupby("algorithm", sort=False).last().reset_index().assign(x=span[1])
    drawn = pd.concat([drawn, ends]).sort_values(
        ["algorithm", "x"], kind="stable", ignore_index=True
    )
    marks, colors = _marks(decision), {name: GREY for name in drawn["algorithm"].unique()}
    colors |= {name: style(name)["color"] for name in marks["algorithm"] if name in colors}
    inside = [stop for stop in stops if span[0] <= stop <= span[1]]
    ends = ends.sort_values("y", kind="stable")
    gap = min(NAME, 1 / len(ends)) * count if len(ends) else 0.0
    names = ends.assign(
        end=ends["y"],
        y=apart(ends["y"].to_numpy(), gap, 0.0, count),
        color=ends["algorithm"].map(colors),
    )
    of = sample_words(decision) if decision.sampled else f"{count:,}"
    shape = _passing_shape(span, count, of, height, tuple(colors))
    band = drawn[drawn["algorithm"] == (decision.mechanism if decision.sampled else None)]
    drawn = drawn.assign(color=drawn["algorithm"].map(colors))
    return with_data(
        shape,
        bands=_steps_of(band),
        curves=drawn,
        names=names,
        marks=marks,
        stops=_stops(rows, inside, span),
    )


def _marks(decision: Decision) -> pd.DataFrame:
    """Return the points at the present epsilon and at the smallest that reaches the target, with their labels."""
    rows, table = [], decision.algorithms
    if len(table):
        passing = int(table["passing"].iloc[0])
        rows.append(
            (str(table["mechanism"].iloc[0]), decision.epsilon, passing, f"now: {passing:,}", "now")
        )
    if decision.smallest is not None and decision.smallest[1] != decision.epsilon:
        name, epsilon = decision.smallest
        passing = decision.passing_with(name, epsilon)
        rows.append(
            (name, epsilon, passing, f"{passing:,} at ε = {format_amount(epsilon)}", "target")
        )
    marks = pd.DataFrame(rows, columns=["algorithm", "x", "y", "said", "mark"])
    return marks.assign(color=[style(name)["color"] for name in marks["algorithm"]])


@cache
def _passing_shape(span: Ends, count: int, areas: str, height: int, names: tuple[str, ...]) -> Spec:
    """Return the chart of `passing_curves` without its data."""
    import altair as alt  # commands without a picture need no Altair

    across = alt.Scale(
        type="log", domain=list(span), range=[0, alt.ExprRef(f"width - {RIGHT}")], nice=False
    )
    ticks = alt.Axis(
        values=round_ticks(span),
        format=",~r",
        grid=False,
        title="privacy budget ε of each area",
        labelOverlap=True,
    )
    up = alt.Axis(
        format=",d",
        tickMinStep=1,
        domain=False,
        ticks=False,
        title=f"areas that pass, of {areas}",
        gridOpacity=0.5,
        **TITLE_ABOVE,
    )
    x = alt.X("x:Q", scale=across, axis=ticks)
    heights = alt.Scale(domain=[0, 1.04 * count], nice=False)
    y = alt.Y("y:Q", scale=heights, axis=up)
    color = alt.Color("color:N", scale=None)
    curves, marks = (
        chart_of("curves"),
        chart_of("marks").encode(x=x, y=y, color=color),
    )
    grey, own = (f"datum.color {sign} '{GREY}'" for sign in ("==", "!="))
    line = {"x": x, "y": y, "detail": "algorithm:N", "color": color}
    ink = alt.ExprRef(INK)
    now, target = (marks.transform_filter(f"datum.mark == '{mark}'") for mark in ("now", "target"))
    label: dict[str, Any] = {
        "align": "right",
        "dx": -12,
        "dy": -8,
        "fontSize": 14,
        "fontWeight": "bold",
    }
    ends = chart_of("names").encode(x=x, y=y, text="algorithm:N")
    hints = [
        alt.Tooltip("epsilon:Q", title="ε", format=",~r"),
        *(alt.Tooltip(f"{name}:Q", title=name, format=",d") for name in names),
    ]
    chart = alt.layer(
        chart_of("bands")
        .mark_area(color=GREY, opacity=0.25, clip=True)
        .encode(x=x, y=alt.Y("low:Q", scale=heights, axis=up), y2="high:Q"),
        curves.mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(**line)
        .transform_filter(grey),
        curves.mark_line(interpolate="step-after", strokeWidth=3.2)
        .encode(**line)
        .transform_filter(own),
        marks.mark_rule(strokeDash=[3, 3], strokeWidth=1.4).encode(y2=alt.datum(0)),
        now.mark_circle(size=170, opacity=1).encode(color=alt.value(ink)),
        target.mark_point(size=150, strokeWidth=3, filled=False, opacity=1),
        now.mark_text(**label).encode(text="said:N", color=alt.value(ink)),
        target.mark_text(**label).encode(text="said:N", color=alt.value(ink)),
        ends.mark_rule(strokeDash=[1, 3], color=GREY).encode(
            y=alt.Y("end:Q", scale=heights, axis=up),
            x2=alt.X2Value(alt.ExprRef(f"width - {RIGHT - LEADER}")),
            y2="y:Q",
            text=alt.Undefined,
        ),
        ends.transform_filter(grey).mark_text(align="left", dx=LEADER + 4, fontSize=12),
        ends.transform_filter(own).mark_text(
            align="left", dx=LEADER + 4, fontSize=13, fontWeight="bold"
        ),
        chart_of("stops")
        .mark_rect(opacity=0, cursor="pointer")
        .encode(
            x=alt.X("low:Q", scale=across, axis=ticks),
            x2="high:Q",
            y=alt.value(0),
            y2=alt.value("height"),
            tooltip=hints,
        )
        .properties(name="stops")
        .add_params(alt.selection_point(name=PICKED, fields=["epsilon"], on="click", clear=False)),
    )
    return shape_of(chart.properties(height=height))


def _steps_of(curve: pd.DataFrame) -> pd.DataFrame:
    """Return the corners of a band about a step curve: each row keeps its limits up to the x of the next row."""
    ends = curve.assign(x=curve["x"].shift(-1)).dropna(subset="x")
    both = pd.concat([curve, ends]).assign(end=[0] * len(curve) + [1] * len(ends))
    order = np.lexsort((1 - both["end"], both["x"]))
    return both.iloc[order].reset_index(drop=True)


def _stops(curves: pd.DataFrame, stops: Sequence[float], span: Ends) -> pd.DataFrame:
    """Return for each stop the nearest epsilons, from low to high, and the number of passing areas by algorithm."""
    between = [(lower * upper) ** 0.5 for lower, upper in pairwise(stops)]
    table = pd.DataFrame(
        {
            "epsilon": list(stops),
            "low": [span[0], *between][: len(stops)],
            "high": [*between, span[1]][-len(stops) :] if len(stops) else [],
        }
    )
    for name, rows in curves.groupby("mechanism", observed=True, sort=False):
        last_row = rows["epsilon"].searchsorted(table["epsilon"], side="right") - 1
        table[str(name)] = rows["passing"].to_numpy()[np.maximum(last_row, 0)]
    return table
