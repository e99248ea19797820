"""The first lines of a run, before imports that take seconds in a new server."""

from __future__ import annotations

import threading
from importlib import import_module

import streamlit as st

OPENED = "opened_address"  # session-state key: what the address said when the session began
# These modules need every package that imports its own modules.
SHARED = ("ui.sidebar", "dpslr_core.guidance", "dpslr_core.release")
_IMPORTING = threading.Lock()


def note_address() -> None:
    """Note the address of a session's first run, and import the modules that all pages share.

    Whoever turns to another page while the first run still imports starts a second run beside it, and its address has
    no settings. One run imports, and the others wait: two at once would meet each other's packages half imported.
    """
    if OPENED not in st.session_state:
        st.session_state[OPENED] = {key: st.query_params.get_all(key) for key in st.query_params}
    with _IMPORTING:
        for name in SHARED:
            import_module(name)
