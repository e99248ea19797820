"""Intervals of DeepestLine that earlier versions released at a budget of their own: verified, and drawn no more."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..dataset import Dataset
from ..intervals import Target
from ..laws.base import Law
from ..support.types import Integers
from .base import Answer, Interval, Step, decimal
from .chosen import Lines

NOT_RELEASED = (
    "intervals that cost a budget of their own are no longer released; plan a release of "
    "CenteredStats, which carries intervals at no further cost"
)


class DepthIntervals(Lines):
    """Two ends of an interval at each point, each chosen among ``side`` cells with scores of sensitivity 2."""

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(
            Step(f"{end} end of the interval at x = {float(at):g}", "select", self.side, 2)
            for at in self.at
            for end in ("lower", "upper")
        )

    def edges(self, at: Fraction) -> list[Fraction]:
        """Compute the ends of the cells of predictions at a point, lowest first."""
        lower, upper = decimal(self.mechanism.lower), decimal(self.mechanism.upper)
        half = (abs(Fraction(3, 4) - at) + abs(at - Fraction(1, 4))) * (upper - lower)
        middle = (lower + upper) / 2
        return [
            middle + half * Fraction(2 * j - self.side, self.side) for j in range(self.side + 1)
        ]

    def scores(self, x: Integers, y: Integers) -> list[Integers]:
        raise ValueError(NOT_RELEASED)

    def answer(self, integers: Sequence[Sequence[int]], intervals: bool = True) -> Answer:
        chosen, found = self.indices(integers), list[Interval]()
        for number, at in enumerate(self.at):
            edges, (lower, upper) = self.edges(at), chosen[2 * number : 2 * number + 2]
            low, high = sorted((edges[self.side - 1 - lower], edges[1 + upper]))
            low_end, high_end = low if low > edges[0] else None, high if high < edges[-1] else None
            found.append(Interval(Target.TRUE_LINE, at, low_end, high_end, self.level))
        return Answer(intervals=tuple(found))

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        return (None,) * len(self.points)
