"""The names of Streamlit that ui/ leans on, each of which a new version may drop."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import streamlit
from streamlit import net_util
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import Runtime, scriptrunner
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import RegisterWidgetResult
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

ROOT = Path(__file__).parents[2]
NAMES = {  # by class or module: its attributes
    net_util: ["get_external_ip"],
    MediaFileManager: ["clear_session_refs", "remove_orphaned_files"],
    SafeSessionState: ["query_params"],
    QueryParams: ["set_initial_query_params_from_current"],
    scriptrunner: ["StopException", "RerunException", "add_script_run_ctx"],
    DeltaGenerator: ["_enqueue"],
    Runtime: ["is_active_session", "clear_user_info_for_session"],
    MemoryUploadedFileManager: ["remove_file"],
    UploadedFileRec: ["data"],
}
FIELDS = {
    ScriptRunContext: ["is_history_navigation", "yield_check", "query_string"],
    SessionState: ["_new_widget_state"],
    RegisterWidgetResult: ["value_changed"],
}
MADE = (  # what is made, and its attributes
    (ForwardMsgQueue(), ["_queue"]),
    (MediaFileManager(MemoryMediaFileStorage("/media")), ["_lock", "_files_by_session_and_coord"]),
    (SessionState()._new_widget_state, ["widget_metadata"]),
    (MemoryUploadedFileManager("/upload"), ["file_storage"]),
)
ARGUMENTS = (
    (SessionState.register_widget, ["self", "metadata", "user_key"]),
    (MemoryUploadedFileManager.add_file, ["self", "session_id", "file"]),
)


def arguments_of(function) -> list[str]:
    return [*inspect.signature(function).parameters]


def test_streamlit_has_the_names():
    missing = [f"{owner}.{name}" for owner, names in NAMES.items() for name in names if not hasattr(owner, name)]
    for owner, names in FIELDS.items():
        missing += [f"{owner}.{name}" for name in names if name not in owner.__dataclass_fields__]
    missing += [f"{made}.{name}" for made, names in MADE for name in names if not hasattr(made, name)]
    missing += [str(function) for function, names in ARGUMENTS if arguments_of(function) != names]
    assert not missing, f"Streamlit {streamlit.__version__} has not: {missing}: look at ui/"
    assert "retain_lifecycle_msgs" in arguments_of(ForwardMsgQueue.clear)
    assert "is_for_static_download" in arguments_of(MediaFileManager.add)
    assert "_uploaded_file_mgr" in inspect.getsource(Runtime.__init__)
    assert "_state" in inspect.getsource(SafeSessionState.__init__)
    assert isinstance(ForwardMsgQueue()._queue, list)


# Whose imports these are; of DeltaGenerator others need the type alone.
IMPORTING = {"link", "private_names", "sessions", "takeaway"}


def test_no_other_file_imports_from_the_inside_of_streamlit():
    inside = re.compile(r"^from streamlit(\.runtime|\.errors|\.proto| import net_util)", re.M)
    files = [*(ROOT / "ui").glob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    assert {path.stem for path in files if inside.search(path.read_text())} == IMPORTING
    about = ast.get_docstring(ast.parse((ROOT / "ui" / "private_names.py").read_text())) or ""
    assert all(f"ui/{name}.py" in about for name in IMPORTING - {"private_names"})


def test_no_version_is_allowed_that_was_not_tried():
    (line,) = [each for each in (ROOT / "requirements.txt").read_text().splitlines() if each.startswith("streamlit")]
    (pinned,) = re.findall(r"^streamlit==(\d+)\.(\d+)", (ROOT / "constraints.txt").read_text(), re.M)
    assert line == f"streamlit>={'.'.join(pinned)},<{pinned[0]}.{int(pinned[1]) + 1}"
    assert line in (ROOT / "pyproject.toml").read_text()
