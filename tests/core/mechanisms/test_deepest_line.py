"""DeepestLine: its law is that of all cells, also where few are looked at; its errors; its budget buys a whole line."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.audit import audit
from dpslr_core.laws.cells import RowLaw
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import DeepestLine, DeepestLineZCDP
from tests.cases.audit import neighbours
from tests.cases.inputs import DATASETS, PLAIN, simulated
from tests.reference import depth as depth_reference
from tests.reference.privacy import rho_of_pair


def weight(cls, epsilon):
    return epsilon / 4 if cls is DeepestLine else np.sqrt(8 * epsilon**2 / 2) / 4


@pytest.mark.parametrize("cls", [DeepestLine, DeepestLineZCDP])
@pytest.mark.parametrize("name", DATASETS)
def test_law_is_that_of_the_definition(name, cls):
    data, points = DATASETS[name], (0.25, 0.75, 0.4, 0.0, -3.0, 0.25 + 1e-12)
    places = np.linspace(-0.55, 1.55, 40)
    for c in (0.0, 0.1):
        scores = depth_reference.scores(data.x, data.y, c, 8, -0.5, 1.5)
        for epsilon in (0.01, 2.0, 60.0):
            probabilities = depth_reference.chances(scores, weight(cls, epsilon))
            laws = cls(c=c, grid=8).law(data, epsilon, points)
            for point, law in zip(points, laws, strict=True):
                expected = [
                    depth_reference.prediction_cdf(t, probabilities, -0.5, 1.5, point)
                    for t in places.tolist()
                ]
                np.testing.assert_allclose(law.cdf(places), expected, rtol=0, atol=1e-9)
                chance = cls(c=c, grid=8).chance_within(data, [point], places[9], places[30])(
                    epsilon
                )
                assert chance.inside == pytest.approx(expected[30] - expected[9], abs=1e-9)


@pytest.mark.parametrize("n", [3, 30, 401])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_law_on_a_fine_grid_is_that_of_all_cells(n, c):
    """The blocks that are not looked into hold less than 2e-7 of all mass."""
    data = simulated(n, seed=n)
    scores = depth_reference.float_scores(data.x, data.y, c, 60, -0.5, 1.5)
    for epsilon in (1.0 / n, 60.0 / n, 2000.0 / n):
        probabilities = depth_reference.chances(scores, epsilon / 4)
        for axis, law in enumerate(DeepestLine(c=c, grid=60).law(data, epsilon)):
            assert isinstance(law, PiecewiseUniform | RowLaw) and law.exact and law.cdf_error < 2e-7
            expected = np.append(0, np.cumsum(probabilities.sum(axis=1 - axis)))
            np.testing.assert_allclose(law.cdf(law.edges), expected, rtol=0, atol=2e-7)


def test_the_hyperparameters_are_kept_apart_in_the_cache():
    data = Dataset(PLAIN.x, PLAIN.y)
    medians = [DeepestLine(c=c, grid=20).law(data, 2.0)[0].median for c in (0.0, 0.5, 0.0)]
    assert medians[0] == medians[2] != medians[1]


@pytest.mark.parametrize("c", [0.0, 0.1])
def test_losses_are_those_of_the_chances_of_all_cells(c):
    """Pure: the largest |log p - log p'| over the cells. zCDP: no Rényi divergence of order a is above a rho."""
    for seed in range(6):
        data, neighbour = neighbours(seed, n=5)
        tables = [
            depth_reference.scores(each.x, each.y, c, 6, -0.5, 1.5) for each in (data, neighbour)
        ]
        p, q = (depth_reference.chances(table, 3.0 / 4) for table in tables)
        loss = audit(DeepestLine(c=c, grid=6), data, neighbour, 3.0)
        assert loss.measured == pytest.approx(np.abs(np.log(p / q)).max(), abs=1e-9) and loss.holds
        p, q = (depth_reference.chances(table, 3.0 / 2) for table in tables)
        loss = audit(DeepestLineZCDP(c=c, grid=6), data, neighbour, 3.0)
        rho = rho_of_pair(p.ravel(), q.ravel())
        assert rho <= loss.measured * (1 + 1e-9) <= 4.5 * (1 + 1e-9)
