"""What pages do with names of Streamlit that it does not promise to keep.

ui/link.py, ui/sessions.py and ui/takeaway.py import such names, too. tests/app/test_private_names.py looks for all of
them; requirements.txt allows no version of Streamlit that was not tried.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st
from streamlit import net_util
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

# What the server sends because the browser has asked for it, once: where a file is that was clicked on, and where an
# upload may go.
ANSWERS = ("backend_operation_response", "file_urls_response")
A_DAY = 86_400  # seconds
CONNECTION, CAME_BACK = "connection", "came_back"  # of the session's tab, in the session state
_patching = threading.Lock()


def ask_nobody() -> None:
    """Let Streamlit not look up the server's public address.

    It does where a foreign page wants a session, which is refused in any case; meanwhile nobody else is answered.
    """
    net_util.get_external_ip = lambda: None


def answers_stay() -> None:
    """Let a run that starts not drop the answers that are on their way to the browser.

    It drops all that an earlier run of the page has drawn and that is not sent yet, and Streamlit drops answers too: a
    click on a download, just before or after another control, brought nothing.
    """
    with _patching:
        queue: Any = ForwardMsgQueue
        if hasattr(queue.clear, "__wrapped__"):
            return
        clear = queue.clear

        @wraps(clear)
        def clear_all_but_answers(self: Any, retain_lifecycle_msgs: bool = False, *args: Any, **more: Any) -> None:
            waiting = list(self._queue) if retain_lifecycle_msgs else []
            clear(self, retain_lifecycle_msgs, *args, **more)
            left = {id(message) for message in self._queue}
            dropped = [message for message in waiting if id(message) not in left]
            self._queue += [message for message in dropped if message.WhichOneof("type") in ANSWERS]

        queue.clear = clear_all_but_answers


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


def with_each_message(place: DeltaGenerator, change: Callable[[Any], None]) -> None:
    """Let each message that this place sends be changed before."""
    enqueue = place._enqueue

    def changed(kind: str, message: Any, *args: Any, **more: Any) -> Any:
        change(message)
        return enqueue(kind, message, *args, **more)

    object.__setattr__(place, "_enqueue", changed)


@contextmanager
def references(manager: MediaFileManager) -> Iterator[dict[str, dict[str, str]]]:
    """The files that are kept, by the session they are kept for and their place; nobody else changes them meanwhile."""
    with manager._lock:
        yield manager._files_by_session_and_coord


def upload_manager(runtime: Any) -> MemoryUploadedFileManager | None:
    """What holds the uploads of all sessions; None where it is not in memory."""
    manager = runtime._uploaded_file_mgr
    return manager if isinstance(manager, MemoryUploadedFileManager) else None


def clear_state(state: Any) -> None:
    """Empty what a session kept: Streamlit's loop holds the last session that it served until there is another."""
    if state is not None:
        state._state.clear()
        state._state._new_widget_state.widget_metadata.clear()  # the arguments of callbacks


def to_the_top() -> None:
    """Scroll to where the page begins; Streamlit stays where it is when what stood above is folded away."""
    scroll = "document.querySelector('[data-testid=\"stMain\"]').scrollTo(0, 0)"
    st.html(f"<script>{scroll}</script>", unsafe_allow_javascript=True)
