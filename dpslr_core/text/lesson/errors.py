"""Steps 3, 5 and 6: noise on lines, noise beside sampling error, and which algorithm."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pandas as pd

from ...experiments.lesson.people import MOST
from ...experiments.lesson.settings import Lesson
from ..phrases import both_sides_of_one, format_amount, in_full, listed
from .words import PLACE, StepText, in_points, points, times

LINES_QUESTION = "Whose lines stay closest to OLS, and how far do the others stray?"
SIZES_QUESTION = "From which size of the class on does each algorithm’s noise hide below the sampling error?"
CHOICE_QUESTION = "Which algorithm for this class, and why? Would another scatter change that?"
# Why each algorithm is good, or is not, where the noise about the line changes.
REASONS = {
    "NoisyStats": "NoisyStats adds the same noise however close the scores are to a line.",
    "DPExpTheilSen": "DPExpTheilSen’s noise shrinks with the scatter, as pairwise lines agree more.",
    "DeepestLine": "DeepestLine pays once for the whole line; a quarter of its grid’s cell is a floor under its error.",
}


def _class(lesson: Lesson) -> str:
    return f"{lesson.students:,} simulated students whose scores scatter by {in_points(lesson.scatter)} about a line"


def _context(lesson: Lesson) -> str:
    spent = f"ε = {in_full(lesson.class_epsilon)} pays for a whole line, released as its heights at 5 and at 15 hours"
    return f"{_class(lesson)}. {spent}."


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
        f"Noise {PLACE}: ±{points(best['c68'])} with {best['algorithm']}, ±{points(worst['c68'])} with "
        f"{worst['algorithm']}"
    )
    picture = f"Twenty private lines of each algorithm. {headline}.{_failing(errors)}"
    context = f"{_context(lesson)} 68% of releases are nearer to OLS than that.{_failing(errors)}"
    return StepText(headline, context, picture, LINES_QUESTION)


def lines_answer(errors: pd.DataFrame) -> str:
    """All errors, the largest over the smallest, and the standard error beside them."""
    ranked, error = _finite(errors).sort_values("c68"), errors["standard_error"].iloc[0]
    below = list(ranked["algorithm"][ranked["c68"] < error])
    smaller = f"The noise of {listed(below)} is smaller" if below else "No algorithm’s noise is smaller"
    factor = times(ranked["c68"].iloc[-1] / ranked["c68"].iloc[0])
    return (
        f"The 68% error is {_within(ranked)}. The largest is {factor} the smallest.{_failing(errors)} Without noise "
        f"the line is uncertain, too: its standard error is ±{points(error)}. {smaller} than that."
    )


def sizes_text(lesson: Lesson, errors: pd.DataFrame) -> StepText:
    """The best algorithm’s noise beside the sampling error."""
    best = errors.sort_values("ratio").iloc[0]
    headline = (
        f"{lesson.students:,} students: {best['algorithm']}’s noise is {both_sides_of_one(best['ratio'])} times the "
        f"sampling error of ±{points(best['standard_error'])}"
    )
    picture = (
        f"The 68% error {PLACE} is {_within(_finite(errors))}. The sampling error is ±{points(best['standard_error'])}."
        f"{_failing(errors)}"
    )
    return StepText(headline, f"{_context(lesson)}{_failing(errors)}", picture, SIZES_QUESTION)


def sizes_answer(over_sizes: pd.DataFrame) -> str:
    """For each algorithm the sizes at which its ratio is below 1, and why."""
    parts = []
    for name, rows in over_sizes.groupby("algorithm", sort=False):
        sizes = list(rows["students"][rows["ratio"] < 1])
        parts.append(f"{name}: {_runs(sizes, list(rows['students']))}.")
    return (
        f"{' '.join(parts)} Noise on sums falls like 1/n, the sampling error like 1/√n: large classes hide it. The "
        "errors count from OLS: where Theil–Sen differs from OLS, more people help less."
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
    """The best algorithm at this scatter, and by how much."""
    ranked = errors.sort_values("ratio")
    best, second = ranked.iloc[0], ranked.iloc[1]
    headline = (
        f"Least noise: {best['algorithm']}, {both_sides_of_one(best['ratio'])} standard errors; next is "
        f"{second['algorithm']}, {format_amount(second['ratio'])}"
    )
    return StepText(headline, _context(lesson), f"Noise over sampling error by scatter. {headline}.", CHOICE_QUESTION)


def choice_answer(over_scatters: pd.DataFrame, lesson: Lesson) -> str:
    """The best algorithm at each scatter, and the reasons of the two that are best anywhere."""
    best = over_scatters.loc[over_scatters.groupby("scatter")["ratio"].idxmin()]
    here = str(best.loc[best["scatter"] == lesson.scatter, "algorithm"].iloc[0])
    said = []
    for name, run in groupby(best.itertuples(), lambda row: row.algorithm):
        rows = list(run)
        first, last = in_full(rows[0].scatter), in_points(rows[-1].scatter)
        said.append(f"{name} from {first} to {last}" if len(rows) > 1 else f"{name} at {last}")
    return f"{here} here. Best by scatter: {listed(said)}. {' '.join(REASONS.values())}"
