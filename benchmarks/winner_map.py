"""The best algorithm over epsilon n var(x) and var_e: ``python -m benchmarks winner_map``; takes minutes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path

import pandas as pd

from dpslr_core.guidance.maps import COLUMNS, PAPERS_K, STORED, Cell, MapSettings, WinnerMap
from dpslr_core.mechanisms import DPExpTheilSen
from dpslr_core.privacy import Budget
from dpslr_core.sources.stored import write_tables
from dpslr_core.support.run import Run
from dpslr_core.text.methods import against_the_paper


def rows(saved: bool = False) -> Iterator[str]:
    """Print how far the map agrees with the paper's guidance; saved: whether the map is stored."""
    made = measured(MapSettings(), workers=-1)
    if saved:
        save(made, STORED)
    yield against_the_paper(made)


def measured(settings: MapSettings, workers: int | str = 1) -> WinnerMap:
    """The map of all cells of its settings; OLS for comparison among the mechanisms."""
    cells = [
        cell(settings, *location, workers)
        for location in product(settings.products, settings.var_es)
    ]
    made = pd.concat(cells, ignore_index=True)
    return WinnerMap(
        settings, made.sort_values(["epsilon_nvar", "var_e"], kind="stable", ignore_index=True)
    )


def cell(
    settings: MapSettings, epsilon_nvar: float, var_e: float, workers: int | str = 1
) -> pd.DataFrame:
    """The rows of one cell; among them DPExpTheilSen as the paper ran it, to compare with."""
    s, papers = settings, DPExpTheilSen(settings.lower, settings.upper, PAPERS_K)
    run, budget = Run(s.trials, s.seed, workers), Budget(s.epsilon, s.at)
    made = Cell(
        s.model(epsilon_nvar, var_e), budget, (papers, *s.mechanisms), run, s.datasets
    ).errors()
    return made.assign(epsilon_nvar=epsilon_nvar)[list(COLUMNS)]


def save(winner_map: WinnerMap, path: Path) -> None:
    """Write a map for load of dpslr_core.guidance.maps."""
    write_tables({"errors": winner_map.rows[list(COLUMNS)]}, path, 5, **asdict(winner_map.settings))
