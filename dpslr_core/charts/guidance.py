"""Guidance in pictures: the evidence, and the winner map with its margins as shades and where you are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from .._types import Floats
from ..confidence import Z95
from .base import error_range, figure_of, line_at_one, logarithmic
from .styles import faded, style

FULL = 0.3  # the margin from which a cell has its winner's full colour
_FAINT = 0.25  # the opacity of a cell without any margin


def evidence(rows: pd.DataFrame) -> go.Figure:
    """Mean error of every algorithm, the best on top, with 95% Monte-Carlo intervals; the line is one standard error.

    rows: of Recommendation.evidence. An infinite error has no dot; hollow dots cannot be recommended.
    """
    finite = rows[np.isfinite(rows["error"])]
    colours = [style(name)["color"] for name in finite["mechanism"]]
    dots = {
        "type": "scatter", "mode": "markers", "showlegend": False, "x": finite["error"].to_numpy(),
        "y": finite["mechanism"].tolist(), "hovertemplate": "%{y}: %{x:.3g} standard errors<extra></extra>",
        "error_x": {"type": "data", "array": Z95 * finite["monte_carlo_error"].to_numpy(), "color": "#808080"},
        "marker": {
            "size": 12, "color": colours, "line": {"width": 2, "color": colours},
            "symbol": ["circle" if candidate else "circle-open" for candidate in finite["candidate"]],
        },
    }  # fmt: skip
    ends = error_range(finite["error"])
    across = {"title": {"text": "mean error, standard errors (C_true(68) / σ)"}, **logarithmic(ends)}
    across["range"] = list(np.log10(ends))
    down = {"categoryorder": "array", "categoryarray": rows["mechanism"].tolist()[::-1], "automargin": True}
    return figure_of([dots], 70 + 30 * len(rows), xaxis=across, yaxis=down, shapes=[line_at_one("x")])


def winner_map(won: pd.DataFrame, here: tuple[float, float] | None = None) -> go.Figure:
    """Cells over epsilon n var(x) and var_e (both logarithmic) in the colour of the winner, paler where it is close.

    won: of WinnerMap.winners. The line is where the winner's error equals the standard error, C_true(68) / sigma = 1;
    that of OLS, without any privacy, is 0.8.
    here: epsilon n var(x) and var_e of the dot, moved to the edge of the map where it lies beyond.
    """
    products, var_es = (np.sort(won[name].unique()) for name in ("epsilon_nvar", "var_e"))
    traces: list[dict[str, Any]] = []
    for name in won["winner"].unique():
        mine = won[won["winner"] == name]
        shade = (mine["margin"].clip(0, FULL) / FULL * (1 - _FAINT) + _FAINT).to_numpy()
        traces.append(_cells(name, _grid(mine, shade, products, var_es), products, var_es))
        traces.append(_legend(name))
    traces.append(_contour(won, products, var_es))
    traces.append(_hover(won))
    if here is not None:
        traces.append(_here(here, _edges(products), _edges(var_es)))
    x, y = _axis("ε n σₓ²", products), _axis("σₑ²", var_es)
    return figure_of(traces, 520, xaxis=x, yaxis=y)


def _axis(title: str, values: Floats) -> dict[str, Any]:
    """An axis of the map, from the edge of its first cell to that of its last."""
    ends = _edges(values)[[0, -1]]
    return {"title": {"text": title}, "range": np.log10(ends).tolist(), "showgrid": False, **logarithmic(ends)}


def _edges(values: Floats) -> Floats:
    """The edges of cells about values, half-way between neighbours by logarithm."""
    logs = np.log(values)
    half = 0.5 * np.diff(logs) if logs.size > 1 else np.array([0.5])
    return np.exp(np.concatenate([[logs[0] - half[0]], logs[:-1] + half[: logs.size - 1], [logs[-1] + half[-1]]]))


def _grid(rows: pd.DataFrame, values: Sequence[float] | Floats, products: Floats, var_es: Floats) -> Floats:
    """The values at their cells, NaN elsewhere; shape (len(var_es), len(products))."""
    grid = np.full((var_es.size, products.size), np.nan)
    grid[np.searchsorted(var_es, rows["var_e"]), np.searchsorted(products, rows["epsilon_nvar"])] = values
    return grid


def _cells(name: str, grid: Floats, products: Floats, var_es: Floats) -> dict[str, Any]:
    """The cells that one algorithm wins, as dark as their shade says."""
    colours = [[end, faded(name, end)] for end in (0.0, 1.0)]
    return {
        "type": "heatmap", "name": name, "x": _edges(products), "y": _edges(var_es), "z": grid, "zmin": 0, "zmax": 1,
        "colorscale": colours, "showscale": False, "hoverinfo": "skip", "xgap": 1, "ygap": 1,
    }  # fmt: skip


def _legend(name: str) -> dict[str, Any]:
    """An entry of the legend: heat maps have none of their own."""
    square = {"symbol": "square", "size": 12, "color": style(name)["color"]}
    return {"type": "scatter", "name": name, "x": [None], "y": [None], "mode": "markers", "marker": square}


def _contour(won: pd.DataFrame, products: Floats, var_es: Floats) -> dict[str, Any]:
    """Where the winner's error equals the standard error.

    OLS on the same data sets serves as a control variate: its expectation is that of |z|, z standard normal.
    """
    errors = won["error"] - won["ols"] + np.sqrt(2 / np.pi)
    errors = _grid(won, np.log(errors.to_numpy()), products, var_es)
    return {
        "type": "contour", "name": "error = one standard error", "x": products, "y": var_es, "z": errors,
        "contours": {"start": 0, "end": 0, "size": 1, "coloring": "none"}, "showscale": False, "hoverinfo": "skip",
        "line": {"width": 2.5, "dash": "dash", "color": "#808080"}, "showlegend": True,
    }  # fmt: skip


def _hover(won: pd.DataFrame) -> dict[str, Any]:
    """What a cell says when it is pointed at."""
    text = [
        f"<b>{row.winner}</b>, {row.error:.3g} standard errors<br>next {row.second}, {row.margin:.0%} larger<br>"
        f"n = {row.n:,}"
        for row in won.itertuples()
    ]
    return {
        "type": "scatter", "x": won["epsilon_nvar"], "y": won["var_e"], "mode": "markers", "showlegend": False,
        "marker": {"size": 24, "opacity": 0}, "text": text, "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip


def _here(here: tuple[float, float], x_edges: Floats, y_edges: Floats) -> dict[str, Any]:
    """The dot at "you are here"."""
    x, y = (min(max(value, edges[0]), edges[-1]) for value, edges in zip(here, (x_edges, y_edges), strict=True))
    return {
        "type": "scatter", "name": "you are here", "x": [x], "y": [y], "mode": "markers",
        "marker": {"symbol": "circle-dot", "size": 16, "color": "#ffffff", "line": {"width": 3, "color": "#111111"}},
        "hovertemplate": "ε n σₓ² = %{x:.3g}, σₑ² = %{y:.3g}<extra>you are here</extra>",
    }  # fmt: skip
