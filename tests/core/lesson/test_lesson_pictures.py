"""Pictures of the lesson: what is drawn is what was computed, in hours and points, on the page and in files."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.lesson import Lesson
from dpslr_core.lesson.guesses import guess_of
from dpslr_core.lesson.pictures import pairs_beside, step_picture
from dpslr_core.lesson.settings import STEPS, TEN, class_of
from dpslr_core.lesson.steps import VIEW, change_of, game_of, pairwise, person_moved, releases
from tests.cases.scenes import check_specification, texts


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_drawn_also_where_not_all_is_finite(step):
    """At the smallest class and budget NoisyStats does not answer in 68% of the releases."""
    smallest = {"students": 20, "class_epsilon": 0.1, "scatter": 1.0, "released": 50}
    for more in ({}, smallest):
        picture = step_picture(Lesson(step=step, **more), answered=True)
        check_specification(picture)
        assert texts(picture)


def test_every_pair_is_in_a_bar():
    moved = person_moved(Lesson(person=9, person_x=13.5, person_y=100.0))
    sets, estimates = pairs_beside(moved)["datasets"], 100 * pairwise(moved.after)
    bars, lines = sets["bars"], sets["lines"]
    assert bars["count"].sum() == estimates.size and (bars["y"].min(), bars["y2"].max()) == VIEW
    for bar in bars.iloc[1:-1].itertuples():
        assert bar.count == ((estimates >= bar.y) & (estimates < bar.y2)).sum()
    beside = lines[(lines["line"] == "median") & (lines["part"] == 1)]
    assert beside["y"].tolist() == pytest.approx([np.median(estimates)] * 2)


def test_releases_are_lines_and_bars_and_the_answer_is_the_range_of_two_in_three():
    lesson = Lesson(step="noise", class_epsilon=1.0, released=16)
    hidden, sets = (step_picture(lesson, answered)["datasets"] for answered in (False, True))
    at_15, at_5 = 100 * releases(lesson).T
    bars, ends = sets["bars"], sets["lines"].set_index(["part", "x"])["y"]
    assert bars["count"].sum() == 16
    for number in range(16):
        heights = np.interp([15, 5], [0, 20], ends.loc[number].sort_index())
        assert heights == pytest.approx([at_15[number], at_5[number]])
    assert ends.loc[-1].tolist() == pytest.approx(100 * class_of(lesson).predict([0.0, 1.0]))
    (answer,) = sets["answer"].to_dict("records")
    middle = 100 * class_of(lesson).predict(0.75)[0]
    assert [answer["y2"] - middle, middle - answer["y"]] == pytest.approx(
        [guess_of(lesson).truth] * 2
    )
    assert "answer" not in hidden


def test_the_densities_and_the_outcome_that_tells_most_are_those_of_the_laws():
    lesson = Lesson(step="promise")
    game, change, answers = game_of(lesson).rows, change_of(lesson), [True, False, True]
    sets = step_picture(lesson, guesses=answers)["datasets"]
    rows, widths = sets["densities"], {}
    for when, law in (("before", change.before), ("after", change.after)):
        drawn = rows[rows["when"] == when]
        widths[when] = (drawn["x2"] - drawn["x"]).to_numpy()
        expected = np.exp(law.logpdf(drawn["y"].to_numpy() / 100))
        assert np.corrcoef(widths[when], expected)[0, 1] > 0.999, when
    (far,) = sets["far"].to_dict("records")
    odds = np.log(widths["after"] / widths["before"])
    assert odds[drawn["y"] == far["y"]] == pytest.approx(odds[np.abs(odds).argmax()], rel=0.01)
    assert far["said"] == f"{np.exp(change.loss.measured):.3g} times as likely"
    assert sets["spots"]["y"].tolist() == game["release"][:3].clip(*VIEW).tolist()
    right = [guess == true for guess, true in zip(answers, game["moved"], strict=False)]
    assert (sets["spots"]["shape"] == "right").tolist() == right


def test_the_answer_of_who_leaves_is_in_the_picture_once_it_is_asked_for():
    """The person, the line of the others and the distance at 15 hours, by fits of numpy."""
    rows = np.array(TEN, dtype=float)
    fits = [np.polyfit(*np.delete(rows, gone, 0).T, 1) for gone in range(10)]
    all_ten = np.polyval(np.polyfit(*rows.T, 1), 15)
    most = int(np.argmax([abs(np.polyval(fit, 15) - all_ten) for fit in fits]))
    hidden, shown = (
        step_picture(Lesson(leaver=3), answered=answered) for answered in (False, True)
    )
    sets, name = shown["datasets"], f"line without person {most + 1}"
    lines, people = sets["lines"].set_index("line")["y"], sets["people"]
    for person in (3, most + 1):
        expected = np.polyval(fits[person - 1], [0, 20])
        np.testing.assert_allclose(lines[f"line without person {person}"], expected)
    ends = sorted([all_ten, np.polyval(fits[most], 15)])
    np.testing.assert_allclose(sets["answer"][["y", "y2"]].iloc[0], ends)
    assert people["person"][people["chosen"]].tolist() == [3, most + 1]
    said = {name, sets["answer"]["said"].iloc[0]}
    assert said <= set(texts(shown)) and not said & set(texts(hidden))
