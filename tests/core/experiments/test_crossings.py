"""Crossings against power laws, their intervals, and who leads along a sweep."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.experiments.crossings import crossings, lead, lead_changes
from dpslr_core.sweeps import combine
from tests.cases.sweeps import made


def curves(values, first, second, noise=0.0, shared=0.0, parameter="n", datasets=400):
    """Batches of two curves, whose ratios vary independently and together from data set to data set."""
    rng = np.random.default_rng(11)
    together, apart = rng.standard_normal((datasets, 1)), rng.standard_normal((datasets, 2))
    together, apart = together - together.mean(), apart - apart.mean(axis=0)
    batches = []
    for value, a, b in zip(values, first, second, strict=True):
        wobble = (
            1 + shared * together + noise * apart
            if np.isfinite([a, b]).all()
            else np.ones((datasets, 2))
        )
        batches.append(made(np.array([a, b]) * wobble, float(value), parameter))
    return combine(batches)


VALUES = np.geomspace(10, 10_000, 7)


def test_power_laws_cross_exactly_where_they_do():
    frame = curves(VALUES, 20 / np.sqrt(VALUES), VALUES**-0.1)
    (crossing,) = crossings(frame, "A", "B")
    assert crossing.value == pytest.approx(20**2.5)  # 20 v^-1/2 = v^-1/10
    assert crossing.low == crossing.high == pytest.approx(crossing.value)
    assert (crossing.winner, crossing.loser) == ("A", "B")
    (mirrored,) = crossings(frame, "B", "A")
    assert mirrored == crossing


def test_the_interval_is_that_of_paired_differences():
    """log(a / b) has the standard error noise sqrt(2 / N), whatever the two have in common."""
    a, b = 50 / np.sqrt(VALUES), np.full(7, 1.0)
    (crossing,) = crossings(curves(VALUES, a, b, noise=0.3, shared=0.0), "A", "B")
    half = 1.96 * 0.3 * np.sqrt(2 / 400) / 0.5  # in log n, where log(a / b) falls by 1/2 per unit
    assert crossing.value == pytest.approx(2500, rel=0.02)
    np.testing.assert_allclose(
        np.log([crossing.low, crossing.high]),
        np.log(crossing.value) + np.array([-half, half]),
        atol=0.15 * half,
    )
    (paired,) = crossings(curves(VALUES, a, b, noise=0.03, shared=0.5), "A", "B")
    assert (
        np.log(paired.high / paired.low) < 0.2 * 2 * half
    )  # the common part cancels where the curves are equal


def test_crossings_within_noise_are_none_and_two_sure_ones_are_two():
    touching = [2.0, 1.2, 0.999, 1.001, 0.999, 1.2, 2.0]
    assert crossings(curves(VALUES, touching, np.ones(7), noise=0.3), "A", "B") == []
    through = [2.0, 1.2, 0.999, 1.001, 0.999, 0.8, 0.5]
    (one,) = crossings(curves(VALUES, through, np.ones(7), noise=0.3), "A", "B")
    assert one.low < VALUES[2] < VALUES[4] < one.high and one.winner == "A"
    dip = [2.0, 1.2, 0.5, 0.4, 0.5, 1.2, 2.0]
    down, up = crossings(curves(VALUES, dip, np.ones(7), noise=0.3), "A", "B")
    assert (down.winner, up.winner) == ("A", "B") and down.high < up.low


def test_next_to_the_infinite_a_crossing_is_somewhere_between():
    a = [np.inf, np.inf, 0.5, 0.4, 0.3, 0.2, 0.1]
    (crossing,) = crossings(curves(VALUES, a, np.ones(7), noise=0.1), "A", "B")
    assert (crossing.low, crossing.high) == pytest.approx((VALUES[1], VALUES[2]))
    assert crossing.value == pytest.approx(np.sqrt(VALUES[1] * VALUES[2]))
    assert crossings(curves(VALUES, a, [np.inf, np.inf, *[1.0] * 5]), "A", "B") == []


def measured(parameter="epsilon", errors=0.0, **curves):
    """A sweep whose errors are the curves at 1, 2, 3, ...; errors scatters two data sets about them."""
    scatter = 1 + errors * np.outer([-1, 1], np.arange(1, len(curves) + 1))
    rows = enumerate(zip(*curves.values(), strict=True), 1)
    return combine(
        made(np.array(row) * scatter, float(i), parameter, tuple(curves)) for i, row in rows
    )


@pytest.mark.parametrize(
    ("b", "errors", "rivals"), [(1.3, 0.2, ("b",)), (3.0, 0.02, ()), (1.0, 0.0, ("b",))]
)
def test_a_rival_is_one_that_the_paired_difference_cannot_tell_apart(b, errors, rivals):
    assert lead(measured(a=[1.0], b=[b], errors=errors), 1.0, ["a", "b"]).rivals == rivals


@pytest.mark.parametrize("parameter", ["epsilon", "x_new"])
def test_the_lead_changes_where_the_front_crosses(parameter):
    curves = measured(
        parameter, a=[1.0, 2.0, 4.0, 8.0], b=[3.0, 3.0, 3.0, 3.0], c=[20.0, 10.0, 5.0, 2.0]
    )
    changes = lead_changes(curves, ["a", "b", "c"])
    assert [(c.winner, c.loser) for c in changes] == [("b", "a"), ("c", "b")]
    assert 2 < changes[0].value < 3 < changes[1].value < 4
