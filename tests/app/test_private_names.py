"""The names of Streamlit that ui/ leans on, each of which a new version may drop."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
import streamlit
from streamlit import net_util
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import Runtime, scriptrunner
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import RegisterWidgetResult
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

ROOT = Path(__file__).parents[2]
FIELDS = ScriptRunContext.__dataclass_fields__ | SessionState.__dataclass_fields__
NAMES = {
    "PagesManager.uses_pages_directory": hasattr(PagesManager, "uses_pages_directory"),
    "net_util.get_external_ip": hasattr(net_util, "get_external_ip"),
    "ForwardMsgQueue._queue": isinstance(ForwardMsgQueue()._queue, list),
    "ForwardMsgQueue.clear": "retain_lifecycle_msgs" in inspect.signature(ForwardMsgQueue.clear).parameters,
    "MediaFileManager._lock": hasattr(MediaFileManager(MemoryMediaFileStorage("/media")), "_lock"),
    "MediaFileManager._files_by_session_and_coord": hasattr(
        MediaFileManager(MemoryMediaFileStorage("/media")), "_files_by_session_and_coord"
    ),
    "Runtime._uploaded_file_mgr": "_uploaded_file_mgr" in inspect.getsource(Runtime.__init__),
    "SafeSessionState._state": "_state" in inspect.getsource(SafeSessionState.__init__),
    "SafeSessionState.query_params": hasattr(SafeSessionState, "query_params"),
    "SessionState._new_widget_state": "_new_widget_state" in FIELDS,
    "SessionState.register_widget": [*inspect.signature(SessionState.register_widget).parameters]
    == ["self", "metadata", "user_key"],
    "RegisterWidgetResult.value_changed": "value_changed" in RegisterWidgetResult.__dataclass_fields__,
    "WStates.widget_metadata": hasattr(SessionState()._new_widget_state, "widget_metadata"),
    "QueryParams.set_initial_query_params_from_current": hasattr(QueryParams, "set_initial_query_params_from_current"),
    "ScriptRunContext.is_history_navigation": "is_history_navigation" in FIELDS,
    "ScriptRunContext.yield_check": "yield_check" in FIELDS,
    "ScriptRunContext.query_string": "query_string" in FIELDS,
    "scriptrunner.StopException": hasattr(scriptrunner, "StopException"),
    "DeltaGenerator._enqueue": hasattr(DeltaGenerator, "_enqueue"),
    "scriptrunner.RerunException": hasattr(scriptrunner, "RerunException"),
    "scriptrunner.add_script_run_ctx": hasattr(scriptrunner, "add_script_run_ctx"),
    "Runtime.is_active_session": hasattr(Runtime, "is_active_session"),
    "Runtime.clear_user_info_for_session": hasattr(Runtime, "clear_user_info_for_session"),
    "MediaFileManager.add": "is_for_static_download" in inspect.signature(MediaFileManager.add).parameters,
    "MediaFileManager.clear_session_refs": hasattr(MediaFileManager, "clear_session_refs"),
    "MediaFileManager.remove_orphaned_files": hasattr(MediaFileManager, "remove_orphaned_files"),
    "MemoryUploadedFileManager.add_file": [*inspect.signature(MemoryUploadedFileManager.add_file).parameters][1:]
    == ["session_id", "file"],
    "MemoryUploadedFileManager.remove_file": hasattr(MemoryUploadedFileManager, "remove_file"),
    "MemoryUploadedFileManager.file_storage": hasattr(MemoryUploadedFileManager("/upload"), "file_storage"),
    "UploadedFileRec.data": "data" in UploadedFileRec._fields,
}
# Whose imports these are; of DeltaGenerator others need the type alone.
IMPORTING = {"link", "private_names", "sessions", "takeaway"}


@pytest.mark.parametrize("name", NAMES)
def test_streamlit_has_the_name(name):
    assert NAMES[name], f"Streamlit {streamlit.__version__} has no {name}: look at ui/"


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
