"""Distances that hold shares of many laws, against the search in each law alone."""

import numpy as np
import pytest

from dpslr_core.laws.base import measured_one_by_one
from dpslr_core.laws.many.distances import smallest_distances
from dpslr_core.laws.named import StudentT
from dpslr_core.laws.piecewise import PiecewiseUniform

RNG = np.random.default_rng(6)
QS = (0, 30, 68, 95, 100)
MANY = {
    "constant pieces": [PiecewiseUniform(np.sort(RNG.random(9)), 4 * RNG.normal(size=8)) for _ in range(40)],
    "Student-t": [StudentT(*RNG.random(2), df) for df in (0.5, 1.0, 3.0, 3.0, 30.0, 2e7)],
}


@pytest.mark.parametrize("case", MANY)
def test_distances_in_many_laws_are_those_in_each(case):
    laws = MANY[case]
    centers = RNG.random(len(laws)) * 1.5
    centers[:3] = np.nan, np.inf, -4.0
    bounds, medians = laws[0].measured(laws, QS, centers)
    alone, middles = measured_one_by_one(laws, QS, centers)
    np.testing.assert_array_equal(bounds, alone)
    np.testing.assert_array_equal(medians, middles)
    for law, center, row in zip(laws[2:], centers[2:], bounds[2:], strict=True):
        finite = np.isfinite(row)
        held = law.cdf(center + row[finite]) - law.cdf(center - row[finite])
        np.testing.assert_allclose(held[1:], np.array(QS)[finite][1:] / 100, rtol=1e-9)


def test_a_jump_and_a_gap_are_found():
    """Mass 1/2 at a distance of 1, nothing up to 2, the rest at 3: where Newton's steps are of no use."""

    def mass_and_rate(c, which):
        return np.where(c < 1, 0.0, np.where(c < 3, 0.5, 1.0)), np.zeros(c.size)

    shares = np.array([0.2, 0.5, 0.7, 1.0])
    np.testing.assert_allclose(smallest_distances(shares, np.full(4, 8.0), mass_and_rate), [1, 1, 3, 3], rtol=1e-11)
