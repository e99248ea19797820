"""Sessions that are over and downloads that were made: the server lets go of both soon, even where nobody comes.

Streamlit alone looks for sessions that are over when another one ends, and keeps what a download button made until
runs of any script have ended twice: long on a quiet server, too short for a browser to fetch it on a busy one.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pyarrow as pa
import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import RerunException, add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from dpslr_core.support.work import memory

COMES_BACK = 100  # seconds after which a session whose tab is closed has ended; below Streamlit's 120
FETCHED = 60  # seconds within which a browser fetches a download, if its session lasts as long
REPLACED = 5.0  # seconds for which buttons work that another page has replaced
SHOWN = "shown to "  # and the session: who the files of shown pages are kept for
LOOKS = 0.5  # seconds between two looks
# Seconds after the end of a session at which memory is given back: the server's own thread ends it, and may be busy.
GIVES_BACK = (LOOKS / 2, 5.0, 30.0)


@dataclass(frozen=True)
class Download:
    """A file that can be fetched: the session it was made for, when (monotonic), and who it is kept for."""

    session: str
    made: float
    keeper: str


@dataclass(frozen=True)
class Page:
    """A page as it was sent: when (monotonic), whether to its end, and its files by their places."""

    drawn: float
    complete: bool
    files: dict[str, str]


@dataclass
class Watch:
    """What ends with its session. runtime: Streamlit's. left: when each session's tab was first seen closed.

    states: what each session keeps. pages: what its browser may show. timers: when memory is given back next.
    """

    runtime: Runtime
    left: dict[str, float | None] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    pages: dict[str, list[Page]] = field(default_factory=dict)
    downloads: list[Download] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    timers: list[threading.Timer] = field(default_factory=list)

    def follow(self, session: str, state: Any = None) -> None:
        """Watch a session until it has ended. state: what it keeps, which is then cleared."""
        with self.lock:
            if not self.left:
                threading.Thread(target=self._look_until_all_have_ended, daemon=True).start()
            self.left.setdefault(session, None)
            self.states[session] = state

    def hold(self, session: str, content: bytes, name: str, kind: str) -> None:
        """Keep a file that is being downloaded for as long as its browser needs it."""
        keeper = f"download {uuid4().hex}"
        keep = partial(self.runtime.media_file_mgr.add, content, kind, "download", name, is_for_static_download=True)
        thread = threading.Thread(target=keep)  # Streamlit keeps a file for the session of the thread that adds it
        add_script_run_ctx(thread, cast(ScriptRunContext, SimpleNamespace(session_id=keeper)))
        thread.start()
        thread.join()
        with self.lock:
            self.downloads.append(Download(session, time.monotonic(), keeper))

    def keep_shown(self, session: str, complete: bool) -> None:
        """Keep the buttons of the page that has just been drawn, and for a while those that it replaced.

        Streamlit lets go of a page's buttons when its next run starts, and forgets them when any run ends, while a
        browser shows them until it has drawn new ones: a click in between would bring nothing, and say nothing.
        complete: whether the page was drawn to its end.
        """
        now, files = time.monotonic(), self.runtime.media_file_mgr
        with suppress(AttributeError), files._lock:  # of a later Streamlit
            kept = files._files_by_session_and_coord
            pages = self.pages.setdefault(session, [])
            pages.append(Page(now, complete, dict(kept.get(session, {}))))
            replaced = [i for i, page in enumerate(pages) if page.complete and now - page.drawn >= REPLACED]
            del pages[: max(replaced, default=0)]
            kept[SHOWN + session] = {
                f"{i} {place}": file for i, page in enumerate(pages) for place, file in page.files.items()
            }

    def look(self) -> bool:
        """Let go of what is over; whether there is more to watch."""
        now = time.monotonic()
        with self.lock:
            self._let_go_of_downloads(now)
            ended = self._ended(now)
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
        """Empty what a session kept: Streamlit's loop holds the last session that it served until there is another."""
        with self.lock:
            state = self.states.pop(session, None)
            self.pages.pop(session, None)
        self.runtime.media_file_mgr.clear_session_refs(SHOWN + session)
        self.runtime.media_file_mgr.remove_orphaned_files()
        with suppress(AttributeError):  # of a later Streamlit
            state._state.clear()
            state._state._new_widget_state.widget_metadata.clear()  # the arguments of callbacks

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

    def _let_go_of_downloads(self, now: float) -> None:
        over = [d for d in self.downloads if now - d.made >= FETCHED or not self.runtime.is_active_session(d.session)]
        for download in over:
            self.runtime.media_file_mgr.clear_session_refs(download.keeper)
            self.downloads.remove(download)
        if over:
            for _ in range(2):  # the first time marks what nothing refers to
                self.runtime.media_file_mgr.remove_orphaned_files()


pa.set_memory_pool(pa.system_memory_pool())  # texts of tables; its own pool would not give memory back


@st.cache_resource(show_spinner=False)
def _watch_of(_runtime: Runtime, number: int) -> Watch:
    return Watch(_runtime)


def watch_session() -> tuple[Watch, str] | None:
    """The server's watch and the session of the page that runs, which is watched; None where no server runs it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not Runtime.exists() or type(Runtime.instance()) is not Runtime:  # tests have none
        return None
    watch: Watch = _watch_of(Runtime.instance(), id(Runtime.instance()))
    watch.follow(context.session_id, context.session_state)
    return watch, context.session_id


def held(make: Callable[[], bytes], name: str, kind: str) -> Callable[[], bytes]:
    """Makes a file when a button of the page that runs asks for it; it can be fetched for FETCHED seconds at most."""
    watched = watch_session()

    def made() -> bytes:
        content = make()
        if watched is not None:
            watch, session = watched
            watch.hold(session, content, name, kind)
        return content

    return made


@contextmanager
def buttons_stay() -> Iterator[None]:
    """Around a page: its download buttons work until the next page has been drawn, however often that is begun."""
    complete = True
    try:
        yield
    except RerunException:
        complete = False
        raise
    finally:
        watched = watch_session()
        if watched is not None:
            watch, session = watched
            watch.keep_shown(session, complete)


def give_memory_back() -> None:
    """Return what sessions that are over held to the system."""
    gc.unfreeze()  # what was set aside may belong to the session that has ended
    gc.collect()
    memory.give_memory_back()
