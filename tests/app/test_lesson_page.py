"""The Lesson page: seven steps, one link for a class, a guess before each answer, a budget and a game."""

from __future__ import annotations

import pytest

from dpslr_core.lesson import Lesson, text
from dpslr_core.lesson.guesses import guess_of
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.steps import game_of
from tests.cases.opened import app, changed, fine, heading, in_link, pressed, widget, words

GUESSES = {  # by step: what is typed or chosen, and whether it is a good guess
    "leaves": ("8", True), "worst": ("3", False), "median": ("6,4", True), "noise": ("5", True),
    "promise": ("88", True), "people": ("50", True), "choice": ("NoisyStats", False),
}  # fmt: skip


def lesson(step: str, **query: str):
    return app("lesson", step=step, **query)


def click(test, label):
    return fine(next(b for b in test.button if label in b.label).click().run())


@pytest.mark.parametrize("step", STEPS)
def test_every_step_has_a_picture_one_question_and_an_answer_that_is_hidden_at_first(step):
    test, words_of = lesson(step), text.step_text(Lesson(step=step))
    [picture] = test.get("vega_lite_chart")
    assert picture.proto.alt.endswith(".")
    assert words_of.question in words(test) and words_of.answer not in words(test)
    pressed(test, f"answer_{step}")
    assert words_of.answer in words(test) and "Your guess:" not in words(
        test
    )  # none is counted either
    assert "Guessed well" not in words(test)
    assert words_of.answer not in words(pressed(test, f"again_{step}"))


def guessed(test, step: str, guess: str):
    """The page after a guess came with the click on its button."""
    widget(test, f"guess_{step}").set_value(guess)
    return pressed(test, f"answer_{step}")


def test_guesses_stand_with_the_truth_and_the_last_step_counts_good_guesses():
    test = app("lesson")
    for step, (guess, good) in GUESSES.items():
        changed(test, "step_choice", step)
        guessed(test, step, guess)
        expected = guess_of(Lesson(step=step))
        value = guess if expected.choices else float(guess.replace(",", "."))
        assert expected.well(value) == good and expected.beside(value) in words(test), step
    assert "Guessed well: 5 of 7 steps." in words(test)
    changed(test, "step_choice", "median")
    assert "Your guess: 6.4 points. True: 6.4 points. Well guessed." in words(test)


def test_next_and_back_go_through_the_steps_and_stand_in_the_link():
    test = app("lesson")
    for step in STEPS[1:]:
        assert in_link(click(test, "Next"), "step") == [step]
    assert next(b for b in test.button if "Next" in b.label).disabled
    click(test, "Back")
    assert test.radio(key="step_choice").value == STEPS[-2]


def test_what_is_moved_stands_in_the_link_and_holds_in_later_steps():
    test = changed(lesson("median"), "person_y_slider", 0.0)
    assert in_link(test, "person_y") == ["0"]
    changed(test, "step_choice", "promise")
    changed(test, "class_epsilon_choice", 8.0)
    assert (
        "Person 10 is at (19 hours, 47 points) before the move, at (19 hours, 0 points) after it."
        in words(test)
    )
    assert heading(test).startswith("ε = 8:")
    code = next(element.value for element in test.code)
    assert set(code.partition("?")[2].split("&")) == {
        "step=promise",
        "person_y=0",
        "class_epsilon=8",
    }
    changed(test, "step_choice", "worst")
    assert "person_y" not in click(test, "Put it back").query_params


def test_another_person_is_not_moved_yet_and_the_promise_is_shown_for_a_person_without_points():
    test = changed(lesson("median", person_y="0"), "person_choice", 3)
    assert test.slider(key="person_y_slider").value == 30 and "person_y" not in test.query_params
    assert "(19 hours, 0 points) after it" in words(lesson("promise"))


def test_one_release_at_a_press_until_the_budget_is_spent():
    test = lesson("noise", class_epsilon="4")
    for left in (12, 8, 4, 0):
        assert heading(pressed(test, "release_once")).endswith(f"ε = {left} is left")
    assert test.button(key="release_once").disabled and in_link(test, "released") == ["4"]
    changed(test, "class_epsilon_choice", 2.0)
    pressed(test, "release_rest")
    assert heading(test).startswith("8 releases") and test.button(key="release_once").disabled
    assert heading(pressed(test, "release_none")).startswith("Nothing is released")


def test_ten_releases_are_guessed_at_and_the_best_rule_stands_beside_the_own_hits():
    test, game = lesson("promise"), game_of(Lesson(step="promise"))
    assert "Release 1 of 10" not in words(test)
    pressed(test, "answer_promise")
    for moved in game.rows["moved"]:
        pressed(test, "game_moved" if moved else "game_not_moved")
    end = f"You: 10 of 10 right. The best rule: {game.best_hits} of these"
    assert end in words(test) and not [each for each in test.button if each.key == "game_moved"]
    pressed(test, "game_more")
    assert "Release 1 of 10" in words(test) and in_link(test, "ten_number") == ["2"]
    pressed(test, "game_moved")
    changed(test, "class_epsilon_choice", 0.5)
    assert "Release 1 of 10" in words(test)  # another ε is another game
