"""How much better or worse the newer algorithms are, as a map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...text.phrases import format_amount
from ..base import figure_of

BETTER, EVEN, WORSE = "#2a6fbb", "#f2f0ea", "#c8641e"  # blue and orange: told apart by everyone
FULL = 3.0  # the factor from which a cell has its full colour


def ratio_map(table: pd.DataFrame, var_x: float) -> go.Figure:
    """Cells over epsilon n and sigma_e, each with the newer error over the paper's: blue below 1, orange above.

    table: of newer_against_paper. var_x: the variance of x that the map was made with. Pointing at a cell names both
    algorithms and their errors.
    """
    products, var_es = (np.sort(table[name].unique()) for name in ("epsilon_nvar", "var_e"))
    grid: np.ndarray = np.full((var_es.size, products.size), np.nan)
    words = np.full(grid.shape, "", dtype=object)
    hover = np.full(grid.shape, "", dtype=object)
    for row in table.itertuples():
        place = int(np.searchsorted(var_es, row.var_e)), int(np.searchsorted(products, row.epsilon_nvar))
        grid[place], words[place], hover[place] = -np.log(row.ratio), written_ratio(row.ratio), _told(row)
    shade = float(np.log(FULL))
    cells: dict[str, Any] = {
        "type": "heatmap", "z": grid, "text": words, "texttemplate": "%{text}", "customdata": hover,
        "hovertemplate": "%{customdata}<extra></extra>", "zmin": -shade, "zmax": shade, "zmid": 0, "showscale": False,
        "colorscale": [[0, WORSE], [0.5, EVEN], [1, BETTER]], "xgap": 1, "ygap": 1,
        "x": [format_amount(float(product) / var_x, 2) for product in products],
        "y": [format_amount(float(np.sqrt(var_e)), 2) for var_e in var_es],
    }  # fmt: skip
    x, y = ({"title": {"text": title}, "type": "category"} for title in ("ε n", "σₑ"))
    return figure_of([cells], 420, xaxis=x, yaxis=y)


def written_ratio(ratio: float) -> str:
    """What stands in a cell; nothing where there is no ratio."""
    return format_amount(ratio, 2) if np.isfinite(ratio) else ""


def _told(row: Any) -> str:
    errors = (f"{name}: {format_amount(error)} standard errors" for name, error in
              ((row.newer, row.newer_error), (row.paper, row.paper_error)))  # fmt: skip
    return "<br>".join((*errors, f"n = {row.n:,}"))
