"""Programs of a release: their private draws, and the answer that follows from the released integers."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..dataset import Dataset
from ..intervals import Intervals, Target, confidence_interval, privacy_interval
from ..laws.base import Law
from ..mechanisms import Mechanism
from ..privacy import ZCDP, PureDP
from ..support.types import Integers
from . import library
from .library import LARGEST, Measurement, amount

FINEST = 10_000  # most cells of the records' grid
LEAST, MOST = 2.0**-20, 2.0**20  # range of epsilon or rho
WIDEST = 2**63  # the library holds released integers in 64 bits
_DIGITS = 10  # decimals kept of the ends of intervals, which come from floats

Private = Callable[[Sequence[Sequence[int]]], Sequence[int] | Integers]


@dataclass(frozen=True)
class Interval:
    """Interval that follows from a release, in the unit square; None for an end that the release does not tell.

    Attributes
    ----------
    target : Target
        Quantity that the interval is for.
    at : Fraction
        Point x of the prediction.
    level : float
        Share of such intervals that hold the target.
    """

    target: Target
    at: Fraction
    low: Fraction | None
    high: Fraction | None
    level: float


@dataclass(frozen=True)
class Answer:
    """Exact numbers that follow from released integers, in the unit square.

    Attributes
    ----------
    predictions : tuple of Fraction or None
        Predictions at the points of the program; None where the release has no answer.
    intercept, slope : Fraction or None
        The line, where the release gives a prediction at every x.
    residual_variance : Fraction or None
        sigma_e^2; None where the mechanism does not tell it.
    intervals : tuple of Interval
        For each point the confidence interval, then the privacy interval.
    remark : str
        Sentence that a reader of the answer must know; empty where there is none.
    """

    predictions: tuple[Fraction | None, ...] = ()
    intercept: Fraction | None = None
    slope: Fraction | None = None
    residual_variance: Fraction | None = None
    intervals: tuple[Interval, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Step:
    """Private draw of a program: public, and fixed before any record is read.

    Attributes
    ----------
    label : str
        Name of the released quantity.
    kind : {"noisy", "select"}
        Noise on integers, or the choice of an index.
    count, sensitivity : int
        Number of the integers that go in, and their sensitivity in the draw's own norm, if a record is replaced.
    weight : Fraction
        Weight of the draw's share of the guarantee among all steps.
    """

    label: str
    kind: Literal["noisy", "select"]
    count: int
    sensitivity: int
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class Program(ABC):
    """Release as integer arithmetic and private draws of the library; every field is public.

    Two data sets are neighbours if one record is replaced. `draw` reads the records, and nothing but its private
    draws depends on them: arguments, the number of draws and every refusal follow from the fields.

    Parameters
    ----------
    mechanism : Mechanism
        Algorithm with its hyperparameters.
    guarantee : PureDP or ZCDP
        Guarantee of the whole release.
    points : tuple of float
        Points of the predictions, in the unit square.
    n : int
        Number of records, public.
    grid : int
        Number K of cells that the unit interval is divided into; a record is two whole numbers 0, ..., K.
    level : float
        Level of the intervals.
    """

    mechanism: Mechanism
    guarantee: PureDP | ZCDP
    points: tuple[float, ...]
    n: int
    grid: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse fields that cannot be, by public numbers alone."""
        if self.n * self.largest_term > LARGEST:
            raise ValueError(
                f"n and grid must give sums of at most 2^53, got n = {self.n:,} and grid = "
                f"{self.grid:,}: a coarser grid makes them smaller"
            )
        for step in self.steps:
            if step.sensitivity > LARGEST:
                raise ValueError(
                    f"n and grid must give sensitivities of at most 2^53, got {step.sensitivity:,}"
                )

    @property
    @abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """Draws that the program makes, in order."""

    @property
    @abstractmethod
    def largest_term(self) -> int:
        """Upper bound on the size that a record adds to any integer that goes into a draw."""

    @property
    def drawn_from(self) -> str:
        """Set that a release chooses from, in words."""
        return "whole numbers"

    @property
    def at(self) -> tuple[Fraction, ...]:
        """Points of the predictions, exactly as they are written in decimals."""
        return tuple(decimal(point) for point in self.points)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Shares of the draws in the guarantee, which add up to 1."""
        total = sum((step.weight for step in self.steps), Fraction(0))
        return tuple(step.weight / total for step in self.steps)

    @cached_property
    def parts(self) -> tuple[PureDP | ZCDP, ...]:
        """Guarantees of the draws; their amounts are floats whose exact sum is at most the guarantee."""
        total = Fraction(amount(self.guarantee))
        return tuple(type(self.guarantee)(float_below(total * share)) for share in self.shares)

    @cached_property
    def _drawn_by(self) -> tuple[Measurement, ...]:
        """Measurements of the library, whose privacy maps add up, as exact fractions, to the guarantee or less."""
        make = {"noisy": library.noise, "select": library.choice}
        steps = zip(self.steps, self.parts, strict=True)
        measurements = tuple(
            make[step.kind](step.count, step.sensitivity, cost) for step, cost in steps
        )
        total = sum(measurement.opendp_map for measurement in measurements)
        if total > Fraction(amount(self.guarantee)):
            raise ValueError(
                f"guarantee must cover the library's maps of all draws, got {self.guarantee}"
            )
        return measurements

    @property
    def epsilon(self) -> float:
        """Epsilon of the mechanism with this guarantee; for zCDP, rho = epsilon^2 / 2."""
        return (
            amount(self.guarantee)
            if isinstance(self.guarantee, PureDP)
            else math.sqrt(2 * amount(self.guarantee))
        )

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Draws as certificates hold them, with their costs by the library; ImportError without the library."""
        numbered = enumerate(self._drawn_by)
        return [
            self.call(number, measurement.opendp_map, json.loads(measurement.serialized))
            for number, measurement in numbered
        ]

    def call(
        self, number: int, opendp_map: Fraction, measurement: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Describe a draw as certificates hold it.

        Parameters
        ----------
        number : int
            Number of the draw, from 0.
        opendp_map : Fraction
            Cost of the draw, by the library's privacy map.
        measurement : mapping
            Measurement as the library serialises it.
        """
        step = self.steps[number]
        return {
            "label": step.label,
            "kind": step.kind,
            "count": step.count,
            "sensitivity": step.sensitivity,
            "share": str(self.shares[number]),
            "opendp map": str(opendp_map),
            "measurement": measurement,
        }

    def scale(self, number: int) -> float:
        """Return the scale of the noise, or of the choice, of draw `number`, in units of its integers."""
        step, cost = self.steps[number], self.parts[number]
        if isinstance(cost, PureDP):
            return (1 if step.kind == "noisy" else 2) * step.sensitivity / cost.epsilon
        return step.sensitivity / math.sqrt(2 * cost.rho)

    def draw(self, x: Sequence[int], y: Sequence[int]) -> list[list[int]]:
        """Draw the release: for each draw the integers that the library returned. The records are read once.

        Parameters
        ----------
        x, y : sequence of int, shape (n,)
            Whole numbers 0, ..., grid, as `to_grid` makes them; others are moved to the nearest.

        Raises
        ------
        ValueError
            If their number is not n, which is public.
        """
        # Measurements are made and compared with the promise before the records are looked at.
        drawn_by = self._drawn_by
        if len(x) != self.n or len(y) != self.n:
            raise ValueError(
                f"x and y must have n = {self.n} records each, got {len(x)} and {len(y)}"
            )
        integers, released = self.private(*self.kept(x, y)), list[list[int]]()
        for measurement in drawn_by:
            values = measurement.draw(
                [min(max(int(v), -LARGEST), LARGEST) for v in integers(released)]
            )
            if any(type(value) is not int for value in values):
                raise TypeError("a release must be whole numbers: nothing was released")
            released.append(values)
        return released

    def kept(self, x: Sequence[int], y: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the records moved into 0, ..., grid."""
        kept_x, kept_y = (
            np.array([min(max(int(v), 0), self.grid) for v in column]) for column in (x, y)
        )
        return kept_x, kept_y

    @abstractmethod
    def private(self, x: Integers, y: Integers) -> Private:
        """Return a function from the integers released so far to the integers that go into the next draw.

        Parameters
        ----------
        x, y : array of int, shape (n,)
            Whole numbers 0, ..., grid.
        """

    @abstractmethod
    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        """Compute the answer from released integers and public numbers alone.

        Parameters
        ----------
        integers : sequence of sequences of int
            Released integers of each draw.

        Raises
        ------
        ValueError
            If the integers are not as many as the draws release.
        """

    @abstractmethod
    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        """Return the law of the released prediction at each point, for records of the unit square; None where unknown.

        This is the law of the integer program: of permute-and-flip for a choice with a pure guarantee.
        """

    def on_grid(self, data: Dataset) -> tuple[Integers, Integers]:
        """Return x and y of the records as whole numbers 0, ..., grid."""
        x, y = (np.array(to_grid(column, self.grid), dtype=np.int64) for column in (data.x, data.y))
        return x, y

    def as_drawn(self, data: Dataset) -> Dataset:
        """Return the records as the release reads them, in the unit square."""
        x, y = self.on_grid(data)
        return Dataset(x / self.grid, y / self.grid)

    def must_be_released(self, integers: Sequence[Sequence[int]], *lengths: int) -> None:
        """Raise ValueError unless the lists have these lengths and hold only integers that the library can return."""
        if [len(draw) for draw in integers] != list(lengths):
            raise ValueError(
                f"integers must be lists of {list(lengths)}, got {[len(draw) for draw in integers]}"
            )
        for value in (value for draw in integers for value in draw):
            if type(value) is not int or not -WIDEST <= value < WIDEST:
                raise ValueError(f"integers must be whole numbers of 64 bits, got {value!r}")

    def intervals_of(self, release: Any) -> tuple[Interval, ...]:
        """Return the confidence and the privacy interval at each point, from released statistics."""
        kinds = [
            confidence_interval(release, self.points, self.level),
            privacy_interval(release, self.points, self.level),
        ]
        return tuple(
            ends_of(intervals, number, at)
            for number, at in enumerate(self.at)
            for intervals in kinds
        )


def ends_of(intervals: Intervals, number: int, at: Fraction) -> Interval:
    """Return the interval at a point, by its index and its x, of the first release, with ends in decimals."""
    low, high = (
        Fraction(f"{end[0, number]:.{_DIGITS}f}") if math.isfinite(end[0, number]) else None
        for end in (intervals.low, intervals.high)
    )
    return Interval(intervals.target, at, low, high, intervals.level)


def decimal(value: float) -> Fraction:
    """Return the exact number that a float is written as: 0.1 is 1/10."""
    return Fraction(repr(float(value)))


def float_below(value: Fraction) -> float:
    """Return the largest float that is at most `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def to_grid(values: Sequence[float] | np.ndarray, grid: int) -> list[int]:
    """Round values in the unit interval to whole numbers 0, ..., grid; each result depends on its own value alone.

    Values outside are moved to the nearest end; NaN becomes the middle, so that no value is refused.
    """
    inside = np.clip(
        np.nan_to_num(np.asarray(values, dtype=float), nan=0.5, posinf=1.0, neginf=0.0), 0, 1
    )
    return [int(v) for v in np.rint(inside * grid)]
