"""The picture of interval widths in many areas: its parts add up, and it is in order."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.areas.widths import WIDEST, area_widths_chart

WIDTHS = pd.DataFrame({
    "group": ["a", "b", "c", "d", "e"],
    "ols": [0.1, 0.1, 0.1, 0.1, 0.0],
    "sampling": [0.12, 0.1, np.nan, 5.0, 0.1],
    "ratio": [3.0, 1.5, np.inf, 40.0, np.nan],
})  # fmt: skip


def test_both_parts_add_up_to_the_width_and_the_narrowest_is_first():
    alone, noise = area_widths_chart(WIDTHS).data
    assert list(alone.customdata) == ["b", "a", "d", "c"]
    assert list(alone.y) == pytest.approx([1.0, 1.2, WIDEST, 0.0])
    assert list(alone.y + noise.y) == pytest.approx([1.5, 3.0, WIDEST, WIDEST])


def test_ols_and_twice_ols_are_named_lines():
    layout = area_widths_chart(WIDTHS).layout
    assert [(line.y0, line.y1) for line in layout.shapes] == [(1, 1), (2, 2)]
    assert [note.text for note in layout.annotations] == ["OLS, not private", "twice OLS"]
    assert layout.barmode == "stack" and "4 areas" in layout.xaxis.title.text
