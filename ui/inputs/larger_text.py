"""Text and charts a third larger, for a projector; kept in the link."""

from __future__ import annotations

import streamlit as st

from .link_value import LinkValue

KEY, LARGER = "larger_text", 1.3
LINKED = LinkValue(KEY, lambda texts: list(texts) == ["true"], lambda value: ["true"] if value else [])
LARGER_STYLE = f"""html {{ font-size: {LARGER:.0%} !important; }}
[data-testid="stSidebar"] [data-testid="stHorizontalBlock"] .stTextInput input {{ padding-inline: 0.3rem; }}"""


def text_size() -> float:
    """How much larger than usual text is drawn."""
    return LARGER if st.session_state.get(KEY) else 1.0


def larger_text() -> None:
    """The switch, and where Streamlit chooses between light and dark."""
    st.session_state[f"{KEY}_switch"] = LINKED.take()

    def follow() -> None:
        st.session_state[KEY] = st.session_state[f"{KEY}_switch"]

    st.toggle("Larger text", key=f"{KEY}_switch", on_change=follow)
    st.markdown("Light or dark: the menu ⋮ at the top right, Settings.")
    LINKED.put()
