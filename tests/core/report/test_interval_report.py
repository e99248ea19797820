"""The table of intervals in a report: the core's widths in the units of the data, beside OLS."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.experiments import compare
from dpslr_core.experiments.released_intervals import ols_interval, one_release
from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    DPExpTheilSen,
    Mechanism,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.report.content import report_on
from dpslr_core.report.document import Report
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.text.data import View
from tests.cases.readable import check_readable

POUNDS = Axis("wage", "£", 0, 50)


def made(
    mechanisms: tuple[Mechanism, ...], epsilon: float = 8.0, spread: float = 0.05
) -> tuple[View, Report]:
    rng = np.random.default_rng(5)
    x = rng.random(150)
    y = np.clip(0.3 + 0.3 * x + spread * rng.standard_normal(150), 0, 1)
    grouped = GroupedData(
        "wages", "", Axis("x"), POUNDS, pd.DataFrame({"group": "all", "x": x, "y": y})
    )
    scenario = Scenario(mechanisms=mechanisms, epsilon=epsilon, trials=20, seed=3)
    view = View(scenario, grouped, "all", grouped.dataset(), grouped.x, grouped.y)
    comparison = compare(view.data, scenario.compared, epsilon, scenario.at, 20, 3)
    return view, report_on(view, comparison, 0.75, "/compare")


def test_widths_are_the_cores_in_the_units_of_the_data_beside_ols():
    view, report = made((OLS(), NoisyIntercept(), NoisyStats(), CenteredStats(), DPExpTheilSen()))
    (table,) = report.more
    assert table.columns[1] == "median width, £"
    assert [row[0] for row in table.rows] == [
        "CenteredStats",
        "NoisyStats",
        "NoisyIntercept",
        "OLS",
    ]
    low, high = ols_interval(view.data, [0.75])
    for mechanism, row in zip(
        (CenteredStats(), NoisyStats(), NoisyIntercept()), table.rows, strict=False
    ):
        width = one_release(view.data, mechanism, Budget(8.0), 3, 0)["width"].iloc[1]
        assert float(row[1]) == pytest.approx(50 * width, rel=6e-3)
        assert float(row[2]) == pytest.approx(width / (high - low)[0], rel=6e-3)
    assert float(table.rows[-1][1]) == pytest.approx(50 * (high - low)[0], rel=6e-3)
    assert table.rows[-1][-1] == "not private" and table.rows[0][-1] == "ε = 8"


def test_its_sentence_names_the_narrowest_and_warns_of_a_flat_line():
    (table,) = made((NoisyIntercept(), CenteredStats()))[1].more
    assert "the narrowest 95% interval is that of CenteredStats" in table.sentence
    assert table.sentence.endswith(NoisyIntercept.interval_remark)
    check_readable(table.sentence)


def test_an_algorithm_whose_intervals_mostly_lack_an_end_has_no_row():
    (table,) = made((NoisyStats(),), epsilon=0.01)[1].more
    assert [row[0] for row in table.rows] == ["OLS"]
    assert "Most intervals of NoisyStats lack an end." in table.sentence


def test_there_is_no_table_without_intervals_or_without_sampling_error():
    assert made((DPExpTheilSen(),))[1].more == ()
    assert made((CenteredStats(),), spread=0.0)[1].more == ()
