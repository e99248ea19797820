"""Long runs of several sessions take turns: one computes at a time, each for a while, then the next in line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from functools import cache

SLICE = 1.0  # seconds that a run computes while others wait
LEASE = 1.5  # seconds after which a run that has not come to a checkpoint has lost its place: it may have ended
POLL = 0.05  # seconds between two looks at whether it is one's turn


class Turns:
    """The line of all long runs; the first computes.

    A place is kept by coming back: a run that has ended, or waits for something else, drops out of the line by itself.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._seen: dict[Hashable, float] = {}  # in the order of the line
        self._since = 0.0  # when the first began

    def claim(self, run: Hashable) -> tuple[Hashable, ...]:
        """Keep or take a place in the line; the runs that go before this one, none where it may compute.

        A run whose while is over goes to the end where others wait.
        """
        with self._lock:
            now, first = self._clock(), next(iter(self._seen), None)
            self._seen = {other: seen for other, seen in self._seen.items() if now - seen <= LEASE or other == run}
            self._seen[run] = now
            if next(iter(self._seen)) == run and first == run and now - self._since > SLICE and len(self._seen) > 1:
                self._seen[run] = self._seen.pop(run)
            if next(iter(self._seen)) != first:
                self._since = now
            line = tuple(self._seen)
            return line[: line.index(run)]

    def line(self) -> tuple[Hashable, ...]:
        """All that are in the line now, the one that computes first."""
        with self._lock:
            now = self._clock()
            return tuple(run for run, seen in self._seen.items() if now - seen <= LEASE)

    def leave(self, run: Hashable) -> None:
        """Give the place up."""
        with self._lock:
            if next(iter(self._seen), None) == run:
                self._since = self._clock()
            self._seen.pop(run, None)


@cache
def turns() -> Turns:
    """The line of this server process."""
    return Turns()
