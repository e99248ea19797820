"""Extreme budgets and constant x: numbers or failures, never an exception or a warning."""

import warnings

import numpy as np
import pytest
from cases import DATASETS
from every_mechanism import AT, draw, each_mechanism

from dpslr_core.mechanisms import (
    OLS,
    MaximumObservedSensitivity,
    NoisyStats,
    NoisyStatsGaussian,
    TheilSen,
    pairwise,
)


@each_mechanism
@pytest.mark.parametrize("epsilon", [1e-4, 1e6])
@pytest.mark.parametrize("name", ["even n", "odd n", "tied x", "nearly constant x", "all above the range", "corners"])
def test_extreme_budgets_give_numbers_or_failures_and_no_warning(mechanism, epsilon, name, monkeypatch):
    """Of random matchings a few are drawn for the law: how many does not matter here."""
    monkeypatch.setattr(pairwise, "MOST", pairwise.FIRST)
    at = AT[:1] if name == "all above the range" else AT  # noisy sums make laws of many terms there
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released = draw(mechanism, DATASETS[name], epsilon=epsilon, size=200, at=at)
        laws = mechanism.law(DATASETS[name], epsilon, at)
        for law in laws:
            if law is not None and law.exact:
                t = law.ppf([0.01, 0.5])
                assert not np.isnan(law.cdf(t)).any() and not np.isnan(law.logpdf(t)).any()
            if law is not None:
                assert law.error_bound(68, 0.5) >= 0
    assert not np.isinf(released).any()
    may_fail = isinstance(mechanism, NoisyStats | NoisyStatsGaussian) and not (
        mechanism.fallback or mechanism.adaptive_ridge
    )
    may_fail = may_fail or mechanism == TheilSen(k=1)
    assert may_fail or not np.isnan(released).any()


@each_mechanism
@pytest.mark.parametrize("epsilon", [0.5, 1e6])
def test_constant_x_is_a_value_not_an_exception(mechanism, epsilon):
    """nvar = 0: OLS, Theil-Sen and what needs them say so with NaN; the others answer."""
    data = DATASETS["constant x"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released = draw(mechanism, data, epsilon=epsilon, size=300)
        laws = mechanism.law(data, epsilon, AT)
        bounds = [law.error_bound(68, 0.5) for law in laws if law is not None]
    match mechanism:
        case OLS() | TheilSen() | MaximumObservedSensitivity():
            assert np.isnan(released).all()
            assert all(law is None or law.failure == 1 for law in laws)
            assert all(bound == np.inf for bound in bounds)
        case (
            NoisyStats(fallback=False, adaptive_ridge=False) | NoisyStatsGaussian(fallback=False, adaptive_ridge=False)
        ):
            assert 0.3 < np.isnan(released).mean() < 0.7  # the noise alone decides
            assert not np.isinf(released).any()
        case _:
            assert np.isfinite(released).all()
            assert all(np.isfinite(bounds))
