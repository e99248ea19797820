"""What the sentences of the lesson share: its units, and one form for every step."""

from __future__ import annotations

from dataclasses import dataclass

from ...experiments.lesson.people import HOURS, POINT, SCORE
from ...sources.axis import Axis
from ..phrases import format_amount, point_on, with_unit

PLACE = f"at {point_on(HOURS, POINT)}"
TITLES = ("One leaves", "Median", "Noise", "Promise", "More people", "Choice")
ABOUT_ALGORITHMS = (
    "NoisyStats adds noise to the sums that OLS is made of. DPExpTheilSen draws near the median of all pairwise lines. "
    "DeepestLine draws a whole line near the one with equally many records above and below."
)
WHY_THESE = (
    "Three ideas, one algorithm each: noise on sums, a private median, a private line. The first is the simplest, the "
    "second is often the paper's best, the third is newer and does not split its budget."
)


@dataclass(frozen=True)
class StepText:
    """Of one step: the answer so far, the data and settings behind it, its picture in a sentence, and the question."""

    headline: str
    context: str
    picture: str
    question: str


def points(share: float) -> str:
    """A score or a distance of scores, given in the unit square: "3.2 points", "1 point"."""
    return in_points(share * SCORE.scale)


def in_points(number: float) -> str:
    """So many points."""
    text = with_unit(number, SCORE)
    return text.removesuffix("s") if text.startswith("1 ") else text


def place_of(record: tuple[float, float], x: Axis = HOURS, y: Axis = SCORE) -> str:
    """A record in the units of its axes: "(19 hours, 47 points)"."""
    return f"({with_unit(float(x.from_unit(record[0])), x, 4)}, {with_unit(float(y.from_unit(record[1])), y, 4)})"


def times(factor: float, digits: int = 3) -> str:
    """How many times something: "2.72 times"."""
    return f"{format_amount(factor, digits)} times"
