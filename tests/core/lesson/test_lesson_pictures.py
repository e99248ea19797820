"""Pictures of the lesson: what is drawn is what was computed, in hours and points, on the page and in files."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.charts.vega import written
from dpslr_core.lesson import Lesson
from dpslr_core.lesson.pictures import BESIDE, ODDS, pairs_beside, step_picture
from dpslr_core.lesson.settings import STEPS, TEN, class_of
from dpslr_core.lesson.steps import (
    VIEW,
    change_of,
    game_of,
    pairwise,
    person_moved,
    release_law,
    releases,
)
from tests.cases.scenes import check_specification, texts

MOVED = Lesson(person=9, person_x=13.5, person_y=100.0, leaver=3, released=4)
HOLDS = {
    "leaves": "line of all ten", "worst": "practice (hours)", "median": "median, before",
    "noise": "OLS, not released", "promise": "after : before", "people": "students",
    "choice": "error (points)",
}  # fmt: skip


def of_step(step, lesson=MOVED, **more):
    return step_picture(Lesson(**{**vars(lesson), "step": step}), **more)


@pytest.mark.parametrize("step", STEPS)
def test_a_file_holds_its_step_also_where_not_all_is_finite(step):
    """At the smallest class and budget NoisyStats does not answer in 68% of the releases."""
    smallest = Lesson(
        step=step, students=20, class_epsilon=0.1, scatter=1.0, person_y=0.0, released=50
    )
    for lesson in (Lesson(step=step), smallest):
        picture = step_picture(lesson, answered=True)
        check_specification(picture)
        assert HOLDS[step] in written(picture, ".svg", width=700).decode()


@pytest.mark.parametrize(
    "lesson", [Lesson(), Lesson(person_y=0.0), Lesson(person=9, person_x=13.5, person_y=100.0)]
)
def test_every_pair_is_in_a_bar(lesson):
    moved = person_moved(lesson)
    sets, estimates = pairs_beside(moved)["datasets"], 100 * pairwise(moved.after)
    bars = sets["bars"]
    assert bars["count"].sum() == estimates.size and (bars["y"].min(), bars["y2"].max()) == VIEW
    inside = [
        ((estimates >= low) & (estimates < high)).sum()
        for low, high in zip(bars["y"], bars["y2"], strict=True)
    ]
    assert (bars["count"].to_numpy()[1:-1] == inside[1:-1]).all()
    assert sets["ticks"].set_index("line")["y"]["median"] == pytest.approx(np.median(estimates))


def test_releases_and_what_the_law_expects_of_them_have_the_same_bins():
    lesson = Lesson(step="noise", class_epsilon=1.0, released=16)
    sets = step_picture(lesson, answered=True)["datasets"]
    heights, wide = 100 * releases(lesson)[:, 0], BESIDE[1] - BESIDE[0]
    assert sets["bars"]["count"].sum() == np.isfinite(heights).sum() == 16
    for row, law in zip(
        sets["bars"].iloc[1:-1].itertuples(), sets["law"].iloc[1:-1].itertuples(), strict=True
    ):
        assert row.count == ((heights >= row.y) & (heights < row.y2)).sum()
        share = np.diff(release_law(lesson).cdf(np.array([row.y, row.y2]) / 100))[0] / (
            1 - release_law(lesson).failure
        )
        assert (law.x2 - law.x) / wide == pytest.approx(share, abs=1e-12)
    one = sets["lines"][sets["lines"]["number"] == 3]["y"].to_numpy()
    at_15, at_5 = 100 * releases(lesson)[3]
    assert one[0] + 0.75 * (one[1] - one[0]) == pytest.approx(at_15)
    assert one[0] + 0.25 * (one[1] - one[0]) == pytest.approx(at_5)
    ols = sets["lines"][sets["lines"]["number"] == -1]["y"].to_numpy()
    assert ols == pytest.approx(100 * class_of(lesson).predict([0.0, 1.0]))


def test_odds_stay_within_the_band_and_the_releases_of_the_game_are_dots():
    lesson = Lesson(step="promise")
    game = game_of(lesson).rows
    told = [True, False, True]
    sets = step_picture(lesson, guesses=told)["datasets"]
    middle, half = sum(ODDS) / 2, (ODDS[1] - ODDS[0]) / 2 / 1.25
    assert (abs(sets["odds"]["x"] - middle) <= half * (1 + 1e-9)).all()
    reached = change_of(lesson).loss
    assert (abs(sets["odds"]["x"] - middle)).max() / half == pytest.approx(
        reached.measured / reached.promised, rel=0.02
    )
    assert sets["spots"]["y"].tolist() == game["release"][:3].clip(*VIEW).tolist()
    assert (sets["spots"]["shape"] == "right").tolist() == [
        guess == true for guess, true in zip(told, game["moved"], strict=False)
    ]
    assert sets["next"]["y"].tolist() == game["release"][3:4].clip(*VIEW).tolist()
    assert step_picture(lesson, guesses=[True] * 10)["datasets"]["next"].empty


def test_the_answer_of_who_leaves_is_in_the_picture_once_it_is_asked_for():
    """The person, the line of the others and the distance at 15 hours, by fits of numpy."""
    rows = np.array(TEN, dtype=float)
    fits = [np.polyfit(*np.delete(rows, gone, 0).T, 1) for gone in range(10)]
    all_ten = np.polyval(np.polyfit(*rows.T, 1), 15)
    most = int(np.argmax([abs(np.polyval(fit, 15) - all_ten) for fit in fits]))
    hidden, shown = (of_step("leaves", answered=answered) for answered in (False, True))
    sets = shown["datasets"]
    np.testing.assert_allclose(sets["answer_line"]["y"], np.polyval(fits[most], [0, 20]))
    np.testing.assert_allclose(
        sets["answer"][["y", "to"]].iloc[0], [all_ten, np.polyval(fits[most], 15)]
    )
    assert sets["answer_person"][["x", "y"]].iloc[0].tolist() == list(TEN[most])
    said = {f"without person {most + 1}", sets["answer"]["said"].iloc[0]}
    assert said <= set(texts(shown)) and not said & set(texts(hidden))
