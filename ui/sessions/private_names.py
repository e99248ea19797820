"""Names of Streamlit that it does not promise to keep, used here alone: without one of them Streamlit is as it is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from typing import Any

import streamlit as st
from streamlit import net_util
from streamlit.runtime import forward_msg_queue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager

# What the server sends because the browser has asked for it, once: where a file is that was clicked on, and where an
# upload may go.
ANSWERS = ("backend_operation_response", "file_urls_response")
A_DAY = 86_400  # seconds
_patching = threading.Lock()


def started_without_app() -> bool:
    """Whether Streamlit's own discovery of pages/ has started this page, as it does at a cold deep link."""
    return bool(getattr(PagesManager, "uses_pages_directory", False))


def ask_nobody() -> None:
    """Let Streamlit not look up the server's public address.

    It does where a foreign page wants a session, which is refused in any case; meanwhile nobody else is answered.
    """
    if hasattr(net_util, "get_external_ip"):
        net_util.get_external_ip = _unknown


def _unknown() -> None:
    return None


def answers_stay() -> None:
    """Let a run that starts not drop the answers that are on their way to the browser.

    It drops all that an earlier run of the page has drawn and that is not sent yet, and Streamlit drops answers too: a
    click on a download, just before or after another control, brought nothing.
    """
    with _patching:
        queue: Any = getattr(forward_msg_queue, "ForwardMsgQueue", None)
        if queue is None or hasattr(queue.clear, "__wrapped__"):
            return
        clear = queue.clear

        @wraps(clear)
        def clear_all_but_answers(self: Any, retain_lifecycle_msgs: bool = False, *args: Any, **more: Any) -> None:
            waiting = list(getattr(self, "_queue", ())) if retain_lifecycle_msgs else []
            clear(self, retain_lifecycle_msgs, *args, **more)
            left = {id(message) for message in getattr(self, "_queue", ())}
            dropped = [message for message in waiting if id(message) not in left]
            with suppress(AttributeError):
                self._queue += [message for message in dropped if message.WhichOneof("type") in ANSWERS]

        queue.clear = clear_all_but_answers


def start_from_address(context: Any) -> None:
    """Let the widgets that are bound to the address start from what this run has put into it."""
    with suppress(AttributeError), context.session_state.query_params() as address:
        address.set_initial_query_params_from_current()


@st.fragment(run_every=A_DAY)
def asks_when_reconnected() -> None:
    """Nothing, once a day: a page that has something to repeat asks to be run as soon as it is connected again.

    Any other page stays as it was drawn. Where its session is lost, the new one would first hear of the next page that
    is turned to, without the address of this one, and start from usual settings.
    """


@contextmanager
def references(manager: MediaFileManager) -> Iterator[dict[str, dict[str, str]]]:
    """The files that are kept, by the session they are kept for and their place; nobody else changes them meanwhile."""
    with getattr(manager, "_lock", nullcontext()):
        yield getattr(manager, "_files_by_session_and_coord", {})


def upload_manager(runtime: Any) -> MemoryUploadedFileManager | None:
    """What holds the uploads of all sessions; None where it is not in memory."""
    manager = getattr(runtime, "_uploaded_file_mgr", None)
    return manager if isinstance(manager, MemoryUploadedFileManager) else None


def clear_state(state: Any) -> None:
    """Empty what a session kept: Streamlit's loop holds the last session that it served until there is another."""
    with suppress(AttributeError):
        state._state.clear()
        state._state._new_widget_state.widget_metadata.clear()  # the arguments of callbacks
