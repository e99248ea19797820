"""What pages do with names of Streamlit that it does not promise to keep.

ui/link.py and ui/sessions.py import such names, too.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import wraps
from typing import Any

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.session_state import SessionState

A_DAY = 86_400  # seconds
CONNECTION, CAME_BACK = "connection", "came_back"  # of the session's tab, in the session state
_patching = threading.Lock()


def values_arrive() -> None:
    """Let the browser be told the value of a widget until it says one itself, and again when it has come back.

    Streamlit tells once what Python has set, and drops that with all that is not sent yet when another run starts: the
    browser drew a slider at its first stop, and at the next step said that it had been moved there. Where a connection
    ends during a run, Streamlit stops the run and tells the browser, once it is back, that the run is complete: the
    browser then forgets what was not drawn in it, just after it has said the values. At the beginning of a run.
    """
    st.session_state[CAME_BACK] = came_back()
    with _patching:
        state: Any = SessionState
        if hasattr(state.register_widget, "__wrapped__"):
            return
        register = state.register_widget

        @wraps(register)
        def register_and_tell(self: Any, metadata: Any, user_key: str | None) -> Any:
            first = st.session_state.get(CAME_BACK) and not fragments_run_again()
            knows = metadata.id in self._new_widget_state and not first
            found = register(self, metadata, user_key)
            if knows or found.value_changed or user_key is None or found.value == metadata.deserializer(None):
                return found
            return replace(found, value_changed=True)

        state.register_widget = register_and_tell


def came_back() -> bool:
    """Whether the browser has connected since the last run that asked."""
    context = get_script_run_ctx(suppress_warning=True)
    client = Runtime.instance().get_client(context.session_id) if context is not None and Runtime.exists() else None
    before = st.session_state.get(CONNECTION)
    st.session_state[CONNECTION] = client
    return before is not client


def start_from_address(context: ScriptRunContext) -> None:
    """Let the widgets that are bound to the address start from what this run has put into it."""
    with context.session_state.query_params() as address:
        address.set_initial_query_params_from_current()


def gone_back_or_forward() -> bool:
    """Whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def fragments_run_again() -> list[str] | None:
    """The fragments that are run again without their page, a list of its own for each run; None where a page runs."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.fragment_ids_this_run or None


@st.fragment(run_every=A_DAY)
def asks_when_reconnected() -> None:
    """Nothing, once a day: a page that has something to repeat asks to be run as soon as it is connected again.

    Any other page stays as it was drawn. Where its session is lost, the new one would first hear of the next page that
    is turned to, without the address of this one, and start from usual settings.
    """
