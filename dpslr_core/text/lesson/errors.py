"""Steps 3, 5 and 6: noise on lines, the error beside the sampling error in many classes, and which algorithm."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pandas as pd

from ...experiments.lesson.errors import CLASSES
from ...experiments.lesson.people import MOST
from ...experiments.lesson.settings import Lesson
from ..phrases import both_sides_of_one, format_share, in_full, listed
from .words import PLACE, StepText, in_points, points, times

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


def _people(lesson: Lesson) -> str:
    return f"{lesson.students:,} simulated students whose scores scatter by {in_points(lesson.scatter)} about a line"


def _cost(lesson: Lesson) -> str:
    return f"The whole line is released, and costs ε = {in_full(lesson.class_epsilon)}."


def _classes(lesson: Lesson) -> str:
    return f"{CLASSES} classes of {_people(lesson)}: the class in the middle counts. {_cost(lesson)}"


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
    """The algorithms that answer in 68% of their releases."""
    return errors[np.isfinite(errors["c68"])]


def _failing(errors: pd.DataFrame) -> str:
    """The algorithms that give no answer too often."""
    names = list(errors["algorithm"][~np.isfinite(errors["c68"])])
    return f" {listed(names)} gives no answer in more than 32% of its releases." if names else ""


def lines_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """Within what distance of OLS at 15 hours 68% of the best algorithm's releases are, and of the worst's."""
    ranked = _finite(errors).sort_values("c68")
    best, worst = ranked.iloc[0], ranked.iloc[-1]
    headline = (
        f"Error {PLACE}: ±{points(best['c68'])} with {best['algorithm']}, ±{points(worst['c68'])} with "
        f"{worst['algorithm']}"
    )
    picture = f"Twenty private lines of each algorithm. {headline}.{_failing(errors)}"
    near = "About two releases in three are this close to the line without privacy."
    context = f"{_people(lesson)}. {_cost(lesson)} {near}{_failing(errors)}"
    return StepText(headline, context, picture, LINES_QUESTION)


def lines_answer(errors: pd.DataFrame) -> str:
    """All errors, the largest over the smallest, and the standard error beside them."""
    ranked, error = _finite(errors).sort_values("c68"), errors["standard_error"].iloc[0]
    below = list(ranked["algorithm"][ranked["c68"] < error])
    smaller = f"The error of {listed(below)} is smaller" if below else "No algorithm’s error is smaller"
    factor = times(ranked["c68"].iloc[-1] / ranked["c68"].iloc[0])
    return (
        f"The 68% error is {_within(ranked)}. The largest is {factor} the smallest.{_failing(errors)} Without privacy "
        f"the line is uncertain, too: its standard error is ±{points(error)}. {smaller} than that."
    )


def sizes_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """The best algorithm’s error beside the sampling error, in the median class; errors: of errors.median_class."""
    best = errors.sort_values("ratio").iloc[0]
    headline = (
        f"{lesson.students:,} students: {best['algorithm']}’s error is {_of_sampling_error(best['ratio'])} of "
        f"±{points(best['standard_error'])}"
    )
    picture = (
        f"In the median class the 68% error {PLACE} is {_within(_finite(errors))}. The sampling error is "
        f"±{points(best['standard_error'])}.{_failing(errors)}"
    )
    return StepText(headline, f"{_classes(lesson)}{_failing(errors)}", picture, SIZES_QUESTION)


def sizes_answer(over_sizes: pd.DataFrame, lesson: Lesson) -> str:
    """For each algorithm the sizes at which the median class has a ratio below 1, in how many classes, and why not."""
    parts = []
    for name, rows in over_sizes.groupby("algorithm", sort=False):
        below = rows[rows["ratio"] < 1]
        sizes = _runs(list(below["students"]), list(rows["students"]))
        parts.append(f"{name}: {sizes}{_in_classes(below['below'])}.")
    falls = "Noise falls like 1/n, the sampling error like 1/√n: large classes hide it."
    return f"{' '.join(parts)} {falls} {_gap(over_sizes, lesson)}"


def _in_classes(shares: pd.Series) -> str:
    """In how many of the classes that is so: ", in 68% to 92% of the classes"."""
    if shares.empty:
        return ""
    low, high = (format_share(share) for share in (shares.min(), shares.max()))
    return f", in {low if low == high else f'{low} to {high}'} of the classes"


def _gap(over_sizes: pd.DataFrame, lesson: Lesson) -> str:
    """How much of the error of the private median is no noise, in the median class of this size."""
    here = over_sizes[over_sizes["students"] == lesson.students].set_index("algorithm")["gap"]["DPExpTheilSen"]
    return (
        "Part of DPExpTheilSen’s bar is no noise: Theil–Sen and OLS are two different lines, "
        f"{points(here)} apart here."
    )


def _runs(sizes: list[int], every: list[int]) -> str:
    """Sizes as ranges of neighbouring stops: "100 to 300 students and 1,000 students"."""
    if not sizes:
        return f"at no size up to {MOST:,} students"
    runs = []
    for _, run in groupby(sizes, lambda size: every.index(size) - sizes.index(size)):
        members = list(run)
        if members[-1] == every[-1] and len(members) > 1:
            runs.append(f"from {members[0]:,} students on")
        else:
            ends = f"{members[0]:,} to {members[-1]:,}" if len(members) > 1 else f"{members[0]:,}"
            runs.append(f"at {ends} students")
    return listed(runs)


def choice_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """The best algorithm at this scatter, and the next; errors: of errors.median_class."""
    ranked = errors.sort_values("ratio")
    best, second = ranked.iloc[0], ranked.iloc[1]
    headline = (
        f"Smallest error: {best['algorithm']}, {_of_sampling_error(best['ratio'])}; next is {second['algorithm']}, "
        f"{_beside(second['ratio'])}"
    )
    return StepText(headline, _classes(lesson), f"Error over sampling error by scatter. {headline}.", CHOICE_QUESTION)


def choice_answer(over_scatters: pd.DataFrame, lesson: Lesson) -> str:
    """The best algorithm at each scatter, and the reasons of the algorithms."""
    best = over_scatters.loc[over_scatters.groupby("scatter")["ratio"].idxmin()]
    here = str(best.loc[best["scatter"] == lesson.scatter, "algorithm"].iloc[0])
    said = []
    for name, run in groupby(best.itertuples(), lambda row: row.algorithm):
        rows = list(run)
        first, last = in_full(rows[0].scatter), in_points(rows[-1].scatter)
        said.append(f"{name} from {first} to {last}" if len(rows) > 1 else f"{name} at {last}")
    return f"{here} here. Best by scatter: {listed(said)}. {' '.join(REASONS.values())}"
