"""Pictures of the page Privacy: densities before and after a move, odds, beliefs, trade-offs and ledgers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, isfinite, log

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..audit.pair import Pair, allowed_misses, beliefs, misses_at, posterior
from ..sources.axis import UNIT_Y, Axis
from ..text.phrases import place_on
from ..text.privacy import factor
from .curves import Room, named_curves
from .styles import style
from .vega import (
    GREY,
    Ends,
    Spec,
    axis,
    band,
    chart_of,
    layer,
    nominal,
    quantitative,
    round_ticks,
    rule,
    shape_of,
    with_data,
)

HEIGHT = 430
DENSITIES, ODDS = 250, 100  # heights in pixels of the densities and of the bar of odds
ALARMS = np.concatenate([np.geomspace(1e-6, 0.02, 120, endpoint=False), np.linspace(0.02, 1, 240)])
_MOST = 1e6  # largest privacy loss that is drawn beyond the allowed band
_MOST_LOG = 34.0  # largest privacy loss whose odds are ticks
_ROW = 34  # pixels of an algorithm in the ledgers
_SHARES = (-0.02, 1.02)  # ends of an axis of shares
_BESIDE = 0.5  # height of the names of curves, as a share of the highest density
_ABOVE = 1.1  # height of the label of the outcome whose odds shift most


# Before and after a move.


def densities(pair: Pair, x: Axis, y: Axis = UNIT_Y) -> Spec:
    """Draw the densities of a prediction before and after a move, with the outcome whose odds shift most.

    Parameters
    ----------
    pair : Pair
        Output distributions before and after the move.
    x, y : Axis
        Units of the point and of the prediction.
    """
    curve = pair.table(y)[["estimate", "before", "after", "loss"]].replace(
        [np.inf, -np.inf], np.nan
    )
    top = float(np.nanmax(curve[["before", "after"]].to_numpy(), initial=0.0)) or 1.0
    curve = curve.assign(before=curve["before"] / top, after=curve["after"] / top)
    low, high = map(float, y.from_unit(pair.window))
    color = style(pair.name)["color"]
    shape = _density_shape((low, high), f"released prediction at {place_on(x, pair.change.point)}")
    names, far = _names(curve), _farthest(curve, pair)
    return with_data(shape, curve=curve.assign(color=color), names=names, far=far)


def _names(curve: pd.DataFrame) -> pd.DataFrame:
    """Return x, y, text and side of both curves' names: after the move on the side to which the density moves."""
    estimate = curve["estimate"].to_numpy()
    middles = [
        float(np.average(estimate, weights=np.nan_to_num(curve[when]) + 1e-12))
        for when in ("before", "after")
    ]
    first, second = ("before", "after") if middles[1] >= middles[0] else ("after", "before")
    rows = []
    for when, side, end in ((first, "right", 0), (second, "left", -1)):
        inside = estimate[np.nan_to_num(curve[when]) >= _BESIDE]
        name = "after the move" if when == "after" else "before"
        x = inside[end] if len(inside) else estimate[end]
        rows.append((x, _BESIDE, name, side))
    return pd.DataFrame(rows, columns=["x", "y", "name", "side"])


def _farthest(curve: pd.DataFrame, pair: Pair) -> pd.DataFrame:
    """Return the outcome in the picture whose odds shift most in the direction of the largest loss, with its label."""
    largest = pair.largest
    rises = largest.rise >= largest.fall
    losses = curve["loss"] if rises else -curve["loss"]
    if not largest.loss > 0 or not losses.max() > 0:
        return pd.DataFrame(columns=["x", "y", "base", "said", "side"])
    row = curve.loc[losses.idxmax()]
    many = factor(largest.loss, largest.complete)
    words = f"out here {many} times {'as' if rises else 'less'} likely"
    side = "right" if row["estimate"] > curve["estimate"].mean() else "left"
    base = float(np.nanmax(row[["before", "after"]].to_numpy(float))) + 0.02
    return pd.DataFrame(
        {"x": [row["estimate"]], "base": base, "y": _ABOVE, "said": words, "side": side}
    )


