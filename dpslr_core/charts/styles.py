"""Colour and dash of each algorithm: families share a hue, members differ in dash; and the layout of Plotly figures."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb, rgb_to_hls
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from ..mechanisms import algorithms
from ..mechanisms.base import Mechanism, MechanismFamily
from ..mechanisms.pairwise import plain_name

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Colour and dash of each family's members, in the order of MECHANISMS; further members are derived from the last pair.
# Found by a search: the contrast with a white and with a dark page is 3 or more, and with deuteranopia no two look
# alike. An algorithm in zCDP has the colour of the same algorithm in pure DP, and a long dash.
_STYLES = {
    MechanismFamily.BASELINE: (("#878787", "solid"), ("#878787", "dot")),
    MechanismFamily.NOISY_STATISTICS: (
        ("#0760d3", "solid"),
        ("#0169a1", "dash"),
        ("#0f748a", "solid"),
        ("#0f748a", "longdash"),
    ),
    MechanismFamily.MEAN: (("#e152ff", "dashdot"),),
    MechanismFamily.THEIL_SEN: (
        ("#e76d44", "solid"),
        ("#d67f01", "dash"),
        ("#ef0457", "dashdot"),
        ("#e93cb0", "solid"),
        ("#e76d44", "longdash"),
        ("#d67f01", "longdashdot"),
        ("#e93cb0", "longdash"),
    ),
    MechanismFamily.DEPTH: (("#9686d1", "solid"), ("#9686d1", "longdash")),
    MechanismFamily.GRADIENT_DESCENT: (
        ("#217065", "dot"),
        ("#14a870", "dash"),
        ("#4f7906", "solid"),
    ),
    MechanismFamily.NOT_PRIVATE: (("#815b40", "longdash"),),
    MechanismFamily.OTHER: (("#c23b4e", "solid"),),
}
_DASHES = ("solid", "dash", "dashdot", "longdash", "longdashdot")
_MATCHED = "2px,3px"  # dash of an algorithm with k matchings, in the algorithm's colour
_MATCHED_LONG = "2px,8px"  # the same for an algorithm in zCDP, whose own dash is long


def style(name: str) -> dict[str, str]:
    """Return the ``color`` and ``dash`` of an algorithm; an unlisted name has a colour derived from the name."""
    plain = plain_name(name)
    unlisted = _hexadecimal(crc32(plain.encode()) % 997 / 997, 0.5, 0.45), "10px,2px,2px,2px"
    colour, dash = _styles(algorithms()).get(plain, unlisted)
    matched = _MATCHED_LONG if dash.startswith("long") else _MATCHED
    return {"color": colour, "dash": dash if name == plain else matched}


def dash_lengths(dash: str) -> list[int]:
    """Convert a dash of Plotly's to lengths of strokes and gaps in pixels; [1, 0] for a solid line."""
    named = {
        "solid": [1, 0],
        "dot": [2, 3],
        "dash": [7, 4],
        "longdash": [12, 4],
        "dashdot": [7, 3, 2, 3],
        "longdashdot": [12, 3, 2, 3],
    }
    return (
        named[dash]
        if dash in named
        else [int(length.removesuffix("px")) for length in dash.split(",")]
    )


@cache
def _styles(listed: tuple[type[Mechanism], ...]) -> dict[str, tuple[str, str]]:
    """Return the colour and dash of each listed algorithm, by its name."""
    members: dict[MechanismFamily, list[str]] = {}
    for algorithm in listed:
        members.setdefault(algorithm.family, []).append(algorithm.__name__)
    return {
        name: style
        for family, names in members.items()
        for name, style in zip(names, _of_family(_STYLES[family], len(names)), strict=True)
    }


def _of_family(styles: Sequence[tuple[str, str]], size: int) -> list[tuple[str, str]]:
    """Return `size` pairs of colour and dash for a family: the chosen `styles`, then other shades of the last style."""
    hue, lightness, saturation = rgb_to_hls(
        *(channel / 255 for channel in _channels(styles[-1][0]))
    )
    derived = [
        (_hexadecimal(hue + 0.07 * i, lightness, max(saturation, 0.3)), _DASHES[i % len(_DASHES)])
        for i in range(1, size - len(styles) + 1)
    ]
    return [*styles[:size], *derived]


def _hexadecimal(hue: float, lightness: float, saturation: float) -> str:
    return "#" + "".join(
        f"{round(255 * channel):02x}" for channel in hls_to_rgb(hue % 1, lightness, saturation)
    )


def _channels(colour: str) -> tuple[int, ...]:
    """Convert "#rrggbb" to red, green and blue, each from 0 to 255."""
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


# Plotly figures.

Figure: TypeAlias = "go.Figure"


def figure_of(traces: Sequence[dict[str, Any]], height: int, **layout: Any) -> Figure:
    """Return a Plotly figure of traces with the look of all figures; its title is the sentence above it."""
    import plotly.graph_objects as go  # comes with the app; everything else works without it

    shared = {
        "height": height,
        "margin": {"l": 60, "r": 15, "t": 30, "b": 50},
        "showlegend": False,
        "hovermode": "closest",
        "uirevision": "kept",  # a zoom stays when a slider moves
    }
    return go.Figure({"data": list(traces), "layout": shared | layout})


def as_text(text: str) -> str:
    """Return text escaped for plotly, which reads <a href>, <b>, <br>, &lt; and, with MathJax, $...$ as markup."""
    return escape(text, quote=False).replace("$", "&#36;")
