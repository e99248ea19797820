"""Server of a load run, started here or running already; the CPU time and memory of its processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from ..served import served


@dataclass(frozen=True)
class Server:
    """Address of a server, and its first process where it was started here."""

    url: str
    pid: int | None = None

    def cpu(self) -> float:
        """Return the CPU seconds of all its processes so far; 0 where they are not ours."""
        times = [process.cpu_times() for process in self._processes()]
        return sum(time.user + time.system for time in times)

    def megabytes(self) -> float:
        """Return the resident memory of all its processes; 0 where they are not ours."""
        return sum(process.memory_info().rss for process in self._processes()) / 2**20

    def _processes(self) -> list[psutil.Process]:
        if self.pid is None:
            return []
        parent = psutil.Process(self.pid)
        return [parent, *parent.children(recursive=True)]


@contextmanager
def server(url: str | None, workers: int) -> Iterator[Server]:
    """Give the server at the address, or a new one: Streamlit alone, or several processes behind the proxy."""
    if url:
        yield Server(url.rstrip("/"))
        return
    with served(workers, MALLOC_ARENA_MAX="2") as (process, address):  # as make run does
        yield Server(address, process.pid)
