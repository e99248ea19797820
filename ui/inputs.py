"""Inputs that Streamlit has no single widget for: typed numbers, sliders with a box, settings without a widget.

Boxes are of text: the browser drops a comma from a box of numbers before Python sees it, so that 0,5 would be 5. The
text of a box is the setting, also in the link; a slider beside the box follows, and sets the text by a callback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from dpslr_core.sources.numbers import Style, format_points, read_number, read_whole, short
from dpslr_core.support.readable import in_full

from .link import KEEP, LINK, is_late, set_to, show, takes
from .plain import plain
from .takeaway import warned

BOX = 58  # pixels of the box beside a slider
_LAST = "last_numbers"  # session-state key: last usable number by key of its box
T = TypeVar("T")


@dataclass(frozen=True)
class Allowed:
    """Numbers that a box takes.

    Attributes
    ----------
    least, most : float
        Smallest and largest number.
    whole : bool
        Whether the numbers are whole.
    optional : bool
        Whether the box may be empty.
    style : Style
        How numbers are written, with a point or a comma.
    """

    least: float = -inf
    most: float = inf
    whole: bool = False
    optional: bool = False
    style: Style = "point"

    def read(self, text: str) -> float | None:
        """Read a number from a text; None from an empty text.

        Raises
        ------
        ValueError
            If the text cannot be used; the message is a part of a sentence.
        """
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
        end = (
            ""
            if self.most == inf
            else f" to {in_full(self.most)}"
            if start
            else f" up to {in_full(self.most)}"
        )
        return f"{noun}{start}{end}" if start or end else f"all {noun}"


class Setting(NamedTuple):
    """Setting that is a number.

    Attributes
    ----------
    key, label : str
        Name in the link, and label.
    help : str or None
        Tooltip.
    usual : float
        Number at first, which does not stand in the link.
    stops : tuple of float
        Stops of the slider; empty for a box alone.
    allowed : Allowed
        Numbers that can be set.
    """

    key: str
    label: str
    help: str | None
    usual: float
    stops: tuple[float, ...]
    allowed: Allowed


def number_text(value: float | None) -> str:
    """Write a number as a box and the link hold it: every digit, whole numbers without a point; None as nothing."""
    return "" if value is None else format_points([value])


def number_box(
    label: str,
    key: str,
    usual: float | None,
    allowed: Allowed,
    linked: bool = True,
    below: Any = st,
    **options: Any,
) -> float | None:
    """Draw a box for a number. If its text cannot be used, say so and return the last number that could.

    Parameters
    ----------
    label, key : str
        Label of the box, and its name in the link.
    usual : float or None
        Number at first, which does not stand in the link.
    allowed : Allowed
        Numbers that can be used.
    linked : bool, optional
        Whether the text stands in the link.
    below : container, optional
        Container of the message.
    **options
        Arguments of st.text_input.

    Returns
    -------
    float or None
        None for an empty box that may be empty.
    """
    last, shown = st.session_state.setdefault(_LAST, {}), f"{key} is usual"
    # The last number may have been typed in other units, or for other data.
    if last.setdefault(shown, (usual, allowed)) != (usual, allowed):
        last[shown] = usual, allowed
        last.pop(key, None)
        st.session_state[key] = number_text(usual)
    text = (
        st.text_input(
            plain(label), number_text(usual), key=key, **(LINK if linked else KEEP), **options
        )
        or ""
    )
    return _number(label, key, text, usual, allowed, linked, below)


def _number(
    label: str, key: str, text: str, usual: float | None, allowed: Allowed, linked: bool, below: Any
) -> float | None:
    """Return the number in the text of a box; say what is wrong with the text."""
    last: dict[str, Any] = st.session_state.setdefault(_LAST, {})
    instead = None
    try:
        last[key] = allowed.read(text)
    except ValueError as problem:
        last.setdefault(key, usual)
        instead = "none" if last[key] is None else in_full(last[key])
        kept = "" if last[key] is None else f" Shown: {instead}."
        below.error(warned(f"{label}: {problem}. Allowed: {allowed}.{kept}"))
    if linked:
        takes(key, str(allowed), number_text(usual), instead)
    value: float | None = last[key]
    return value


def slider_and_box(setting: Setting, idle: str = "") -> float:
    """Draw a slider with round stops and a box beside it, whose number becomes a stop; return the number.

    Parameters
    ----------
    setting : Setting
        Number that is drawn.
    idle : str, optional
        Reason why the number does nothing now; both widgets are then disabled and say so.
    """
    key, label, hint, usual, stops, allowed = setting
    slider = f"{key}_slider"
    # A container: columns would be sent to the browser as three elements.
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        slot = st.container()
        text = st.text_input(
            f"{label}: any number",
            number_text(usual),
            key=key,
            disabled=bool(idle),
            label_visibility="collapsed",
            width=BOX,
            **LINK,
        )
    value = _number(label, key, text or "", usual, allowed, True, st)
    assert value is not None
    value = type(usual)(value)
    slot.select_slider(
        label,
        sorted({*map(type(usual), stops), value}),
        value,
        help=idle or hint,
        disabled=bool(idle),
        format_func=lambda stop: f"{stop:,g}",
        **follows(slider, value, lambda chosen: set_to(key, number_text(chosen))),
    )
    return value


def number_of(setting: Setting) -> float:
    """Return the number of a setting before its box is drawn: the same as the box will return."""
    text = st.session_state.get(setting.key, st.query_params.get(setting.key, ""))
    last: float = st.session_state.get(_LAST, {}).get(setting.key, setting.usual)
    try:
        return setting.allowed.read(text) or setting.usual
    except ValueError:
        return last


def text_setting(
    key: str,
    read: Callable[[str], T],
    usual: str = "",
    allowed: str = "",
    written: Callable[[T], str] = str,
) -> T:
    """Return the value of a setting that stands in the link but has no visible widget: a text in a hidden box.

    Widgets that show the setting follow, and set it by set_to in a callback.

    Parameters
    ----------
    key : str
        Name in the link.
    read : callable
        Reads a text; ValueError for one that cannot be used.
    usual : str, optional
        Text that does not stand in the link.
    allowed : str, optional
        Allowed values, in words.
    written : callable, optional
        Writes a value in words.
    """
    with st.container(key=f"hidden_{key}".replace(".", "_")):
        text = st.text_input(key, usual, key=key, label_visibility="collapsed", **LINK) or ""
    try:
        value, instead = read(text), None
    except ValueError:
        value = read(usual)
        instead = written(value)
    takes(key, allowed, usual, instead)
    return value


def chosen_text(
    key: str,
    texts: Sequence[str],
    usual: str,
    written: Callable[[str], str] = str,
    allowed: str = "",
) -> str:
    """Return the value of a `text_setting` that must be one of `texts`; `written` writes a text in words."""

    def read(text: str) -> str:
        if text not in texts:
            raise ValueError(text)
        return text

    return text_setting(key, read, usual, allowed, written)


def number_setting(key: str, allowed: Allowed, usual: float | None = None) -> float | None:
    """Return the value of a `text_setting` that is a number."""

    def in_words(value: float | None) -> str:
        return "none" if value is None else in_full(value)

    return text_setting(key, allowed.read, number_text(usual), str(allowed), in_words)


def follows(key: str, value: Any, take: Callable[[Any], None]) -> dict[str, Any]:
    """Return the arguments of a widget that shows the value of another setting and passes on what is chosen.

    The value is the widget's default too: a browser that has missed a drawing knows nothing else.

    Parameters
    ----------
    key : str
        Key of the widget.
    value : object
        Value of the setting.
    take : callable
        Sets the setting to the chosen value.
    """
    show(key, value)

    def hand_on() -> None:
        if not is_late(key):
            take(st.session_state[key])

    return {"key": key, "on_change": hand_on}


def ends(low: str, high: str) -> None:
    """Draw what the two ends of the slider above mean."""
    with st.container(horizontal=True, horizontal_alignment="distribute", gap=None):
        st.caption(low, width="content")
        st.caption(high, width="content")
