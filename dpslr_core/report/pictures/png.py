"""A drawing as PNG, drawn with Pillow, which comes with Streamlit.

A report needs no package for pictures beside it. Pillow's own font has plain Latin letters only, so
that other letters are spelled out.
"""

from __future__ import annotations

from io import BytesIO
from unicodedata import combining, normalize

from PIL import Image, ImageDraw, ImageFont

from .drawing import Box, Dot, Drawing, Line, Mark, Words

FINE, REDUCED = 4, 2  # drawn four times as large and reduced by two, which smooths the dots
_KEPT = "±°"
_SPELLED = {"ε": "epsilon", "δ": "delta", "ρ": "rho", "σ": "sigma", "−": "-", "⁻": "-", "×": "x", "∞": "inf"}


def png(drawing: Drawing) -> bytes:
    """The drawing, two pixels for each of its own, along both axes."""
    image = Image.new("RGB", (round(FINE * drawing.width), round(FINE * drawing.height)), "white")
    canvas = ImageDraw.Draw(image)
    for mark in drawing.marks:
        _draw(canvas, mark)
    file = BytesIO()
    image.reduce(REDUCED).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw(canvas: ImageDraw.ImageDraw, mark: Mark) -> None:
    match mark:
        case Line():
            ends = [FINE * place for place in (mark.x1, mark.y1, mark.x2, mark.y2)]
            canvas.line(ends, mark.color, max(1, round(FINE * mark.width)))
        case Dot():
            corners = (mark.x - mark.radius, mark.y - mark.radius, mark.x + mark.radius, mark.y + mark.radius)
            canvas.ellipse([FINE * place for place in corners], mark.color)
        case Box():
            corners = (mark.x, mark.y, mark.x + mark.width, mark.y + mark.height)
            canvas.rectangle([FINE * place for place in corners], mark.color)
        case Words():
            font = ImageFont.load_default(FINE * mark.size)
            place, anchor = (FINE * mark.x, FINE * mark.y), "ms" if mark.centred else "ls"
            canvas.text(place, spelled(mark.text), mark.color, font, anchor, stroke_width=FINE // 3 * mark.bold)


def spelled(text: str) -> str:
    """The text in plain Latin letters, "±" and "°"; "?" for what has no such spelling."""
    for letter, name in _SPELLED.items():
        text = text.replace(letter, name)
    letters = "".join(letter if letter in _KEPT else normalize("NFKD", letter) for letter in text)
    return "".join(
        letter if letter.isascii() or letter in _KEPT else "?" for letter in letters if not combining(letter)
    )
