"""What every mechanism promises about a release, over all of MECHANISMS and variants: shapes, seeds, arguments."""

import math

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.experiments.errors import measure
from dpslr_core.privacy import Budget
from dpslr_core.support.run import Run
from tests.cases.every_mechanism import AT, draw, each_class, is_deterministic
from tests.cases.inputs import DATASETS, PLAIN, simulated


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
def test_a_seed_gives_the_same_numbers_and_another_seed_others(cls):
    """Releases for other data, points and budgets in between change nothing."""
    mechanism, fresh = cls(), draw(cls())
    draw(mechanism, DATASETS["tied x"], epsilon=9.0, at=[0.9], size=3, seed=5)
    np.testing.assert_array_equal(draw(mechanism), fresh)
    assert np.array_equal(draw(mechanism, seed=1), fresh, equal_nan=True) == is_deterministic(
        mechanism
    )


WRONG = {
    "epsilon": (0, -1, math.nan, math.inf, "1", None, [1.0, 2.0]),
    "at": ([], [math.nan], None, [[0.25, 0.75]], "here", [[0.1], [0.2, 0.3]]),
    "size": (0, 2.0, None, True),
    "rng": (None, 7, np.random.RandomState(7)),
}


@each_class
def test_wrong_arguments_are_refused_by_name(cls):
    right = {"epsilon": 1.0, "at": AT, "size": 3, "rng": np.random.default_rng(0)}
    of_law = {"epsilon": 1.0, "at": AT}
    for name, values in WRONG.items():
        for wrong in values:
            with pytest.raises(ValueError, match=f"^{name} must "):
                cls().release(PLAIN, **right | {name: wrong})
            if name in of_law:
                with pytest.raises(ValueError, match=f"^{name} must "):
                    cls().law(PLAIN, **of_law | {name: wrong})


# ---------------------------------------------------------------- extreme budgets and constant x


def examined(mechanism, data, epsilon, at=AT):
    """Releases, and bounds of the errors of their laws; any warning is an error."""
    released = draw(mechanism, data, epsilon=epsilon, size=200, at=at)
    laws = [law for law in mechanism.law(data, epsilon, at) if law is not None]
    for law in laws:
        if law.exact and law.failure < 1:
            t = law.ppf([0.01, 0.5])
            assert not np.isnan(law.cdf(t)).any() and not np.isnan(law.logpdf(t)).any()
    assert not np.isinf(released).any()
    return released, np.array([law.error_bound(68, 0.5) for law in laws])


@each_class
@pytest.mark.parametrize("epsilon", [1e-4, 1e6])
def test_extreme_budgets_give_numbers_or_failures_and_no_warning(cls, epsilon):
    for name in ("odd n", "tied x", "nearly constant x", "all above the range", "corners"):
        if name == "all above the range" and cls in (dp.CenteredStats, dp.CenteredStatsGaussian):
            continue  # noisy sums make laws of very many terms there
        released, bounds = examined(cls(), DATASETS[name], epsilon)
        assert (bounds >= 0).all(), name
        may_fail = cls in (dp.NoisyStats, dp.NoisyStatsGaussian)
        assert may_fail or not np.isnan(released).any(), name


CANNOT = (dp.OLS, dp.TheilSen, dp.MaximumObservedSensitivity)  # answer where n var(x) is 0
MAY_FAIL = [dp.NoisyStats(), dp.NoisyStatsGaussian()]
NEVER_FAIL = [
    *(cls() for cls in dp.MECHANISMS if cls not in CANNOT and cls() not in MAY_FAIL),
    dp.NoisyStats(fallback=True),
]


@pytest.mark.parametrize("epsilon", [0.5, 1e6])
def test_constant_x_is_a_value_not_an_exception(epsilon):
    """nvar = 0: OLS, Theil-Sen and what needs them say so with NaN; the others answer."""
    data = DATASETS["constant x"]
    for mechanism in [cls() for cls in CANNOT]:
        released, bounds = examined(mechanism, data, epsilon)
        assert np.isnan(released).all() and (bounds == np.inf).all()
        assert all(law.failure == 1 for law in mechanism.law(data, epsilon))
    for mechanism in MAY_FAIL:
        released, _ = examined(mechanism, data, epsilon)
        assert 0.3 < np.isnan(released).mean() < 0.7  # the noise alone decides
    for mechanism in NEVER_FAIL:
        released, bounds = examined(mechanism, data, epsilon)
        assert np.isfinite(released).all() and np.isfinite(bounds).all(), mechanism


# ---------------------------------------------------------------- many data sets at once


RUN = Run(trials=12)


# Ties, constants, few and many records; more than from which all laws of constant pieces are searched together.
SEVERAL = [*DATASETS.values(), *(simulated(n, seed=n) for n in (20, 25, 26, 40, 60, 120))]


@each_class
def test_releases_of_many_data_sets_are_those_of_each_with_a_generator_of_its_own(cls):
    generators = [np.random.default_rng(seed) for seed in range(len(SEVERAL))]
    together = cls().releases(SEVERAL, 2.0, AT, 5, generators)
    for seed, (data, released) in enumerate(zip(SEVERAL, together, strict=True)):
        np.testing.assert_array_equal(released, draw(cls(), data, size=5, seed=seed))


def numbers(errors):
    return [
        [
            (e.c68, e.c68_low, e.c68_high, e.c95, e.gap, e.noise, e.median, e.failure, e.fallback)
            for e in each
        ]
        for each in errors
    ]


@pytest.mark.parametrize("epsilon", [0.2, 16.0])
@each_class
def test_errors_of_many_data_sets_are_those_of_each_alone(cls, epsilon):
    budget = Budget(epsilon, (0.25, 0.75))
    together = measure(SEVERAL, cls(), budget, RUN)
    alone = [measure([Dataset(data.x, data.y)], cls(), budget, RUN)[0] for data in SEVERAL]
    np.testing.assert_array_equal(numbers(together), numbers(alone))
    assert cls().laws([], 1.0) == [] == measure([], cls(), budget, RUN)
