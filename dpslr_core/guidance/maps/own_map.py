"""A winner map about the user's own setting: its epsilon and var(x), n and var_e varying around the guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...experiments.ranking import winners
from ...mechanisms.base import Mechanism, MechanismFamily
from ...privacy import Budget
from ...sources.linear import LinearModel
from ...support.run import Run
from ..evidence import FAR
from ..recommendation import Recommendation
from ..simulated_errors import simulated_error
from .winner_map import CELL, MapSettings, cell_of

SIZES, VARIANCES = (1 / 8, 8**0.5), (0.01, 10.0)  # times the guesses: the least and the largest
N_LIMITS, LARGEST_VAR_E = (10, 10_000), 0.25


@dataclass(frozen=True)
class Resolution:
    """How many values of n and of var_e there are below and above the guesses, and simulated data sets in a cell."""

    steps: int
    datasets: int


COARSE, FINE = Resolution(1, 2), Resolution(2, 6)
COLUMNS = ("epsilon_nvar", "var_e", "n", "winner", "error", "second", "margin", "about_ols")


@dataclass(frozen=True)
class Cell:
    """One cell to compute. n, var_e: of its model, the others as in the recommendation."""

    model: LinearModel
    budget: Budget
    mechanisms: tuple[Mechanism, ...]
    run: Run
    datasets: int


def mechanisms_of(recommendation: Recommendation) -> tuple[Mechanism, ...]:
    """The candidates of a map: without the private choice, whose cost is said apart, and slow ones far behind."""
    behind = recommendation.evidence.set_index("mechanism")["behind"]
    return tuple(
        m for m in recommendation.candidates
        if m.family is not MechanismFamily.CHOICE
        and not (m.family is MechanismFamily.GRADIENT_DESCENT and not behind[m.name] <= FAR)
    )  # fmt: skip


def cells(recommendation: Recommendation, resolution: Resolution) -> list[Cell]:
    """The cells about the guesses, which are themselves in one of them."""
    model, mechanisms = recommendation.model, mechanisms_of(recommendation)
    sizes = sorted({round(model.n * factor) for factor in _factors(*SIZES, resolution.steps)})
    sizes = [n for n in sizes if N_LIMITS[0] <= n <= N_LIMITS[1] or n == model.n]
    variances = [model.var_e * factor for factor in _factors(*VARIANCES, resolution.steps)]
    variances = [var_e for var_e in variances if var_e <= LARGEST_VAR_E or var_e == model.var_e]
    return [
        Cell(
            LinearModel(n, model.var_x, var_e, model.slope, model.intercept), recommendation.budget, mechanisms,
            recommendation.run, resolution.datasets,
        )
        for n in sizes for var_e in variances
    ]  # fmt: skip


def _factors(least: float, largest: float, steps: int) -> list[float]:
    """Factors from the least to the largest, 1 among them; so many in each factor of sqrt(8), or of 10."""
    base = 10.0 if largest == VARIANCES[1] else largest
    low, high = (round(float(np.log(end) / np.log(base)) * steps) for end in (least, largest))
    return [float(base ** (step / steps)) for step in range(low, high + 1)]


def winner(cell: Cell) -> pd.DataFrame:
    """One row of COLUMNS; about_ols: C(68) / sigma of the winner about OLS, averaged over data sets and points."""
    model, budget = cell.model, cell.budget
    product = budget.epsilon * model.n * model.var_x
    settings = MapSettings(
        budget.epsilon, model.var_x, (product,), (model.var_e,), budget.at, model.slope, model.intercept,
        datasets=cell.datasets, trials=cell.run.trials, seed=cell.run.seed,
    )  # fmt: skip
    rows = cell_of(cell.mechanisms, settings, product, model.var_e, accounting=budget.accounting)
    best = winners(rows[rows["mechanism"] != "OLS"], CELL).iloc[0]
    mechanism = next(m for m in cell.mechanisms if m.name == best["winner"])
    data = [model.replicate(cell.run.seed, number) for number in range(cell.datasets)]
    about_ols = float(simulated_error(model, budget, mechanism, data, cell.run).mean())
    values = (product, model.var_e, model.n, *best[["winner", "error", "second", "margin"]], about_ols)
    return pd.DataFrame([values], columns=list(COLUMNS))


def won_of(rows: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The winners of all cells."""
    return pd.concat(rows, ignore_index=True).sort_values(["epsilon_nvar", "var_e"], ignore_index=True)
