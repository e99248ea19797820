"""What belongs to one visitor: the address a session began with, its uploads and downloads, and when they end.

Streamlit alone looks for sessions that are over when another one ends. It drops a page's buttons when its next run has
started and any run ends, while a browser shows them until it has drawn new ones: a click in between would bring
nothing, and say nothing. It keeps what a button made until runs of any script have ended twice: long on a quiet server,
too short for a browser on a busy one. Nothing here takes long to import: a page notes its address before all else.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from .private_names import clear_state, references, upload_manager

COMES_BACK = 100  # seconds after which a session whose tab is closed has ended; below Streamlit's 120
LOOKS = 0.5  # seconds between two looks
FETCHED = 60  # seconds within which a browser fetches a download, if its session lasts as long
REPLACED = 2.0  # seconds for which buttons work that another page has replaced
OF_A_SESSION = 60 * 2**20  # bytes of its uploads, one of 50 MB among them: the oldest are let go of
OF_ALL = 500 * 2**20  # bytes of all uploads to a server process: what is more is refused
_SHOWN = "shown to "  # and the session: who the files of shown pages are kept for


def _served_context() -> ScriptRunContext | None:
    """Streamlit's context of the page that runs; None where no server runs it."""
    context = get_script_run_ctx(suppress_warning=True)
    real = Runtime.exists() and type(Runtime.instance()) is Runtime  # tests have another
    return context if real else None


@dataclass
class Page:
    """A page as it was sent: when (monotonic), whether to its end, and its files by their places."""

    drawn: float
    complete: bool
    files: dict[str, str]


@dataclass
class Session:
    """What the server keeps of one tab: its state, when it was first seen closed, and pages that it may show."""

    state: Any = None
    left: float | None = None
    pages: list[Page] = field(default_factory=list)


class Watch:
    """What ends with its session, or sooner. runtime: Streamlit's."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime, self.media = runtime, runtime.media_file_mgr
        self.sessions: dict[str, Session] = {}
        self.downloads: list[tuple[str, float, str]] = []  # of which session, when, and who they are kept for
        self.lock = threading.Lock()
        manager = upload_manager(runtime)
        self.uploads = None if manager is None else Uploads(manager)

    def follow(self, name: str, state: Any = None) -> None:
        """Watch a session until it has ended. state: what it keeps, which is then cleared."""
        with self.lock:
            if not self.sessions:
                threading.Thread(target=self._look_until_all_have_ended, daemon=True).start()
            self.sessions.setdefault(name, Session()).state = state

    def _look_until_all_have_ended(self) -> None:
        while self.look():
            time.sleep(LOOKS)

    def look(self) -> bool:
        """Drop what is over; whether there is more to watch."""
        now = time.monotonic()
        self._drop_expired(now)
        with self.lock:
            for name, session in self.sessions.items():  # a tab that came back counts as never closed
                here = self.runtime.is_active_session(name)
                session.left = None if here else now if session.left is None else session.left
            ended = {n: s for n, s in self.sessions.items() if s.left is not None and now - s.left >= COMES_BACK}
        for name, session in ended.items():
            self.runtime.clear_user_info_for_session(name)  # of a closed tab: ends the session
            self.media.clear_session_refs(_SHOWN + name)
            self.media.remove_orphaned_files()
            if self.uploads is not None:
                self.uploads.refused.pop(name, None)
            clear_state(session.state)
        with self.lock:
            for name in ended:
                del self.sessions[name]
            there = bool(self.sessions)
        if ended:
            give_memory_back()
        return there

    def hold(self, name: str, content: bytes, file: str, kind: str) -> None:
        """Keep a file that is being downloaded for as long as its browser needs it."""
        keeper = f"download {uuid4().hex}"
        keep = partial(self.media.add, content, kind, "download", file, is_for_static_download=True)
        thread = threading.Thread(target=keep)  # Streamlit keeps a file for the session of the thread that adds it
        add_script_run_ctx(thread, cast(ScriptRunContext, SimpleNamespace(session_id=keeper)))
        thread.start()
        thread.join()
        with self.lock:
            self.downloads.append((name, time.monotonic(), keeper))

    def keep_shown(self, name: str, complete: bool) -> None:
        """Keep the buttons of the page that has just been drawn, and for a while those that it replaced.

        complete: whether the page was drawn to its end.
        """
        with references(self.media) as kept:
            page = Page(time.monotonic(), complete, dict(kept.get(name, {})))
            self.sessions[name].pages.append(page)
            self._drop_replaced(name, kept)

    def _drop_expired(self, now: float) -> None:
        """Drop what has had its time, and downloads whose session is not there."""
        with self.lock:
            over = [
                each
                for each in self.downloads
                if now - each[1] >= FETCHED or not self.runtime.is_active_session(each[0])
            ]
            self.downloads = [each for each in self.downloads if each not in over]
            names = list(self.sessions)
        for _, _, keeper in over:
            self.media.clear_session_refs(keeper)
        with references(self.media) as kept:
            replaced = [name for name in names if self._drop_replaced(name, kept)]
        if over or replaced:
            for _ in range(2):  # the first time marks downloads that nothing refers to
                self.media.remove_orphaned_files()

    def _drop_replaced(self, name: str, kept: dict[str, dict[str, str]]) -> bool:
        """Drop the pages that no browser shows any more; whether there were any. kept: see references."""
        pages, now = self.sessions[name].pages, time.monotonic()
        replaced = max((i for i, page in enumerate(pages) if page.complete and now - page.drawn >= REPLACED), default=0)
        del pages[:replaced]
        kept[_SHOWN + name] = {
            f"{i} {place}": file for i, page in enumerate(pages) for place, file in page.files.items()
        }
        return replaced > 0


class Uploads:
    """What visitors have sent, with a bound for each session and one for all, under whatever ids it is sent.

    manager: Streamlit's. refused: of each session the id of the last file that there was no room for.
    """

    def __init__(self, manager: MemoryUploadedFileManager) -> None:
        self.manager, self.refused = manager, dict[str, str]()
        self._add = manager.add_file
        manager.add_file = self.add  # type: ignore[method-assign]

    def add(self, session_id: str, file: UploadedFileRec) -> None:
        """Take a file, an empty one where there is no room; let go of the session's oldest where it has too much."""
        self.manager.remove_file(session_id, file.file_id)
        kept = list(self.manager.file_storage.get(session_id, {}).values())
        while kept and _size(kept) + len(file.data) > OF_A_SESSION:
            self.manager.remove_file(session_id, kept.pop(0).file_id)
        if sum(_size(each.values()) for each in list(self.manager.file_storage.values())) + len(file.data) > OF_ALL:
            self.refused[session_id] = file.file_id
            file = file._replace(data=b"")
        self._add(session_id, file)


def _size(files: Iterable[UploadedFileRec]) -> int:
    return sum(len(file.data) for file in list(files))


_watching = threading.Lock()


@cache
def _watch_of(runtime: Runtime) -> Watch:
    """The watch of a server; from then on texts of tables are in memory that can be given back."""
    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())  # `benchmarks uploads`: 1.1 of before afterwards, else 1.7
    return Watch(runtime)


def watch_session() -> tuple[Watch, str] | None:
    """The server's watch and the session of the page that runs, which is watched; None where no server runs it."""
    context = _served_context()
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
    """Return what sessions that are over held to the system (`benchmarks uploads`: 1.1 of before, else 2.5)."""
    from dpslr_core.support import run

    time.sleep(LOOKS)  # the server's own thread ends a session
    gc.collect()
    run.give_memory_back()
