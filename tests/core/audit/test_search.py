"""The search for the worst neighbour of one data set."""

import itertools

import numpy as np
import pytest
from cases import DATASETS, PLAIN

from dpslr_core import Dataset
from dpslr_core.audit import audit, worst_neighbour
from dpslr_core.audit.search import replaceable, replacements
from dpslr_core.mechanisms import DPExpTheilSen, DPSSTheilSen, NoisyIntercept, NoisyStats, TheilSen


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), DPSSTheilSen(), NoisyStats()], ids=repr)
def test_the_search_comes_near_the_worst_of_a_fine_grid(mechanism):
    """All records of six, replaced by all of a grid of 11 x 11."""
    worst = worst_neighbour(mechanism, PLAIN, 2.0, pairs=400)
    side = np.linspace(0, 1, 11)
    largest = 0.0
    for row, (a, b) in itertools.product(range(PLAIN.n), itertools.product(side, side)):
        x, y = PLAIN.x.copy(), PLAIN.y.copy()
        x[row], y[row] = a, b
        largest = max(largest, audit(mechanism, PLAIN, Dataset(x, y), 2.0).measured)
    assert 0.9 * largest <= worst.loss.measured <= worst.loss.promised
    assert worst.data == PLAIN and worst.loss.holds
    assert audit(mechanism, worst.data, worst.neighbour, 2.0).measured == pytest.approx(worst.loss.measured)


def test_a_mean_moves_most_by_a_record_that_crosses_the_square():
    worst = worst_neighbour(NoisyIntercept(), Dataset([0.1, 0.5, 0.9, 0.4], [0.2, 0.9, 0.4, 0.1]), 2.0)
    assert worst.loss.measured == pytest.approx(2 * 0.9)


@pytest.mark.parametrize("name", DATASETS)
def test_neighbours_that_are_tried_are_neighbours_in_the_unit_square(name):
    data = DATASETS[name]
    assert len(set(replacements(data))) == len(replacements(data)) >= 25
    assert set(replaceable(data)) <= set(range(data.n))
    assert data.n > 8 or replaceable(data) == list(range(data.n))
    assert worst_neighbour(DPExpTheilSen(), data, 1.0, pairs=20).loss.holds


def test_rows_and_the_number_of_pairs_are_asked_for():
    tried = []

    class Counting(NoisyIntercept):
        def loss(self, mine, theirs, epsilon):
            tried.append(mine.data.replaced(theirs.data))
            return None

    worst = worst_neighbour(Counting(), PLAIN, 1.0, records=[2], pairs=10)
    assert len(tried) == 10
    assert {pair[0] for pair in tried if pair} == {(PLAIN.x[2], PLAIN.y[2])}
    assert worst.loss.measured == max(0.0, worst.loss.measured)
    for wrong in ({"records": [6]}, {"records": []}, {"pairs": 0}, {"epsilon": 0}):
        with pytest.raises(ValueError, match=rf"^{next(iter(wrong))} must"):
            worst_neighbour(NoisyIntercept(), PLAIN, **({"epsilon": 1.0} | wrong))


def test_many_records_are_searched_by_ranks():
    rng = np.random.default_rng(1)
    data = Dataset(rng.random(1500), (rng.random(1500) < 0.1) * 1.0)
    worst = worst_neighbour(DPExpTheilSen(), data, 16.0, pairs=4)
    assert 0.1 < worst.loss.measured <= 16


def test_a_loss_that_is_not_known_stays_unknown():
    assert np.isnan(worst_neighbour(TheilSen(k=1), DATASETS["even n"], 1.0, pairs=3).loss.measured)
