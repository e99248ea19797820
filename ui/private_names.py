"""What pages do with names of Streamlit that it does not promise to keep."""

from __future__ import annotations

from streamlit.runtime.scriptrunner import get_script_run_ctx


def end_if_asked() -> None:
    """Streamlit's own look at whether this run is to end, which every st.* call has: here without a message."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        context.yield_check()


def runs_in_a_page() -> bool:
    """Whether this thread runs a page, or a part of one."""
    return get_script_run_ctx(suppress_warning=True) is not None


def fragments_run_again() -> list[str] | None:
    """The fragments that are run again without their page, a list of its own for each run; None where a page runs."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.fragment_ids_this_run or None
