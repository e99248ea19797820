"""What the Theil-Sen family releases: a cell of the public grid, and digits that no data decide."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import (
    MECHANISMS,
    DPExpTheilSen,
    DPExpTheilSenZCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    DPWideTheilSenZCDP,
    JointTheilSen,
    JointTheilSenZCDP,
)
from dpslr_core.mechanisms.pairwise import PrivateTheilSen
from dpslr_core.pairs import ranks

IN_CELLS = (DPExpTheilSen, DPWideTheilSen, JointTheilSen, DPExpTheilSenZCDP, DPWideTheilSenZCDP, JointTheilSenZCDP)
AT = (0.25, 0.75)
NEVER = 10**9
DATA = Dataset([0.11, 0.27, 0.52, 0.68, 0.93], [0.22, 0.41, 0.39, 0.66, 0.58])
NEIGHBOUR = Dataset([0.11, 0.27, 0.52, 0.68, 0.05], [0.22, 0.41, 0.39, 0.66, 0.97])
SPACING, LAST_DIGIT = 2.0**-24, 2.0**-51  # of [-1/2, 3/2]: 25 bits of a float are for the cell


class BetweenEstimates(DPExpTheilSen):
    """A fault: what is released is the law's quantile at a uniform number, to the last bit."""

    def _draw(self, data, epsilon, at, size, rng):
        return np.column_stack([law.ppf(rng.random(size)) for law in self._laws(data, epsilon, at)])


def quantiles(outcomes, law):
    """Which outcomes are quantiles of the law at multiples of 2^-53, as uniform numbers are."""
    near = np.rint(np.ldexp(law.cdf(outcomes), 53))[:, None] + np.arange(-64, 65)
    return (law.ppf(np.ldexp(np.clip(near, 0, 2**53), -53)) == outcomes[:, None]).any(axis=1)


def in_cells(outcomes, law):
    """Which outcomes are digits of a float below the spacing, in a cell that the law gives a chance."""
    cells = np.floor(outcomes / SPACING) * SPACING
    on_last_digit = np.rint(outcomes / LAST_DIGIT) * LAST_DIGIT == outcomes
    return on_last_digit & (outcomes >= -0.5) & (outcomes < 1.5) & (law.logpdf(cells) > -np.inf)


def released(mechanism, data, size=20_000, epsilon=2.0, seed=1):
    return mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(seed))


def test_between_estimates_outcomes_are_impossible_on_a_neighbour():
    """The leak that cells close: an attacker who knows the other records needs one release."""
    for own, other in ((DATA, NEIGHBOUR), (NEIGHBOUR, DATA)):
        outcomes = released(BetweenEstimates(), own)[:, 0]
        mine, theirs = (DPExpTheilSen().law(data, 2.0, AT)[0] for data in (own, other))
        assert quantiles(outcomes, mine).all()
        assert np.mean(~quantiles(outcomes, theirs)) > 0.3
        assert np.mean(~in_cells(outcomes, theirs)) > 0.3


@pytest.mark.parametrize("mechanism", [cls() for cls in IN_CELLS], ids=lambda m: m.name)
@pytest.mark.parametrize("epsilon", [0.5, 16.0])
def test_no_outcome_is_impossible_on_a_neighbour(mechanism, epsilon):
    for own, other in ((DATA, NEIGHBOUR), (NEIGHBOUR, DATA)):
        outcomes = released(mechanism, own, epsilon=epsilon)
        for law, mine in zip(mechanism.law(other, epsilon, AT), outcomes.T, strict=True):
            assert in_cells(mine, law).all()


@pytest.mark.parametrize("mechanism", [cls(k=k) for cls in IN_CELLS for k in (None, 1, 3)], ids=lambda m: m.name)
def test_digits_below_the_spacing_come_from_the_generator_alone(mechanism):
    """The same seed gives two data sets the same digits in whatever cells."""
    one, other = (released(mechanism, data, 2_000) / SPACING for data in (DATA, NEIGHBOUR))
    np.testing.assert_array_equal(one - np.floor(one), other - np.floor(other))
    assert np.mean(np.floor(one) == np.floor(other)) < 0.9
    assert stats.kstest((one - np.floor(one)).ravel(), "uniform").pvalue > 1e-4


@pytest.mark.parametrize("mechanism", [cls() for cls in IN_CELLS], ids=lambda m: m.name)
@pytest.mark.parametrize("ties", [False, True])
def test_draws_by_ranks_are_in_cells_and_follow_the_law_of_the_list(mechanism, ties, monkeypatch):
    x, y = simulate_linear(60, 0.03, 0.001, rng=np.random.default_rng(3))
    records = (x.round(1), y.round(1)) if ties else (x, y)
    monkeypatch.setattr(ranks, "CROSSOVER", NEVER)
    laws = mechanism.law(Dataset(*records), 8.0, AT)
    monkeypatch.setattr(ranks, "CROSSOVER", 3)
    by_ranks = Dataset(*records)
    assert any(not law.exact for law in mechanism.law(by_ranks, 8.0, AT)) or ties
    for law, outcomes in zip(laws, released(mechanism, by_ranks, 4_000, 8.0).T, strict=True):
        assert in_cells(outcomes, law).all()
        assert stats.kstest(outcomes, law.cdf).pvalue > 1e-4


@pytest.mark.parametrize("mechanism", [cls() for cls in IN_CELLS], ids=lambda m: m.name)
def test_cells_have_the_chances_of_the_law(mechanism):
    """Where all pairs share one estimate, the cells on both sides of it hold half of the mass and more."""
    data = Dataset([0.1, 0.2, 0.4, 0.6, 0.9], [0.5] * 5)
    for law, outcomes in zip(mechanism.law(data, 40.0, AT), released(mechanism, data, epsilon=40.0).T, strict=True):
        for low, high in ((0.5 - SPACING, 0.5), (0.5, 0.5 + SPACING), (0.5 - 2**-8, 0.5), (0.5, 0.5 + 2**-8)):
            chance = float(law.cdf(high) - law.cdf(low))
            seen = int(np.count_nonzero((low <= outcomes) & (outcomes < high)))
            assert stats.binomtest(seen, outcomes.size, chance).pvalue > 1e-4


def test_every_private_median_but_the_one_with_added_noise_is_in_cells():
    family = [cls for cls in MECHANISMS if issubclass(cls, PrivateTheilSen)]
    assert {cls for cls in family if cls.in_cells} == set(IN_CELLS)
    assert [cls for cls in family if not cls.in_cells] == [DPSSTheilSen]
    outcomes = released(DPSSTheilSen(), DATA)
    assert np.mean(np.rint(outcomes / LAST_DIGIT) * LAST_DIGIT == outcomes) < 0.9
