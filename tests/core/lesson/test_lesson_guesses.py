"""Guesses of the lesson: the truth of each is counted anew, near ones are good, and the end counts them."""

from __future__ import annotations

from math import exp, inf

import numpy as np
import pytest

from dpslr_core.lesson.classes import median_class
from dpslr_core.lesson.guesses import NEVER, guess_of, score
from dpslr_core.lesson.settings import AT, POINT, STEPS, TABLED, TEN, Lesson, class_of
from dpslr_core.lesson.steps import NOISY, person_moved


def truth(step, **more):
    return guess_of(Lesson(step=step, **more)).truth


def test_the_truth_of_who_leaves_is_that_of_fits_by_numpy():
    rows = np.array(TEN, dtype=float)
    fits = [np.polyval(np.polyfit(*np.delete(rows, gone, 0).T, 1), 15) for gone in range(10)]
    assert truth("leaves") == pytest.approx(
        max(abs(np.array(fits) - np.polyval(np.polyfit(*rows.T, 1), 15)))
    )


def test_the_truth_of_the_median_holds_all_medians_that_a_search_reaches():
    middle = [
        person_moved(Lesson(person_x=x, person_y=y)).after.theil_sen(POINT)[0]
        for x in np.linspace(0, 20, 17)
        for y in (0.0, 30.0, 70.0, 100.0)
    ]
    assert 100 * np.ptp(middle) == pytest.approx(truth("median"), abs=1.5) and 100 * np.ptp(
        middle
    ) <= truth("median")


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
