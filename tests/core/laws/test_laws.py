"""Every law: its verbs agree with each other, with its definition and with draws."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core.laws import PointMass
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.candidates import CandidateLaw
from dpslr_core.laws.cells import CellLaw
from dpslr_core.laws.centered import CenteredLaw
from dpslr_core.laws.mixture import ClippedLaw, Mixture
from tests.cases.inputs import LAWS
from tests.reference.laws import mass_within

JUMPING = PointMass, ClippedLaw, CandidateLaw
CONTINUOUS = {name: law for name, law in LAWS.items() if not isinstance(law, JUMPING)}
SHARES = np.array([1e-9, 1e-3, 0.05, 0.2, 0.5, 0.68, 0.9, 0.999, 1 - 1e-9])


def spread(law):
    """A length on the scale of the law."""
    low, high = law.ppf(np.array([0.25, 0.75]) * (1 - law.failure))
    return float(high - low) or 1.0


def kinks(law):
    """Where the density of a law jumps or bends, sorted."""
    if isinstance(law, CellLaw):
        return np.unique(np.add.outer(law.first * law.edges, law.second * law.edges))
    if isinstance(law, Mixture):
        return np.unique(np.concatenate([kinks(part) for part in law.components]))
    if hasattr(law, "location"):
        return law.location + law.scale * np.linspace(-30, 30, 13)
    return getattr(law, "edges", np.empty(0))


def grain(law):
    """How much of the law's mass may lie on one floating-point number near its middle."""
    return 4 * np.spacing(abs(law.median)) / spread(law)


@pytest.mark.parametrize("name", LAWS)
def test_quantiles_are_the_least_outcomes_with_their_share(name):
    """By the cdf, which never falls, and reaches 1 - failure."""
    law = LAWS[name]
    np.testing.assert_allclose(law.cdf([-1e200, 1e200]), [0, 1 - law.failure], atol=1e-9)
    assert np.isnan(law.ppf([-0.1, 1.1, np.nan])).all()
    for verb in (law.cdf, law.ppf, law.logpdf):
        assert np.shape(verb(0.3)) == () and np.shape(verb(np.full((2, 3), 0.3))) == (2, 3)
    if law.failure > 1e-15:
        assert np.isnan(law.ppf(1 - law.failure / 2))
    if law.failure == 1:
        return
    shares = np.clip(SHARES, 30 * law.least_tail, 1 - 30 * law.least_tail) * (1 - law.failure)
    t = law.ppf(shares)
    slack = 1e-5 * shares + 1e-9 + grain(law)
    assert (law.cdf(t) >= shares - slack).all()
    assert (law.cdf(np.nextafter(t, -np.inf)) <= shares + slack).all()
    assert (np.diff(law.cdf(np.sort(t))) >= 0).all()
    assert law.median == law.ppf(0.5 * (1 - law.failure))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_density_is_the_slope_of_the_cdf(name):
    """The integral of exp(logpdf) between two outcomes is the mass between them, and 1 - failure over all."""
    law = CONTINUOUS[name]
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for low, high in ((0.01, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.99)):
        a, b = law.ppf(np.array([low, high]) * (1 - law.failure))
        jumps = kinks(law)
        ends = np.concatenate([[a], jumps[(jumps > a) & (jumps < b)], [b]])
        half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
        value = np.sum(
            half[:, None] * weights * np.exp(law.logpdf(middle[:, None] + half[:, None] * nodes))
        )
        slack = (
            3e-6 if law.least_tail > 1e-12 else 0.0
        )  # by quadrature, whose panels the nodes know nothing of
        assert value == pytest.approx(
            (high - low) * (1 - law.failure), rel=1e-6, abs=grain(law) + slack
        )


def gap(law, draws):
    """The largest distance of the cdf from the shares of draws up to, and below, some of the draws."""
    ordered = np.sort(draws)
    t = np.unique(ordered[:: draws.size // 400])
    up_to, below = (np.searchsorted(ordered, t, side) / draws.size for side in ("right", "left"))
    answered = 1 - law.failure
    return max(
        np.abs(up_to - law.cdf(t) / answered).max(),
        np.abs(below - law.cdf(np.nextafter(t, -np.inf)) / answered).max(),
    )


@pytest.mark.parametrize("name", LAWS)
def test_draws_follow_the_law(name):
    law = LAWS[name]
    size = 2_000 if isinstance(law, CenteredLaw) else 20_000  # a law of many terms takes its time
    draws = law.sample(size, np.random.default_rng(11))
    assert draws.shape == (size,) and draws.dtype == np.float64
    answered = draws[~np.isnan(draws)]
    assert stats.binomtest(size - answered.size, size, law.failure).pvalue > 1e-3
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator"):
        law.sample(3, 7)
    if law.failure == 1:
        return
    slack = np.sqrt(np.log(2e3) / (2 * answered.size))  # DKW: one in a thousand is further off
    assert gap(law, answered) < slack


ASKED = (0, 1e-7, 0.5, 50, 68, 95, 99.9999, 100)


def centers_of(law):
    """The middle, beside it, and far outside on both sides."""
    if law.failure == 1:
        return [0.0]
    return [law.median + off * spread(law) for off in (0.0, 1e-3, -0.4, 3.0, -1e2, 1e6)]


@pytest.mark.parametrize("name", LAWS)
def test_error_bounds_hold_their_share_and_anything_less_does_not(name):
    """By the cdf alone; the same bit for bit, whatever else is asked for. A share may be off by rounding."""
    law = LAWS[name]
    rounding = 1e-9
    shares = np.array(ASKED[1:-1]) / 100
    for center in centers_of(law):
        ((bounds, median),) = measure_together([law], ASKED, [center])
        np.testing.assert_array_equal(bounds, [law.error_bound(q, center) for q in ASKED])
        np.testing.assert_array_equal(median, law.median)
        assert bounds[0] == 0
        bounds = bounds[1:-1]
        slack = np.minimum(1e-7 * bounds, 1e300) + 4 * np.spacing(abs(center))
        assert (mass_within(law, bounds + slack, center) >= shares - rounding)[
            np.isfinite(bounds)
        ].all()
        less = np.where(np.isfinite(bounds), bounds - slack, 1e300)
        assert (mass_within(law, less, center) < shares + rounding).all(), center


@pytest.mark.parametrize("name", LAWS)
def test_error_bound_at_its_ends(name):
    law = LAWS[name]
    bound = law.error_bound(100, 0.1)
    if law.failure > 0:
        assert bound == np.inf
    else:
        least, most = (np.abs(law.ppf(q) - 0.1).max() for q in ([1e-12, 1 - 1e-12], [0.0, 1.0]))
        assert (1 - 1e-9) * least <= bound <= (1 + 1e-9) * most
        assert np.isinf(bound) == np.isinf(most)
    assert law.error_bound(50, np.nan) == np.inf
    for wrong in (-1, 101, np.nan, None):
        with pytest.raises(ValueError, match=r"^q must "):
            law.error_bound(wrong, 0.0)
