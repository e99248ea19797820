"""The Lesson page: seven steps, one link for a class, a guess before each answer, a budget and a game."""

from __future__ import annotations

import pytest

from dpslr_core.lesson import Lesson, text
from dpslr_core.lesson.guesses import guess_of
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.steps import game_of
from tests.cases.opened import app, fine, heading, in_link, shared, words

GUESSES = {
    "leaves": "8", "worst": "3", "median": "6,4", "noise": "5", "promise": "88", "people": "50",
    "choice": "NoisyStats",
}  # fmt: skip
GOOD = {"leaves": True, "worst": False, "median": True, "noise": True, "promise": True, "people": True, "choice": False}


def button(test, label):
    return next(b for b in test.button if label in b.label)


def guessing(test, step, guess):
    """The page after a guess was typed or chosen and committed."""
    if step in ("people", "choice"):
        fine(test.selectbox(key=f"guess_{step}").set_value(guess).run())
    else:
        fine(shared(test.text_input, f"guess_{step}_box").set_value(guess).run())
    return fine(test.button(key=f"answer_{step}").click().run())


@pytest.mark.parametrize("step", STEPS)
def test_every_step_has_a_picture_one_question_and_an_answer_that_is_hidden_at_first(step):
    test = app("lesson", step=step)
    [picture] = test.get("vega_lite_chart")
    assert picture.proto.alt.endswith(".")
    lesson = text.step_text(Lesson(step=step))
    assert lesson.question in words(test) and lesson.answer not in words(test)
    asked = fine(test.button(key=f"answer_{step}").click().run())
    assert lesson.answer in words(asked) and "Your guess:" not in words(asked)
    assert lesson.answer not in words(fine(asked.button(key=f"again_{step}").click().run()))


def test_guesses_stand_with_the_truth_and_the_last_step_counts_the_good_ones():
    test = app("lesson")
    for step in STEPS:
        test = guessing(fine(shared(test.radio, "step_choice").set_value(step).run()), step, GUESSES[step])
        guess = guess_of(Lesson(step=step))
        said = GUESSES[step] if guess.choices else float(GUESSES[step].replace(",", "."))
        assert guess.well(said) == GOOD[step] and guess.beside(said) in words(test)
    assert f"Guessed well: {sum(GOOD.values())} of 7 steps." in words(test)
    test = fine(shared(test.radio, "step_choice").set_value("median").run())
    assert "Your guess: 6.4 points. True: 6.4 points. Well guessed." in words(test)


def test_an_answer_without_a_guess_is_not_counted():
    test = fine(app("lesson", step="choice").button(key="answer_choice").click().run())
    assert "Guessed well" not in words(test)


def test_a_guess_that_cannot_be_is_told_and_nothing_is_lost():
    test = app("lesson")
    fine(shared(test.text_input, "guess_leaves_box").set_value("eight").run())
    assert any("eight" in error.value for error in test.error)
    assert "0 to 100" in test.error[0].value


def test_next_and_back_go_through_the_steps_and_stand_in_the_link():
    test = app("lesson")
    for step in STEPS[1:]:
        test = fine(button(test, "Next").click().run())
        assert in_link(test, "step") == [step]
    assert button(test, "Next").disabled
    test = fine(button(test, "Back").click().run())
    assert shared(test.radio, "step_choice").value == STEPS[-2]


@pytest.mark.parametrize(("number", "step"), [("2", "median"), ("5", "people")])
def test_a_link_of_the_six_steps_opens_what_it_meant_without_a_complaint(number, step):
    test = app("lesson", step=number, class_epsilon="4", students="100")
    assert heading(test) == text.step_text(Lesson(step=step, class_epsilon=4.0, students=100)).headline
    assert not test.main.warning and in_link(test, "step") == [step]


def test_a_step_that_there_is_not_is_told():
    test = app("lesson", step="8")
    assert any("step = 8" in warning.value for warning in test.main.warning)


