"""A server asks no other host for anything: not for an address to print, nor when a foreign page wants a session."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from test_serving import HAPROXY, ROOT, foreign, wait_for

from benchmarks.visitor import Visitor
from serve import proxy
from serve.processes import free_ports


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


def asked(listener: socket.socket) -> bool:
    """Whether a request came; it is hung up on."""
    try:
        listener.accept()[0].close()
    except TimeoutError:
        return False
    return True


def up(address: str) -> bool:
    try:
        return requests.get(f"{address}/_stcore/health", timeout=5).text == "ok"
    except requests.RequestException:
        return False


@pytest.mark.parametrize("tells", [True, False], ids=["ours", "without our settings"])
def test_nobody_is_asked(outside: socket.socket, tells: bool):
    """Without our settings Streamlit asks, and the listener hears it."""
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    own = [] if tells else ["--browser.serverAddress", ""]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*command, *own], cwd=ROOT, env=os.environ, **quiet)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(lambda: up(address), 180)
        if tells:
            visitor = Visitor(address, "start")
            visitor.run()
            visitor.close()
        assert foreign(address) == 403
        assert asked(outside) is not tells
    finally:
        process.terminate()
        process.wait(30)


class Agrees(BaseHTTPRequestHandler):
    """Of a worker that refuses nothing."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.skipif(not HAPROXY, reason="there is no haproxy on this machine (Debian package: haproxy)")
def test_the_proxy_itself_refuses_foreign_pages(tmp_path: Path):
    """By name and port, so that no worker hears of them."""
    worker = ThreadingHTTPServer(("127.0.0.1", 0), Agrees)
    threading.Thread(target=worker.serve_forever, daemon=True).start()
    (port,) = free_ports(1)
    configuration = tmp_path / "haproxy.cfg"
    configuration.write_text(
        proxy.configuration("127.0.0.1", port, [worker.server_port], hosts=["a.example"]), encoding="utf-8"
    )
    process = subprocess.Popen([proxy.found(), "-f", str(configuration), "-db"], stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"

    def answer(**headers: str) -> int:
        return requests.get(address, headers=headers, timeout=30).status_code

    try:
        wait_for(lambda: up(address), 30)
        own = [{}, {"Origin": address}, {"Origin": "https://a.example", "Host": "a.example"}]
        strange = ["null", "http://a.example", f"{address}.a.example", f"{address}0", "http://127.0.0.1"]
        assert [answer(**headers) for headers in own] == [200, 200, 200]
        assert {answer(Origin=origin) for origin in strange} == {403}
        assert foreign(address) == 403
    finally:
        process.terminate()
        process.wait(30)
        worker.shutdown()
        worker.server_close()
