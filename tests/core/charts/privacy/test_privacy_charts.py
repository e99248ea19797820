"""The pictures of the Privacy page draw the numbers of the core."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.charts.privacy.loss import loss_chart
from dpslr_core.charts.privacy.views import (
    belief_chart,
    ledger_chart,
    staircase_chart,
    tradeoff_chart,
    tradeoff_table,
)
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.mechanisms import MECHANISMS, CenteredStats, DPExpTheilSen, MaximumObservedSensitivity, NoisyStats
from dpslr_core.promise.ledgers import ledgers
from dpslr_core.promise.odds import beliefs
from dpslr_core.promise.pair import pair_of
from dpslr_core.sources.axis import Axis
from dpslr_core.support.run import Budget

RNG = np.random.default_rng(8)
MOVED = MovedRecord(Dataset(RNG.random(20), RNG.random(20)), 4, 0.0, 1.0)
BUDGET = Budget(2.0)
Y = Axis("income", "k$", 0.0, 50.0)


def band(figure):
    (shape,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    return shape.y0, shape.y1


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), NoisyStats(), CenteredStats()], ids=repr)
def test_the_curve_is_drawn_inside_the_band(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    figure = loss_chart(pair, Y)
    (curve,) = [trace for trace in figure.data if trace.name == "privacy loss" and trace.mode == "lines"]
    assert band(figure) == (-2.0, 2.0) and np.abs(curve.y).max() <= 2.0
    np.testing.assert_allclose(curve.x, Y.from_unit(pair.curve["estimate"]))
    outcomes = [trace.x for trace in figure.data if trace.type == "bar"]
    assert len(outcomes) == (0 if pair.atoms.empty else 2)
    assert figure.layout.xaxis.domain[1] == (1.0 if pair.atoms.empty else 0.76)


def test_the_method_that_is_not_private_is_drawn_leaving_a_band_with_dashed_lines():
    figure = loss_chart(pair_of(MOVED, MaximumObservedSensitivity(), BUDGET))
    (curve,) = [trace for trace in figure.data if trace.name == "privacy loss"]
    high = figure.layout.yaxis2.range[1]
    assert band(figure) == (-2.0, 2.0) and 2.5 < np.abs(curve.y).max() <= high
    assert {shape.line.dash for shape in figure.layout.shapes if shape.type == "line"} == {"dash"}


def test_beliefs_are_in_the_band_of_those_allowed():
    pair = pair_of(MOVED, DPExpTheilSen(), BUDGET)
    figure = belief_chart(pair, 0.1)
    allowed = beliefs(0.1, 2.0)
    assert band(figure) == (allowed.least, allowed.largest)
    assert allowed.least <= figure.data[0].y.min() < 0.1 < figure.data[0].y.max() <= allowed.largest


def test_the_trade_off_curve_lies_between_chance_and_the_guarantee():
    pair = pair_of(MOVED, CenteredStats(), BUDGET)
    chance, here, allowed = (trace.y for trace in tradeoff_chart(pair).data)
    assert (here <= chance + 1e-9).all() and (here >= allowed - 1e-6).all() and (here > allowed + 1e-3).any()
    np.testing.assert_array_equal(tradeoff_table(pair)["misses"], here)


def test_the_bars_of_every_algorithm_add_up_to_the_whole():
    rows = ledgers([algorithm() for algorithm in MECHANISMS], BUDGET)
    totals = dict.fromkeys(rows["algorithm"], 0.0)
    for trace in ledger_chart(rows).data:
        for name, share in zip(trace.y, trace.x, strict=True):
            totals[name] += share
    assert list(totals.values()) == pytest.approx([1.0] * len(totals)) and len(totals) > 10


def test_staircase_noise_falls_in_steps():
    staircase, laplace = staircase_chart(16.0).data
    assert len(np.unique(np.round(staircase.y, 9))) <= 8 < len(np.unique(np.round(laplace.y, 9)))
