"""Files of sessions: uploads, those that the buttons of shown pages make, and downloads on their way to a browser.

Streamlit drops a page's buttons when its next run has started and any run ends, while a browser shows them until it has
drawn new ones: a click in between would bring nothing, and say nothing. It keeps what a button made until runs of any
script have ended twice: long on a quiet server, too short for a browser on a busy one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import cast
from uuid import uuid4

from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import add_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from .private_names import references

FETCHED = 60  # seconds within which a browser fetches a download, if its session lasts as long
REPLACED = 2.0  # seconds for which buttons work that another page has replaced
OF_A_SESSION = 60 * 2**20  # bytes of its uploads, one of 50 MB among them: the oldest are let go of
OF_ALL = 500 * 2**20  # bytes of all uploads to a server process: what is more is refused
_SHOWN = "shown to "  # and the session: who the files of shown pages are kept for


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
class Files:
    """What is kept beyond Streamlit's time. manager: Streamlit's. pages: what the browser of a session may show."""

    manager: MediaFileManager
    pages: dict[str, list[Page]] = field(default_factory=dict)
    downloads: list[Download] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def hold(self, session: str, content: bytes, name: str, kind: str) -> None:
        """Keep a file that is being downloaded for as long as its browser needs it."""
        keeper = f"download {uuid4().hex}"
        keep = partial(self.manager.add, content, kind, "download", name, is_for_static_download=True)
        thread = threading.Thread(target=keep)  # Streamlit keeps a file for the session of the thread that adds it
        add_script_run_ctx(thread, cast(ScriptRunContext, SimpleNamespace(session_id=keeper)))
        thread.start()
        thread.join()
        with self.lock:
            self.downloads.append(Download(session, time.monotonic(), keeper))

    def keep_shown(self, session: str, complete: bool) -> None:
        """Keep the buttons of the page that has just been drawn, and for a while those that it replaced.

        complete: whether the page was drawn to its end.
        """
        with references(self.manager) as kept:
            files = dict(kept.get(session, {}))
            self.pages.setdefault(session, []).append(Page(time.monotonic(), complete, files))
            self._drop_replaced(session, kept)

    def drop_expired(self, is_there: Callable[[str], bool]) -> None:
        """Drop what has had its time, and downloads whose session is not there."""
        now = time.monotonic()
        with self.lock:
            over = [each for each in self.downloads if now - each.made >= FETCHED or not is_there(each.session)]
            for download in over:
                self.manager.clear_session_refs(download.keeper)
                self.downloads.remove(download)
        with references(self.manager) as kept:
            replaced = [session for session in self.pages if self._drop_replaced(session, kept)]
        if over or replaced:
            for _ in range(2):  # the first time marks downloads that nothing refers to
                self.manager.remove_orphaned_files()

    def _drop_replaced(self, session: str, kept: dict[str, dict[str, str]]) -> bool:
        """Drop the pages that no browser shows any more; whether there were any. kept: see references."""
        pages, now = self.pages[session], time.monotonic()
        replaced = max((i for i, page in enumerate(pages) if page.complete and now - page.drawn >= REPLACED), default=0)
        del pages[:replaced]
        kept[_SHOWN + session] = {
            f"{i} {place}": file for i, page in enumerate(pages) for place, file in page.files.items()
        }
        return replaced > 0

    def end(self, session: str) -> None:
        """Forget the pages of a session that is over."""
        self.pages.pop(session, None)
        self.manager.clear_session_refs(_SHOWN + session)
        self.manager.remove_orphaned_files()


@dataclass
class Uploads:
    """What visitors have sent, with a bound for each session and one for all, under whatever ids it is sent.

    manager: Streamlit's. refused: of each session the id of the last file that there was no room for.
    """

    manager: MemoryUploadedFileManager
    refused: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._add = self.manager.add_file
        self.manager.add_file = self.add  # type: ignore[method-assign]

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

    def end(self, session: str) -> None:
        """Forget a session that is over; Streamlit lets go of its files."""
        self.refused.pop(session, None)


def _size(files: Iterable[UploadedFileRec]) -> int:
    return sum(len(file.data) for file in list(files))
