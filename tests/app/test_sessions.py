"""Sessions that are over end, and downloads expire, whoever else is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui import sessions, takeaway
from ui.ends import PageEnds
from ui.private_names import answers_stay
from ui.sessions import COMES_BACK, FETCHED, REPLACED, SHARED, Watch

ROOT = Path(__file__).parents[2]


class Server:
    """What a watch needs of Streamlit's runtime."""

    def __init__(self) -> None:
        self.storage = MemoryMediaFileStorage("/media")
        self.media_file_mgr = MediaFileManager(self.storage)
        self.here: set[str] = set()
        self.closed: list[str] = []
        self._uploaded_file_mgr = None

    def is_active_session(self, session: str) -> bool:
        return session in self.here

    def clear_user_info_for_session(self, session: str) -> None:
        self.closed.append(session)

    def files(self) -> list[bytes]:
        return [file.content for file in self.storage._files_by_id.values()]


class Time:
    now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    clock = Time()
    monkeypatch.setattr(sessions.time, "monotonic", clock.monotonic)
    monkeypatch.setattr(sessions, "give_memory_back", lambda: None)
    monkeypatch.setattr(Watch, "_look_until_all_have_ended", lambda self: None)
    return clock


def watch_of(*sessions: str) -> tuple[Server, Watch]:
    server = Server()
    server.here |= set(sessions)
    watch = Watch(server)  # type: ignore[arg-type]
    for session in sessions:
        watch.follow(session)
    return server, watch


def test_a_download_outlives_the_runs_of_others_but_not_its_time(clock: Time):
    server, watch = watch_of("one")
    watch.hold("one", b"x,y", "a.csv", "text/csv")
    for _ in range(5):
        server.media_file_mgr.remove_orphaned_files()
    clock.now += FETCHED - 1
    assert watch.look() and server.files() == [b"x,y"]
    clock.now += 1
    assert watch.look() and server.files() == [] and not watch.downloads


def test_a_download_goes_with_its_session_and_the_same_file_of_another_stays(clock: Time):
    server, watch = watch_of("one", "other")
    for session in ("one", "other"):
        watch.hold(session, b"x,y", "a.csv", "text/csv")
    watch.hold("one", b"1,2", "b.csv", "text/csv")
    server.here.remove("one")
    watch.look()
    assert server.files() == [b"x,y"]
    server.here.remove("other")
    watch.look()
    assert server.files() == []


def test_a_closed_tab_may_come_back_and_ends_otherwise(clock: Time):
    server, watch = watch_of("one")
    server.here.remove("one")
    watch.look()
    clock.now += COMES_BACK - 1
    server.here.add("one")
    assert watch.look() and not server.closed
    server.here.remove("one")
    watch.look()
    clock.now += COMES_BACK - 1
    assert watch.look() and not server.closed
    clock.now += 1
    assert not watch.look() and server.closed == ["one"]


def test_a_session_that_a_watch_followed_can_be_followed_again(clock: Time):
    _, watch = watch_of("one")
    watch.follow("one")
    assert list(watch.sessions) == ["one"]


def test_what_an_ended_session_kept_is_cleared(monkeypatch):
    from streamlit.runtime.state import SafeSessionState, SessionState

    monkeypatch.setattr(sessions, "COMES_BACK", 0)
    monkeypatch.setattr(sessions, "give_memory_back", lambda: None)
    state = SafeSessionState(SessionState(), lambda: None)
    state["upload"] = "records"
    watch = Watch(Server())  # type: ignore[arg-type]
    watch.sessions["one"] = sessions.Session(state)
    assert not watch.look() and "upload" not in state


def test_buttons_work_for_a_while_after_another_page_has_replaced_theirs(clock: Time, monkeypatch):
    server, watch = watch_of("one")
    media = server.media_file_mgr
    monkeypatch.setattr("streamlit.runtime.media_file_manager._get_session_id", lambda: "one")

    def page(complete: bool = True) -> str:
        media.clear_session_refs()
        button = media.add_deferred(lambda: b"x,y", "text/csv", "0.1", "a.csv")
        watch.keep_shown("one", complete)
        media.remove_orphaned_files()
        return button

    def work(*buttons: str) -> list[bool]:
        return [button in media._deferred_callables for button in buttons]

    first = page()
    clock.now += REPLACED
    for _ in range(3):  # runs that were begun, and that others ended
        media.clear_session_refs()
        watch.keep_shown("one", complete=False)
        media.remove_orphaned_files()
    assert work(first) == [True]
    begun = page(complete=False)
    clock.now += REPLACED
    second = page()
    assert work(first, begun, second) == [True, True, True]
    clock.now += REPLACED
    watch.look()  # without another run
    assert work(first, begun, second) == [False, False, True]
    third = page()
    assert work(second, third) == [True, True]
    server.here.remove("one")
    watch.look()
    clock.now += COMES_BACK
    media.clear_session_refs()  # as Streamlit does
    assert not watch.look() and work(second, third) == [False, False]


