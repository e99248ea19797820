"""A person with several records: what is promised to the person, and what each record then may cost."""

import pickle
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset, by_group, compare, recommend, sweep
from dpslr_core.audit.loss import compare_views
from dpslr_core.guidance.required_values import required_epsilon
from dpslr_core.privacy import ZCDP, ApproxDP, Budget, ForPerson, PureDP, limits, of_group, satisfies
from dpslr_core.privacy.accounting import (
    Accounting,
    OneDelta,
    PerPerson,
    guarantee,
    guarantee_of_record,
    paid,
    per_person,
    rule_of,
    spent,
)
from dpslr_core.scenario import Scenario
from tests.cases.every_mechanism import each_spender

POINTS = np.array([0.25, 0.75])
RULES = [*Accounting, OneDelta(1e-9), PureDP(0.7), ZCDP(0.4)]


@each_spender
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_what_is_spent_on_a_record_keeps_the_promise_to_the_person(mechanism, rule):
    epsilon, records = 2.0, 3
    each = spent(mechanism, epsilon, 2, PerPerson(records, rule))
    shown = guarantee(mechanism, epsilon, PerPerson(records, rule))
    if not mechanism.guarantee(epsilon).private:
        assert each == pytest.approx(epsilon / records) and not shown.private
        return
    alone = spent(mechanism, epsilon, 2, rule)
    assert (each is None) == (alone is None)
    if each is None:
        return
    assert isinstance(shown, ForPerson) and shown.guarantee == guarantee(mechanism, epsilon, rule)
    own, wanted = mechanism.guarantee(each), shown.guarantee
    reached = satisfies(own, mechanism.draws(each, 2), wanted, limits(wanted), records)
    assert reached or (rule == Accounting.ATTACK and each == pytest.approx(epsilon / records))
    assert 0 < each <= alone
    twice = mechanism.guarantee(2 * each)
    assert not satisfies(twice, mechanism.draws(2 * each, 2), wanted, limits(wanted), records)


@pytest.mark.parametrize(
    "mechanism", [dp.NoisyStats(), dp.DPExpTheilSen(), dp.DPGDzCDP(), dp.CenteredStats()], ids=repr
)
def test_as_in_the_paper_every_record_gets_its_part_of_epsilon(mechanism):
    assert spent(mechanism, 4.0, 2, PerPerson(3)) == pytest.approx(4 / 3, rel=1e-12)
    assert paid(mechanism, Budget(4.0, POINTS, PerPerson(3))).epsilon == pytest.approx(4 / 3, rel=1e-12)


def test_delta_stays_what_it_was_set_to_and_epsilon_pays_for_it():
    mechanism = dp.DPGDApprox()
    each = spent(mechanism, 4.0, 2, PerPerson(3))
    own = mechanism.guarantee(4.0)
    assert guarantee(mechanism, 4.0, PerPerson(3)) == ForPerson(own, 3)
    assert isinstance(own, ApproxDP) and 0.8 * 4 / 3 < each < 4 / 3


def moved(data, records):
    """The data with so many of the first records moved to another corner."""
    x, y = data.x.copy(), data.y.copy()
    x[:records], y[:records] = 1 - np.rint(x[:records]), 1 - np.rint(y[:records])
    return Dataset(x, y)


def loss_of_person(mechanism, epsilon, data, records):
    views = [mechanism.view(each, epsilon, POINTS) for each in (data, moved(data, records))]
    return compare_views(mechanism, *views, epsilon).measured


@pytest.mark.parametrize("records", [2, 3])
@pytest.mark.parametrize(
    "mechanism", [dp.NoisyIntercept(), dp.DPExpTheilSen(), dp.JointTheilSen(), dp.NoisyStats()], ids=repr
)
def test_moving_all_records_of_a_person_loses_no_more_than_is_promised(mechanism, records):
    epsilon = 1.7
    each = paid(mechanism, Budget(epsilon, POINTS, PerPerson(records))).epsilon
    columns = ([0, 0, 0, 1, 0.5], [0, 0, 0, 0.3, 1]), ([0.1, 1, 0.9, 0.2, 0.6], [0.3, 1, 0, 0.4, 0.5])
    for data in (Dataset(*both) for both in columns):
        assert loss_of_person(mechanism, each, data, records) <= epsilon * (1 + 1e-9)


def test_a_broken_variant_that_gives_every_record_all_of_epsilon_is_caught():
    """The mean of y moves by K / n, and the promise is reached just so."""
    data, mechanism = Dataset([0, 0, 0, 1], [0, 0, 0, 0.3]), dp.NoisyIntercept()
    assert loss_of_person(mechanism, spent(mechanism, 1.7, 2, PerPerson(3)), data, 3) == pytest.approx(1.7)
    assert loss_of_person(mechanism, 1.7, data, 3) > 3 * 1.69


def test_a_rule_for_persons_reads_back_and_refuses_what_cannot_be():
    for rule in (Accounting.IMPLIED, OneDelta(1e-7)):
        assert rule_of(str(PerPerson(4, rule))) == PerPerson(4, rule)
        assert rule_of(str(PerPerson(4, rule))).rule == rule
    for rule in (*RULES, PerPerson(4, OneDelta(1e-7)), PerPerson(2, ZCDP(0.5))):  # on their way to a worker process
        arrived = pickle.loads(pickle.dumps(Budget(1.0, accounting=rule))).accounting
        assert arrived == rule and vars(arrived) == vars(rule)
    for wrong in (lambda: PerPerson(1), lambda: PerPerson(2, "most"), lambda: PerPerson(2, PerPerson(3))):
        with pytest.raises(ValueError):
            wrong()
    assert "up to 4 records" in PerPerson(4).label and "person" in PerPerson(4).explanation


