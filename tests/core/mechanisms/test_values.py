"""Every mechanism is a value: its guarantee, its ledger, its card and its hyperparameters."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import mechanisms
from dpslr_core.privacy import ZCDP, ApproxDP, PureDP
from tests.cases.every_mechanism import each_class
from tests.cases.inputs import MECHANISM_CASES, WRONG_FIELDS


@pytest.mark.parametrize("mechanism", MECHANISM_CASES.values(), ids=repr)
def test_a_mechanism_is_a_frozen_hashable_value(mechanism):
    again = eval(repr(mechanism), vars(mechanisms))
    assert again == mechanism and hash(again) == hash(mechanism) and repr(again) == repr(mechanism)
    k = getattr(mechanism, "k", None)
    assert mechanism.name == type(mechanism).__name__ + (f"{k}Match" if k else "")
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.more = 1


def test_numbers_and_lists_become_what_a_hyperparameter_is():
    """1, 1.0 and numpy's 1.0 are the same: repr is the key of a stream."""
    descent = dp.DPGDPure(steps=np.int64(9), clip=1, start=[np.float64(0.2), Fraction(4, 5)])
    assert repr(descent) == "DPGDPure(steps=9, clip=1.0, start=(0.2, 0.8))"
    assert hash(descent) == hash(dp.DPGDPure(steps=9, clip=1.0, start=(0.2, 0.8)))
    assert repr(dp.NoisyStats(clip=np.bool_(False), lower=-0.5)) == "NoisyStats()"


@each_class
def test_guarantee_is_the_kind_it_claims(cls):
    guarantee = cls().guarantee(1.7)
    unprotected = cls.family in (dp.MechanismFamily.BASELINE, dp.MechanismFamily.NOT_PRIVATE)
    assert guarantee.private is not unprotected
    if unprotected:
        assert guarantee.reason
    elif cls is dp.DPGDApprox:
        assert guarantee == ApproxDP(1.7, 2.0**-30)
    elif cls.__name__.lower().endswith(("zcdp", "gaussian")):
        assert guarantee == ZCDP(1.7**2 / 2)
    else:
        assert guarantee == PureDP(1.7)


@each_class
def test_every_card_has_a_text_and_a_source(cls):
    assert cls.__doc__ and "$$" in cls.__doc__
    assert cls.source
    assert all(isinstance(note, str) and note for note in cls.corrections)


@each_class
def test_wrong_hyperparameters_are_refused_by_name(cls):
    """And numbers given as text: a form or a file that forgets to convert must not slip through."""
    text = [(cls, {field.name: "1"}, field.name) for field in dataclasses.fields(cls)]
    checked = set()
    for algorithm, wrong, field in [*WRONG_FIELDS, *text]:
        if algorithm is cls:
            with pytest.raises(ValueError, match=rf"^{field}(\[\d\])? must "):
                cls(**wrong)
            checked |= set(wrong)
    assert checked == {field.name for field in dataclasses.fields(cls)}
