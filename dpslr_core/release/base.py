"""Programs of a release: the calls that each makes, one draw, and the answer that follows from it."""

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

FINEST = 10_000  # cells of the records' grid at most
LEAST, MOST = 2.0**-20, 2.0**20  # of epsilon or rho
WIDEST = 2**63  # in size of a released integer, which the library holds in 64 bits
_DIGITS = 10  # decimals of the ends of intervals, which come from floats

Private = Callable[[Sequence[Sequence[int]]], Sequence[int] | Integers]


@dataclass(frozen=True)
class Interval:
    """An interval that follows from what was released; None for an end that the release does not say.

    target: what it is for. at: the point. level: the share that should hold it.
    """

    target: Target
    at: Fraction
    low: Fraction | None
    high: Fraction | None
    level: float


@dataclass(frozen=True)
class Answer:
    """Exact numbers that follow from released integers, in the unit square.

    predictions: at the points of the program; None where the release has no answer.
    intercept, slope: of the line, where the release gives one at every x.
    residual_variance: sigma_e^2. nvar: n var(x). None where the mechanism does not tell them.
    intervals: of each point the confidence interval, then the privacy interval.
    remark: what a reader must know of this answer; empty where there is nothing.
    """

    predictions: tuple[Fraction | None, ...] = ()
    intercept: Fraction | None = None
    slope: Fraction | None = None
    residual_variance: Fraction | None = None
    nvar: Fraction | None = None
    intervals: tuple[Interval, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Step:
    """One private draw of a program: public, and fixed before any record is read.

    label: what is drawn. kind: noise on integers, or the choice of one index. count: of the integers that go in.
    sensitivity: of these integers, replace one record, in the draw's own norm. weight: of its share of the guarantee
    among those of all steps.
    """

    label: str
    kind: Literal["noisy", "select"]
    count: int
    sensitivity: int
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class Program(ABC):
    """A release as integer arithmetic and private draws of the library; all that is a field is public.

    mechanism: the algorithm with its hyperparameters. guarantee: of the whole release.
    points: at which it predicts, in the unit square. grid: number K of cells that the unit interval is divided into;
    a record is two whole numbers 0, ..., K. n: number of records, public. level: of the intervals that follow.

    Two data sets are neighbours if one record is replaced. ``draw`` reads the records, and nothing but its private
    draws depends on them: arguments, the number of draws and every refusal follow from the fields.
    """

    mechanism: Mechanism
    guarantee: PureDP | ZCDP
    points: tuple[float, ...]
    n: int
    grid: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what cannot be, by public numbers alone."""
        if self.n * self.largest_term > LARGEST:
            raise ValueError(
                f"n and grid must give sums of at most 2^53, got n = {self.n:,} and grid = "
                f"{self.grid:,}: "
                "a coarser grid makes them smaller"
            )
        for step in self.steps:
            if step.sensitivity > LARGEST:
                raise ValueError(
                    f"n and grid must give sensitivities of at most 2^53, got {step.sensitivity:,}"
                )

    @property
    @abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """The draws that the program makes, in order."""

    @property
    @abstractmethod
    def largest_term(self) -> int:
        """What one record adds to the size of any integer that goes into a draw, at most."""

    @property
    def drawn_from(self) -> str:
        """What a release chooses among, in words."""
        return "whole numbers"

    @property
    def at(self) -> tuple[Fraction, ...]:
        """The points as they are written in decimals."""
        return tuple(decimal(point) for point in self.points)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Of each draw its share of the guarantee; they add up to 1."""
        total = sum((step.weight for step in self.steps), Fraction(0))
        return tuple(step.weight / total for step in self.steps)

    @cached_property
    def parts(self) -> tuple[PureDP | ZCDP, ...]:
        """Of each draw what it may cost, as floats that add up to the guarantee or, as exact fractions, to less."""
        whole = Fraction(amount(self.guarantee))
        return tuple(type(self.guarantee)(float_below(whole * share)) for share in self.shares)

    @cached_property
    def _drawn_by(self) -> tuple[Measurement, ...]:
        """The library's measurements; their maps add up to the guarantee or less, as exact fractions."""
        make = {"noisy": library.noise, "select": library.choice}
        steps = zip(self.steps, self.parts, strict=True)
        made = tuple(make[step.kind](step.count, step.sensitivity, part) for step, part in steps)
        if sum(each.opendp_map for each in made) > Fraction(amount(self.guarantee)):
            raise ValueError(
                f"guarantee must cover the library's maps of all draws, got {self.guarantee}"
            )
        return made

    @property
    def epsilon(self) -> float:
        """The epsilon of the mechanism with this guarantee: rho = epsilon^2 / 2."""
        return (
            amount(self.guarantee)
            if isinstance(self.guarantee, PureDP)
            else math.sqrt(2 * amount(self.guarantee))
        )

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The draws with what the library says that they cost; ImportError where the library is not installed."""
        made = enumerate(self._drawn_by)
        return [
            self.call(number, each.opendp_map, json.loads(each.serialized)) for number, each in made
        ]

    def call(
        self, number: int, opendp_map: Fraction, measurement: Mapping[str, Any]
    ) -> dict[str, Any]:
        """One draw as certificates hold it.

        number: of the draw, from 0. opendp_map: what it costs as the library says. measurement: as the library
        serialises it.
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
        """The scale of the noise, or of the choice, of one draw in its own integers."""
        step, part = self.steps[number], self.parts[number]
        if isinstance(part, PureDP):
            return (1 if step.kind == "noisy" else 2) * step.sensitivity / part.epsilon
        return step.sensitivity / math.sqrt(2 * part.rho)

    def draw(self, x: Sequence[int], y: Sequence[int]) -> list[list[int]]:
        """One release, of each draw the integers that the library returned. It reads the records once.

        x, y: whole numbers 0, ..., grid, shape (n,), as ``to_grid`` makes them; others are moved to the nearest.
        ValueError where their number is not n, which is public.
        """
        drawn_by = (
            self._drawn_by
        )  # made and compared with the promise before the records are looked at
        if len(x) != self.n or len(y) != self.n:
            raise ValueError(
                f"x and y must have n = {self.n} records each, got {len(x)} and {len(y)}"
            )
        integers, released = self.private(*self.kept(x, y)), list[list[int]]()
        for made in drawn_by:
            values = made.draw([min(max(int(v), -LARGEST), LARGEST) for v in integers(released)])
            if any(type(value) is not int for value in values):
                raise TypeError("a release must be whole numbers: nothing was released")
            released.append(values)
        return released

    def kept(self, x: Sequence[int], y: Sequence[int]) -> tuple[Integers, Integers]:
        """The records moved into 0, ..., grid."""
        kept_x, kept_y = (
            np.array([min(max(int(v), 0), self.grid) for v in column]) for column in (x, y)
        )
        return kept_x, kept_y

    @abstractmethod
    def private(self, x: Integers, y: Integers) -> Private:
        """The integers that go into each draw, as a function of what the draws before it have released.

        x, y: whole numbers 0, ..., grid, shape (n,).
        """

    @abstractmethod
    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        """What follows from released integers, of each call a list; a function of these and of public numbers alone.

        intervals: whether they are wanted; they take longer than all else.
        ValueError where the lists are not as long as those of the calls.
        """

    @abstractmethod
    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        """The law of the released prediction at each point, for records of the unit square; None where none is known.

        It is the law of what is drawn here: of permute-and-flip for a choice with a pure guarantee.
        """

    def on_grid(self, data: Dataset) -> tuple[Integers, Integers]:
        """The records as whole numbers 0, ..., grid."""
        x, y = (np.array(to_grid(column, self.grid), dtype=np.int64) for column in (data.x, data.y))
        return x, y

    def as_drawn(self, data: Dataset) -> Dataset:
        """The records as the release sees them, in the unit square."""
        x, y = self.on_grid(data)
        return Dataset(x / self.grid, y / self.grid)

    def must_be_released(self, integers: Sequence[Sequence[int]], *lengths: int) -> None:
        """ValueError where the lists are not as long as those of the calls, or hold what the library never returns."""
        if [len(part) for part in integers] != list(lengths):
            raise ValueError(
                f"integers must be lists of {list(lengths)}, got {[len(part) for part in integers]}"
            )
        for value in (value for part in integers for value in part):
            if type(value) is not int or not -WIDEST <= value < WIDEST:
                raise ValueError(f"integers must be whole numbers of 64 bits, got {value!r}")

    def intervals_of(self, release: Any) -> tuple[Interval, ...]:
        """Of each point the confidence interval and the privacy interval that follow from released statistics."""
        kinds = [
            confidence_interval(release, self.points, self.level),
            privacy_interval(release, self.points, self.level),
        ]
        return tuple(
            ends_of(intervals, place, at) for place, at in enumerate(self.at) for intervals in kinds
        )


def ends_of(intervals: Intervals, place: int, at: Fraction) -> Interval:
    """One interval of the first release with its ends in decimals."""
    low, high = (
        Fraction(f"{end[0, place]:.{_DIGITS}f}") if math.isfinite(end[0, place]) else None
        for end in (intervals.low, intervals.high)
    )
    return Interval(intervals.target, at, low, high, intervals.level)


def decimal(value: float) -> Fraction:
    """The number that is written: 0.1 is 1/10."""
    return Fraction(repr(float(value)))


def float_below(value: Fraction) -> float:
    """The largest float that is at most this number."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def to_grid(values: Sequence[float] | np.ndarray, grid: int) -> list[int]:
    """Whole numbers 0, ..., grid of values in the unit interval; each depends on its own value alone.

    Values outside are moved to the nearest end; what is not a number counts as the middle, so that no value is refused.
    """
    inside = np.clip(
        np.nan_to_num(np.asarray(values, dtype=float), nan=0.5, posinf=1.0, neginf=0.0), 0, 1
    )
    return [int(v) for v in np.rint(inside * grid)]
