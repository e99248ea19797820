"""A person with several records: what is promised to the person, and what each record then may cost."""

import itertools
import pickle
from dataclasses import astuple

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import compare_views
from dpslr_core.privacy import ZCDP, Budget, ForPerson, PureDP, limits, of_group, satisfies
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

POINTS = np.array([0.25, 0.75])
RULES = [*Accounting, OneDelta(1e-9), PureDP(0.7), ZCDP(0.4)]


def test_as_in_the_paper_every_record_gets_its_part_of_epsilon():
    for mechanism in (dp.NoisyStats(), dp.DPExpTheilSen(), dp.DPGDzCDP(), dp.OLS()):
        assert spent(mechanism, 4.0, 2, PerPerson(3)) == pytest.approx(4 / 3, rel=1e-12)
        assert paid(mechanism, Budget(4.0, POINTS, PerPerson(3))).epsilon == pytest.approx(4 / 3, rel=1e-12)


def test_delta_stays_what_it_was_set_to_and_epsilon_pays_for_it():
    mechanism = dp.DPGDApprox()
    own = mechanism.guarantee(4.0)
    assert guarantee(mechanism, 4.0, PerPerson(3)) == ForPerson(own, 3)
    assert 0.8 * 4 / 3 < spent(mechanism, 4.0, 2, PerPerson(3)) < 4 / 3


def moved(data, records):
    """The data with so many of the first records moved to another corner."""
    x, y = data.x.copy(), data.y.copy()
    x[:records], y[:records] = 1 - np.rint(x[:records]), 1 - np.rint(y[:records])
    return Dataset(x, y)


def loss_of_person(mechanism, epsilon, data, records):
    views = [mechanism.view(each, epsilon, POINTS) for each in (data, moved(data, records))]
    return compare_views(mechanism, *views, epsilon).measured


@pytest.mark.parametrize(
    "mechanism", [dp.NoisyIntercept(), dp.DPExpTheilSen(), dp.JointTheilSen(), dp.NoisyStats()], ids=repr
)
def test_moving_all_records_of_a_person_loses_no_more_than_is_promised(mechanism):
    first = Dataset([0, 0, 0, 1, 0.5], [0, 0, 0, 0.3, 1])
    second = Dataset([0.1, 1, 0.9, 0.2, 0.6], [0.3, 1, 0, 0.4, 0.5])
    for data, records in itertools.product((first, second), (2, 3)):
        each = paid(mechanism, Budget(1.7, POINTS, PerPerson(records))).epsilon
        assert loss_of_person(mechanism, each, data, records) <= 1.7 * (1 + 1e-9), (data, records)


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
    for wrong in ((1,), (2, "most"), (2, PerPerson(3))):
        with pytest.raises(ValueError):
            PerPerson(*wrong)
    assert "up to 4 records" in PerPerson(4).label and "person" in PerPerson(4).explanation


def test_a_scenario_carries_the_records_of_a_person():
    scenario = Scenario(n=60, epsilon=3.0, records_per_person=3, mechanisms=[dp.OLS(), dp.NoisyIntercept()])
    assert scenario.accounting == PerPerson(3)
    query = scenario.to_query()
    assert query["records_per_person"] == "3" and "accounting" not in query
    assert Scenario.from_query(query) == scenario
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    both = {"accounting": "implied", "records_per_person": "2", "epsilon": "4"}
    scenario = Scenario.from_query(both)
    assert scenario.accounting == PerPerson(2, Accounting.IMPLIED) and scenario.to_query() == both
    with pytest.raises(ValueError, match="records_per_person must be a whole number, 1 or more, got 0"):
        Scenario(records_per_person=0)


def test_the_guarantee_of_a_group_is_that_of_the_person_at_the_record():
    """Two ways to one number."""
    for mechanism in (dp.NoisyStats(), dp.DPGDzCDP()):
        each = spent(mechanism, 2.0, 2, PerPerson(4))
        group, person = of_group(mechanism.guarantee(each), 4), guarantee(mechanism, 2.0, PerPerson(4))
        assert type(group) is type(person.guarantee)
        assert astuple(group) == pytest.approx(astuple(person.guarantee))


@pytest.mark.parametrize("rule", ["paper", "attack", "approx:1e-6"])
def test_one_record_is_protected_with_what_its_release_loses(rule):
    """For a person with one record that is what is shown; with more it is no weaker, and follows from the draws."""
    for mechanism in [cls() for cls in dp.MECHANISMS]:
        alone, *several = [Budget(16.0, POINTS, per_person(rule, records)) for records in (1, 2, 3)]
        shown = guarantee(mechanism, 16.0, rule)
        assert guarantee_of_record(mechanism, alone) == shown
        for budget in several:
            protection = guarantee_of_record(mechanism, budget)
            if not protection.private:
                assert protection == shown
                continue
            assert type(protection) is type(shown) and astuple(protection) < astuple(shown)
            each, enough = paid(mechanism, budget).epsilon, widened(protection)
            assert satisfies(mechanism.guarantee(each), mechanism.draws(each, 2), enough, limits(enough)), mechanism


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
