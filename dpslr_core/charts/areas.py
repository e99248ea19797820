"""Charts of many areas: errors beside sampling errors, failures of NoisyStats and widths of intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..experiments.curves import ratio_curves
from ..guidance.decision import Decision
from ..sources.axis import UNIT_Y, Axis
from ..text.decision import sample_words
from ..text.phrases import format_amount
from .curves import BOTTOM, TOP, USUAL, Room, apart, error_range, named_curves
from .intervals import NOISE, SAMPLING
from .ranked import BELOW
from .styles import GREY_LINE, Figure, figure_of, logarithmic, shade, style
from .vega import (
    GREEN,
    GREY,
    INK,
    TITLE_ABOVE,
    Ends,
    Spec,
    axis,
    band,
    layer,
    looks,
    nominal,
    quantitative,
    round_ticks,
    rule,
    with_data,
    xy,
)

FEW = 60  # areas up to which each is a dot on its curve
HEIGHT, RIGHT = 400, 125  # pixels of the picture, and beside it for the names of the curves
WIDE = "width > 480"  # where there is room for names beside the curves
MOST_DOTS = 400  # areas up to which each has a dot of its own
PER_STEP, STEPS = (
    20,
    (4, 24),
)  # areas of a step of the middle line at least, and how many steps there are
LIGHTNESS = (0.38, 0.6)  # of the two colours, so that they differ without hue too
SPAN_TO = 50.0  # the epsilon that the picture of areas that pass reaches at least
SEEN = 0.02  # the share of areas at which the first curve of that picture begins to be seen: the axis starts there
PICKED = "picked"  # the name of the selection of an epsilon
POOLED_LINES = "pooled, true line"
DECIDING = 280  # pixels of the height of the picture of a decision
WIDEST, TWICE = 5.0, 2.0  # widths of OLS: the top of the picture, and what is counted


# Shares of the areas.


def ratio_cdf(
    curves: pd.DataFrame,
    limits: Ends = (0.01, 1000.0),
    room: Room = USUAL,
    areas: int = 0,
    alone: bool = True,
    styles: Mapping[str, dict[str, str]] | None = None,
) -> Spec:
    """CDF over areas of C(68) / standard error for every algorithm, with the region below 1 (the paper's figures).

    curves: of experiments.curves.ratio_curves; a curve goes on at its last height to the end of the axis. room: for
    the names of the curves. areas: where it is given, the heights are numbers of areas and not shares. alone, styles:
    as in named_curves.
    """
    x = axis("error C(68), in standard errors", limits, log=True, format=",~r", grid=False)
    count = axis("areas with at most this error", (0.0, float(areas)), format=",d", tickMinStep=1)
    y = (
        count
        if areas
        else axis("share of areas at or below", (0.0, 1.0), format=".0%", tickCount=6)
    )
    shares = (curves["share"] * areas).round() if areas else curves["share"]
    drawn = pd.DataFrame(
        {"algorithm": curves["mechanism"].astype("str"), "x": curves["ratio"], "y": shares}
    )
    beyond = (
        drawn.groupby("algorithm", sort=False)
        .last()
        .reset_index()
        .assign(x=1.2 * max(limits[1], TOP))
    )
    look: Spec = {"interpolate": "step-after"}
    if areas and areas <= FEW:
        look["point"] = {"size": 22, "filled": True, "strokeDash": [1, 0]}
    place = {"x": {"value": 5}, "y": {"value": 10}, "text": {"value": BELOW}}
    behind = [
        band(x, (limits[0], 1.0), color=GREEN, opacity=0.16),
        rule("x", x, 1.0, color=GREEN, strokeDash=[1, 0]),
        {"data": {"values": [{}]}, "mark": {"type": "text", "align": "left"}, "encoding": place},
    ]
    lines = {"curves": (pd.concat([drawn, beyond]), look)}
    return named_curves(
        lines, x, y, 300 if areas else 480, room, styles=styles, behind=behind, alone=alone
    )


def area_counts(here: pd.DataFrame, names: Sequence[str]) -> Spec:
    """How many areas have C(68) of at most so many standard errors, for the algorithms of these names.

    here: rows of by_group at one point. Areas in which an algorithm answers too rarely are above the end of its curve.
    """
    chosen = here[here["mechanism"].isin(list(names)) & (here["standard_error"] > 0)]
    areas = int(chosen.groupby("mechanism", observed=True).size().max()) if len(chosen) else 1
    curves = ratio_curves(chosen)
    return ratio_cdf(
        curves, error_range(curves["ratio"][curves["ratio"] < TOP]), Room(narrow=True), areas
    )


def passing_curves(
    decision: Decision,
    stops: Sequence[float] = (),
    pooled: pd.DataFrame | None = None,
    height: int = DECIDING,
) -> Spec:
    """Draw the number of areas that pass against epsilon, a curve for each algorithm that passes in one.

    Parameters
    ----------
    decision : Decision
        Its algorithm has a colour, and so has the one that reaches the target at the smallest epsilon; both places are
        marked. Where the areas are a sample of more, a band is the interval for all.
    stops : sequence of float, optional
        Epsilons that a click chooses from, in the selection PICKED; each says how many areas pass there.
    pooled : DataFrame, optional
        Rows of ``guidance.decision.pooled_curve``.
    height : int, optional
        Pixels.
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
    names = ends.assign(
        y=apart(ends["y"].to_numpy(), 0.056 * count, 0.0, count),
        color=ends["algorithm"].map(colors),
    )
    points = pd.DataFrame(columns=["x", "y"])
    if pooled is not None and len(pooled):
        points = (
            pooled[pooled["epsilon"].between(*span)]
            .rename(columns={"epsilon": "x"})
            .assign(y=pooled["passing"])
        )
        last = points.iloc[[-1]].assign(algorithm=POOLED_LINES, color=GREY)
        names = pd.concat([names, last])[["algorithm", "x", "y", "color"]]
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
        pooled=points[["x", "y"]],
        stops=_stops(rows, inside, span),
    )


