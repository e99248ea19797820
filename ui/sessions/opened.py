"""The address that a session began with, noted before the other imports.

In a new server they take seconds. A page that comes back after a restart looks alive meanwhile, and whoever turns to
another page starts a second run beside the first: its address has no settings, and it may be the first to be through.
"""

from __future__ import annotations

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

SESSIONS = 1000  # whose addresses are kept until they end
queries: dict[str, str] = {}  # by session


def note_address() -> None:
    """Note the query of the session's first run."""
    context = served_context()
    if context is not None:
        queries.setdefault(context.session_id, context.query_string)
        while len(queries) > SESSIONS:
            queries.pop(next(iter(queries)), None)


def served_context() -> ScriptRunContext | None:
    """Streamlit's context of the page that runs; None where no server runs it."""
    context = get_script_run_ctx(suppress_warning=True)
    real = Runtime.exists() and type(Runtime.instance()) is Runtime  # tests have another
    return context if real else None
