"""Results are kept under keys that tell everything apart that gives another result."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.mechanisms import DPExpTheilSen, DPGDApprox, DPWideTheilSen, algorithms
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import KINDS, Synthetic
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Run
from ui.cache import kept, kept_by_origin, key_of

X = np.array([0.1, 0.5, 0.9])
MODEL = LinearModel(100, 0.03, 0.01)
DIFFERENT = [
    *(algorithm() for algorithm in algorithms()),
    DPExpTheilSen(k=1), DPExpTheilSen(k=10), DPExpTheilSen(lower=-0.5000000000000001),
    DPWideTheilSen(theta=0.01 + 1e-17),
    DPGDApprox(delta=1e-6), DPGDApprox(delta=1.0000000000000002e-06),
    MODEL, replace(MODEL, n=101), replace(MODEL, var_x=np.nextafter(0.03, 1)),
    Budget(1.0), Budget(1.0, (0.25,)), Budget(np.nextafter(1.0, 2)), Run(), Run(seed=1), Run(workers=2),
    *(kind() for kind in KINDS.values()), Synthetic(data_seed=1),
    Dataset(X, X), Dataset(X, X**2), Dataset(X, X + np.array([0, 0, 1e-16])),
    1, 1.5, "1", "a, b", ("a", "b"), ("a, b",), (("a",), "b"), (), None, True, (0.1 + 0.2,), (0.3,),
]  # fmt: skip


def test_no_two_values_that_differ_share_a_key():
    for one, other in combinations(DIFFERENT, 2):
        same = type(one) is type(other) and not isinstance(one, Dataset) and one == other
        if isinstance(one, Dataset) and isinstance(other, Dataset):
            same = one.digest == other.digest
        assert (key_of(one) == key_of(other)) == same, (one, other)


def test_a_result_is_computed_once_and_functions_do_not_share():
    calls = []

    @kept(10, scope="global")
    def first(data, epsilon):
        calls.append("first")
        return data.n * epsilon

    @kept(10, scope="global")
    def second(data, epsilon):
        calls.append("second")
        return -epsilon

    data = Dataset(X, X)
    assert [first(data, 2.0), first(Dataset(X, X), 2.0), second(data, 2.0), first(data, 3.0)] == [
        6.0,
        6.0,
        -2.0,
        9.0,
    ]
    assert calls == ["first", "second", "first"]
    with pytest.raises(TypeError):  # keys would differ
        first(data, epsilon=2.0)


def test_what_comes_from_private_data_stays_in_its_session(monkeypatch):
    scopes = {}

    def store(max_entries, scope, **_):
        def decorate(function):
            scopes[function.__qualname__] = scope
            return lambda key, args: (scope, function(key, args))

        return decorate

    monkeypatch.setattr("streamlit.cache_resource", store)

    @kept_by_origin(10)
    def double(number):
        return 2 * number

    assert double(True, 3) == ("session", 6) and double(False, 3) == ("global", 6)
    assert len(scopes) == 2, "the two stores must not share a name"
