"""The picture of a report on many areas: how many of them have an error of at most so many standard errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import log

import numpy as np

from .drawing import GREEN, GRID, INK, SHADE, SMALL, Box, Dot, Drawing, Line, Mark, Tick, Words, tick_labels

TOP, LINE, HEIGHT, BOTTOM = 44, 16, 230, 54  # pixels: above, a further name there, the plot, and below
LEFT, RIGHT = 52, 24  # pixels beside the plot
MOST_DOTS, MOST_STEPS = 60, 200  # areas up to which each is a dot; steps of a curve
SHARES = (0, 0.25, 0.5, 0.75, 1)


@dataclass(frozen=True)
class Curve:
    """An algorithm and C(68) in standard errors of each area in which it answers often enough, the smallest first."""

    name: str
    color: str
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class AreaPicture:
    """Curves over a logarithmic axis of errors; areas: how many there are. The rest as in Picture."""

    curves: tuple[Curve, ...]
    areas: int
    span: tuple[float, float]
    ticks: tuple[Tick, ...]
    region: str
    axis: str

    def drawing(self, width: float, beside: bool = True) -> Drawing:
        """The picture this wide, in pixels; the names of the curves above it, one below the other where narrow."""
        top = float(TOP if beside else TOP + LINE * (len(self.curves) - 1))
        plot = _Plot(top, width - LEFT - RIGHT, self.span, self.areas)
        at = {ratio: plot.across(ratio) for ratio, *_ in self.ticks}
        marks = [
            Box(LEFT, top, plot.across(1) - LEFT, HEIGHT, SHADE),
            *(Line(x, top, x, plot.bottom, INK if r == 1 else GRID, 1.2 if r == 1 else 0.7) for r, x in at.items()),
            Words(LEFT + 5, top + 14, self.region, GREEN, SMALL),
            *plot.counts(),
            *(mark for place, curve in enumerate(self.curves) for mark in self._named(curve, place, plot, beside)),
            *tick_labels(self.ticks, at, plot.bottom),
            Words(LEFT + plot.inner / 2, plot.bottom + 48, self.axis, size=SMALL, centred=True),
        ]
        return Drawing(width, plot.bottom + BOTTOM, tuple(marks))

    def _named(self, curve: Curve, place: int, plot: _Plot, beside: bool) -> Iterator[Mark]:
        """The curve and its name."""
        x, y = (LEFT + place * plot.inner / len(self.curves), LINE) if beside else (LEFT, LINE * (place + 1))
        yield Line(x, y - 4, x + 22, y - 4, curve.color, 3)
        yield Words(x + 28, y, curve.name, bold=True)
        yield from plot.steps(curve)


@dataclass(frozen=True)
class _Plot:
    """Places in the plot, whose upper edge and width are given."""

    top: float
    inner: float
    span: tuple[float, float]
    areas: int

    @property
    def bottom(self) -> float:
        return self.top + HEIGHT

    def across(self, ratio: float) -> float:
        low, high = self.span
        return LEFT + self.inner * log(min(max(ratio, low), high) / low) / log(high / low)

    def up(self, areas: float) -> float:
        return self.bottom - HEIGHT * areas / self.areas

    def counts(self) -> Iterator[Mark]:
        """Lines across, with the number of areas that they stand for."""
        yield Words(0, self.top - 12, "areas with at most this error", size=SMALL)
        for share in SHARES:
            y = self.up(share * self.areas)
            yield Line(LEFT, y, LEFT + self.inner, y, GRID, 0.5)
            yield Words(LEFT / 2, y + 4, f"{round(share * self.areas):,}", size=SMALL, centred=True)

    def steps(self, curve: Curve) -> Iterator[Mark]:
        """The curve as steps, with a dot for each area where they are few."""
        known = len(curve.ratios)
        places = np.linspace(0, known - 1, min(known, MOST_STEPS)).round().astype(int)
        points = [(self.across(curve.ratios[place]), self.up(place + 1)) for place in places.tolist()]
        for (x1, y1), (x2, y2) in pairwise(points):
            yield Line(x1, y1, x2, y1, curve.color, 2)
            yield Line(x2, y1, x2, y2, curve.color, 2)
        if known <= MOST_DOTS:
            yield from (Dot(x, y, curve.color, 2.5) for x, y in points)
