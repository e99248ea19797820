"""A drawing as SVG, inside a page of HTML or as a file: nothing in it runs, nothing is fetched."""

from __future__ import annotations

from html import escape

from ...support.legible import legible
from .drawing import Box, Dot, Drawing, Line, Mark, Words


def svg(drawing: Drawing, sentence: str, name: str) -> str:
    """The drawing with a sentence as its accessible name; it shrinks with the page. name: its class."""
    width, height = _number(drawing.width), _number(drawing.height)
    head = f'<svg class="{name}" role="img" aria-label="{escape(legible(sentence))}" viewBox="0 0 {width} {height}">'
    return "\n".join([head, *map(_mark, drawing.marks), "</svg>"])


def svg_file(drawing: Drawing, sentence: str) -> bytes:
    """The drawing as a file of its own, on white, with a sentence as its accessible name."""
    width, height = _number(drawing.width), _number(drawing.height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Segoe UI, Helvetica, Arial, sans-serif">'
    )
    white = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    title = f"<title>{escape(legible(sentence))}</title>"
    return "\n".join([head, title, white, *map(_mark, drawing.marks), "</svg>", ""]).encode()


def _mark(mark: Mark) -> str:
    match mark:
        case Line():
            places = _attributes(x1=mark.x1, y1=mark.y1, x2=mark.x2, y2=mark.y2)
            return f'<line {places} stroke="{mark.color}" stroke-width="{_number(mark.width)}"/>'
        case Dot():
            return f'<circle {_attributes(cx=mark.x, cy=mark.y, r=mark.radius)} fill="{mark.color}"/>'
        case Box():
            places = _attributes(x=mark.x, y=mark.y, width=mark.width, height=mark.height)
            return f'<rect {places} fill="{mark.color}"/>'
        case Words():
            style = ' font-weight="600"' if mark.bold else ""
            style += ' text-anchor="middle"' if mark.centred else ""
            places = _attributes(x=mark.x, y=mark.y, font_size=mark.size)
            return f'<text {places} fill="{mark.color}"{style}>{escape(legible(mark.text))}</text>'


def _attributes(**numbers: float) -> str:
    return " ".join(f'{name.replace("_", "-")}="{_number(value)}"' for name, value in numbers.items())


def _number(value: float) -> str:
    """To a tenth of a pixel, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")
