"""Runs of pages go one after another: a Python process computes on one core, where many at once hold each other up.

Side by side they take a sixth more processor time, and all of them end late.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

LEASE = 0.5  # seconds after which a run that still computes does so beside the next: a long one holds nobody up
LOOK = 0.25  # seconds between two looks at whether a run that waits is still wanted


@dataclass(eq=False)
class _Place:
    """A run in the line. called: it may compute, since that time."""

    called: threading.Event = field(default_factory=threading.Event)
    since: float = 0.0


class Line:
    """The runs of all sessions in the order in which they came; the first computes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
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
            if self._places and self._clock() - self._places[0].since > LEASE:
                self._places.popleft()
            self._call_first()

    def _call_first(self) -> None:
        if self._places and not self._places[0].called.is_set():
            self._places[0].since = self._clock()
            self._places[0].called.set()


@cache
def line() -> Line:
    """The line of this server process."""
    return Line()
