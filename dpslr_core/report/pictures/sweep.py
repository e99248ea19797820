"""The picture of a sweep: the error of every algorithm along one parameter, each curve named at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, log

import pandas as pd

from ...charts.base import error_range
from ...charts.rows import round_ticks
from ...charts.styles import style
from ...experiments.sweep.crossings import LINEAR
from ...support.amounts import format_amount
from .drawing import GRID, INK, SMALL, Dot, Drawing, Line, Mark, Words

TOP, HEIGHT, BOTTOM, LEFT, NAMES = 26, 340, 50, 56, 190  # pixels about the plot, and of it; NAMES: right of it
APART, MOST_TICKS = 14, 9  # pixels between two names; values that are written


@dataclass(frozen=True)
class Scale:
    """Places in pixels, from start to end, of values between low and high; logarithmic unless it is linear."""

    low: float
    high: float
    start: float
    end: float
    linear: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value; one beyond an end is at that end."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        inside = min(max(value, self.low), self.high)
        if self.linear:
            share = (inside - self.low) / (self.high - self.low)
        else:
            share = log(inside / self.low) / log(self.high / self.low)
        return self.start + share * (self.end - self.start)


@dataclass(frozen=True)
class SweepCurve:
    """An algorithm and its mean error in standard errors at each value, infinite where too many releases fail."""

    name: str
    color: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class SweepPicture:
    """Curves over the parameter; span: the ends of the axis of errors; axis, error: titles of both."""

    curves: tuple[SweepCurve, ...]
    linear: bool
    span: tuple[float, float]
    axis: str
    error: str

    def drawing(self, width: float, beside: bool = True) -> Drawing:
        """The picture this wide, in pixels; the names right of the curves, or none where there is no room."""
        values = sorted({value for curve in self.curves for value, _ in curve.points})
        right, bottom = width - (NAMES if beside else 20), float(TOP + HEIGHT)
        across = Scale(values[0], values[-1], LEFT, right, self.linear or values[0] <= 0)
        up = Scale(*self.span, bottom, TOP)
        marks = [
            Words(0, 14, self.error, size=SMALL),
            *self._grid(values, across, up),
            Words((LEFT + right) / 2, bottom + 38, self.axis, size=SMALL, centred=True),
        ]
        ends = []
        for curve in self.curves:
            places = [(across(value), up(error)) if isfinite(error) else None for value, error in curve.points]
            drawn = [place for place in places if place is not None]
            marks += [Line(*a, *b, curve.color, 2) for a, b in pairwise(places) if a is not None and b is not None]
            marks += [Dot(*place, curve.color, 3) for place in drawn]
            ends.append((drawn[-1][1] if drawn else bottom, curve))
        return Drawing(width, bottom + BOTTOM, (*marks, *(_names(ends, right + 8) if beside else ())))

    def _grid(self, values: Sequence[float], across: Scale, up: Scale) -> Iterator[Mark]:
        """Lines at round errors, the one at 1 stronger, and at the values."""
        for error in round_ticks(self.span):
            strong, y = error == 1, up(error)
            yield Line(across.start, y, across.end, y, INK if strong else GRID, 1.2 if strong else 0.7)
            yield Words(4, y + 4, format_amount(error), size=SMALL)
        step = -(-len(values) // MOST_TICKS)
        for value in values[::step]:
            yield Line(across(value), up.end, across(value), up.start, GRID, 0.5)
            yield Words(across(value), up.start + 16, format_amount(value), size=SMALL, centred=True)


def _names(ends: Sequence[tuple[float, SweepCurve]], x: float) -> Iterator[Mark]:
    """The name of each curve beside its end, moved down where it would touch the one above."""
    before = 0.0
    for end, curve in sorted(ends, key=lambda pair: pair[0]):
        before = max(end, before + APART)
        yield Words(x, before + 4, curve.name, curve.color, SMALL, bold=True)


def sweep_picture(frame: pd.DataFrame, axis: str, error: str) -> SweepPicture:
    """The picture of the frame of a sweep, its values in the units they are drawn in; axis, error: titles."""
    curves = []
    for name, rows in frame.groupby("mechanism", sort=False, observed=True):
        ordered = rows.sort_values("value")
        points = tuple(zip(ordered["value"].astype(float), ordered["mean"], strict=True))
        curves.append(SweepCurve(str(name), str(style(str(name))["color"]), points))
    linear = bool(frame["parameter"].isin(LINEAR).any())
    return SweepPicture(tuple(curves), linear, error_range(frame["mean"].to_numpy()), axis, error)
