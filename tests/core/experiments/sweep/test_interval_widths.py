"""Widths of intervals along a sweep: medians of the intervals themselves, beside those of OLS."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.experiments.released_intervals import OLS_NAME, SWEEP_RELEASES, interval_widths, ols_interval
from dpslr_core.experiments.sweep import plan_sweep
from dpslr_core.intervals import confidence_interval
from dpslr_core.mechanisms import OLS, CenteredStats, DPExpTheilSen, NoisyIntercept, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import stream

MODEL, SOME = LinearModel(100, 0.03, 0.01), (OLS(), CenteredStats(), NoisyIntercept(), DPExpTheilSen())


def widths(parameter, values, source=MODEL, datasets=3, mechanisms=SOME):
    plan = plan_sweep(parameter, values, source, Budget(8.0), mechanisms)
    return interval_widths(plan, 4, datasets).set_index(["mechanism", "value"])


def test_they_are_medians_of_the_intervals_of_every_data_set():
    table = widths("epsilon", [4.0, 8.0])
    found = []
    for number in range(3):
        rng = stream(4, "widths", repr(CenteredStats()), number)
        release = CenteredStats().release_statistics(MODEL.replicate(4, number), 8.0, SWEEP_RELEASES, rng=rng)
        found.append(confidence_interval(release, (0.25, 0.75)).width[:, 0])
    assert table.loc[("CenteredStats", 8.0), "width"] == np.median(found)
    assert table.loc[("CenteredStats", 4.0), "width"] > table.loc[("CenteredStats", 8.0), "width"]
    assert set(table.index.get_level_values(0)) == {OLS_NAME, "CenteredStats", "NoisyIntercept"}


def test_that_of_ols_is_its_usual_one_and_narrows_with_records():
    table = widths("n", [50, 200])
    data = [LinearModel(200, 0.03, 0.01).replicate(4, number) for number in range(3)]
    usual = [float(np.diff(ols_interval(each, [0.25]), axis=0)[0, 0]) for each in data]
    assert table.loc[(OLS_NAME, 200), "width"] == pytest.approx(np.median(usual))
    assert table.loc[(OLS_NAME, 50), "width"] > table.loc[(OLS_NAME, 200), "width"]


def test_loaded_data_are_looked_at_once_and_the_point_moves():
    data = MODEL.replicate(0, 0)
    one, many = (widths("x_new", [0.5, 1.0], data, datasets) for datasets in (1, 7))
    assert one.equals(many)
    assert one.loc[("CenteredStats", 1.0), "width"] > one.loc[("CenteredStats", 0.5), "width"]
    assert one.loc[("CenteredStats", 0.5), "two_ends"] == 1.0


def test_where_most_intervals_lack_an_end_the_width_is_infinite():
    table = widths("epsilon", [0.01, 8.0], mechanisms=(NoisyStats(),))
    assert np.isinf(table.loc[("NoisyStats", 0.01), "width"]) and table.loc[("NoisyStats", 0.01), "two_ends"] < 0.5


def test_without_an_algorithm_that_offers_intervals_it_says_so():
    with pytest.raises(ValueError, match="offers intervals at no further budget"):
        widths("epsilon", [1.0], Dataset([0, 0.5, 1], [0, 0.4, 1]), mechanisms=(DPExpTheilSen(),))
