"""Vega-Lite specifications as plain dictionaries, which a page draws; `written` makes files of SVG, PNG or HTML.

No file needs a browser or a network. The "datasets" of a specification are frames by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..support.readable import legible

if TYPE_CHECKING:
    import altair as alt

Spec = dict[str, Any]
Ends = tuple[float, float]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
GREY, GREEN = "#808080", "#2b8f5f"


def on_ground(light: str, dark: str) -> str:
    """Return Vega's expression of a colour that follows the page: `light` on white, `dark` on a dark page."""
    return f"luminance(background) > 0.4 ? '{light}' : '{dark}'"


INK, GREEN_TEXT = on_ground("#1b1b1f", "#f4f4f6"), on_ground("#1d7048", "#5cc794")
ENDINGS = (".svg", ".png", ".html")
WIDE, NARROW = 700, 380  # pixels of a picture, on paper or a screen and on a phone
FINE = 2  # pixels of a PNG for each pixel of the picture, along both axes
_SIDES = 12  # pixels beside plots that stand one below the other; their axes are inside
_SIZES = ("fontSize", "labelFontSize", "titleFontSize")
_INK, _GRID = "#1b1b1f", "#d5d5da"
# The look of files; on a page the theme of the page decides.
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


LEGEND: Spec = {  # legend of lines, below their picture
    "title": None, "orient": "bottom", "labelLimit": 260, "symbolType": "stroke", "symbolSize": 300,
    "symbolStrokeWidth": 2.5, "symbolOpacity": 1,
}  # fmt: skip


def with_data(shape: Spec, **datasets: pd.DataFrame) -> Spec:
    """Return a picture: a shape with its data sets by name, without a frame about its plots."""
    return {"$schema": SCHEMA, "config": {"view": {"stroke": None}}, **shape, "datasets": datasets}


def chart_of(data: str) -> alt.Chart:
    """Return Altair's chart of a named data set, without marks."""
    import altair as alt  # commands without a picture need no Altair

    return alt.Chart(alt.NamedData(data))


def shape_of(chart: alt.TopLevelMixin) -> Spec:
    """Return the specification of a chart without Altair's own theme."""
    shape: Spec = chart.to_dict(validate=False)
    del shape["config"]
    return shape


def layer(data: str, mark: Spec, encoding: Spec) -> Spec:
    """Return a layer: a mark for each row of a named data set."""
    return {"data": {"name": data}, "mark": mark, "encoding": encoding}


def once(mark: Spec, encoding: Spec) -> Spec:
    """Return a layer of one mark, without data."""
    return {"data": {"values": [{}]}, "mark": mark, "encoding": encoding}


def nominal(field: str, **more: Any) -> Spec:
    """Return the channel of a column of names, with `more` properties."""
    return {"field": field, "type": "nominal", **more}


def quantitative(field: str, **more: Any) -> Spec:
    """Return the channel of a column of numbers, with `more` properties."""
    return {"field": field, "type": "quantitative", **more}


TITLE_ABOVE: Spec = {
    "titleAngle": 0,
    "titleAlign": "left",
    "titleAnchor": "end",
    "titleX": 0,
    "titleY": -10,
}


def axis(
    title: str | None,
    ends: Ends | None = None,
    log: bool = False,
    format: str = "",
    **look: Any,
) -> Spec:
    """Return a channel of numbers with its axis; `xy` adds the field.

    Parameters
    ----------
    title : str or None
        Title of the axis.
    ends : tuple of float, optional
        Ends of the axis, by default the data's.
    log : bool
        Whether the axis is logarithmic, with ticks at round numbers.
    format : str
        Format of the numbers, as in D3; by default with the digits that tell the ticks apart.
    **look
        Other properties of the axis.
    """
    scale: Spec = {"nice": False} | ({"type": "log"} if log else {"zero": False})
    shown: Spec = {"title": title, "labelOverlap": True, "titleLimit": 600}
    if format or log:
        shown["format"] = format or ",~r"
    elif ends is None or max(map(abs, ends)) < 10_000:
        shown["labelExpr"] = _NO_MARK
    if ends:
        scale["domain"] = list(ends)
        if log:
            shown["values"] = round_ticks(ends)
    return {"type": "quantitative", "scale": scale, "axis": shown | look}


# Whole numbers of four digits may be years: they have no thousands mark, as in sentences.
_NO_MARK = (
    "abs(datum.value) < 10000 && datum.value % 1 == 0 ? replace(datum.label, ',', '') : datum.label"
)


def xy(x: Spec, y: Spec, across: str = "x", up: str = "y") -> Spec:
    """Return the channels x and y of two columns along their axes."""
    return {"x": x | {"field": across}, "y": y | {"field": up}}


def looks(
    field: str, names: Sequence[str], legend: Spec | None = None, **ranges: Sequence[Any]
) -> Spec:
    """Return channels that depend on the name in a field, such as color=colours; values are in the order of `names`."""
    scale = {"type": "ordinal", "domain": list(names)}
    return {
        channel: nominal(field, legend=legend, scale=scale | {"range": list(values)})
        for channel, values in ranges.items()
    }


def rule(channel: str, along: Spec, value: float, **look: Any) -> Spec:
    """Return the layer of a line across a plot at a value of x or y, by default dotted and grey."""
    mark = {"type": "rule", "color": GREY, "strokeDash": [2, 3], "strokeWidth": 2} | look
    return once(mark, {channel: along | {"datum": value}})


def band(
    along: Spec, ends: Ends, channel: str = "x", color: str = GREY, opacity: float = 0.18
) -> Spec:
    """Return the layer of a band from one value of x or y to another."""
    mark = {"type": "rect", "color": color, "opacity": opacity, "clip": True}
    encoding = {channel: along | {"datum": ends[0]}, f"{channel}2": {"datum": ends[1]}}
    return once(mark, encoding)


