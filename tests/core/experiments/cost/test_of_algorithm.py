"""Estimates never fall with more of anything, and scale as the operations do."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.cost.of_algorithm import draw_cost, has_law, law_cost
from dpslr_core.experiments.cost.table import MILLISECONDS, SIZES
from dpslr_core.mechanisms import MECHANISMS, OLS, DPExpTheilSen, DPGDPure
from dpslr_core.support.run import QUARTERS

NUMBERS = (3, 30, 100, 250, 1000, 1499, 1500, 3000, 20_000, 100_000, 1_000_000)
every_algorithm = pytest.mark.parametrize("algorithm", MECHANISMS, ids=lambda algorithm: algorithm.__name__)


def rising(values) -> bool:
    return all(low <= high for low, high in pairwise(values))


def test_every_algorithm_has_a_row_of_every_size():
    assert set(MILLISECONDS) == {algorithm.__name__ for algorithm in MECHANISMS}
    assert {len(row) for rows in MILLISECONDS.values() for row in rows} == {len(SIZES)}


@every_algorithm
def test_seconds_never_fall_with_records_points_and_trials(algorithm):
    mechanism = algorithm()
    assert rising(law_cost(mechanism, n, 2).seconds for n in NUMBERS)
    assert rising(draw_cost(mechanism, n, 2, 1000).seconds for n in NUMBERS)
    assert rising(law_cost(mechanism, 500, points).seconds for points in range(1, 9))
    assert rising(draw_cost(mechanism, 500, points, 1000).seconds for points in range(1, 9))
    assert rising(draw_cost(mechanism, 500, 2, trials).seconds for trials in (10, 100, 1000, 5000, 100_000))


@every_algorithm
def test_it_is_known_which_algorithms_have_laws(algorithm):
    data = Dataset([0.0, 0.1, 0.2, 0.5, 0.8, 1.0], [0.2, 0.3, 0.2, 0.5, 0.4, 0.6])
    assert has_law(algorithm()) == all(law is not None for law in algorithm().law(data, 2.0, QUARTERS))


def test_random_matchings_cost_in_proportion_to_their_number():
    few, many = (draw_cost(DPExpTheilSen(k=k), 1000, 2, 1000) for k in (10, 100))
    assert many.seconds == pytest.approx(10 * few.seconds, rel=0.1)
    costs = [draw_cost(DPExpTheilSen(k=k), 1000, 2, 1000) for k in (1, 10, 100, 500, 998)]
    assert rising(cost.seconds for cost in costs)
    assert rising(cost.megabytes for cost in costs)
    assert law_cost(DPExpTheilSen(k=1000), 10_000, 8).megabytes > 100 * law_cost(DPExpTheilSen(), 10_000, 8).megabytes


def test_all_pairs_cost_the_same_however_they_are_asked_for():
    assert law_cost(DPExpTheilSen(k=99), 100, 2) == law_cost(DPExpTheilSen(), 100, 2)


def test_gradient_descent_costs_in_proportion_to_its_steps():
    few, many = (draw_cost(DPGDPure(steps=steps), 500, 2, 1000).seconds for steps in (20, 200))
    assert many == pytest.approx(10 * few)


def test_an_algorithm_without_a_row_costs_as_much_as_the_costliest():
    class Own(OLS):
        """One that a user has added."""

    largest = max(
        draw_cost(algorithm(), 1000, 2, 1000).seconds for algorithm in MECHANISMS if algorithm is not DPGDPure
    )
    assert draw_cost(Own(), 1000, 2, 1000).seconds >= largest
