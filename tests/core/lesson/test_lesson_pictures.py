"""Pictures of the lesson: what is drawn is what was computed, in hours and points, on the page and in files."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import check_specification, texts

from dpslr_core.charts.vega import written
from dpslr_core.lesson import Lesson
from dpslr_core.lesson.pictures import HIGH, LOW, histogram, step_picture
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.steps import pairwise, person_moved

HOLDS = {
    1: "practice (hours)", 2: "pairwise estimates at 15 hours (points)", 3: "DeepestLine", 4: "after : before",
    5: "points from OLS, at 15 hours", 6: "error / sampling error",
}  # fmt: skip


@pytest.mark.parametrize("lesson", [Lesson(), Lesson(person_y=0.0), Lesson(person=9, person_x=13.5, person_y=100.0)])
def test_every_pair_is_in_a_bar(lesson):
    moved = person_moved(lesson)
    picture, estimates = histogram(moved), pairwise(moved.after)
    check_specification(picture)
    bars, heights = picture["datasets"]["bars"], picture["datasets"]["heights"].set_index("line")["x"]
    assert bars["y"].sum() == estimates.size and (bars["x"].min(), bars["to"].max()) == (LOW, HIGH)
    assert heights["median"] == pytest.approx(100 * np.median(estimates))
    assert ("median, before" in heights) == moved.moved == ("pairs, before" in texts(picture))


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_file_holds_its_step_also_where_not_all_is_finite(step):
    """At the smallest class and budget NoisyStats does not answer in 68% of the releases."""
    for lesson in (Lesson(step=step), Lesson(step=step, students=20, class_epsilon=0.1, scatter=1.0, person_y=0.0)):
        assert HOLDS[step] in written(step_picture(lesson), ".svg", width=700).decode()
