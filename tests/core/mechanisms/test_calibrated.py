"""The epsilon that a guarantee allows: enough for it, the largest known, and no less private than measured."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import all_neighbours
from dpslr_core.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    NoiseKind,
    NotPrivate,
    PureDP,
    equal_draws,
    laplace_mu,
    limits,
    losses,
    pure_mu,
    satisfies,
)
from tests.cases.audit import CORNERS
from tests.cases.every_mechanism import each_class, each_spender
from tests.reference.privacy import laplace_renyi, mu_of_pair, renyi

PRIVATE = [cls() for cls in dp.MECHANISMS if cls().guarantee(1.0).private]
each_private = pytest.mark.parametrize("mechanism", PRIVATE, ids=lambda mechanism: mechanism.name)
EPSILONS = [1e-3, 0.3, 2.0, 16.0, 1e3]
TARGETS = [PureDP(1.3), ZCDP(0.4), GaussianDP(0.9), ApproxDP(1.1, 1e-5)]


@each_spender
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("points", [1, 3])
def test_its_own_guarantee_gives_epsilon_back(mechanism, epsilon, points):
    guarantee = mechanism.guarantee(epsilon)
    if isinstance(guarantee, NotPrivate):
        with pytest.raises(ValueError, match=r"^guarantee must be one of differential privacy"):
            mechanism.calibrated(guarantee, points)
        return
    back = mechanism.calibrated(guarantee, points)
    assert back >= epsilon
    if isinstance(guarantee, ZCDP):  # an exponential mechanism at a large epsilon loses less than its guarantee says
        assert losses(mechanism.draws(back, points)).rho == pytest.approx(guarantee.rho)
    elif not isinstance(guarantee, ApproxDP):
        assert back == pytest.approx(epsilon, rel=1e-9)
    else:
        assert back == pytest.approx(epsilon, rel=1e-6)


@each_private
@pytest.mark.parametrize("wanted", TARGETS, ids=str)
def test_calibrated_is_the_last_that_satisfies(mechanism, wanted):
    def enough(epsilon):
        return satisfies(mechanism.guarantee(epsilon), mechanism.draws(epsilon, 2), wanted, limits(wanted))

    if isinstance(wanted, PureDP) and mechanism.noise_kind is NoiseKind.GAUSSIAN:
        with pytest.raises(ValueError, match=f"^{mechanism.name} cannot satisfy 1.3-differential privacy"):
            mechanism.calibrated(wanted, 2)
        return
    epsilon = mechanism.calibrated(wanted, 2)
    assert enough(epsilon) and not enough(epsilon * (1 + 1e-9))


@pytest.mark.parametrize(
    ("mechanism", "wanted", "points", "epsilon"),
    [
        (dp.NoisyStatsGaussian(), GaussianDP(0.7), 2, 0.7),
        (dp.DPGDzCDP(), ApproxDP(4.886554117462213, 1e-6), 2, 1.0),
        (dp.NoisyIntercept(), ZCDP(math.exp(-1)), 2, 1.0),
        (dp.NoisyStats(), ZCDP(3 * math.exp(-1)), 5, 3.0),
        (dp.DPExpTheilSen(), ZCDP(0.25), 2, 2.0),
        (dp.DPExpTheilSen(k=3), ZCDP(0.25), 8, 4.0),
        (dp.JointTheilSen(), ZCDP(0.5), 7, 2.0),
        (dp.DPExpTheilSenZCDP(), PureDP(4.0), 4, 1.0),
        (dp.DPSSTheilSen(), ZCDP(2 * math.tanh(0.5)), 2, 2.0),
        (dp.ChooseByCenteredStats(), GaussianDP(math.hypot(laplace_mu(0.5), pure_mu(1.5))), 2, 2.0),
        (dp.DPGDPure(steps=9), ZCDP(9 * math.exp(-1)), 2, 9.0),
    ],
    ids=lambda value: str(value) if isinstance(value, dp.Mechanism) else None,
)
def test_known_values(mechanism, wanted, points, epsilon):
    assert mechanism.calibrated(wanted, points) == pytest.approx(epsilon, rel=1e-9)


def test_the_best_way_to_epsilon_and_delta_is_taken():
    """Few parts: the sum of their epsilons; many: zCDP, and mu for Gaussian noise."""
    wanted = ApproxDP(1.0, 1e-6)
    assert dp.NoisyStats().calibrated(wanted) == pytest.approx(1.0, abs=1e-5)
    assert dp.DPGDPure(steps=500).calibrated(wanted) > 3 > dp.DPGDPure(steps=30).calibrated(wanted) > 1
    assert dp.DPExpTheilSen().calibrated(wanted, 100) > 2


@pytest.mark.parametrize(
    "wrong", [PureDP(0), PureDP(math.nan), ZCDP(-1), GaussianDP(math.inf), ApproxDP(1, 0), ApproxDP(1, 1)]
)
def test_a_guarantee_that_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match=r"^(epsilon|rho|mu|delta) must "):
        dp.NoisyStats().calibrated(wrong)


def test_what_cannot_be_calibrated_says_so():
    with pytest.raises(ValueError, match=r"^OLS cannot satisfy ρ = 0.5 zCDP, whatever its epsilon"):
        dp.OLS().calibrated(ZCDP(0.5))
    with pytest.raises(ValueError, match=r"^points must "):
        dp.NoisyStats().calibrated(ZCDP(0.5), 0)
    with pytest.raises(ValueError, match=r"^DPGDApprox cannot satisfy"):  # delta alone is a mu of 2.5 delta
        dp.DPGDApprox(delta=0.01).calibrated(GaussianDP(0.01))


@each_class
def test_only_gradient_descent_has_other_hyperparameters_in_the_paper(cls):
    mechanism = cls()
    papers = mechanism.as_in_paper()
    if cls in (dp.DPGDPure, dp.DPGDApprox, dp.DPGDzCDP):
        assert (mechanism.steps, mechanism.clip) == (30, 0.1) and papers == cls(steps=80, clip=1.0)
        assert cls(start=[0.2, 0.8]).as_in_paper().start == (0.2, 0.8)
        assert hash(cls(start=[0.2, 0.8])) == hash(cls(start=(0.2, 0.8)))
    else:
        assert papers == mechanism


# ---------------------------------------------------------------- against what is measured


def neighbouring(grid=CORNERS, n=4):
    """Pairs of neighbours on a small grid."""
    for near in all_neighbours(grid, n):
        for pair in itertools.combinations(near, 2):
            yield [Dataset(*np.array(records).T) for records in pair]


def cells_of(mechanism, data, neighbour, epsilon, at):
    """By point the probabilities of the pieces of both laws."""
    both = [mechanism.law(either, epsilon, at) for either in (data, neighbour)]
    for mine, theirs in zip(*both, strict=True):
        ends = np.unique(np.concatenate([mine.edges, theirs.edges]))
        cells = [np.diff(law.cdf(ends)) for law in (mine, theirs)]
        used = cells[0] > 0
        yield cells[0][used], cells[1][used]


@pytest.mark.parametrize("mechanism", [dp.DPExpTheilSen(), dp.DPWideTheilSen(theta=0.2)], ids=repr)
@pytest.mark.parametrize("wanted", [ZCDP(0.05), ZCDP(2.0), GaussianDP(0.3), GaussianDP(2.0)], ids=str)
def test_an_exponential_mechanism_loses_no_more_than_it_is_calibrated_to(mechanism, wanted):
    """Of the joint law at two points, over all neighbours of four records in the corners."""
    at, worst = (0.25, 0.75), 0.0
    epsilon = mechanism.calibrated(wanted, len(at))
    for data, neighbour in neighbouring():
        pairs = list(cells_of(mechanism, data, neighbour, epsilon, at))
        if isinstance(wanted, ZCDP):
            orders = np.concatenate([[1.0], 1 + np.geomspace(0.01, 100, 60)])
            worst = max(worst, np.max(sum(renyi(p, q, orders) for p, q in pairs) / orders))
        else:
            p, q = (np.multiply.outer(*cells).ravel() for cells in zip(*pairs, strict=True))
            worst = max(worst, mu_of_pair(p, q))
    limit = wanted.rho if isinstance(wanted, ZCDP) else wanted.mu
    assert 0.1 * limit < worst <= limit * (1 + 1e-9)


def worst_rho(mechanism, epsilon, pairs):
    """The largest rho of Laplace noise on the mean of y, by quadrature."""
    shifts = [abs(a.y_mean - b.y_mean) / mechanism.law(a, epsilon, [0.5])[0].scale for a, b in pairs]
    return max(laplace_renyi(max(shifts), a) / a for a in (1.001, 1.1, 2.0, 9.0))


@pytest.mark.parametrize("rho", [0.05, 0.5, 4.0])
def test_laplace_noise_loses_no_more_than_it_is_calibrated_to(rho):
    mechanism = dp.NoisyIntercept()
    assert 0.99 * rho < worst_rho(mechanism, mechanism.calibrated(ZCDP(rho)), neighbouring()) <= rho


@dataclass(frozen=True)
class Mislabelled(dp.NoisyIntercept):
    """Laplace noise that is said to be an exponential mechanism."""

    noise_kind = NoiseKind.BOUNDED_RANGE


def test_noise_of_another_kind_than_is_said_is_caught():
    mechanism = Mislabelled()
    assert worst_rho(mechanism, mechanism.calibrated(ZCDP(0.5)), neighbouring()) > 0.55


@pytest.mark.parametrize("mechanism", [m for m in PRIVATE if m.noise_kind is NoiseKind.GAUSSIAN], ids=lambda m: m.name)
@pytest.mark.parametrize("wanted", [ZCDP(0.3), GaussianDP(1.5), ApproxDP(1.0, 1e-6)], ids=str)
def test_gaussian_noise_loses_no_more_than_it_is_calibrated_to(mechanism, wanted):
    """rho of the audit, from which mu = sqrt(2 rho) and all else follow."""
    epsilon, at = mechanism.calibrated(wanted), np.array([0.25, 0.75])
    pairs = list(neighbouring())
    rho = max(mechanism.loss(mechanism.view(a, epsilon, at), mechanism.view(b, epsilon, at), epsilon) for a, b in pairs)
    assert 0.5 * limits(wanted).mu < math.sqrt(2 * rho) <= limits(wanted).mu * (1 + 1e-9)


# ---------------------------------------------------------------- what algorithms of others get


@dataclass(frozen=True)
class Undeclared(dp.NoisyIntercept):
    """zCDP by noise of a kind that is not said."""

    noise_kind, draws = NoiseKind.PURE, dp.Mechanism.draws

    def guarantee(self, epsilon):
        return ZCDP(epsilon**2 / 2)


def test_noise_of_an_unknown_kind_is_known_by_its_guarantee_alone():
    unknown = Undeclared()
    assert unknown.calibrated(ZCDP(0.5)) == pytest.approx(1.0, rel=1e-9)
    assert 0.15 < unknown.calibrated(ApproxDP(1.0, 1e-6)) < dp.DPGDzCDP().calibrated(ApproxDP(1.0, 1e-6))
    for wanted in (PureDP(1.0), GaussianDP(1.0)):
        with pytest.raises(ValueError, match=r"^Undeclared cannot satisfy"):
            unknown.calibrated(wanted)


def test_losses_of_a_gaussian_guarantee():
    assert losses(equal_draws(GaussianDP(2.0), NoiseKind.PURE, 1)) == (math.inf, 2.0, 2.0)
    assert losses(equal_draws(ApproxDP(1.0, 0.1), NoiseKind.PURE, 1)) == (math.inf, math.inf, math.inf)
    assert not satisfies(NotPrivate("so"), (), ZCDP(1.0), limits(ZCDP(1.0)))
