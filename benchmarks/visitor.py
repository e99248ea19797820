"""Visitor of a running app without a browser: Streamlit's messages by websocket, files by http."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs, StringArray
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

PATIENCE = 120  # seconds to wait for any answer


class Visitor:
    """Tab at a page with a query.

    Attributes
    ----------
    session : str
        Identifier of the session.
    widgets : dict
        States of the widgets that have been set, by id.
    received : int
        Bytes in the last run.
    """

    def __init__(self, address: str, page: str = "", query: str = "") -> None:
        self.address, self.page, self.query, self.session = address, page, query, ""
        self.opened = ExitStack()
        self.http = self.opened.enter_context(requests.Session())
        self.http.get(f"{address}/_stcore/health", timeout=PATIENCE).raise_for_status()
        # One of the cookies names the process that holds the session, where there are several.
        self.cookies = self.http.cookies.get_dict()
        self.token = self.cookies.get("_streamlit_xsrf") or ""
        self.socket = self.opened.enter_context(
            connect(
                f"ws://{urlsplit(address).netloc}/_stcore/stream",
                origin=address,
                max_size=None,
                open_timeout=PATIENCE,
                subprotocols=["streamlit", self.token] if self.token else ["streamlit"],
                additional_headers={
                    "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())
                },
            )
        )
        self.widgets: dict[str, WidgetState] = {}
        self.received = 0
        self._shown: dict[tuple[int, ...], tuple[str, Any]] = {}  # by place on the page
        self._known: dict[str, ForwardMsg] = {}  # messages that the server need not send again

    @property
    def elements(self) -> list[tuple[str, Any]]:
        """Kind and message of the elements that the last run drew, in the order of the page."""
        return [element for _, element in sorted(self._shown.items(), key=lambda item: item[0])]

    def of_kind(self, kind: str) -> list[Any]:
        """Return the elements of one kind, in the order of the page."""
        return [message for drawn, message in self.elements if drawn == kind]

    def run(self, **values: Any) -> list[tuple[str, Any]]:
        """Set widgets by key, run the page, and wait until it has been drawn, however often it starts anew."""
        self.begin(**values)
        while not self._ends_the_run(self._answer("the end of the run")):
            pass
        return self.elements

    def begin(self, **values: Any) -> None:
        """Set widgets by key, let the page run, and do not wait for it."""
        for key, value in values.items():
            self._set(self.widget(key).id, value)
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name = self.query, self.page
        state.context_info.url = f"{self.address}/{self.page}"
        state.widget_states.widgets.extend(self.widgets.values())
        state.cached_message_hashes.extend(self._known)
        self.received = 0
        self._send(message)

    def widget(self, key: str) -> Any:
        """Return the element of a widget that was drawn, by its key; LookupError where there is none."""
        for _, message in self.elements:
            if re.search(rf"-{re.escape(key)}(_\d+)?$", getattr(message, "id", "")):
                return message
        raise LookupError(f"the page {self.page} has no widget of the key {key}")

    def upload(self, key: str, name: str, content: bytes) -> int:
        """Send a file to the uploader of this key and run the page; return the status of the answer."""
        message = BackMsg()
        request = message.file_urls_request
        request.request_id, request.session_id = uuid4().hex, self.session
        request.file_names.append(name)
        self._send(message)
        urls = self._wait_for("file_urls_response").file_urls[0]
        status = self.send_file(urls.upload_url, name, content)
        self._file_given(self.widget(key).id, urls, name, len(content))
        self.run()
        return status

    def send_file(self, path: str, name: str, content: bytes, token: bool = True) -> int:
        """Send a file to this path, with or without the visitor's token; return the status of the answer."""
        headers = {"X-Xsrftoken": self.token} if token else {}
        files = {name: (name, content)}
        return self.http.put(
            f"{self.address}{path}", files=files, headers=headers, timeout=PATIENCE
        ).status_code

    def await_start(self, sign: str = "new_session") -> None:
        """Wait until a run of the page starts, told by the message ``sign``; elements of the last run stay."""
        self._wait_for(sign)

    def download(self, key: str) -> str:
        """Return the path at which the file of a download button is served."""
        return str(self.widget(key).url)

    def close(self) -> None:
        """Close the tab."""
        self.opened.close()

    def _send(self, message: BackMsg) -> None:
        self.socket.send(message.SerializeToString())

    def _answer(self, awaited: str) -> ForwardMsg:
        """Receive the next message of the server; TimeoutError after PATIENCE, with what was awaited."""
        try:
            data = self.socket.recv(timeout=PATIENCE, decode=False)
        except TimeoutError:
            raise TimeoutError(
                f"the page {self.page}: waited {PATIENCE} seconds for {awaited} in vain"
            ) from None
        self.received += len(data)
        return ForwardMsg.FromString(data)

    def _wait_for(self, kind: str) -> Any:
        while (answer := self._answer(kind)).WhichOneof("type") != kind:
            pass
        return getattr(answer, kind)

    def _ends_the_run(self, answer: ForwardMsg) -> bool:
        """Take a message of the server; return whether the page has been drawn."""
        if answer.metadata.cacheable:
            self._known[answer.hash] = answer
        path = tuple(answer.metadata.delta_path)
        if answer.HasField("ref_hash"):
            answer = self._known[answer.ref_hash]
        kind = answer.WhichOneof("type")
        if kind == "new_session":
            self.session = answer.new_session.initialize.session_id
            self._shown.clear()
        elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
            element = answer.delta.new_element
            drawn = str(element.WhichOneof("type"))
            self._shown[path] = (drawn, getattr(element, drawn))
        elif kind == "page_info_changed":
            self.query = answer.page_info_changed.query_string
        return (
            kind == "script_finished" and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
        )

    def _set(self, widget: str, value: Any) -> None:
        if isinstance(value, list):
            self.widgets[widget] = WidgetState(
                id=widget, string_array_value=StringArray(data=value)
            )
            return
        kinds = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}
        self.widgets[widget] = WidgetState(id=widget, **{kinds[type(value)]: value})

    def _file_given(self, widget: str, urls: FileURLs, name: str, size: int) -> None:
        state = WidgetState(id=widget)
        file = state.file_uploader_state_value.uploaded_file_info.add()
        file.name, file.size, file.file_id = name, size, urls.file_id
        file.file_urls.CopyFrom(urls)
        self.widgets[widget] = state
