"""A plot with two even axes: its frame, and curves that end where they leave it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10

import numpy as np

from ...support.amounts import format_amount
from .drawing import GRID, SMALL, Line, Mark, Words

LEFT, RIGHT, AXES = 56, 14, 46  # pixels beside a plot, and below it
TICKS = 6  # of an axis, about


@dataclass(frozen=True)
class Curve:
    """Points in the units of the axes, joined in their order; those that are no numbers leave a gap."""

    name: str
    color: str
    width: float
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Plot:
    """spans: the ends of both axes. width: of the canvas; height, top: of the plot; in pixels."""

    spans: tuple[tuple[float, float], tuple[float, float]]
    width: float
    height: float
    top: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """In pixels."""
        (left, right), (low, high) = self.spans
        across = LEFT + (x - left) / (right - left) * (self.width - LEFT - RIGHT)
        return float(across), float(self.top + (high - y) / (high - low) * self.height)

    def inside(self, x: float, y: float) -> bool:
        """Whether a point is in the plot."""
        return all(low <= value <= high for value, (low, high) in zip((x, y), self.spans, strict=True))

    def frame(self, across: str, up: str, numbered: bool = True) -> Iterator[Mark]:
        """Lines at round values with their numbers, and the titles of both axes; numbered: on the axis that goes up."""
        left, low = (span[0] for span in self.spans)
        for value in even_ticks(self.spans[0]):
            x, _ = self.place(value, low)
            yield Line(x, self.top, x, self.top + self.height, GRID, 0.7)
            yield Words(x, self.top + self.height + 15, format_amount(value), size=SMALL, centred=True)
        for value in even_ticks(self.spans[1]) if numbered else []:
            _, y = self.place(left, value)
            yield Line(LEFT, y, self.width - RIGHT, y, GRID, 0.7)
            yield Words(4, y + 4, format_amount(value), size=SMALL)
        yield Words((LEFT + self.width - RIGHT) / 2, self.top + self.height + 36, across, size=SMALL, centred=True)
        yield Words(4, self.top - 6, up, size=SMALL)

    def curve(self, curve: Curve) -> Iterator[Mark]:
        """The parts of a curve, cut at the top and bottom of the plot."""
        for (x1, y1), (x2, y2) in pairwise(zip(curve.x.tolist(), curve.y.tolist(), strict=True)):
            if not (isfinite(y1) and isfinite(y2)):
                continue
            ends = self._cut(x1, y1, x2, y2)
            if ends is not None:
                yield Line(*self.place(*ends[0]), *self.place(*ends[1]), curve.color, curve.width)

    def _cut(self, x1: float, y1: float, x2: float, y2: float) -> list[tuple[float, float]] | None:
        """The ends of the part of a piece that is in the plot; None where there is none."""
        first, last = 0.0, 1.0
        for start, step, (low, high) in zip((x1, y1), (x2 - x1, y2 - y1), self.spans, strict=True):
            if step == 0:
                if not low <= start <= high:
                    return None
                continue
            enter, leave = sorted(((low - start) / step, (high - start) / step))
            first, last = max(first, enter), min(last, leave)
        if first > last:
            return None
        return [(x1 + share * (x2 - x1), y1 + share * (y2 - y1)) for share in (first, last)]


def even_ticks(span: tuple[float, float]) -> list[float]:
    """About TICKS round numbers at even steps within a span."""
    rough = (span[1] - span[0]) / TICKS
    decade = 10.0 ** floor(log10(rough))
    step = next(digit * decade for digit in (1, 2, 5, 10) if digit * decade >= rough * (1 - 1e-9))
    return [number * step for number in range(ceil(span[0] / step), floor(span[1] / step) + 1)]
