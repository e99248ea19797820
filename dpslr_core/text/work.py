"""What a page says of work that takes long: how long, what to reduce, and what it waits for."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.work.limits import AT_ONCE, Cost
from .phrases import in_full


def duration(seconds: float) -> str:
    """A duration to one or two digits: "8 s", "40 s", "3 minutes", "2 hours"."""
    if seconds < 100:
        return f"{max(1, _rounded(seconds)):g} s"
    if seconds < 100 * 60:
        return _counted(_rounded(seconds / 60), "minute")
    return _counted(_rounded(seconds / 3600), "hour")


def _rounded(number: float) -> float:
    return round(number) if number < 10 else 5 * round(number / 5) if number < 100 else float(f"{number:.2g}")


def _counted(number: float, unit: str) -> str:
    return f"{in_full(number)} {unit}{'' if number == 1 else 's'}"


def run_it(cost: Cost) -> str:
    """The button that starts a long run."""
    return f"Run it: about {duration(cost.seconds)}"


def asked(cost: Cost) -> str:
    """Why the page asks before it computes."""
    memory = f" and {_memory(cost)} of memory" if cost.megabytes > AT_ONCE.megabytes else ""
    return f"This takes about {duration(cost.seconds)} of computing{memory}. A change or a closed tab ends it."


def refused(cost: Cost, limit: Cost, reduce: str) -> str:
    """That a run is beyond what this server computes, and what to reduce."""
    over = []
    if cost.seconds > limit.seconds:
        over.append(f"about {duration(cost.seconds)} of computing, and this server allows {duration(limit.seconds)}")
    if cost.megabytes > limit.megabytes:
        over.append(f"about {_memory(cost)} of memory, and this server allows {_memory(limit)}")
    return f"Too large for this page: it takes {'; '.join(over)}. Reduce {reduce}."


def longer_than_expected(spent: float) -> str:
    """That a run was stopped because it takes longer than estimated."""
    return f"Stopped after {duration(spent)} of computing: it takes longer than expected. What is measured is kept."


def waiting(mine: float | None, others: Sequence[float | None]) -> str:
    """What a run that waits for its turn says; mine, others: the seconds that the runs still take, where known."""
    what = "another run" if len(others) < 2 else f"{len(others)} other runs"
    known = [left for left in others if left is not None]
    if mine is None or not known or len(known) < len(others):
        return f"Waiting for {what}."
    return f"Waiting for {what}; about {duration(sum(min(mine, left) for left in known))}."


def _memory(cost: Cost) -> str:
    return f"{cost.megabytes / 1000:,.1f} GB" if cost.megabytes >= 1000 else f"{cost.megabytes:,.0f} MB"
