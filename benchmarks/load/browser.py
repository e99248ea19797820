"""A small client that speaks Streamlit's websocket protocol: a session of the app without a browser."""

from __future__ import annotations

import asyncio
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

LONGEST = 300  # seconds that an answer may take
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
Path = tuple[int, ...]  # the place of an element on the page


@dataclass
class Browser:
    """One open page. shown: its elements by place. sizes: bytes received in each run. session: its identifier."""

    url: str
    shown: dict[Path, Element] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    cookies: str = ""
    session: str = ""
    _kept: dict[str, ForwardMsg] = field(default_factory=dict)  # messages that the server need not send again
    _socket: ClientConnection | None = None
    _query: str = ""
    _page: str = ""

    async def open(self, page: str, query: str) -> float:
        """Open a page as a link does; the seconds until it has finished."""
        start = time.perf_counter()
        self._page, self._query = page, query
        self.cookies = await asyncio.to_thread(_cookies, self.url)
        address = urlsplit(self.url)
        self._socket = await connect(
            f"ws://{address.netloc}/_stcore/stream",
            origin=f"{address.scheme}://{address.netloc}",  # type: ignore[arg-type]
            subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers={"Cookie": self.cookies} if self.cookies else None,
            max_size=None,
            open_timeout=LONGEST,
        )
        await self._run(BackMsg())
        return time.perf_counter() - start

    async def set(self, key: str, value: float) -> float:
        """Type a number into the box of this key; the seconds until the page has finished."""
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id, state.double_value = self._widget(key), value
        start = time.perf_counter()
        await self._run(message)
        return time.perf_counter() - start

    async def close(self) -> None:
        """Leave the page."""
        if self._socket is not None:
            await self._socket.close()

    def of_kind(self, kind: str) -> list[Any]:
        """The elements of one kind, in the order of the page."""
        return [getattr(e, kind) for _, e in sorted(self.shown.items()) if e.WhichOneof("type") == kind]

    def _widget(self, key: str) -> str:
        ids = [box.id for box in self.of_kind("number_input") if box.id.endswith(f"-{key}")]
        if len(ids) != 1:
            raise LookupError(f"the page {self._page} has {len(ids)} boxes of the key {key}")
        return ids[0]

    async def _run(self, message: BackMsg) -> None:
        """Send a request to run the page and read what it shows until it has finished."""
        assert self._socket is not None
        request = message.rerun_script
        request.query_string, request.page_name = self._query, self._page
        request.cached_message_hashes.extend(self._kept)
        request.context_info.url = f"{self.url}/{self._page}"
        await self._socket.send(message.SerializeToString())
        self.sizes.append(0)
        async with asyncio.timeout(LONGEST):
            while not self._taken(await self._socket.recv()):
                pass

    def _taken(self, data: bytes | str) -> bool:
        """Take one message of the server; whether it ends the run."""
        assert isinstance(data, bytes)
        self.sizes[-1] += len(data)
        message = ForwardMsg.FromString(data)
        if message.metadata.cacheable:
            self._kept[message.hash] = message
        path = tuple(message.metadata.delta_path)
        if message.HasField("ref_hash"):
            message = self._kept[message.ref_hash]
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
            self.shown.clear()
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self.shown[path] = message.delta.new_element
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        return kind == "script_finished" and message.script_finished in _DONE


def _cookies(url: str) -> str:
    """What the server wants to be sent back: it names the process that holds the session, where there are several."""
    with urllib.request.urlopen(url, timeout=LONGEST) as answer:
        answer.read()
        return "; ".join(cookie.split(";")[0] for cookie in answer.headers.get_all("Set-Cookie") or [])
