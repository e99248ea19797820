"""The Lesson page: six steps, one link for a class, and answers that are hidden until they are asked for."""

from __future__ import annotations

import pytest
from opened import app, fine, heading, in_link, shared, words

from dpslr_core.lesson import Lesson, text
from dpslr_core.lesson.classes import median_class
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.steps import person_moved


def button(test, label):
    return next(b for b in test.button if label in b.label)


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_every_step_has_a_picture_one_question_and_an_answer_that_is_hidden_at_first(step):
    test = app("lesson", step=str(step))
    pictures = test.get("vega_lite_chart")
    assert pictures and all(chart.proto.alt for chart in (*pictures, *test.get("plotly_chart")))
    question = [element.value for element in test.main.markdown if element.value.startswith("**")][-1]
    assert "?" in question
    before = {element.value for element in test.main.markdown}
    asked = fine(test.toggle(key=f"answer_{step}").set_value(True).run())
    [answer] = {element.value for element in asked.main.markdown} - before
    assert len(answer) > 60 and any(sign.isdigit() for sign in answer)


def test_next_and_back_go_through_the_steps_and_stand_in_the_link():
    test = app("lesson")
    for step in range(2, STEPS + 1):
        test = fine(button(test, "Next").click().run())
        assert in_link(test, "step") == [str(step)]
    assert button(test, "Next").disabled
    test = fine(button(test, "Back").click().run())
    assert shared(test.segmented_control, "step_choice").value == STEPS - 1


def test_a_link_shows_the_numbers_of_the_core():
    assert heading(app("lesson", leaver="3")) == text.leaving_text(3).headline
    moved = {"person": "9", "person_x": "12.5", "person_y": "10"}
    lesson = Lesson.from_query(moved | {"step": "2"})
    assert heading(app("lesson", step="2", **moved)) == text.median_text(person_moved(lesson)).headline
    lesson = Lesson(step=5, class_epsilon=8.0, students=100)
    page = app("lesson", **lesson.to_query())
    assert heading(page) == text.sizes_text(lesson, median_class(lesson, over="students")).headline


def test_what_is_moved_stands_in_the_link_and_holds_in_later_steps():
    test = app("lesson", step="2")
    fine(shared(test.slider, "person_y_slider").set_value(0.0).run())
    assert in_link(test, "person_y") == ["0"]
    fine(shared(test.segmented_control, "step_choice").set_value(4).run())
    fine(shared(test.select_slider, "class_epsilon_choice").set_value(8.0).run())
    assert "Person 10 is at (19 hours, 47 points) before the move, at (19 hours, 0 points) after it." in words(test)
    assert heading(test).startswith("ε = 8:")
    code = next(element.value for element in test.code)
    assert set(code.partition("?")[2].split("&")) == {"step=4", "person_y=0", "class_epsilon=8"}
    fine(shared(test.segmented_control, "step_choice").set_value(2).run())
    fine(button(test, "Put it back").click().run())
    assert "person_y" not in test.query_params


def test_another_person_is_not_moved_yet():
    test = app("lesson", step="2", person_y="0")
    fine(shared(test.selectbox, "person_choice").set_value(3).run())
    assert shared(test.slider, "person_y_slider").value == 30 and "person_y" not in test.query_params


def test_while_nobody_is_moved_the_promise_is_shown_for_a_person_without_points():
    test = app("lesson", step="4")
    assert "(19 hours, 0 points) after it" in words(test) and shared(test.slider, "person_y_slider").value == 0
    fine(shared(test.slider, "person_x_slider").set_value(10.0).run())
    assert "(10 hours, 0 points) after it" in words(test)
    assert [in_link(test, key) for key in ("person_x", "person_y")] == [["10"], ["0"]]


def test_the_answer_follows_what_is_moved():
    test = app("lesson", step="6", class_epsilon="16")
    fine(test.toggle(key="answer_6").set_value(True).run())
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
