"""What one run may cost: before a page asks, and before it refuses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import inf, isfinite

# Environment variables of a server: its limits, and what its pages compute without asking.
SECONDS, MEGABYTES = "DPSLR_MOST_SECONDS", "DPSLR_MOST_MEGABYTES"
SECONDS_AT_ONCE = "DPSLR_SECONDS_AT_ONCE"


@dataclass(frozen=True, order=False)
class Cost:
    """Seconds of processor time, and the megabytes held at once."""

    seconds: float = 0.0
    megabytes: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        """One run after the other: the seconds add up, the memory is that of the larger."""
        return Cost(self.seconds + other.seconds, max(self.megabytes, other.megabytes))

    def times(self, count: float) -> Cost:
        """The same run so many times, one after the other."""
        return Cost(count * self.seconds, self.megabytes)

    def within(self, limit: Cost) -> bool:
        """Whether neither number is above that of the limit."""
        return self.seconds <= limit.seconds and self.megabytes <= limit.megabytes


def server_limit() -> Cost:
    """What a page computes at most: $DPSLR_MOST_SECONDS, 600 at first, and $DPSLR_MOST_MEGABYTES, 2,000 at first.

    0 means no limit. ValueError names a variable that is no number, 0 or more.
    """
    return Cost(_limit(SECONDS, 600.0), _limit(MEGABYTES, 2000.0))


def _limit(name: str, usual: float) -> float:
    text = os.environ.get(name, "").strip()
    try:
        limit = float(text) if text else usual
    except ValueError:
        limit = -1.0
    if not (isfinite(limit) and limit >= 0):
        raise ValueError(f"{name} must be a number, 0 or more, got {text!r}")
    return limit or inf


AT_ONCE = Cost(_limit(SECONDS_AT_ONCE, 10.0), 500.0)  # what a page computes without asking
