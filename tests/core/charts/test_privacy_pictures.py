"""Pictures of what a release tells about one record draw the numbers of the core."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import beliefs, pair_of
from dpslr_core.charts.privacy import (
    belief_chart,
    densities,
    odds_bar,
    odds_curve,
    tradeoff_chart,
    tradeoff_table,
)
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import Axis
from dpslr_core.text.privacy import PairFacts, factor, headline
from tests.cases.scenes import check_specification, texts

RNG = np.random.default_rng(8)
MOVED = MovedRecord(Dataset(RNG.random(20), RNG.random(20)), 4, 0.0, 1.0)
BUDGET = Budget(2.0)
X = Axis("age", "years", 20, 60)
Y = Axis("income", "k$", 0.0, 50.0)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), NoisyStats(), DeepestLine()], ids=repr)
def test_headline_bar_and_densities_say_one_number(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    picture, bar = densities(pair, X, Y), odds_bar(pair)
    for each in (picture, bar):
        check_specification(each)
    curve, size = picture["datasets"]["curve"], factor(pair.largest.loss)
    np.testing.assert_allclose(curve["estimate"], Y.from_unit(pair.curve["estimate"]))
    np.testing.assert_allclose(
        curve["after"] / curve["before"], pair.curve["after"] / pair.curve["before"]
    )
    (row,) = bar["datasets"]["bar"].to_dict("records")
    assert (row["end"], row["bound"]) == (pair.largest.loss, 2.0)
    assert f"up to {size} times" in headline(PairFacts.of(pair, MOVED))
    (said,) = picture["datasets"]["far"]["said"]
    assert {f"this move: {size} times", "the promise: at most 7.39 times"} <= set(
        texts(bar)
    ) and size in said


@pytest.mark.parametrize(("epsilon", "end"), [(0.1, "1.11 : 1"), (1e9, "e^1,000,000,000 : 1")])
def test_odds_of_outcomes_are_drawn_inside_the_band(epsilon, end):
    pair = pair_of(MOVED, DPExpTheilSen(), Budget(epsilon))
    picture = odds_curve(pair, Y)
    check_specification(picture)
    band = picture["layer"][0]["encoding"]
    assert (band["y"]["datum"], band["y2"]["datum"]) == (-epsilon, epsilon)
    assert picture["datasets"]["curves"]["y"].abs().max() <= epsilon * (1 + 1e-9)
    assert end in texts(picture)


def test_beliefs_are_in_the_band_of_those_allowed():
    pair = pair_of(MOVED, DPExpTheilSen(), BUDGET)
    picture, allowed = belief_chart(pair, 0.1, Y), beliefs(0.1, 2.0)
    check_specification(picture)
    band = picture["layer"][0]["encoding"]
    assert (band["y"]["datum"], band["y2"]["datum"]) == (allowed.least, allowed.largest)
    curve = picture["datasets"]["curves"]
    assert allowed.least <= curve["y"].min() < 0.1 < curve["y"].max() <= allowed.largest
    np.testing.assert_allclose(curve["x"], Y.from_unit(pair.curve["estimate"]))


def test_the_trade_off_curve_lies_between_chance_and_the_guarantee():
    pair = pair_of(MOVED, CenteredStats(), BUDGET)
    picture = tradeoff_chart(pair)
    check_specification(picture)
    curves = picture["datasets"]["curves"]
    chance, here, allowed = (
        rows["y"].to_numpy() for _, rows in curves.groupby("algorithm", sort=False)
    )
    np.testing.assert_array_equal(picture["datasets"]["bands"]["high"], allowed)
    assert (
        (here <= chance + 1e-9).all()
        and (here >= allowed - 1e-6).all()
        and (here > allowed + 1e-3).any()
    )
    np.testing.assert_array_equal(tradeoff_table(pair)["misses"], here)
