"""What pages do with names of Streamlit that it does not promise to keep."""

from __future__ import annotations

from streamlit.runtime.scriptrunner import get_script_run_ctx


def fragments_run_again() -> list[str] | None:
    """The fragments that are run again without their page, a list of its own for each run; None where a page runs."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.fragment_ids_this_run or None
