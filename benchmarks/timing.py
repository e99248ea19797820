"""Timing by ratios: both sides take turns within one run, so that a busy machine slows both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the figure, and the aim."""

    what: str
    measured: str
    aim: str
    reached: bool | None

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO", None: ""}[self.reached]
        return f"{self.what:<74} {self.measured:>24}   {self.aim:<16} {mark}"


def seconds(task: Callable[[], object]) -> float:
    """The wall time of one call."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def taking_turns(*tasks: Callable[[], object], turns: int = 25) -> list[float]:
    """The median seconds of each task; the tasks take turns, after one round to warm up."""
    rounds = [[seconds(task) for task in tasks] for _ in range(turns + 1)][1:]
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def ratio_row(
    what: str, task: Callable[[], object], against: Callable[[], object], aim: float
) -> Row:
    """How many times as long as its yardstick a task takes."""
    mine, yardstick = taking_turns(task, against)
    ratio = mine / yardstick
    shown = f"{ratio:.2f} ({mine * 1e3:.2f} / {yardstick * 1e3:.2f} ms)"
    return Row(what, shown, f"at most {aim:g}", ratio <= aim)


def time_row(what: str, task: Callable[[], object], aim_seconds: float, turns: int = 15) -> Row:
    """The median time of a task."""
    (taken,) = taking_turns(task, turns=turns)
    return Row(
        what, f"{taken * 1e3:.3g} ms", f"under {aim_seconds * 1e3:g} ms", taken < aim_seconds
    )


def cpu_row(what: str, task: Callable[[], object], aim_seconds: float, turns: int = 25) -> Row:
    """The median CPU time of a task, after one run to warm up: what it takes on a busy machine too."""
    times = []
    for _ in range(turns + 1):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    taken = statistics.median(times[1:])
    return Row(
        what, f"{taken * 1e3:.3g} ms CPU", f"under {aim_seconds * 1e3:g} ms", taken < aim_seconds
    )
