"""Pictures of the lesson as files: each holds what its step is about."""

import pytest

from dpslr_core.charts.files import written
from dpslr_core.lesson import Lesson, step_table
from dpslr_core.lesson.saved import saved_picture
from dpslr_core.lesson.settings import STEPS

HOLDS = {
    1: "practice (hours)", 2: "pairwise estimates", 3: "DeepestLine", 4: "after : before", 5: "points from OLS",
    6: "error / sampling error",
}  # fmt: skip


def drawn(lesson: Lesson) -> str:
    return written(saved_picture(lesson, step_table(lesson)), ".svg").decode()


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_picture_holds_its_step(step: int):
    assert HOLDS[step] in drawn(Lesson(step=step))


def test_one_who_leaves_is_marked():
    assert drawn(Lesson(leaver=4)).count("#c2185b") == drawn(Lesson()).count("#c2185b") + 1


@pytest.mark.parametrize("step", [4, 5, 6])
def test_what_is_not_finite_is_left_out(step: int):
    """At the smallest class and budget NoisyStats does not answer in 68% of the releases."""
    assert "<svg" in drawn(Lesson(step=step, students=20, class_epsilon=0.1, scatter=1.0))
