"""The search for the worst neighbour of one data set, and for the worst replacement, which is written out in full."""

import itertools

import numpy as np
import pytest
from cases import DATASETS, PLAIN

from dpslr_core import Dataset
from dpslr_core.audit import audit, worst_neighbour
from dpslr_core.audit.loss import replaceable, replacements, rows_worth_trying, worst_replacement
from dpslr_core.mechanisms import (
    CenteredStats,
    DPExpTheilSen,
    DPGDzCDP,
    DPSSTheilSen,
    NoisyIntercept,
    NoisyStats,
    TheilSen,
)


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


# ---------------------------------------------------------------- every place of a grid

RNG = np.random.default_rng(3)
DATA = Dataset(RNG.random(9), RNG.random(9))


@pytest.mark.parametrize("mechanism", [NoisyIntercept(), DPExpTheilSen(), CenteredStats(), DPGDzCDP()], ids=repr)
def test_it_finds_what_trying_all_finds(mechanism):
    *_, searched = worst_replacement(mechanism, DATA, 1.5, rows=range(9), side=3)
    every = {
        (row, x, y): audit(mechanism, DATA, DATA.with_record(row, x, y), 1.5).measured
        for row in range(9)
        for x in (0, 0.5, 1)
        for y in (0, 0.5, 1)
    }
    assert searched.tried == searched.total == len(every)
    assert searched.worst.loss.measured == max(every.values()) == every[searched.worst[:3]]
    assert searched.worst.loss.holds


def test_the_mean_moves_most_where_the_lowest_record_goes_to_the_top_or_the_highest_to_the_bottom():
    *_, searched = worst_replacement(NoisyIntercept(), DATA, 2.0)
    farthest = max(DATA.y.max(), 1 - DATA.y.min())
    assert searched.worst.loss.measured == pytest.approx(2.0 * farthest)


def test_it_tells_how_far_it_is_and_never_gets_better():
    steps = list(worst_replacement(DPExpTheilSen(), DATA, 1.0, rows=(0, 4, 7), side=2))
    assert [step.tried for step in steps] == [4, 8, 12] and {step.total for step in steps} == {12}
    losses = [step.worst.loss.measured for step in steps]
    assert losses == sorted(losses)


def test_rows_worth_trying_come_first_and_others_follow():
    many = Dataset(RNG.random(300), RNG.random(300))
    first, more = rows_worth_trying(many), rows_worth_trying(many, 100)
    assert int(many.x.argmax()) in first and len(first) <= 12
    assert more[: len(first)] == first and len(set(more)) == len(more) == 100
    assert rows_worth_trying(DATA, 100) == list(dict.fromkeys([*rows_worth_trying(DATA), *range(9)]))


@pytest.mark.parametrize("wrong", [{"rows": [9]}, {"rows": []}, {"side": 1}, {"epsilon": 0.0}])
def test_what_cannot_be_searched_is_refused(wrong):
    arguments = {"epsilon": 1.0} | wrong
    with pytest.raises(ValueError):
        next(worst_replacement(NoisyIntercept(), DATA, **arguments))
