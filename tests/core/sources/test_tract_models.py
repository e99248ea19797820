"""State models: their constants are what a fit of the public figures gives, and tracts drawn from them have them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.tracts import ILLINOIS, NORTH_CAROLINA, draw_tracts, fit_tracts, simulate_tracts

FOLDERS = (os.environ.get("DPSLR_DATA"), Path(__file__).resolve().parents[3] / "shared" / "data")
ATLAS = "atlas_tracts_il_nc.csv"
CODES = {ILLINOIS: 17, NORTH_CAROLINA: 37}
STATES = pytest.mark.parametrize("state", CODES, ids=lambda state: state.name)


@pytest.fixture(scope="module")
def atlas() -> pd.DataFrame:
    """The public figures of both states; skips where this machine has none."""
    for folder in FOLDERS:
        if folder and (path := Path(folder) / ATLAS).is_file():
            return pd.read_csv(path)
    pytest.skip(f"{ATLAS} is neither in $DPSLR_DATA nor in {FOLDERS[1]}")


def constants(table: pd.DataFrame, center: float) -> list[float]:
    """Mean and sd of ln(mu) less the center, then the line of alpha on it, the sd about that line, and beta."""
    deviation = np.log(table["mu"]) - center
    line = stats.linregress(deviation, table["alpha"])
    residual = table["alpha"] - line.intercept - line.slope * deviation
    return [deviation.mean(), deviation.std(), line.intercept, line.slope, residual.std(), table["beta"].iloc[0]]


@STATES
def test_the_constants_are_those_of_the_fitted_public_figures(atlas, state):
    tracts = atlas[atlas["state"] == CODES[state]]
    assert len(tracts) == state.tracts
    possible = tracts[tracts["kir_pooled_p25"].between(0, 100, inclusive="neither")]
    assert len(tracts) - len(possible) <= 1
    table = pd.DataFrame({"mu": possible["hhinc_mean2000"], "child_rank": possible["kir_pooled_p25"] / 100})
    stated = [0.0, state.log_mu_sd, state.alpha_mean, state.alpha_slope, state.alpha_sd, state.beta]
    np.testing.assert_allclose(constants(fit_tracts(table), state.log_mu_mean), stated, atol=6e-5)


@STATES
def test_drawn_tracts_have_the_constants_of_their_state(state):
    drawn = draw_tracts(200_000, np.random.default_rng(7), state=state)
    stated = [0.0, state.log_mu_sd, state.alpha_mean, state.alpha_slope, state.alpha_sd, state.beta]
    np.testing.assert_allclose(constants(drawn, state.log_mu_mean), stated, atol=5e-3)


def test_north_carolina_has_fewer_tracts_and_steeper_lines_than_illinois():
    people = {state: simulate_tracts(state=state, rng=np.random.default_rng(7)) for state in CODES}
    assert {state.name: frame["group"].nunique() for state, frame in people.items()} == {
        "Illinois": 3108, "North Carolina": 2156,
    }  # fmt: skip
    slopes = {state.name: stats.linregress(frame["x"], frame["y"]).slope for state, frame in people.items()}
    assert 0 < slopes["Illinois"] < slopes["North Carolina"] < 1


def test_a_state_is_chosen_by_name_and_illinois_is_as_before():
    chosen = SimulatedState(state="North Carolina", tracts=60, elasticity=NORTH_CAROLINA.beta).load()
    expected = simulate_tracts(
        tracts=60, elasticity=NORTH_CAROLINA.beta, state=NORTH_CAROLINA, rng=np.random.default_rng(0)
    )
    pd.testing.assert_frame_equal(chosen.frame, expected)
    assert chosen.name == "A simulated state like North Carolina" and "North Carolina's" in chosen.about
    assert SimulatedState().load().name == "A simulated state" and "Illinois'," in SimulatedState().load().about
    with pytest.raises(ValueError, match="state must be one of"):
        SimulatedState(state="Ohio")
