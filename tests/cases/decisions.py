"""Decisions on areas whose epsilons are made by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpslr_core.guidance.area_epsilons import COLUMNS
from dpslr_core.guidance.decision import Decision


def by_hand(rows: list[tuple[str, str, float, float, float]], **settings: Any) -> Decision:
    """The decision on rows of area, algorithm, standard error and the ends of the epsilons at which the area passes."""
    frame = pd.DataFrame(rows, columns=COLUMNS)
    areas = pd.DataFrame({"group": sorted(set(frame["group"])), "n": 10, "nvar": 1.0})
    return Decision(frame, areas, **settings)
