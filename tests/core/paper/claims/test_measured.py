"""What claims share: the errors of an area and of one data set are those that compare gives."""

import numpy as np
import pytest

from dpslr_core import Dataset, compare, simulate_linear
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats
from dpslr_core.paper.claims import measured
from dpslr_core.sources import uci


def test_errors_of_areas_are_in_one_row_each_beside_their_standard_error():
    rng = np.random.default_rng(3)
    datasets = {name: Dataset(*simulate_linear(30, 0.03, 0.01, rng=rng)) for name in ("a", "b")}
    errors = measured._by_algorithm(datasets, (NoisyStats(), DPExpTheilSen()), 16.0)
    for name, data in datasets.items():
        expected = compare(data, [NoisyStats(), DPExpTheilSen()], 16.0).summary.query("at == 0.25")
        assert errors.loc[name, ["NoisyStats", "DPExpTheilSen"]].tolist() == pytest.approx(expected["c68"].tolist())
        assert errors.loc[name, "standard_error"] == pytest.approx(data.standard_error(0.25)[0])


def test_a_ratio_is_that_of_a_comparison():
    data = measured.line(60, 0.03, 0.01)
    expected = compare(data, [DPExpTheilSen()], 2.0).summary["ratio"].iloc[0]
    assert measured.ratio(data, DPExpTheilSen(), 2.0) == pytest.approx(expected)


def test_the_simulated_state_is_as_large_as_illinois():
    sizes, nvars = measured.sizes_and_nvars()
    assert sizes.size == nvars.size == 3108 and sizes.min() >= 20


def test_a_data_set_that_cannot_be_had_is_asked_for_once(monkeypatch):
    asked = []

    def unavailable(key):
        asked.append(key)
        raise uci.DataUnavailable("there is no network")

    monkeypatch.setattr(measured, "load_uci", unavailable)
    measured._tried.cache_clear()
    for _ in range(2):
        with pytest.raises(uci.DataUnavailable):
            measured._uci("bikes")
    assert asked == ["bikes"]
    measured._tried.cache_clear()
