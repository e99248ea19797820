"""Lines, dots, boxes and words with places in pixels: what each of the renderers can draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

INK, GRID, SHADE, GREEN = "#1b1b1f", "#d5d5da", "#dceee4", "#1f7a4d"
SMALL, CHARACTER = 11.0, 6.2  # pixels, of small text and of one of its letters
Tick = tuple[float, str, str]  # a place on an axis of errors, and what is written there in two lines


@dataclass(frozen=True)
class Line:
    """From (x1, y1) to (x2, y2)."""

    x1: float
    y1: float
    x2: float
    y2: float
    color: str
    width: float


@dataclass(frozen=True)
class Dot:
    """About (x, y)."""

    x: float
    y: float
    color: str
    radius: float = 4.5


@dataclass(frozen=True)
class Box:
    """With its upper left corner at (x, y)."""

    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True)
class Words:
    """On a base line that begins at (x, y), or has its middle there."""

    x: float
    y: float
    text: str
    color: str = INK
    size: float = 12.0
    bold: bool = False
    centred: bool = False


Mark = Line | Dot | Box | Words


@dataclass(frozen=True)
class Drawing:
    """Marks in the order they are drawn in, on a canvas of this many pixels."""

    width: float
    height: float
    marks: tuple[Mark, ...]


class Drawable(Protocol):
    """A picture of a report."""

    def drawing(self, width: float, beside: bool = True) -> Drawing:
        """The picture this wide, in pixels; beside: whether there is room for names beside what they name."""


def tick_labels(ticks: Iterable[Tick], at: dict[float, float], y: float) -> Iterator[Mark]:
    """What is written at the ticks, that at 1 first; what would touch a label that stands already is left out."""
    taken: list[tuple[float, float]] = []
    for ratio, *labels in sorted(ticks, key=lambda tick: tick[0] != 1):
        half = CHARACTER * max(map(len, labels)) / 2 + 3
        if any(abs(at[ratio] - x) < half + other for x, other in taken):
            continue
        taken.append((at[ratio], half))
        for line, text in enumerate(labels):
            yield Words(at[ratio], y + 14 * line + 15, text, size=SMALL, centred=True)
