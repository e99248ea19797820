"""Settings of the lesson as one value that stands in the link, and the lesson's people: ten, or a simulated class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import log
from typing import Any

import numpy as np

from ..dataset import Dataset
from ..mechanisms import DeepestLine, DPExpTheilSen, NoisyStats
from ..mechanisms.base import Mechanism
from ..sources.axis import Axis
from ..sources.linear import LinearModel
from ..support import validate

HOURS = Axis("practice", "hours", 0, 20)
SCORE = Axis("score", "points", 0, 100)
POINT = 0.75  # where the lesson predicts: 15 hours
AT = (POINT, 0.25)  # a line is released by its heights at 15 and at 5 hours

# Invented: hours of practice in a week and points in a test.
TEN = (
    (2, 28),
    (4, 35),
    (5, 30),
    (7, 42),
    (8, 37),
    (10, 48),
    (11, 55),
    (13, 52),
    (14, 61),
    (19, 47),
)

# The three ideas: noise on the sums of OLS, a draw near the median of pairwise lines, a draw near the deepest line.
ALGORITHMS: tuple[Mechanism, ...] = (NoisyStats(), DPExpTheilSen(), DeepestLine())

MOST = 1000  # students in a simulated class
_SLOPE, _INTERCEPT, _VAR_X = 0.5, 0.2, 0.03  # 2.5 points an hour, 20 points without practice

# Names of the steps, as links have them.
STEPS = ("leaves", "worst", "median", "noise", "promise", "people", "choice")
TOTAL = 16  # epsilon of all releases of the class together, in step "noise"
EPSILONS = (
    0.063, 0.08, 0.1, 0.125, 0.16, 0.2, 0.25, 0.32, 0.4, 0.5, 0.63, 0.8, 1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3,
    8.0, 10.0, 12.5, 16.0,
)  # fmt: skip
TABLED = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # budgets of the stored errors of many classes
SIZES = (20, 30, 50, 100, 150, 200, 300, 500, MOST)
SCATTERS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)  # points
# Allowed values of each setting: a list, or the numbers between the bounds of an axis.
CHOICES: dict[str, tuple[float, ...]] = {
    "leaver": tuple(range(len(TEN) + 1)),
    "person": tuple(range(1, len(TEN) + 1)),
    "class_epsilon": EPSILONS,
    "students": SIZES,
    "scatter": SCATTERS,
    "released": tuple(range(int(TOTAL / EPSILONS[0]) + 1)),
    "ten_number": tuple(range(1, 100)),
}
AXES = {"person_x": HOURS, "person_y": SCORE}


@dataclass(frozen=True)
class Lesson:
    """Step of the lesson, and the settings of all steps.

    Parameters
    ----------
    step : str
        A name in STEPS.
    leaver : int
        Person who leaves in step "leaves", from 1; 0 for nobody.
    person : int
        Person who is moved in steps "worst", "median" and "promise", from 1.
    person_x, person_y : float, optional
        Hours and points to which the person is moved; by default the person's own.
    class_epsilon : float
        Privacy budget of one release, in steps "noise" to "choice"; the last two use the nearest budget of TABLED.
    students : int
        Size of the class in steps "noise", "people" and "choice".
    scatter : float
        Standard deviation of the scores about the line in the class, in points.
    released : int
        Number of releases so far in step "noise"; no more are drawn than TOTAL pays for.
    ten_number : int
        Number of the ten releases that are guessed at in step "promise".

    Raises
    ------
    ValueError
        If a field has a value that is not allowed; the message names the field.
    """

    step: str = STEPS[0]
    leaver: int = 0
    person: int = len(TEN)
    person_x: float | None = None
    person_y: float | None = None
    class_epsilon: float = 2.0
    students: int = 300
    scatter: float = 10.0
    released: int = 0
    ten_number: int = 1

    def __post_init__(self) -> None:
        for name, choices in {"step": STEPS, **CHOICES}.items():
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name} must be one of {list(choices)}, got {getattr(self, name)!r}"
                )
        for name, axis in AXES.items():
            value = getattr(self, name)
            if value is not None and not axis.lower <= value <= axis.upper:
                raise ValueError(f"{name} must lie in [{axis.lower}, {axis.upper}], got {value!r}")

    @property
    def number(self) -> int:
        """Number of the step, from 1."""
        return STEPS.index(self.step) + 1

    @property
    def tabled_epsilon(self) -> float:
        """Budget of TABLED that is nearest to the lesson's in ratio, for steps "people" and "choice"."""
        return min(TABLED, key=lambda epsilon: abs(log(epsilon / self.class_epsilon)))

    @property
    def affordable(self) -> int:
        """Number of releases at `class_epsilon` that TOTAL pays for."""
        return int(TOTAL / self.class_epsilon + 1e-9)

    @property
    def drawn(self) -> int:
        """Number of releases so far, at most `affordable`."""
        return min(self.released, self.affordable)

    def to_query(self) -> dict[str, str]:
        """Return the settings that differ from their usual values, as texts for a link, by name."""
        texts = {f.name: written(f.name, getattr(self, f.name)) for f in fields(self)}
        return {name: text for name, text in texts.items() if text}


def allowed(name: str, text: str) -> Any:
    """Convert the text of a setting to its value; ValueError if it is not allowed."""
    value: Any = text if name == "step" else float(text)
    Lesson(**{name: value})
    return int(value) if isinstance(getattr(Lesson, name), int) else value


def written(name: str, value: Any) -> str:
    """Return the text of a setting in a link, empty for the usual value."""
    if value == getattr(Lesson, name):
        return ""
    return value if isinstance(value, str) else repr(value).removesuffix(".0")


def ten_people() -> Dataset:
    """Return the records of the ten people in the unit square, person 1 first."""
    hours, points = np.array(TEN, dtype=float).T
    return Dataset(HOURS.to_unit(hours), SCORE.to_unit(points))


def students(count: int, scatter: float, number: int = 0) -> Dataset:
    """Return the first students of a simulated class of MOST; larger classes hold the smaller ones.

    Parameters
    ----------
    count : int
        Number of students, 3 to MOST.
    scatter : float
        Standard deviation of the scores about the line, in points.
    number : int
        Number of the class, from 0; all classes of one scatter are draws from one model.

    Raises
    ------
    ValueError
        If count, scatter or number is not allowed.
    """
    if not 3 <= count <= MOST:
        raise ValueError(f"count must be 3 to {MOST}, got {count}")
    validate.non_negative(scatter=scatter)
    validate.integer(0, number=number)
    model = LinearModel(MOST, _VAR_X, (scatter / SCORE.scale) ** 2, _SLOPE, _INTERCEPT)
    everyone = model.simulate(np.random.default_rng(number))
    return Dataset(everyone.x[:count], everyone.y[:count])


def class_of(lesson: Lesson) -> Dataset:
    """Return the simulated class of the lesson's size and scatter."""
    return students(lesson.students, lesson.scatter)
