"""The public guesses that guidance goes by: the sliders of synthetic data, or four numbers beside loaded data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from dpslr_core.guidance.advice import LOOKED
from dpslr_core.scenario import Scenario

from .controls import DEFAULT
from .plain import plain
from .settings import View

BOUND: Any = {"bind": "query-params"}
LEAST = 1e-6  # of a variance
# key: label, scenario field, lowest, highest, step, help
INPUTS = {
    "guess_var_x": ("σₓ² in the unit square", "var_x", LEAST, 0.25, 0.01, "Variance of x once its bounds are 0 and 1."),
    "guess_var_e": ("σₑ² in the unit square", "var_e", LEAST, 1.0, 0.005, "Variance of y about the line."),
    "guess_slope": ("slope in the unit square", "slope", -10.0, 10.0, 0.1, "Slope of the line."),
    "guess_intercept": ("intercept in the unit square", "intercept", -10.0, 10.0, 0.1, "Height of the line at 0."),
}


class Guesses(NamedTuple):
    """The scenario of the simulated data sets, and whether it was read off loaded data."""

    scenario: Scenario
    looked: bool


def guesses(view: View) -> Guesses:
    """What guidance goes by; n, epsilon, points and algorithms are the sidebar's."""
    scenario = view.scenario.model_copy(update={"source": "synthetic", "n": view.data.n})
    if view.scenario.source == "synthetic":
        st.caption(
            "Based on simulated data with the sidebar's n, σₓ², σₑ², slope and intercept. No data are looked at."
        )
        return Guesses(scenario, looked=False)
    if st.toggle("Take the guesses from the data", False, key="guess_from_data", help=_CAUTION, **BOUND):
        guessed = from_data(view)
        st.caption(plain(f"Read off the data: {_listed(guessed)}. {_CAUTION} {LOOKED}"))
        return Guesses(scenario.model_copy(update=guessed), looked=True)
    columns = st.columns(len(INPUTS))
    guessed = {}
    for column, (key, (label, name, low, high, step, help)) in zip(columns, INPUTS.items(), strict=True):
        guessed[name] = column.number_input(
            label, low, high, float(getattr(DEFAULT, name)), step, key=key, help=help, format="%.4g", **BOUND
        )
    st.caption(f"Based on simulated data with these settings and n = {view.data.n:,}. Your data are not used.")
    return Guesses(scenario.model_copy(update=guessed), looked=False)


_CAUTION = "Right for public or synthetic data; with private data the choice itself would leak."


def from_data(view: View) -> dict[str, float]:
    """The four guesses as the data have them; the usual ones where these cannot be told."""
    data = view.data
    if not np.isfinite(data.slope) or not np.isfinite(data.residual_sd):
        return {name: float(getattr(DEFAULT, name)) for name in ("var_x", "var_e", "slope", "intercept")}
    var_x, var_e = max(data.var_x, LEAST), max(data.residual_sd**2, LEAST)
    guessed = {"var_x": var_x, "var_e": var_e, "slope": data.slope, "intercept": data.intercept}
    return {name: float(f"{value:.4g}") for name, value in guessed.items()}


def _listed(guessed: dict[str, float]) -> str:
    labels = {"var_x": "σₓ²", "var_e": "σₑ²", "slope": "slope", "intercept": "intercept"}
    return ", ".join(f"{labels[name]} = {value:g}" for name, value in guessed.items())
