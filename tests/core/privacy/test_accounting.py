"""What each algorithm spends under each rule, and that every experiment goes by it."""

import math

import numpy as np
import pandas as pd
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import by_group, compare, recommend, sweep
from dpslr_core.experiments.areas import measured_groups
from dpslr_core.guidance.area_epsilons import passing_epsilons
from dpslr_core.guidance.recommendation import circumstances
from dpslr_core.guidance.required_values import noise_curve, required_epsilon
from dpslr_core.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    GaussianDP,
    NoiseKind,
    NotPrivate,
    PureDP,
    gaussian_delta,
    losses,
    pure_mu,
    pure_rho,
)
from dpslr_core.privacy.accounting import Accounting, OneDelta, admitted, comparable, guarantee, paid, spent
from dpslr_core.scenario import Scenario
from dpslr_core.support.run import Run
from dpslr_core.sweeps import plan_sweep
from tests.cases.every_mechanism import each_spender
from tests.cases.inputs import PLAIN

GIVEN = [PureDP(0.7), ZCDP(0.4), GaussianDP(0.9), ApproxDP(1.1, 1e-5)]
RULES = [*Accounting, OneDelta(1e-9)]
FEW = (dp.OLS(), dp.NoisyStats(), dp.NoisyStatsGaussian(), dp.DPExpTheilSen())
RUN = Run(trials=30)


@each_spender
@pytest.mark.parametrize("accounting", [*RULES, *GIVEN], ids=str)
@pytest.mark.parametrize("epsilon", [1e-3, 2.0, 1e3])
def test_what_is_spent_satisfies_what_is_shown(mechanism, accounting, epsilon):
    own, epsilon_spent = mechanism.guarantee(epsilon), spent(mechanism, epsilon, 2, accounting)
    shown = guarantee(mechanism, epsilon, accounting)
    if not own.private:
        assert epsilon_spent == epsilon and shown == own and not comparable(mechanism, epsilon, accounting)
        return
    if epsilon_spent is None:
        assert not own.pure and accounting in (Accounting.PURE, PureDP(0.7))
        return
    if type(shown) is type(own):
        assert shown == own or epsilon_spent == mechanism.calibrated(shown, 2)
    else:
        assert mechanism.calibrated(shown, 2) * (1 + 1e-9) >= epsilon_spent


@each_spender
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 16.0, 1e3])
def test_rules_by_their_definitions(mechanism, epsilon):
    own = mechanism.guarantee(epsilon)
    by_rule = {rule: spent(mechanism, epsilon, 2, rule) for rule in Accounting}
    assert by_rule[Accounting.PAPER] == epsilon
    if not own.private:
        return
    assert by_rule[Accounting.PURE] == (epsilon if own.pure else None)
    if own.pure:
        assert by_rule[Accounting.IMPLIED] == epsilon <= by_rule[Accounting.ATTACK]
    elif mechanism.noise_kind is NoiseKind.BOUNDED_RANGE:
        assert losses(mechanism.draws(by_rule[Accounting.IMPLIED], 2)).rho == pytest.approx(pure_rho(epsilon))
        parts = len(mechanism.draws(epsilon, 2))
        eta = 2 * by_rule[Accounting.ATTACK] / math.sqrt(parts)  # of each part; 2 epsilon is no easier to tell apart
        assert math.sqrt(parts) * pure_mu(eta / 2) == pytest.approx(pure_mu(epsilon), rel=1e-9)
    elif isinstance(own, ZCDP):
        assert by_rule[Accounting.IMPLIED] == pytest.approx(math.sqrt(2 * pure_rho(epsilon)), rel=1e-9)
        assert by_rule[Accounting.ATTACK] == pytest.approx(pure_mu(epsilon), rel=1e-9)
    else:
        assert by_rule[Accounting.IMPLIED] == epsilon
        assert gaussian_delta(pure_mu(epsilon), by_rule[Accounting.ATTACK]) <= mechanism.delta * (1 + 1e-6)