@lru_cache(32)
def _density_shape(ends: Ends, title: str) -> Spec:
    """Return the chart of `densities` without its data."""
    look = axis(title, ends, format=",~r", tickCount=6, grid=False, titleAnchor="start")["axis"]
    scale = alt.Scale(domain=list(ends), nice=False)
    up = alt.Scale(domain=[0, 1.2], nice=False)
    across = alt.X("estimate:Q", scale=scale, axis=alt.Axis(**look))
    position = alt.X("x:Q", scale=scale)
    curve = chart_of("curve").encode(x=across)
    before, after = (alt.Y(f"{when}:Q", scale=up, axis=None) for when in ("before", "after"))
    color = alt.Color("color:N", scale=None)
    names = chart_of("names").encode(x=position, y=alt.Y("y:Q", scale=up), text="name:N")
    far = chart_of("far").encode(x=position, y=alt.Y("y:Q", scale=up))
    side, inwards = alt.ExprRef("datum.side"), alt.ExprRef("datum.side == 'left' ? 7 : -7")
    tips = [
        alt.Tooltip("estimate:Q", title="released prediction", format=",.4~g"),
        alt.Tooltip("loss:Q", title="privacy loss", format=",.3~g"),
    ]
    layers = [
        curve.mark_area(color=GREY, opacity=0.3, clip=True).encode(y=before),
        curve.mark_line(color=GREY, strokeWidth=1.5, clip=True).encode(y=before),
        curve.mark_line(strokeWidth=3, clip=True).encode(y=after, color=color),
        curve.mark_point(size=100, opacity=0).encode(y=after, tooltip=tips),
        far.mark_rule(color=GREY).encode(y2="base:Q"),
        names.mark_text(align=side, dx=inwards, fontSize=14, fontWeight="bold"),
        far.mark_text(align=side, dy=-8, fontSize=13).encode(text="said:N"),
    ]
    return shape_of(alt.layer(*layers).properties(height=DENSITIES))


def odds_bar(pair: Pair) -> Spec:
    """Draw the odds that a move shifts at most as a bar, and the odds that the guarantee allows as its end.

    Parameters
    ----------
    pair : Pair
        Output distributions before and after the move.
    """
    loss, bound = pair.largest.loss, pair.bound
    finite = [value for value in (loss, bound) if isfinite(value)]
    widest = max(finite, default=1.0) or 1.0
    measured = f"this move: {factor(loss, pair.largest.complete)} times"
    promised = f"the promise: at most {factor(bound)} times" if isfinite(bound) else "no promise"
    rows = pd.DataFrame({
        "end": [min(loss, widest)], "bound": [min(bound, widest)], "whole": [widest], "said": [measured],
        "promised": [promised], "color": [style(pair.name)["color"]],
    })  # fmt: skip
    return with_data(_odds_shape(widest), bar=rows)


@lru_cache(32)
def _odds_shape(widest: float) -> Spec:
    """Return the chart of `odds_bar` without its row."""
    ticks = [log(tick) for tick in round_ticks((1.0, exp(widest)))] if widest < _MOST_LOG else [0.0]
    words = "format(exp(datum.value), ',.3~r')"
    look = alt.Axis(
        values=ticks,
        labelExpr=words,
        grid=False,
        domain=False,
        ticks=False,
        title=None,
        labelOverlap=True,
    )
    scale = alt.Scale(domain=[0, widest], nice=False)
    end, bound, full = (
        alt.X(f"{name}:Q", scale=scale, axis=look) for name in ("end", "bound", "whole")
    )
    color, inside, above = alt.Color("color:N", scale=None), alt.value(14), alt.value(-4)
    bar = chart_of("bar")
    layers = [
        bar.mark_bar(color=GREY, opacity=0.25, height=14).encode(x=full, y=inside),
        bar.mark_bar(height=14).encode(x=end, y=inside, color=color),
        bar.mark_rule(strokeWidth=3, color=GREY).encode(x=bound, y=alt.value(3), y2=alt.value(25)),
        bar.mark_text(align="left", fontSize=13, fontWeight="bold").encode(
            x=alt.value(0), y=above, text="said:N"
        ),
        bar.mark_text(align="right", fontSize=13).encode(
            x=alt.value("width"), y=above, text="promised:N"
        ),
    ]
    title = alt.TitleParams(
        "How much the odds of a release shift", fontSize=13, anchor="start", offset=16
    )
    return shape_of(alt.layer(*layers).properties(height=ODDS, title=title))


# What the guarantee allows.


def odds_curve(pair: Pair, y: Axis = UNIT_Y) -> Spec:
    """Draw the privacy loss of each outcome in the band that the guarantee allows, with its odds at the ticks.

    Where the guarantee allows everything, the band is what epsilon would allow, between dashed lines.

    Parameters
    ----------
    pair : Pair
        Output distributions before and after the move.
    y : Axis
        Units of the prediction.
    """
    promised = isfinite(pair.bound)
    allowed = pair.bound if promised else pair.epsilon
    losses = pair.curve["loss"].to_numpy()
    seen = float(np.abs(losses[np.isfinite(losses)]).max(initial=0.0))
    reach = 1.25 * max(allowed, min(seen, _MOST))
    many = factor(allowed)
    odds = f"datum.value > 0 ? '{many} : 1' : datum.value < 0 ? '1 : {many}' : '1 : 1'"
    ticks: Spec = {"values": [-allowed, 0, allowed], "labelExpr": odds, "grid": False}
    up = axis("privacy loss, with its odds after : before", (-reach, reach), **ticks)
    dash = [1, 0] if promised else [7, 4]
    behind = [rule("y", up, end, strokeDash=dash) for end in (-allowed, allowed)]
    behind.insert(0, band(up, (-allowed, allowed), "y"))
    return _over_outcomes(pair, y, up, np.clip(losses, -2 * reach, 2 * reach), behind)