def round_ticks(span: Ends) -> list[float]:
    """Return the round numbers within a range, more of them the shorter the range is."""
    low, high = np.log10(span)
    enough = {1.2: (1, 2, 3, 5, 7), 3.0: (1, 2, 5), 6.0: (1, 3)}
    digits = next((digits for most, digits in enough.items() if high - low <= most), (1,))
    ticks = [
        digit * 10.0**decade
        for decade in range(int(np.floor(low)), int(np.ceil(high)) + 1)
        for digit in digits
    ]
    return [tick for tick in ticks if span[0] <= tick <= span[1]]


def with_text_of(picture: Spec, pixels: int) -> Spec:
    """Return a picture for a projector, with all text at least `pixels` high."""
    shape = _resized(picture, pixels)
    config, sizes = shape.get("config", {}), {"labelFontSize": pixels, "titleFontSize": pixels}
    larger = {name: config.get(name, {}) | sizes for name in ("axis", "legend", "header")}
    return shape | {"config": config | larger | {"text": {"fontSize": pixels}}}


def _resized(node: Any, pixels: int) -> Any:
    """Return a part of a specification with text of at least `pixels`; data stay as they are."""
    if isinstance(node, list | tuple):
        return [_resized(item, pixels) for item in node]
    if not isinstance(node, dict):
        return node
    resized = {}
    for key, value in node.items():
        if key in _SIZES and isinstance(value, int | float):
            resized[key] = max(value, pixels)
        else:
            resized[key] = value if key == "datasets" else _resized(value, pixels)
    return resized


# Files.


def written(picture: Spec, ending: str, sentence: str = "", width: int | None = None) -> bytes:
    """Return the bytes of a picture's file.

    Parameters
    ----------
    picture : dict
        Specification.
    ending : str
        Ending of the file's name, a value of ENDINGS.
    sentence : str
        Accessible name: what the picture shows.
    width : int, optional
        Width in pixels, by default the picture's own.

    Raises
    ------
    ValueError
        If the ending is not in ENDINGS.
    ImportError
        Without vl-convert.
    """
    if ending == ".svg":
        return f"{_svg(picture, sentence, width)}\n".encode()
    if ending == ".png":
        import vl_convert

        return bytes(vl_convert.svg_to_png(_svg(picture, sentence, width), scale=FINE))
    if ending == ".html":
        import vl_convert

        named = as_json(picture | {"description": sentence}, width)
        page = vl_convert.vegalite_to_html(named, bundle=True, config=PRINT | {"aria": True})
        return str(page).encode()
    raise ValueError(f"a figure must end in {', '.join(ENDINGS)}, got {ending!r}")


def svg_element(picture: Spec, sentence: str, width: int, name: str) -> str:
    """Return a picture as an element of an HTML page: nothing in it runs or is fetched, and it shrinks with the page.

    Parameters
    ----------
    picture : dict
        Specification.
    sentence : str
        Accessible name.
    width : int
        Width in pixels before it shrinks.
    name : str
        Class of the element, and prefix of the ids in it.
    """
    head, _, marks = _drawn(picture, width).partition(">")
    view = re.search(r'viewBox="[^"]*"', head)
    label = escape(legible(sentence))
    return _with_ids(
        f'<svg class="{name}" role="img" aria-label="{label}" {view[0] if view else ""}>{marks}',
        name,
    )


def _svg(picture: Spec, sentence: str, width: int | None) -> str:
    """Return a picture on white as SVG, with its sentence as its accessible name."""
    head, _, marks = _drawn(picture, width).partition(">")
    title = f"<title>{escape(legible(sentence))}</title>" if sentence else ""
    return _with_ids(f'{head} role="img">{title}{marks}', "part")


def _drawn(picture: Spec, width: int | None) -> str:
    """Return a picture as SVG. vl-convert is loaded here, since its start takes longer than drawing a page."""
    import vl_convert

    return str(
        vl_convert.vegalite_to_svg(as_json(picture, width), config=PRINT, allowed_base_urls=[])
    )


def _with_ids(svg: str, name: str) -> str:
    """Return the SVG with ids made of ``name`` and a number: the same in every run, and different across a page."""
    for number, old_id in enumerate(dict.fromkeys(re.findall(r'<\w+ id="(\w+)"', svg))):
        svg = re.sub(rf'(<\w+ id="|url\(#){old_id}(?=["\)])', rf"\g<1>{name}-{number}", svg)
    return svg


def as_json(picture: Spec, width: int | None = None) -> str:
    """Return a specification as JSON text, with data sets as lists of rows; ``width`` is in pixels."""
    return json.dumps(
        _plain(picture if width is None else _sized(picture, width)), ensure_ascii=False
    )


def _sized(spec: Spec, width: int) -> Spec:
    """Return a specification with a width in pixels; a picture of panels side by side stays unchanged."""
    if "vconcat" in spec:
        return spec | {"vconcat": [panel | {"width": width - _SIDES} for panel in spec["vconcat"]]}
    if "hconcat" in spec or "concat" in spec:
        return spec
    return spec | {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}


def _plain(node: Any) -> Any:
    """Convert a value of a specification for JSON: null for NaN and infinity, texts without what XML forbids.

    vl-convert ends the process if a text holds such a character.
    """
    if isinstance(node, pd.DataFrame):
        return [_plain(row) for row in node.to_dict("records")]
    if isinstance(node, Mapping):
        return {key: _plain(value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [_plain(item) for item in node]
    if isinstance(node, str):
        return legible(node)
    if hasattr(node, "item"):
        node = node.item()
    return None if isinstance(node, float) and not isfinite(node) else node