@pytest.mark.parametrize(
    "lesson",
    [
        Lesson(leaver=3), Lesson(step="median", person=9, person_x=12.5, person_y=10.0),
        Lesson(step="worst", person=2, person_x=20.0), Lesson(step="people", class_epsilon=8.0, students=100),
        Lesson(step="noise", class_epsilon=4.0, released=3), Lesson(step="promise", prior_percent=10),
    ],
)  # fmt: skip
def test_a_link_shows_the_numbers_of_the_core(lesson):
    test = app("lesson", **lesson.to_query())
    assert heading(test) == text.step_text(lesson).headline
    assert not test.main.warning


def test_what_is_moved_stands_in_the_link_and_holds_in_later_steps():
    test = app("lesson", step="median")
    fine(shared(test.slider, "person_y_slider").set_value(0.0).run())
    assert in_link(test, "person_y") == ["0"]
    fine(shared(test.radio, "step_choice").set_value("promise").run())
    fine(shared(test.select_slider, "class_epsilon_choice").set_value(8.0).run())
    assert "Person 10 is at (19 hours, 47 points) before the move, at (19 hours, 0 points) after it." in words(test)
    assert heading(test).startswith("ε = 8:")
    code = next(element.value for element in test.code)
    assert set(code.partition("?")[2].split("&")) == {"step=promise", "person_y=0", "class_epsilon=8"}
    fine(shared(test.radio, "step_choice").set_value("worst").run())
    fine(button(test, "Put it back").click().run())
    assert "person_y" not in test.query_params


def test_another_person_is_not_moved_yet():
    test = app("lesson", step="median", person_y="0")
    fine(shared(test.selectbox, "person_choice").set_value(3).run())
    assert shared(test.slider, "person_y_slider").value == 30 and "person_y" not in test.query_params


def test_while_nobody_is_moved_the_promise_is_shown_for_a_person_without_points():
    test = app("lesson", step="promise")
    assert "(19 hours, 0 points) after it" in words(test) and shared(test.slider, "person_y_slider").value == 0
    fine(shared(test.slider, "person_x_slider").set_value(10.0).run())
    assert "(10 hours, 0 points) after it" in words(test)
    assert [in_link(test, key) for key in ("person_x", "person_y")] == [["10"], ["0"]]


def test_one_release_at_a_press_until_the_budget_is_spent():
    test = app("lesson", step="noise", class_epsilon="4")
    for left in (12, 8, 4, 0):
        test = fine(test.button(key="release_once").click().run())
        assert heading(test).endswith(f"ε = {left} is left")
    assert test.button(key="release_once").disabled and in_link(test, "released") == ["4"]
    fine(shared(test.select_slider, "class_epsilon_choice").set_value(2.0).run())
    test = fine(test.button(key="release_rest").click().run())
    assert heading(test).startswith("8 releases") and test.button(key="release_once").disabled
    assert heading(fine(test.button(key="release_none").click().run())).startswith("Nothing is released")


def test_ten_releases_are_guessed_at_and_the_best_rule_stands_beside_the_own_hits():
    test, game = app("lesson", step="promise"), game_of(Lesson(step="promise"))
    for moved in game.rows["moved"]:
        test = fine(test.button(key="game_moved" if moved else "game_not_moved").click().run())
    end = f"You: 10 of 10 right. The best rule: {game.best_hits} of these"
    assert end in words(test) and not [each for each in test.button if each.key == "game_moved"]
    test = fine(test.button(key="game_more").click().run())
    assert "Release 1 of 10" in words(test) and in_link(test, "ten_number") == ["2"]
    test = fine(test.button(key="game_moved").click().run())
    fine(shared(test.select_slider, "class_epsilon_choice").set_value(0.5).run())
    assert "Release 1 of 10" in words(test)  # another ε is another game


def test_the_answer_follows_what_is_moved():
    test = app("lesson", step="choice", class_epsilon="16")
    fine(test.button(key="answer_choice").click().run())
    assert "DPExpTheilSen here." in words(test)
    fine(shared(test.select_slider, "scatter_choice").set_value(30.0).run())
    assert "NoisyStats here." in words(test)


def test_the_settings_of_other_pages_are_hidden_on_this_page_alone_and_survive_it():
    def style(test):
        return "\n".join(element.proto.body for element in test.get("html"))

    test = app("lesson", n="100")
    assert "streamlit-embedded" in style(test)
    test.switch_page("pages/data.py").run()
    assert fine(test).metric[0].value == "100" and "streamlit-embedded" not in style(test)
