"""Every law: its verbs agree with each other, with its definition and with draws."""

import math

import numpy as np
import pytest
from cases import LAWS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core.laws import Laplace, PointMass, StudentT
from dpslr_core.laws.either import Either
from dpslr_core.laws.mixtures import Mixture
from dpslr_core.laws.noisy import NoisySlopeLaw
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.medians import piece_masses

CONTINUOUS = {name: law for name, law in LAWS.items() if not isinstance(law, PointMass)}
SHARES = np.array([1e-9, 1e-3, 0.05, 0.2, 0.5, 0.68, 0.9, 0.999, 1 - 1e-9])


def spread(law):
    """A length on the scale of the law."""
    low, high = law.ppf(np.array([0.25, 0.75]) * (1 - law.failure))
    return float(high - low)


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
    shares = SHARES * (1 - law.failure)
    np.testing.assert_allclose(law.cdf(law.ppf(shares)), shares, rtol=1e-6, atol=1e-9 + grain(law))
    t = law.ppf(shares)
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
        jumps = law.second.edges if isinstance(law, Either) else np.empty(0)
        ends = np.concatenate([[a], jumps[(jumps > a) & (jumps < b)], [b]])
        half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
        value = np.sum(half[:, None] * weights * np.exp(law.logpdf(middle[:, None] + half[:, None] * nodes)))
        assert value == pytest.approx((high - low) * (1 - law.failure), rel=1e-6, abs=grain(law))


@pytest.mark.parametrize("name", LAWS)
def test_draws_follow_the_law(name):
    law = LAWS[name]
    draws = law.sample(20_000, np.random.default_rng(11))
    assert draws.shape == (20_000,) and draws.dtype == np.float64
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


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("off", [0.0, 0.3, -4.0])
def test_error_bound_is_the_smallest_that_holds_the_share(name, off):
    """By definition, at a hair more and a hair less; and against brute force on a million draws."""
    law = LAWS[name]
    if law.failure == 1:
        assert law.error_bound(50, 0.0) == np.inf
        return
    center = law.median + off * (spread(law) if not isinstance(law, PointMass) else 1.0)
    errors = np.abs(law.sample(1_000_000, np.random.default_rng(4)) - center)
    errors = np.sort(np.where(np.isnan(errors), np.inf, errors))
    for q in (5, 50, 68, 95):
        c = law.error_bound(q, center)
        if law.failure > 1 - q / 100:
            assert c == np.inf
            continue
        if not isinstance(law, PointMass):
            slack = 1e-9 * spread(law) + 4 * np.spacing(abs(center))
            within = [float(law.cdf(center + width) - law.cdf(center - width)) for width in (c + slack, c - slack)]
            assert within[0] >= q / 100 - 1e-12
            assert within[1] <= q / 100 + 1e-12
        closer = np.searchsorted(errors, c * (1 - 1e-9), side="left") / errors.size
        at_most = np.searchsorted(errors, c * (1 + 1e-9), side="right") / errors.size
        assert closer - 0.003 <= q / 100 <= at_most + 0.003


ASKED = (0, 1e-7, 0.5, 50, 68, 95, 99.9999, 100)


def centers_of(law):
    """The middle, beside it, and far outside on both sides."""
    if law.failure == 1:
        return [0.0]
    scale = 1.0 if isinstance(law, PointMass) else spread(law)
    return [law.median + off * scale for off in (0.0, 1e-3, -0.4, 3.0, -1e2, 1e6)]


def mass_within(law, c, center):
    """The mass up to c from the center, from the cdf alone; 0 for c below 0."""
    return np.where(np.less(c, 0), 0.0, law.cdf(center + c) - law.cdf(np.nextafter(center - c, -np.inf)))


def by_bisection(law, share, center):
    """The smallest c with at least this share within it, from the cdf alone; inf where there is none below 1e300."""
    low, high = 0.0, 1e-300
    while mass_within(law, high, center) < share and high < 1e300:
        low, high = high, 1e6 * high
    if mass_within(law, high, center) < share:
        return np.inf
    while high - low > max(1e-13 * high, 2.3e-308):
        middle = np.sqrt(low * high) if high > 2 * low > 0 else 0.5 * (low + high)
        low, high = (low, middle) if mass_within(law, middle, center) >= share else (middle, high)
    return high


