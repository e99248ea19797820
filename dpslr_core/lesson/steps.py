"""Numbers of the lesson by step, and the table of each step.

Somebody leaves, somebody goes anywhere, pairwise estimates, releases, odds after a move, errors by size and scatter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import pairs
from ..audit.moved import AFTER, BEFORE, MovedRecord, OutputChange, output_change
from ..audit.pair import best_tests
from ..dataset import Dataset
from ..laws.base import Law
from ..mechanisms import DPExpTheilSen, NoisyStats
from ..privacy import Budget
from ..support.types import Floats
from .classes import median_class
from .settings import AT, HOURS, POINT, SCORE, TEN, Lesson, class_of, ten_people

NOISY = NoisyStats()  # algorithm of step "noise", which adds noise to the sums of OLS
ALGORITHM = (
    DPExpTheilSen()
)  # algorithm of step "promise", which releases one prediction, at 15 hours
# Hours and points of the person in step "promise" before anybody is moved; None for the person's own.
UNMOVED = (None, 0.0)
VIEW = (-12.0, 112.0)  # ends of the pictures in points; releases beyond are counted
TEN_RELEASES = 10
EVEN = 0.5  # belief before a release that the person was moved
_CELLS = 20  # cells of the map of changes, along hours and points
_ODDS_POINTS = 161  # number of points of densities over the picture
CHANGE = "change at 15 hours"  # column of tables, in points
_ERRORS = ("c68", "c68_low", "c68_high", "standard_error", "noise", "gap")
_FINE = np.linspace(
    0, 1, 4001
)  # hours, in the unit square, at which the largest change is searched


def _without(data: Dataset, row: int) -> Dataset:
    return Dataset(np.delete(data.x, row), np.delete(data.y, row))


# Step "leaves".


def remaining(leaver: int) -> Dataset:
    """Return the ten people without person `leaver`, numbered from 1; 0 for nobody."""
    return _without(ten_people(), leaver - 1) if leaver else ten_people()


def changes() -> Floats:
    """Return the change of the prediction at 15 hours when each person leaves, in the unit square, shape (10,)."""
    before = ten_people().predict(POINT)[0]
    return np.array(
        [remaining(person).predict(POINT)[0] - before for person in range(1, len(TEN) + 1)]
    )


# Step "worst".


def predictions_with(data: Dataset, row: int, x: ArrayLike, y: ArrayLike) -> Floats:
    """Return OLS predictions at 15 hours with record `row` at each (x, y); the mean of y where all x are equal.

    Computed from the sums of the other records, without making data sets.

    Parameters
    ----------
    data : Dataset
        Records in the unit square.
    row : int
        Record that is moved, from 0.
    x, y : array-like, same shape
        New positions of the record, in the unit square.

    Returns
    -------
    array
        Predictions in the unit square, in the shape of x.
    """
    rest, x, y = _without(data, row), np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    x_mean, y_mean = (
        (values.sum() + added) / data.n for values, added in ((rest.x, x), (rest.y, y))
    )
    nvar = (rest.x**2).sum() + x**2 - data.n * x_mean**2
    ncov = (rest.x * rest.y).sum() + x * y - data.n * x_mean * y_mean
    slope = np.divide(ncov, nvar, out=np.zeros(np.shape(nvar)), where=nvar > 0)
    return np.asarray(y_mean + slope * (POINT - x_mean))


@dataclass(frozen=True)
class WorstMove:
    """Move of one person that changes OLS at 15 hours most.

    Attributes
    ----------
    person : int
        Number of the person, from 1.
    x, y : float
        New position of the person, in the unit square.
    change : float
        Absolute change of the prediction, in the unit square.
    """

    person: int
    x: float
    y: float
    change: float


def worst_moves(data: Dataset) -> list[WorstMove]:
    """Find the worst move of each person within the bounds, in the order of the records.

    For fixed hours the prediction is linear in the score, so that the worst score is 0 or all points; the hours are
    searched on a fine grid.
    """
    before, moves = data.predict(POINT)[0], []
    for row in range(data.n):
        change = np.abs(
            np.stack(
                [predictions_with(data, row, _FINE, np.full_like(_FINE, end)) for end in (0.0, 1.0)]
            )
            - before
        )
        end, hour = np.unravel_index(np.argmax(change), change.shape)
        moves.append(WorstMove(row + 1, float(_FINE[hour]), float(end), float(change[end, hour])))
    return moves


@cache
def worst_of_ten() -> WorstMove:
    """Return the worst move of anybody among the ten people."""
    return max(worst_moves(ten_people()), key=lambda move: move.change)


def change_map(person: int) -> pd.DataFrame:
    """Compute the absolute change of OLS at 15 hours were a person in the middle of each cell of the picture.

    Parameters
    ----------
    person : int
        Number of the person, from 1.

    Returns
    -------
    DataFrame
        Edges of each cell x, x2 (hours) and y, y2 (points), its middle hours and points, and change (points).
    """
    data, side = ten_people(), 1 / _CELLS
    corners = np.linspace(0, 1, _CELLS, endpoint=False)
    lower_x, lower_y = (lower.ravel() for lower in np.meshgrid(corners, corners))
    hours, points = lower_x + side / 2, lower_y + side / 2
    change = np.abs(predictions_with(data, person - 1, hours, points) - data.predict(POINT)[0])
    ends = {
        "x": HOURS.from_unit(lower_x),
        "x2": HOURS.from_unit(lower_x + side),
        "y": SCORE.from_unit(lower_y),
        "y2": SCORE.from_unit(lower_y + side),
    }
    middle = {"hours": HOURS.from_unit(hours), "points": SCORE.from_unit(points)}
    return pd.DataFrame({**ends, **middle, "change": SCORE.scale * change})


# Step "median".


def pairwise(data: Dataset) -> Floats:
    """Return the heights at 15 hours of lines through two records, ascending, in the unit square.

    A pair with equal x has no line.
    """
    first, second = pairs.all_pairs(data.n)
    apart = data.x[first] != data.x[second]
    x, y, u, v = (
        data.x[first][apart],
        data.y[first][apart],
        data.x[second][apart],
        data.y[second][apart],
    )
    return np.sort(y + (POINT - x) * (v - y) / (u - x))


def median_bounds(moved: MovedRecord) -> tuple[float, float]:
    """Return the smallest and the largest median over all positions of the person, in the unit square.

    The estimates of pairs without the person stay. More estimates on one side, or fewer where x is equal, move a
    median towards that side at most, so the extremes are where all pairs with the person are at minus or plus infinity.
    """
    untouched, touched = pairwise(_without(moved.before, moved.place)), moved.before.n - 1
    low, high = (
        np.median(np.append(untouched, np.full(touched, end))) for end in (-np.inf, np.inf)
    )
    return float(low), float(high)


def person_moved(lesson: Lesson) -> MovedRecord:
    """Return the move of steps "worst" and "median", of one person among the ten."""
    data, row = ten_people(), lesson.person - 1
    x = data.x[row] if lesson.person_x is None else HOURS.to_unit(lesson.person_x)
    y = data.y[row] if lesson.person_y is None else SCORE.to_unit(lesson.person_y)
    return MovedRecord(data, row, float(x), float(y))


# Step "noise".


@cache
def _class_releases(lesson: Lesson) -> Floats:
    """Draw all releases that TOTAL pays for: heights at 15 and 5 hours, in the unit square, NaN without an answer."""
    stream = np.random.default_rng(
        [lesson.students, round(100 * lesson.scatter), round(1000 * lesson.class_epsilon)]
    )
    return NOISY.release(
        class_of(lesson), lesson.class_epsilon, AT, size=lesson.affordable, rng=stream
    )


def releases(lesson: Lesson) -> Floats:
    """Return the releases so far in step "noise", shape (drawn, 2), in the unit square; each press adds the next."""
    settled = Lesson(
        class_epsilon=lesson.class_epsilon, students=lesson.students, scatter=lesson.scatter
    )
    return _class_releases(settled)[: lesson.drawn]


# Step "promise".


def somebody_moved(lesson: Lesson) -> MovedRecord:
    """Return the move of step "promise": by default the person goes to 0 points."""
    moved = person_moved(lesson)
    if lesson.person_x is not None or lesson.person_y is not None:
        return moved
    return MovedRecord(moved.before, moved.place, moved.x, float(SCORE.to_unit(UNMOVED[1])))


def change_of(lesson: Lesson) -> OutputChange:
    """Return the output distributions of one prediction before and after the move of step "promise"."""
    change = output_change(
        somebody_moved(lesson), ALGORITHM, Budget(lesson.class_epsilon, (POINT,))
    )
    assert change is not None  # the law of all pairs is exact
    return change


def beyond_view(law: Law) -> float:
    """Return the probability of a release outside the picture."""
    low, high = SCORE.to_unit(VIEW)
    return float(law.cdf(np.array(low)) + 1 - law.cdf(np.array(high)))


@dataclass(frozen=True)
class Game:
    """Game of ten releases: somebody guesses whether each is from the data before or after the move.

    Attributes
    ----------
    change : OutputChange
        Output distributions before and after the move.
    number : int
        Number of the ten releases, from 1; a seed.
    """

    change: OutputChange
    number: int

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Table of the releases: release (points), moved (whether from the data after the move), best (the best guess).

        The best rule guesses "moved" where the move is likelier than not, given the release.
        """
        stream = np.random.default_rng([self.number, round(100 * EVEN)])
        before, after = self.change.before, self.change.after
        moved = stream.random(TEN_RELEASES) < EVEN
        drawn = [law.sample(TEN_RELEASES, stream) for law in (before, after)]
        release = np.where(moved, drawn[1], drawn[0])
        best = after.logpdf(release) > before.logpdf(release)
        return pd.DataFrame({"release": SCORE.from_unit(release), "moved": moved, "best": best})

    @property
    def best_rate(self) -> float:
        """Largest probability of a right guess, by the best test between the two distributions."""
        tests = best_tests(self.change.before, self.change.after)
        return float(1 - EVEN * (tests["false_alarms"] + tests["misses"]).min())

    @property
    def best_hits(self) -> int:
        """Number of the ten releases that the best rule guesses right."""
        return int((self.rows["best"] == self.rows["moved"]).sum())


