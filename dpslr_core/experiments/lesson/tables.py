"""The numbers behind the picture of each step, in hours and points."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from . import errors, odds
from .leaving import Leaving
from .medians import PairwiseEstimates, person_moved
from .people import HOURS, SCORE, SCORES
from .settings import Lesson


def step_table(lesson: Lesson) -> pd.DataFrame:
    """The table of the lesson's step, the same as on its page."""
    return _TABLES[lesson.step - 1](lesson)


def leaving_table(leaving: Leaving) -> pd.DataFrame:
    """Step 1: each person's record, and by how much the prediction at 15 hours changes when they leave."""
    people = leaving.everyone
    records = {"hours": HOURS.from_unit(people.x), "points": SCORE.from_unit(people.y)}
    numbers = {"person": range(1, people.n + 1), **records, "change at 15 hours": SCORE.scale * leaving.changes}
    return pd.DataFrame(numbers)


def pairs_table(estimates: PairwiseEstimates) -> pd.DataFrame:
    """Step 2: the pairwise estimates before and after the move, ascending."""
    heights = {"before": estimates.before, "after": estimates.after}
    return pd.DataFrame({name: pd.Series(SCORE.from_unit(values)) for name, values in heights.items()})


def lines_table(lines: pd.DataFrame) -> pd.DataFrame:
    """Step 3: of errors.private_lines_of."""
    return lines.assign(x=HOURS.from_unit(lines["x"]), y=SCORE.from_unit(lines["y"]))


def odds_of_step(lesson: Lesson) -> pd.DataFrame:
    """Step 4: both output densities, and the odds of each outcome."""
    return odds.odds_table(odds.change(lesson).odds(SCORES), SCORE)


def errors_table(measured: pd.DataFrame) -> pd.DataFrame:
    """Steps 5 and 6: of errors.median_class or errors.over_scatters, in points."""
    return measured.assign(**{name: SCORE.scale * measured[name] for name in _SCORES})


_SCORES = ("c68", "c68_low", "c68_high", "standard_error", "noise", "gap")
_TABLES: tuple[Callable[[Lesson], pd.DataFrame], ...] = (
    lambda lesson: leaving_table(Leaving(lesson.leaver)),
    lambda lesson: pairs_table(PairwiseEstimates(person_moved(lesson))),
    lambda lesson: lines_table(errors.private_lines_of(lesson)),
    odds_of_step,
    lambda lesson: errors_table(errors.median_class(lesson)),
    lambda lesson: errors_table(errors.over_scatters(lesson)),
)
