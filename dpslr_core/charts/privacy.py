"""Pictures of the page Privacy: densities with odds or privacy losses, beliefs, trade-offs and ledgers."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, isfinite

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..audit.moved import OutputChange
from ..audit.pair import Pair, allowed_misses, beliefs, laplace_law, misses_at, posterior, staircase_law
from ..sources.axis import UNIT_Y, Axis
from ..text.phrases import format_amount
from .curves import Room, named_curves
from .styles import Figure, faded, figure_of, style
from .vega import GREY, Ends, Spec, axis, band, layer, nominal, quantitative, rule, with_data

HEIGHT = 430
AROUND = 130  # pixels of the height that axes, titles and the legend take
LEFT = 52  # pixels of the width at least, for what stands left of the plots
ALARMS = np.concatenate([np.geomspace(1e-6, 0.02, 120, endpoint=False), np.linspace(0.02, 1, 240)])
_NARROW, _BESIDE = 0.76, 0.86  # shares of the width where numbers end, and where the other outcomes beside them begin
_MOST, _MOST_LOG = 1e6, 700.0  # of a loss beyond the band that is drawn, and of one whose odds have a float
_ROW = 34  # pixels of an algorithm in the ledgers
_NOISES = "#c23b4e", "#0760d3"  # colours of staircase and of Laplace noise
_SHARES = (-0.02, 1.02)  # the ends of an axis of shares


# Before and after a move.


def loss_chart(pair: Pair, y: Axis = UNIT_Y, height: int = HEIGHT) -> Spec:
    """The densities before and after a move, and log(after / before); beside them the outcomes that are no numbers.

    The band is what the guarantee allows; where it allows everything, what epsilon would allow, with dashed lines.
    """
    allowed, atoms = pair.bound if isfinite(pair.bound) else pair.epsilon, pair.likely_atoms
    losses = np.abs(pair.curve["loss"].to_numpy())
    seen = float(np.max(losses[np.isfinite(losses)], initial=0.0))  # all of the curve is shown where it leaves the band
    reach = 1.25 * max(allowed, min(seen, _MOST))
    curve = pair.table(y).assign(loss=lambda table: table["loss"].clip(-2 * reach, 2 * reach))
    size, color = format_amount(allowed), style(pair.name)["color"]
    ticks = {-allowed: f"−{size}", 0.0: "0", allowed: f"+{size}"}
    numbers = [
        quantitative("estimate", title="released prediction", format=",.4~g"),
        quantitative("loss", title="privacy loss", format=",.3~g"),
    ]
    scale = {"domain": [-reach, reach], "nice": False}
    up = _changes_axis("privacy loss", scale, ticks)
    edges = [band(up, (-allowed, allowed), "y", opacity=0.22)]
    dash = [1, 0] if isfinite(pair.bound) else [7, 4]
    edges += [rule("y", up, end, strokeWidth=1.5, strokeDash=dash) for end in (-allowed, allowed)]
    ends = tuple(float(end) for end in y.from_unit(pair.window))
    above, below = _panels(pair.name, y, (ends[0], ends[1]), _NARROW if len(atoms) else 1, up, edges, numbers)
    curve = curve[["estimate", "before", "after", "loss"]].replace([np.inf, -np.inf], np.nan)
    if atoms.empty:
        return _stacked(above, below, height, curve=curve)
    above, below = _others(above, below, color, scale)
    bars = atoms.melt(["outcome", "loss"], ["before", "after"], "when", "probability")
    points = atoms.assign(loss=atoms["loss"].clip(-2 * reach, 2 * reach))[["outcome", "loss"]]
    return _stacked(above, below, height, curve=curve, bars=bars, points=points)


def odds_chart(change: OutputChange, odds: pd.DataFrame, y: Axis = UNIT_Y, height: int = HEIGHT) -> Spec:
    """The output densities above; the odds of each outcome below, which stay in the band from exp(-ε) to exp(ε).

    odds: of change.odds, in the units of y, over the window that is drawn. Only where the guarantee is of pure
    differential privacy there is a band.
    """
    with np.errstate(divide="ignore"):
        losses = np.log(odds["odds"].to_numpy(float))
    pure = change.loss.unit == "ε"
    seen = np.abs(losses[np.isfinite(losses)]).max(initial=0.1)
    allowed = min(change.loss.promised if pure else float(seen), _MOST_LOG)
    factor = format_amount(exp(allowed))
    scale = {"domain": [-1.25 * allowed, 1.25 * allowed], "nice": False}
    left = max(LEFT, 30 + 9 * len(f"1/{factor}"))
    up = _changes_axis("after : before", scale, {-allowed: f"1/{factor}", 0.0: "1", allowed: factor}, left)
    numbers = [
        quantitative("estimate", title=f"released prediction: {y.label}", format=",.4~g"),
        quantitative("odds", title="after : before", format=",.3~r"),
    ]
    edges = [band(up, (-allowed, allowed), "y", opacity=0.22)] if pure else []
    edges.append(rule("y", up, 0.0, strokeWidth=1))
    ends = float(odds["estimate"].iloc[0]), float(odds["estimate"].iloc[-1])
    above, below = _panels(change.mechanism.name, y, ends, 1, up, edges, numbers, left)
    curve = odds[["estimate", "before", "after", "odds"]].assign(loss=losses).replace([np.inf, -np.inf], np.nan)
    return _stacked(above, below, height, curve=curve)


def _panels(
    name: str, y: Axis, ends: Ends, share: float, up: Spec, edges: list[Spec], numbers: list[Spec], left: int = LEFT
) -> tuple[Spec, Spec]:
    """The densities of an algorithm, and below them how they change, on layers of what the guarantee allows.

    share: of the width, where numbers end. up: the axis of the field loss. numbers: what is said of a point.
    """
    color = style(name)["color"]
    x = axis(f"released prediction: {y.label}", ends, format=",~r", tickCount=6, grid=False, titleAnchor="start")
    x["scale"]["range"] = [left, _along(share, left)]
    x |= {"field": "estimate"}
    for part in edges:
        part["encoding"] |= {"x": {"value": left}, "x2": {"value": _along(1, left)}}
    change = {"x": x, "y": up | {"field": "loss"}}
    near = {"type": "point", "size": 100, "opacity": 0}
    below = [
        *edges,
        layer("curve", {"type": "line", "color": color, "strokeWidth": 3, "clip": True}, change),
        layer("curve", near, change | {"tooltip": numbers}),
    ]
    widths = {"type": "ordinal", "domain": [f"{name}, before", f"{name}, after"], "range": [1, 3]}
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolSize": 400, "symbolStrokeColor": color,
              "labelLimit": 400}  # fmt: skip
    density = {"title": "density", "offset": -left, "labels": False, "ticks": False, "grid": False}
    line, width = {"type": "line", "color": color}, nominal("which", scale=widths, legend=legend)

    def height(when: str) -> Spec:
        return {
            "x": x | {"axis": x["axis"] | {"title": None}},
            "y": quantitative(when, scale={"zero": True, "nice": False}, axis=density),
        }

    above = [layer("curve", {"type": "area", "color": color, "opacity": 0.25}, height("before"))]
    for when in ("before", "after"):  # before filled and pale, after as a thick line: the legend says which is which
        drawn = layer("curve", line, height(when) | {"strokeWidth": width})
        above.append(drawn | {"transform": [{"calculate": repr(f"{name}, {when}"), "as": "which"}]})
    return {"layer": above}, {"layer": below}


def _stacked(above: Spec, below: Spec, height: int, **data: pd.DataFrame) -> Spec:
    share = {"height": (height - AROUND) / 2}
    return with_data({"vconcat": [above | share, below | share], "spacing": 12}, **data)


def _changes_axis(title: str, scale: Spec, ticks: dict[float, str], left: int = LEFT) -> Spec:
    """An axis with these words at these losses."""
    low, _, high = ticks.values()
    words = f"datum.value > 0 ? '{high}' : datum.value < 0 ? '{low}' : '{ticks[0.0]}'"
    look = {"values": list(ticks), "labelExpr": words, "offset": -left, "grid": False, "title": title}
    return {"type": "quantitative", "scale": scale, "axis": look}


def _along(share: float, left: int = LEFT, sign: str = "") -> Spec:
    """The pixel at a share of the width that is left beside the axes: the page gives a plot all its width."""
    return {"expr": f"{sign}({left} + {share} * (width - {left + 12}))"}


def _others(above: Spec, below: Spec, color: str, scale: Spec) -> tuple[Spec, Spec]:
    """Both panels with the outcomes that are no numbers beside them: their probabilities, and their losses."""
    outcome = nominal("outcome", title=None, scale={"range": [_along(_BESIDE), _along(1)]},
                      axis={"labelAngle": 0, "orient": "bottom"})  # fmt: skip
    shares = {"title": None, "format": ".1~p", "tickCount": 3, "grid": False, "offset": _along(_BESIDE, sign="-"),
              "orient": "left"}  # fmt: skip
    named = nominal("outcome", title="outcome")
    opacity = nominal("when", scale={"domain": ["before", "after"], "range": [0.35, 1]}, legend=None)
    share = quantitative("probability", title="probability", format=".3~p")
    bars = layer("bars", {"type": "bar", "color": color}, {
        "x": outcome,
        "xOffset": nominal("when", sort=["before", "after"]),
        "y": quantitative("probability", scale={"zero": True}, axis=shares),
        "opacity": opacity,
        "tooltip": [named, nominal("when", title="when"), share],
    })  # fmt: skip
    mark = {"type": "point", "filled": True, "shape": "diamond", "size": 130, "color": color, "clip": True}
    points = layer("points", mark | {"opacity": 1}, {
        "x": outcome,
        "y": quantitative("loss", scale=scale, axis=None),
        "tooltip": [named, quantitative("loss", title="privacy loss", format=",.3~g")],
    })  # fmt: skip
    own_axes = {"resolve": {"scale": {"x": "independent", "y": "independent"}}}
    return {"layer": [above, bars]} | own_axes, {"layer": [below, points]} | own_axes


# What the guarantee allows.


def belief_chart(pair: Pair, prior: float, y: Axis = UNIT_Y) -> Spec:
    """The belief after each answer, in the band of those that the guarantee allows; the prior is dotted."""
    allowed = beliefs(prior, pair.bound)
    low, high = map(float, y.from_unit(pair.window))
    across = axis(f"released prediction: {y.label}", (low, high), format=",~r", tickCount=6, grid=False)
    up = axis("belief that the record was moved", _SHARES, format=".0%", tickCount=6)
    curve = {"x": y.from_unit(pair.curve["estimate"]), "y": posterior(prior, pair.curve["loss"])}
    ends = allowed.least, allowed.largest
    behind = [band(up, ends, "y"), *(rule("y", up, end, strokeDash=[1, 0]) for end in ends), rule("y", up, prior)]
    lines = {"curves": (pd.DataFrame({"algorithm": pair.name, **curve}), {"strokeWidth": 3})}
    return named_curves(lines, across, up, HEIGHT, behind=behind)


def tradeoff_chart(pair: Pair) -> Spec:
    """The fewest misses for each share of false alarms: by chance, of this pair, and what the guarantee allows."""
    table, allowed = tradeoff_table(pair), "allowed by the guarantee and its noise"
    misses = {
        "blind guessing": 1 - ALARMS,
        f"{pair.name}, this record": table["misses"],
        allowed: table["misses allowed"],
    }
    looks = {"color": GREY, "dash": "dot"}, style(pair.name) | {"dash": "solid"}, {"color": GREY, "dash": "dash"}
    curves = _curves(ALARMS, misses)
    below = curves[curves["algorithm"] == allowed].assign(low=0.0, high=table["misses allowed"].to_numpy())
    across, up = (axis(title, _SHARES, format=".0%", tickCount=6) for title in ("false alarms", "misses"))
    styles = dict(zip(misses, looks, strict=True))
    return named_curves({"curves": (curves, {})}, across, up, HEIGHT, Room(narrow=True), styles=styles, bands=below)


def _curves(x: np.ndarray, heights: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Curves by name over the same x, one below the other."""
    return pd.concat([pd.DataFrame({"algorithm": name, "x": x, "y": y}) for name, y in heights.items()])