def test_a_scenario_carries_the_records_of_a_person_to_the_numbers():
    scenario = Scenario(n=60, epsilon=3.0, records_per_person=3, mechanisms=[dp.OLS(), dp.NoisyIntercept()])
    assert scenario.records_per_person == 3 and scenario.to_query()["records_per_person"] == "3"
    assert "accounting" not in scenario.to_query()
    for again in (
        Scenario.from_query(scenario.to_query()),
        Scenario.model_validate_json(scenario.model_dump_json()),
    ):
        assert again == scenario
    data = scenario.source.load().dataset()
    result = compare(data, scenario.mechanisms, 3.0, accounting=scenario.accounting)
    expected = compare(data, scenario.mechanisms, 1.0)
    np.testing.assert_allclose(result.summary["c68"], expected.summary["c68"], rtol=1e-9)
    with pytest.raises(ValueError, match="records_per_person must be a whole number, 1 or more, got 0"):
        Scenario(records_per_person=0)


def test_a_link_with_a_rule_and_several_records_means_both():
    query = {"accounting": "implied", "records_per_person": "2", "epsilon": "4"}
    scenario = Scenario.from_query(query)
    assert scenario.accounting == PerPerson(2, Accounting.IMPLIED) and scenario.to_query() == query


def test_the_guarantee_of_a_group_is_that_of_the_person_at_the_record():
    """Two ways to one number."""
    for mechanism in (dp.NoisyStats(), dp.DPGDzCDP()):
        each = spent(mechanism, 2.0, 2, PerPerson(4))
        group, person = of_group(mechanism.guarantee(each), 4), guarantee(mechanism, 2.0, PerPerson(4))
        assert type(group) is type(person.guarantee)
        assert astuple(group) == pytest.approx(astuple(person.guarantee))


@each_spender
@pytest.mark.parametrize("rule", ["paper", "attack", "approx:1e-6"])
def test_one_record_is_protected_with_what_its_release_loses(mechanism, rule):
    """For a person with one record that is what is shown; with more it is no weaker, and follows from the draws."""
    budgets = [Budget(16.0, POINTS, per_person(rule, records)) for records in (1, 2, 3)]
    alone, *several = (guarantee_of_record(mechanism, budget) for budget in budgets)
    assert alone == guarantee(mechanism, 16.0, rule)
    for budget, protection in zip(budgets[1:], several, strict=True):
        if not protection.private:
            assert protection == alone
            continue
        assert type(protection) is type(alone) and astuple(protection) < astuple(alone)
        each = paid(mechanism, budget).epsilon
        assert satisfies(
            mechanism.guarantee(each), mechanism.draws(each, 2), widened(protection), limits(widened(protection))
        )


def widened(guarantee):
    """The guarantee with a little more of its first number, which rounding may need."""
    first, *rest = astuple(guarantee)
    return type(guarantee)(first * (1 + 1e-6), *rest)


def test_one_record_of_known_algorithms():
    """epsilon / K of pure privacy; of zCDP rho / K^2 with Gaussian noise, and what eta = 2 epsilon implies of lines."""
    budget = Budget(16.0, POINTS, PerPerson(3))
    assert guarantee_of_record(dp.NoisyStats(), budget) == PureDP(pytest.approx(16 / 3))
    assert guarantee_of_record(dp.DPGDzCDP(), budget) == ZCDP(pytest.approx(128 / 9))
    assert spent(dp.DeepestLineZCDP(), 16.0, 2, PerPerson(3)) == 16.0
    assert guarantee_of_record(dp.DeepestLineZCDP(), budget) == ZCDP(pytest.approx(32 * np.tanh(16)))


def test_every_experiment_gives_each_record_its_part():
    few, rule = (dp.OLS(), dp.NoisyIntercept(), dp.NoisyStats()), PerPerson(3)
    frame = pd.DataFrame({"group": [*"aaaabbbb"], "x": [0.0, 0.3, 0.6, 1.0] * 2, "y": [0.1, 0.2, 0.5, 0.4] * 2})
    areas = [by_group(frame, few, epsilon, accounting=r)["c68"] for epsilon, r in ((6.0, rule), (2.0, "paper"))]
    np.testing.assert_allclose(*areas, rtol=1e-9)
    base = Scenario(n=12, epsilon=6.0, records_per_person=3)
    swept, alone = (sweep("n", [12], each, few, datasets=2) for each in (base, Scenario(n=12, epsilon=2.0)))
    pd.testing.assert_frame_equal(swept, alone, rtol=1e-9)
    answers = [
        recommend(n=12, var_x=0.03, var_e=0.01, epsilon=epsilon, mechanisms=few, datasets=2, accounting=r)
        for epsilon, r in ((6.0, rule), (2.0, "paper"))
    ]
    assert answers[0].algorithm == answers[1].algorithm
    assert answers[0].noise == pytest.approx(answers[1].noise, rel=1e-9)
    data = base.source.load().dataset()
    person, record = (required_epsilon(data, dp.NoisyIntercept(), 30.0, accounting=r) for r in (rule, "paper"))
    assert person.value == pytest.approx(3 * record.value, rel=0.05)
