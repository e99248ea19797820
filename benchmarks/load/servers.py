"""The server of a load run: started here, or one that runs already; the CPU time and memory of its processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
_START = 120  # seconds


@dataclass(frozen=True)
class Server:
    """Its address, and its first process where it was started here."""

    url: str
    pid: int | None = None

    def cpu(self) -> float:
        """CPU seconds of all its processes so far; NaN where they are not ours."""
        times = [process.cpu_times() for process in self._processes()]
        return sum(t.user + t.system for t in times) if times else float("nan")

    def megabytes(self) -> list[float]:
        """The resident memory of each of its Python processes, the largest first."""
        sizes = [p.memory_info().rss / 2**20 for p in self._processes() if "streamlit" in " ".join(p.cmdline())]
        return sorted(sizes, reverse=True)

    def _processes(self) -> list[psutil.Process]:
        if self.pid is None:
            return []
        parent = psutil.Process(self.pid)
        return [parent, *parent.children(recursive=True)]


@contextmanager
def server(url: str | None, workers: int, port: int) -> Iterator[Server]:
    """The server at the address, or one of our own: Streamlit alone, or several processes behind the proxy."""
    if url:
        yield Server(url.rstrip("/"))
        return
    alone = ["-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1", "--server.port", str(port)]
    several = ["-m", "serve", "--workers", str(workers), "--address", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, *(alone if workers == 1 else several)],
        cwd=ROOT,
        env=os.environ | {"STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none", "MALLOC_ARENA_MAX": "2"},  # as make run does
        stdout=subprocess.DEVNULL,
    )
    try:
        yield Server(_ready(f"http://127.0.0.1:{port}", process), process.pid)
    finally:
        process.terminate()
        process.wait(30)


def _ready(url: str, process: subprocess.Popen[bytes]) -> str:
    """The address as soon as it answers."""
    until = time.monotonic() + _START
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                if answer.read() == b"ok":
                    return url
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the server at {url} did not start")
