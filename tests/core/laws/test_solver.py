"""Laws measured together have the numbers that each has alone, whether they can share their work or not."""

import numpy as np
import pytest

from dpslr_core.laws import Laplace, StudentT
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.mixture import Mixture
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian
from tests.cases.inputs import DATASETS

DATA, OTHER = DATASETS["larger"], DATASETS["even n"]
RNG = np.random.default_rng(6)
TOGETHER = {
    "two kinds of noise": (
        NoisyStats().law(DATA, 9.0, (0.2,)) + NoisyStatsGaussian().law(OTHER, 9.0, (0.7,))
    ),
    "mixtures": tuple(
        Mixture(both, np.array([0.3, 0.7]))
        for both in zip(
            NoisyStats().law(DATA, 8.0, (0.2, 0.7)),
            DPExpTheilSen().law(DATA, 8.0, (0.2, 0.7)),
            strict=True,
        )
    ),
    "several classes": (
        Laplace(0.3, 0.1),
        StudentT(0.4, 0.02, 3.0),
        *NoisyStats().law(DATA, 9.0, (0.2,)),
    ),
    "constant pieces": [
        PiecewiseUniform(np.sort(RNG.random(9)), 4 * RNG.normal(size=8)) for _ in range(40)
    ],
    "Student-t": [StudentT(*RNG.random(2), df) for df in (0.5, 1.0, 3.0, 3.0, 30.0, 2e7)],
}
QS = (0, 30, 68, 95, 100)


@pytest.mark.parametrize("case", TOGETHER)
def test_laws_together_have_the_numbers_of_each_alone(case):
    laws = TOGETHER[case]
    assert measure_together([], QS, []) == []
    centers = np.array([0.1, 0.5, 0.9, np.nan, np.inf, -4.0, *1.5 * RNG.random(40)])[: len(laws)]
    for law, center, (row, median) in zip(
        laws, centers, measure_together(laws, QS, centers), strict=True
    ):
        np.testing.assert_array_equal(row, law.error_bounds(QS, center))
        assert median == law.median
        finite = np.isfinite(row)
        held = law.cdf(center + row[finite]) - law.cdf(center - row[finite])
        np.testing.assert_allclose(held[1:], np.array(QS)[finite][1:] / 100, rtol=1e-8)
