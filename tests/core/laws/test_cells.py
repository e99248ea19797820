"""The law of one prediction of a line from a random cell, compared with a loop over all cells."""

import numpy as np
import pytest

from dpslr_core.laws.cells import CellLaw, prediction_law
from dpslr_core.laws.piecewise import PiecewiseUniform
from tests.reference import depth as depth_reference

RNG = np.random.default_rng(4)
SIDE = 6
EDGES = np.linspace(-0.5, 1.5, SIDE + 1)
TABLES = {
    "anything": RNG.normal(0, 2, (SIDE, SIDE)),
    "one cell": np.where(np.arange(36).reshape(6, 6) == 15, 0.0, -1e4),
    "a ridge": -300.0 * np.abs(np.add.outer(np.arange(SIDE), -np.arange(SIDE))),
}


POINTS = (0.25, 0.75, 0.5, 0.0, 1.0, 0.31, 0.7499999, 0.25 + 1e-12, -3.0, 40.0)


@pytest.mark.parametrize("name", TABLES)
def test_cdf_is_the_sum_over_all_cells(name):
    chances = np.exp(TABLES[name] - TABLES[name].max())
    chances /= chances.sum()
    for point in POINTS:
        law = prediction_law(EDGES, TABLES[name], point)
        assert isinstance(law, PiecewiseUniform if point in (0.25, 0.75) else CellLaw)
        low, high = law.ppf([0.0, 1.0])
        places = np.concatenate([np.linspace(low - 0.1, high + 0.1, 20), law.ppf(np.linspace(0.01, 0.99, 10))])
        expected = [depth_reference.prediction_cdf(t, chances, -0.5, 1.5, point) for t in places.tolist()]
        slack = 1e-9 if abs(point - 0.25) < 1e-9 else 1e-12
        np.testing.assert_allclose(law.cdf(places), expected, rtol=0, atol=slack, err_msg=str(point))
