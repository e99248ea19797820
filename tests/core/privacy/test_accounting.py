"""What each algorithm spends under each rule, and that every experiment goes by it."""

import math

import pandas as pd
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import compare, recommend, sweep
from dpslr_core.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    GaussianDP,
    NoiseKind,
    NotPrivate,
    PureDP,
    pure_mu,
    pure_rho,
)
from dpslr_core.privacy.accounting import (
    RULES,
    Accounting,
    admitted,
    comparable,
    guarantee,
    paid,
    spent,
)
from dpslr_core.scenario import Scenario
from tests.cases.inputs import PLAIN

GIVEN = [PureDP(0.7), ZCDP(0.4), GaussianDP(0.9), ApproxDP(1.1, 1e-5)]
FEW = (dp.OLS(), dp.NoisyStats(), dp.NoisyStatsGaussian(), dp.DPExpTheilSen())


@pytest.mark.parametrize("accounting", [*RULES, "approx:1e-9", *GIVEN], ids=str)
def test_who_is_left_out_and_who_promises_most(accounting):
    everyone = [cls() for cls in dp.MECHANISMS]
    budget = Budget(2.0, accounting=accounting)
    run = admitted(everyone, budget)
    left_out = {mechanism.name for mechanism in everyone} - {mechanism.name for mechanism in run}
    gaussian = {m.name for m in everyone if m.noise_kind is NoiseKind.GAUSSIAN}
    weaker = {m.name for m in everyone if m.guarantee(2.0).private and not m.guarantee(2.0).pure}
    expected = {"pure": weaker, PureDP(0.7): gaussian}
    assert left_out == expected.get(accounting, set())
    own_guarantees = accounting in ("paper", "implied", "pure")
    for mechanism in run:
        own = mechanism.guarantee(2.0)
        assert comparable(mechanism, budget) == (own.pure if own_guarantees else own.private)
    for mechanism in (dp.OLS(), dp.MaximumObservedSensitivity()):
        assert spent(mechanism, budget) == 2.0
        assert guarantee(mechanism, budget) == mechanism.guarantee(2.0)


def test_paid_is_what_a_mechanism_is_called_with():
    budget = Budget(16.0, accounting="implied")
    assert paid(dp.NoisyStats(), budget) == Budget(16.0)
    assert paid(dp.DPGDzCDP(), budget) == Budget(
        dp.DPGDzCDP().largest_epsilon(ZCDP(pure_rho(16.0)))
    )
    assert paid(dp.DPGDzCDP(), paid(dp.DPGDzCDP(), budget)) == paid(dp.DPGDzCDP(), budget)
    with pytest.raises(
        ValueError, match=r"^mechanisms must be run under the accounting pure, got DPGDzCDP"
    ):
        paid(dp.DPGDzCDP(), Budget(1.0, accounting="pure"))


@pytest.mark.parametrize(
    "wrong", [ZCDP(-1.0), ApproxDP(1.0, 0.0), GaussianDP(math.nan), NotPrivate("so")], ids=str
)
def test_a_guarantee_that_cannot_be_leaves_nobody_out_in_silence(wrong):
    with pytest.raises(ValueError, match=r"^(rho|delta|mu|accounting) must "):
        compare(PLAIN, [dp.NoisyStats()], 1.0, trials=10, accounting=wrong)


@pytest.mark.parametrize(
    "written", ["approx:0", "approx:one", "approx:2", "zcdp:1", "fair", 3, None]
)
def test_rules_that_are_none_are_refused_by_name(written):
    with pytest.raises(ValueError, match=r"^(accounting|delta) must be"):
        Budget(1.0, accounting=written)


# ---------------------------------------------------------------- every experiment goes by it


def spent_alone(mechanism, accounting):
    return spent(mechanism, Budget(8.0, accounting=accounting))


def rows_of(frame, mechanism):
    return frame[frame["mechanism"] == mechanism.name].reset_index(drop=True)


@pytest.mark.parametrize("accounting", ["attack", "pure", ZCDP(0.4)], ids=str)
def test_compare_runs_each_algorithm_at_what_it_spends(accounting):
    mechanisms = [*FEW, dp.DPGDzCDP(steps=4)]
    comparison = compare(PLAIN, mechanisms, 8.0, trials=20, seed=3, accounting=accounting)
    run = [mechanism for mechanism in mechanisms if spent_alone(mechanism, accounting) is not None]
    assert comparison.summary["mechanism"].unique().tolist() == [
        mechanism.name for mechanism in run
    ]
    for mechanism in run:
        alone = compare(PLAIN, [mechanism], spent_alone(mechanism, accounting), trials=20, seed=3)
        pd.testing.assert_frame_equal(rows_of(comparison.draws, mechanism), alone.draws)
        pd.testing.assert_frame_equal(rows_of(comparison.summary, mechanism), alone.summary)


def test_sweep_runs_an_algorithm_at_what_it_spends():
    base, few = Scenario(n=12, epsilon=8.0), [dp.NoisyStatsGaussian()]
    swept = sweep("n", [12], base, few, datasets=2, accounting="attack")
    alone = sweep("epsilon", [spent_alone(few[0], "attack")], base, few, datasets=2)
    assert swept["mean"].tolist() == alone["mean"].tolist()


def test_recommend_compares_all_under_one_guarantee():
    model = {
        "n": 60,
        "var_x": 0.03,
        "var_e": 0.01,
        "epsilon": 2.0,
        "datasets": 3,
        "mechanisms": FEW[1:],
    }
    fair = recommend(**model, accounting="attack")
    assert set(fair.evidence["guarantee"]) == {str(GaussianDP(pure_mu(2.0))), "not private"}
    assert fair.budget.accounting == Accounting("attack") and len(fair.candidates) == 3
    paper = recommend(**model)
    errors, papers = (each.evidence.set_index("mechanism")["error"] for each in (fair, paper))
    for name in ("NoisyStats", "DPExpTheilSen"):
        assert errors[name] < papers[name]
