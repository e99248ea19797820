"""Leafing through the groups of grouped data."""

from __future__ import annotations

import streamlit as st

from ..settings import View


def browse_groups(view: View) -> None:
    """Previous and next buttons around the name of the group that is shown."""
    usable = list(view.grouped.usable)
    place = usable.index(view.group)
    left, middle, right = st.columns([1, 4, 1], vertical_alignment="center")
    left.button("◀ previous", disabled=place == 0, on_click=_show, args=(usable[place - 1],), width="stretch")
    middle.text(f"{view.group}  ({place + 1} of {len(usable)})", width="stretch", text_alignment="center")
    following = usable[min(place + 1, len(usable) - 1)]
    right.button("next ▶", disabled=place + 1 == len(usable), on_click=_show, args=(following,), width="stretch")


def _show(group: str) -> None:
    st.session_state["group"] = group
