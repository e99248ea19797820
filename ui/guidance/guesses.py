"""The guesses that guidance goes by: the sliders of synthetic data; for loaded data public ones, or their own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import Synthetic
from dpslr_core.text.phrases import format_amount

from ..controls import BOUND, USUAL
from ..plain import plain
from ..settings import View

LEAST = 1e-6  # of a variance in the unit square
NOT_PRIVATE = "The algorithm is chosen by looking at the data. That choice is not private: ε does not cover it."
PUBLIC, READ_OFF = "public knowledge", "read off these data"
UPLOAD_CHOICE, PUBLIC_DATA_CHOICE = "guesses", "guesses_public_data"  # two keys: what is right for one leaks for other


class Guesses(NamedTuple):
    """The scenario of the simulated data sets, and whether it was read off loaded data."""

    scenario: Scenario
    looked: bool


def guesses(view: View) -> Guesses:
    """What guidance goes by; n, epsilon, points and algorithms are the sidebar's. Stops where something is missing."""
    if view.scenario.source.kind == "synthetic":
        return Guesses(view.scenario, looked=False)
    choice = _choice(view)
    if choice == READ_OFF:
        st.caption(NOT_PRIVATE)
        return Guesses(_guessed(view, from_data(view)), looked=True)
    return Guesses(_guessed(view, _typed(view)), looked=False)


def _choice(view: View) -> str:
    """Where the guesses come from: asked of an uploaded file; public data may be looked at."""
    uploaded = view.scenario.source.kind == "upload"
    choice = st.segmented_control(
        "Spread, slope and noise of the data are", [PUBLIC, READ_OFF], default=None if uploaded else READ_OFF,
        key=UPLOAD_CHOICE if uploaded else PUBLIC_DATA_CHOICE, required=not uploaded, **BOUND,
        help="Read off private data, the choice of the algorithm itself leaks: ε does not cover it.",
    )  # fmt: skip
    if choice is None:
        st.info(
            "Guidance needs your guesses. Choose where they come from: public knowledge, or these data. A choice of "
            "algorithm that was read off the data is not private."
        )
        st.stop()
    return str(choice)


def _typed(view: View) -> dict[str, float]:
    """The guesses in the user's units; the line is pre-filled from the public bounds, the spreads are asked for."""
    x, y = view.x, view.y
    columns = st.columns(4)
    spread_x = columns[0].number_input(
        plain(f"Standard deviation of {x.label}"), 0.0, 0.5 * x.scale, None, 0.01 * x.scale, key="guess_sd_x",
        format="%.4g", help="About 0.29 of the width of the bounds if evenly spread between them.", **BOUND,
    )  # fmt: skip
    spread_y = columns[1].number_input(
        plain(f"Standard deviation of {y.label} about the line"), 0.0, y.scale, None, 0.01 * y.scale,
        key="guess_sd_e", format="%.4g", **BOUND,
    )  # fmt: skip
    usual = USUAL["synthetic"]
    low, high = (
        columns[place].number_input(
            plain(f"{y.name} at {x.name} = {format_amount(end)}"), value=float(y.from_unit(height)),
            step=0.01 * y.scale, key=key, format="%.4g", help="Pre-filled from the public bounds.", **BOUND,
        )
        for place, key, end, height in (
            (2, "guess_low", x.lower, usual["intercept"]),
            (3, "guess_high", x.upper, usual["intercept"] + usual["slope"]),
        )
    )  # fmt: skip
    if not spread_x or not spread_y:
        st.info(plain(_missing(x, y)))
        st.stop()
    start, end = (float(y.to_unit(height)) for height in (low, high))
    return {
        "var_x": max((spread_x / x.scale) ** 2, LEAST), "var_e": max((spread_y / y.scale) ** 2, LEAST),
        "slope": end - start, "intercept": start,
    }  # fmt: skip


def _missing(x: Axis, y: Axis) -> str:
    return (
        f"Type a public guess of both standard deviations, from a survey or from earlier data, say. The bounds of "
        f"{x.name} and {y.name} do not tell how spread out the records are."
    )


def _guessed(view: View, guessed: dict[str, float]) -> Scenario:
    """The view's scenario with data simulated by the guesses in place of its own."""
    return view.scenario.model_copy(update={"source": Synthetic(n=view.data.n, **guessed)})


def from_data(view: View) -> dict[str, float]:
    """The four guesses as the data have them; the usual ones where these cannot be told."""
    data = view.data
    if not np.isfinite(data.slope) or not np.isfinite(data.residual_sd):
        return {name: float(USUAL["synthetic"][name]) for name in ("var_x", "var_e", "slope", "intercept")}
    var_x, var_e = max(data.var_x, LEAST), max(data.residual_sd**2, LEAST)
    guessed = {"var_x": var_x, "var_e": var_e, "slope": data.slope, "intercept": data.intercept}
    return {name: float(f"{value:.4g}") for name, value in guessed.items()}
