"""Where the newer algorithms beat the paper's: the best of either kind, in every cell of a winner map."""

from __future__ import annotations

import pandas as pd

from .winner_map import CELL, WinnerMap


def newer_against_paper(winner_map: WinnerMap, weaker: bool = False) -> pd.DataFrame:
    """A row per cell: CELL, n, paper, paper_error, newer, newer_error, ratio (the newer error over the paper's).

    paper, newer: the best algorithm of either kind, by C_true(68) / sigma; below a ratio of 1 the newer one is better.
    weaker: as in WinnerMap.winners. NaN where neither kind has a finite error.
    """
    kinds = {"paper": True, "newer": False}
    paper, newer = (
        winner_map.winners(weaker, in_paper)
        .set_index([*CELL, "n"])[["winner", "error"]]
        .rename(columns={"winner": kind, "error": f"{kind}_error"})
        for kind, in_paper in kinds.items()
    )
    table = paper.join(newer)
    return table.assign(ratio=table["newer_error"] / table["paper_error"]).reset_index()