def belief_chart(pair: Pair, prior: float, y: Axis = UNIT_Y) -> Spec:
    """Draw the belief after each outcome in the band that the guarantee allows; the prior is dotted.

    Parameters
    ----------
    pair : Pair
        Output distributions before and after the move.
    prior : float
        Belief before the release.
    y : Axis
        Units of the prediction.
    """
    allowed = beliefs(prior, pair.bound)
    ends = allowed.least, allowed.largest
    up = axis("belief that the record was moved", _SHARES, format=".0%", tickCount=6)
    behind = [
        band(up, ends, "y"),
        *(rule("y", up, end, strokeDash=[1, 0]) for end in ends),
        rule("y", up, prior),
    ]
    return _over_outcomes(pair, y, up, posterior(prior, pair.curve["loss"]), behind)


def _over_outcomes(
    pair: Pair, y: Axis, up: Spec, heights: ArrayLike, behind: Sequence[Spec]
) -> Spec:
    """Draw a curve over the outcomes of the pair's algorithm, on layers `behind`."""
    low, high = map(float, y.from_unit(pair.window))
    title = f"released prediction: {y.label}"
    across = axis(title, (low, high), format=",~r", tickCount=6, grid=False)
    curve = {"x": y.from_unit(pair.curve["estimate"]), "y": heights}
    lines = {"curves": (pd.DataFrame({"algorithm": pair.name, **curve}), {"strokeWidth": 3})}
    return named_curves(lines, across, up, HEIGHT, behind=behind)


def tradeoff_chart(pair: Pair) -> Spec:
    """Draw the smallest share of misses for each share of false alarms: by chance, for this pair, and as guaranteed.

    Parameters
    ----------
    pair : Pair
        Output distributions before and after the move.
    """
    table, allowed = tradeoff_table(pair), "allowed by the guarantee and its noise"
    misses = {
        "blind guessing": 1 - ALARMS,
        f"{pair.name}, this record": table["misses"],
        allowed: table["misses allowed"],
    }
    looks = (
        {"color": GREY, "dash": "dot"},
        style(pair.name) | {"dash": "solid"},
        {"color": GREY, "dash": "dash"},
    )
    curves = _curves(ALARMS, misses)
    below = curves[curves["algorithm"] == allowed].assign(
        low=0.0, high=table["misses allowed"].to_numpy()
    )
    across, up = (
        axis(title, _SHARES, format=".0%", tickCount=6) for title in ("false alarms", "misses")
    )
    styles = dict(zip(misses, looks, strict=True))
    return named_curves(
        {"curves": (curves, {})}, across, up, HEIGHT, Room(narrow=True), styles=styles, bands=below
    )


def _curves(x: np.ndarray, heights: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Return the rows of named curves over the same x: algorithm, x, y."""
    return pd.concat(
        [pd.DataFrame({"algorithm": name, "x": x, "y": y}) for name, y in heights.items()]
    )


def tradeoff_table(pair: Pair) -> pd.DataFrame:
    """Return the shares of misses of `tradeoff_chart` at each share of false alarms in ALARMS."""
    misses, allowed = (
        misses_at(pair.tests, ALARMS),
        allowed_misses(pair.guarantee, pair.noise_losses, ALARMS),
    )
    return pd.DataFrame({"false alarms": ALARMS, "misses": misses, "misses allowed": allowed})


def ledger_chart(rows: pd.DataFrame) -> Spec:
    """Draw the shares into which each algorithm splits its budget, as bars.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``audit.spending.ledgers``.
    """
    shares = rows.groupby("algorithm", sort=False)
    end = shares["share"].cumsum()
    drawn = rows.assign(
        start=end - rows["share"],
        end=end,
        shade=0.25 + 0.2 * (shares.cumcount() % 2),
        color=[style(name)["color"] for name in rows["algorithm"]],
    )
    x = axis("share of the budget", (0.0, 1.0), format=".0%", grid=False)
    names = nominal("algorithm", sort=None, axis={"title": None, "labelLimit": 190})
    position = {"x": x | {"field": "start"}, "y": names}
    look = {"color": nominal("color", scale=None), "fillOpacity": quantitative("shade", scale=None)}
    tips = [nominal("what", title="part"), quantitative("share", format=".1%")]
    bar, inside = (
        {"type": "bar", "height": {"band": 0.8}},
        {"type": "text", "align": "left", "dx": 5},
    )
    inside["limit"] = {"expr": "(datum.end - datum.start) * width - 8"}
    layers = [
        layer("parts", bar, position | look | {"x2": {"field": "end"}, "tooltip": tips}),
        layer("parts", inside, position | {"text": nominal("what")}),
    ]
    return with_data({"layer": layers, "height": {"step": _ROW}}, parts=drawn)
