"""Claims of the appendix: failures by the law and by draws, sensitivities by a random search."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.mechanisms import NoisyStats
from dpslr_core.paper.claims import measured
from dpslr_core.paper.claims.appendix import failures, tracts


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_the_failure_rate_is_that_of_the_law(epsilon):
    data = measured.line(39, 0.001, 0.01)
    assert failures.failure(data.nvar, data.n, epsilon) == pytest.approx(NoisyStats().law(data, epsilon)[0].failure)


def test_no_random_neighbours_change_the_sums_by_more():
    rng, worst = np.random.default_rng(0), np.zeros(2)
    for _ in range(5_000):
        x, y = rng.integers(0, 2, (2, 5)).astype(float)
        x[0], y[0] = rng.random(2)
        changed = x.copy(), y.copy()
        changed[0][0], changed[1][0] = rng.integers(0, 2, 2)
        one, other = Dataset(x, y), Dataset(*changed)
        worst = np.maximum(worst, [abs(one.nvar - other.nvar), abs(one.ncov - other.ncov)])
    allowed = np.array(tracts.largest_changes())
    assert (worst <= allowed + 1e-12).all() and (worst > 0.9 * allowed).all()


def test_incomes_drawn_with_the_printed_parameters_have_the_mean():
    mean, variance = tracts.lognormal_moments()
    assert (mean, variance) == pytest.approx((1, 1))


def test_the_printed_epsilon_is_undefined_for_a_large_delta():
    assert np.isnan(tracts.printed_epsilon(0.01, 0.5))
    assert tracts.printed_epsilon(0.5, 1e-6) == pytest.approx(5.799, abs=1e-3)
