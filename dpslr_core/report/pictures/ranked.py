"""The ranked picture of a report: a row per algorithm under the headings of what they promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from .drawing import GREEN, GRID, INK, SHADE, SMALL, Box, Dot, Drawing, Line, Mark, Tick, Words, tick_labels

TOP, GROUP, ROW, ROW_OF_TWO_LINES, BOTTOM = 20, 22, 19, 34, 54  # pixels
NAMES, EDGE = 172, 24  # beside the plot: the names of rows, and half of the last tick's label


@dataclass(frozen=True)
class Row:
    """An algorithm with C(68) and C(95) in standard errors; words in their place where there is nothing to draw."""

    name: str
    promise: str
    color: str
    ratio: float
    ratio95: float
    words: str


@dataclass(frozen=True)
class Picture:
    """Rows, the best of each promise first, on a logarithmic axis.

    span: the ends of the axis in standard errors. ticks: places on it, each with what is written there in standard
    errors and in the user's units. region: the name of what lies below 1. axis: its title.
    """

    rows: tuple[Row, ...]
    span: tuple[float, float]
    ticks: tuple[Tick, ...]
    region: str
    axis: str

    def drawing(self, width: float, beside: bool = True) -> Drawing:
        """The picture this wide, in pixels; the names beside their rows, or above them where there is no room."""
        left = NAMES if beside else EDGE / 2
        names = 0 if beside else left + 5
        inner = width - left - EDGE

        def place(ratio: float) -> float:
            low, high = self.span
            return left + inner * log(min(max(ratio, low), high) / low) / log(high / low)

        marks: list[Mark] = []
        y = float(TOP)
        for before, row in zip((None, *self.rows), self.rows, strict=False):
            if before is None or before.promise != row.promise:
                marks.append(Words(names, y + 15, row.promise, bold=True))
                y += GROUP
            marks.append(Words(names, y + 14, row.name))
            y += ROW if beside else ROW_OF_TWO_LINES
            marks += _row(row, place, y - ROW / 2)
        at = {ratio: place(ratio) for ratio, *_ in self.ticks}
        behind: list[Mark] = [
            Box(left, 0, place(1) - left, y, SHADE),
            *(Line(x, TOP, x, y, INK if ratio == 1 else GRID, 1.2 if ratio == 1 else 0.7) for ratio, x in at.items()),
            Words(left + 5, 14, self.region, GREEN, SMALL),
        ]
        below = [*tick_labels(self.ticks, at, y), Words(left + inner / 2, y + 48, self.axis, size=SMALL, centred=True)]
        return Drawing(width, y + BOTTOM, (*behind, *marks, *below))


def _row(row: Row, place: Callable[[float], float], y: float) -> list[Mark]:
    """C(68) as a dot and C(95) as the end of a line; words in their place, above 1 unless there is no noise."""
    if row.words:
        return [Words(place(0 if row.ratio == 0 else 1) + 5, y + 4, row.words, size=SMALL)]
    x68, x95 = place(row.ratio), place(row.ratio95)
    return [Line(x68, y, x95, y, row.color, 2.2), Dot(x68, y, row.color)]
