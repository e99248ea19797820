"""ChooseByCenteredStats: each trial is what the literal rule makes of its noise, at any points and any data."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.audit import audit, trained_loss
from dpslr_core.mechanisms import CenteredStats, ChooseByCenteredStats, DeepestLine, choice
from dpslr_core.privacy import Budget
from tests.cases.inputs import DATASETS
from tests.reference import choice as choice_reference

AT = (0.25, 0.75)


def simulated(n: int, var_x: float, var_e: float, seed: int = 1) -> Dataset:
    return Dataset(*simulate_linear(n, var_x, var_e, rng=np.random.default_rng(seed)))


NEAR_THE_SWITCH = simulated(60, 0.03, 0.01)  # at epsilon = 18 either algorithm is chosen often


@pytest.mark.parametrize(
    ("data", "epsilon", "share"),
    [
        (NEAR_THE_SWITCH, 18.0, 0.25),
        (NEAR_THE_SWITCH, 18.0, 0.6),
        (DATASETS["tied x"], 3.0, 0.3),
        (simulated(900, 0.08, 0.03), 8.0, 0.1),
        (DATASETS["constant x"], 5.0, 0.5),
        (DATASETS["three records"], 0.1, 0.9),
    ],
)
def test_every_trial_is_what_the_literal_rule_makes_of_its_noise(data, epsilon, share):
    mechanism = ChooseByCenteredStats(share=share, grid=50)
    rng, x, y = np.random.default_rng(4), data.x.tolist(), data.y.tolist()
    lines = lambda rest, count: mechanism.line.release(data, rest, (0.25, 0.75), count, rng=rng).tolist()  # noqa: E731
    expected, sums = choice_reference.trials(x, y, mechanism, epsilon, (*AT, 0.4), 300, rng, lines)
    released = mechanism.release(data, epsilon, (*AT, 0.4), 300, rng=np.random.default_rng(4))
    np.testing.assert_allclose(released, expected, rtol=1e-6, atol=1e-8)
    if data is NEAR_THE_SWITCH and share == 0.25:
        assert 0.1 < sums.mean() < 0.9


def test_the_ledger_pays_for_the_choice_first():
    rows = ChooseByCenteredStats(share=0.2).ledger(5.0, (0.1, 0.5, 0.9))
    assert [row.share for row in rows] == pytest.approx([1.0, 4.0])
    assert "chosen" in rows[0].what and "line" in rows[1].what
    assert ChooseByCenteredStats().share == 0.25


def errors(data, epsilon, size=3000):
    """C(68) of the choice, of CenteredStats and of DeepestLine, all at the whole budget, averaged over two points."""
    found = []
    for mechanism in (ChooseByCenteredStats(), CenteredStats(), DeepestLine()):
        off = mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(3)) - data.predict(AT)
        found.append(np.quantile(np.abs(off), 0.68, axis=0).mean())
    return found


@pytest.mark.parametrize(
    ("n", "var_x", "var_e", "epsilon", "better"),
    [
        (250, 0.03, 0.01, 2.0, "DeepestLine"),
        (1000, 0.03, 0.01, 1.0, "DeepestLine"),
        (1600, 0.05, 0.01, 0.5, "DeepestLine"),
        (250, 0.05, 0.03, 16.0, "CenteredStats"),
        (1000, 0.08, 0.03, 4.0, "CenteredStats"),
    ],
)
def test_its_error_is_near_that_of_the_better_one_whichever_that_is(n, var_x, var_e, epsilon, better):
    """A line has 3/4 of the budget: 1.33 times the noise; sums sqrt(1/4^2 + 3/4^2) of it: 1.27 times."""
    chosen, sums, line = errors(simulated(n, var_x, var_e), epsilon)
    assert (sums < line) == (better == "CenteredStats")
    assert chosen < 1.45 * min(sums, line) and chosen < 0.6 * max(sums, line)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_both_stages_together_lose_all_that_the_sums_may_lose(share):
    """Either stage as CenteredStats: d / b1 + ... over 5/6 in both directions, whatever the share."""
    data = Dataset([1.0, 0.2, 0.6, 0.4], [1.0, 0.9, 0.1, 0.5])
    neighbour = data.with_record(0, 1 / 6, 1 / 6)
    mechanism = ChooseByCenteredStats(share=share, grid=20)
    alone = audit(CenteredStats(), data, neighbour, 2.0).measured
    assert audit(mechanism, data, neighbour, 2.0).measured >= alone - 1e-12
    assert audit(mechanism, data, neighbour, 2.0).holds and alone > 1.7


def test_draws_show_no_more_than_is_promised():
    data = Dataset(np.linspace(0, 1, 20), np.linspace(0.2, 0.5, 20))
    neighbour = data.with_record(19, 1.0, 0.0)
    for epsilon in (0.5, 8.0):
        loss = trained_loss(ChooseByCenteredStats(), data, neighbour, Budget(epsilon), draws=10_000)
        assert 0 <= loss.measured <= loss.promised


# ---------------------------------------------------------------- predicted errors


SUMS = CenteredStats()


def known(data, epsilon=1e9, noise=0.0):
    """The statistics of the sums with this noise."""
    return SUMS._statistics(data, epsilon, np.full((5, 1), noise))


def test_the_constants_of_a_deepest_line():
    """E a^2 and E b^2 under exp(-m), m = max over |u| <= 1 of |a u - b (sqrt(3)/2) (1 - u^2)|, on a grid."""
    a, b = np.meshgrid(np.linspace(0, 20, 401), np.linspace(0, 23, 461), indexing="ij")
    score = np.max([np.abs(a * u - b * np.sqrt(3) / 2 * (1 - u * u)) for u in np.linspace(-1, 1, 101)], axis=0)
    weight = np.exp(-score)
    weight[0] /= 2  # half of the cells at the axes is on the other side
    weight[:, 0] /= 2
    means = [(weight * square).sum() / weight.sum() for square in (a * a, b * b)]
    assert means == pytest.approx([choice._LEVEL, choice._TILT], rel=2e-3)


@pytest.mark.parametrize(("n", "var_x", "x_mean", "slope"), [(400, 0.03, 0.5, 0.5), (900, 0.02, 0.3, -0.7)])
def test_errors_of_sums_are_the_covariance_of_their_line(n, var_x, x_mean, slope):
    x, y = simulate_linear(n, var_x, 0.01, slope, 0.5 - slope * x_mean, x_mean, rng=np.random.default_rng(2))
    data, epsilon = Dataset(x, y), 60.0
    lines = SUMS.release_statistics(data, epsilon, 40_000, rng=np.random.default_rng(3)).predict(AT)
    expected = choice.errors_of_sums(known(data), SUMS.noise_scale(epsilon), 2.0)[0]
    np.testing.assert_allclose(np.cov(lines.T), expected, rtol=0.06, atol=0.02 * expected.max())


@pytest.mark.parametrize(
    ("n", "var_x", "var_e", "epsilon"),
    [(60, 0.03, 0.005, 1.0), (250, 0.003, 0.0005, 1.0), (250, 0.07, 0.005, 0.3), (1000, 0.03, 0.03, 0.3)],
)
def test_where_noise_decides_a_drawn_line_is_off_as_predicted(n, var_x, var_e, epsilon):
    """68% of the predictions within 0.8 to 1.25 standard deviations, averaged over data sets and both points."""
    ratios = []
    for seed in range(6):
        data = simulated(n, var_x, var_e, seed)
        off = DeepestLine().release(data, epsilon, AT, 1500, rng=np.random.default_rng(seed)) - data.predict(AT)
        parts = choice.errors_of_deepest_line(known(data), epsilon, 0.1)
        deviations = np.sqrt(np.diagonal(sum(part[0] for part in parts)))
        ratios.append(np.quantile(np.abs(off), 0.68, axis=0) / deviations)
    assert 0.8 < np.mean(ratios) < 1.25


def test_two_answers_are_weighted_so_that_no_other_weights_have_less_error():
    rng = np.random.default_rng(4)
    first, second = (part @ part.transpose(0, 2, 1) for part in rng.standard_normal((2, 50, 2, 2)))
    weight, one = choice._share_of_second(first, second), np.eye(2)

    def error(w):
        left = one - w
        return np.trace(left @ first @ left.swapaxes(1, 2) + w @ second @ w.swapaxes(1, 2), axis1=1, axis2=2)

    for change in 0.1 * rng.standard_normal((10, 2, 2)):
        assert (error(weight) <= error(weight + change)).all()
    np.testing.assert_allclose(error(weight), np.trace(weight @ second, axis1=1, axis2=2), rtol=1e-9)


@pytest.mark.parametrize("noise", [0.0, np.nan, 1e80])
def test_sums_without_a_slope_or_a_number_are_of_no_use(noise):
    """n var(x) = 0, or no number at all: DeepestLine alone."""
    plan = choice.predicted_plan(
        known(DATASETS["constant x"], 1.0, noise), SUMS.noise_scale(1.0), 1.0, 3.0, DeepestLine()
    )
    assert not plan.sums.any()
    np.testing.assert_array_equal(plan.weight, [np.eye(2)])


def test_nine_plans_in_ten_are_the_better_ones():
    """Of trials on 40 data sets where one of both has an error 1.3 times the other's; each error is of 300 trials."""
    rng, mechanism, right = np.random.default_rng(5), ChooseByCenteredStats(), []
    for _ in range(40):
        n, epsilon, var_x, sigma = np.exp(rng.uniform(*np.log([[50, 1, 0.01, 0.03], [2000, 16, 0.08, 0.2]])))
        data = Dataset(*simulate_linear(int(n), var_x, sigma**2, rng=rng))
        noise = rng.laplace(size=(5, 300))
        first = SUMS._statistics(data, mechanism.first(epsilon), noise)
        plan = mechanism.plan(data, first, epsilon)
        sums = mechanism._of_all_sums(data, epsilon, noise, rng).predict(AT)
        lines = mechanism._of_both_lines(data, epsilon, first, plan.weight, rng)
        of_sums, of_lines = (np.quantile(np.abs(p - data.predict(AT)), 0.68, axis=0).mean() for p in (sums, lines))
        if max(of_sums, of_lines) > 1.3 * min(of_sums, of_lines):
            right.append(np.mean(plan.sums == (of_sums < of_lines)))
    assert len(right) > 20 and np.mean(right) > 0.88
