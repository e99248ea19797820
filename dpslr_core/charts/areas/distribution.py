"""Charts over many areas: frames of by_group in, figures out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...experiments.curves import ratio_curves
from ...support.types import Floats
from ..base import figure_of, line_at_one, logarithmic
from ..labels import USUAL, Room, named_curves
from ..styles import style

__all__ = ["failure_curve", "failures", "ratio_cdf", "ratio_curves"]


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
