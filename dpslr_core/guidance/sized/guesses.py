"""Guesses about data, as the linear model of a scenario."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...dataset import Dataset
from ...scenario import Scenario
from ...sources.choices import Synthetic

LEAST = 1e-6  # of a variance in the unit square
GUESSED = ("var_x", "var_e", "slope", "intercept")


def guessed_scenario(scenario: Scenario, n: int, guesses: Mapping[str, float]) -> Scenario:
    """The scenario with data simulated by guesses in place of its own.

    n: the number of records, public. guesses: some of var_x, var_e, slope and intercept, in the unit square.
    """
    return scenario.model_copy(update={"source": Synthetic(n=n, **{name: guesses[name] for name in guesses})})


def data_guesses(data: Dataset) -> dict[str, float]:
    """The four guesses as the data have them, to four digits; the usual ones where these cannot be told.

    They depend on the records, so that a choice of algorithm by them is not private.
    """
    if not np.isfinite(data.slope) or not np.isfinite(data.residual_sd):
        return {name: float(Synthetic.model_fields[name].default) for name in GUESSED}
    var_x, var_e = max(data.var_x, LEAST), max(data.residual_sd**2, LEAST)
    guessed = {"var_x": var_x, "var_e": var_e, "slope": data.slope, "intercept": data.intercept}
    return {name: float(f"{value:.4g}") for name, value in guessed.items()}
