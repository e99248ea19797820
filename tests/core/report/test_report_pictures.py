"""The pictures of a sweep and of a recommendation: dots at the right heights, names apart, nothing outside."""

from __future__ import annotations

from itertools import pairwise
from math import inf, log10

import pandas as pd
import pytest

from dpslr_core import recommend
from dpslr_core.mechanisms import DPExpTheilSen, NoisyIntercept
from dpslr_core.report.pictures.drawing import Dot, Line, Words
from dpslr_core.report.pictures.evidence import evidence_picture
from dpslr_core.report.pictures.sweep import APART, SweepPicture, sweep_picture

ROWS = [
    ("n", 10.0, "OLS", 1.0), ("n", 100.0, "OLS", 1.0), ("n", 1000.0, "OLS", 1.0),
    ("n", 10.0, "NoisyStats", inf), ("n", 100.0, "NoisyStats", 100.0), ("n", 1000.0, "NoisyStats", 10.0),
    ("n", 10.0, "NoisyIntercept", 30.0), ("n", 100.0, "NoisyIntercept", 20.0), ("n", 1000.0, "NoisyIntercept", 10.0),
]  # fmt: skip


def picture(parameter: str = "n") -> SweepPicture:
    frame = pd.DataFrame(ROWS, columns=["parameter", "value", "mechanism", "mean"]).assign(parameter=parameter)
    return sweep_picture(frame, "n", "error")


def test_both_axes_are_logarithmic_and_infinite_errors_leave_a_gap():
    drawn = picture()
    dots = [mark for mark in drawn.drawing(700).marks if isinstance(mark, Dot)]
    assert len(dots) == sum(row[3] < inf for row in ROWS)
    xs = sorted({dot.x for dot in dots})
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1])
    noisy = [dot for dot in dots if dot.color == drawn.curves[1].color]
    per_decade = noisy[1].y - noisy[0].y  # from 100 down to 10
    ols = next(dot for dot in dots if dot.color == drawn.curves[0].color)
    assert per_decade > 0 and ols.y - noisy[1].y == pytest.approx(per_decade * log10(10 / 1))
    lines = [mark for mark in drawn.drawing(700).marks if isinstance(mark, Line) and mark.color == noisy[0].color]
    assert len(lines) == 1


def test_a_slope_is_on_a_linear_axis():
    xs = sorted({mark.x for mark in picture("slope").drawing(700).marks if isinstance(mark, Dot)})
    assert (xs[1] - xs[0]) / (xs[2] - xs[0]) == pytest.approx(90 / 990)


def test_names_of_curves_do_not_touch_and_all_is_on_the_canvas():
    drawing = picture().drawing(700)
    names = sorted(mark.y for mark in drawing.marks if isinstance(mark, Words) and mark.bold)
    assert len(names) == 3 and all(below - above >= APART for above, below in pairwise(names))
    for mark in drawing.marks:
        if isinstance(mark, Dot):
            assert 0 < mark.x < drawing.width and 0 < mark.y < drawing.height
    assert not [mark for mark in picture().drawing(340, beside=False).marks if isinstance(mark, Words) and mark.bold]


def test_a_recommendation_is_drawn_with_its_errors():
    made = recommend(
        n=30, var_x=0.03, var_e=0.01, epsilon=4, mechanisms=[NoisyIntercept(), DPExpTheilSen()], datasets=2
    )
    drawn = evidence_picture(made)
    errors = made.evidence.set_index("mechanism")["error"]
    assert {row.name: row.ratio for row in drawn.rows} == errors.to_dict()
    assert all(row.ratio95 >= row.ratio for row in drawn.rows)
    assert drawn.drawing(700).height < 400
