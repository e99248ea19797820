"""Every law: its verbs agree with each other, with its definition and with draws."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core.laws import PointMass
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.cells import CellLaw
from dpslr_core.laws.centered import CenteredLaw
from dpslr_core.laws.mixture import FallbackLaw, Mixture
from dpslr_core.laws.piecewise import PiecewiseUniform
from tests.cases.inputs import LAWS
from tests.reference.laws import mass_within

CONTINUOUS = {name: law for name, law in LAWS.items() if not isinstance(law, PointMass)}
SHARES = np.array([1e-9, 1e-3, 0.05, 0.2, 0.5, 0.68, 0.9, 0.999, 1 - 1e-9])


def spread(law):
    """A length on the scale of the law."""
    low, high = law.ppf(np.array([0.25, 0.75]) * (1 - law.failure))
    return float(high - low)


def kinks(law):
    """Where the density of a law jumps or bends, sorted."""
    if isinstance(law, CellLaw):
        return np.unique(np.add.outer(law.first * law.edges, law.second * law.edges))
    if isinstance(law, FallbackLaw):
        return np.array([law.components[1].location])
    return law.components[1].edges if isinstance(law, Mixture) else np.empty(0)


def grain(law):
    """How much of the law's mass may lie on one floating-point number near its middle."""
    return 4 * np.spacing(abs(law.median)) / spread(law)


@pytest.mark.parametrize("name", LAWS)
def test_cdf_never_falls_and_reaches_one_minus_failure(name):
    law = LAWS[name]
    ends = np.array([-1e200, 1e200])
    np.testing.assert_allclose(law.cdf(ends), [0, 1 - law.failure], atol=1e-9)
    inner = law.ppf(SHARES * (1 - law.failure))
    assert np.all(np.diff(law.cdf(np.sort(inner))) >= 0)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_ppf_inverts_cdf(name):
    law = CONTINUOUS[name]
    shares = np.clip(SHARES, 30 * law.least_tail, 1 - 30 * law.least_tail) * (1 - law.failure)
    t = law.ppf(shares)
    np.testing.assert_allclose(law.cdf(t), shares, rtol=1e-5, atol=1e-9 + grain(law))
    np.testing.assert_allclose(law.ppf(law.cdf(t)), t, rtol=1e-6, atol=1e-6 * spread(law))


@pytest.mark.parametrize("name", LAWS)
def test_ppf_outside_its_range_is_nan_and_shapes_are_kept(name):
    law = LAWS[name]
    assert np.isnan(law.ppf([-0.1, 1.1, np.nan])).all()
    if law.failure > 0:
        assert np.isnan(law.ppf(1 - law.failure / 2)).all()
    for verb, argument in ((law.cdf, 0.3), (law.ppf, 0.3), (law.logpdf, 0.3)):
        assert np.shape(verb(argument)) == ()
        assert np.shape(verb(np.full((2, 3), argument))) == (2, 3)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_density_is_the_slope_of_the_cdf(name):
    """The integral of exp(logpdf) between two outcomes is the mass between them, and 1 - failure over all."""
    law = CONTINUOUS[name]
    if isinstance(law, PiecewiseUniform):
        with np.errstate(under="ignore"):
            mass = np.diff(law.edges) * np.exp(law.logpdf(law.edges[:-1]))
        np.testing.assert_allclose(np.append(0, np.cumsum(mass)), law.cdf(law.edges), rtol=1e-9, atol=1e-12)
        assert mass.sum() == pytest.approx(1, rel=1e-12)
        return
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for low, high in ((0.01, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.99)):
        a, b = law.ppf(np.array([low, high]) * (1 - law.failure))
        jumps = kinks(law)
        ends = np.concatenate([[a], jumps[(jumps > a) & (jumps < b)], [b]])
        half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
        value = np.sum(half[:, None] * weights * np.exp(law.logpdf(middle[:, None] + half[:, None] * nodes)))
        slack = 3e-6 if law.least_tail > 1e-12 else 0.0  # by quadrature, whose panels the nodes know nothing of
        assert value == pytest.approx((high - low) * (1 - law.failure), rel=1e-6, abs=grain(law) + slack)


