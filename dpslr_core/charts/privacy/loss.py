"""Two output densities, and below them the privacy loss of each outcome between the lines that the promise draws."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite

import numpy as np
import pandas as pd

from ...audit.pair import Pair
from ...sources.axis import UNIT_Y, Axis
from ...text.phrases import format_amount
from ..styles import style
from ..vega import SHAPES, Spec, expression, layer, nominal, quantitative, with_data

HEIGHT = 430
AROUND = 130  # pixels of the height that axes, titles and the legend take
GREY = "#808080"
LEFT = 52  # pixels of the width, for what stands left of the plots
_NARROW, _BESIDE = 0.76, 0.86  # shares of the width where numbers end, and where the other outcomes beside them begin
_MOST = 1e6  # of a loss that is drawn


def loss_chart(pair: Pair, y: Axis = UNIT_Y, height: int = HEIGHT) -> Spec:
    """The densities before and after a move, and log(after / before); beside them the outcomes that are no numbers.

    The band is what the guarantee allows; where it allows everything, what epsilon would allow, with dashed lines.
    """
    allowed, reach, atoms = allowed_loss(pair), loss_reach(pair), pair.atoms
    low, high = (float(end) for end in y.from_unit(pair.window))
    curve = pair.table(y).assign(loss=lambda table: table["loss"].clip(-2 * reach, 2 * reach))
    curve = curve[["estimate", "before", "after", "loss"]].replace([np.inf, -np.inf], np.nan)
    band = pd.DataFrame({"low": [-allowed], "high": [allowed]})
    shape = _shape(
        pair.name, y.label, (low, high), (allowed, reach), isfinite(pair.bound), tuple(atoms["outcome"]), height
    )
    bars = atoms.melt(["outcome", "loss"], ["before", "after"], "when", "probability")
    points = atoms.assign(loss=atoms["loss"].clip(-_MOST, _MOST))[["outcome", "loss"]]
    return with_data(shape, curve=curve, band=band, **({} if atoms.empty else {"bars": bars, "points": points}))


@lru_cache(SHAPES)
def _shape(
    name: str,
    label: str,
    ends: tuple[float, float],
    losses: tuple[float, float],
    bounded: bool,
    outcomes: tuple[str, ...],
    height: int,
) -> Spec:
    """The shape of loss_chart.

    name: of the algorithm. label, ends: of the axis of answers. losses: half the heights of the band and of its panel.
    bounded: whether the guarantee draws the band. outcomes: those that are no numbers.
    """
    color, edge = style(name)["color"], _along(_NARROW if outcomes else 1)
    scale = {"domain": list(ends), "nice": False, "zero": False, "range": [LEFT, edge]}
    axis = {"title": f"released prediction: {label}", "tickCount": 6, "grid": False, "titleAnchor": "start"}
    x = {"x": quantitative("estimate", scale=scale, axis=axis)}
    untitled = {"x": quantitative("estimate", scale=scale, axis=axis | {"title": None})}
    above = _densities(untitled, name, color)
    below = _losses(x, color, losses, bounded)
    if outcomes:
        above, below = _beside(above, _bars(color)), _beside(below, _points(color, losses[1]))
    share = {"height": (height - AROUND) / 2}
    return {"vconcat": [above | share, below | share], "spacing": 12}


def _along(share: float, sign: str = "") -> Spec:
    """The pixel at a share of the width that is left beside the axes: the page gives a plot all its width."""
    return expression(f"{sign}({LEFT} + {share} * (width - {LEFT + 12}))")


def _densities(x: Spec, name: str, color: str) -> Spec:
    """Before filled and pale, after as a thick line; the legend says which is which."""
    widths = {"type": "ordinal", "domain": [f"{name}, before", f"{name}, after"], "range": [1, 3]}
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolSize": 400, "symbolStrokeColor": color,
              "labelLimit": 400}  # fmt: skip
    axis = {"title": "density", "offset": -LEFT, "labels": False, "ticks": False, "grid": False}

    def up(field: str) -> Spec:
        return x | {"y": quantitative(field, scale={"zero": True, "nice": False}, axis=axis)}

    def line(when: str) -> Spec:
        width = nominal("which", scale=widths, legend=legend)
        drawn = layer("curve", {"type": "line", "color": color, "clip": True}, up(when) | {"strokeWidth": width})
        return drawn | {"transform": [{"calculate": repr(f"{name}, {when}"), "as": "which"}]}

    lines = [line("before"), line("after")]
    return {"layer": [layer("curve", {"type": "area", "color": color, "opacity": 0.25}, up("before")), *lines]}


def _losses(x: Spec, color: str, losses: tuple[float, float], bounded: bool) -> Spec:
    """The loss in its band, with ticks at 0 and at the lines of the band."""
    allowed, reach = losses
    size = format_amount(allowed)
    ticks = {"values": [-allowed, 0, allowed], "offset": -LEFT, "grid": False, "title": "privacy loss",
             "labelExpr": f"datum.value > 0 ? '+{size}' : datum.value < 0 ? '−{size}' : '0'"}  # fmt: skip
    scale = {"domain": [-reach, reach], "nice": False}

    def up(field: str) -> Spec:
        return {"y": quantitative(field, scale=scale, axis=ticks)}

    across = {"x": {"value": LEFT}, "x2": {"value": _along(1)}}
    rule = {"type": "rule", "color": GREY, "strokeWidth": 1.5, "strokeDash": [1, 0] if bounded else [7, 4]}
    tooltip = [
        quantitative("estimate", title="released prediction", format=",.4~g"),
        quantitative("loss", title="privacy loss", format=",.3~g"),
    ]
    near = {"type": "point", "size": 100, "opacity": 0}
    return {
        "layer": [
            layer(
                "band", {"type": "rect", "color": GREY, "opacity": 0.22}, across | up("low") | {"y2": {"field": "high"}}
            ),
            *(layer("band", rule, across | up(end)) for end in ("low", "high")),
            layer("curve", {"type": "line", "color": color, "strokeWidth": 3, "clip": True}, x | up("loss")),
            layer("curve", near, x | up("loss") | {"tooltip": tooltip}),
        ]
    }


def _beside(numbers: Spec, others: Spec) -> Spec:
    """A panel of two parts with axes of their own."""
    return {"layer": [numbers, others], "resolve": {"scale": {"x": "independent", "y": "independent"}}}


def _outcome() -> Spec:
    """The axis of the outcomes that are no numbers, right of the numbers."""
    ends = [_along(_BESIDE), _along(1)]
    return nominal("outcome", title=None, scale={"range": ends}, axis={"labelAngle": 0, "orient": "bottom"})


def _bars(color: str) -> Spec:
    """The probabilities of the other outcomes, before and after."""
    axis = {"title": None, "format": ".1~p", "tickCount": 3, "grid": False, "offset": _along(_BESIDE, "-"),
            "orient": "left"}  # fmt: skip
    opacity = nominal("when", scale={"domain": ["before", "after"], "range": [0.35, 1]}, legend=None)
    tooltip = [
        nominal("outcome", title="outcome"),
        nominal("when", title="when"),
        quantitative("probability", title="probability", format=".3~p"),
    ]
    place = {"x": _outcome(), "xOffset": nominal("when", sort=["before", "after"])}
    up = {"y": quantitative("probability", scale={"zero": True}, axis=axis)}
    return layer("bars", {"type": "bar", "color": color}, place | up | {"opacity": opacity, "tooltip": tooltip})


def _points(color: str, reach: float) -> Spec:
    """The losses of the other outcomes."""
    mark = {
        "type": "point",
        "filled": True,
        "shape": "diamond",
        "size": 130,
        "opacity": 1,
        "color": color,
        "clip": True,
    }
    up = quantitative("loss", scale={"domain": [-reach, reach], "nice": False}, axis=None)
    tooltip = [nominal("outcome", title="outcome"), quantitative("loss", title="privacy loss", format=",.3~g")]
    return layer("points", mark, {"x": _outcome(), "y": up, "tooltip": tooltip})


def allowed_loss(pair: Pair) -> float:
    """Half the height of the band."""
    return pair.bound if isfinite(pair.bound) else pair.epsilon


def loss_reach(pair: Pair) -> float:
    """Half the height of the lower panel: the band and a little more; all of the curve where it leaves the band."""
    losses = np.abs(pair.curve["loss"].to_numpy())
    seen = float(np.max(losses[np.isfinite(losses)], initial=0.0))
    return 1.25 * min(max(allowed_loss(pair), seen), _MOST)