def test_an_answer_to_the_browser_outlives_the_start_of_a_run():
    """A run that starts drops what an earlier one has drawn; not where the file is that somebody has clicked on."""
    answers_stay()
    answers_stay()
    sent = ForwardMsg(), ForwardMsg(), ForwardMsg(), ForwardMsg()
    sent[0].backend_operation_response.deferred_file.url = "/media/a.html"
    sent[1].delta.new_element.markdown.body = "an earlier run"
    sent[2].file_urls_response.response_id = "upload"
    sent[3].script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    for fragments in (None, ["one"]):
        queue = ForwardMsgQueue()
        for message in sent:
            queue.enqueue(message)
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
        kinds = sorted(str(message.WhichOneof("type")) for message in queue.flush())
        drawn = ["delta"] if fragments else []
        assert kinds == sorted(["backend_operation_response", "file_urls_response", "script_finished", *drawn])
        assert queue.is_empty(), "what was sent is not kept"


def test_uploads_are_bounded_for_each_session_and_for_all_under_whatever_ids(monkeypatch, clock):
    monkeypatch.setattr(sessions, "OF_A_SESSION", 60)
    monkeypatch.setattr(sessions, "OF_ALL", 150)
    server, manager = Server(), MemoryUploadedFileManager("/upload")
    server._uploaded_file_mgr = manager
    watch = Watch(server)  # type: ignore[arg-type]

    def send(session: str, file: str, size: int) -> None:
        manager.add_file(session, UploadedFileRec(file, "a.csv", "text/csv", b"x" * size))

    def held(session: str) -> dict[str, int]:
        return {name: len(file.data) for name, file in manager.file_storage[session].items()}

    for number in range(20):
        send("one", f"invented {number}", 25)
    assert held("one") == {"invented 18": 25, "invented 19": 25}
    send("one", "invented 19", 30)
    assert held("one") == {"invented 18": 25, "invented 19": 30}
    send("one", "large", 60)
    send("two", "large", 60)
    send("three", "large", 40)
    assert held("one") == held("two") == {"large": 60} and held("three") == {"large": 0}
    assert watch.uploads.refused == {"three": "large"}
    send("two", "small", 10)
    send("three", "again", 60)
    assert held("two") == {"small": 10} and held("three") == {"large": 0, "again": 60}
    monkeypatch.setattr(sessions, "COMES_BACK", 0)
    watch.sessions["three"] = sessions.Session()
    assert not watch.look() and not watch.uploads.refused


@pytest.mark.parametrize("ended, complete", [(StopException, False), (PageEnds, True)])
def test_a_run_that_is_stopped_for_another_replaces_no_buttons_and_a_page_that_ends_itself_does(
    monkeypatch, ended: type[Exception], complete: bool
):
    said: list[bool] = []
    kept = SimpleNamespace(keep_shown=lambda session, drawn: said.append(drawn))
    monkeypatch.setattr(takeaway, "watch_session", lambda: (kept, "one"))
    with pytest.raises(ended), takeaway.buttons_stay():
        raise ended
    assert said == [complete]


def test_all_packages_that_import_their_own_modules_are_imported_by_one_run():
    """Two runs that import such a package at once may each meet it half imported."""
    script = f"import sys, {', '.join(SHARED)}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    heads = (ROOT / "dpslr_core").rglob("__init__.py")
    packages = [path.parent.relative_to(ROOT) for path in heads if re.search(r"^from \.", path.read_text(), re.M)]
    names = {".".join(path.parts) for path in packages} - {"dpslr_core.cli"}  # no page imports it
    assert len(names) > 5 and names <= set(ran.stdout.split())
