"""Sessions that upload a file and leave: what the server's memory does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import psutil

from ui.sessions import COMES_BACK, LOOKS

from .served import served
from .visitor import Visitor

SESSIONS, MEGABYTES, AIM = 20, 20, 1.2
SETTLES = COMES_BACK + 20 * LOOKS + 10  # seconds after which sessions that left are over and their memory is back


@dataclass(frozen=True)
class Memory:
    """The memory of a server at one moment."""

    when: str
    megabytes: float
    before: float

    def __str__(self) -> str:
        return f"{self.when:<60}{self.megabytes:8.0f} MB  {self.megabytes / self.before:5.2f} of before"


def file_of(megabytes: int, seed: int) -> bytes:
    """A CSV of this size with numbers of its own."""
    rows = np.random.default_rng(seed).random((megabytes * 50_000, 2))
    return b"x,y\n" + b"".join(b"%.6f,%.6f\n" % (x, y) for x, y in rows)[: megabytes << 20].rpartition(b"\n")[0] + b"\n"


def rows() -> Iterator[Memory]:
    """Before, while all are there, and after they have left; the first round warms up, as does any server's day."""
    with served(MALLOC_ARENA_MAX="2") as (process, address):  # as make run does
        server = psutil.Process(process.pid)

        def memory(when: str, before: float = 0.0) -> Memory:
            now = server.memory_info().rss / 2**20
            return Memory(when, now, before or now)

        _leave([_arrive(address, seed, 1) for seed in range(2)])
        time.sleep(SETTLES)
        yield (first := memory("before"))
        with ThreadPoolExecutor(2) as visitors:
            there = list(visitors.map(lambda seed: _arrive(address, seed, MEGABYTES), range(SESSIONS)))
        yield memory(f"{SESSIONS} sessions with {MEGABYTES} MB each", first.megabytes)
        _leave(there)
        time.sleep(SETTLES)
        yield memory(f"{SETTLES:.0f} s after they left; aim: at most {AIM} of before", first.megabytes)


def _arrive(address: str, seed: int, megabytes: int) -> Visitor:
    """A visitor on the Data page whose upload is in use."""
    visitor = Visitor(address, "data", "source=upload&algorithms=NoisyStats")
    visitor.run()
    assert visitor.upload("upload_file", f"{seed}.csv", file_of(megabytes, seed)) == 204
    ends = {f"upload_{end}_{column}_box": text for column in "xy" for end, text in (("lower", "0"), ("upper", "1"))}
    visitor.run(**ends)
    return visitor


def _leave(visitors: list[Visitor]) -> None:
    for visitor in visitors:
        visitor.close()
