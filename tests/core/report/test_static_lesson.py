"""The lesson without a server: every state is what the core says, pictures keep their shape, and files are small."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dpslr_core.lesson import Lesson
from dpslr_core.lesson.guesses import guess_of
from dpslr_core.lesson.pictures import step_picture
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.steps import game_of
from dpslr_core.lesson.text import step_text
from dpslr_core.report import static_lesson
from dpslr_core.report.static_lesson import controls_of, step_data
from tests.cases.tables import table as cases

FEW = {"EPSILONS": (0.5, 2.0), "HOUR_STOPS": (0, 20), "POINT_STOPS": (0, 100), "PRESSES": 3}


@pytest.fixture
def few(monkeypatch):
    """Two budgets and a few places, for the states of all take a minute."""
    for name, value in FEW.items():
        monkeypatch.setattr(static_lesson, name, value)


def at(data, **chosen):
    """The state in which the controls say this."""
    key = []
    for number, control in enumerate(data["controls"]):
        words = control["words"][key[0]] if control["by"] else control["words"]
        key.append(
            words.index(chosen[control["name"]])
            if control["name"] in chosen
            else data["start"][number]
        )
    return data["states"][",".join(map(str, key))]


def drawn(data, state, name):
    """A data set of a state as columns."""
    changed = {key: data["columns"][number] for key, number in state["d"].get(name, {}).items()}
    base = data["base"][name]
    rows = len(next(iter(changed.values()), []))
    return changed if rows and rows != len(next(iter(base.values()))) else base | changed


# The settings of a lesson, what its controls say, and its step.
LESSONS = cases("""
    {"leaver": 7} | {"leaver": "7"} | leaves
    {"person": 2, "person_x": 20.0, "person_y": 100.0} | {"person": "2", "person_x": 20, "person_y": 100} | worst
    {"person": 2, "person_x": 20.0, "person_y": 0.0} | {"person": "2", "person_x": 20, "person_y": 0} | median
    {"class_epsilon": 0.5, "released": 32} | {"class_epsilon": "0.5", "released": 32} | noise
    {"class_epsilon": 0.5} | {"class_epsilon": "0.5"} | promise
    {"students": 50} | {"students": "50"} | people
    {"scatter": 3.0} | {"scatter": "3"} | choice
""")


@pytest.mark.parametrize(("settings", "chosen", "step"), LESSONS)
def test_a_state_says_and_draws_what_the_core_does(few, settings, chosen, step):
    data, lesson = step_data(Lesson(step=step)), Lesson(step=step, **settings)
    state, words, guess = at(data, **chosen), step_text(lesson), guess_of(lesson)
    said = {name: data["texts"][name][state[name]] for name in "hqayc"}
    own = {
        "h": words.headline,
        "q": words.question,
        "a": words.answer,
        "y": words.why,
        "c": words.context,
    }
    assert said == own
    assert state["t"] == guess.said(guess.truth)
    for name, frame in step_picture(lesson, answered=True)["datasets"].items():
        if name == "names" or (lesson.step, name) == ("leaves", "lines"):
            continue  # where names stand, and lines of others who might leave
        columns = drawn(data, state, name)
        for column in frame.select_dtypes("number"):
            values = [np.nan if value is None else value for value in columns[column]]
            np.testing.assert_allclose(values, frame[column].to_numpy(float), atol=6e-5)


@pytest.mark.parametrize("step", STEPS)
def test_the_shape_of_a_picture_is_that_of_every_state(few, step):
    """So that the page may change data alone."""
    states = [
        static_lesson._set(Lesson(step=step), chosen)
        for _, chosen in static_lesson._settings(controls_of(Lesson(step=step)))
    ]
    for answered in (False, True):
        shapes = {
            json.dumps(static_lesson._shape(static_lesson._picture(each, answered)), sort_keys=True)
            for each in states[:: len(states) // 12 + 1]
        }
        assert len(shapes) == 1


def test_the_game_has_the_releases_of_the_core_and_the_hits_of_the_best_rule(few):
    data, lesson = step_data(Lesson(step="promise")), Lesson(step="promise")
    state, game = at(data, class_epsilon="2"), game_of(lesson)
    np.testing.assert_allclose(
        [release for release, _ in state["g"]], game.rows["release"], rtol=1e-4
    )
    assert [moved for _, moved in state["g"]] == game.rows["moved"].astype(int).tolist()
    assert state["b"] == [game.best_hits, pytest.approx(100 * game.best_rate, rel=1e-4)]
