"""Server of the app, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from serve.processes import ends_with_us, free_ports

ROOT = Path(__file__).parents[1]
STARTS = 120  # seconds that a server may take to start
QUIET = ("--server.headless", "true", "--server.fileWatcherType", "none")


def start(
    port: int, workers: int = 1, log: Path | None = None, **environment: str
) -> subprocess.Popen[bytes]:
    """Start a server on this port and wait until it answers; several workers stand behind the proxy of ``serve``.

    Its output goes to the file ``log``. RuntimeError where it does not answer in STARTS seconds.
    """
    if workers == 1:
        command = [
            "streamlit",
            "run",
            "app.py",
            "--server.address",
            "127.0.0.1",
            "--server.port",
            str(port),
            *QUIET,
        ]
    else:
        command = [
            "serve",
            "--workers",
            str(workers),
            "--address",
            "127.0.0.1",
            "--port",
            str(port),
        ]
    with open(log or os.devnull, "ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=output,
            stderr=output,
            preexec_fn=ends_with_us(),
        )
    last = time.monotonic() + STARTS
    while time.monotonic() < last and process.poll() is None:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/_stcore/health", timeout=1
            ) as answer:
                if answer.read() == b"ok":
                    return process
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"the server did not answer within {STARTS} seconds")


@contextmanager
def served(
    workers: int = 1, log: Path | None = None, **environment: str
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Give a server and its address; the server ends with the context."""
    (port,) = free_ports(1)
    process = start(port, workers, log, **environment)
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:  # a busy machine; the failure of the test is what matters
            process.kill()
            process.wait()
