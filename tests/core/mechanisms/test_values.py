"""Every mechanism is a value: its guarantee, its ledger, its card and its hyperparameters."""

import dataclasses
import math

import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import mechanisms
from dpslr_core.mechanisms.base import BoundedRange
from dpslr_core.privacy import ZCDP, ApproxDP, NotPrivate, PureDP, Spend
from tests.cases.every_mechanism import AT, BASELINES, draw, each_class, each_mechanism
from tests.cases.inputs import MECHANISM_CASES, WRONG_FIELDS


@each_mechanism
def test_a_mechanism_is_a_frozen_hashable_value(mechanism):
    again = eval(repr(mechanism), vars(mechanisms))
    assert again == mechanism and hash(again) == hash(mechanism) and repr(again) == repr(mechanism)
    assert len({mechanism, again}) == 1
    k = getattr(mechanism, "k", None)
    assert mechanism.name == type(mechanism).__name__ + (f"{k}Match" if k else "")
    for field in dataclasses.fields(mechanism):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(mechanism, field.name, getattr(mechanism, field.name))
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.more = 1


def test_cases_cover_every_mechanism_and_names_are_unique():
    assert {type(mechanism) for mechanism in MECHANISM_CASES.values()} == set(dp.MECHANISMS)
    names = [cls().name for cls in dp.MECHANISMS]
    assert len(set(names)) == len(names) == len(dp.MECHANISMS)


@each_mechanism
def test_guarantee_is_the_kind_it_claims(mechanism):
    guarantee = mechanism.guarantee(1.7)
    match mechanism:
        case dp.OLS() | dp.TheilSen() | dp.MaximumObservedSensitivity():
            assert isinstance(guarantee, NotPrivate) and guarantee.reason
        case dp.NoisyStatsGaussian() | dp.CenteredStatsGaussian() | BoundedRange():
            assert guarantee == ZCDP(1.7**2 / 2)
        case dp.DPGDApprox():
            assert guarantee == ApproxDP(1.7, mechanism.delta)
        case dp.DPGDzCDP() | dp.DeepestLineZCDP():
            assert guarantee == ZCDP(1.7**2 / 2)
        case _:
            assert guarantee == PureDP(1.7)


@each_mechanism
@pytest.mark.parametrize("at", [AT, [0.5], (0.25, 0.75)])
def test_ledger_adds_up_to_epsilon(mechanism, at):
    rows = mechanism.ledger(1.7, at)
    if isinstance(mechanism, BASELINES):
        assert rows == ()
        return
    assert all(isinstance(row, Spend) and row.what and row.share > 0 for row in rows)
    assert math.fsum(row.share for row in rows) == pytest.approx(1.7, rel=1e-12)


@each_class
def test_every_hyperparameter_has_what_a_form_needs(cls):
    for field in dataclasses.fields(cls):
        assert len(field.metadata["help"]) > 10 and field.metadata["help"].endswith(".")
        low, high, default = field.metadata["low"], field.metadata["high"], field.default
        assert field.metadata["step"] is None or field.metadata["step"] > 0
        values = default if isinstance(default, tuple) else () if default is None else (default,)
        assert all((low is None or low <= value) and (high is None or value <= high) for value in values)
        for end in {low, high} - {None}:
            assert draw(cls(**{field.name: end}), size=3).shape == (3, 3)


@each_class
def test_the_ledger_shows_how_the_budget_is_split(cls):
    mechanism, at = cls(), (0.1, 0.4, 0.9)
    all_points, first = mechanism.ledger(1.5, at), mechanism.ledger(1.5, at[:1])
    match mechanism.budget_split:
        case dp.BudgetSplit.NO_BUDGET:
            assert all_points == ()
        case dp.BudgetSplit.ONE_RELEASE:
            assert all_points == first != ()
        case dp.BudgetSplit.EQUAL_SHARES | dp.BudgetSplit.EQUAL_RHO:  # shares of epsilon say shares of rho
            assert all_points == tuple(row for point in at for row in mechanism.ledger(0.5, (point,)))
        case dp.BudgetSplit.TOGETHER if isinstance(mechanism, dp.JointTheilSen):
            assert all_points == first and len(first) == 1  # one draw, whose law depends on all points
        case dp.BudgetSplit.TOGETHER:
            assert len(all_points) > len(first) and all_points[: len(first)] != first


def test_the_tuple_is_in_the_order_of_the_families():
    places = [list(dp.MechanismFamily).index(cls.family) for cls in dp.MECHANISMS]
    assert places == sorted(places)
    assert {cls.family for cls in dp.MECHANISMS} == set(dp.MechanismFamily) - {dp.MechanismFamily.OTHER}


@each_class
def test_baselines_and_methods_without_a_guarantee_are_of_their_families(cls):
    unprotected = cls.family in (dp.MechanismFamily.BASELINE, dp.MechanismFamily.NOT_PRIVATE)
    assert cls().guarantee(1.0).private is not unprotected


@each_class
def test_every_card_has_a_text_and_a_source(cls):
    assert cls.__doc__ and "$$" in cls.__doc__
    assert cls.source
    assert all(isinstance(note, str) and note for note in cls.corrections)


@pytest.mark.parametrize(
    ("cls", "wrong", "field"), WRONG_FIELDS, ids=[f"{cls.__name__}({wrong})" for cls, wrong, _ in WRONG_FIELDS]
)
def test_wrong_hyperparameters_are_refused_by_name(cls, wrong, field):
    with pytest.raises(ValueError, match=rf"^{field}(\[\d\])? must "):
        cls(**wrong)


def test_every_hyperparameter_is_checked():
    checked = {(cls, name) for cls, wrong, _ in WRONG_FIELDS for name in wrong}
    assert checked >= {(cls, field.name) for cls in dp.MECHANISMS for field in dataclasses.fields(cls)}


@each_class
def test_numbers_given_as_text_are_refused(cls):
    """'10' < '9' as text: a form or a file that forgets to convert must not slip through."""
    for field in dataclasses.fields(cls):
        with pytest.raises(ValueError, match=rf"^{field.name}"):
            cls(**{field.name: "1"})
