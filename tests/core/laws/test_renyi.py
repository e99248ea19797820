"""The loss in zCDP: against integrals, closed forms and cells."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import integrate, stats

from dpslr_core.laws import Law, divergence
from dpslr_core.laws.by_rank import StaircaseLaw
from dpslr_core.laws.divergence import joint_rho, staircase_renyi
from dpslr_core.laws.joint import JointLaw, JointMedians, RankBounds
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs import with_ends

ORDERS = np.array([1.001, 1.5, 2.0, 20.0])
LAW = PiecewiseUniform(np.array([0.0, 0.2, 0.7, 1.0]), np.array([0.0, 1.0, -0.5]))
OTHER = PiecewiseUniform(np.array([0.0, 0.3, 0.7, 1.0]), np.array([0.3, 0.8, 0.1]))


@dataclass(frozen=True)
class Normal(Law):
    location: float

    def cdf(self, t):
        return stats.norm.cdf(t, self.location)

    def ppf(self, q):
        return stats.norm.ppf(q, self.location)

    def logpdf(self, t):
        return stats.norm.logpdf(t, self.location)


@pytest.mark.parametrize("order", ORDERS)
def test_divergence_of_piecewise_laws_is_the_integral(order):
    def integrand(t):
        return np.exp(order * LAW.logpdf(t) + (1 - order) * OTHER.logpdf(t))

    value = integrate.quad(integrand, 0, 1, points=[0.2, 0.3, 0.7])[0]
    assert staircase_renyi(LAW, OTHER, np.array([order]))[0] == pytest.approx(np.log(value) / (order - 1), rel=1e-6)


def test_bounds_on_densities_give_lower_bounds():
    slack = 1e-3
    near = StaircaseLaw(LAW.edges, LAW.log_density - slack, LAW.log_density + slack, lambda r, piece: r)
    exact, bound = (staircase_renyi(law, OTHER, ORDERS) for law in (LAW, near))
    assert (bound <= exact).all() and bound[2] == pytest.approx(exact[2], abs=10 * slack)


def test_independent_points_add_up():
    one, two = (joint_rho(*(JointLaw.independent([law] * count) for law in (LAW, OTHER))) for count in (1, 2))
    assert two == pytest.approx(2 * one, rel=1e-9)
    assert joint_rho(JointLaw.independent([LAW]), JointLaw.independent([LAW])) == pytest.approx(0, abs=1e-9)


def test_normal_laws_lose_half_the_squared_shift():
    """Taken together in intervals their outcomes show a little less."""
    laws = [JointLaw.independent([Normal(location)]) for location in (0.0, 0.7)]
    assert 0.99 * 0.7**2 / 2 < joint_rho(*laws) <= 0.7**2 / 2 * (1 + 1e-9)


def test_mixtures_of_products_are_compared_cell_by_cell():
    """The same law as a mixture over its levels, and in one piece."""
    lists = [[0.1, 0.3, 0.3, 0.6], [0.2, 0.2, 0.5, 0.7]], [[0.3, 0.3, 0.6, 0.9], [0.2, 0.5, 0.7, 0.8]]
    laws = [
        JointMedians([RankBounds.of_list(with_ends(np.array(z), 0.0, 1.0)) for z in each], 4, 0.4) for each in lists
    ]
    mixtures = [JointLaw(law.parts) for law in laws]
    assert joint_rho(*mixtures) == pytest.approx(joint_rho(*laws), rel=1e-9) and joint_rho(*laws) > 0.01
    unlike = JointLaw([(0.5, [LAW, Normal(0.0)]), (0.5, [OTHER, Normal(0.0)])])
    assert np.isnan(joint_rho(unlike, unlike))


def test_what_is_not_known_is_not_a_number():
    assert np.isnan(joint_rho(JointLaw(), JointLaw.independent([LAW])))
    law = JointMedians([RankBounds.of_list(np.array([0.0, 0.5, 1.0]))], 1, 1.0)
    with pytest.raises(TypeError, match="of one mechanism"):
        joint_rho(law, JointLaw.independent([LAW]))


def test_orders_reach_from_one_to_hundreds():
    assert divergence._ORDERS.min() == 1.001 and divergence._ORDERS.max() == 201