def _marks(decision: Decision) -> pd.DataFrame:
    """Return the places of the present epsilon and of the smallest for the target, with what is written there."""
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
        alt.Chart(alt.NamedData("curves")),
        alt.Chart(alt.NamedData("marks")).encode(x=x, y=y, color=color),
    )
    grey, own = (f"datum.color {sign} '{GREY}'" for sign in ("==", "!="))
    line = {"x": x, "y": y, "detail": "algorithm:N", "color": color}
    ink = alt.ExprRef(INK)
    now, target = (marks.transform_filter(f"datum.mark == '{mark}'") for mark in ("now", "target"))
    said: dict[str, Any] = {
        "align": "right",
        "dx": -12,
        "dy": -8,
        "fontSize": 14,
        "fontWeight": "bold",
    }
    ends = alt.Chart(alt.NamedData("names")).encode(x=x, y=y, text="algorithm:N")
    hints = [
        alt.Tooltip("epsilon:Q", title="ε", format=",~r"),
        *(alt.Tooltip(f"{name}:Q", title=name, format=",d") for name in names),
    ]
    chart = alt.layer(
        alt.Chart(alt.NamedData("bands"))
        .mark_area(color=GREY, opacity=0.25, clip=True)
        .encode(x=x, y=alt.Y("low:Q", scale=heights, axis=up), y2="high:Q"),
        curves.mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(**line)
        .transform_filter(grey),
        curves.mark_line(interpolate="step-after", strokeWidth=3.2)
        .encode(**line)
        .transform_filter(own),
        alt.Chart(alt.NamedData("pooled"))
        .mark_line(color=GREY, strokeDash=[6, 4], point={"color": GREY})
        .encode(x=x, y=y),
        marks.mark_rule(strokeDash=[3, 3], strokeWidth=1.4).encode(y2=alt.datum(0)),
        now.mark_circle(size=170, opacity=1).encode(color=alt.value(ink)),
        target.mark_point(size=150, strokeWidth=3, filled=False, opacity=1),
        now.mark_text(**said).encode(text="said:N", color=alt.value(ink)),
        target.mark_text(**said).encode(text="said:N", color=alt.value(ink)),
        ends.transform_filter(grey).mark_text(align="left", dx=7, fontSize=12),
        ends.transform_filter(own).mark_text(align="left", dx=7, fontSize=13, fontWeight="bold"),
        alt.Chart(alt.NamedData("stops"))
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
    shape: Spec = chart.properties(height=height).to_dict(validate=False)
    del shape["config"]
    return shape


def _steps_of(curve: pd.DataFrame) -> pd.DataFrame:
    """A band of a curve of steps: each stretch keeps its limits up to the next, which begins at the same place."""
    ends = curve.assign(x=curve["x"].shift(-1)).dropna(subset="x")
    both = pd.concat([curve, ends]).assign(end=[0] * len(curve) + [1] * len(ends))
    order = np.lexsort((1 - both["end"], both["x"]))
    return both.iloc[order].reset_index(drop=True)


def _stops(curves: pd.DataFrame, stops: Sequence[float], span: Ends) -> pd.DataFrame:
    """The stretches that belong to each stop, and the number of areas that pass there by algorithm."""
    between = [(one * other) ** 0.5 for one, other in pairwise(stops)]
    table = pd.DataFrame(
        {
            "epsilon": list(stops),
            "low": [span[0], *between][: len(stops)],
            "high": [*between, span[1]][-len(stops) :] if len(stops) else [],
        }
    )
    for name, rows in curves.groupby("mechanism", observed=True, sort=False):
        place = rows["epsilon"].searchsorted(table["epsilon"], side="right") - 1
        table[str(name)] = rows["passing"].to_numpy()[np.maximum(place, 0)]
    return table


def failures(dots: pd.DataFrame) -> Figure:
    """NoisyStats' failure rate in each area against epsilon n var(x), with the exact curve (the paper's appendix).

    dots: epsilon_nvar, rate (the share of trials that failed), group.
    """
    span = np.geomspace(
        max(dots["epsilon_nvar"].min(), 1e-3), max(dots["epsilon_nvar"].max(), 10.0), 200
    )
    kind = "scattergl" if len(dots) > 2_000 else "scatter"
    traces = [
        {
            "type": kind, "mode": "markers", "name": "failed trials", "x": dots["epsilon_nvar"].to_numpy(),
            "y": dots["rate"].to_numpy(), "customdata": dots["group"].to_numpy(),
            "marker": {"color": style("NoisyStats")["color"], "size": 5, "opacity": 0.6},
        },
        {
            "type": "scatter", "mode": "lines", "name": "exp(−ε n var(x) / 3) / 2", "x": span,
            "y": np.exp(-span / 3) / 2, "line": GREY_LINE,  # where 1/n is negligible
        },
    ]  # fmt: skip
    across = {"title": {"text": "ε n var(x)"}, **logarithmic((span[0], span[-1]))}
    up = {
        "title": {"text": "share of releases without an answer"},
        "range": [-0.02, 0.55],
        "tickformat": ".0%",
    }
    return figure_of(traces, 420, xaxis=across, yaxis=up)


# Every area.


def area_ratios(here: pd.DataFrame, names: Sequence[str], y: Axis = UNIT_Y) -> Spec:
    """C(68) in standard errors of each area, the areas in order of their standard error; the region below 1 is named.

    here: rows of by_group at one point; names: one or two algorithms. A line runs through the medians of neighbouring
    areas, in a band from the 10th to the 90th percentile; few areas have dots. Areas without sampling error are left
    out; an error without bound stands at the upper edge.
    """
    dots = _places(here, names, y)
    middle = pd.concat(
        [_steps(rows, str(name)) for name, rows in dots.groupby("algorithm", sort=False)]
    )
    bounded = dots["ratio"][
        dots["ratio"] < TOP
    ]  # but a few areas are within, the others at the ends
    span = error_range(bounded.quantile([0.01, 0.99]) if len(bounded) else [1.0])
    last = int(dots["place"].max())
    many = dots["place"].nunique() > MOST_DOTS
    right = {"expr": f"{WIDE} ? width - {RIGHT} : width"}
    title = f"{last:,} areas, smallest standard error first"
    along = axis(title, (1, max(last, 2)), format=",d", tickCount=6, grid=False)
    along["scale"]["range"] = [0, right]
    up = axis("error C(68) / standard error", span, log=True, format=",~r", gridOpacity=0.5)
    up["scale"]["clamp"] = True
    tones = [shade(name, tone) for name, tone in zip(names, LIGHTNESS, strict=False)]
    color = looks("algorithm", names, color=tones)
    tooltip = [
        nominal("area", title="Area"),
        nominal("algorithm", title="Algorithm"),
        quantitative("n", title="Records", format=",d"),
        nominal("error", title="68% of releases within"),
        quantitative("ratio", title="In standard errors", format=",.3~r"),
    ]
    bold = {"type": "text", "fontSize": 14, "fontWeight": "bold"}
    below = [
        band(up, (BOTTOM, 1.0), "y", GREEN, 0.16),
        rule("y", up, 1.0, color=GREEN, strokeDash=[1, 0]),
    ]
    for part in below:
        part["encoding"] |= {"x": {"value": 0}, "x2": {"value": right}}
    note = {"text": {"value": BELOW}, "x": {"value": 8}, "y": {"value": {"expr": "height - 12"}}}
    name = {"align": {"expr": f"{WIDE} ? 'left' : 'right'"}, "dy": {"expr": f"{WIDE} ? 0 : -12"}}
    name_at = {
        "x": {"value": {"expr": f"{WIDE} ? width - {RIGHT - 8} : width - 4"}},
        "text": nominal("algorithm"),
    }

    def at(field: str) -> Spec:
        return xy(along, up, "place", field) | color

    layers = [
        *below,
        {"data": {"values": [{}]}, "mark": bold | {"align": "left"}, "encoding": note},
        layer("middle", {"type": "area", "opacity": 0.3 if many else 0.1, "clip": True},
              at("low") | {"y2": {"field": "high"}}),
        layer("dots", {"type": "circle", "size": 16, "opacity": 0.45, "clip": True},
              at("ratio") | {"tooltip": tooltip}),
        layer("middle", {"type": "line", "strokeWidth": 3.5, "clip": True}, at("middle")),
        layer("names", bold | name, at("middle") | name_at),
    ]  # fmt: skip
    ends = (
        middle.groupby("algorithm", sort=False)
        .last()
        .reset_index()
        .sort_values("middle", ignore_index=True)
    )
    low, high = np.log(span)
    apart_by_names = apart(np.log(ends["middle"].clip(*span)), 0.07 * (high - low), low, high)
    shape = {"layer": layers, "height": HEIGHT}
    ends = ends.assign(middle=np.exp(apart_by_names))
    return with_data(shape, dots=dots[:0] if many else dots, middle=middle, names=ends)


def _places(here: pd.DataFrame, names: Sequence[str], y: Axis) -> pd.DataFrame:
    """The rows to draw: algorithm, place of the area by standard error, ratio, and words for the pointer."""
    rows = here[here["mechanism"].isin(list(names)) & (here["standard_error"] > 0)]
    order = rows.drop_duplicates("group").sort_values("standard_error", kind="stable")["group"]
    place = pd.Series(np.arange(1, len(order) + 1), index=order.to_numpy())
    unit = f" {y.unit}" if y.unit else ""
    return pd.DataFrame(
        {
            "algorithm": rows["mechanism"].astype("str"),
            "area": rows["group"].astype("str"),
            "n": rows["n"],
            "place": place.loc[rows["group"]].to_numpy(),
            "ratio": rows["ratio"].clip(BOTTOM, TOP),
            "error": [f"±{format_amount(bound * y.scale)}{unit}" for bound in rows["c68"]],
        }
    ).reset_index(drop=True)


def _steps(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The median of neighbouring areas and the 10th and 90th percentile: algorithm, place, low, middle, high."""
    ordered = rows.sort_values("place")
    count = int(np.clip(len(rows) // PER_STEP, *STEPS))
    steps = [part for part in np.array_split(np.arange(len(rows)), count) if part.size]
    places, ratios = ordered["place"].to_numpy(), ordered["ratio"].to_numpy()
    low, middle, high = np.array([np.quantile(ratios[part], (0.1, 0.5, 0.9)) for part in steps]).T
    at = np.array([places[part].mean() for part in steps])
    at[[0, -1]] = places[0], places[-1]
    return pd.DataFrame(
        {"algorithm": name, "place": at, "low": low, "middle": middle, "high": high}
    )


# Intervals.


def area_widths_chart(widths: pd.DataFrame) -> Figure:
    """The median width of each area / that of OLS, the narrowest first; the part that sampling error alone makes below.

    widths: of released_intervals.area_widths; areas without sampling error are left out. Wider intervals, and those
    without two ends, reach the top of the picture.
    """
    rows = widths[widths["ratio"].notna()].sort_values("ratio", kind="stable")
    whole = rows["ratio"].clip(upper=WIDEST).to_numpy()
    alone = np.fmin((rows["sampling"] / rows["ols"]).fillna(0).to_numpy(), whole)
    names = rows["group"].astype("str").tolist()
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": np.arange(1, len(rows) + 1),
            "y": heights,
            "customdata": names,
            "marker": {"color": color, "line": {"width": 0}},
            "hovertemplate": "%{customdata}: %{y:.3~g}",
        }
        for heights, name, color in (
            (alone, "sampling error alone", SAMPLING),
            (whole - alone, "added by the noise", NOISE),
        )
    ]
    lines, notes = [], []
    for height, text, dash in ((1.0, "OLS, not private", "solid"), (TWICE, "twice OLS", "dash")):
        lines.append(
            {
                "type": "line",
                "xref": "x domain",
                "x0": 0,
                "x1": 1,
                "y0": height,
                "y1": height,
                "line": GREY_LINE | {"dash": dash},
            }
        )
        notes.append(
            {
                "xref": "x domain",
                "x": 0.01,
                "y": height,
                "xanchor": "left",
                "yanchor": "bottom",
                "text": text,
                "showarrow": False,
                "bgcolor": "rgba(255, 255, 255, 0.85)",
                "font": {"color": "#202020"},
            }
        )
    across = {
        "title": {"text": f"{len(rows):,} areas, narrowest interval first"},
        "range": [0.5, len(rows) + 0.5],
    }
    up = {"title": {"text": "median width / width of OLS"}, "range": [0, WIDEST]}
    return figure_of(
        traces,
        400,
        shapes=lines,
        annotations=notes,
        barmode="stack",
        bargap=0,
        xaxis=across,
        yaxis=up,
    )
