"""The pictures of the Privacy page draw the numbers of the core."""

import numpy as np
import pytest
from scenes import check_specification, marks, texts

from dpslr_core import Dataset
from dpslr_core.audit.pair import beliefs, pair_of
from dpslr_core.audit.spending import ledgers
from dpslr_core.charts.files import WIDE, written
from dpslr_core.charts.privacy.loss import GREY, loss_chart
from dpslr_core.charts.privacy.views import (
    belief_chart,
    ledger_chart,
    staircase_chart,
    tradeoff_chart,
    tradeoff_table,
)
from dpslr_core.charts.styles import style
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.mechanisms import MECHANISMS, CenteredStats, DPExpTheilSen, MaximumObservedSensitivity, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import Axis

RNG = np.random.default_rng(8)
MOVED = MovedRecord(Dataset(RNG.random(20), RNG.random(20)), 4, 0.0, 1.0)
BUDGET = Budget(2.0)
Y = Axis("income", "k$", 0.0, 50.0)


def band(figure):
    (shape,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    return shape.y0, shape.y1


def allowed(picture):
    """The ends of the band."""
    return tuple(picture["datasets"]["band"].iloc[0])


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), NoisyStats(), CenteredStats()], ids=repr)
def test_the_curve_is_drawn_inside_the_band(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    picture = loss_chart(pair, Y)
    check_specification(picture)
    curve = picture["datasets"]["curve"]
    assert allowed(picture) == (-2.0, 2.0) and curve["loss"].abs().max() <= 2.0
    np.testing.assert_allclose(curve["estimate"], Y.from_unit(pair.curve["estimate"]))
    np.testing.assert_allclose(curve["after"], pair.curve["after"] / Y.scale)
    bars = [mark for mark in marks(picture) if mark.kind == "rect" and mark.color == style(mechanism.name)["color"]]
    assert len(bars) == (0 if pair.atoms.empty else 2)
    for outcome in pair.atoms["outcome"]:
        assert outcome in texts(picture)
    assert {f"{mechanism.name}, before", f"{mechanism.name}, after"} <= set(texts(picture))


def test_the_loss_stays_in_its_band_and_all_on_the_canvas():
    picture = loss_chart(pair_of(MOVED, NoisyStats(), BUDGET), Y)
    drawn = [mark for mark in marks(picture) if mark.more["role"] == "mark"]
    (band,) = [mark for mark in drawn if mark.kind == "rect" and mark.color == GREY]
    below = [mark for mark in drawn if mark.kind == "line" and mark.more.get("strokeWidth") == 3 and mark.y > band.y]
    assert len(below) > 100 and all(mark.y <= band.y + band.more["height"] for mark in below)
    assert all(0 <= mark.x <= WIDE for mark in drawn)
    assert written(picture, ".svg", "the loss", WIDE).startswith(b"<svg")


def test_the_method_that_is_not_private_is_drawn_leaving_a_band_with_dashed_lines():
    picture = loss_chart(pair_of(MOVED, MaximumObservedSensitivity(), BUDGET))
    rules = [part for part in picture["vconcat"][1]["layer"] if part["mark"]["type"] == "rule"]
    high = rules[0]["encoding"]["y"]["scale"]["domain"][1]
    assert allowed(picture) == (-2.0, 2.0) and 2.5 < picture["datasets"]["curve"]["loss"].abs().max() <= 2 * high
    assert [part["mark"]["strokeDash"] for part in rules] == [[7, 4], [7, 4]]


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
