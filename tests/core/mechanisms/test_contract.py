"""What every mechanism promises about a release, over all of MECHANISMS and variants: shapes, seeds, arguments."""

import dataclasses
import math
import warnings

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset, simulate_linear
from dpslr_core.experiments.errors import measure
from dpslr_core.mechanisms import pairwise
from dpslr_core.privacy import Budget
from dpslr_core.support.run import Run
from tests.cases.every_mechanism import AT, draw, each_class, each_mechanism, is_deterministic
from tests.cases.inputs import DATASETS, PLAIN

WORDS = "^{} must "


@each_class
def test_shape_and_dtype(cls):
    mechanism = cls()
    for at, size in ((AT, 7), ([0.5], 1), (0.5, 3), (np.array([0.1, 0.1]), 2), ((-1.0, 2.0), 4)):
        released = draw(mechanism, at=at, size=size)
        assert released.shape == (size, np.size(at))
        assert released.dtype == np.float64
    assert mechanism.release(PLAIN, 1.0, rng=np.random.default_rng(0)).shape == (1000, 2)
    assert len(mechanism.law(PLAIN, 1.0)) == 2


@each_class
def test_data_and_points_are_left_alone(cls):
    mechanism = cls()
    at = np.array(AT)
    data = Dataset(PLAIN.x, PLAIN.y)
    mechanism.law(data, 1.0, at)
    draw(mechanism, data, at=at)
    assert data.digest == PLAIN.digest and at.tolist() == list(AT)
    np.testing.assert_array_equal(data.x, PLAIN.x)


@each_mechanism
def test_a_seed_gives_the_same_numbers_and_another_seed_others(mechanism):
    """Releases for other data, points and budgets in between change nothing."""
    fresh = draw(type(mechanism)(**{f.name: getattr(mechanism, f.name) for f in dataclasses.fields(mechanism)}))
    draw(mechanism, DATASETS["tied x"], epsilon=9.0, at=[0.9], size=3, seed=5)
    np.testing.assert_array_equal(draw(mechanism), fresh)
    assert np.array_equal(draw(mechanism, seed=1), fresh, equal_nan=True) == is_deterministic(mechanism)


@each_class
def test_wrong_arguments_are_refused_by_name(cls):
    mechanism = cls()
    for epsilon in (0, -1, math.nan, math.inf, "a", "1", None, [1.0, 2.0]):
        for call in (lambda e: draw(mechanism, epsilon=e), lambda e: mechanism.law(PLAIN, e)):
            with pytest.raises(ValueError, match=WORDS.format("epsilon")):
                call(epsilon)
    for at in ([], [math.nan], [0.1, math.inf], None, [[0.25, 0.75]], "here", ["a", "b"], [[0.1], [0.2, 0.3]]):
        for call in (lambda points: draw(mechanism, at=points), lambda points: mechanism.law(PLAIN, 1.0, points)):
            with pytest.raises(ValueError, match=WORDS.format("at")):
                call(at)
    for size in (0, -3, 2.0, None, "ten", True):
        with pytest.raises(ValueError, match=WORDS.format("size")):
            draw(mechanism, size=size)
    for rng in (None, 7, np.random.RandomState(7), np.random):
        with pytest.raises(ValueError, match=WORDS.format("rng")):
            mechanism.release(PLAIN, 1.0, rng=rng)
    with pytest.raises(TypeError):
        mechanism.release(PLAIN, 1.0)


# ---------------------------------------------------------------- extreme budgets and constant x


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
    may_fail = isinstance(mechanism, dp.NoisyStats | dp.NoisyStatsGaussian) and not (
        mechanism.fallback or mechanism.adaptive_ridge
    )
    assert may_fail or mechanism == dp.TheilSen(k=1) or not np.isnan(released).any()


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
        case dp.OLS() | dp.TheilSen() | dp.MaximumObservedSensitivity():
            assert np.isnan(released).all()
            assert all(law is None or law.failure == 1 for law in laws)
            assert all(bound == np.inf for bound in bounds)
        case (
            dp.NoisyStats(fallback=False, adaptive_ridge=False)
            | dp.NoisyStatsGaussian(fallback=False, adaptive_ridge=False)
        ):
            assert 0.3 < np.isnan(released).mean() < 0.7  # the noise alone decides
            assert not np.isinf(released).any()
        case _:
            assert np.isfinite(released).all()
            assert all(np.isfinite(bounds))


# ---------------------------------------------------------------- many data sets at once


RUN = Run(trials=12)


def simulated(n, seed):
    return Dataset(*simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(seed)))


# Ties, constants, few and many records; more than from which all laws of constant pieces are searched together.
SEVERAL = [*DATASETS.values(), *(simulated(n, n) for n in (20, 25, 26, 40, 60, 120))]


def numbers(errors):
    return [
        [(e.c68, e.c68_low, e.c68_high, e.c95, e.gap, e.noise, e.median, e.failure, e.fallback) for e in each]
        for each in errors
    ]


@pytest.mark.parametrize("epsilon", [0.2, 16.0])
@each_class
def test_errors_of_many_data_sets_are_those_of_each_alone(cls, epsilon):
    budget = Budget(epsilon, (0.25, 0.75))
    together = measure(SEVERAL, cls(), budget, RUN)
    alone = [measure([Dataset(data.x, data.y)], cls(), budget, RUN)[0] for data in SEVERAL]
    np.testing.assert_array_equal(numbers(together), numbers(alone))
    assert [[(e.exact, e.how) for e in each] for each in together] == [[(e.exact, e.how) for e in e_] for e_ in alone]


@each_class
def test_no_data_sets_have_no_laws(cls):
    assert cls().laws_of_all([], 1.0) == []
    assert measure([], cls(), Budget(1.0), RUN) == []
