"""The one thing to move of a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from ..inputs.link_value import SharedWidget
from ..inputs.number import ends
from .link import choose


def stop_choice(name: str, label: str, stops: Sequence[float], written: Callable[[float], str]) -> None:
    """A slider over the stops of one setting."""
    widget = SharedWidget(f"{name}_choice")
    key = widget.key(st.session_state[name])
    st.select_slider(label, stops, key=key, format_func=written, on_change=choose, args=(name, widget))
    if name == "class_epsilon":
        ends("← more private", "more accurate →")
