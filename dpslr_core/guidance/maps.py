"""Winner maps: the best algorithm over epsilon n var(x) and var_e, as stored and about the guesses of a user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..experiments.expected import expected_error
from ..experiments.ranking import winners
from ..experiments.sweep import plan_sweep, simulated
from ..mechanisms import MECHANISMS, algorithms
from ..mechanisms.base import Mechanism, MechanismFamily
from ..mechanisms.baselines import OLS
from ..privacy import Budget
from ..sources.linear import LinearModel
from ..sources.samples import stored_file
from ..sources.stored import Damaged, read_tables
from ..support.run import Run
from .evidence import FAR, simulated_errors, simulated_spreads
from .recommendation import Recommendation, private_mechanisms

STORED = stored_file("winner_map.json")
PAPERS_K = 10  # matchings of DPExpTheilSen as the paper ran it, measured to compare with
COMMAND = "python -m benchmarks winner_map --save"
CELL = ["epsilon_nvar", "var_e"]
COLUMNS = (*CELL, "n", "mechanism", "error", "monte_carlo_error", "infinite_share")


@dataclass(frozen=True)
class MapSettings:
    """Settings that determine a winner map; epsilon n var(x) varies by n, with epsilon and var_x as they are.

    Attributes
    ----------
    products, var_es : tuple of float
        Values of epsilon n var(x) and of var_e, the axes of the map.
    lower, upper, theta : float
        Hyperparameters of the Theil-Sen family. The others are as in recommend.
    """

    epsilon: float = 8.0
    var_x: float = 0.02
    products: tuple[float, ...] = (
        4.0,
        7.2,
        13.0,
        24.0,
        43.0,
        80.0,
        144.0,
        264.0,
        480.0,
        880.0,
        1600.0,
    )
    var_es: tuple[float, ...] = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03)
    at: tuple[float, ...] = (0.25, 0.75)
    slope: float = 0.5
    intercept: float = 0.2
    lower: float = -0.5
    upper: float = 1.5
    theta: float = 0.01
    datasets: int = 30
    trials: int = 50
    seed: int = 0

    def n_of(self, epsilon_nvar: float) -> int:
        """Return the n at which epsilon n var(x) is about this product."""
        return round(epsilon_nvar / (self.epsilon * self.var_x))

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Algorithms that are measured: every private one."""
        return tuple(private_mechanisms(algorithms(), self.lower, self.upper, self.theta))

    def model(self, epsilon_nvar: float, var_e: float) -> LinearModel:
        """Return the model of one cell; ValueError where its n would be below 3 or var_e is negative."""
        return LinearModel(self.n_of(epsilon_nvar), self.var_x, var_e, self.slope, self.intercept)


@dataclass(frozen=True)
class Cell:
    """Settings that determine the errors in one cell; ``datasets`` is the number of simulated data sets."""

    model: LinearModel
    budget: Budget
    mechanisms: tuple[Mechanism, ...]
    run: Run
    datasets: int

    @property
    def epsilon_nvar(self) -> float:
        """Product epsilon n var(x), the position of the cell along one axis of the map."""
        return self.budget.epsilon * self.model.n * self.model.var_x

    def errors(self) -> pd.DataFrame:
        """Measure the errors in the cell: a row of COLUMNS for OLS and each mechanism."""
        plan = plan_sweep("n", [self.model.n], self.model, self.budget, [OLS(), *self.mechanisms])
        rows = simulated_errors(plan, self.run, self.datasets).frame()
        located = rows.assign(
            epsilon_nvar=self.epsilon_nvar, var_e=self.model.var_e, n=self.model.n
        )
        return located[list(COLUMNS)]


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """Winner map: its settings, and a row per cell and mechanism."""

    settings: MapSettings
    rows: pd.DataFrame

    def candidates(self, weaker: bool = False) -> tuple[Mechanism, ...]:
        """Return the algorithms that may win, see winners."""
        return tuple(m for m in self.settings.mechanisms if weaker or m.guarantee(1.0).pure)

    def winners(self, weaker: bool = False, in_paper: bool | None = None) -> pd.DataFrame:
        """Find the winner of every cell: columns epsilon_nvar, var_e, n, winner, error, second, margin (relative).

        Parameters
        ----------
        weaker : bool
            Whether algorithms that are not purely differentially private may win.
        in_paper : bool, optional
            Whether only the paper's algorithms, or only the newer ones, may win; by default all may.
        """
        allowed = {
            m.name for m in self.candidates(weaker) if in_paper is None or m.in_paper is in_paper
        }
        return winners(self.rows[self.rows["mechanism"].isin(allowed)], [*CELL, "n"]).reset_index()

    def behind(self, mechanism: str, in_paper: bool | None = None) -> pd.DataFrame:
        """Measure how far an algorithm is behind the winner in every cell: columns epsilon_nvar, var_e, behind.

        The distance is relative to the winner's error; ``in_paper`` is as in winners.
        """
        won = self.winners(in_paper=in_paper).set_index(CELL)["error"]
        return (self._errors(mechanism).sort_index() / won - 1).rename("behind").reset_index()

    def _errors(self, mechanism: str) -> pd.Series:
        """Return the error of one mechanism in every cell."""
        return self.rows[self.rows["mechanism"] == mechanism].set_index(CELL)["error"]