def tradeoff_table(pair: Pair) -> pd.DataFrame:
    """The numbers of tradeoff_chart."""
    misses, allowed = misses_at(pair.tests, ALARMS), allowed_misses(pair.guarantee, pair.known, ALARMS)
    return pd.DataFrame({"false alarms": ALARMS, "misses": misses, "misses allowed": allowed})


def ledger_chart(rows: pd.DataFrame) -> Figure:
    """The parts that each algorithm splits its budget into, as bars; rows: of audit.spending.ledgers."""
    names = list(dict.fromkeys(rows["algorithm"]))
    traces = []
    for number in range(int(rows.groupby("algorithm").size().max())):
        part = rows.groupby("algorithm", sort=False).nth(number)
        traces.append({
            "type": "bar", "orientation": "h", "y": part["algorithm"], "x": part["share"].to_numpy(),
            "text": part["what"], "textposition": "inside", "insidetextanchor": "start", "showlegend": False,
            "marker": {"color": [faded(name, 0.35 + 0.3 * (number % 2)) for name in part["algorithm"]],
                       "line": {"color": [style(name)["color"] for name in part["algorithm"]], "width": 1}},
            "hovertemplate": "%{text}: %{x:.1%}<extra></extra>",
        })  # fmt: skip
    across = {"title": {"text": "share of the budget"}, "range": [0, 1], "tickformat": ".0%"}
    return figure_of(
        traces, 90 + _ROW * len(names), barmode="stack", uniformtext={"minsize": 9, "mode": "hide"}, xaxis=across,
        yaxis={"autorange": "reversed", "automargin": True, "title": {"text": ""}},
    )  # fmt: skip


def staircase_chart(epsilon: float) -> Spec:
    """The densities of staircase and Laplace noise, in units of what one record can change; logarithmic."""
    across = np.linspace(-2, 2, 1601)
    laws = {"staircase noise": staircase_law(epsilon), "Laplace noise": laplace_law(epsilon)}
    curves = _curves(across, {name: law.logpdf(across) / np.log(10) for name, law in laws.items()})
    styles = {name: {"color": color, "dash": "solid"} for name, color in zip(laws, _NOISES, strict=True)}
    x = axis("noise; the band is what one record can change", (-2.0, 2.0), grid=False)
    y = axis("density, power of ten", (float(curves["y"].min()), float(curves["y"].max())))
    return named_curves({"curves": (curves, {})}, x, y, HEIGHT, styles=styles, behind=[band(x, (0.0, 1.0))])
