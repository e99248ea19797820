"""A visitor of a running app without a browser: Streamlit's messages by websocket, files by http."""

from __future__ import annotations

import http.client
import re
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

PATIENCE = 120  # seconds to wait for any answer


def fetch(address: str, path: str) -> tuple[int, bytes]:
    """Status and content of a path, for somebody who has no cookie."""
    status, content, _ = _asked("GET", address, path)
    return status, content


def _asked(method: str, address: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, str]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers.get("Set-Cookie", "")
    finally:
        connection.close()


class Visitor:
    """One tab, at a page with a query.

    widgets: what has been set, by id. elements: what the last run drew: kind and message.
    """

    def __init__(self, address: str, page: str = "", query: str = "") -> None:
        self.address, self.page, self.query = address, page, query
        cookie = re.search(r"_streamlit_xsrf=([^;]+)", _asked("GET", address, "/_stcore/health")[2])
        self.token = cookie[1] if cookie else ""
        self.opened = ExitStack()
        self.socket = self.opened.enter_context(connect(
            f"ws://{urlsplit(address).netloc}/_stcore/stream", subprotocols=["streamlit", self.token], max_size=None,
            additional_headers={"Cookie": f"_streamlit_xsrf={self.token}"}, open_timeout=PATIENCE,
        ))  # fmt: skip
        self.session = ""
        self.widgets: dict[str, WidgetState] = {}
        self.elements: list[tuple[str, Any]] = []

    def run(self, **values: Any) -> list[tuple[str, Any]]:
        """Set widgets by key, run the page, and wait until it has been drawn, however often it starts anew."""
        for key, value in values.items():
            self._set(self.widget(key).id, value)
        self.begin()
        while True:
            answer = self.answer()
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session, self.elements = answer.new_session.initialize.session_id, []
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                element = answer.delta.new_element
                drawn = element.WhichOneof("type")
                self.elements.append((drawn, getattr(element, drawn)))
            elif kind == "script_finished" and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return self.elements

    def begin(self) -> None:
        """Let the page run with what has been set, and do not wait for it."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name = self.query, self.page
        state.widget_states.widgets.extend(self.widgets.values())
        self.send(message)

    def widget(self, key: str) -> Any:
        """The element of a widget that was drawn, by its key."""
        return next(it for _, it in self.elements if getattr(it, "id", "").endswith(f"-{key}"))

    def upload(self, key: str, name: str, content: bytes) -> int:
        """Send a file to the uploader of this key and run the page; the status of the answer."""
        message = BackMsg()
        request = message.file_urls_request
        request.request_id, request.session_id = uuid4().hex, self.session
        request.file_names.append(name)
        self.send(message)
        urls = self._wait_for("file_urls_response").file_urls[0]
        boundary = uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
        status = _asked(
            "PUT", self.address, urls.upload_url, head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
            Content_Type=f"multipart/form-data; boundary={boundary}", X_Xsrftoken=self.token,
            Cookie=f"_streamlit_xsrf={self.token}",
        )[0]  # fmt: skip
        self._file_given(self.widget(key).id, urls, name, len(content))
        self.run()
        return status

    def download(self, key: str) -> str:
        """Click a download button; the path that the file is served at."""
        message = BackMsg()
        request = message.backend_operation_request
        request.request_id, request.session_id = uuid4().hex, self.session
        request.deferred_file.file_id = self.widget(key).deferred_file_id
        self.send(message)
        answer = self._wait_for("backend_operation_response")
        assert not answer.error_msg, answer.error_msg
        return str(answer.deferred_file.url)

    def close(self) -> None:
        """Close the tab."""
        self.opened.close()

    def send(self, message: BackMsg) -> None:
        """A message to the server."""
        self.socket.send(message.SerializeToString())

    def answer(self) -> ForwardMsg:
        """The next message of the server; TimeoutError after PATIENCE."""
        message = ForwardMsg()
        message.ParseFromString(self.socket.recv(timeout=PATIENCE, decode=False))
        return message

    def _wait_for(self, kind: str) -> Any:
        while (answer := self.answer()).WhichOneof("type") != kind:
            pass
        return getattr(answer, kind)

    def _set(self, widget: str, value: Any) -> None:
        state = WidgetState(id=widget)
        if isinstance(value, Mapping):
            setattr(state, value["as"], value["value"])
        else:
            kinds = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}
            setattr(state, kinds[type(value)], value)
        self.widgets[widget] = state

    def _file_given(self, widget: str, urls: FileURLs, name: str, size: int) -> None:
        state = WidgetState(id=widget)
        file = state.file_uploader_state_value.uploaded_file_info.add()
        file.name, file.size, file.file_id = name, size, urls.file_id
        file.file_urls.CopyFrom(urls)
        self.widgets[widget] = state
