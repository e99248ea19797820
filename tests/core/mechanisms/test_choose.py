"""ChooseByNoisyVariance: who is chosen how often, what is then released, and its law against the draws."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import reference
from cases import DATASETS, PLAIN
from scipy import stats

from dpslr_core import Dataset, by_group, compare, simulate_linear
from dpslr_core.laws import Law
from dpslr_core.laws.mixture import Mixture
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.laws.ratio.law import NoisySlopeLaw
from dpslr_core.mechanisms import ChooseByNoisyVariance, DPExpTheilSen, NoisyStats

AT = (0.25, 0.75)
BALANCED = ChooseByNoisyVariance(share=0.3, threshold=1.0)  # on PLAIN, with epsilon 3 or so


def area(n: int = 70, var_x: float = 0.05, seed: int = 1) -> Dataset:
    return Dataset(*simulate_linear(n, var_x, 0.01, rng=np.random.default_rng(seed)))


@pytest.mark.parametrize("epsilon", [0.5, 3.0, 40.0])
@pytest.mark.parametrize("name", ["even n", "larger", "constant x", "corners"])
def test_chances_are_those_of_the_noisy_variance(name, epsilon):
    """By the literal rule on 200,000 noisy numbers, and as two numbers that add up to 1."""
    data, mechanism = DATASETS[name], ChooseByNoisyVariance(share=0.25, threshold=2.0)
    noise = np.random.default_rng(2).laplace(size=200_000)
    nvar, n = reference.nvar(data.x.tolist()), data.n
    chosen = 0.75 * epsilon * (nvar + (1 - 1 / n) / (0.25 * epsilon) * noise) > 2.0
    chances = np.exp(mechanism.log_chances(data, epsilon))
    assert stats.binomtest(int(chosen.sum()), chosen.size, chances[0]).pvalue > 1e-3
    assert chances.sum() == pytest.approx(1, rel=1e-15)


def test_small_chances_keep_their_digits():
    data = area()
    for epsilon in (0.01, 2.0, 16.0, 400.0):
        mechanism = ChooseByNoisyVariance()
        margin = (400 / (0.9 * epsilon) - data.nvar) * 0.1 * epsilon / (1 - 1 / data.n)
        logs = mechanism.log_chances(data, epsilon)
        assert logs == pytest.approx((stats.laplace.logsf(margin), stats.laplace.logcdf(margin)), rel=1e-12, abs=1e-300)


def test_the_ledger_pays_for_the_choice_first():
    rows = ChooseByNoisyVariance(share=0.2).ledger(5.0, (0.1, 0.5, 0.9))
    assert [row.share for row in rows] == pytest.approx([1.0, 4 / 3, 4 / 3, 4 / 3])
    assert "n var(x)" in rows[0].what and all(
        f"x = {x}" in row.what for x, row in zip((0.1, 0.5, 0.9), rows[1:], strict=True)
    )


def reference_trials(mechanism, data, epsilon, size, seed):
    """Trials of the literal reference at AT, shape (size, 2)."""
    rng = np.random.default_rng(seed)
    x, y = data.x.tolist(), data.y.tolist()
    drawn = [reference.choose(x, y, epsilon, AT, *vars(mechanism).values(), rng) for _ in range(size)]
    return np.array(drawn, dtype=float)  # None becomes NaN


@pytest.mark.parametrize("mechanism", [BALANCED, ChooseByNoisyVariance(0.5, 0.8, 0.0, 1.0)], ids=repr)
def test_draws_follow_the_literal_reference(mechanism):
    """Both points together: the difference between them is of one algorithm's making, never of two."""
    slow = reference_trials(mechanism, PLAIN, 4.0, 2000, 5)
    fast = mechanism.release(PLAIN, 4.0, AT, 20_000, rng=np.random.default_rng(6))
    failed = [[np.isnan(v[:, 0]).sum(), (~np.isnan(v[:, 0])).sum()] for v in (slow, fast)]
    assert stats.fisher_exact(failed).pvalue > 1e-3
    slow, fast = (v[~np.isnan(v[:, 0])] for v in (slow, fast))
    for weights in ((1, 0), (0, 1), (1, -1)):
        assert stats.ks_2samp(slow @ weights, fast @ weights).pvalue > 1e-3


