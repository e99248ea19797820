"""The view "How sure" of the Compare page: its numbers are the core's, and what holds too rarely is said there."""

from __future__ import annotations

import numpy as np

from dpslr_core.experiments.coverage import load
from dpslr_core.experiments.released_intervals import one_release, simulated_intervals, slope_release
from dpslr_core.intervals import Target
from dpslr_core.mechanisms import CenteredStats, DPExpTheilSen
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.text.intervals import coverage_sentence
from tests.cases.opened import app, seen, words

ALGORITHMS = ["CenteredStats", "NoisyIntercept", "OLS"]


def shown(**query):
    return seen("compare", details="How sure", n="100", epsilon="8", algorithms=ALGORITHMS, **query)


def test_the_numbers_are_those_of_the_core():
    test, data = shown(interval_release="3"), Scenario(n=100).source.load().dataset()
    table = test.dataframe[0].value.set_index("algorithm")
    expected = one_release(data, CenteredStats(), Budget(8.0), seed=0, draw=2).iloc[0]
    row = table.loc["CenteredStats"]
    assert list(table.index) == ["CenteredStats", "NoisyIntercept"]
    np.testing.assert_allclose(row["released"], expected["estimate"])
    np.testing.assert_allclose(row["confidence interval from"], expected["low"])
    np.testing.assert_allclose(row["median width"], expected["width"])
    made = simulated_intervals(data, CenteredStats(), Budget(8.0), 0, 0)
    assert f"{made['held'].sum()} of 100 intervals by CenteredStats hold the line" in words(test)


def test_where_there_is_nothing_to_show_it_says_why():
    for query, text in (
        ({"algorithms": ["OLS", "DPExpTheilSen"]}, "No chosen algorithm offers intervals"),
        ({"var_e": "0"}, "no sampling error"),
    ):
        test = app("compare", **({"details": "How sure", "n": "40", "algorithms": ALGORITHMS} | query))
        assert any(text in info.value for info in test.info), text


def test_an_interval_for_the_slope_says_what_it_costs_and_how_often_it_held():
    test = app("compare", details="How sure", n="100", epsilon="8", algorithms=["CenteredStats", "DPExpTheilSen"])
    data = Scenario(n=100).source.load().dataset()
    row = slope_release(data, DPExpTheilSen(), Budget(8.0), 0, 0).iloc[0]
    table = next(frame.value for frame in test.dataframe if "what the budget pays for" in frame.value)
    assert (table["from"].iloc[0], table["to"].iloc[0]) == (row["low"], row["high"])
    assert table["algorithm"].tolist() == ["DPExpTheilSen", "OLS, not private"]
    assert "costs ε = 8. Of that the lower end ε = 4 and the upper end ε = 4." in words(test)
    assert coverage_sentence(load(), "DPExpTheilSen", "quantiles", target=Target.TRUE_SLOPE) in words(test)
