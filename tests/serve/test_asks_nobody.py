"""A server asks no other host for an address to print, and foreign pages are refused."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from benchmarks.visitor import Visitor
from serve import proxy
from serve.processes import free_ports
from tests.serve.servers import STARTS, need_haproxy, ok, running, status_for_foreigners, wait_for


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """What every request to another host reaches in a process that is started now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(1)
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{listener.getsockname()[1]}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.setenv(name, "127.0.0.1,localhost")
        yield listener


def was_asked(listener: socket.socket) -> bool:
    """Whether a request came; it is hung up on."""
    try:
        listener.accept()[0].close()
    except TimeoutError:
        return False
    return True


def test_nobody_is_asked(outside: socket.socket, tmp_path: Path):
    (port,) = free_ports(1)
    address, log = f"http://127.0.0.1:{port}", tmp_path / "server.log"
    with running(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)], log
    ):
        wait_for(lambda: ok(address), "the server", STARTS)
        visitor = Visitor(address, "start")
        visitor.run()
        visitor.close()
        wait_for(lambda: "URL: " in log.read_text(encoding="utf-8"), "the printed address")
        assert not was_asked(outside)
        assert status_for_foreigners(address) == 403


class Agrees(BaseHTTPRequestHandler):
    """Of a worker that refuses nothing."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        pass


def test_the_proxy_itself_refuses_foreign_pages(tmp_path: Path):
    """By name and port, so that no worker hears of them."""
    need_haproxy()
    worker = ThreadingHTTPServer(("127.0.0.1", 0), Agrees)
    threading.Thread(target=worker.serve_forever, daemon=True).start()
    (port,) = free_ports(1)
    file = tmp_path / "haproxy.cfg"
    written = proxy.configuration("127.0.0.1", port, [worker.server_port], hosts=["a.example"])
    file.write_text(written, encoding="utf-8")
    address = f"http://127.0.0.1:{port}"

    def status(**headers: str) -> int:
        return requests.get(address, headers=headers, timeout=30).status_code

    with running([proxy.haproxy_path(), "-f", str(file), "-db"]):
        wait_for(lambda: ok(address), "the proxy")
        own = [{}, {"Origin": address}, {"Origin": "https://a.example", "Host": "a.example"}]
        strange = [
            "null",
            "http://a.example",
            f"{address}.a.example",
            f"{address}0",
            "http://127.0.0.1",
        ]
        assert [status(**headers) for headers in own] == [200, 200, 200]
        assert {status(Origin=origin) for origin in strange} == {403}
        assert status_for_foreigners(address) == 403
    worker.shutdown()
    worker.server_close()
