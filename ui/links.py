"""Links between pages that open in the same tab: the only place where the app writes HTML of its own.

Streamlit opens the links of markdown and st.link_button in a new tab, where an upload is not, and st.page_link forgets
the parameters of widgets that are bound to the address. So these are anchors, of an encoded address and a plain label.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from .inputs.link_value import PAGE, endless_number
from .inputs.opened_link import cut
from .plain import plain
from .sessions.private_names import end_page


def same_tab(page: str, query: Mapping[str, Any], label: str) -> str:
    """An anchor for st.markdown(..., unsafe_allow_html=True); relative, so that it works below any base path."""
    return f'<a href="{escape(f"{page}?{urlencode(query, doseq=True)}")}" target="_self">{plain(label)}</a>'


def refuse_endless_numbers() -> None:
    """A sentence, and the end of the page, where the link holds one."""
    endless = endless_number()
    if endless is not None:
        key, rest = endless
        st.warning(
            plain(f"The link says {cut(key)} = {cut(st.query_params[key])}, which is no number that can be used.")
        )
        page = str(st.session_state.get(PAGE, ""))
        st.markdown(same_tab(page, rest, "Open the page without it"), unsafe_allow_html=True)
        end_page()