@pytest.mark.parametrize("name", LAWS)
def test_error_bounds_are_those_found_one_by_one(name):
    """Bit for bit, whatever else is asked with them; so is the median that measure finds with them."""
    law = LAWS[name]
    for center in [*centers_of(law), np.nan, np.inf]:
        bounds, median = law.measure(ASKED, center)
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
    rounding = 1e-11 if isinstance(law, NoisySlopeLaw | Either) else 1e-13
    shares = np.array(ASKED[1:-1]) / 100
    for center in centers_of(law):
        bounds = law.error_bounds(ASKED[1:-1], center)
        slack = np.minimum(1e-10 * bounds, 1e300) + 4 * np.spacing(abs(center))
        assert (mass_within(law, bounds + slack, center) >= shares - rounding)[np.isfinite(bounds)].all()
        less = np.where(np.isfinite(bounds), bounds - slack, 1e300)
        assert (mass_within(law, less, center) < shares + rounding).all(), center


@given(st.floats(0.01, 99.99), st.floats(-1e3, 1e3), st.floats(1e-9, 1e6))
def test_error_bound_of_a_centred_laplace_is_a_logarithm(q, location, scale):
    expected = -scale * math.log1p(-q / 100)
    assert Laplace(location, scale).error_bound(q, location) == pytest.approx(
        expected, rel=1e-9, abs=8 * np.spacing(abs(location))
    )


@given(st.floats(1, 99), st.floats(0.5, 30), st.floats(1e-6, 1e3))
@settings(max_examples=40)
def test_error_bound_of_a_centred_student_is_a_quantile(q, df, scale):
    expected = scale * stats.t(df).ppf(0.5 + q / 200)
    assert StudentT(0.0, scale, df).error_bound(q, 0.0) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("name", LAWS)
def test_error_bound_at_its_ends(name):
    law = LAWS[name]
    if law.failure > 0:
        assert law.error_bound(100, 0.1) == np.inf
    elif isinstance(law, PiecewiseUniform):
        least = np.abs(law.ppf([1e-12, 1 - 1e-12]) - 0.1).max()
        assert least <= law.error_bound(100, 0.1) <= np.abs(law.edges - 0.1).max() * (1 + 1e-9)
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
    assert law.cdf(law.median) == pytest.approx(0.5 * (1 - law.failure), rel=1e-9)


def test_named_laws_are_those_of_scipy():
    t = np.linspace(-3, 4, 29)
    for law, other in (
        (Laplace(0.3, 0.7), stats.laplace(0.3, 0.7)),
        (StudentT(0.3, 0.7, 3.0), stats.t(3, 0.3, 0.7)),
        (StudentT(0.3, 0.7, 0.8), stats.t(0.8, 0.3, 0.7)),
    ):
        np.testing.assert_allclose(law.cdf(t), other.cdf(t), rtol=1e-12)
        np.testing.assert_allclose(law.logpdf(t), other.logpdf(t), rtol=1e-12)
        np.testing.assert_allclose(law.ppf(SHARES[1:-1]), other.ppf(SHARES[1:-1]), rtol=1e-9)
        np.testing.assert_array_equal(law.ppf([0, 1]), [-np.inf, np.inf])


pieces = st.integers(1, 8).flatmap(
    lambda count: st.tuples(
        st.lists(st.one_of(st.just(0.0), st.floats(1e-12, 2)), min_size=count, max_size=count).filter(any),
        st.lists(st.floats(-900, 900), min_size=count, max_size=count),
    )
)


