"""JointTheilSen and the variants in zCDP: their laws, what they gain, and what one release shares."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset, simulate_linear
from dpslr_core.laws import StudentT
from dpslr_core.mechanisms.pairwise import PrivateTheilSen
from dpslr_core.pairs import ranks
from dpslr_core.support.run import QUARTERS
from tests.cases.inputs import DATASETS, PLAIN
from tests.cases.pairs import awkward, nasty
from tests.reference import paper as reference

ENDS = (-0.5, 1.5)


def same_law(law, other):
    t = np.concatenate([other.ppf(np.linspace(0, 1, 201)), np.linspace(*ENDS, 201)])
    np.testing.assert_allclose(law.cdf(t), other.cdf(t), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    "name", ["even n", "tied x", "constant x", "constant y", "corners", "three records"]
)
def test_the_law_is_the_definition_box_by_box(name):
    data, epsilon = DATASETS[name], 3.0
    lists = [
        reference.private_list(data.x.tolist(), data.y.tolist(), point, *ENDS) for point in QUARTERS
    ]
    cells = reference.joint_density(lists, epsilon / (data.n - 1), *ENDS)
    for place, law in enumerate(dp.JointTheilSen().law(data, epsilon)):
        for left, right, density in reference.density_at(cells, place):
            expected = pytest.approx((right - left) * density, rel=1e-9, abs=1e-12)
            assert law.cdf(right) - law.cdf(left) == expected


@pytest.mark.parametrize(
    ("variant", "plain"),
    [
        (dp.DPExpTheilSenZCDP, dp.DPExpTheilSen),
        (dp.DPWideTheilSenZCDP, dp.DPWideTheilSen),
        (dp.JointTheilSenZCDP, dp.JointTheilSen),
    ],
)
def test_rho_buys_a_larger_epsilon_for_the_same_mechanism(variant, plain):
    """eta = sqrt(8 rho / m) at each of m points."""
    epsilon, points = 1.3, (0.1, 0.4, 0.9)
    releases = 1 if plain is dp.JointTheilSen else len(points)
    total = np.sqrt(8 * epsilon**2 / 2 / releases) * releases
    laws = variant().law(PLAIN, epsilon, points)
    for law, other in zip(laws, plain().law(PLAIN, total, points), strict=True):
        same_law(law, other)


# ---------------------------------------------------------------- one mechanism for every n


FAMILY = [
    dp.DPExpTheilSen(),
    dp.DPWideTheilSen(),
    dp.DPSSTheilSen(),
    dp.JointTheilSen(),
    dp.JointTheilSenZCDP(),
]
NARROW = [
    dp.DPExpTheilSen(lower=0.4137, upper=0.5213),
    dp.JointTheilSen(lower=0.4137, upper=0.5213),
]
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
@pytest.mark.parametrize("n", [*range(3, 10), 60])
def test_laws_by_ranks_are_those_of_the_list(mechanism, n, monkeypatch):
    for name in awkward(n) | nasty(max(n, 6)):
        for law, by_ranks in both_laws(mechanism, name, n, 2.0, (0.25, 0.5), monkeypatch):
            assert_same(law, by_ranks)


# ---------------------------------------------------------------- what the theil-sen family releases


IN_CELLS = [
    cls for cls in dp.MECHANISMS if issubclass(cls, PrivateTheilSen) and cls is not dp.DPSSTheilSen
]
each_in_cells = pytest.mark.parametrize("cls", IN_CELLS, ids=lambda cls: cls.__name__)
AT = (0.25, 0.75)
DATA = Dataset([0.11, 0.27, 0.52, 0.68, 0.93], [0.22, 0.41, 0.39, 0.66, 0.58])
NEIGHBOUR = DATA.with_record(4, 0.05, 0.97)
SPACING, LAST_DIGIT = 2.0**-24, 2.0**-51  # of [-1/2, 3/2]: 25 bits of a float are for the cell


def in_cells(outcomes, law):
    """Which outcomes are digits of a float below the spacing, in a cell that the law gives a chance."""
    cells = np.floor(outcomes / SPACING) * SPACING
    on_last_digit = np.rint(outcomes / LAST_DIGIT) * LAST_DIGIT == outcomes
    return on_last_digit & (outcomes >= -0.5) & (outcomes < 1.5) & (law.logpdf(cells) > -np.inf)


def released(mechanism, data, size=20_000, epsilon=2.0, seed=1):
    return mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(seed))


@each_in_cells
def test_no_outcome_is_impossible_on_a_neighbour(cls):
    """The leak that cells close: an attacker who knows the other records needs one release."""
    for own, other in ((DATA, NEIGHBOUR), (NEIGHBOUR, DATA)):
        for epsilon in (0.5, 16.0):
            laws = cls().law(other, epsilon, AT)
            for law, outcomes in zip(laws, released(cls(), own, epsilon=epsilon).T, strict=True):
                assert in_cells(outcomes, law).all()


@each_in_cells
def test_digits_below_the_spacing_come_from_the_generator_alone(cls):
    """The same seed gives two data sets the same digits in whatever cells."""
    for k in (None, 1, 3):
        one, other = (released(cls(k=k), data, 2_000) / SPACING for data in (DATA, NEIGHBOUR))
        digits = one - np.floor(one)
        np.testing.assert_array_equal(digits, other - np.floor(other))
        assert np.mean(np.floor(one) == np.floor(other)) < 0.9
        assert stats.kstest(digits.ravel(), "uniform").pvalue > 1e-4


@each_in_cells
def test_draws_by_ranks_are_in_cells(cls, monkeypatch):
    """The audit by draws says that releases follow the law of the list."""
    x, y = simulate_linear(60, 0.03, 0.001, rng=np.random.default_rng(3))
    monkeypatch.setattr(ranks, "CROSSOVER", NEVER)
    laws = cls().law(Dataset(x, y), 8.0, AT)
    monkeypatch.setattr(ranks, "CROSSOVER", 3)
    for law, outcomes in zip(laws, released(cls(), Dataset(x, y), 4_000, 8.0).T, strict=True):
        assert in_cells(outcomes, law).all()


@each_in_cells
def test_cells_have_the_chances_of_the_law(cls):
    """Where all pairs share one estimate, the cells on both sides of it hold half of the mass and more."""
    data = Dataset([0.1, 0.2, 0.4, 0.6, 0.9], [0.5] * 5)
    for law, outcomes in zip(
        cls().law(data, 40.0, AT), released(cls(), data, epsilon=40.0).T, strict=True
    ):
        for width in (SPACING, 2**-8):
            for low, high in ((0.5 - width, 0.5), (0.5, 0.5 + width)):
                chance = float(law.cdf(high) - law.cdf(low))
                seen = int(np.count_nonzero((low <= outcomes) & (outcomes < high)))
                assert stats.binomtest(seen, outcomes.size, chance).pvalue > 1e-4
