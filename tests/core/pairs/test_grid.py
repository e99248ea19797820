"""The public grid: what it depends on, and that comparisons of quotients on it are exact up to the stated bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.pairs.grid import PublicGrid
from tests.reference import paper as reference

QUARTERS = np.array([0.25, 0.75])


@pytest.mark.parametrize(
    ("lower", "upper", "at", "bits"),
    [
        (-0.5, 1.5, 0.25, 24),
        (-8.0, 8.0, 0.25, 23),
        (0.0, 1.0, 64.0, 22),
        (100.0, 100.5, 0.25, 22),  # a narrow range far off: y - r is as large as in a wide one
        (-1e6, 1e6, 0.25, 15),
    ],
)
def test_the_spacing_follows_from_the_range_and_the_points(lower, upper, at, bits):
    grid = PublicGrid(lower, upper, np.array([at]))
    assert grid.bits == bits and grid.spacing == 2.0**-bits
    rise = max(abs(end - y) for end in (lower, upper, 0.5) for y in (0, 1))
    run = max(abs(at - x) for x in (0, 1))
    assert 2 * bits + np.log2(max(rise, 1) * max(run, 1)) <= 51


def test_the_range_is_rounded_inwards_and_values_to_the_nearest():
    grid = PublicGrid(-0.4, 1.2, QUARTERS)
    assert grid.range == reference.range_on_grid(-0.4, 1.2)
    assert -0.4 <= grid.range[0] < -0.4 + grid.spacing and 1.2 - grid.spacing < grid.range[1] <= 1.2
    values = np.random.default_rng(0).random(200)
    assert (grid.positions(values) * grid.spacing).tolist() == [
        float(reference.to_grid(v)) for v in values
    ]


@pytest.mark.parametrize("at", [1e9, -1e300])
def test_points_too_far_off_are_refused(at):
    with pytest.raises(ValueError, match="lower, upper and at must be closer to the unit square"):
        PublicGrid(-0.5, 1.5, np.array([0.5, at]))


coordinates = st.integers(0, 2**24).map(lambda position: position / 2**24)
awkward = st.sampled_from([0.0, 1.0, 0.5, 0.25, 2.0**-24, 1 - 2.0**-24, 0.3, 0.1 + 0.2])


@given(
    st.lists(st.tuples(coordinates | awkward, coordinates | awkward), min_size=2, max_size=8),
    st.sampled_from([0.25, 0.75, 0.0, 1.0, 0.5, 0.1, -0.3, 3.0]),
)
@settings(max_examples=100)
def test_estimates_are_the_ceilings_of_exact_rationals(records, at):
    x, y = np.array(records).T
    first, second = np.triu_indices(x.size, 1)
    grid = PublicGrid(-0.5, 1.5, np.array([at]))
    px, py = grid.positions(x), grid.positions(y)
    estimates = grid.heights((px[first], px[second]), (py[first], py[second]))[0]
    expected = reference.estimates_on_grid(x.tolist(), y.tolist(), at, bits=grid.bits)
    inside = [
        value is None or -1 <= value <= 2 for value in expected
    ]  # further out they are clipped
    expected = np.array([np.nan if value is None else value for value in expected])
    np.testing.assert_array_equal(estimates[inside], expected[inside])
    np.testing.assert_array_equal(np.clip(estimates, *grid.range), np.clip(expected, *grid.range))