@pytest.mark.parametrize("accounting", [*RULES, *GIVEN], ids=str)
def test_who_is_left_out_and_who_promises_most(accounting):
    everyone = [cls() for cls in dp.MECHANISMS]
    run = admitted(everyone, Budget(2.0, accounting=accounting))
    left_out = {m.name for m in everyone} - {m.name for m in run}
    only_pure = accounting in (Accounting.PURE, PureDP(0.7))
    never = {m.name for m in everyone if m.noise_kind is NoiseKind.GAUSSIAN}
    weaker = {m.name for m in everyone if m.guarantee(2.0).private and not m.guarantee(2.0).pure}
    assert left_out == (weaker if accounting == Accounting.PURE else never if only_pure else set())
    full = [m for m in run if comparable(m, 2.0, accounting)]
    common = accounting in GIVEN or accounting not in (Accounting.PAPER, Accounting.IMPLIED, Accounting.PURE)
    assert full == [m for m in run if (m.guarantee(2.0).private if common else m.guarantee(2.0).pure)]


def test_paid_is_what_a_mechanism_is_called_with():
    budget = Budget(16.0, accounting="implied")
    assert paid(dp.NoisyStats(), budget) == Budget(16.0)
    assert paid(dp.DPGDzCDP(), budget) == Budget(dp.DPGDzCDP().calibrated(ZCDP(pure_rho(16.0))))
    assert paid(dp.DPGDzCDP(), paid(dp.DPGDzCDP(), budget)) == paid(dp.DPGDzCDP(), budget)
    with pytest.raises(ValueError, match=r"^mechanisms must be run under the accounting pure, got DPGDzCDP"):
        paid(dp.DPGDzCDP(), Budget(1.0, accounting="pure"))
    with pytest.raises(ValueError, match=r"^accounting must be one of .*'zcdp', 'approx:DELTA'\], got 'fair'"):
        spent(dp.NoisyStats(), 1.0, 2, "fair")


@pytest.mark.parametrize("wrong", [ZCDP(-1.0), ApproxDP(1.0, 0.0), GaussianDP(math.nan), NotPrivate("so")], ids=str)
def test_a_guarantee_that_cannot_be_leaves_nobody_out_in_silence(wrong):
    with pytest.raises(ValueError, match=r"^(rho|delta|mu|accounting) must "):
        compare(PLAIN, [dp.NoisyStats()], 1.0, trials=10, accounting=wrong)


def test_rules_have_words_for_a_form():
    assert [str(rule) for rule in Accounting] == ["paper", "implied", "attack", "pure", "zcdp"]
    assert all(rule.label and rule.explanation.endswith(".") for rule in RULES)


@pytest.mark.parametrize(
    ("rule", "wanted"), [("zcdp", ZCDP(2.0)), ("approx:1e-7", ApproxDP(2.0, 1e-7)), ("approx", ApproxDP(2.0, 1e-6))]
)
def test_one_guarantee_for_all_is_each_algorithm_at_its_best_parameter(rule, wanted):
    for mechanism in FEW[1:]:
        assert guarantee(mechanism, 2.0, rule) == wanted
        assert spent(mechanism, 2.0, 2, rule) == mechanism.calibrated(wanted, 2)


@pytest.mark.parametrize("written", ["approx:0", "approx:one", "approx:2", "zcdp:1", "fair", 3, None])
def test_rules_that_are_none_are_refused_by_name(written):
    with pytest.raises(ValueError, match=r"^(accounting|delta) must be"):
        Budget(1.0, accounting=written)


# ---------------------------------------------------------------- every experiment goes by it


def spent_alone(mechanism, accounting):
    return spent(mechanism, 8.0, 2, accounting)


