"""Guesses of the lesson: the truth of each is counted anew, near ones are good, and the end counts them."""

from __future__ import annotations

from math import exp, inf

import numpy as np
import pytest

from dpslr_core.lesson.classes import median_class
from dpslr_core.lesson.guesses import NEVER, guess_of, score
from dpslr_core.lesson.settings import AT, POINT, STEPS, TABLED, Lesson, class_of
from dpslr_core.lesson.steps import NOISY, changes, median_bounds, person_moved


def truth(step, **more):
    return guess_of(Lesson(step=step, **more)).truth


def test_the_truths_are_the_largest_change_and_the_distance_of_the_bounds():
    """By test_lesson_steps these are those of fits by numpy, and what no move leaves."""
    assert truth("leaves") == pytest.approx(100 * np.abs(changes()).max())
    assert truth("median") == pytest.approx(100 * np.ptp(median_bounds(person_moved(Lesson()))))


def test_the_truth_of_the_noise_holds_68_per_cent_of_the_law():
    lesson = Lesson(step="noise")
    middle, c68 = class_of(lesson).predict(POINT)[0], truth("noise") / 100
    assert np.diff(
        NOISY.law(class_of(lesson), 2.0, AT)[0].cdf(np.array([middle - c68, middle + c68]))
    )[0] == pytest.approx(0.68, abs=1e-6)
    assert truth("noise", class_epsilon=0.1) == inf  # no answer in too many releases


def test_the_truth_of_the_promise_is_bayes():
    assert truth("promise") == pytest.approx(100 * exp(2) / (1 + exp(2)))


def test_the_truth_of_more_people_is_the_first_size_from_which_on_the_error_is_smaller():
    for epsilon in TABLED:
        rows = median_class(Lesson(class_epsilon=epsilon), over="students")
        ratios = rows[rows["algorithm"] == "DeepestLine"].set_index("students")["ratio"]
        expected = [size for size in ratios.index if (ratios.loc[size:] < 1).all()]
        size = f"{min(expected):,}" if expected else NEVER
        assert truth("people", class_epsilon=epsilon) == size


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_the_truth_is_a_good_guess_and_a_far_one_is_not(step, epsilon):
    guess = guess_of(Lesson(step=step, class_epsilon=epsilon))
    if guess.truth == inf:
        assert not guess.well(50.0) and "True: no limit." in guess.beside(50.0)
        return
    assert guess.well(guess.truth) and guess.beside(guess.truth).endswith("Well guessed.")
    if step != "promise" or epsilon < 1:
        far = [choice for choice in guess.choices if not guess.well(choice)] or [guess.most]
        assert not guess.well(far[0]) and "Not near." in guess.beside(far[0])


def test_the_last_step_counts_good_guesses():
    assert score({}) == ""
    assert score({"leaves": True}) == "Guessed well: 1 of 1 step. 6 steps have no guess yet."
    assert score(dict.fromkeys(STEPS, True) | {"noise": False}) == "Guessed well: 6 of 7 steps."