def game_of(lesson: Lesson) -> Game:
    """Return the game of the lesson's ten releases."""
    return Game(change_of(lesson), lesson.ten_number)


# Tables.


def step_table(lesson: Lesson) -> pd.DataFrame:
    """Return the numbers in the picture of the lesson's step, in hours and points, as its page shows them."""
    match lesson.step:
        case "leaves":  # each person's record, and the change of the prediction without the person
            people = pd.DataFrame(TEN, columns=["hours", "points"], dtype=float)
            people.insert(0, "person", range(1, len(TEN) + 1))
            return people.assign(**{CHANGE: SCORE.scale * changes()})
        case "worst":  # the change of OLS with the person at each position
            cells = change_map(lesson.person)[["hours", "points", "change"]]
            return cells.rename(columns={"change": CHANGE})
        case "median":  # the pairwise estimates before and after the move, ascending
            move = person_moved(lesson)
            heights = [SCORE.from_unit(pairwise(data)) for data in (move.before, move.after)]
            return pd.DataFrame({"before": pd.Series(heights[0]), "after": pd.Series(heights[1])})
        case "noise":  # the releases so far, by number; NaN without an answer
            drawn = SCORE.from_unit(releases(lesson))
            table = pd.DataFrame(drawn, columns=["at 15 hours", "at 5 hours"])
            table.insert(0, "release", range(1, lesson.drawn + 1))
            return table
        case "promise":
            return odds_table(change_of(lesson))
        case step:  # the errors of `median_class`
            errors = median_class(lesson, over="students" if step == "people" else "scatter")
            return errors.assign(**{name: SCORE.scale * errors[name] for name in _ERRORS})


def odds_table(change: OutputChange) -> pd.DataFrame:
    """Return for step "promise" both output densities over the picture, and the odds of each outcome, in points."""
    rows = change.odds((float(SCORE.to_unit(VIEW[0])), float(SCORE.to_unit(VIEW[1]))), SCORE)
    every = -(-len(rows) // _ODDS_POINTS)
    return rows.iloc[::every].reset_index(drop=True)[["estimate", BEFORE, AFTER, "odds"]]