@pytest.mark.parametrize("name", LAWS)
def test_draws_follow_the_law(name):
    law = LAWS[name]
    size = 2_000 if isinstance(law, CenteredLaw) else 20_000  # a law of many terms takes its time
    draws = law.sample(size, np.random.default_rng(11))
    assert draws.shape == (size,) and draws.dtype == np.float64
    failed = int(np.isnan(draws).sum())
    assert stats.binomtest(failed, draws.size, law.failure).pvalue > 1e-3
    answered = draws[~np.isnan(draws)]
    if isinstance(law, PointMass):
        assert set(answered.tolist()) <= {law.location}
        return
    assert stats.kstest(answered, lambda t: law.cdf(t) / (1 - law.failure)).pvalue > 1e-3
    for factor in (2 / 3, 3 / 2):
        moved = law.median + factor * (answered - law.median)
        assert stats.kstest(moved, lambda t: law.cdf(t) / (1 - law.failure)).pvalue < 1e-6


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("wrong", [None, 7, np.random.RandomState(1)])
def test_draws_take_a_generator_and_nothing_else(name, wrong):
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator"):
        LAWS[name].sample(3, wrong)


ASKED = (0, 1e-7, 0.5, 50, 68, 95, 99.9999, 100)


def centers_of(law):
    """The middle, beside it, and far outside on both sides."""
    if law.failure == 1:
        return [0.0]
    scale = 1.0 if isinstance(law, PointMass) else spread(law)
    return [law.median + off * scale for off in (0.0, 1e-3, -0.4, 3.0, -1e2, 1e6)]


@pytest.mark.parametrize("name", LAWS)
def test_error_bounds_together_are_those_of_one_at_a_time(name):
    """Bit for bit, whatever else is asked for with them; so is the median."""
    law = LAWS[name]
    for center in [*centers_of(law), np.nan, np.inf]:
        bounds, median = measure_together([law], ASKED, [center])[0]
        assert bounds.shape == (len(ASKED),) and bounds.dtype == np.float64
        np.testing.assert_array_equal(bounds, law.error_bounds(ASKED, center))
        np.testing.assert_array_equal(bounds, [law.error_bound(q, center) for q in ASKED])
        np.testing.assert_array_equal(median, law.median)
        assert (np.diff(bounds[~np.isinf(bounds)]) >= 0).all()
    assert law.error_bounds((), 0.3).shape == (0,)
    with pytest.raises(ValueError, match=r"^q must "):
        law.error_bounds((50, 101), 0.3)


@pytest.mark.parametrize("name", LAWS)
def test_error_bounds_hold_their_share_and_anything_less_does_not(name):
    """By the cdf alone. A share that differs by rounding may make all the difference."""
    law = LAWS[name]
    rounding = 1e-9
    shares = np.array(ASKED[1:-1]) / 100
    for center in centers_of(law):
        bounds = law.error_bounds(ASKED[1:-1], center)
        slack = np.minimum(1e-7 * bounds, 1e300) + 4 * np.spacing(abs(center))
        assert (mass_within(law, bounds + slack, center) >= shares - rounding)[np.isfinite(bounds)].all()
        less = np.where(np.isfinite(bounds), bounds - slack, 1e300)
        assert (mass_within(law, less, center) < shares + rounding).all(), center


@pytest.mark.parametrize("name", LAWS)
def test_error_bound_at_its_ends(name):
    law = LAWS[name]
    if law.failure > 0:
        assert law.error_bound(100, 0.1) == np.inf
    elif isinstance(law, PiecewiseUniform | CellLaw):
        least, ends = np.abs(law.ppf([1e-12, 1 - 1e-12]) - 0.1).max(), law.ppf([0.0, 1.0])
        assert least <= law.error_bound(100, 0.1) <= np.abs(ends - 0.1).max() * (1 + 1e-9)
    elif isinstance(law, PointMass):
        assert law.error_bound(100, 0.1) == abs(law.location - 0.1)
    else:
        assert law.error_bound(100, 0.1) == np.inf
    assert law.error_bound(50, np.nan) == np.inf
    for wrong in (-1, 101, np.nan, None):
        with pytest.raises(ValueError, match=r"^q must "):
            law.error_bound(wrong, 0.0)


@pytest.mark.parametrize("name", LAWS)
def test_no_share_at_all_is_within_no_distance(name):
    """q = 0: the smallest c with P(error <= c) >= 0 is 0, whatever the law; so it is for empirical bounds."""
    assert LAWS[name].error_bound(0, 0.1) == 0


@pytest.mark.parametrize("name", CONTINUOUS)
def test_median_halves_the_answers(name):
    law = CONTINUOUS[name]
    assert law.cdf(law.median) == pytest.approx(0.5 * (1 - law.failure), rel=1e-7)
