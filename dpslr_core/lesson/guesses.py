"""Guesses of the lesson: one guess in each step, made before the answer, and whether it is near the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..audit.pair import posterior
from ..text.phrases import format_amount, in_full, joined
from .classes import class_errors, median_class
from .settings import ALGORITHMS, SCATTERS, SCORE, SIZES, STEPS, Lesson, class_of
from .steps import EVEN, NOISY, changes, median_bounds, person_moved, worst_of_ten

WATCHED = "DeepestLine"  # the algorithm of the guess in step "people"
NEVER = "at no size"
PROOF = "100% would mean that a release can prove it."
# Reason why each algorithm is good or bad as the scatter about the line changes.
REASONS = {
    "NoisyStats": "NoisyStats adds the same noise however close the scores are to a line.",
    "DPExpTheilSen": "DPExpTheilSen’s noise shrinks with the scatter, as pairwise lines agree more.",
    "DeepestLine": "DeepestLine chooses among lines on a grid, so it cannot be closer than the grid is fine.",
}


@dataclass(frozen=True)
class Guess:
    """Question of one step: its true answer, and when a guess is good.

    Attributes
    ----------
    truth : float or str
        Number or choice; a number is not finite if there is no limit.
    unit : str
        Unit of a number.
    most : float
        Largest number that may be typed; the smallest is 0.
    within : float
        Largest distance of a good guess from the truth; among ordered choices, in stops.
    choices : tuple of str
        Choices in their order; empty where a number is typed.
    wrong : tuple of (low, high, str)
        Usual wrong guesses, from low to high, with a sentence about each.
    """

    truth: float | str
    unit: str = ""
    most: float = 100.0
    within: float = 0.0
    choices: tuple[str, ...] = ()
    wrong: tuple[tuple[Any, Any, str], ...] = ()

    def well(self, guess: float | str) -> bool:
        """Tell whether a guess is at most `within` from the truth; false if the truth is not finite."""
        if self.choices:
            stops = [self.choices.index(str(choice)) for choice in (guess, self.truth)]
            return abs(stops[0] - stops[1]) <= self.within
        return isfinite(float(self.truth)) and abs(float(guess) - float(self.truth)) <= self.within

    @property
    def counts(self) -> str:
        """Rule for a good guess, in words."""
        if not self.choices:
            return f"A guess within {self.in_words(self.within)} counts as good."
        return "A guess one stop away counts as good." if self.within else ""

    def in_words(self, value: float | str) -> str:
        """Format a guess or the truth with its unit."""
        if isinstance(value, str):
            return value
        if not isfinite(value):
            return "no limit"
        if self.unit == "%" and 99.99 < value < 100:
            return "more than 99.99%"
        joint = "" if self.unit == "%" else " "
        unit = self.unit.removesuffix("s") if format_amount(value) == "1" else self.unit
        return f"{format_amount(value)}{joint}{unit}"

    def beside(self, guess: float | str) -> str:
        """Return sentences with the guess and the truth, and a reason against a usual wrong guess."""
        beside = f"Your guess: {self.in_words(guess)}. True: {self.in_words(self.truth)}."
        if self.well(guess):
            return f"{beside} Well guessed."
        reason = next((reason for low, high, reason in self.wrong if low <= guess <= high), "")
        return joined(beside, "Not near.", reason)


def guess_of(lesson: Lesson) -> Guess:
    """Return the question of the lesson's step.

    Raises
    ------
    Damaged
        If the stored errors of classes are needed and cannot be read.
    """
    match lesson.step:
        case "leaves":
            *_, next_most, most = np.sort(SCORE.scale * np.abs(changes())).tolist()
            small_move = "It moves so little when any of the others leaves."
            return Guess(most, "points", within=2.0, wrong=((0.0, next_most, small_move),))
        case "worst":
            leaving_most = float(SCORE.scale * np.abs(changes()).max())
            usual_error = "That is how far it moves when somebody leaves. Whoever goes far out moves it further."
            most = SCORE.scale * worst_of_ten().change
            return Guess(
                most,
                "points",
                within=5.0,
                wrong=((leaving_most - 1, leaving_most + 1, usual_error),),
            )
        case "median":
            low, high = median_bounds(person_moved(lesson))
            most = SCORE.scale * worst_of_ten().change
            usual = (
                (0.0, 0.0, "The pairs with this person do change sides."),
                (most - 5, most + 5, "So far OLS moves."),
            )
            return Guess(SCORE.scale * (high - low), "points", within=2.0, wrong=usual)
        case "noise":
            errors = class_errors(class_of(lesson), lesson.class_epsilon, (NOISY,))
            c68 = float(SCORE.scale * errors["c68"].iloc[0])
            sampling = float(SCORE.scale * errors["standard_error"].iloc[0])
            near = (
                0.75 * sampling,
                1.25 * sampling,
                "That is the sampling error, which is there without any noise.",
            )
            return Guess(
                c68, "points", within=max(0.5, c68 / 4) if isfinite(c68) else 0.5, wrong=(near,)
            )
        case "promise":
            usual = (
                (100.0, 100.0, PROOF),
                (50.0, 50.0, "50% would mean that a release tells nothing."),
            )
            return Guess(
                100 * float(posterior(EVEN, lesson.class_epsilon)), "%", within=5.0, wrong=usual
            )
        case "people":
            rows = median_class(lesson, over="students")
            rows = rows[rows["algorithm"] == WATCHED]
            above = rows["students"][rows["ratio"] >= 1]
            larger = [size for size in SIZES if size > above.max()] if len(above) else list(SIZES)
            choices = (*(f"{size:,}" for size in SIZES), NEVER)
            large = "Noise falls faster than the sampling error: some class is large enough."
            truth = f"{larger[0]:,}" if larger else NEVER
            return Guess(truth, within=1, choices=choices, wrong=((NEVER, NEVER, large),))
        case _:
            rows = median_class(lesson, over="scatter")
            smallest = rows[rows["scatter"] == SCATTERS[0]]
            best = str(smallest.loc[smallest["ratio"].idxmin(), "algorithm"])
            wrong = tuple((name, name, reason) for name, reason in REASONS.items())
            return Guess(
                best, choices=tuple(mechanism.name for mechanism in ALGORITHMS), wrong=wrong
            )


def score(well: Mapping[str, bool]) -> str:
    """Return a sentence with the number of good guesses, and of steps without a guess.

    Parameters
    ----------
    well : mapping of str to bool
        By step, for steps with a guess: whether the guess was good.
    """
    if not well:
        return ""
    good = sum(well.values())
    unguessed = len(STEPS) - len(well)
    rest = (
        f" {in_full(unguessed)} {'step has' if unguessed == 1 else 'steps have'} no guess yet."
        if unguessed
        else ""
    )
    return f"Guessed well: {good} of {len(well)} {'step' if len(well) == 1 else 'steps'}.{rest}"
