"""Who leads along a sweep, and where the lead changes: on sweeps made by hand."""

import numpy as np
import pytest

from dpslr_core.experiments.crossings import lead, lead_changes, leads
from dpslr_core.sweeps import RATIO, SweepBatch, combine


def measured(parameter="epsilon", errors=0.0, **curves):
    """A sweep whose means are the curves at 1, 2, 3, ...; errors scatters two data sets about them."""
    names = tuple(curves)
    batches = []
    for i in range(len(next(iter(curves.values())))):
        ratios = np.ones((2, len(names)), RATIO)
        for column in ("ratio", "low", "high"):
            ratios[column] = [
                [curves[name][i] * (1 + sign * errors * (j + 1)) for j, name in enumerate(names)] for sign in (-1, 1)
            ]
        batches.append(SweepBatch(parameter, float(i + 1), 0, names, ratios, True))
    return combine(batches)


def test_the_smallest_mean_leads():
    found = leads(measured(a=[3.0, 2.0, 1.0], b=[2.0, 2.5, 2.6]), ["a", "b"])
    assert list(found) == [1.0, 2.0, 3.0]
    assert [(one.mechanism, one.error) for one in found.values()] == [("b", 2.0), ("a", 2.0), ("a", 1.0)]
    assert not any(lead.rivals for lead in found.values())


def test_only_those_named_can_lead():
    assert lead(measured(a=[1.0], b=[2.0], c=[3.0]), 1.0, ["b", "c"]).mechanism == "b"


def test_infinite_means_never_lead():
    curves = measured(a=[np.inf, 1.0], b=[np.inf, 2.0])
    assert lead(curves, 1.0, ["a", "b"]).mechanism is None
    assert list(leads(curves, ["a", "b"])) == [2.0]


def test_a_rival_is_one_that_the_paired_difference_cannot_tell_apart():
    close, apart = measured(a=[1.0], b=[1.05], errors=0.2), measured(a=[1.0], b=[3.0], errors=0.02)
    assert lead(close, 1.0, ["a", "b"]).rivals == ("b",)
    assert lead(apart, 1.0, ["a", "b"]).rivals == ()


def test_equal_curves_are_rivals():
    assert lead(measured(a=[1.0], b=[1.0]), 1.0, ["a", "b"]).rivals == ("b",)


@pytest.mark.parametrize("parameter", ["epsilon", "x_new"])
def test_the_lead_changes_where_the_front_crosses(parameter):
    curves = measured(parameter, a=[1.0, 2.0, 4.0, 8.0], b=[3.0, 3.0, 3.0, 3.0], c=[20.0, 10.0, 5.0, 2.0])
    changes = lead_changes(curves, ["a", "b", "c"])
    assert [(c.winner, c.loser) for c in changes] == [("b", "a"), ("c", "b")]
    assert 2 < changes[0].value < 3 < changes[1].value < 4


def test_crossings_behind_the_front_are_left_out():
    curves = measured(a=[1.0, 1.0, 1.0, 9.0], b=[5.0, 7.0, 9.0, 2.0], c=[9.0, 6.0, 4.0, 1.0])
    assert [(c.winner, c.loser) for c in lead_changes(curves, ["a", "b", "c"])] == [("c", "a")]


def test_one_that_is_infinite_at_first_takes_the_lead():
    curves = measured("n", a=[2.0, 2.0, 2.0], b=[np.inf, 1.0, 0.5])
    (change,) = lead_changes(curves, ["a", "b"])
    assert (change.winner, change.low, change.high) == ("b", pytest.approx(1), pytest.approx(2))
