"""Files that buttons save, for as long as a browser shows the buttons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

# Session-state keys: files by key of their button, since the last complete run and of this run.
_KEPT, _DRAWN = "files_kept", "files_drawn"


@contextmanager
def files_stay() -> Iterator[None]:
    """Keep the files that the buttons of the last run save, until this run has drawn its own buttons.

    Streamlit lets go of a session's files where a run begins, and deletes them where runs of other sessions end: a
    click while a page is computed would save nothing. The last run's buttons are drawn again at once, and hidden.
    """
    kept: dict[str, tuple[bytes, str, str]] = st.session_state.setdefault(_KEPT, {})
    kept |= st.session_state.get(_DRAWN, {})
    st.session_state[_DRAWN] = {}
    with st.container(key="hidden_files"):
        for key, (content, name, kind) in kept.items():
            st.download_button("Kept", content, name, kind, key=f"kept_{key}", on_click="ignore")
    yield
    st.session_state[_KEPT] = st.session_state[_DRAWN]


def save_button(label: str, content: bytes, name: str, kind: str, key: str) -> None:
    """Draw a button that saves a file.

    Parameters
    ----------
    label : str
        Words on the button.
    content : bytes
        Content of the file.
    name, kind : str
        Name and media type of the file.
    key : str
        Key of the button.
    """
    st.session_state.setdefault(_DRAWN, {})[key] = content, name, kind
    st.download_button(label, content, name, kind, key=key, on_click="ignore")
