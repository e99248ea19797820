"""The map of the newer algorithms as a figure of altair's, which is saved as SVG without a browser."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ...text.phrases import format_amount
from .ratios import BETTER, EVEN, FULL, WORSE, written_ratio

CELL = 52, 44  # pixels


def saved_ratio_map(table: pd.DataFrame, var_x: float) -> Any:
    """The cells of ratio_map, on white. table, var_x: as there."""
    ordered = table.sort_values(["epsilon_nvar", "var_e"])
    rows = pd.DataFrame({
        "epsilon n": [format_amount(float(product) / var_x, 2) for product in ordered["epsilon_nvar"]],
        "sigma": [format_amount(float(np.sqrt(var_e)), 2) for var_e in ordered["var_e"]],
        "better": (-np.log(ordered["ratio"])).to_numpy(),
        "words": [written_ratio(ratio) for ratio in ordered["ratio"]],
    })  # fmt: skip
    across, up = list(dict.fromkeys(rows["epsilon n"])), list(dict.fromkeys(rows["sigma"]))
    shade = float(np.log(FULL))
    colors = alt.Scale(domain=[-shade, 0, shade], range=[WORSE, EVEN, BETTER], clamp=True)
    cells = alt.Chart(rows).encode(
        x=alt.X("epsilon n:N", sort=across, title="ε n", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("sigma:N", sort=up[::-1], title="σₑ"),
    )
    squares = cells.mark_rect(stroke="white").encode(color=alt.Color("better:Q", scale=colors, legend=None))
    drawn = alt.layer(squares, cells.mark_text().encode(text="words:N"))
    return drawn.properties(width=CELL[0] * len(across), height=CELL[1] * len(up), background="white", padding=12)
