"""The frames behind the charts."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import compare
from dpslr_core.experiments.curves import cdf_curves, private_lines, quantile_dots
from dpslr_core.mechanisms import MECHANISMS
from tests.cases.inputs import simulated

DATA = simulated(60)


@pytest.fixture(scope="module")
def everything():
    return compare(DATA, [algorithm() for algorithm in MECHANISMS], 2.0, trials=200)


def test_exact_curves_are_the_laws_and_the_others_the_trials(everything):
    curves = cdf_curves(everything, 0.25, (0.0, 0.6))
    for (name, kind), curve in curves.groupby(["mechanism", "kind"]):
        law = everything.laws.get((name, 0.25))
        assert kind == ("trials" if law is None else "exact")
        assert curve["estimate"].is_monotonic_increasing
        assert np.diff(curve["cdf"]).min() >= -1e-14
        assert curve["estimate"].between(0.0, 0.6).all()
        if law is not None:
            np.testing.assert_allclose(curve["cdf"], law.cdf(curve["estimate"].to_numpy()))
    assert set(curves["mechanism"]) == {algorithm().name for algorithm in MECHANISMS}


def test_dots_are_quantiles_of_the_law(everything):
    dots = quantile_dots(everything, "DPExpTheilSen", 0.25, count=4)["estimate"]
    assert everything.laws["DPExpTheilSen", 0.25].cdf(dots) == pytest.approx(
        [1 / 8, 3 / 8, 5 / 8, 7 / 8]
    )


def test_private_lines_run_through_the_releases(everything):
    lines = private_lines(everything, first=20, count=5)
    line = lines[(lines["mechanism"] == "DPGDPure") & (lines["trial"] == 22)]
    draws = everything.draws.query("mechanism == 'DPGDPure' and trial == 22").set_index("at")[
        "estimate"
    ]
    for at, estimate in draws.items():
        assert np.interp(at, line["x"], line["y"]) == pytest.approx(estimate)
    assert lines.groupby("mechanism")["trial"].nunique().max() == 5
