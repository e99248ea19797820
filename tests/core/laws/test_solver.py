"""Laws measured together have the numbers that each has alone, whether they can share their work or not."""

import numpy as np
import pytest

from dpslr_core.laws import Laplace, StudentT
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.mixture import Mixture
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.laws.solver import increasing_root
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian
from tests.cases.inputs import DATASETS

DATA, OTHER = DATASETS["larger"], DATASETS["even n"]
RNG = np.random.default_rng(6)
TOGETHER = {
    "one noisy slope": NoisyStats().law(DATA, 9.0, (0.2, 0.7)),
    "two noisy slopes": (NoisyStats().law(DATA, 9.0, (0.2,)) + NoisyStats().law(OTHER, 9.0, (0.7,))),
    "two kinds of noise": (NoisyStats().law(DATA, 9.0, (0.2,)) + NoisyStatsGaussian().law(OTHER, 9.0, (0.7,))),
    "mixtures": tuple(
        Mixture(both, np.array([0.3, 0.7]))
        for both in zip(
            NoisyStats().law(DATA, 8.0, (0.2, 0.7)), DPExpTheilSen().law(DATA, 8.0, (0.2, 0.7)), strict=True
        )
    ),
    "several classes": (Laplace(0.3, 0.1), StudentT(0.4, 0.02, 3.0), *NoisyStats().law(DATA, 9.0, (0.2,))),
    "no search": DPExpTheilSen().law(DATA, 9.0, (0.2, 0.7)),
    "constant pieces": [PiecewiseUniform(np.sort(RNG.random(9)), 4 * RNG.normal(size=8)) for _ in range(40)],
    "Student-t": [StudentT(*RNG.random(2), df) for df in (0.5, 1.0, 3.0, 3.0, 30.0, 2e7)],
}
QS = (0, 30, 68, 95, 100)


@pytest.mark.parametrize("case", TOGETHER)
def test_laws_together_have_the_numbers_of_each_alone(case):
    laws = TOGETHER[case]
    assert measure_together([], QS, []) == []
    centers = np.array([0.1, 0.5, 0.9, np.nan, np.inf, -4.0, *1.5 * RNG.random(40)])[: len(laws)]
    for law, center, (row, median) in zip(laws, centers, measure_together(laws, QS, centers), strict=True):
        np.testing.assert_array_equal(row, law.error_bounds(QS, center))
        assert median == law.median
        finite = np.isfinite(row)
        held = law.cdf(center + row[finite]) - law.cdf(center - row[finite])
        np.testing.assert_allclose(held[1:], np.array(QS)[finite][1:] / 100, rtol=1e-8)


def test_roots_behind_cliffs_and_on_plains():
    """Begun on a cliff above 1, where a tiny step proves nothing, with the root far off on the plain below it."""
    shift = np.array([0.5, -0.3, 0.999999])

    def excess(x, which):
        steep = x > 1
        value = np.where(steep, 1e-9 + 1e15 * (x - 1), 1e-9 * x) - 1e-9 * shift[which]
        return 1e9 * value, 1e9 * np.where(steep, 1e15, 1e-9)

    roots = increasing_root(excess, np.full(3, 1 + 1e-12), np.full(3, -500.0), np.full(3, 500.0))
    np.testing.assert_allclose(roots, shift, rtol=1e-9)


def test_a_jump_is_found_where_steps_are_of_no_use():
    def excess(x, which):
        return np.where(x < np.array([1.0, -3.0])[which], -1.0, 1.0), np.zeros(x.size)

    roots = increasing_root(excess, np.zeros(2), np.full(2, -500.0), np.full(2, 500.0))
    np.testing.assert_allclose(roots, [1, -3], rtol=1e-11)
