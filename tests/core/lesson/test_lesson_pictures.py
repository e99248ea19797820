"""Pictures of the lesson: what is drawn is what was computed, in hours and points, on the page and in files."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import check_specification, marks, texts

from dpslr_core.charts.records import CHOSEN
from dpslr_core.charts.vega import written
from dpslr_core.lesson import Lesson, classes
from dpslr_core.lesson.pictures import (
    HIGH,
    LOW,
    REACH,
    error_bars,
    histogram,
    people_with_lines,
    step_picture,
)
from dpslr_core.lesson.settings import SCORE, STEPS
from dpslr_core.lesson.steps import Leaving, PairwiseEstimates, person_moved

HOLDS = {
    1: "practice (hours)", 2: "pairwise estimates at 15 hours (points)", 3: "DeepestLine", 4: "after : before",
    5: "points from OLS, at 15 hours", 6: "error / sampling error",
}  # fmt: skip


def test_the_lines_are_those_of_everyone_and_of_those_who_stay():
    leaving = Leaving(3)
    lines = people_with_lines(leaving)["datasets"]["lines"].set_index("line")
    for name, data in (("OLS, all ten", leaving.everyone), ("OLS without person 3", leaving.remaining)):
        np.testing.assert_allclose(lines.loc[name, "y"], SCORE.from_unit(data.predict([0, 1])))
    for nobody_or_one in (0, 3):
        drawn = marks(people_with_lines(Leaving(nobody_or_one)))
        assert sum(mark.more.get("stroke") == CHOSEN for mark in drawn) == (nobody_or_one > 0)
    assert set(people_with_lines(Leaving())["datasets"]["lines"]["line"]) == {"OLS, all ten"}


@pytest.mark.parametrize("lesson", [Lesson(), Lesson(person_y=0.0), Lesson(person=9, person_x=13.5, person_y=100.0)])
def test_every_pair_is_in_a_bar(lesson):
    estimates = PairwiseEstimates(person_moved(lesson))
    picture = histogram(estimates)
    check_specification(picture)
    bars, heights = picture["datasets"]["bars"], picture["datasets"]["heights"].set_index("line")["x"]
    assert bars["y"].sum() == estimates.after.size and (bars["x"].min(), bars["to"].max()) == (LOW, HIGH)
    assert heights["median"] == pytest.approx(100 * np.median(estimates.after))
    assert ("median, before" in heights) == estimates.moved.moved == ("pairs, before" in texts(picture))


def test_bars_are_as_long_as_the_median_errors_or_end_in_an_arrow():
    rows = classes.median_class(Lesson())
    picture = error_bars(rows)
    check_specification(picture)
    drawn = picture["datasets"]["rows"]
    np.testing.assert_allclose(drawn["noise"], (100 * rows[["noise", "c68"]].min(axis=1)).clip(upper=REACH))
    np.testing.assert_allclose(drawn["c68"], (100 * rows["c68"]).clip(upper=REACH))
    np.testing.assert_allclose(drawn["c68_low"], 100 * rows["c68_low"])
    arrows = [mark for mark in marks(picture) if mark.kind == "symbol"]
    assert len(arrows) == drawn["beyond"].sum() == (100 * rows["c68"] > REACH).sum()
    assert picture["datasets"]["sampling"]["end"].item() == pytest.approx(100 * rows["standard_error"].iloc[0])


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_file_holds_its_step_also_where_not_all_is_finite(step):
    """At the smallest class and budget NoisyStats does not answer in 68% of the releases."""
    for lesson in (Lesson(step=step), Lesson(step=step, students=20, class_epsilon=0.1, scatter=1.0, person_y=0.0)):
        assert HOLDS[step] in written(step_picture(lesson), ".svg", width=700).decode()