@pytest.mark.parametrize("accounting", ["implied", "attack", "pure", ZCDP(0.4)], ids=str)
def test_compare_runs_each_algorithm_at_what_it_spends(accounting):
    mechanisms = [*FEW, dp.DPGDzCDP(steps=4)]
    result = compare(PLAIN, mechanisms, 8.0, trials=20, seed=3, accounting=accounting)
    run = [m for m in mechanisms if spent_alone(m, accounting) is not None]
    assert result.summary["mechanism"].unique().tolist() == [m.name for m in run]
    for mechanism in run:
        alone = compare(PLAIN, [mechanism], spent_alone(mechanism, accounting), trials=20, seed=3)
        for whole, part in ((result.draws, alone.draws), (result.summary, alone.summary)):
            mine = whole[whole["mechanism"] == mechanism.name].reset_index(drop=True)
            pd.testing.assert_frame_equal(mine, part, check_exact=True)
        assert {key for key in result.laws if key[0] == mechanism.name} == set(alone.laws)


def test_the_papers_accounting_is_the_default_bit_for_bit():
    for call in (
        lambda **rule: compare(PLAIN, FEW, 2.0, trials=10, **rule).draws,
        lambda **rule: sweep("epsilon", [1.0], Scenario(n=12), FEW, datasets=2, **rule),
    ):
        pd.testing.assert_frame_equal(call(), call(accounting="paper"), check_exact=True)


GROUPS = pd.DataFrame(
    {"group": np.repeat([*"ab"], 6), "x": np.tile(PLAIN.x, 2), "y": np.append(PLAIN.y, PLAIN.y[::-1])}
)


@pytest.mark.parametrize("accounting", ["attack", "pure", GaussianDP(0.9)], ids=str)
def test_by_group_is_compare_in_every_group(accounting):
    frame = by_group(GROUPS, FEW, 8.0, trials=20, accounting=accounting)
    expected = compare(PLAIN, FEW, 8.0, trials=20, accounting=accounting).summary
    first = frame[frame["group"] == "a"].reset_index(drop=True)
    np.testing.assert_array_equal(first["c68"], expected["c68"])
    shown = {m.name: str(guarantee(m, 8.0, accounting)) for m in FEW}
    assert first["guarantee"].tolist() == [shown[name] for name in first["mechanism"]]


def test_the_first_point_alone_has_the_law_that_it_has_with_the_others():
    mechanisms, budget = (
        [dp.NoisyStatsGaussian(), dp.DPExpTheilSen(), dp.NoisyStats()],
        Budget(4.0, accounting="attack"),
    )
    whole, first = (
        pd.concat(measured_groups({"a": PLAIN}, mechanisms, budget, RUN, first_point_only=alone))
        for alone in (False, True)
    )
    pd.testing.assert_frame_equal(whole[whole["at"] == 0.25].reset_index(drop=True), first.reset_index(drop=True))


@pytest.mark.parametrize("accounting", ["attack", ZCDP(0.4)], ids=str)
def test_sweep_runs_each_algorithm_at_what_it_spends(accounting):
    base = Scenario(n=12, epsilon=8.0)
    frame = sweep("n", [12], base, FEW, datasets=2, accounting=accounting)
    for mechanism in FEW:
        alone = sweep("epsilon", [spent_alone(mechanism, accounting)], base, [mechanism], datasets=2)
        assert frame.loc[frame["mechanism"] == mechanism.name, "mean"].tolist() == alone["mean"].tolist()
    ruled = sweep("n", [12], base.model_copy(update={"accounting": Accounting.ATTACK}), FEW, datasets=2)
    if accounting == "attack":
        pd.testing.assert_frame_equal(frame, ruled)


def test_a_sweep_leaves_out_what_the_rule_leaves_out():
    plan = plan_sweep("epsilon", [1.0, 2.0], PLAIN, Budget(1.0, accounting="pure"), FEW)
    assert plan.names == ("OLS", "NoisyStats", "DPExpTheilSen") == tuple(m.name for m in plan.settings[1].mechanisms)
    assert plan.settings[1].budget == Budget(2.0, accounting="pure")
    # at the smaller epsilon delta alone would be more than mu allows
    loose = plan_sweep(
        "epsilon", [0.1, 9.0], PLAIN, Budget(1.0, accounting="attack"), [dp.OLS(), dp.DPGDApprox(delta=0.1)]
    )
    assert loose.names == ("OLS",)
    with pytest.raises(ValueError, match=r"^mechanisms must hold one that is run under the accounting pure"):
        plan_sweep("epsilon", [1.0], PLAIN, Budget(1.0, accounting="pure"), [dp.DPGDzCDP()])


