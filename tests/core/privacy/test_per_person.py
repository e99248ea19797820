"""A person with several records: what is promised to the person, and what each record then may cost."""

import itertools
import pickle
from dataclasses import astuple

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import compare_views
from dpslr_core.privacy import ZCDP, Budget, ForPerson, PureDP, limits, satisfies
from dpslr_core.privacy.accounting import (
    RULES,
    Accounting,
    guarantee,
    guarantee_of_record,
    paid,
    spent,
)

POINTS = np.array([0.25, 0.75])


def budget(epsilon, records, rule="paper"):
    return Budget(epsilon, POINTS, Accounting(rule, records=records))


def test_delta_stays_what_it_was_set_to_and_epsilon_pays_for_it():
    mechanism = dp.DPGDApprox()
    own = mechanism.guarantee(4.0)
    assert guarantee(mechanism, budget(4.0, 3)) == ForPerson(own, 3)
    assert 0.8 * 4 / 3 < spent(mechanism, budget(4.0, 3)) < 4 / 3


def moved(data, records):
    """The data with so many of the first records moved to another corner."""
    x, y = data.x.copy(), data.y.copy()
    x[:records], y[:records] = 1 - np.rint(x[:records]), 1 - np.rint(y[:records])
    return Dataset(x, y)


def loss_of_person(mechanism, epsilon, data, records):
    views = [mechanism.view(each, epsilon, POINTS) for each in (data, moved(data, records))]
    return compare_views(mechanism, *views, epsilon).measured


@pytest.mark.parametrize(
    "mechanism",
    [dp.NoisyIntercept(), dp.DPExpTheilSen(), dp.JointTheilSen(), dp.NoisyStats()],
    ids=repr,
)
def test_moving_all_records_of_a_person_loses_no_more_than_is_promised(mechanism):
    first = Dataset([0, 0, 0, 1, 0.5], [0, 0, 0, 0.3, 1])
    second = Dataset([0.1, 1, 0.9, 0.2, 0.6], [0.3, 1, 0, 0.4, 0.5])
    for data, records in itertools.product((first, second), (2, 3)):
        each = paid(mechanism, budget(1.7, records)).epsilon
        assert loss_of_person(mechanism, each, data, records) <= 1.7 * (1 + 1e-9), (data, records)


def test_an_accounting_reads_back_and_arrives_in_a_worker_process():
    for rule in (*RULES, PureDP(0.7), ZCDP(0.4)):
        for accounting in (Accounting(rule, 1e-7), Accounting(rule, 1e-7, 4)):
            arrived = pickle.loads(pickle.dumps(Budget(1.0, accounting=accounting))).accounting
            assert arrived == accounting
            if rule in RULES:
                assert str(Accounting.parse(str(accounting))) == str(accounting)
    assert Accounting.parse("approx:1e-09, 3 records per person") == Accounting("approx", 1e-9, 3)


@pytest.mark.parametrize("rule", ["paper", "attack", "approx"])
def test_one_record_is_protected_with_what_its_release_loses(rule):
    """For a person with one record that is what is shown; with more it is no weaker, and follows from the draws."""
    for mechanism in [cls() for cls in dp.MECHANISMS]:
        alone, *several = [budget(16.0, records, rule) for records in (1, 2, 3)]
        shown = guarantee(mechanism, alone)
        assert guarantee_of_record(mechanism, alone) == shown
        for person in several:
            protection = guarantee_of_record(mechanism, person)
            if not protection.private:
                assert protection == shown
                continue
            assert type(protection) is type(shown) and astuple(protection) < astuple(shown)
            each, enough = paid(mechanism, person).epsilon, widened(protection)
            assert satisfies(
                mechanism.guarantee(each), mechanism.draws(each, 2), enough, limits(enough)
            ), mechanism


def widened(guarantee):
    """The guarantee with a little more of its first number, which rounding may need."""
    first, *rest = astuple(guarantee)
    return type(guarantee)(first * (1 + 1e-6), *rest)


def test_one_record_of_known_algorithms():
    """epsilon / K of pure privacy; of zCDP rho / K^2 with Gaussian noise, and what eta = 2 epsilon implies of lines."""
    person = budget(16.0, 3)
    assert guarantee_of_record(dp.NoisyStats(), person) == PureDP(pytest.approx(16 / 3))
    assert guarantee_of_record(dp.DPGDzCDP(), person) == ZCDP(pytest.approx(128 / 9))
    assert spent(dp.DeepestLineZCDP(), person) == 16.0
    assert guarantee_of_record(dp.DeepestLineZCDP(), person) == ZCDP(
        pytest.approx(32 * np.tanh(16))
    )