def test_trials_stay_in_their_order():
    """What the choice's noise says of each trial is what that trial holds."""
    mechanism, size = BALANCED, 4000
    released = mechanism.release(PLAIN, 3.0, AT, size, rng=np.random.default_rng(3))
    above = np.random.default_rng(3).laplace(size=size) > mechanism.margin(PLAIN, 3.0)
    within = ((released >= -0.5) & (released <= 1.5)).all(axis=1)
    assert 0.2 < above.mean() < 0.8 and within[~above].all() and not within[above].all()


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("threshold", [0.4, 2.0, 6.0])
def test_half_a_million_draws_follow_the_law_and_no_other_scale(share, threshold):
    data, epsilon, size = area(60), 4.0, 500_000
    mechanism = ChooseByNoisyVariance(share, threshold)
    law = mechanism.law(data, epsilon, AT)[1]
    assert isinstance(law, Mixture) and law.exact and law.how == "exact law"
    draws = mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(9))[:, 1]
    t = law.median + np.r_[-np.geomspace(100, 1e-3, 200), np.geomspace(1e-3, 100, 200)]
    below = np.searchsorted(np.sort(draws[~np.isnan(draws)]), t, side="right") / size
    tolerance = math.sqrt(math.log(2e6) / (2 * size))  # DKW: one run in 10^6 fails
    assert np.abs(below - law.cdf(t)).max() < tolerance
    assert abs(np.isnan(draws).mean() - law.failure) < tolerance
    for factor in (2 / 3, 3 / 2):
        assert np.abs(below - law.cdf(law.median + factor * (t - law.median))).max() > 10 * tolerance
    center = data.predict([0.75])[0]
    errors = np.where(np.isnan(draws), np.inf, np.abs(draws - center))
    bound = law.error_bound(68, center)
    assert np.isinf(bound) or abs((errors <= bound).mean() - 0.68) < 2 * tolerance


def test_a_choice_that_is_no_choice_has_the_law_of_the_one_chosen():
    data, t = area(), np.linspace(-1, 2, 31)
    robust = ChooseByNoisyVariance(threshold=1e4).law(data, 10.0, AT)[0]
    assert isinstance(robust, PiecewiseUniform)
    np.testing.assert_array_equal(robust.cdf(t), DPExpTheilSen().law(data, 9.0, AT)[0].cdf(t))
    noisy = ChooseByNoisyVariance(share=0.5, threshold=1.0).law(data, 100.0, AT)[0]
    assert isinstance(noisy, NoisySlopeLaw) and noisy == NoisyStats().law(data, 50.0, AT)[0]


def test_the_law_that_is_left_out_is_not_even_made(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("made")

    monkeypatch.setattr(DPExpTheilSen, "_laws", refuse)
    large = area(3000)
    law = ChooseByNoisyVariance().law(large, 100.0, AT)[0]
    assert isinstance(law, NoisySlopeLaw)
    assert np.isfinite(ChooseByNoisyVariance().release(large, 100.0, AT, 50, rng=np.random.default_rng(0))).all()


def test_failures_are_those_of_noisy_stats_in_its_share():
    data = DATASETS["nearly constant x"]
    mechanism = ChooseByNoisyVariance(share=0.4, threshold=0.2)
    law = mechanism.law(data, 2.0, AT)[0]
    chance, noisy = math.exp(mechanism.log_chances(data, 2.0)[0]), NoisyStats().law(data, 1.2, AT)[0]
    assert isinstance(law, Law) and law.failure == pytest.approx(chance * noisy.failure, rel=1e-12)
    assert 0.1 < law.failure < 0.5
    assert np.isnan(law.ppf(1 - law.failure / 2)) and law.error_bound(99, 0.5) == np.inf


def test_a_law_known_to_an_error_says_so():
    """From 1,500 records on DPExpTheilSen is known to 10^-4 or so: then so is this, in its share."""
    data = area(1600)
    mechanism = ChooseByNoisyVariance(share=0.3, threshold=(1 - 0.3) * 2 * data.nvar)
    law = mechanism.law(data, 2.0, [0.25])[0]
    center = float(data.predict([0.25])[0])
    assert isinstance(law, Mixture) and law.weights[0] == pytest.approx(0.5) and not law.exact
    assert law.how == law.components[1].how != "exact law"
    low, high = law.error_bound_interval(68, center)
    assert low < law.error_bound(68, center) < high < 1.01 * low
    for end, sign in ((low, 1), (high, -1)):
        mass = float(law.cdf(center + end) - law.cdf(center - end))
        assert 0.68 - mass == pytest.approx(sign * law.components[1].cdf_error, rel=1e-6)  # twice, times a half
    draws = mechanism.release(data, 2.0, [0.25], 4000, rng=np.random.default_rng(1))[:, 0]
    answered = draws[~np.isnan(draws)]
    assert stats.kstest(answered, lambda t: law.cdf(t) / (1 - law.failure)).pvalue > 1e-3


def test_tables_take_it_like_any_other():
    data = area()
    mechanisms = [NoisyStats(), BALANCED, DPExpTheilSen()]
    summary = compare(data, mechanisms, 3.0, trials=20).summary
    row = summary[(summary["mechanism"] == BALANCED.name) & (summary["at"] == 0.25)].iloc[0]
    assert row["exact"] and row["c68"] == BALANCED.law(data, 3.0, AT)[0].error_bound(68, row["center"])
    frame = pd.DataFrame({"group": "a", "x": data.x, "y": data.y})
    found = by_group(frame, mechanisms, 3.0, trials=5)
    mine = found[(found["mechanism"] == BALANCED.name) & (found["at"] == 0.25)].iloc[0]
    assert mine["c68"] == pytest.approx(row["c68"], rel=1e-9) and mine["guarantee"] == "ε = 3"
