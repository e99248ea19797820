"""Widths of intervals by guesses, below the required values of the Guidance page: the core's numbers in units of y."""

from __future__ import annotations

import numpy as np
import pytest
from opened import app, words

from dpslr_core.experiments.released_intervals import POWER_COLUMNS, guessed_widths, power_row, power_settings
from dpslr_core.guidance import recommendation as core_answer
from dpslr_core.guidance import required_values
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import UNIT_Y
from dpslr_core.sources.linear import LinearModel
from dpslr_core.text.intervals import guessed_width_sentence, power_sentence
from ui.guidance import widths_in_units


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(required_values, "DATASETS_OF_OTHERS", 3)  # more data sets are a matter of time alone
    monkeypatch.setattr(core_answer, "RECORDS", 12 * 50)
    monkeypatch.setattr(core_answer, "RACING", 4 * 50)


def shown(algorithms):
    return app("guidance", n="50", epsilon="8", guidance="Required ε or n", algorithms=algorithms)


def test_the_table_holds_the_widths_of_the_core_and_of_ols():
    test = shown(["CenteredStats", "NoisyStats"])
    model = LinearModel(50, 0.03, 0.01)
    widths = guessed_widths(model, CenteredStats(), Budget(8.0), 0, 0)
    table = next(frame.value for frame in test.dataframe if "n = 100" in frame.value).set_index("ε")
    assert list(table.columns) == ["n = 25", "n = 50", "n = 100", "n = 200"]
    assert list(table.index) == ["4", "8", "16", "32", "OLS, not private"]
    rows = widths.set_index(["n", "epsilon"])
    assert table.loc["16", "n = 200"] == rows.loc[(200, 16.0), "width"]
    assert table.loc["OLS, not private", "n = 25"] == rows["ols"].loc[25].iloc[0]
    assert guessed_width_sentence(widths, 50, 8.0, "CenteredStats", UNIT_Y) in words(test)


def test_without_centred_sums_there_is_no_such_table():
    assert "How sure at" not in words(shown(["NoisyStats", "NoisyIntercept"]))


def test_a_width_without_end_is_no_number():
    widths = guessed_widths(LinearModel(50, 0.03, 0.01), CenteredStats(), Budget(0.01), 0, 0)
    table = widths_in_units(widths, 2.0).set_index("ε")
    assert np.isinf(widths["width"]).any() and not np.isinf(table.to_numpy()).any()
    assert table.loc["OLS, not private", "n = 50"] == 2 * widths.set_index("n")["ols"].loc[50].iloc[0]


def test_the_power_of_the_slope_test_is_shown_for_a_slope_that_can_be_typed():
    test = app("guidance", n="50", epsilon="8", guidance="Required ε or n", algorithms=["CenteredStats"],
               power_slope="0.25")  # fmt: skip
    budget, expected = Budget(8.0), []
    for model, richer, datasets in power_settings(LinearModel(50, 0.03, 0.01), budget, 0.25):
        expected.append(power_row(model, richer, CenteredStats(), datasets, 0))
    table = next(frame.value for frame in test.dataframe if "power" in frame.value)
    np.testing.assert_array_equal(table[POWER_COLUMNS].to_numpy(), np.array(expected))
    assert power_sentence(table, 50, 8.0, "CenteredStats", "0.25") in words(test)
    assert "power_slope=0.25" in test.code[0].value
