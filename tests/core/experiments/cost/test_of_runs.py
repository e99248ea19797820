"""What comparisons, sweeps and guidance cost: never less for more of anything, and in proportion where work is."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dpslr_core.experiments.cost.of_runs import affordable_count, compare_cost, errors_cost, guidance_cost, sweep_cost
from dpslr_core.experiments.ranges import RANGES, USUAL_VALUES, spaced
from dpslr_core.experiments.sweep import plan_sweep
from dpslr_core.mechanisms import USUAL, DPExpTheilSen, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.work.limits import AT_ONCE, Cost, server_limit

ALL = tuple(algorithm() for algorithm in USUAL)
BASE = Scenario()


def rising(values) -> bool:
    return all(low < high for low, high in pairwise(values))


def sweep_of(values, mechanisms=ALL, base=BASE, parameter="n"):
    return plan_sweep(parameter, values, base.linear_model, base.budget, mechanisms)


def test_a_comparison_costs_more_with_more_records_trials_points_matchings_and_algorithms():
    assert rising(compare_cost(n, ALL, 2, 1000).seconds for n in (50, 250, 1000, 3000, 10_000, 1_000_000))
    assert rising(compare_cost(250, ALL, 2, trials).seconds for trials in (20, 200, 1000, 5000))
    assert rising(compare_cost(250, ALL, points, 1000).seconds for points in range(1, 9))
    assert rising(compare_cost(250, ALL[:count], 2, 1000).seconds for count in range(len(ALL)))
    assert rising(compare_cost(2000, [DPExpTheilSen(k=k)], 2, 1000).seconds for k in (10, 100, 1000))


def test_a_sweep_costs_more_with_more_values_trials_and_algorithms():
    assert rising(sweep_cost(sweep_of(spaced("n", 30, last, 8)), 50).seconds for last in (100, 500, 5000))
    assert rising(sweep_cost(sweep_of(spaced("n", 30, 500, count)), 50).seconds for count in (2, 8, 25))
    assert rising(sweep_cost(sweep_of([100]), trials).seconds for trials in (20, 50, 1000))
    assert rising(sweep_cost(sweep_of([100], ALL[:count]), 50).seconds for count in (1, 5, len(ALL)))
    matched = [DPExpTheilSen(k=5)]
    assert rising(sweep_cost(sweep_of([k], matched, Scenario(n=3000), "k"), 50).seconds for k in (1, 10, 100))


def test_guidance_costs_in_proportion_to_its_data_sets():
    model, budget = LinearModel(250, 0.03, 0.01), Budget(2.0)
    few, many = (guidance_cost(model, budget, ALL, datasets, 50) for datasets in (5, 50))
    assert many.seconds == pytest.approx(10 * few.seconds)
    assert many.megabytes == few.megabytes


def test_errors_off_draws_are_drawn_where_matchings_are_averaged():
    assert errors_cost(DPExpTheilSen(k=10), 1000, 2, 50).seconds < errors_cost(
        DPExpTheilSen(k=10), 1000, 2, 50, averaged=False
    ).seconds  # fmt: skip
    assert errors_cost(NoisyStats(), 1000, 2, 50) == errors_cost(NoisyStats(), 1000, 2, 5000)


def test_the_pages_at_their_defaults_ask_for_nothing():
    """But for the sweep, which is measured once for all sessions."""
    s = Scenario()
    assert compare_cost(s.linear_model.n, s.admitted, len(s.at), s.trials).within(AT_ONCE)
    assert guidance_cost(s.linear_model, s.budget, s.admitted, 50, 50).within(AT_ONCE)
    limits = RANGES["n"]
    sweep = sweep_cost(sweep_of(spaced("n", limits.first, limits.last, USUAL_VALUES)), 50)
    assert sweep.times(50).seconds < 5 * AT_ONCE.seconds


@pytest.mark.parametrize(
    "n, at, trials, also_k", [(10_000, 8, 5000, 1000), (1_000_000, 8, 5000, None), (100_000, 2, 1000, 1000)]
)
def test_links_that_burned_minutes_are_beyond_a_server(n, at, trials, also_k):
    s = Scenario(n=n, at=tuple(0.1 * place for place in range(1, at + 1)), trials=trials, also_k=also_k)
    assert not compare_cost(n, s.admitted, at, trials).within(server_limit())


def test_as_many_whole_blocks_as_stay_within_a_limit():
    assert affordable_count(Cost(1, 1), Cost(10, 10), 8, 5) == 8
    assert affordable_count(Cost(1, 1), Cost(10, 10), 100, 4) == 8
    assert affordable_count(Cost(11, 1), Cost(10, 10), 100, 5) == 0
    assert affordable_count(Cost(1, 11), Cost(10, 10), 100, 5) == 0
