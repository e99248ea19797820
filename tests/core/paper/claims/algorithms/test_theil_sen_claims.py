"""Claims about matchings and the exponential mechanism: counts by brute force, mass by draws."""

from itertools import combinations

import numpy as np
import pytest
import reference

from dpslr_core.mechanisms import DPExpTheilSen, DPWideTheilSen
from dpslr_core.paper.claims import measured
from dpslr_core.paper.claims.algorithms import smooth, theil_sen


@pytest.mark.parametrize("n", [6, 7])
def test_pairs_are_counted_as_the_reference_makes_them(n):
    played = reference.rounds(n)
    for matchings in (1, len(played)):
        distinct = {frozenset(pair) for one in played[:matchings] for pair in one}
        assert theil_sen.pairs_in(n, matchings) == len(distinct)
    assert theil_sen.matchings_of_all_pairs(n) == len(played)


def test_equal_x_are_counted_pair_by_pair():
    tracts = list(measured.state().datasets.values())
    share = theil_sen.pairs_with_a_slope()
    different = [sum(a != b for a, b in combinations(data.x.tolist(), 2)) for data in tracts[:100]]
    possible = [data.n * (data.n - 1) // 2 for data in tracts[:100]]
    assert share == pytest.approx(100 * sum(different) / sum(possible), abs=0.2)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), DPWideTheilSen(theta=0.05)], ids=repr)
def test_mass_near_the_median_is_the_share_of_draws_there(mechanism):
    data = theil_sen._coinciding()
    drawn = mechanism.release(data, 16.0, size=20_000, rng=np.random.default_rng(0))[:, 0]
    share = 100 * np.mean(np.abs(drawn - data.predict(0.25)[0]) <= 0.03)
    assert theil_sen.mass_near_the_median(mechanism, 0.03) == pytest.approx(share, abs=1.5)


def test_the_even_median_moves_by_the_printed_factor():
    assert smooth.moved_by_the_mean_of_two() == pytest.approx((1 + np.exp(0.5)) / 2)
