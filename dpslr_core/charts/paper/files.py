"""A figure of altair's as a file: SVG and PNG are drawn without a browser, HTML opens without a network."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import Any

DRAWN = (".svg", ".png", ".html")


def written(chart: Any, suffix: str) -> bytes:
    """The bytes of a file that ends so; ValueError where suffix is none of DRAWN."""
    if suffix == ".html":
        return str(chart.to_html(inline=True)).encode()
    if suffix == ".svg":
        text = StringIO()
        chart.save(text, format="svg")
        return text.getvalue().encode()
    if suffix == ".png":
        image = BytesIO()
        chart.save(image, format="png", scale_factor=2)
        return image.getvalue()
    raise ValueError(f"a figure must end in {', '.join(DRAWN)}, got {suffix!r}")
