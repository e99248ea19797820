"""The joint sensitivity of the centred sums: known maxima, never below what records reach, and reached."""

import numpy as np
import pytest
from centered_reference import shift_norm
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian
from dpslr_core.mechanisms.centered import sensitivity, shifts

DEFAULTS = [(CenteredStats().b, 1, 0.98931), (CenteredStatsGaussian().b, 2, 0.98788)]
scales = st.tuples(*[st.floats(0.05, 50)] * 5)


@pytest.mark.parametrize(
    ("b", "power", "expected"), [*DEFAULTS, ((1.0,) * 5, 1, 25 / 12), ((1.0,) * 5, 2, 2**0.5)], ids=str
)
def test_known_maxima(b, power, expected):
    assert sensitivity(b, power) == pytest.approx(expected, rel=5e-6)


@pytest.mark.parametrize("power", [1, 2])
@given(b=scales)
@settings(max_examples=40, deadline=None)
def test_it_is_the_maximum_over_a_fine_grid(power, b):
    """Never below, and above by no more than the grid is coarse."""
    side = np.linspace(0, 1, 201)
    d, e = (part.ravel() for part in np.meshgrid(side, side))
    highest = ((shifts(d, e) / np.array(b)[:, None]) ** power).sum(axis=0).max() ** (1 / power)
    assert highest <= sensitivity(b, power) <= highest * (1 + 1e-3)


@pytest.mark.parametrize("power", [1, 2])
@given(b=scales, first=st.tuples(*[st.floats(0, 1)] * 2), second=st.tuples(*[st.floats(0, 1)] * 2))
@settings(max_examples=300, deadline=None)
def test_no_two_records_are_further_apart(power, b, first, second):
    moved = np.abs(CenteredStats.summands(first) - CenteredStats.summands(second)) / b
    assert (moved**power).sum() ** (1 / power) <= sensitivity(b, power)


@given(d=st.floats(0, 1), e=st.floats(0, 1), b=scales)
@settings(max_examples=100, deadline=None)
def test_all_shifts_are_reached_together(d, e, b):
    together = (shifts(np.array([d]), np.array([e]))[:, 0] / b).sum()
    assert together == pytest.approx(shift_norm(d, e, b, 1), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("b", [(1.0, 1e9, 1e9, 1e9, 1e9), (1e9, 1e9, 1e9, 1.0, 1e9), (1e-3, 1e3, 1.0, 1e-6, 1.0)])
def test_scales_of_very_different_sizes(b, power):
    side = np.linspace(0, 1, 101)
    d, e = (part.ravel() for part in np.meshgrid(side, side))
    highest = ((shifts(d, e) / np.array(b)[:, None]) ** power).sum(axis=0).max() ** (1 / power)
    assert highest <= sensitivity(b, power) <= highest * (1 + 1e-6)
