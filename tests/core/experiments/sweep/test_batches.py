"""Batches: the same bits whatever the workers, taken up where they were left."""

import numpy as np
import pandas as pd
import pytest
from sweep_cases import BUDGET, MODEL, SMALL, SOME

from dpslr_core import sweep
from dpslr_core.mechanisms import OLS, TheilSen
from dpslr_core.support.run import Run
from dpslr_core.sweeps import COLUMNS, batch_ranges, combine, plan_sweep, run_sweep, sweep_batches


def batches_of(parameter, values, datasets, mechanisms=SOME, **more):
    plan = plan_sweep(parameter, values, MODEL, BUDGET, mechanisms)
    return sweep_batches(plan, Run(10), datasets, **more)


def test_workers_give_the_same_bits():
    plan = plan_sweep("epsilon", [1.0, 8.0], MODEL, BUDGET, SOME)
    one, two = (run_sweep(plan, Run(10, 2, workers), 12) for workers in (1, 2))
    pd.testing.assert_frame_equal(one.frame, two.frame, check_exact=True)
    assert one.difference_errors("OLS", "NoisyStats") == two.difference_errors("OLS", "NoisyStats")


@pytest.mark.parametrize(("parameter", "values"), [("n", [9, 12]), ("epsilon", [1.0, 8.0])])
def test_neither_the_size_of_batches_nor_their_order_matters(parameter, values):
    whole = sweep(parameter, values, SMALL, SOME, datasets=7, trials=10)
    batches = list(batches_of(parameter, values, 7, block=3))
    assert [batch.key for batch in batches] == [(v, *ends) for ends in batch_ranges(7, 3) for v in values]
    for order in (batches, batches[::-1]):
        other = combine(order)
        pd.testing.assert_frame_equal(other.frame, whole, check_exact=True)
        assert [batch.first for batch in other.batches] == [0, 0]


def test_batches_depend_on_their_value_and_their_data_sets_alone():
    few = {batch.key: batch for batch in batches_of("epsilon", [4.0], 10)}
    many = {batch.key: batch for batch in batches_of("epsilon", [1.0, 4.0, 9.0], 15)}
    assert set(few) < set(many)
    for key, batch in few.items():
        np.testing.assert_array_equal(batch.ratios, many[key].ratios)


def test_a_sweep_is_taken_up_where_it_was_left():
    running = batches_of("epsilon", [1.0, 4.0], 12)
    kept = [next(running) for _ in range(3)]
    running.close()
    rest = list(batches_of("epsilon", [1.0, 4.0], 12, done=[batch.key for batch in kept]))
    assert not {batch.key for batch in kept} & {batch.key for batch in rest}
    whole = sweep("epsilon", [1.0, 4.0], SMALL, SOME, 12, 10)
    pd.testing.assert_frame_equal(combine([*rest, *kept]).frame, whole, check_exact=True)
    assert combine(kept).frame["datasets"].unique().tolist() == [10, 5]


def test_progress_counts_data_sets():
    seen = []
    sweep("n", [9, 12], SMALL, [OLS()], datasets=7, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(5, 14), (10, 14), (12, 14), (14, 14)]


def test_batches_that_do_not_belong_together_are_refused():
    one, other = (list(batches_of("epsilon", [1.0], 2, [m])) for m in (OLS(), TheilSen()))
    with pytest.raises(ValueError, match=r"^batches must be of one sweep"):
        combine(one + other)
    with pytest.raises(ValueError, match=r"^batches must not share data sets"):
        combine(one + one)
    assert combine([]).frame.empty and tuple(combine([]).frame.columns) == COLUMNS


def test_batches_refuse_before_the_first():
    with pytest.raises(ValueError, match="block must be a whole number, 1 or more"):
        sweep_batches(plan_sweep("epsilon", [1.0], MODEL, BUDGET, [OLS()]), Run(), block=0)
