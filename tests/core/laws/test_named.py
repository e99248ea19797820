"""The laws with a name: their formulas, and the same laws in scipy."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core.laws import Gaussian, Laplace, StudentT

SHARES = np.array([1e-3, 0.05, 0.2, 0.5, 0.68, 0.9, 0.999])


def test_named_laws_are_those_of_scipy():
    t = np.linspace(-3, 4, 29)
    for law, other in (
        (Laplace(0.3, 0.7), stats.laplace(0.3, 0.7)),
        (Gaussian(0.3, 0.7), stats.norm(0.3, 0.7)),
        (StudentT(0.3, 0.7, 3.0), stats.t(3, 0.3, 0.7)),
        (StudentT(0.3, 0.7, 0.8), stats.t(0.8, 0.3, 0.7)),
    ):
        np.testing.assert_allclose(law.cdf(t), other.cdf(t), rtol=1e-12)
        np.testing.assert_allclose(law.logpdf(t), other.logpdf(t), rtol=1e-12)
        np.testing.assert_allclose(law.ppf(SHARES), other.ppf(SHARES), rtol=1e-9)
        np.testing.assert_array_equal(law.ppf([0, 1]), [-np.inf, np.inf])


@pytest.mark.parametrize("df", [1e7 * (1 - 1e-9), 1e7 * (1 + 1e-9), 1e12, 1e308])
def test_very_many_degrees_of_freedom_are_gaussian(df):
    law = StudentT(0.5, 0.1, df)
    assert law.logpdf(0.5) == pytest.approx(-0.5 * np.log(2 * np.pi) - np.log(0.1), rel=1e-7)
    assert law.error_bound(68, 0.5) == pytest.approx(0.1 * 0.994457883209753, rel=1e-6)
