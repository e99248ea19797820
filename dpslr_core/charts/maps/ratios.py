"""How much better or worse the newer algorithms are, as a map."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from ...text.phrases import format_amount
from ..vega import SHAPES, Spec, layer, nominal, quantitative, with_data

BETTER, EVEN, WORSE = "#2a6fbb", "#f2f0ea", "#c8641e"  # blue and orange: told apart by everyone
FULL = 3.0  # the factor from which a cell has its full colour
DARK, LIGHT = "#1b1b1f", "#ffffff"  # of what stands in cells


def ratio_map(table: pd.DataFrame, var_x: float) -> Spec:
    """Cells over epsilon n and sigma_e, each with the newer error over the paper's: blue below 1, orange above.

    table: of newer_against_paper. var_x: the variance of x that the map was made with. Pointing at a cell names both
    algorithms and their errors.
    """
    ordered = table.sort_values(["epsilon_nvar", "var_e"])
    cells = pd.DataFrame({
        "product": [format_amount(float(product) / var_x, 2) for product in ordered["epsilon_nvar"]],
        "sigma": [format_amount(float(np.sqrt(var_e)), 2) for var_e in ordered["var_e"]],
        "better": (-np.log(ordered["ratio"])).to_numpy(),
        "words": [written_ratio(ratio) for ratio in ordered["ratio"]],
        "newer": _with_errors(ordered["newer"], ordered["newer_error"]),
        "paper": _with_errors(ordered["paper"], ordered["paper_error"]),
        "n": ordered["n"].to_numpy(),
    })  # fmt: skip
    return with_data(_shape(tuple(dict.fromkeys(cells["product"])), tuple(dict.fromkeys(cells["sigma"]))), cells=cells)


@lru_cache(SHAPES)
def _shape(products: tuple[str, ...], sigmas: tuple[str, ...]) -> Spec:
    """The shape of ratio_map: what stands at both axes."""
    shade = float(np.log(FULL))
    colors = {"domain": [-shade, 0, shade], "range": [WORSE, EVEN, BETTER], "clamp": True, "interpolate": "rgb"}
    place = {
        "x": nominal("product", sort=list(products), title="ε n", axis={"labelAngle": 0}),
        "y": nominal("sigma", sort=list(sigmas)[::-1], title="σₑ"),
    }
    tooltip = [
        nominal("newer", title="newer"),
        nominal("paper", title="the paper's"),
        quantitative("n", title="n", format=",d"),
    ]
    color = {"color": quantitative("better", scale=colors, legend=None), "tooltip": tooltip}
    pale = {"condition": {"test": f"abs(datum.better) > {0.7 * shade}", "value": LIGHT}, "value": DARK}
    text = {"text": nominal("words"), "color": pale, "tooltip": tooltip}
    layers = [
        layer("cells", {"type": "rect", "stroke": LIGHT}, place | color),
        layer("cells", {"type": "text", "fontSize": 12}, place | text),
    ]
    return {"layer": layers, "height": 420}


def _with_errors(names: pd.Series, errors: pd.Series) -> list[str]:
    told = zip(names, errors, strict=True)
    return [f"{name}: {format_amount(error)} standard errors" for name, error in told]


def written_ratio(ratio: float) -> str:
    """What stands in a cell; nothing where there is no ratio."""
    return format_amount(ratio, 2) if np.isfinite(ratio) else ""
