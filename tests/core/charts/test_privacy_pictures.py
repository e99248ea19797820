"""Pictures of what a release tells about one record draw the numbers of the core."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.audit.moved import MovedRecord, output_change
from dpslr_core.audit.pair import beliefs, pair_of
from dpslr_core.charts.privacy import (
    belief_chart,
    loss_chart,
    odds_chart,
    tradeoff_chart,
    tradeoff_table,
)
from dpslr_core.charts.styles import style
from dpslr_core.mechanisms import (
    CenteredStats,
    DPExpTheilSen,
    MaximumObservedSensitivity,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import Axis
from dpslr_core.text.phrases import format_amount
from tests.cases.scenes import check_specification, marks, texts

RNG = np.random.default_rng(8)
MOVED = MovedRecord(Dataset(RNG.random(20), RNG.random(20)), 4, 0.0, 1.0)
BUDGET = Budget(2.0)
Y = Axis("income", "k$", 0.0, 50.0)


def edges(picture):
    """The marks of a band in the lower panel, and of the lines that stand beside it."""
    below = picture["vconcat"][1]
    numbers = below["layer"][0] if "resolve" in below else below  # beside them the outcomes that are none
    drawn = [part for part in numbers["layer"] if "values" in part["data"]]
    return ([part for part in drawn if part["mark"]["type"] == kind] for kind in ("rect", "rule"))


def allowed(picture):
    """The ends of the band."""
    (band,), _ = edges(picture)
    return band["encoding"]["y"]["datum"], band["encoding"]["y2"]["datum"]


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), NoisyStats()], ids=repr)
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


def test_the_method_that_is_not_private_is_drawn_leaving_a_band_with_dashed_lines():
    picture = loss_chart(pair_of(MOVED, MaximumObservedSensitivity(), BUDGET))
    _, rules = edges(picture)
    high = rules[0]["encoding"]["y"]["scale"]["domain"][1]
    assert allowed(picture) == (-2.0, 2.0) and 2.5 < picture["datasets"]["curve"]["loss"].abs().max() <= 2 * high
    assert [part["mark"]["strokeDash"] for part in rules] == [[7, 4], [7, 4]]


def test_beliefs_are_in_the_band_of_those_allowed():
    pair = pair_of(MOVED, DPExpTheilSen(), BUDGET)
    picture, allowed = belief_chart(pair, 0.1, Y), beliefs(0.1, 2.0)
    check_specification(picture)
    band, *rules = (part["encoding"] for part in picture["layer"][:4])
    assert (band["y"]["datum"], band["y2"]["datum"]) == (allowed.least, allowed.largest)
    assert [part["y"]["datum"] for part in rules] == [allowed.least, allowed.largest, 0.1]
    curve = picture["datasets"]["curves"]
    assert allowed.least <= curve["y"].min() < 0.1 < curve["y"].max() <= allowed.largest
    np.testing.assert_allclose(curve["x"], Y.from_unit(pair.curve["estimate"]))


def test_the_trade_off_curve_lies_between_chance_and_the_guarantee():
    pair = pair_of(MOVED, CenteredStats(), BUDGET)
    picture = tradeoff_chart(pair)
    check_specification(picture)
    curves = picture["datasets"]["curves"]
    chance, here, allowed = (rows["y"].to_numpy() for _, rows in curves.groupby("algorithm", sort=False))
    np.testing.assert_array_equal(picture["datasets"]["bands"]["high"], allowed)
    assert (here <= chance + 1e-9).all() and (here >= allowed - 1e-6).all() and (here > allowed + 1e-3).any()
    np.testing.assert_array_equal(tradeoff_table(pair)["misses"], here)


def odds(mechanism, epsilon):
    change = output_change(MOVED, mechanism, Budget(epsilon, (0.75,)))
    table = change.odds((0, 1), Y)
    return odds_chart(change, table, Y), table


def test_odds_stay_in_the_band_that_epsilon_allows():
    for epsilon in (0.1, 16.0):
        picture, table = odds(DPExpTheilSen(), epsilon)
        check_specification(picture)
        assert allowed(picture) == pytest.approx((-epsilon, epsilon))
        curve, ends = picture["datasets"]["curve"], [format_amount(np.exp(epsilon)), "1"]
        np.testing.assert_allclose(np.exp(curve["loss"]), table["after"] / table["before"])
        assert curve["loss"].abs().max() <= epsilon * (1 + 1e-9)
        assert {f"1/{ends[0]}", *ends} <= set(texts(picture))
