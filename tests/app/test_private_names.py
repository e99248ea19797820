"""The names of Streamlit that ui/private_names.py leans on, each of which a new version may drop."""

from __future__ import annotations

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
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import RegisterWidgetResult
from streamlit.runtime.state.query_params import QueryParams

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
}


@pytest.mark.parametrize("name", NAMES)
def test_streamlit_has_the_name(name):
    assert NAMES[name], f"Streamlit {streamlit.__version__} has no {name}: look at ui/private_names.py"


def test_no_version_is_allowed_that_was_not_tried():
    (line,) = [each for each in (ROOT / "requirements.txt").read_text().splitlines() if each.startswith("streamlit")]
    (pinned,) = re.findall(r"^streamlit==(\d+)\.(\d+)", (ROOT / "constraints.txt").read_text(), re.M)
    assert line == f"streamlit>={'.'.join(pinned)},<{pinned[0]}.{int(pinned[1]) + 1}"
    assert line in (ROOT / "pyproject.toml").read_text()
