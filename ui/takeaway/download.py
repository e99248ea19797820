"""The one button that saves a file: made at the click, for whoever clicked, and gone soon after."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ..sessions.ended import held


def download(label: str, make: Callable[[], bytes], name: str, kind: str, key: str | None = None) -> None:
    """A button. make: makes the content at the click, without the page. name, kind: of the file. key: of the button."""
    st.download_button(label, held(make, name, kind), name, kind, key=key, on_click="ignore")
