"""The worst replacement is that of a search written out in full."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.audit import audit
from dpslr_core.mechanisms import CenteredStats, DPExpTheilSen, DPGDzCDP, NoisyIntercept
from dpslr_core.promise.search import rows_worth_trying, worst_replacement

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
