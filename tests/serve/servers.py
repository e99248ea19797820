"""What the tests of servers share: waits with a limit and a name, processes that end with the tests, foreign pages."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from serve.processes import ends_with_us

ROOT = Path(__file__).parents[2]
HAPROXY = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
STARTS = 120  # seconds that a server may take to start on a busy machine


def need_haproxy() -> None:
    """Skip the test where there is no haproxy; on CI it fails."""
    if not HAPROXY:
        reason = "there is no haproxy on this machine (Debian package: haproxy)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


def wait_for(true: Callable[[], Any], awaited: str, seconds: float = 60) -> None:
    """Wait until something is true; else fail with its name."""
    last = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < last, f"waited {seconds:g} seconds for {awaited} in vain"
        time.sleep(0.1)


@contextmanager
def running(command: Sequence[str], log: Path | None = None) -> Iterator[psutil.Popen]:
    """A process that ends with the context, and with the tests however they end."""
    with open(log or os.devnull, "ab") as output:
        process = psutil.Popen(
            command, cwd=ROOT, stdout=output, stderr=output, preexec_fn=ends_with_us()
        )
    try:
        yield process
    finally:
        if process.is_running():
            process.terminate()
        try:
            process.wait(30)
        except (psutil.TimeoutExpired, subprocess.TimeoutExpired):
            process.kill()
            process.wait()


def ok(address: str) -> bool:
    """Whether the server answers."""
    try:
        return requests.get(f"{address}/_stcore/health", timeout=5).text == "ok"
    except requests.RequestException:
        return False


def healthy(address: str, worker: str) -> bool:
    """Whether this very worker answers behind the proxy."""
    try:
        answer = requests.get(
            f"{address}/_stcore/health", cookies={"dpslr_worker": worker}, timeout=5
        )
    except requests.RequestException:
        return False
    return (
        answer.text == "ok" and "dpslr_worker" not in answer.cookies
    )  # another one would name itself


def both_healthy(address: str) -> None:
    """Wait until both workers answer."""
    both = ("worker1", "worker2")
    wait_for(lambda: all(healthy(address, worker) for worker in both), "both workers", STARTS)


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    """The server processes under ``python -m serve``."""
    return [child for child in process.children() if "streamlit" in child.cmdline()]


def status_for_foreigners(address: str) -> int:
    """The status of the answer to a foreign page that wants a session."""
    headers = {
        "Origin": "http://elsewhere.example", "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    return requests.get(f"{address}/_stcore/stream", headers=headers, timeout=30).status_code
