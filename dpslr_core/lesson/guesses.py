"""Guesses of the lesson: one in each step, committed before the answer, and whether it was near the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..audit.pair import posterior
from ..text.phrases import format_amount, in_full
from .classes import class_errors, median_class
from .settings import ALGORITHMS, SCATTERS, SCORE, SIZES, STEPS, Lesson, class_of
from .steps import NOISY, changes, median_bounds, person_moved, worst_of_ten

WATCHED = "DeepestLine"  # the algorithm of the guess in step "people"
NEVER = "at no size"


@dataclass(frozen=True)
class Guess:
    """The guess of one step: its question and its answer.

    truth: a number or one of the choices; not finite where there is no such number. unit: of a number. most: the
    largest number that may be typed, the smallest is 0. within: how far a good guess is from a number at most; of
    choices in an order how many stops. choices: in their order; none where a number is typed.
    """

    truth: float | str
    unit: str = ""
    most: float = 100.0
    within: float = 0.0
    choices: tuple[str, ...] = ()

    def well(self, guess: float | str) -> bool:
        """Whether a guess is near enough; none is where there is no true number."""
        if self.choices:
            places = [self.choices.index(str(each)) for each in (guess, self.truth)]
            return abs(places[0] - places[1]) <= self.within
        return isfinite(float(self.truth)) and abs(float(guess) - float(self.truth)) <= self.within

    @property
    def counts(self) -> str:
        """The rule for a good guess, in words."""
        if not self.choices:
            return f"A guess within {self.said(self.within)} counts as good."
        return "A guess one stop away counts as good." if self.within else ""

    def said(self, value: float | str) -> str:
        """A guess or the truth in words."""
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
        """The guess and the truth together."""
        verdict = "Well guessed." if self.well(guess) else "Not near."
        return f"Your guess: {self.said(guess)}. True: {self.said(self.truth)}. {verdict}"


def guess_of(lesson: Lesson) -> Guess:
    """The guess of the lesson's step; Damaged where it needs the stored errors of classes and they cannot be read."""
    match lesson.step:
        case "leaves":
            return Guess(float(SCORE.scale * np.abs(changes()).max()), "points", within=2.0)
        case "worst":
            return Guess(SCORE.scale * worst_of_ten().change, "points", within=5.0)
        case "median":
            low, high = median_bounds(person_moved(lesson))
            return Guess(SCORE.scale * (high - low), "points", within=2.0)
        case "noise":
            errors = class_errors(class_of(lesson), lesson.class_epsilon, (NOISY,))
            c68 = float(SCORE.scale * errors["c68"].iloc[0])
            return Guess(c68, "points", within=max(0.5, c68 / 4) if isfinite(c68) else 0.5)
        case "promise":
            return Guess(100 * float(posterior(lesson.prior_percent / 100, lesson.class_epsilon)), "%", within=5.0)
        case "people":
            rows = median_class(lesson, over="students")
            rows = rows[rows["algorithm"] == WATCHED]
            above = rows["students"][rows["ratio"] >= 1]
            larger = [size for size in SIZES if size > above.max()] if len(above) else list(SIZES)
            choices = (*(f"{size:,}" for size in SIZES), NEVER)
            return Guess(f"{larger[0]:,}" if larger else NEVER, within=1, choices=choices)
        case _:
            rows = median_class(lesson, over="scatter")
            here = rows[rows["scatter"] == SCATTERS[0]]
            best = str(here.loc[here["ratio"].idxmin(), "algorithm"])
            return Guess(best, choices=tuple(mechanism.name for mechanism in ALGORITHMS))


def score(well: Mapping[str, bool]) -> str:
    """How many steps were guessed well; well: by step, of those that were guessed."""
    if not well:
        return ""
    good = sum(well.values())
    left = len(STEPS) - len(well)
    rest = f" {in_full(left)} {'step has' if left == 1 else 'steps have'} no guess yet." if left else ""
    return f"Guessed well: {good} of {len(well)} {'step' if len(well) == 1 else 'steps'}.{rest}"
