"""A number that is chosen on a slider or typed in the box beside it, and stands in the link.

Streamlit writes a bound widget's value into the address only where the widget itself was moved, which a slider and a
box that follow each other are not. So these numbers go to and from the address here.
"""

from __future__ import annotations

import streamlit as st

from .controls import SLIDERS, Range

PAGE = "page_now"  # session-state key of the page that is open


def slider_and_number(key: str, limits: Range, usual: float, idle: str = "") -> float:
    """The slider stops at round numbers; the box takes any number within the limits, and makes it a stop.

    idle: why it does nothing now; it is then disabled and says so.
    """
    number = int if isinstance(usual, int) else float
    _take_from_link(key, limits, usual)
    left, right = st.columns([2.6, 1], vertical_alignment="bottom", gap="small")
    value = right.number_input(
        f"{limits.label}: any number", number(limits.least), number(limits.most), key=key,
        label_visibility="collapsed", format=None if number is int else "%g",
        disabled=bool(idle),
    )  # fmt: skip
    stops = sorted({number(stop) for stop in limits.stops} | {value})
    slider = f"{key}_slider"
    st.session_state[slider] = value

    def follow() -> None:
        st.session_state[key] = st.session_state[slider]

    left.select_slider(
        limits.label,
        stops,
        key=slider,
        help=idle or limits.help,
        on_change=follow,
        disabled=bool(idle),
        format_func=lambda stop: f"{stop:,g}",
    )
    _put_into_link(key, value, usual)
    return value


def _take_from_link(key: str, limits: Range, usual: float) -> None:
    """Follow the link where it is new: opened, or gone back or forward to. A page just turned to has none yet."""
    text, memory, page = st.query_params.get(key), f"{key}_link", st.session_state.get(PAGE)
    known_text, known_page = st.session_state.get(memory, (None, None))
    turned = known_page is not None and page != known_page and text is None
    if key not in st.session_state or (text != known_text and not turned):
        st.session_state[key] = _read(text, limits, usual)


def _read(text: str | None, limits: Range, usual: float) -> float:
    """The number that a link says; the usual one where it says none within the limits."""
    try:
        value = type(usual)(text) if text is not None else usual
    except ValueError:
        return usual
    return value if limits.least <= value <= limits.most else usual


def _put_into_link(key: str, value: float, usual: float) -> None:
    text = None if value == usual else repr(value).removesuffix(".0")
    if text != st.query_params.get(key):
        if text is None:
            del st.query_params[key]
        else:
            st.query_params[key] = text
    st.session_state[f"{key}_link"] = text, st.session_state.get(PAGE)


def numbers_in_link() -> dict[str, str]:
    """What st.switch_page must be given: it drops from the address all that no widget is bound to."""
    return {key: st.query_params[key] for key in ("epsilon", *SLIDERS) if key in st.query_params}


def ends(low: str, high: str) -> None:
    """What the ends of the slider above mean."""
    with st.container(horizontal=True, horizontal_alignment="distribute", gap=None):
        st.caption(low, width="content")
        st.caption(high, width="content")
