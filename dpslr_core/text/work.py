"""Sentences on work that takes long: how long, and what to reduce."""

from __future__ import annotations

from .phrases import counted


def duration(seconds: float) -> str:
    """Write a duration to one or two digits: "8 s", "40 s", "3 minutes", "2 hours"."""
    if seconds < 100:
        return f"{max(1, _rounded(seconds))} s"
    if seconds < 100 * 60:
        return counted(_rounded(seconds / 60), "minute")
    return counted(_rounded(seconds / 3600), "hour")


def _rounded(number: float) -> int:
    """Round a duration: below 10 to one, below 100 to five, above to two digits."""
    if number < 10:
        return round(number)
    if number < 100:
        return 5 * round(number / 5)
    return int(float(f"{number:.2g}"))


def run_it(seconds: float) -> str:
    """Name the button that starts a long run."""
    return f"Run it: about {duration(seconds)}"


def asked(seconds: float) -> str:
    """State why the page asks before it computes: the time."""
    return f"This takes about {duration(seconds)} of computing. A change or a closed tab ends it."


def refused(seconds: float, megabytes: float, limit: tuple[float, float], reduce: str) -> str:
    """Refuse a run beyond the limits of this server, and say what to reduce.

    Parameters
    ----------
    seconds : float
        Time of the run.
    megabytes : float
        Memory of the run.
    limit : (float, float)
        Largest seconds and megabytes that the server allows.
    reduce : str
        Settings to reduce, in words.
    """
    over = []
    if seconds > limit[0]:
        over.append(
            f"about {duration(seconds)} of computing, and this server allows {duration(limit[0])}"
        )
    if megabytes > limit[1]:
        over.append(
            f"about {_memory(megabytes)} of memory, and this server allows {_memory(limit[1])}"
        )
    return f"Too large for this page: it takes {'; '.join(over)}. Reduce {reduce}."


def _memory(megabytes: float) -> str:
    return f"{megabytes / 1000:,.1f} GB" if megabytes >= 1000 else f"{megabytes:,.0f} MB"
