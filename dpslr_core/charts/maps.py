"""Maps over settings: which algorithm wins, by how much, what the newer ones gain; over lines: how deep each is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ..mechanisms import DeepestLine
from ..sources.linear import LinearModel
from ..support.types import Floats
from ..text.findings import ratio_regions
from ..text.phrases import counted, format_amount, more
from .compared import shape_of
from .records import CHOSEN
from .styles import GREY_LINE, Figure, faded, figure_of, logarithmic, style
from .vega import GREY, Spec, with_data

FULL = 0.3  # the margin from which a cell has its winner's full colour
_FAINT = 0.25  # the opacity of a cell without any margin
BETTER, EVEN, WORSE = "#6a9fdb", "#f2f0ea", "#e28a4c"  # blue and orange: told apart by everyone
FULL_RATIO = 3.0  # the factor from which a cell has its full colour
NARROW_MAP = 820  # pixels: names of narrow regions stand upright
DARK, LIGHT = "#1b1b1f", "#ffffff"  # of what stands in cells


# Winners: Vega-Lite has no contours.


def winner_map(won: pd.DataFrame, here: tuple[float, float] | None = None) -> Figure:
    """Cells over epsilon n var(x) and var_e (both logarithmic) in the colour of the winner, paler where it is close.

    won: of WinnerMap.winners or won_of. The dashed line is where the winner's error about OLS equals the standard
    error; none where it is not known. here: epsilon n var(x) and var_e; their cell is outlined, the nearest where they
    lie beyond the map.
    """
    products, var_es = (np.sort(won[name].unique()) for name in ("epsilon_nvar", "var_e"))
    traces: list[dict[str, Any]] = []
    for name in won["winner"].unique():
        cells = won[won["winner"] == name]
        shade = (cells["margin"].clip(0, FULL) / FULL * (1 - _FAINT) + _FAINT).to_numpy()
        square = {"symbol": "square", "size": 12, "color": style(name)["color"]}
        traces.append(
            {
                "type": "heatmap",
                "name": name,
                "x": _edges(products),
                "y": _edges(var_es),
                "zmin": 0,
                "zmax": 1,
                "z": _grid(cells, shade, products, var_es),
                "colorscale": [[end, faded(name, end)] for end in (0.0, 1.0)],
                "showscale": False,
                "hoverinfo": "skip",
                "xgap": 1,
                "ygap": 1,
            }
        )
        traces.append(
            {
                "type": "scatter",
                "name": name,
                "x": [None],
                "y": [None],
                "mode": "markers",
                "marker": square,
            }
        )
    if "about_ols" in won and min(products.size, var_es.size) > 1:
        traces.append(_contour(won, products, var_es))
    text = [
        f"<b>{row.winner}</b>, {format_amount(row.error)} standard errors<br>next {row.second}, "
        f"{more(row.margin)}<br>n = {row.n:,}"
        for row in won.itertuples()
    ]
    traces.append(
        {
            "type": "scatter",
            "x": won["epsilon_nvar"],
            "y": won["var_e"],
            "mode": "markers",
            "showlegend": False,
            "marker": {"size": 24, "opacity": 0},
            "text": text,
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    x, y = (
        _axis("information for the slope: ε n σₓ²", products),
        _axis("noise about the line: σₑ²", var_es),
    )
    outlined = []
    if here is not None:
        place: dict[str, Any] = {}
        for name, value, values in (("x", here[0], products), ("y", here[1], var_es)):
            nearest = int(np.argmin(np.abs(np.log(values / value))))
            place[f"{name}0"], place[f"{name}1"] = _edges(values)[nearest : nearest + 2].tolist()
        outlined = [
            {"type": "rect", **place, "line": GREY_LINE | {"width": 4}, "name": "the answer's cell"}
        ]
    return figure_of(traces, 480, xaxis=x, yaxis=y, shapes=outlined)


def _axis(title: str, values: Floats) -> dict[str, Any]:
    """An axis of the map, from the edge of its first cell to that of its last."""
    low, high = _edges(values)[[0, -1]].tolist()
    shown = {"title": {"text": title}, "range": np.log10([low, high]).tolist(), "showgrid": False}
    return shown | logarithmic((low, high))


def _edges(values: Floats) -> Floats:
    """The edges of cells about values, half-way between neighbours by logarithm."""
    logs = np.log(values)
    half = 0.5 * np.diff(logs) if logs.size > 1 else np.array([0.5])
    return np.exp(
        np.concatenate(
            [[logs[0] - half[0]], logs[:-1] + half[: logs.size - 1], [logs[-1] + half[-1]]]
        )
    )


def _grid(
    rows: pd.DataFrame, values: Sequence[float] | Floats, products: Floats, var_es: Floats
) -> Floats:
    """The values at their cells, NaN elsewhere; shape (len(var_es), len(products))."""
    grid = np.full((var_es.size, products.size), np.nan)
    grid[
        np.searchsorted(var_es, rows["var_e"]), np.searchsorted(products, rows["epsilon_nvar"])
    ] = values
    return grid


def _contour(won: pd.DataFrame, products: Floats, var_es: Floats) -> dict[str, Any]:
    """Draw the line on which the winner's error about OLS equals the standard error."""
    logs = np.log(np.maximum(won["about_ols"].to_numpy(), 1e-9))
    heights = _grid(won, np.where(np.isfinite(logs), logs, np.nan), products, var_es)
    return {
        "type": "contour",
        "name": "error about OLS = one standard error",
        "x": products,
        "y": var_es,
        "z": heights,
        "contours": {"start": 0, "end": 0, "size": 1, "coloring": "none"},
        "showscale": False,
        "hoverinfo": "skip",
        "line": GREY_LINE | {"dash": "dash"},
        "showlegend": True,
    }


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
    places = {
        "left": across[column],
        "right": across[column + 1],
        "low": up[row],
        "high": up[row + 1],
    }
    regions = ratio_regions(table)
    middle = {
        "x": np.sqrt(regions["first"] * regions["last"]) / var_x,
        "y": np.sqrt(var_es[var_es.size // 3]),
    }
    you = []
    if here is not None:
        model, epsilon = here
        x = np.clip(epsilon * model.n * model.var_x / var_x, across[0], across[-1])
        said = f"you: {counted(model.n, 'record')} at ε = {format_amount(epsilon)}"
        you = [(x, np.clip(np.sqrt(model.var_e), up[0], up[-1]), said)]
    return with_data(
        _ratio_shape(tuple(products / var_x), tuple(np.sqrt(var_es))),
        cells=cells.assign(**places),
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
    cells, regions, you = (alt.Chart(alt.NamedData(name)) for name in ("cells", "regions", "you"))
    place = {"x": alt.X("x:Q", **x), "y": alt.Y("y:Q", **y)}
    upright = alt.ExprRef(f"datum.columns < 3 && width < {NARROW_MAP} ? 270 : 0")
    lift = alt.ExprRef(
        "-6.5 * (length(split(datum.said, '\\n')) - 1)"
    )  # half of the lines below the first
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
            ).encode(**place, text="said:N"),
            you.mark_rule(color=DARK).encode(**place, y2=alt.value(0)),
            you.mark_point(size=150, color=DARK, fill=LIGHT, strokeWidth=3, opacity=1).encode(
                **place
            ),
            you.mark_text(**names, align=inwards).encode(
                x=place["x"], y=alt.value(-14), text="said:N"
            ),
        ).properties(height=320)
    )


