"""Simulated tracts against the laws that the appendix states, and the states whose tracts are drawn without a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.dataset import Dataset
from dpslr_core.sources import tracts
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.tracts import (
    ILLINOIS,
    NORTH_CAROLINA,
    draw_tracts,
    simulate_tracts,
    true_lines,
)
from tests.cases.tables import check_refused

MU = np.array([24e3, 41e3, 60e3, 88e3, 120e3, 230e3])


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def lines(frame: pd.DataFrame) -> pd.DataFrame:
    """n, n var(x), the OLS slope and prediction at 0.25, and the residual sd of every tract."""
    columns = ["n", "nvar", "slope", "low", "sd"]
    rows = []
    for _, group in frame.groupby("group", sort=False):
        data = Dataset(group["x"].to_numpy(), group["y"].to_numpy())
        rows.append((data.n, data.nvar, data.slope, data.predict([0.25])[0], data.residual_sd))
    return pd.DataFrame(rows, columns=columns)


def test_parent_income_has_the_stated_mean_and_variance():
    mean, variance = tracts._log_income(MU)
    np.testing.assert_allclose(np.exp(mean + variance / 2), MU, rtol=1e-12)
    np.testing.assert_allclose(
        np.expm1(variance) * np.exp(2 * mean + variance), 4 * MU.var(ddof=1), rtol=1e-12
    )


@pytest.mark.parametrize("state", [ILLINOIS, NORTH_CAROLINA])
def test_the_true_lines_are_those_of_very_many_people(state):
    table = draw_tracts(8, rng(1), 0.4, state).assign(
        size=np.array([30, 50, 100, 40, 200, 30, 80, 60])
    )
    people = lines(simulate_tracts(table.assign(size=1000 * table["size"]), rng=rng()))
    true = true_lines(table)
    low = (true["intercept"] + 0.25 * true["slope"]).to_numpy()
    error = people["sd"].to_numpy() * np.sqrt(1 / people["n"] + 1 / people["nvar"])
    assert np.abs((people["low"] - low) / error).max() < 3
    assert np.abs((people["slope"] - true["slope"].to_numpy()) / error).max() < 3
    assert np.ptp(low) > 10 * error.max()


def test_ranks_are_rounded_up_and_equal_values_share_the_lowest():
    np.testing.assert_array_equal(
        tracts._percentile_rank(np.array([5.0, 5, 1, 9])), [0.5, 0.5, 0.25, 1.0]
    )
    np.testing.assert_array_equal(
        tracts._percentile_rank(np.arange(100.0)), np.arange(1, 101) / 100
    )


def test_the_state_resembles_the_papers():
    tracts = lines(simulate_tracts(rng=rng()))
    assert len(tracts) == 3108
    assert 208_000 < tracts["n"].sum() < 236_000  # the paper: 219,594; here 222,000 with sd 2,900
    assert tracts["n"].min() >= 20 and 300 < tracts["n"].max() < 800
    assert (
        0.6 < (tracts["nvar"] <= 5).mean() < 0.85
    )  # "the majority of tracts having nvar in [0, 5]"
    assert 2.5 < tracts["nvar"].median() < 3.5
    assert (
        tracts["nvar"].min() < 0.1 and 20 < tracts["nvar"].max() < 45
    )  # the paper: from 0.0245 to 28
    pooled = (tracts["slope"] * tracts["nvar"]).sum() / tracts["nvar"].sum()
    assert 0.22 < pooled < 0.32  # the paper's tract of 381 people has 0.252


# A column, the values in its rows p, q and r, and the sentence.
TABLES = r"""
    "mu" | [3e4, -1, 5e4] | mu must be a number above 1e-06 and below 1e\+12, got -1.0
    "mu" | [3e4, 4e4, NaN] | mu must be a number .* got nan
    "mu" | ["much", 4e4, 5e4] | mu must be a number .* got 'much'
    "mu" | [4e4, 4e4, 4e4] | mu must differ between tracts, got 40000 in every row
    "size" | [20, 2, 20] | size must be a whole number above 2 and below 1e\+07, got 2
    "size" | [20, 20, 20.5] | size must be a whole number .* got 20.5
    "group" | ["a", "b", "a"] | group must be a different name
    "group" | ["a", null, "c"] | group must be a different name
    "group" | ["a", "b", " "] | group must be a different name
"""
WHOLE_TABLES = r"""
    {"mu": [1, 2]} | missing \['alpha', 'beta'\]
    {"mu": [1, 2], "child_rank": [0.4, 0.5]} | missing \['alpha', 'beta'\]
    {"mu": [1, 2], "alpha": [0, Infinity], "beta": 0} | alpha must be .* inf
    {"mu": [1, 2], "alpha": 0, "beta": ["", 1]} | beta must be .* got ''
    {"mu": [1], "alpha": 0, "beta": 1} | table must have at least 2 rows, got 1
"""
ARGUMENTS = """
    {"table": [1, 2]} | table must be a pandas DataFrame or None, got list
    {"tracts": 1} | tracts must be a whole number, 2 or more, got 1
    {"tracts": 3.0} | tracts must be a whole number
    {"elasticity": NaN} | elasticity
    {"rng": 7} | rng must be a numpy.random.Generator
"""


def test_refused_tables_are_named_by_column():
    usual = pd.DataFrame({"mu": [3e4, 4e4, 5e4], "alpha": 0.0, "beta": 1.0}, ["p", "q", "r"])
    check_refused(
        lambda column, values: simulate_tracts(usual.assign(**{column: values}), rng=rng()), TABLES
    )
    check_refused(lambda columns: simulate_tracts(pd.DataFrame(columns), rng=rng()), WHOLE_TABLES)


def test_refused_arguments_are_named():
    check_refused(lambda arguments: simulate_tracts(**{"rng": rng()} | arguments), ARGUMENTS)


def test_a_state_is_chosen_by_name():
    chosen = SimulatedState(
        state="North Carolina", tracts=60, elasticity=NORTH_CAROLINA.beta
    ).load()
    expected = simulate_tracts(tracts=60, state=NORTH_CAROLINA, rng=rng(0))
    pd.testing.assert_frame_equal(chosen.frame, expected)
    assert "North Carolina's" in chosen.about and chosen.digest.startswith("dc66139616a8c362")
    with pytest.raises(ValueError, match="state must be one of"):
        SimulatedState(state="Ohio")
