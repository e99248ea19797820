"""Charts over many areas: frames of by_group in, figures out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...experiments.curves import ratio_curves
from ...support.types import Floats
from ..base import BOTTOM, TOP, error_range, figure_of, line_at_one, logarithmic
from ..labels import USUAL, Room, named_curves
from ..rows import BELOW, GREEN
from ..styles import dash_lengths, style
from ..vega import SHAPES, Spec, expression, layer, nominal, quantitative, with_data

__all__ = ["area_counts", "failure_curve", "failures", "ratio_cdf", "ratio_curves"]

MOST_DOTS = 60  # areas up to which each is a dot


def ratio_cdf(curves: pd.DataFrame, limits: tuple[float, float] = (0.01, 1000.0), room: Room = USUAL) -> go.Figure:
    """CDF over areas of C(68) / standard error for every algorithm, with the line at 1 (the paper's figures).

    A curve goes on at its last height to the end of the axis. room: for the names of the curves.
    """
    traces = []
    for name, rows in curves.groupby("mechanism", sort=False, observed=True):
        ratios, shares = rows["ratio"].to_numpy(), rows["share"].to_numpy()
        traces.append({
            "type": "scatter", "mode": "lines", "name": str(name), "x": np.append(ratios, max(limits[1], ratios[-1])),
            "y": np.append(shares, shares[-1]), "line": {**style(str(name)), "width": 2, "shape": "hv"},
        })  # fmt: skip
    across = {"title": {"text": "C(68) / standard error"}, "range": list(np.log10(limits)), **logarithmic(limits)}
    up = {"title": {"text": "share of areas at or below"}, "range": [-0.02, 1.02], "tickformat": ".0%"}
    return named_curves(traces, 480, room, [line_at_one("x")], xaxis=across, yaxis=up)


def area_counts(here: pd.DataFrame, names: Sequence[str]) -> Spec:
    """How many areas have C(68) of at most so many standard errors, as a curve of steps for each algorithm.

    here: rows of by_group at one point. Areas in which an algorithm answers too rarely are above the end of its curve.
    """
    chosen = here[here["mechanism"].isin(list(names)) & (here["standard_error"] > 0)]
    areas = int(chosen.groupby("mechanism", observed=True).size().max()) if len(chosen) else 1
    curves = ratio_curves(chosen[chosen["ratio"] < TOP].assign(mechanism=chosen["mechanism"].astype("str")))
    known = curves["mechanism"].map(chosen.loc[chosen["ratio"] < TOP, "mechanism"].astype("str").value_counts())
    curves = curves.assign(areas=(curves["share"] * known).round())
    shape = _counts(tuple(names), areas, error_range(curves["ratio"].to_numpy()))
    dots = curves if areas <= MOST_DOTS else curves[:0]
    return with_data(
        shape, curves=curves, dots=dots, below=pd.DataFrame({"low": [BOTTOM], "one": [1.0], "name": [BELOW]})
    )


@lru_cache(SHAPES)
def _counts(names: tuple[str, ...], areas: int, span: tuple[float, float]) -> Spec:
    """The shape of area_counts; areas: the top of the picture; span: the ends of the axis of errors."""
    scale = {"type": "log", "domain": list(span), "clamp": True, "nice": False}
    axis = {"title": "error C(68), in standard errors", "format": ",~r", "grid": False}
    by_name = {
        channel: nominal("mechanism", scale={"domain": list(names), "range": looks}, legend=legend)
        for channel, looks, legend in (
            ("color", [style(name)["color"] for name in names], _LEGEND),
            ("strokeDash", [dash_lengths(name) for name in names], _LEGEND),
        )
    }
    count = {"title": "areas with at most this error", "tickMinStep": 1, "format": ",d"}
    both = {
        "x": quantitative("ratio", scale=scale, axis=axis),
        "y": quantitative("areas", scale={"domain": [0, areas], "nice": False}, axis=count),
    }
    x = {"x": quantitative("low", scale=scale, axis=axis), "x2": {"field": "one"}}
    edge = {"x": quantitative("one", scale=scale, axis=axis)}
    layers = [
        layer("below", {"type": "rect", "color": GREEN, "opacity": 0.16, "clip": True}, x),
        layer("below", {"type": "rule", "color": GREEN, "strokeWidth": 2}, edge),
        layer(
            "below",
            {"type": "text", "align": "left", "color": GREEN},
            {"x": {"value": 5}, "y": {"value": 10}, "text": nominal("name")},
        ),
        layer(
            "curves", {"type": "line", "interpolate": "step-after", "strokeWidth": 2.5, "clip": True}, both | by_name
        ),
        layer("dots", {"type": "circle", "size": 22, "opacity": 1}, both | {"color": by_name["color"]}),
    ]
    return {"layer": layers, "height": 240}


_LEGEND = {
    "title": None,
    "orient": "top",
    "columns": expression("width > 480 ? 4 : 1"),
    "symbolType": "stroke",
    "symbolSize": 400,
}


def failure_curve(epsilon_nvar: Floats) -> Floats:
    """NoisyStats' failure rate where 1/n is negligible: exp(-epsilon nvar / 3) / 2, same shape."""
    return 0.5 * np.exp(-np.asarray(epsilon_nvar) / 3)


def failures(dots: pd.DataFrame) -> go.Figure:
    """NoisyStats' failure rate in each area against epsilon n var(x), with the exact curve (the paper's appendix).

    dots: epsilon_nvar, rate (the share of trials that failed), group.
    """
    span = np.geomspace(max(dots["epsilon_nvar"].min(), 1e-3), max(dots["epsilon_nvar"].max(), 10.0), 200)
    kind = "scattergl" if len(dots) > 2_000 else "scatter"
    traces = [
        {
            "type": kind, "mode": "markers", "name": "failed trials", "x": dots["epsilon_nvar"].to_numpy(),
            "y": dots["rate"].to_numpy(), "customdata": dots["group"].to_numpy(),
            "marker": {"color": style("NoisyStats")["color"], "size": 5, "opacity": 0.6},
        },
        {
            "type": "scatter", "mode": "lines", "name": "exp(−ε n var(x) / 3) / 2", "x": span, "y": failure_curve(span),
            "line": {"color": "#808080", "width": 2},
        },
    ]  # fmt: skip
    across = {"title": {"text": "ε n var(x)"}, **logarithmic((span[0], span[-1]))}
    up = {"title": {"text": "share of releases without an answer"}, "range": [-0.02, 0.55], "tickformat": ".0%"}
    return figure_of(traces, 420, xaxis=across, yaxis=up)
