"""Maps over settings: which algorithm wins and by how much, and what the newer ones gain; depths of lines in 3D."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ..mechanisms import DeepestLine
from ..sources.linear import LinearModel
from ..support.types import Floats
from ..text.findings import ratio_regions
from ..text.phrases import counted, format_amount, more
from .compared import BELOW
from .records import CHOSEN
from .styles import Figure, figure_of, style
from .vega import (
    GREY,
    INK,
    LEGEND,
    TITLE_ABOVE,
    Spec,
    axis,
    chart_of,
    layer,
    looks,
    nominal,
    once,
    quantitative,
    shape_of,
    with_data,
    xy,
)

FULL = 0.3  # margin from which a cell has its winner's full colour
_FAINT = 0.25  # opacity of a cell whose winner has no margin
BETTER, EVEN, WORSE = "#6a9fdb", "#f2f0ea", "#e28a4c"  # blue and orange: told apart by everyone
FULL_RATIO = 3.0  # ratio of errors from which a cell has its full colour
NARROW_MAP = 820  # width in pixels below which names of narrow regions are turned upright
DARK, LIGHT = "#1b1b1f", "#ffffff"  # colours of text in cells and of lines between them


def winner_map(won: pd.DataFrame, here: tuple[float, float] | None = None) -> Spec:
    """Draw cells over epsilon n var(x) and var_e in the colour of the winner, paler where the next is close.

    A line surrounds the cells in which the winner's error about OLS is below the sampling error, if errors are known.

    Parameters
    ----------
    won : DataFrame
        Cells of ``WinnerMap.winners`` or ``won_of``.
    here : tuple of float, optional
        The user's epsilon n var(x) and var_e; the cell nearest to both is outlined.
    """
    products, var_es = (np.sort(won[name].unique()) for name in ("epsilon_nvar", "var_e"))
    across, up = _edges(products), _edges(var_es)

    def cells_at(row: Any, column: Any) -> dict[str, Any]:
        ends = {"x": across[column], "x2": across[column + 1]}
        return ends | {"y": up[row], "y2": up[row + 1]}

    row, column = (
        np.searchsorted(var_es, won["var_e"]),
        np.searchsorted(products, won["epsilon_nvar"]),
    )
    names = won["winner"].unique().tolist()
    cells = won[["winner", "second", "error", "n"]].assign(
        **cells_at(row, column),
        shade=won["margin"].clip(0, FULL) / FULL * (1 - _FAINT) + _FAINT,
        behind=[more(margin) for margin in won["margin"]],
    )
    below = np.zeros((var_es.size, products.size))
    if "about_ols" in won:
        below[row, column] = won["about_ols"] <= 1
    right, above = np.nonzero(np.diff(below, axis=1)), np.nonzero(np.diff(below, axis=0))
    sides = pd.DataFrame(cells_at(*right)).assign(x=across[right[1] + 1])
    tops = pd.DataFrame(cells_at(*above)).assign(y=up[above[0] + 1])
    outlined = []
    if here is not None:
        pairs = ((var_es, here[1]), (products, here[0]))
        outlined = [cells_at(*(np.abs(np.log(values / value)).argmin() for values, value in pairs))]
    x = axis(
        "information for the slope: ε n σₓ²", tuple(across[[0, -1]].tolist()), log=True, grid=False
    )
    y = axis(
        "noise about the line: σₑ²",
        tuple(up[[0, -1]].tolist()),
        log=True,
        grid=False,
        **TITLE_ABOVE,
    )
    corners = xy(x, y) | {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    legend = LEGEND | {"symbolType": "square"}
    color = looks("winner", names, legend, color=[style(name)["color"] for name in names])
    tips = [
        nominal("winner"),
        quantitative("error", title="error, in standard errors", format=",.3~r"),
        nominal("second", title="next"),
        nominal("behind", title="by"),
        quantitative("n", title="records", format=",d"),
    ]
    shade = {"opacity": quantitative("shade", scale=None), "tooltip": tips}
    line = {"type": "rule", "strokeWidth": 2, "strokeDash": [5, 3], "color": {"expr": INK}}
    words = {"type": "text", "align": "right", "fontWeight": "bold", "text": BELOW}
    layers = [
        layer(
            "cells", {"type": "rect", "stroke": LIGHT, "strokeWidth": 0.5}, corners | color | shade
        ),
        layer("border", line, corners),
        layer(
            "here",
            {"type": "rect", "filled": False, "stroke": {"expr": INK}, "strokeWidth": 3},
            corners,
        ),
    ]
    if below.any():
        corner = {"x": {"value": {"expr": "width - 8"}}, "y": {"value": 14}}
        layers.append(once(words, corner))
    return with_data(
        {"layer": layers, "height": 400},
        cells=cells,
        border=pd.concat([sides.assign(x2=sides["x"]), tops.assign(y2=tops["y"])]),
        here=pd.DataFrame(outlined, columns=["x", "x2", "y", "y2"]),
    )


def _edges(values: Floats) -> Floats:
    """Return the edges of cells about values, half-way between neighbours by logarithm."""
    logs = np.log(values)
    half = 0.5 * np.diff(logs) if logs.size > 1 else np.array([0.5])
    return np.exp(
        np.concatenate(
            [[logs[0] - half[0]], logs[:-1] + half[: logs.size - 1], [logs[-1] + half[-1]]]
        )
    )


# Newer algorithms against the paper's.


def ratio_map(
    table: pd.DataFrame, var_x: float, here: tuple[LinearModel, float] | None = None
) -> Spec:
    """Draw cells over epsilon n and sigma_e: blue where the newer error is smaller, orange where the paper's is.

    Parameters
    ----------
    table : DataFrame
        Cells of ``newer_against_paper``. Pointing at one names both algorithms with their errors.
    var_x : float
        Variance of x that the map was made with.
    here : tuple of LinearModel and float, optional
        Data and epsilon of the user; at the edge where they lie beyond the map.
    """
    cells = table.dropna(subset="ratio")
    products, var_es = np.sort(table["epsilon_nvar"].unique()), np.sort(table["var_e"].unique())
    across, up = _edges(products / var_x), _edges(np.sqrt(var_es))
    column, row = (
        np.searchsorted(products, cells["epsilon_nvar"]),
        np.searchsorted(var_es, cells["var_e"]),
    )
    corners = {
        "left": across[column],
        "right": across[column + 1],
        "low": up[row],
        "high": up[row + 1],
    }
    regions = ratio_regions(table)
    named = up[var_es.size // 3 :][:2]  # ends of the cells that hold the names
    middle = {
        "x": np.sqrt(regions["first"] * regions["last"]) / var_x,
        "y": np.sqrt(named.prod()),
    }
    you = []
    if here is not None:
        model, epsilon = here
        x = np.clip(epsilon * model.n * model.var_x / var_x, across[0], across[-1])
        label = f"you: {counted(model.n, 'record')} at ε = {format_amount(epsilon)}"
        you = [(x, np.clip(np.sqrt(model.var_e), up[0], up[-1]), label)]
    return with_data(
        _ratio_shape(tuple(products / var_x), tuple(np.sqrt(var_es))),
        cells=cells.assign(**corners),
        regions=regions.assign(**middle),
        you=pd.DataFrame(you, columns=["x", "y", "said"]),
    )


@cache
def _ratio_shape(products: tuple[float, ...], sigmas: tuple[float, ...]) -> Spec:
    """Return the chart of `ratio_map` without its data."""
    import altair as alt  # commands without a picture need no Altair

    def along(values: tuple[float, ...], title: str, format: str) -> dict[str, Any]:
        ends = _edges(np.array(values))[[0, -1]].tolist()
        axis = alt.Axis(
            values=list(values), title=title, format=format, grid=False, domain=False, ticks=False
        )
        return {"scale": alt.Scale(type="log", domain=ends, nice=False), "axis": axis}

    x, y = along(products, "ε × records", ",.0f"), along(sigmas, "scatter about the line", ".2~r")
    colors = alt.Scale(
        domain=[1 / FULL_RATIO, 1, FULL_RATIO],
        type="log",
        range=[BETTER, EVEN, WORSE],
        clamp=True,
        interpolate="rgb",
    )
    tooltip = [
        alt.Tooltip("newer:N", title="newer"),
        alt.Tooltip("newer_error:Q", title="its error / sampling error", format=".3~r"),
        alt.Tooltip("paper:N", title="the paper's"),
        alt.Tooltip("paper_error:Q", title="error of the paper's", format=".3~r"),
        alt.Tooltip("n:Q", title="records", format=",d"),
    ]
    cells, regions, you = (chart_of(name) for name in ("cells", "regions", "you"))
    position = {"x": alt.X("x:Q", **x), "y": alt.Y("y:Q", **y)}
    upright = alt.ExprRef(f"datum.columns < 3 && width < {NARROW_MAP} ? 270 : 0")
    # A name of several lines is lifted by half of the lines below its first.
    lift = alt.ExprRef("-6.5 * (length(split(datum.said, '\\n')) - 1)")
    inwards = alt.ExprRef(f"datum.x < {np.sqrt(products[0] * products[-1])} ? 'left' : 'right'")
    names: dict[str, Any] = {"fontWeight": "bold", "fontSize": 12}
    return shape_of(
        alt.layer(
            cells.mark_rect(stroke=LIGHT).encode(
                x=alt.X("left:Q", **x),
                x2="right:Q",
                y=alt.Y("low:Q", **y),
                y2="high:Q",
                color=alt.Color("ratio:Q", scale=colors, legend=None),
                tooltip=tooltip,
            ),
            regions.mark_text(
                **names, color=DARK, lineBreak="\n", lineHeight=13, angle=upright, dy=lift
            ).encode(**position, text="said:N"),
            you.mark_rule(color=DARK).encode(**position, y2=alt.value(0)),
            you.mark_point(size=150, color=DARK, fill=LIGHT, strokeWidth=3, opacity=1).encode(
                **position
            ),
            you.mark_text(**names, align=inwards).encode(
                x=position["x"], y=alt.value(-14), text="said:N"
            ),
        ).properties(height=320)
    )


# The scores of DeepestLine, in three dimensions.


def depth_example(n: int = 30, grid: int = 80) -> pd.DataFrame:
    """Return the score of each line of a grid on n simulated records: quarter, three_quarters (predictions), score."""
    scores = DeepestLine(grid=grid).scores(LinearModel(n, 0.05, 0.01).replicate(0, 0))
    centres = scores.grid.edges[:-1] + scores.grid.cell / 2
    lines = {"quarter": centres.repeat(grid), "three_quarters": np.tile(centres, grid)}
    return pd.DataFrame({**lines, "score": scores.of_all()})


def depth_surface(lines: pd.DataFrame, epsilon: float) -> Figure:
    """Draw scores over the grid of both predictions, the best line on top and marked; darker where a draw is likelier.

    Parameters
    ----------
    lines : DataFrame
        Rows of `depth_example`.
    epsilon : float
        Budget of the draw.
    """
    table = lines.pivot(index="three_quarters", columns="quarter", values="score")
    likely = np.exp(-DeepestLine().weight(epsilon) * (table - table.min(axis=None)))
    best = lines.loc[lines["score"].idxmin()]
    color = style("DeepestLine")["color"]
    axes = {"quarter": "line at x = 0.25", "three_quarters": "line at x = 0.75", "score": "score M"}
    hint = "<br>".join(
        f"{title}: %{{{side}:.3~g}}" for side, title in zip("xyz", axes.values(), strict=True)
    )
    surface = {
        "type": "surface", "x": table.columns.to_numpy(), "y": table.index.to_numpy(), "z": table.to_numpy(),
        "surfacecolor": likely.to_numpy(), "cmin": 0, "cmax": 1, "colorscale": [[0, "#d9d7e4"], [1, color]],
        "colorbar": {"title": {"text": "likelihood<br>over the best"}, "thickness": 12, "len": 0.6},
        "hovertemplate": f"{hint}<extra></extra>",
    }  # fmt: skip
    deepest = {
        "type": "scatter3d", "mode": "markers+text", "text": ["deepest"], "textposition": "top center",
        "x": [best["quarter"]], "y": [best["three_quarters"]], "z": [best["score"]], "hoverinfo": "skip",
        "marker": {"size": 5, "color": CHOSEN}, "textfont": {"color": CHOSEN},
    }  # fmt: skip
    grey = {"gridcolor": "#a0a0a8", "showbackground": False, "color": GREY}
    scene: dict[str, Any] = {
        f"{side}axis": {"title": {"text": title}, **grey}
        for side, title in zip("xyz", axes.values(), strict=True)
    }
    scene["zaxis"]["autorange"] = "reversed"
    scene["camera"] = {"eye": {"x": -1.7, "y": -1.7, "z": 1.0}}
    margin = {"l": 0, "r": 0, "t": 10, "b": 10}
    return figure_of([surface, deepest], 460, scene=scene, margin=margin)
