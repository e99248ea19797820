"""Private crossings: the definition, the promise on neighbours, and how rarely they are on the wrong side."""

from itertools import pairwise

import numpy as np
import pytest

from dpslr_core.intervals.own_budget import crossing_chances, draw_crossings, safety


def literal(values, target, weight):
    """exp(-weight distance), cell by cell."""
    edges = [-np.inf, *values, np.inf]
    chances = []
    for low, high in pairwise(edges):
        away = 0 if low <= target <= high else min(abs(target - low), abs(target - high))
        chances.append(np.exp(-weight * away))
    return np.array(chances) / sum(chances)


def test_the_chances_are_the_definition():
    values = np.array([0.0, 0.0, 3.0, 7.0, 7.0, 20.0])
    for target in (-5.0, 0.0, 2.0, 7.0, 12.0, 40.0):
        np.testing.assert_allclose(crossing_chances(values, target, 0.3), literal(values, target, 0.3))


def worst_ratio(weight, epsilon, sensitivity=2):
    """The largest |log ratio| of chances over random neighbours, divided by epsilon."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(400):
        values = np.cumsum(rng.integers(0, 6, 12)).astype(float)
        moved = np.maximum.accumulate(values + rng.integers(-sensitivity, sensitivity + 1, 12))
        moved = np.clip(moved, values - sensitivity, values + sensitivity)
        target = float(rng.integers(0, 40))
        one, other = (crossing_chances(each, target, weight) for each in (values, moved))
        worst = max(worst, float(np.abs(np.log(one / other)).max()) / epsilon)
    for values, moved in (([2.0] * 12, [0.0] * 12), ([0.0] * 12, [2.0] * 12)):
        one, other = (crossing_chances(np.array(each), 1.0, weight) for each in (values, moved))
        worst = max(worst, float(np.abs(np.log(one / other)).max()) / epsilon)
    return worst


def test_neighbours_are_told_apart_by_no_more_than_epsilon():
    assert 0.3 < worst_ratio(1.5 / (2 * 2), 1.5) <= 1


def test_a_crossing_that_forgets_the_sensitivity_is_caught():
    assert worst_ratio(1.5 / 2, 1.5) > 1


@pytest.mark.parametrize("jump", [1.0, 200.0])
def test_an_end_is_below_what_it_must_be_above_as_rarely_as_promised(jump):
    """Also where the values leap over the target, which would fool scores at the edges themselves."""
    weight, failure, bound = 0.2, 0.05, 30.0
    values = np.repeat([5.0, 29.9, 29.9 + jump, 300.0], 25)
    target = bound + safety(values.size + 1, failure, weight)
    upper = np.append(values, np.inf)
    assert crossing_chances(values, target, weight)[upper <= bound].sum() <= failure
    drawn = draw_crossings(values, target, weight, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(
        np.bincount(drawn, minlength=upper.size) / 20_000, crossing_chances(values, target, weight), atol=0.015
    )
