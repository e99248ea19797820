"""The picture of records for files: everything at its place, nothing outside, small for many records."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import Mark, check_specification, dots, marks, texts

from dpslr_core.charts.compare import MANY_POINTS
from dpslr_core.charts.files import WIDE, written
from dpslr_core.charts.records import CELLS, CHOSEN, HEIGHT, RECORD, moved_picture, records_picture
from dpslr_core.charts.vega import Spec
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis

DATA = Scenario(n=30).source.load().dataset()
X, Y = Axis("age", "years", 20, 60), Axis("pay", "", 0, 5000)


def of_color(picture: Spec, color: str, kind: str = "symbol") -> list[Mark]:
    return [mark for mark in marks(picture) if mark.kind == kind and mark.color == color]


def inside(picture: Spec) -> bool:
    return all(0 <= mark.x <= WIDE and 0 <= mark.y <= HEIGHT + 80 for mark in dots(picture))


def test_every_record_is_a_dot_at_its_place():
    picture = records_picture(DATA, regression_lines(DATA), X, Y)
    check_specification(picture)
    records = of_color(picture, RECORD)
    assert np.corrcoef([dot.x for dot in records], DATA.x)[0, 1] == pytest.approx(1)
    assert np.corrcoef([dot.y for dot in records], DATA.y)[0, 1] == pytest.approx(-1)
    assert len(records) == 30 and inside(picture)
    assert {"age (years)", "pay", "OLS", "Theil–Sen", "OLS ± one standard error"} <= set(texts(picture))
    assert written(picture, ".svg", "the records").startswith(b"<svg")


def test_zoom_leaves_out_nothing_but_empty_margins():
    lines = regression_lines(DATA)
    pictures = [records_picture(DATA, lines, X, Y, zoom) for zoom in (False, True)]
    wide = [np.ptp([dot.x for dot in of_color(picture, RECORD)]) for picture in pictures]
    assert wide[1] > wide[0] and all(map(inside, pictures))


def test_many_records_are_a_density():
    rng = np.random.default_rng(0)
    data = Dataset(rng.random(MANY_POINTS + 1), rng.random(MANY_POINTS + 1))
    picture = records_picture(data, regression_lines(data))
    check_specification(picture)
    cells = of_color(picture, RECORD, "rect")
    assert not of_color(picture, RECORD) and 0 < len(cells) <= CELLS[0] * CELLS[1]
    assert len({cell.more["opacity"] for cell in cells}) > 1
    assert len(picture["datasets"]["records"]) == len(cells)


def test_a_moved_record_is_where_it_is_put_and_both_lines_are_drawn():
    picture = moved_picture(MovedRecord(DATA, 4, 1.0, 0.0), X, Y)
    check_specification(picture)
    (dot,) = of_color(picture, CHOSEN)
    records = of_color(picture, RECORD)
    assert dot.x > max(m.x for m in records) and dot.y > max(m.y for m in records)
    assert {"OLS", "Theil–Sen", "OLS, before (thin)", "Theil–Sen, before (thin)"} <= set(texts(picture))
    assert inside(picture)
    unmoved = moved_picture(MovedRecord(DATA, 4, *MovedRecord(DATA, 4, 0, 0).old))
    assert "OLS" in texts(unmoved) and "OLS, before (thin)" not in texts(unmoved)


def test_lines_before_the_move_are_thin():
    widths = {
        (mark.color, mark.more["strokeWidth"])
        for mark in marks(moved_picture(MovedRecord(DATA, 4, 1.0, 0.0), X, Y))
        if mark.kind == "line" and mark.color != CHOSEN
    }
    assert {width for _, width in widths} == {1.0, 2.5} and len(widths) == 4
