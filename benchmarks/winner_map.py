"""Best algorithm over epsilon n var(x) and var_e: ``python -m benchmarks winner_map``; takes minutes."""

from __future__ import annotations

from dataclasses import asdict
from itertools import product

import pandas as pd

from dpslr_core.guidance.maps import COLUMNS, PAPERS_K, Cell, MapSettings, WinnerMap
from dpslr_core.guidance.maps import STORED as STORED
from dpslr_core.mechanisms import DPExpTheilSen
from dpslr_core.privacy import Budget
from dpslr_core.support.run import Run

ABOUT = {"digits": 5, **asdict(MapSettings())}


def made() -> dict[str, pd.DataFrame]:
    """Return the table that ``load`` of dpslr_core.guidance.maps reads."""
    return {"errors": measured(MapSettings(), workers=-1).rows}


def measured(settings: MapSettings, workers: int | str = 1) -> WinnerMap:
    """Return the map of all cells of its settings; OLS for comparison among the mechanisms."""
    cells = [
        cell(settings, *location, workers)
        for location in product(settings.products, settings.var_es)
    ]
    rows = pd.concat(cells).sort_values(["epsilon_nvar", "var_e"], kind="stable", ignore_index=True)
    return WinnerMap(settings, rows)


def cell(
    settings: MapSettings, epsilon_nvar: float, var_e: float, workers: int | str = 1
) -> pd.DataFrame:
    """Return the rows of one cell, with DPExpTheilSen as the paper ran it, to compare with."""
    s, papers = settings, DPExpTheilSen(settings.lower, settings.upper, PAPERS_K)
    run, budget = Run(s.trials, s.seed, workers), Budget(s.epsilon, s.at)
    measured_cell = Cell(
        s.model(epsilon_nvar, var_e), budget, (papers, *s.mechanisms), run, s.datasets
    )
    return measured_cell.errors().assign(epsilon_nvar=epsilon_nvar)[list(COLUMNS)]