def load(path: Path = STORED) -> WinnerMap:
    """Read a map from its file; Damaged, a ValueError, where the file is missing, is none or lacks an algorithm."""
    rows = read_tables(path, {"errors": COLUMNS}, "winner map", COMMAND)["errors"]
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in rows.attrs.items()
    }
    winner_map = WinnerMap(MapSettings(**settings), rows)
    s = winner_map.settings
    missing = {m.name for m in private_mechanisms(MECHANISMS, s.lower, s.upper, s.theta)} - set(
        winner_map.rows["mechanism"]
    )
    if missing:
        raise Damaged(f"{path.name} lacks {sorted(missing)}; make it anew with {COMMAND}")
    return winner_map


# The map reaches from the guesses over the square of a factor to the guesses times the factor.
SIZES, VARIANCES = 8**0.5, 10.0
N_LIMITS, LARGEST_VAR_E = (10, 10_000), 0.25


STEPS, CELL_DATASETS = 2, 6  # values of n and of var_e within a factor; data sets in a cell
OWN_COLUMNS = ("epsilon_nvar", "var_e", "n", "winner", "error", "second", "margin", "about_ols")


def mechanisms_of(recommendation: Recommendation) -> tuple[Mechanism, ...]:
    """Return the candidates of a map, without slow ones far behind."""
    behind = recommendation.evidence.set_index("mechanism")["behind"]
    return tuple(
        m
        for m in recommendation.candidates
        if not (m.family is MechanismFamily.GRADIENT_DESCENT and not behind[m.name] <= FAR)
    )


def own_cells(
    recommendation: Recommendation, steps: int = STEPS, datasets: int = CELL_DATASETS
) -> list[Cell]:
    """Make the cells about the guesses of a recommendation; one cell holds the guesses themselves."""
    model, mechanisms = recommendation.model, mechanisms_of(recommendation)
    exponents = [step / steps for step in range(-2 * steps, steps + 1)]
    sizes = sorted({round(model.n * SIZES**exponent) for exponent in exponents})
    variances = [model.var_e * VARIANCES**exponent for exponent in exponents]
    models = [
        replace(model, n=n, var_e=var_e)
        for n in sizes
        for var_e in variances
        if (N_LIMITS[0] <= n <= N_LIMITS[1] or n == model.n)
        and (var_e <= LARGEST_VAR_E or var_e == model.var_e)
    ]
    budget, run = recommendation.budget, recommendation.run
    return [Cell(model_of_cell, budget, mechanisms, run, datasets) for model_of_cell in models]


def winner(cell: Cell) -> pd.DataFrame:
    """Make the row of OWN_COLUMNS for a cell; about_ols is the winner's expected error about OLS."""
    rows = cell.errors()
    best = winners(rows[rows["mechanism"] != "OLS"], CELL).iloc[0]
    mechanism = next(m for m in cell.mechanisms if m.name == best["winner"])
    data = simulated(cell.model, cell.run.seed, range(cell.datasets))
    spreads = simulated_spreads(cell.model, cell.budget, mechanism, data, cell.run)
    near_ols = expected_error(spreads[:, 0]).value
    location = (cell.epsilon_nvar, cell.model.var_e, cell.model.n)
    values = (*location, *best[["winner", "error", "second", "margin"]], near_ols)
    return pd.DataFrame([values], columns=list(OWN_COLUMNS))


def won_of(rows: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join the rows of ``winner`` of all cells, in order of the map's axes."""
    return pd.concat(rows, ignore_index=True).sort_values(
        ["epsilon_nvar", "var_e"], ignore_index=True
    )
