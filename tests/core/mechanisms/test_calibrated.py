"""The epsilon that a guarantee allows: enough for it, and the largest known."""

import itertools
import math

import pytest

import dpslr_core.mechanisms as dp
from dpslr_core.privacy import ZCDP, ApproxDP, GaussianDP, PureDP, losses

PRIVATE = [cls() for cls in dp.MECHANISMS if cls().guarantee(1.0).private]
each_private = pytest.mark.parametrize("mechanism", PRIVATE, ids=lambda mechanism: mechanism.name)


@each_private
def test_the_own_guarantee_gives_epsilon_back(mechanism):
    for epsilon, points in itertools.product((1e-3, 0.3, 2.0, 16.0, 1e3), (1, 3)):
        guarantee = mechanism.guarantee(epsilon)
        back = mechanism.largest_epsilon(guarantee, points)
        assert back >= epsilon
        if isinstance(
            guarantee, ZCDP
        ):  # an exponential mechanism at a large epsilon loses less than its guarantee says
            assert losses(mechanism.draws(back, points)).rho == pytest.approx(guarantee.rho)
        else:
            assert back == pytest.approx(
                epsilon, rel=1e-6 if isinstance(guarantee, ApproxDP) else 1e-9
            )


# mechanism, guarantee, number of points, the largest epsilon
KNOWN = [
    (dp.NoisyStatsGaussian(), GaussianDP(0.7), 2, 0.7),
    (dp.DPGDzCDP(), ApproxDP(4.886554117462213, 1e-6), 2, 1.0),
    (dp.NoisyStats(), ZCDP(3 * math.exp(-1)), 5, 3.0),
    (dp.DPExpTheilSen(k=3), ZCDP(0.25), 8, 4.0),
    (dp.JointTheilSen(), ZCDP(0.5), 7, 2.0),
    (dp.DPExpTheilSenZCDP(), PureDP(4.0), 4, 1.0),
    (dp.DPSSTheilSen(), ZCDP(2 * math.tanh(0.5)), 2, 2.0),
    (dp.DPGDPure(steps=9), ZCDP(9 * math.exp(-1)), 2, 9.0),
]


def test_known_values():
    for mechanism, wanted, points, epsilon in KNOWN:
        assert mechanism.largest_epsilon(wanted, points) == pytest.approx(epsilon, rel=1e-9), (
            mechanism
        )


def test_the_best_way_to_epsilon_and_delta_is_taken():
    """Few parts: the sum of their epsilons; many: zCDP, and mu for Gaussian noise."""
    wanted = ApproxDP(1.0, 1e-6)
    assert dp.NoisyStats().largest_epsilon(wanted) == pytest.approx(1.0, abs=1e-5)
    assert (
        dp.DPGDPure(steps=500).largest_epsilon(wanted)
        > 3
        > dp.DPGDPure(steps=30).largest_epsilon(wanted)
        > 1
    )
    assert dp.DPExpTheilSen().largest_epsilon(wanted, 100) > 2


def test_what_cannot_be_calibrated_says_so():
    for wrong in (PureDP(0), GaussianDP(math.inf), ApproxDP(1, 1)):
        with pytest.raises(ValueError, match=r"^(epsilon|rho|mu|delta) must "):
            dp.NoisyStats().largest_epsilon(wrong)
    assert dp.OLS().largest_epsilon(ZCDP(0.5)) is None
    with pytest.raises(ValueError, match=r"^guarantee must be one of differential privacy"):
        dp.OLS().largest_epsilon(dp.OLS().guarantee(1.0))
    with pytest.raises(ValueError, match=r"^points must "):
        dp.NoisyStats().largest_epsilon(ZCDP(0.5), 0)
    assert (
        dp.DPGDApprox(delta=0.01).largest_epsilon(GaussianDP(0.01)) is None
    )  # delta alone is a mu of 2.5 delta
