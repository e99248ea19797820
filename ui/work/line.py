"""Runs of pages go one after another: a Python process computes on one core, where many at once hold each other up.

Side by side they take a sixth more processor time, and all of them end late. Where a process has several cores for
itself two runs go side by side, for numpy computes beside Python.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

LEASE = 0.5  # seconds after which a run that still computes does so beside the next: a long one holds nobody up
LOOK = 0.25  # seconds between two looks at whether a run that waits is still wanted


@dataclass(eq=False)
class _Place:
    """A run in the line. called: it may compute, since that time."""

    called: threading.Event = field(default_factory=threading.Event)
    since: float = 0.0


class Line:
    """The runs of all sessions in the order in which they came; the first compute, so many side by side."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, side_by_side: int = 1) -> None:
        self._clock, self._lock, self._side_by_side = clock, threading.Lock(), side_by_side
        self._places: deque[_Place] = deque()

    @contextmanager
    def turn(self, wanted: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Wait until all that came before have ended, or have computed for long. wanted: raises where nobody waits."""
        place = _Place()
        try:
            with self._lock:
                self._places.append(place)
                self._call_first()
            while not place.called.wait(LOOK):
                wanted()
                self._pass_by_a_long_run()
            yield
        finally:
            with self._lock:
                if place in self._places:
                    self._places.remove(place)
                self._call_first()

    def _pass_by_a_long_run(self) -> None:
        with self._lock:
            for place in self._first():
                if place.called.is_set() and self._clock() - place.since > LEASE:
                    self._places.remove(place)
            self._call_first()

    def _call_first(self) -> None:
        for place in self._first():
            if not place.called.is_set():
                place.since = self._clock()
                place.called.set()

    def _first(self) -> list[_Place]:
        return list(islice(self._places, self._side_by_side))


@cache
def line() -> Line:
    """The line of this server process."""
    return Line(side_by_side=1 if _cores() == 1 else 2)


def _cores() -> int:
    """How many cores this process may compute on; ``serve`` says it to each of its processes as numpy reads it."""
    threads = os.environ.get("OMP_NUM_THREADS", "")
    return int(threads) if threads.isdigit() else os.cpu_count() or 1
