"""ChooseByCenteredStats: each trial is what the literal rule makes of its noise, at any points and any data."""

from __future__ import annotations

import choice_reference
import numpy as np
import pytest
from cases import DATASETS, PLAIN

from dpslr_core import Dataset, compare, simulate_linear
from dpslr_core.audit import audit, trained_loss
from dpslr_core.mechanisms import CenteredStats, ChooseByCenteredStats, DeepestLine
from dpslr_core.privacy import Budget

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


@pytest.mark.parametrize("name", ["three records", "constant y", "corners", "duplicated records"])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 30.0, 1e12])
def test_it_always_answers_with_a_line(name, epsilon):
    points = np.array([0.25, 0.75, 0.5, -1.0, 2.0])
    released = ChooseByCenteredStats().release(DATASETS[name], epsilon, points, 400, rng=np.random.default_rng(0))
    assert np.isfinite(released).all()
    ends = released[:, :2] @ np.array([2 * (0.75 - points), 2 * (points - 0.25)])
    np.testing.assert_allclose(released, ends, rtol=1e-9, atol=1e-9)


def test_the_points_do_not_change_the_line():
    mechanism, alone = ChooseByCenteredStats(), [0.6]
    many = mechanism.release(NEAR_THE_SWITCH, 18.0, (0.1, 0.6), 200, rng=np.random.default_rng(2))
    one = mechanism.release(NEAR_THE_SWITCH, 18.0, alone, 200, rng=np.random.default_rng(2))
    np.testing.assert_allclose(many[:, 1], one[:, 0], rtol=1e-12)


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


def test_near_the_switch_the_choice_is_better_than_the_rest_of_the_budget_alone():
    """The average over four data sets: the first sums show on which of them DeepestLine is far from OLS."""
    choice, alone = 0.0, 0.0
    for data in (simulated(200, 0.05, 0.02, seed) for seed in range(1, 5)):
        off = DeepestLine().release(data, 6.0, AT, 2000, rng=np.random.default_rng(3)) - data.predict(AT)
        alone += np.quantile(np.abs(off), 0.68, axis=0).mean()
        choice += errors(data, 8.0, 2000)[0]
    assert choice < 0.9 * alone


def test_ties_of_many_records():
    x, y = simulate_linear(2000, 0.05, 0.01, rng=np.random.default_rng(5))
    data = Dataset(np.round(x, 2), np.round(y, 2))
    chosen, sums, line = errors(data, 2.0, 500)
    assert chosen < 1.6 * min(sums, line)


def test_tables_take_it_like_any_other_and_say_that_trials_were_drawn():
    summary = compare(PLAIN, [ChooseByCenteredStats(), DeepestLine()], 3.0, trials=200).summary
    row = summary[summary["mechanism"] == "ChooseByCenteredStats"].iloc[0]
    assert not row["exact"] and 0 < row["c68"] < 2 and row["failure_rate"] == 0


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
