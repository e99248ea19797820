"""A server of the app, in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
STARTS = 180  # seconds that a server may take to start


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(port: int, **environment: str) -> subprocess.Popen[bytes]:
    """A new server on this port, once it answers. RuntimeError where it does not in STARTS seconds."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1"]
    options = ["--server.port", str(port), "--server.headless", "true", "--server.fileWatcherType", "none"]
    away = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*command, *options], cwd=ROOT, env=os.environ | environment, **away)
    last = time.monotonic() + STARTS
    while time.monotonic() < last and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1) as answer:
                if answer.read() == b"ok":
                    return process
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"the server did not answer within {STARTS} seconds")


@contextmanager
def served(**environment: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server and its address; it ends with the context."""
    port = free_port()
    process = start(port, **environment)
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
