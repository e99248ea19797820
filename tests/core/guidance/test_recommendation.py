"""recommend: its evidence against a literal computation and brute force, the rule of thumb, switch points."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

from dpslr_core import Dataset, recommend
from dpslr_core.experiments.sweep import _kept
from dpslr_core.guidance.evidence import simulated_errors
from dpslr_core.guidance.recommendation import circumstances, rule_of_thumb, sized_question
from dpslr_core.guidance.required_values import candidates_at, switch_point
from dpslr_core.mechanisms import (
    MECHANISMS,
    DeepestLine,
    DPExpTheilSen,
    DPGDzCDP,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy import NotPrivate, PureDP
from dpslr_core.scenario import Scenario
from dpslr_core.support.run import Run
from dpslr_core.sweeps import plan_sweep

TWO = [NoisyStats(), DPExpTheilSen()]


def small(**changes):
    given = {
        "n": 80,
        "var_x": 0.03,
        "var_e": 0.01,
        "epsilon": 4.0,
        "mechanisms": TWO,
        "datasets": 12,
    } | changes
    return recommend(**given)


def test_the_error_is_that_of_the_definition():
    """The smallest c with 68% of all releases, on all data sets and at both points, within c sigma of the truth."""
    recommendation = small(at=(0.2, 0.6))
    for mechanism in TWO:
        laws = []
        for number in range(12):
            data = recommendation.model.replicate(0, number)
            for point, law in zip((0.2, 0.6), mechanism.law(data, 4.0, (0.2, 0.6)), strict=True):
                sigma = np.sqrt(0.01 * (1 / data.n + (point - data.x.mean()) ** 2 / data.nvar))
                laws.append((law, 0.5 * point + 0.2, sigma))
        row = recommendation.evidence.set_index("mechanism").loc[mechanism.name]
        assert row["datasets"] == 12
        assert row["error"] == pytest.approx(pooled(laws), rel=5e-3)


def pooled(laws):
    """The smallest c with 68% of all releases within c sigma of their center; laws: each with center and sigma."""

    def short(c):
        within = [
            law.cdf(center + c * sigma) - law.cdf(center - c * sigma) for law, center, sigma in laws
        ]
        return np.mean(within) - 0.68

    return brentq(short, 1e-9, 1e4, xtol=1e-12)


def test_every_private_algorithm_is_in_the_evidence_and_the_pure_ones_may_be_recommended():
    recommendation = recommend(40, 0.03, 0.01, 4.0, datasets=2, trials=10)
    private = [m() for m in MECHANISMS if not isinstance(m().guarantee(1.0), NotPrivate)]
    rows = recommendation.evidence.set_index("mechanism")
    assert set(rows.index) == {"OLS", "TheilSen"} | {m.name for m in private}
    pure = {m.name for m in private if isinstance(m.guarantee(1.0), PureDP)}
    assert set(rows.index[rows["candidate"]]) == pure
    assert recommendation.algorithm in pure
    assert recommendation.evidence["error"].is_monotonic_increasing
    assert rows.loc[recommendation.algorithm, "behind"] == 0


def test_a_weaker_guarantee_is_recommended_only_when_allowed():
    mechanisms = [NoisyStats(), NoisyStatsGaussian()]
    given = {"n": 400, "var_x": 0.06, "epsilon": 8.0, "mechanisms": mechanisms, "datasets": 5}
    strict, allowed = small(**given), small(weaker=True, **given)
    assert strict.algorithm == "NoisyStats"
    assert allowed.algorithm == "NoisyStatsGaussian"
    assert (
        strict.error("NoisyStatsGaussian")
        == allowed.error("NoisyStatsGaussian")
        < strict.error("NoisyStats")
    )


def test_close_calls_are_run_on_more_data_sets_until_they_are_settled():
    """At epsilon 150 eight data sets settle what four do not; the others stay at four."""
    recommendation = small(
        n=100, var_e=0.02, epsilon=150.0, mechanisms=[*TWO, NoisyIntercept()], datasets=4
    )
    rows = recommendation.evidence.set_index("mechanism")["datasets"]
    assert rows[["NoisyStats", "DPExpTheilSen", "NoisyIntercept"]].tolist() == [8, 8, 4]


def test_errors_known_to_be_within_three_percent_are_tied_and_more_data_sets_change_nothing():
    tie = small(n=100, var_e=0.02, epsilon=60.0, datasets=4)
    for behind, error, tied, open_ in (
        (0.02, 0.004, True, False),
        (0.02, 0.02, True, True),
        (0.05, 0.01, False, False),
    ):
        evidence = tie.evidence.assign(behind_error=error)
        second = evidence["mechanism"] == tie.second
        evidence.loc[second, "behind"] = behind
        evidence.loc[second, "error"] = tie.error(str(tie.algorithm)) * (1 + behind)
        changed = replace(tie, evidence=evidence)
        assert (changed.lead.too_close, changed.open) == (tied, open_)


def test_the_page_recommends_a_weaker_guarantee_only_where_no_chosen_algorithm_has_the_strongest():
    some = Scenario(mechanisms=(NoisyStats(), NoisyStatsGaussian()))
    assert [m.name for m in sized_question(some).candidates] == ["NoisyStats"]
    weaker = Scenario(mechanisms=(NoisyStatsGaussian(), DPGDzCDP()))
    assert len(sized_question(weaker).candidates) == 2


def test_numbers_do_not_depend_on_workers_or_on_the_other_algorithms():
    alone, two = small(mechanisms=[DPExpTheilSen()]), small(workers=2)
    assert (
        alone.error("DPExpTheilSen") == two.error("DPExpTheilSen") == small().error("DPExpTheilSen")
    )
    assert small(seed=1).error("DPExpTheilSen") != two.error("DPExpTheilSen")


def test_what_was_computed_at_another_epsilon_changes_no_number():
    def evidence(epsilon):
        mechanisms = [DeepestLine(), DPExpTheilSen()]
        return small(epsilon=epsilon, mechanisms=mechanisms, datasets=3).evidence

    evidence(8.0)
    stepped = evidence(0.5)
    _kept.cache_clear()
    pd.testing.assert_frame_equal(stepped, evidence(0.5), check_exact=True)


def test_noise_is_about_the_algorithms_own_target_and_the_error_about_ols():
    """NoisyIntercept is noise about the mean of y, and the gap between that and OLS is no noise."""
    recommendation = small(mechanisms=[NoisyIntercept()], datasets=3)
    about_ols, noises = [], []
    for number in range(3):
        data, at = recommendation.model.replicate(0, number), np.array([0.25, 0.75])
        sigma = np.sqrt(0.01 * (1 / data.n + (at - data.x_mean) ** 2 / data.nvar))
        about_ols += zip(NoisyIntercept().law(data, 4.0, at), data.predict(at), sigma, strict=True)
        noises.append(
            np.mean(-np.log(0.32) / (4.0 * data.n) / sigma)
        )  # of Laplace noise of scale 1 / (epsilon n)
    assert recommendation.about_ols == pytest.approx(pooled(about_ols), rel=5e-3)
    assert recommendation.noise == pytest.approx(
        np.mean(noises), rel=5e-3
    )  # nearly the same on all data sets
    assert recommendation.noise < 0.5 * recommendation.about_ols


def switch_points(recommendation, parameter, datasets):
    at_value = partial(candidates_at, recommendation, datasets=datasets)
    return [switch_point(recommendation, parameter, direction, at_value) for direction in (-1, 1)]


def test_switch_points_lie_where_the_winner_changes():
    recommendation = small(
        n=250, var_e=0.02, epsilon=2.0, mechanisms=[*TWO, NoisyIntercept()], datasets=12
    )
    below, above = switch_points(recommendation, "epsilon", datasets=12)
    assert recommendation.algorithm == "DPExpTheilSen"
    assert below.successor == "NoisyIntercept"
    assert above.successor == "NoisyStats"
    for point, factor in ((below, 0.7), (above, 1.5)):
        assert point.crossing is not None
        assert point.crossing.low <= point.crossing.value <= point.crossing.high
        epsilon = point.crossing.value * factor
        plan = plan_sweep(
            "epsilon",
            [epsilon],
            recommendation.model,
            recommendation.budget,
            [*TWO, NoisyIntercept()],
        )
        batch = simulated_errors(plan, Run(), 12)
        errors = {name: each.value for name, each in batch.expected.items()}
        assert min(errors, key=errors.get) == point.successor


@pytest.mark.parametrize(("wrong", "words"), [
    ({"var_x": 0.0}, "variance of x"),
    ({"var_e": 0.0}, "^there is no sampling error to compare with, as the residual variance, σₑ², is 0"),
    ({"lower": 2.0}, "lower"),
    ({"mechanisms": [DPGDzCDP()]}, "mechanisms"),
])  # fmt: skip
def test_recommend_names_a_bad_argument(wrong, words):
    with pytest.raises(ValueError, match=words):
        small(**wrong)


def given(**changes):
    base = Scenario(**changes)
    return base.linear_model, base.budget


INFORMED = {"n": 2000, "var_x": 0.03, "epsilon": 8.0}  # epsilon n var(x) is 480


@pytest.mark.parametrize(("changes", "ranges", "expected"), [
    (INFORMED | {"var_e": 0.01}, {}, ("NoisyStats",)),
    (INFORMED | {"var_e": 0.01, "n": 1600}, {}, ("DPExpTheilSen",)),
    (INFORMED | {"var_e": 0.009}, {}, ("DPExpTheilSen",)),
    (INFORMED, {"theta": 0.1}, ("DPWideTheilSen", "DPSSTheilSen")),
    ({"n": 10_000, "epsilon": 0.01}, {"lower": -50.0, "upper": 50.0}, ("NoisyStats",)),
    ({"n": 10_000, "epsilon": 0.01}, {}, ("DPExpTheilSen",)),
])  # fmt: skip
def test_the_rule_of_thumb_is_the_paper_s(changes, ranges, expected):
    usual = {"lower": -0.5, "upper": 1.5, "theta": 0.0001}
    assert rule_of_thumb(circumstances(*given(**changes), **usual | ranges)).algorithms == expected


def test_the_noise_is_that_of_noisy_stats():
    data = Dataset(
        np.r_[np.full(20, 0.4), np.full(20, 0.6)], np.full(40, 0.5)
    )  # var(x) = 0.01 exactly
    c = circumstances(*given(n=40, var_x=0.01, epsilon=2.0), -0.5, 1.5, 0.01)
    assert c.denominator_noise == pytest.approx(
        float(NoisyStats().noise_scale(1 - 1 / 40, 2.0)) / data.nvar
    )


def test_edge_is_the_relative_density_at_the_end_of_the_range():
    model, budget = given(n=60, epsilon=1.5)
    law = DPExpTheilSen(lower=-1e6, upper=1e6).law(model.replicate(0, 0), 1.5)[0]
    relative = np.exp(law.logpdf(1e6) - law.log_density.max() + law._log_total)
    assert circumstances(model, budget, -1e6, 1e6, 0.01).edge == pytest.approx(relative, rel=0.01)
