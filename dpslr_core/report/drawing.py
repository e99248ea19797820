"""Lines, dots, boxes and words with places in pixels: what each of the renderers can draw."""

from __future__ import annotations

from dataclasses import dataclass

INK = "#1b1b1f"


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
