"""Inputs that Streamlit has no single widget for: numbers that are typed, sliders with a box, larger text.

Boxes are of text: the browser drops a comma from a box of numbers before Python sees it, so that 0,5 would be 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import streamlit as st

from dpslr_core.sources.numbers import Style, format_typed, read_number, read_whole, short
from dpslr_core.support.readable import in_full

from .controls import SETTINGS
from .link import LinkValue, SharedWidget
from .plain import plain
from .takeaway import warned

BOX = 58  # pixels of the box beside a slider


def set_to(key: str, value: Any) -> None:
    """Let the session hold this value under this key: what a button or a control does when it is used."""
    st.session_state[key] = value


@dataclass(frozen=True)
class Allowed:
    """The numbers that a box takes. optional: it may be empty; style: how its numbers are written."""

    least: float = -inf
    most: float = inf
    whole: bool = False
    optional: bool = False
    style: Style = "point"

    def read(self, text: str) -> float | None:
        """The number that a text says, None for an empty one. ValueError, a sentence, where it cannot be used."""
        if not text.strip():
            if self.optional:
                return None
            raise ValueError("a number is needed")
        number = read_whole(text) if self.whole else read_number(text, self.style)
        if not self.least <= number <= self.most:
            raise ValueError(f"{short(text)} is too {'small' if number < self.least else 'large'}")
        return number

    def __str__(self) -> str:
        noun = "whole numbers" if self.whole else "numbers"
        start = f" from {in_full(self.least)}" if self.least > -inf else ""
        end = "" if self.most == inf else f" to {in_full(self.most)}" if start else f" up to {in_full(self.most)}"
        return f"{noun}{start}{end}" if start or end else f"all {noun}"


def number_box(
    label: str, key: str, allowed: Allowed, follow: Callable[[], None] | None = None, **options: Any
) -> float | None:
    """A box for st.session_state[key]; what cannot be used changes nothing, and a sentence below says what can.

    follow: called after another number was typed. options: of st.text_input.
    """
    _box(label, key, allowed, follow, **options)
    _sentence(label, key, allowed)
    value: float | None = st.session_state[key]
    return value


def linked_number(label: str, *, key: str, usual: float | None, allowed: Allowed, **options: Any) -> float | None:
    """A number_box whose number stands in the link; the usual one, where there is another or limits are others."""
    in_links, asked = replace(allowed, style="point"), f"{key}_asked"

    def read(texts: Sequence[str]) -> float | None:
        try:
            return in_links.read(texts[-1]) if texts else usual
        except ValueError:
            return usual

    def written(value: float | None) -> list[str]:
        return [] if value == usual else ["" if value is None else repr(value).removesuffix(".0")]

    linked = LinkValue(key, read, written, str(in_links))
    linked.take()
    if st.session_state.setdefault(asked, (usual, allowed)) != (usual, allowed):  # a number in other units
        st.session_state[asked], st.session_state[key] = (usual, allowed), usual
    value = number_box(label, key, allowed, **options)
    linked.put()
    return value


def slider_and_number(key: str, whole: bool, idle: str = "") -> float:
    """A setting: the slider stops at round numbers; the box takes any number it allows, and makes it a stop.

    idle: why it does nothing now; it is then disabled and says so.
    """
    label, hint, least, most, usual_stops = SETTINGS[key]
    value: float = st.session_state[key]
    stops = sorted({type(value)(stop) for stop in usual_stops} | {value})
    slider, allowed = SharedWidget(f"{key}_slider"), Allowed(least, most, whole)

    def follow() -> None:
        st.session_state[key] = slider.chosen()

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):  # columns are sent as three parts
        st.select_slider(
            label, stops, key=slider.key(value), help=idle or hint, on_change=follow, disabled=bool(idle),
            format_func=lambda stop: f"{stop:,g}",
        )  # fmt: skip
        beside: Any = {"disabled": bool(idle), "label_visibility": "collapsed", "width": BOX}
        _box(f"{label}: any number", key, allowed, **beside)
    _sentence(label, key, allowed)
    return value


def _box(label: str, key: str, allowed: Allowed, follow: Callable[[], None] | None = None, **options: Any) -> None:
    """The box shows the number, or the text that could not be used until the number is another."""
    value, box, refused = st.session_state[key], SharedWidget(f"{key}_box"), f"{key}_refused"
    text, kept = st.session_state.get(refused, ("", None))
    if refused in st.session_state and kept == value:
        with suppress(ValueError):  # another style makes it one number
            st.session_state[key] = value = allowed.read(text)
    if refused not in st.session_state or kept != value:
        st.session_state.pop(refused, None)
        text = _written(value)

    def take() -> None:
        text = str(box.chosen() or "")
        st.session_state.pop(refused, None)
        try:
            st.session_state[key] = allowed.read(text)
        except ValueError:
            st.session_state[refused] = text, st.session_state[key]
        else:
            box.show(_written(st.session_state[key]))
            if follow is not None:
                follow()

    st.text_input(plain(label), key=box.key(text), on_change=take, **options)


def _written(value: float | None) -> str:
    return "" if value is None else format_typed(value)


def _sentence(field: str, key: str, allowed: Allowed) -> None:
    """What is wrong with the text in a box."""
    if f"{key}_refused" not in st.session_state:
        return
    text, value = st.session_state[f"{key}_refused"]
    try:
        allowed.read(text)
    except ValueError as problem:
        kept = "" if value is None else f" Shown: {in_full(value)}."
        st.error(warned(f"{field}: {problem}. Allowed: {allowed}.{kept}"))


def ends(low: str, high: str) -> None:
    """What the ends of the slider above mean."""
    with st.container(horizontal=True, horizontal_alignment="distribute", gap=None):
        st.caption(low, width="content")
        st.caption(high, width="content")


LARGER_TEXT, LARGER = "larger_text", 1.3
_LARGER_TEXT = LinkValue(LARGER_TEXT, lambda texts: list(texts) == ["true"], lambda value: ["true"] if value else [])
LARGER_STYLE = f"""html {{ font-size: {LARGER:.0%} !important; }}
[data-testid="stSidebar"] [data-testid="stHorizontalBlock"] .stTextInput input {{ padding-inline: 0.3rem; }}"""


def text_size() -> float:
    """How much larger than usual text is drawn."""
    return LARGER if st.session_state.get(LARGER_TEXT) else 1.0


def larger_text() -> None:
    """The switch, and where Streamlit chooses between light and dark."""
    st.session_state[f"{LARGER_TEXT}_switch"] = _LARGER_TEXT.take()

    def follow() -> None:
        st.session_state[LARGER_TEXT] = st.session_state[f"{LARGER_TEXT}_switch"]

    st.toggle("Larger text", key=f"{LARGER_TEXT}_switch", on_change=follow)
    st.markdown("Light or dark: the menu ⋮ at the top right, Settings.")
    _LARGER_TEXT.put()
