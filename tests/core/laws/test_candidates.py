"""Chances of permute-and-flip and of the exponential mechanism, and the law of what is chosen."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad

from dpslr_core.laws.candidates import CandidateLaw, exponential_choice, permute_and_flip

SCORES = {
    "all different": np.arange(12.0),
    "all equal": np.zeros(5),
    "one best of many": np.repeat([0.0, 3.0, 4.0], [1, 100, 1000]),
    "far apart": np.array([7.0, 407.0]),
}


def test_permute_and_flip_has_the_chances_of_its_integral():
    """P(i) = integral over z > 0 of exp(-(z - q_i)) prod over the others of 1 - exp(-(z - q_k)), by another rule."""
    for (name, scores), weight in product(SCORES.items(), [0.01, 0.5, 3.0]):
        q, chances = -weight * (scores - scores.min()), permute_and_flip(scores, weight)
        assert chances.sum() == pytest.approx(1, abs=1e-12)
        assert exponential_choice(scores, weight) == pytest.approx(
            np.exp(q) / np.exp(q).sum(), abs=1e-12
        )
        for i in np.unique(scores, return_index=True)[1]:
            others = np.delete(q, i)

            def density(z, i=i, q=q, others=others):
                return np.exp(q[i] - z + np.log1p(-np.exp(others - z)).sum())

            expected = (
                quad(density, 1e-12, 12, limit=200, epsabs=1e-12)[0]
                + quad(density, 12, 60, epsabs=1e-12)[0]
            )
            assert chances[i] == pytest.approx(expected, abs=1e-9), (name, weight)


def test_the_law_of_candidates_has_their_chances():
    law = CandidateLaw.of([3.0, 1.0, 2.0, 1.0], np.array([0.4, 0.1, 0.3, 0.2]))
    assert law.values.tolist() == [1, 2, 3] and law.ends == (1, 3)
    assert law.cdf([0.9, 1.0, 2.5, 3.0]) == pytest.approx([0, 0.3, 0.6, 1])
    assert np.exp(law.logpdf([1.0, 1.5])) == pytest.approx([0.3, 0])
    assert [law.error_bound(q, 2.0) for q in (30, 31, 100)] == pytest.approx([0, 1, 1])
