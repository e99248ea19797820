"""JointTheilSen and the variants in zCDP: their laws, what they gain, and what one release shares."""

from dataclasses import replace

import numpy as np
import pytest
import reference
from cases import DATASETS, PLAIN
from scipy import stats

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import (
    DPExpTheilSen,
    DPExpTheilSenZCDP,
    DPWideTheilSen,
    DPWideTheilSenZCDP,
    JointTheilSen,
    JointTheilSenZCDP,
)
from dpslr_core.pairs import with_ends
from dpslr_core.privacy import Budget
from dpslr_core.support.run import QUARTERS

D0 = Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))
ENDS = (-0.5, 1.5)


def ratios(mechanism, data, epsilon):
    """C(68) over the standard error at the quarters."""
    centers = data.predict(QUARTERS).tolist()
    bounds = [law.error_bound(68, c) for law, c in zip(mechanism.law(data, epsilon), centers, strict=True)]
    return np.array(bounds) / data.standard_error(QUARTERS)


def mean_ratio(mechanism, n, var_x, var_e, epsilon):
    sets = [Dataset(*simulate_linear(n, var_x, var_e, rng=np.random.default_rng(seed))) for seed in range(4)]
    return np.mean([ratios(mechanism, data, epsilon)[0] for data in sets])


def same_law(law, other):
    t = np.concatenate([other.ppf(np.linspace(0, 1, 201)), np.linspace(*ENDS, 201)])
    np.testing.assert_allclose(law.cdf(t), other.cdf(t), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", ["even n", "tied x", "constant x", "constant y", "corners", "three records"])
def test_the_law_is_the_definition_box_by_box(name):
    data, epsilon = DATASETS[name], 3.0
    lists = [reference.private_list(data.x.tolist(), data.y.tolist(), point, *ENDS) for point in QUARTERS]
    cells = reference.joint_density(lists, epsilon / (data.n - 1), *ENDS)
    for place, law in enumerate(JointTheilSen().law(data, epsilon)):
        for left, right, density in reference.density_at(cells, place):
            assert law.cdf(right) - law.cdf(left) == pytest.approx((right - left) * density, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("epsilon", [0.01, 2.0, 1e3])
def test_at_one_point_it_is_the_separate_median(k, epsilon):
    """With matchings, given the matchings: the averages draw their own."""
    joint, separate = JointTheilSen(k=k), DPExpTheilSen(k=k)
    if k is None:
        same_law(joint.law(PLAIN, epsilon, 0.4)[0], separate.law(PLAIN, epsilon, 0.4)[0])
    grid = joint.grid(np.array([0.4]))
    z = with_ends(np.array([0.1, 0.2, 0.2, 0.7]), *grid.range)
    same_law(*(mechanism.laws_of([z], epsilon, 3, grid)[0] for mechanism in (joint, separate)))
    for mechanism in (JointTheilSenZCDP(k=k), DPExpTheilSenZCDP(k=k)):
        same_law(mechanism.laws_of([z], epsilon, 3, grid)[0], separate.laws_of([z], 2 * epsilon, 3, grid)[0])


def test_errors_at_two_points():
    """C(68) at 0.25 of 250 records, epsilon 2, and in smaller data sets in standard errors."""
    error = D0.standard_error(QUARTERS)[0]
    expected = {DPExpTheilSen(): 0.0138, JointTheilSen(): 0.0126, DPExpTheilSenZCDP(): 0.0109}
    for mechanism, bound in expected.items():
        assert ratios(mechanism, D0, 2.0)[0] * error == pytest.approx(bound, abs=5e-5)
    assert mean_ratio(DPExpTheilSen(), 100, 0.03, 0.01, 1.0) == pytest.approx(3.5, rel=0.2)
    assert mean_ratio(JointTheilSen(), 100, 0.03, 0.01, 1.0) == pytest.approx(2.3, rel=0.2)
    assert mean_ratio(DPExpTheilSen(), 30, 0.01, 0.0025, 2.0) == pytest.approx(11.4, rel=0.2)
    assert mean_ratio(DPExpTheilSenZCDP(), 30, 0.01, 0.0025, 2.0) == pytest.approx(0.98, rel=0.2)


def test_points_of_one_release_share_a_level():
    """Far from its median at one point, a release is far at the other more often than releases one by one would be."""
    released = JointTheilSen().release(D0, 0.7, size=20_000, rng=np.random.default_rng(0))
    far = np.abs(released - D0.theil_sen(QUARTERS)) > np.quantile(
        np.abs(released - D0.theil_sen(QUARTERS)), 0.9, axis=0
    )
    assert stats.fisher_exact(np.histogram2d(*far.T.astype(int), bins=2)[0], "greater").pvalue < 1e-6
    apart = DPExpTheilSen().release(D0, 0.7, size=20_000, rng=np.random.default_rng(0))
    far = np.abs(apart - D0.theil_sen(QUARTERS)) > np.quantile(np.abs(apart - D0.theil_sen(QUARTERS)), 0.9, axis=0)
    assert stats.fisher_exact(np.histogram2d(*far.T.astype(int), bins=2)[0], "greater").pvalue > 1e-3


@pytest.mark.parametrize(
    ("variant", "plain"), [(DPExpTheilSenZCDP, DPExpTheilSen), (DPWideTheilSenZCDP, DPWideTheilSen)]
)
@pytest.mark.parametrize("points", [(0.25,), (0.25, 0.75), (0.1, 0.4, 0.6, 0.9)])
def test_rho_buys_a_larger_epsilon_for_the_same_mechanism(variant, plain, points):
    """eta = sqrt(8 rho / m) at each of m points, m eta in all; the first alone gets as much of rho / m."""
    epsilon, m = 1.3, len(points)
    total = np.sqrt(8 * epsilon**2 / 2 * m)
    alone = variant().first_point_alone(Budget(epsilon, points))
    assert variant().guarantee(alone.epsilon).rho == pytest.approx(variant().guarantee(epsilon).rho / m)
    for law, other in zip(variant().law(PLAIN, epsilon, points), plain().law(PLAIN, total, points), strict=True):
        same_law(law, other)
    same_law(variant().law(PLAIN, alone.epsilon, alone.at)[0], variant().law(PLAIN, epsilon, points)[0])
    drawn = [
        mechanism.release(PLAIN, spent, points, 50, rng=np.random.default_rng(3))
        for mechanism, spent in ((replace(variant(), k=2), epsilon), (replace(plain(), k=2), total))
    ]
    np.testing.assert_allclose(*drawn, rtol=0, atol=1e-12)


def test_one_draw_in_zcdp_has_twice_its_epsilon():
    for law, other in zip(JointTheilSenZCDP().law(PLAIN, 1.3), JointTheilSen().law(PLAIN, 2.6), strict=True):
        same_law(law, other)


def test_names_with_matchings():
    assert JointTheilSen(k=10).name == "JointTheilSen10Match"
    assert DPExpTheilSenZCDP(k=10).name == "DPExpTheilSenZCDP10Match"
