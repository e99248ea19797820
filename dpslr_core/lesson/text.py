"""Sentences of the lesson: of each step a headline, its context, its picture in words, a question and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import exp

import numpy as np
import pandas as pd

from ..audit.pair import posterior
from ..dataset import Record
from ..experiments.moved import MovedRecord, OutputChange
from ..text.data import coordinates
from ..text.phrases import both_sides_of_one, format_amount, format_share, in_full, listed, point_on, with_unit
from .classes import CLASSES
from .settings import HOURS, MOST, POINT, SCORE, Lesson
from .steps import changes, median_bounds, remaining

AT_POINT = f"at {point_on(HOURS, POINT)}"
TITLES = ("One leaves", "Median", "Noise", "Promise", "More people", "Choice")


@dataclass(frozen=True)
class StepText:
    """Sentences of one step: the answer so far, its data and settings, its picture, the question, and its answer."""

    headline: str
    context: str
    picture: str
    question: str
    answer: str


def points(share: float) -> str:
    """A score or a distance of scores, given in the unit square: "3.2 points", "1 point"."""
    return in_points(share * SCORE.scale)


def in_points(number: float) -> str:
    """A number of points: "3.2 points", "1 point"."""
    text = with_unit(number, SCORE)
    return text.removesuffix("s") if text.startswith("1 ") else text


def _times(factor: float, digits: int = 3) -> str:
    return f"{format_amount(factor, digits)} times"


def _at(record: Record) -> str:
    """The hours and points of a person: "(19 hours, 47 points)"."""
    return coordinates(record, HOURS, SCORE)


# Step 1: a line from ten people, and one who leaves.

LEAVING_CONTEXT = (
    "Ten people, invented: hours of practice in a week, and points in a test. Noise must cover what anyone could "
    "change, in any class. Elsewhere in this app a person is replaced and does not leave, so that n stays public."
)
LEAVING_QUESTION = "Who moves the prediction most by leaving, and how far?"


def leaving_text(leaver: int) -> StepText:
    """The prediction at 15 hours, and how far it moves without one person; the answer names who moves it most."""
    before, after = (float(remaining(gone).predict(POINT)[0]) for gone in (0, leaver))
    if leaver:
        headline = (
            f"Without person {leaver} the prediction {AT_POINT} moves by {points(abs(after - before))}, "
            f"{'up' if after > before else 'down'} to {points(after)}"
        )
    else:
        headline = f"From ten people: {AT_POINT} of practice the line predicts {points(before)}"
    distances = np.abs(changes())
    first, second = np.argsort(-distances, kind="stable")[:2]
    answer = (
        f"Person {first + 1}: {points(distances[first])}. Next is person {second + 1}, {points(distances[second])}. "
        "Whoever sees both lines learns about the person who left. Noise must hide the largest change that anyone "
        "could cause, in any class. Not only in this one."
    )
    return StepText(headline, LEAVING_CONTEXT, f"{headline}.", LEAVING_QUESTION, answer)


# Step 2: the median of pairwise lines while one person is moved.

MEDIAN_CONTEXT = (
    "Through each two people runs a line; its height at 15 hours is a pairwise estimate. Theil–Sen is their median, "
    "OLS is the line of least squares."
)
MEDIAN_QUESTION = "Wherever this person goes, how far can the median move? Why no further?"


def median_text(moved: MovedRecord) -> StepText:
    """How far OLS and the median move with one person; the answer, the range that the median cannot leave."""
    rows, person, touched = moved.predictions([POINT]), moved.place + 1, moved.before.n - 1
    total = moved.before.n * touched // 2
    if moved.moved:
        change, other = (points(abs(rows[name].iloc[1] - rows[name].iloc[0])) for name in ("ols", "theil_sen"))
        headline = f"Person {person} moves OLS {AT_POINT} by {change}, the median by {other}"
        picture = f"Person {person} is at {_at((moved.x, moved.y))}. {headline}."
    else:
        median, line = (points(rows[name].iloc[0]) for name in ("theil_sen", "ols"))
        headline = f"{total} pairwise lines: their median {AT_POINT} is {median}, OLS is {line}"
        picture = f"{headline}."
    low, high = median_bounds(moved)
    ols = [float(moved.before.with_record(moved.place, moved.x, end).predict([POINT])[0]) for end in (0.0, 1.0)]
    reach = (
        f"It stays between {points(low)} and {points(high)}"
        if np.isfinite([low, high]).all()
        else "It can go anywhere, as the person is in half of the pairs"
    )
    far = abs(ols[1] - ols[0]) / (high - low) if np.isfinite(high - low) and high > low else None
    as_far = "" if far is None else f", {_times(far, 2)} as far"
    answer = (
        f"{reach}. The person is in {touched} of {total} pairs, so at most {touched} "
        f"estimates change sides. OLS follows the person: from {points(ols[0])} to {points(ols[1])}{as_far}."
    )
    return StepText(headline, MEDIAN_CONTEXT, picture, MEDIAN_QUESTION, answer)


# Step 4: the privacy loss that epsilon allows, as odds.

ODDS_QUESTION = "You give it 50 : 50 that the person was moved. How sure can one release make you?"


def odds_text(moved: MovedRecord, change: OutputChange) -> StepText:
    """The factor that epsilon allows, and the one that this move needs; even odds after it."""
    epsilon, measured = change.loss.promised, change.loss.measured
    allowed = _times(exp(epsilon))
    headline = f"ε = {in_full(epsilon)}: any outcome is at most {allowed} as likely after one person is moved"
    context = (
        f"{change.mechanism.name} releases one prediction for 15 hours. Person {moved.place + 1} is at "
        f"{_at(moved.old)} before the move, at {_at((moved.x, moved.y))} after it."
    )
    picture = (
        f"Moving person {moved.place + 1} makes outcomes up to {_times(exp(measured))} as likely; "
        f"ε = {in_full(epsilon)} allows {allowed}."
    )
    answer = (
        f"At most {_belief(epsilon)}: even odds become {format_amount(exp(epsilon))} to 1. "
        f"This move gives less away, {_belief(measured)}: "
        f"its privacy loss is {format_amount(measured)}, and ε is {in_full(epsilon)}. "
        "The promise holds for every person and every move."
    )
    return StepText(headline, context, picture, ODDS_QUESTION, answer)


def _belief(loss: float) -> str:
    """The largest belief after even odds, in per cent, with more digits near 100%."""
    share = float(posterior(0.5, loss))
    if share > 0.9999:
        return "more than 99.99%"
    return f"{format_amount(100 * share, 4)}%" if share > 0.985 else format_share(share)


# Steps 3, 5 and 6: errors in one class, in classes of each size, and at each scatter.

ABOUT_ALGORITHMS = (
    "NoisyStats adds noise to the sums that OLS is made of. DPExpTheilSen draws near the median of all pairwise lines. "
    "DeepestLine draws a whole line near the one with equally many records above and below."
)
WHY_THESE = (
    "Three ideas, one algorithm each: noise on sums, a private median, a private line. The first is the simplest, the "
    "second is often the paper's best, the third is newer and does not split its budget."
)
LINES_QUESTION = "Guess: which lines would you publish? Then check the distances."
SIZES_QUESTION = "From which size of the class on is each algorithm’s error smaller than the sampling error?"
BARS = (
    "Bar: the 68% error in the median class. Filled: noise alone. Hollow: what the gap to OLS adds. "
    "Whisker: the middle half of the classes. Grey: one standard error."
)
CHOICE_QUESTION = "Which algorithm for this class, and why? Would another scatter change that?"
# Why each algorithm is good, or is not, where the scatter about the line changes.
REASONS = {
    "NoisyStats": "NoisyStats adds the same noise however close the scores are to a line.",
    "DPExpTheilSen": "DPExpTheilSen’s noise shrinks with the scatter, as pairwise lines agree more.",
    "DeepestLine": "DeepestLine chooses among lines on a grid, so it cannot be closer than the grid is fine.",
}


def lines_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """Step 3: within what distance of OLS 68% of the best algorithm's releases are, and of the worst's; all of them.

    errors: of class_errors.
    """
    ranked, error = _finite(errors).sort_values("c68"), errors["standard_error"].iloc[0]
    best, worst = ranked.iloc[0], ranked.iloc[-1]
    headline = (
        f"Error {AT_POINT}: ±{points(best['c68'])} with {best['algorithm']}, ±{points(worst['c68'])} with "
        f"{worst['algorithm']}"
    )
    picture = f"Twenty private lines of each algorithm. {headline}.{_failing(errors)}"
    near = "About two releases in three are this close to the line without privacy."
    context = f"{_people(lesson)} {near}{_failing(errors)}"
    below = list(ranked["algorithm"][ranked["c68"] < error])
    smaller = f"The error of {listed(below)} is smaller" if below else "No algorithm’s error is smaller"
    factor = _times(worst["c68"] / best["c68"])
    answer = (
        f"The 68% error is {_within(ranked)}. The largest is {factor} the smallest.{_failing(errors)} Without privacy "
        f"the line is uncertain, too: its standard error is ±{points(error)}. {smaller} than that."
    )
    return StepText(headline, context, picture, LINES_QUESTION, answer)


def sizes_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """Step 5: the best algorithm's error beside the sampling error; the sizes at which noise is smaller.

    errors: of median_class, over students.
    """
    here = errors[errors["students"] == lesson.students]
    best = here.sort_values("ratio").iloc[0]
    headline = (
        f"{lesson.students:,} students: {best['algorithm']}’s error is {_of_sampling_error(best['ratio'])} of "
        f"±{points(best['standard_error'])}"
    )
    picture = (
        f"In the median class the 68% error {AT_POINT} is {_within(_finite(here))}. The sampling error is "
        f"±{points(best['standard_error'])}.{_failing(here)}"
    )
    sentences = []
    for name, rows in errors.groupby("algorithm", sort=False):
        below = rows[rows["ratio"] < 1]
        sizes = _ranges(list(below["students"]), list(rows["students"]))
        ends = below["below"].agg(["min", "max"]).dropna()
        of_classes = f", in {' to '.join(dict.fromkeys(map(format_share, ends)))} of the classes" if len(ends) else ""
        sentences.append(f"{name}: {sizes}{of_classes}.")
    answer = (
        f"{' '.join(sentences)} Noise falls like 1/n, the sampling error like 1/√n: large classes hide it. "
        "Part of DPExpTheilSen’s bar is no noise: Theil–Sen and OLS are two different lines, "
        f"{points(here.set_index('algorithm')['gap']['DPExpTheilSen'])} apart here."
    )
    return StepText(headline, f"{_classes(lesson)}{_failing(here)}", picture, SIZES_QUESTION, answer)


def choice_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """Step 6: the best algorithm at this scatter, and the next; the best at each scatter, and the reasons.

    errors: of median_class, over scatter.
    """
    ranked = errors[errors["scatter"] == lesson.scatter].sort_values("ratio")
    best, second = ranked.iloc[0], ranked.iloc[1]
    headline = (
        f"Smallest error: {best['algorithm']}, {_of_sampling_error(best['ratio'])}; next is {second['algorithm']}, "
        f"{_beside(second['ratio'])}"
    )
    winners = errors.loc[errors.groupby("scatter")["ratio"].idxmin()]
    here = str(winners.loc[winners["scatter"] == lesson.scatter, "algorithm"].iloc[0])
    ranges = []
    for name, run in groupby(winners.itertuples(), lambda row: row.algorithm):
        rows = list(run)
        first, last = in_full(rows[0].scatter), in_points(rows[-1].scatter)
        ranges.append(f"{name} from {first} to {last}" if len(rows) > 1 else f"{name} at {last}")
    answer = f"{here} here. Best by scatter: {listed(ranges)}. {' '.join(REASONS.values())}"
    picture = f"Error over sampling error by scatter. {headline}."
    return StepText(headline, _classes(lesson), picture, CHOICE_QUESTION, answer)


def _people(lesson: Lesson, more: str = "") -> str:
    return (
        f"{lesson.students:,} simulated students whose scores scatter by {in_points(lesson.scatter)} about a "
        f"line{more}. The whole line is released, and costs ε = {in_full(lesson.class_epsilon)}."
    )


def _classes(lesson: Lesson) -> str:
    return f"{CLASSES} classes of {_people(lesson, ': the class in the middle counts')}"


def _beside(ratio: float) -> str:
    """An error over the sampling error: "42%", "1.3 times"."""
    if not np.isfinite(ratio):
        return "without limit"
    return format_share(ratio) if ratio < 1 else f"{both_sides_of_one(ratio)} times"


def _of_sampling_error(ratio: float) -> str:
    """An error beside the sampling error: "42% of the sampling error", "1.3 times the sampling error"."""
    return f"{_beside(ratio)}{' of' if ratio < 1 else ''} the sampling error"


def _within(errors: pd.DataFrame) -> str:
    """The errors of some algorithms in a list."""
    return listed(f"±{points(row.c68)} with {row.algorithm}" for row in errors.itertuples())


def _finite(errors: pd.DataFrame) -> pd.DataFrame:
    return errors[np.isfinite(errors["c68"])]


def _failing(errors: pd.DataFrame) -> str:
    """The algorithms that give no answer too often."""
    names = list(errors["algorithm"][~np.isfinite(errors["c68"])])
    return f" {listed(names)} gives no answer in more than 32% of its releases." if names else ""


def _ranges(sizes: list[int], every: list[int]) -> str:
    """Sizes as ranges of neighbouring stops: "at 100 to 300 students and from 1,000 students on"."""
    if not sizes:
        return f"at no size up to {MOST:,} students"
    ranges = []
    for _, run in groupby(sizes, lambda size: every.index(size) - sizes.index(size)):
        members = list(run)
        if members[-1] == every[-1] and len(members) > 1:
            ranges.append(f"from {members[0]:,} students on")
        else:
            ends = f"{members[0]:,} to {members[-1]:,}" if len(members) > 1 else f"{members[0]:,}"
            ranges.append(f"at {ends} students")
    return listed(ranges)
