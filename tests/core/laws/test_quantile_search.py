"""Laws measured together have the numbers that each has alone, whether they can share their work or not."""

import numpy as np
import pytest
from cases import DATASETS

from dpslr_core.laws import Laplace, StudentT, quantile_search
from dpslr_core.laws.mixture import Mixture
from dpslr_core.laws.quantile_search import measure_together
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian

DATA, OTHER = DATASETS["larger"], DATASETS["even n"]
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
}


@pytest.mark.parametrize("case", TOGETHER)
def test_laws_together_have_the_numbers_of_each_alone(case):
    laws = TOGETHER[case]
    centers = [0.1, 0.5, 0.9][: len(laws)]
    for law, center, (bounds, median) in zip(laws, centers, measure_together(laws, (50, 68, 95), centers), strict=True):
        np.testing.assert_array_equal(bounds, law.error_bounds((50, 68, 95), center))
        assert median == law.median


def test_laws_of_one_kind_are_solved_for_jointly(monkeypatch):
    searches = []
    plain = quantile_search._solve
    monkeypatch.setattr(quantile_search, "_solve", lambda *given: searches.append(len(given[0])) or plain(*given))
    measure_together(TOGETHER["one noisy slope"], (68,), [0.1, 0.5])
    measure_together(TOGETHER["two noisy slopes"], (68,), [0.1, 0.5])
    measure_together(TOGETHER["two kinds of noise"], (68,), [0.1, 0.5])
    assert searches == [2, 2, 1, 1]


def test_no_laws_have_no_numbers():
    assert measure_together([], (68,), []) == []