@given(pieces)
@settings(max_examples=200)
def test_piece_masses_in_whole_numbers_of_digits(made):
    """Against logarithms throughout: max-normalised, no density too small or too large."""
    lengths, log_density = np.array(made[0]), np.array(made[1])
    edges = np.append(0.0, np.cumsum(lengths))
    lengths = np.diff(edges)
    masses = piece_masses(edges, log_density)
    assert np.all(masses[lengths == 0] == 0)
    with np.errstate(divide="ignore"):
        log_mass = np.log(lengths) + log_density
    expected = np.exp(log_mass - log_mass.max())
    np.testing.assert_allclose(masses / masses.max(), expected, rtol=1e-9, atol=1e-280)


@given(pieces, st.floats(0, 1))
def test_piecewise_cdf_and_ppf_agree_whatever_the_pieces(made, q):
    lengths, log_density = made
    law = PiecewiseUniform(np.append(0.0, np.cumsum(lengths)), np.array(log_density))
    t = law.ppf(q)
    assert law.edges[0] <= t <= law.edges[-1]
    # One place of t may hold more mass than the digits of q: then cdf jumps over q there.
    below, above = law.cdf(np.nextafter(t, -np.inf)), law.cdf(np.nextafter(t, np.inf))
    assert below - 1e-12 <= q <= above + 1e-12


@given(pieces, st.floats(0, 100), st.floats(-3, 9))
@settings(max_examples=300)
def test_piecewise_error_bounds_whatever_the_pieces(made, q, center):
    lengths, log_density = made
    law = PiecewiseUniform(np.append(0.0, np.cumsum(lengths)), np.array(log_density))
    c = law.error_bound(q, center)  # q may be as small as floats get
    low, high = (by_bisection(law, min(max(q / 100 + error, 0), 1), center) for error in (-1e-12, 1e-12))
    slack = 1e-11 * c + 4 * np.spacing(abs(center) + law.edges[-1])
    assert low - slack <= c <= high + slack
    assert c <= np.abs(law.edges - center).max() * (1 + 1e-11)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(0, 1e4))
@settings(max_examples=300)
def test_laplace_error_bounds_about_any_center(share, away):
    """The mass within c is exp(-away) sinh(c) up to the location, 1 - exp(-c) cosh(away) beyond it."""
    c = Laplace(0.0, 1.0).error_bound(100 * share, away)
    if c <= away:
        assert 0.5 * np.exp(c - away) * -np.expm1(-2 * c) == pytest.approx(share, rel=1e-10)
    else:
        assert 0.5 * np.exp(away - c) * (1 + np.exp(-2 * away)) == pytest.approx(1 - share, rel=1e-10)


def test_mixtures_and_their_jumps():
    """Components with and without a jump: the bound is the smallest that holds the share."""
    law = Mixture((PointMass(0.2), PointMass(0.5), Laplace(0.3, 0.01), StudentT(0.3, 0.01, 3.0)))
    for center in (0.2, 0.3, 0.5, 7.0):
        for q, c in zip((10, 30, 60, 90), law.error_bounds((10, 30, 60, 90), center), strict=True):
            assert c == pytest.approx(by_bisection(law, q / 100, center), rel=2e-6, abs=1e-12)


def test_point_mass():
    law = PointMass(0.3)
    np.testing.assert_array_equal(law.cdf([0.2, 0.3, 0.4]), [0, 1, 1])
    np.testing.assert_array_equal(law.ppf([0, 0.5, 1]), [0.3] * 3)
    np.testing.assert_array_equal(law.logpdf([0.2, 0.3]), [-np.inf, np.inf])
    assert law.failure == 0 and PointMass(np.nan).failure == 1
    assert np.isnan(PointMass(np.nan).sample(5, np.random.default_rng(0))).all()


@pytest.mark.parametrize("df", [1e7 * (1 - 1e-9), 1e7 * (1 + 1e-9), 1e12, 1e308])
def test_very_many_degrees_of_freedom_are_gaussian(df):
    law = StudentT(0.5, 0.1, df)
    assert law.logpdf(0.5) == pytest.approx(-0.5 * np.log(2 * np.pi) - np.log(0.1), rel=1e-7)
    assert law.error_bound(68, 0.5) == pytest.approx(0.1 * 0.994457883209753, rel=1e-6)
