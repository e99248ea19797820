"""A number that is chosen on a slider or typed in the box beside it, and stands in the link."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpslr_core.sources.files.typed import read_number, read_whole

from ..controls import Range
from .link_value import LinkValue

BOX = 58  # pixels of the box


def slider_and_number(key: str, limits: Range, usual: float, idle: str = "") -> float:
    """The slider stops at round numbers; the box takes any number within the limits, and makes it a stop.

    idle: why it does nothing now; it is then disabled and says so.
    """
    number = int if isinstance(usual, int) else float
    linked = _linked(key, limits, usual)
    value = linked.take()
    stops = sorted({number(stop) for stop in limits.stops} | {value})
    slider = f"{key}_slider"
    st.session_state[slider] = value

    def follow() -> None:
        st.session_state[key] = st.session_state[slider]

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):  # columns are sent as three parts
        st.select_slider(
            limits.label, stops, key=slider, help=idle or limits.help, on_change=follow, disabled=bool(idle),
            format_func=lambda stop: f"{stop:,g}",
        )  # fmt: skip
        st.number_input(
            f"{limits.label}: any number", number(limits.least), number(limits.most), key=key, disabled=bool(idle),
            label_visibility="collapsed", format=None if number is int else "%g", width=BOX,
        )  # fmt: skip
    linked.put()
    return value


def _linked(key: str, limits: Range, usual: float) -> LinkValue[float]:
    """The number in the link; the usual one where the link says none within the limits."""

    def read(texts: Sequence[str]) -> float:
        try:
            value = (read_whole if isinstance(usual, int) else read_number)(texts[-1]) if texts else usual
        except ValueError:
            return usual
        return value if limits.least <= value <= limits.most else usual

    return LinkValue(key, read, lambda value: [] if value == usual else [repr(value).removesuffix(".0")])


def ends(low: str, high: str) -> None:
    """What the ends of the slider above mean."""
    with st.container(horizontal=True, horizontal_alignment="distribute", gap=None):
        st.caption(low, width="content")
        st.caption(high, width="content")
