"""The address that each session began with. Nothing here takes long to import: a page notes its address first."""

from __future__ import annotations

import threading
from importlib import import_module

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

SESSIONS = 1000  # whose addresses are kept
queries: dict[str, str] = {}  # the address that each session began with
SHARED = ("ui.sidebar", "dpslr_core.guidance")  # all packages that import their own modules are among what these need
_IMPORTING = threading.Lock()


def note_address() -> None:
    """Note the query of the session's first run, before the other imports, which take seconds in a new server.

    A page that comes back after a restart looks alive meanwhile, and whoever turns to another page starts a second run
    beside the first: its address has no settings, and it may be the first to be through. What all pages share is
    imported by one run, for which the others wait: two at once would meet each other's packages half imported.
    """
    context = _served_context()
    if context is not None:
        queries.setdefault(context.session_id, context.query_string)
        while len(queries) > SESSIONS:
            queries.pop(next(iter(queries)), None)
    with _IMPORTING:
        for name in SHARED:
            import_module(name)


def _served_context() -> ScriptRunContext | None:
    """Streamlit's context of the page that runs; None where no server runs it."""
    context = get_script_run_ctx(suppress_warning=True)
    real = Runtime.exists() and type(Runtime.instance()) is Runtime  # tests have another
    return context if real else None