def test_recommend_compares_all_under_one_guarantee():
    given = {"n": 60, "var_x": 0.03, "var_e": 0.01, "epsilon": 2.0, "datasets": 3, "mechanisms": FEW[1:]}
    fair = recommend(**given, accounting="attack")
    assert set(fair.evidence["guarantee"]) == {str(GaussianDP(pure_mu(2.0))), "not private"}
    assert len(fair.candidates) == 3 and fair.algorithm is not None
    pure = recommend(**given, accounting="pure")
    assert "NoisyStatsGaussian" not in set(pure.evidence["mechanism"])
    papers = recommend(**given).evidence.set_index("mechanism")["error"]
    errors = fair.evidence.set_index("mechanism")["error"]
    assert (errors[["NoisyStats", "DPExpTheilSen"]] < papers[["NoisyStats", "DPExpTheilSen"]]).all()
    assert fair.budget.accounting is Accounting.ATTACK and fair.digest != pure.digest


def passing_from(mechanism, rule) -> float:
    return float(passing_epsilons({"it": PLAIN}, [mechanism], Budget(8.0, accounting=rule))["passes_from"].iloc[0])


def test_required_values_are_of_the_common_epsilon():
    """An algorithm that may spend more of each epsilon needs a smaller one."""
    papers = required_epsilon(PLAIN, dp.DPExpTheilSen()).value
    fair = required_epsilon(PLAIN, dp.DPExpTheilSen(), accounting="attack").value
    assert spent(dp.DPExpTheilSen(), fair, 2, "attack") == pytest.approx(papers, rel=0.02) and fair < papers
    model = Scenario(n=40).linear_model
    curves = [
        noise_curve(model, Budget(1.0, (0.25,), rule), dp.NoisyStats(), datasets=2) for rule in ("paper", "attack")
    ]
    assert curves[1].required.value < curves[0].required.value
    papers, fair = (passing_from(dp.DPExpTheilSen(), rule) for rule in ("paper", "attack"))
    assert spent(dp.DPExpTheilSen(), fair, 2, "attack") == pytest.approx(papers, rel=1e-4) and fair < papers


def test_an_algorithm_that_a_small_epsilon_leaves_out_needs_a_larger_one():
    """The delta of 0.1 alone is a mu of 0.25, which is more than the same best guess allows below epsilon = 0.2."""
    loose, near = dp.DPGDApprox(delta=0.1), Scenario(n=40, var_e=0.03).linear_model
    assert required_epsilon(PLAIN, loose, r=1e9, run=Run(5), accounting="attack").value > 0.1
    assert noise_curve(near, Budget(1.0, (0.25,), "attack"), loose, r=1e9, datasets=1, run=RUN).required.value > 0.1


def test_circumstances_are_those_of_what_is_spent():
    model = Scenario(n=40).linear_model
    papers, fair = (circumstances(model, Budget(2.0, accounting=rule), 0.0, 1.0, 0.01) for rule in ("paper", "attack"))
    factor = spent(dp.NoisyStats(), 2.0, 2, "attack") / 2.0
    assert fair.denominator_noise * factor == pytest.approx(papers.denominator_noise)
    assert fair.epsilon == papers.epsilon == 2.0 and fair.failure < papers.failure and fair.edge < papers.edge


def test_many_steps_gain_most_from_the_same_attack():
    gained = [spent(dp.DPGDPure(steps=steps), 1.0, 2, "attack") for steps in (2, 30, 500)]
    assert gained == sorted(gained) and gained[0] > 1.3 and gained[2] > 20
