"""The pictures of records and of a privacy loss: everything at its place, nothing outside, small for many records."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.charts.compare import MANY_POINTS
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats
from dpslr_core.promise.pair import pair_of
from dpslr_core.report.pictures.drawing import Box, Dot, Drawing, Line, Words
from dpslr_core.report.pictures.loss import HEIGHT, LossPicture
from dpslr_core.report.pictures.plot import Curve, Plot, even_ticks
from dpslr_core.report.pictures.records import CHOSEN, RECORD, moved_picture, records_picture
from dpslr_core.report.pictures.svg import svg_file
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.support.run import Budget

DATA = Scenario(n=30).source.load().dataset()
X, Y = Axis("age", "years", 20, 60), Axis("pay", "", 0, 5000)


def inside(drawing: Drawing) -> bool:
    marks = [mark for mark in drawing.marks if isinstance(mark, Dot | Line)]
    places = [(m.x, m.y) if isinstance(m, Dot) else (m.x2, m.y2) for m in marks]
    return all(-1e-6 <= x <= drawing.width and -1e-6 <= y <= drawing.height for x, y in places)


def test_every_record_is_a_dot_at_its_place():
    drawing = records_picture(DATA, regression_lines(DATA), X, Y).drawing(700)
    dots = [mark for mark in drawing.marks if isinstance(mark, Dot) and mark.color == RECORD]
    assert np.corrcoef([dot.x for dot in dots], DATA.x)[0, 1] == pytest.approx(1)
    assert np.corrcoef([dot.y for dot in dots], DATA.y)[0, 1] == pytest.approx(-1)
    assert len(dots) == 30 and inside(drawing)
    assert {"age (years)", "pay", "OLS"} <= {mark.text for mark in drawing.marks if isinstance(mark, Words)}


def test_zoom_leaves_out_nothing_but_empty_margins():
    lines = regression_lines(DATA)
    drawings = [records_picture(DATA, lines, X, Y, zoom).drawing(700) for zoom in (False, True)]
    wide = [np.ptp([mark.x for mark in drawing.marks if isinstance(mark, Dot)]) for drawing in drawings]
    assert wide[1] > wide[0] and all(map(inside, drawings))


def test_many_records_are_a_density():
    rng = np.random.default_rng(0)
    data = Dataset(rng.random(MANY_POINTS + 1), rng.random(MANY_POINTS + 1))
    drawing = records_picture(data, regression_lines(data)).drawing(700)
    assert not [mark for mark in drawing.marks if isinstance(mark, Dot)]
    assert len({mark.color for mark in drawing.marks if isinstance(mark, Box)}) > 1


def test_a_moved_record_is_where_it_is_put_and_both_lines_are_drawn():
    moved = MovedRecord(DATA, 4, 1.0, 0.0)
    drawing = moved_picture(moved, X, Y).drawing(700)
    (dot,) = [mark for mark in drawing.marks if isinstance(mark, Dot) and mark.color == CHOSEN]
    assert dot.x == max(m.x for m in drawing.marks if isinstance(m, Dot))
    assert dot.y > max(m.y for m in drawing.marks if isinstance(m, Dot) and m.color == RECORD)
    titles = {mark.text for mark in drawing.marks if isinstance(mark, Words)}
    assert {"OLS", "OLS, before (thin)"} <= titles and inside(drawing)
    unmoved = moved_picture(MovedRecord(DATA, 4, *MovedRecord(DATA, 4, 0, 0).old)).drawing(700)
    assert "OLS, before (thin)" not in {mark.text for mark in unmoved.marks if isinstance(mark, Words)}


def test_a_loss_stays_in_its_band():
    pair = pair_of(MovedRecord(DATA, 4, 1.0, 0.0), DPExpTheilSen(), Budget(2.0))
    assert pair is not None
    drawing = LossPicture(pair, Y).drawing(700)
    (band,) = [mark for mark in drawing.marks if isinstance(mark, Box)]
    curve = [
        mark for mark in drawing.marks if isinstance(mark, Line) and mark.width == 3 and mark.y1 > band.y - HEIGHT / 8
    ]
    assert len(curve) > 100 and inside(drawing)
    assert all(band.y <= line.y2 <= band.y + band.height for line in curve)
    assert svg_file(drawing, "the loss").startswith(b"<svg")


def test_what_is_no_number_is_told():
    pair = pair_of(MovedRecord(DATA, 4, 1.0, 0.0), NoisyStats(), Budget(2.0))
    assert pair is not None and not pair.atoms.empty
    told = [mark.text for mark in LossPicture(pair).drawing(700).marks if isinstance(mark, Words)]
    assert any(text.startswith("no answer: ") for text in told)


def test_a_curve_is_cut_where_it_leaves_the_plot_and_at_gaps():
    plot = Plot(((0.0, 1.0), (0.0, 1.0)), 700, 100, 0)
    curve = Curve("", "#000000", 1, np.array([0, 0.5, 0.6, 0.7, 1.0]), np.array([-1.0, 1.0, np.nan, 2.0, 3.0]))
    (line,) = plot.curve(curve)
    assert (line.x1, line.y1) == pytest.approx(plot.place(0.25, 0)) and line.y2 == pytest.approx(0)


@pytest.mark.parametrize("span", [(0.0, 1.0), (-0.02, 1.02), (-2.5, 2.5), (1000.0, 1001.0), (-1e-7, 3e-7)])
def test_ticks_are_even_and_inside(span: tuple[float, float]):
    ticks = even_ticks(span)
    assert 2 <= len(ticks) <= 8 and span[0] - 1e-9 <= ticks[0] and ticks[-1] <= span[1] + 1e-9
    assert np.diff(ticks) == pytest.approx(ticks[1] - ticks[0], rel=1e-6)
