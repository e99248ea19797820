"""Sessions that are over and their files: the server drops both soon, even where nobody comes.

Streamlit alone looks for sessions that are over when another one ends.
"""

from __future__ import annotations

import gc
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa
from streamlit.runtime import Runtime

from dpslr_core.support import run as memory

from .files import Files, Uploads
from .opened import queries, served_context
from .private_names import clear_state, upload_manager

COMES_BACK = 100  # seconds after which a session whose tab is closed has ended; below Streamlit's 120
LOOKS = 0.5  # seconds between two looks
# Seconds after the end of a session at which memory is given back: the server's own thread ends it, and may be busy.
GIVES_BACK = (LOOKS / 2, 5.0, 30.0)


@dataclass
class Watch:
    """What ends with its session. runtime: Streamlit's. left: when each session's tab was first seen closed.

    states: what each session keeps. timers: when memory is given back next.
    """

    runtime: Runtime
    left: dict[str, float | None] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    timers: list[threading.Timer] = field(default_factory=list)
    files: Files = field(init=False)
    uploads: Uploads | None = field(init=False)

    def __post_init__(self) -> None:
        self.files = Files(self.runtime.media_file_mgr)
        manager = upload_manager(self.runtime)
        self.uploads = None if manager is None else Uploads(manager)

    def follow(self, session: str, state: Any = None) -> None:
        """Watch a session until it has ended. state: what it keeps, which is then cleared."""
        with self.lock:
            if not self.left:
                threading.Thread(target=self._look_until_all_have_ended, daemon=True).start()
            self.left.setdefault(session, None)
            self.states[session] = state

    def look(self) -> bool:
        """Drop what is over; whether there is more to watch."""
        self.files.drop_expired(self.runtime.is_active_session)
        with self.lock:
            ended = self._ended(time.monotonic())
        for session in ended:
            self.runtime.clear_user_info_for_session(session)  # of a closed tab: ends the session
            self._clear(session)
        if ended:
            self._give_memory_back_soon()
        with self.lock:
            for session in ended:
                del self.left[session]
            return bool(self.left)

    def _clear(self, session: str) -> None:
        """Let go of what a session kept."""
        with self.lock:
            state = self.states.pop(session, None)
            queries.pop(session, None)
        self.files.end(session)
        if self.uploads is not None:
            self.uploads.end(session)
        clear_state(state)

    def _give_memory_back_soon(self) -> None:
        """Once for all sessions that end together."""
        for timer in self.timers:
            timer.cancel()
        self.timers = [threading.Timer(after, give_memory_back) for after in GIVES_BACK]
        for timer in self.timers:
            timer.daemon = True
            timer.start()

    def _look_until_all_have_ended(self) -> None:
        while self.look():
            time.sleep(LOOKS)

    def _ended(self, now: float) -> list[str]:
        """The sessions whose tabs have been closed for long; a tab that came back counts as never closed."""
        for session, left in self.left.items():
            here = self.runtime.is_active_session(session)
            self.left[session] = None if here else now if left is None else left
        return [session for session, left in self.left.items() if left is not None and now - left >= COMES_BACK]


_watching = threading.Lock()
pa.set_memory_pool(pa.system_memory_pool())  # texts of tables; its own pool would not give memory back


@cache
def _watch_of(runtime: Runtime) -> Watch:
    return Watch(runtime)


def watch_session() -> tuple[Watch, str] | None:
    """The server's watch and the session of the page that runs, which is watched; None where no server runs it."""
    context = served_context()
    if context is None:
        return None
    with _watching:  # no cache of Streamlit's, at which a run that is to end ends
        watch = _watch_of(Runtime.instance())
    watch.follow(context.session_id, context.session_state)
    return watch, context.session_id


def upload_is_refused(file_id: str) -> bool:
    """Whether there was no room for this file of the session whose page runs."""
    watched = watch_session()
    uploads = watched[0].uploads if watched is not None else None
    return watched is not None and uploads is not None and uploads.refused.get(watched[1]) == file_id


def give_memory_back() -> None:
    """Return what sessions that are over held to the system."""
    gc.unfreeze()  # what was set aside may belong to the session that has ended
    gc.collect()
    memory.give_memory_back()