# The scores of DeepestLine, in three dimensions.


def depth_example(n: int = 30, grid: int = 80) -> pd.DataFrame:
    """The scores of all lines of a grid on n simulated records: quarter, three_quarters (predictions), score."""
    scores = DeepestLine(grid=grid).scores(LinearModel(n, 0.05, 0.01).replicate(0, 0))
    centres = scores.grid.edges[:-1] + scores.grid.cell / 2
    lines = {"quarter": centres.repeat(grid), "three_quarters": np.tile(centres, grid)}
    return pd.DataFrame({**lines, "score": scores.of_all()})


def depth_surface(lines: pd.DataFrame, epsilon: float) -> Figure:
    """Scores over the grid of both predictions, the best line at the top and marked; darker where a draw is likelier.

    lines: of depth_example.
    """
    table = lines.pivot(index="three_quarters", columns="quarter", values="score")
    likely = np.exp(-DeepestLine().weight(epsilon) * (table - table.min(axis=None)))
    best = lines.loc[lines["score"].idxmin()]
    color = style("DeepestLine")["color"]
    axes = {"quarter": "line at x = 0.25", "three_quarters": "line at x = 0.75", "score": "score M"}
    said = "<br>".join(
        f"{title}: %{{{side}:.3~g}}" for side, title in zip("xyz", axes.values(), strict=True)
    )
    surface = {
        "type": "surface", "x": table.columns.to_numpy(), "y": table.index.to_numpy(), "z": table.to_numpy(),
        "surfacecolor": likely.to_numpy(), "cmin": 0, "cmax": 1, "colorscale": [[0, "#d9d7e4"], [1, color]],
        "colorbar": {"title": {"text": "likelihood<br>over the best"}, "thickness": 12, "len": 0.6},
        "hovertemplate": f"{said}<extra></extra>",
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
    return figure_of([surface, deepest], 460, scene=scene, margin=margin, showlegend=False)
