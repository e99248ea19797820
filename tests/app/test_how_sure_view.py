"""The view "How sure" of the Compare page: its numbers are the core's, and what holds too rarely is said there."""

from __future__ import annotations

import numpy as np

from dpslr_core.experiments.released_intervals import one_release, simulated_intervals
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from tests.cases.opened import seen, words

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
