"""The axes that charts share: round numbers as ticks, ends that do not move with every setting."""

import numpy as np
import pytest

from dpslr_core.charts.base import error_range, logarithmic


@pytest.mark.parametrize("means", [[1.0], [0.02, 800.0], [5e-7, 1e9], [np.inf], [0.0]])
def test_the_error_axis_moves_in_steps_and_holds_the_line_at_1(means):
    low, high = error_range(means)
    assert 1e-3 <= low < 1 < high <= 1e4
    for end in (low, high):
        assert 2 * np.log10(end) == pytest.approx(round(2 * np.log10(end)), abs=1e-9)
    inside = [m for m in means if 1e-3 <= m <= 1e4]
    assert all(low <= m <= high for m in inside)


@pytest.mark.parametrize("span", [(0.9, 1.1), (3, 2_100), (1e-5, 0.04), (1e-3, 1e4), (1e-12, 1e12), (10, 10)])
def test_a_logarithmic_axis_has_a_few_round_ticks(span):
    axis = logarithmic(span)
    ticks = np.array(axis["tickvals"])
    inside = ticks[(ticks >= span[0] * 0.5) & (ticks <= span[1] * 2)]
    assert 2 <= inside.size <= 26 and (np.diff(ticks) > 0).all()
    assert ticks[0] <= span[0] * (1 + 1e-9) and ticks[-1] >= span[1] * (1 - 1e-9)
    for value, text in zip(ticks, axis["ticktext"], strict=True):
        plain = text.replace(",", "").replace(" × 10", "e").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        assert float(plain) == pytest.approx(value, rel=1e-9)
