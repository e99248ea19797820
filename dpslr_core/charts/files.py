"""Pictures as files: what a page shows becomes SVG, PNG or a page of HTML, without a browser and without a network."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from math import isfinite
from typing import Any

import pandas as pd

from ..support.readable import legible
from .vega import as_specification

ENDINGS = (".svg", ".png", ".html")
WIDE, NARROW = 700, 380  # pixels of a picture, on paper or a screen and on a phone
FINE = 2  # pixels of a PNG for each of the picture's, along both axes
_SIDES = 12  # pixels beside plots that stand one below the other; their axes are inside
_INK, _GRID = "#1b1b1f", "#d5d5da"
# On a page the theme of the page says all this.
PRINT: dict[str, Any] = {
    "aria": False,
    "background": "#ffffff",
    "font": "Segoe UI, Helvetica, Arial, sans-serif",
    "padding": 4,
    "axis": {
        "labelColor": _INK, "titleColor": _INK, "gridColor": _GRID, "domainColor": _GRID, "tickColor": _GRID,
        "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "labelPadding": 5, "labelSeparation": 4,
    },
    "legend": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "symbolStrokeWidth": 3},
    "text": {"fontSize": 11, "color": _INK},
    "title": {"color": _INK, "fontSize": 13},
}  # fmt: skip


def written(picture: Any, ending: str, sentence: str = "", width: int | None = None) -> bytes:
    """The bytes of a file that ends so; ValueError where ending is none of ENDINGS.

    picture: a Vega-Lite specification, whose datasets may be frames, or a figure of altair's. sentence: what the
    picture shows, its accessible name. width: in pixels; None: that of the picture. ImportError without vl-convert.
    """
    if ending == ".svg":
        return f"{_svg(picture, sentence, width)}\n".encode()
    if ending == ".png":
        import vl_convert

        return bytes(vl_convert.svg_to_png(_svg(picture, sentence, width), scale=FINE))
    if ending == ".html":
        import vl_convert

        named = as_json(as_specification(picture) | {"description": sentence}, width)
        page = vl_convert.vegalite_to_html(named, bundle=True, config=PRINT | {"aria": True})
        return str(page).encode()
    raise ValueError(f"a figure must end in {', '.join(ENDINGS)}, got {ending!r}")


def svg_element(picture: Any, sentence: str, width: int, name: str) -> str:
    """A picture inside a page of HTML: nothing in it runs, nothing is fetched, it shrinks with the page.

    name: its class, and the beginning of the ids in it.
    """
    head, _, marks = _drawn(picture, width).partition(">")
    view = re.search(r'viewBox="[^"]*"', head)
    label = escape(legible(sentence))
    return _with_ids(f'<svg class="{name}" role="img" aria-label="{label}" {view[0] if view else ""}>{marks}', name)


def _svg(picture: Any, sentence: str, width: int | None) -> str:
    """A picture on white, with its sentence as its accessible name."""
    head, _, marks = _drawn(picture, width).partition(">")
    title = f"<title>{escape(legible(sentence))}</title>" if sentence else ""
    return _with_ids(f'{head} role="img">{title}{marks}', "part")


def _drawn(picture: Any, width: int | None) -> str:
    """A picture as SVG. vl-convert is loaded here: its start takes longer than that of a page."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(as_json(picture, width), config=PRINT, allowed_base_urls=[]))


def _with_ids(svg: str, name: str) -> str:
    """The same ids each time, and others in each picture of a page: vl-convert goes on counting."""
    for number, each in enumerate(dict.fromkeys(re.findall(r'<\w+ id="(\w+)"', svg))):
        svg = re.sub(rf'(<\w+ id="|url\(#){each}(?=["\)])', rf"\g<1>{name}-{number}", svg)
    return svg


def as_json(picture: Any, width: int | None = None) -> str:
    """A specification as JSON, its datasets as rows."""
    spec = as_specification(picture)
    return json.dumps(_plain(spec if width is None else _sized(spec, width)), ensure_ascii=False)


def _sized(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """A specification for a picture this wide."""
    if "vconcat" in spec:
        return spec | {"vconcat": [part | {"width": width - _SIDES} for part in spec["vconcat"]]}
    if "hconcat" in spec or "concat" in spec:
        return spec
    return spec | {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}


def _plain(part: Any) -> Any:
    """A part of a specification as JSON has it: null where a number is none, texts without what XML does not allow.

    vl-convert ends the process where a text holds such a character.
    """
    if isinstance(part, pd.DataFrame):
        return [_plain(row) for row in part.to_dict("records")]
    if isinstance(part, Mapping):
        return {key: _plain(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_plain(each) for each in part]
    if isinstance(part, str):
        return legible(part)
    if hasattr(part, "item"):
        part = part.item()
    return None if isinstance(part, float) and not isfinite(part) else part
