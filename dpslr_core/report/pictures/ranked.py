"""The ranked picture of a report: a row per algorithm under the headings of what they promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isnan, log, nan

from .drawing import GREEN, GRID, INK, SHADE, SMALL, Box, Dot, Drawing, Line, Mark, Tick, Words, tick_labels

TOP, GROUP, ROW, ROW_OF_TWO_LINES, BOTTOM = 20, 22, 19, 34, 54  # pixels
BAR = 8  # pixels, the height of a bar
NAMES, EDGE = 172, 24  # beside the plot: the names of rows, and half of the last tick's label


@dataclass(frozen=True)
class Row:
    """An algorithm with C(68), C(95), noise and gap in standard errors; words where there is nothing to draw."""

    name: str
    promise: str
    color: str
    ratio: float
    ratio95: float
    words: str
    noise: float = nan
    gap: float = nan


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
    """A bar of noise and gap up to C(68), a dot, and C(95) as the end of a line; or words, above 1 unless all is 0."""
    if row.words:
        return [Words(place(0 if row.ratio == 0 else 1) + 5, y + 4, row.words, size=SMALL)]
    x68, x95 = place(row.ratio), place(row.ratio95)
    return [*_bar(row, place, y), Line(x68, y, x95, y, row.color, 2.2), Dot(x68, y, row.color)]


def _bar(row: Row, place: Callable[[float], float], y: float) -> Iterator[Mark]:
    """Up to C(68): filled as far as noise alone goes, hollow beyond it; and a tick at the gap."""
    if isnan(row.noise):
        return
    start, filled, end, top, bottom = place(0), place(row.noise), place(row.ratio), y - BAR / 2, y + BAR / 2
    yield Box(start, top, filled - start, BAR, _pale(row.color))
    if end - filled > 1:
        yield Line(filled, top, end, top, row.color, 1)
        yield Line(filled, bottom, end, bottom, row.color, 1)
        yield Line(filled, top, filled, bottom, row.color, 1)
    if row.gap > 0 and (tick := place(row.gap)) > start:
        yield Line(tick, y - BAR, tick, y + BAR, row.color, 1.8)


def _pale(color: str) -> str:
    """A colour mixed with more than half of white."""
    parts = [int(color[start : start + 2], 16) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - 0.45 * (255 - part)):02x}" for part in parts)
