"""One mechanism for every n: rank queries and sorted lists give the same law, whatever the records share."""

from functools import cache

import numpy as np
import pytest
from pair_cases import awkward, nasty
from scipy import stats

from dpslr_core import Dataset
from dpslr_core.laws import StudentT
from dpslr_core.mechanisms import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen, JointTheilSen, JointTheilSenZCDP
from dpslr_core.pairs import ranks

FAMILY = [DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen(), JointTheilSen(), JointTheilSenZCDP()]
NARROW = [DPExpTheilSen(lower=0.4137, upper=0.5213), JointTheilSen(lower=0.4137, upper=0.5213)]
NEVER = 10**9


@cache
def twice(name, n):
    """One data set for sorted lists and an equal one for rank queries: each keeps what was computed of it."""
    x, y = (awkward(n) | nasty(max(n, 6)))[name]
    return Dataset(x, y), Dataset(x, y)


def both_laws(mechanism, name, n, epsilon, at, monkeypatch):
    """The laws from sorted lists and from rank queries."""
    laws = []
    for crossover, data in zip((NEVER, 3), twice(name, n), strict=True):
        monkeypatch.setattr(ranks, "CROSSOVER", crossover)
        laws.append(mechanism.law(data, epsilon, at))
    return zip(*laws, strict=True)


def assert_same(law, by_ranks):
    if isinstance(law, StudentT):
        assert law == by_ranks
        return
    q = np.linspace(0, 1, 201)
    t = np.concatenate([law.ppf(q), by_ranks.ppf(q), np.linspace(law.edges[0], law.edges[-1], 201)])
    assert np.abs(law.cdf(t) - by_ranks.cdf(t)).max() <= by_ranks.cdf_error + 1e-9
    assert by_ranks.cdf_error <= 1e-3


@pytest.mark.parametrize("mechanism", FAMILY + NARROW, ids=repr)
@pytest.mark.parametrize("n", range(3, 13))
def test_laws_of_few_records_are_those_of_the_list(mechanism, n, monkeypatch):
    for name in awkward(n) | nasty(max(n, 6)):
        for law, by_ranks in both_laws(mechanism, name, n, 2.0, (0.25, 0.5), monkeypatch):
            assert_same(law, by_ranks)


@pytest.mark.parametrize("mechanism", FAMILY[:4], ids=repr)
@pytest.mark.parametrize("epsilon", [0.06, 2.0, 16.0])
@pytest.mark.parametrize("name", awkward(3))
def test_laws_at_the_crossover_do_not_depend_on_how_they_are_computed(mechanism, epsilon, name, monkeypatch):
    for law, by_ranks in both_laws(mechanism, name, ranks.CROSSOVER, epsilon, (0.25, 0.5), monkeypatch):
        assert_same(law, by_ranks)
        draws = by_ranks.sample(500, np.random.default_rng(3))
        assert stats.kstest(draws, law.cdf).pvalue > 1e-4


def test_one_replaced_record_of_a_constant_does_not_show():
    """All other records share one y: an estimate that rounding moved off it would be seen in every release."""
    x = np.random.default_rng(5).random(ranks.CROSSOVER)
    constant = Dataset(x, np.full(x.size, 0.5))
    replaced = Dataset(np.append(x[1:], 1.0), np.append(np.full(x.size - 1, 0.5), 0.0))
    for mechanism in FAMILY[:4]:
        seen = [mechanism.release(data, 2.0, size=400, rng=np.random.default_rng(1)) for data in (constant, replaced)]
        near = [np.mean(np.abs(draws - 0.5).max(axis=1) < 1e-6) for draws in seen]
        assert abs(near[0] - near[1]) < 0.1
        assert stats.ks_2samp(seen[0][:, 0], seen[1][:, 0]).pvalue > 1e-6


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-12, 1e3, 1e12, 1.7e308])
@pytest.mark.parametrize("mechanism", [*FAMILY, DPSSTheilSen(beta=0.0), DPWideTheilSen(theta=1e300)], ids=repr)
def test_extremes_of_epsilon_are_answered_whatever_the_data(mechanism, epsilon, monkeypatch):
    for crossover in (NEVER, 3):
        monkeypatch.setattr(ranks, "CROSSOVER", crossover)
        for x, y in awkward(40).values():
            with np.errstate(over="ignore"):  # Student-t noise of epsilon 1e-300 is beyond floats
                released = mechanism.release(Dataset(x, y), epsilon, size=20, rng=np.random.default_rng(0))
            assert not np.isnan(released).any()
