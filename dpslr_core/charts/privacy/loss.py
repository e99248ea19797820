"""Two output densities, and below them the privacy loss of each outcome between the lines that the promise draws."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ...promise.pair import Pair
from ...sources.axis import UNIT_Y, Axis
from ...text.phrases import format_amount
from ..base import figure_of
from ..compare import BAND
from ..styles import faded, style

HEIGHT = 430
_WIDE, _NARROW = [0.0, 1.0], [0.0, 0.76]  # of the numbers, without and with other outcomes beside them
_BESIDE = [0.86, 1.0]
_ABOVE, _BELOW = [0.57, 1.0], [0.0, 0.45]
_MOST = 1e6  # of a loss that is drawn


def loss_chart(pair: Pair, y: Axis = UNIT_Y, height: int = HEIGHT) -> go.Figure:
    """The densities before and after a move, and log(after / before); beside them the outcomes that are no numbers.

    The band is what the guarantee allows; where it allows everything, what epsilon would allow, with dashed lines.
    """
    curve, width = pair.curve, _WIDE if pair.atoms.empty else _NARROW
    across, reach = y.from_unit(curve["estimate"]), loss_reach(pair)
    line = {"color": style(pair.name)["color"], "width": 3}
    loss = np.clip(curve["loss"].to_numpy(), -2 * reach, 2 * reach)
    traces = [
        *_densities(pair, across, y),
        {"type": "scatter", "mode": "lines", "name": "privacy loss", "showlegend": False, "x": across, "y": loss,
         "xaxis": "x", "yaxis": "y2", "line": line},
        *_outcomes(pair),
    ]  # fmt: skip
    axes = {
        "xaxis": {"title": {"text": f"released prediction: {y.label}"}, "range": list(y.from_unit(pair.window)),
                  "anchor": "y2", "domain": width},
        "yaxis": {"title": {"text": "density"}, "domain": _ABOVE, "showticklabels": False, "rangemode": "tozero"},
        "yaxis2": _loss_axis(pair, reach),
        "xaxis2": {"domain": _BESIDE, "anchor": "y2", "type": "category"},
        "yaxis3": {"domain": _ABOVE, "anchor": "x2", "rangemode": "tozero", "tickformat": ".1~p", "nticks": 3},
    }  # fmt: skip
    return figure_of(traces, height, shapes=_band(pair), barmode="group", **axes)


def _densities(pair: Pair, across: Any, y: Axis) -> list[dict[str, Any]]:
    """Before filled and pale, after as a line in the algorithm's colour."""
    colour = style(pair.name)["color"]
    looks: dict[str, dict[str, Any]] = {
        "before": {"fill": "tozeroy", "fillcolor": faded(pair.name, 0.25), "line": {"color": colour, "width": 1}},
        "after": {"line": {"color": colour, "width": 3}},
    }
    return [
        {"type": "scatter", "mode": "lines", "name": f"{pair.name}, {when}", "x": across,
         "y": pair.curve[when].to_numpy() / y.scale, **look}
        for when, look in looks.items()
    ]  # fmt: skip


def _outcomes(pair: Pair) -> list[dict[str, Any]]:
    """The probabilities of other outcomes before and after as bars, their losses as points."""
    if pair.atoms.empty:
        return []
    colour, names = style(pair.name)["color"], pair.atoms["outcome"].tolist()
    beside = {"xaxis": "x2", "x": names, "showlegend": False}
    bars = [
        {"type": "bar", "yaxis": "y3", "y": pair.atoms[when].to_numpy(), "marker": {"color": look}, "name": when,
         **beside}
        for when, look in (("before", faded(pair.name, 0.35)), ("after", colour))
    ]  # fmt: skip
    marker = {"size": 11, "color": colour, "symbol": "diamond"}
    losses = np.clip(pair.atoms["loss"].to_numpy(), -_MOST, _MOST)
    return [*bars, {"type": "scatter", "mode": "markers", "yaxis": "y2", "y": losses, "marker": marker,
                    "name": "privacy loss", **beside}]  # fmt: skip


def allowed_loss(pair: Pair) -> float:
    """Half the height of the band."""
    return pair.bound if isfinite(pair.bound) else pair.epsilon


def loss_reach(pair: Pair) -> float:
    """Half the height of the lower panel: the band and a little more; all of the curve where it leaves the band."""
    losses = np.abs(pair.curve["loss"].to_numpy())
    seen = float(np.max(losses[np.isfinite(losses)], initial=0.0))
    return 1.25 * min(max(allowed_loss(pair), seen), _MOST)


def _loss_axis(pair: Pair, reach: float) -> dict[str, Any]:
    """Ticks at 0 and at the lines."""
    allowed = allowed_loss(pair)
    ticks = {-allowed: f"−{format_amount(allowed)}", 0.0: "0", allowed: f"+{format_amount(allowed)}"}
    return {
        "title": {"text": "privacy loss"}, "domain": _BELOW, "range": [-reach, reach], "anchor": "x",
        "tickvals": list(ticks), "ticktext": list(ticks.values()), "zeroline": True,
    }  # fmt: skip


def _band(pair: Pair) -> list[dict[str, Any]]:
    """The band and its two lines."""
    allowed, dash = allowed_loss(pair), "solid" if isfinite(pair.bound) else "dash"
    place = {"xref": "paper", "x0": 0, "x1": 1, "yref": "y2"}
    line = {"color": "#808080", "width": 1.5, "dash": dash}
    edges = [{"type": "line", **place, "y0": at, "y1": at, "line": line} for at in (-allowed, allowed)]
    return [
        {"type": "rect", **place, "y0": -allowed, "y1": allowed, "fillcolor": BAND, "line": {"width": 0},
         "layer": "below"},
        *edges,
    ]  # fmt: skip
