"""Timing by ratios: both sides take turns within one run, so that a busy machine slows both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Row:
    """Line of the table: what was measured, the figure, and the aim."""

    what: str
    measured: str
    aim: str = ""
    reached: bool | None = None

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO", None: ""}[self.reached]
        return f"{self.what:<74} {self.measured:>24}   {self.aim:<16} {mark}"


def seconds(task: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Measure the seconds of a call, by the wall clock or another clock."""
    start = clock()
    task()
    return clock() - start


def compute() -> float:
    """Return the CPU seconds of this process and its children so far, with children that have ended."""
    me = psutil.Process()
    return sum(me.cpu_times()[:4]) + sum(sum(child.cpu_times()[:2]) for child in me.children())


def taking_turns(*tasks: Callable[[], object], turns: int = 25) -> list[float]:
    """Return the median seconds of each task; the tasks take turns, after a round to warm up."""
    rounds = [[seconds(task) for task in tasks] for _ in range(turns + 1)][1:]
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def ratio_row(
    what: str, task: Callable[[], object], against: Callable[[], object], aim: float
) -> Row:
    """Compare the time of a task with the time of its yardstick."""
    own, yardstick = taking_turns(task, against)
    shown = f"{own / yardstick:.2f} ({own * 1e3:.2f} / {yardstick * 1e3:.2f} ms)"
    return Row(what, shown, f"at most {aim:g}", own / yardstick <= aim)


def cpu_row(what: str, task: Callable[[], object], aim: float, turns: int = 15) -> Row:
    """Measure the median CPU seconds of a task: what it takes on a busy machine too."""
    task()
    taken = statistics.median(seconds(task, time.process_time) for _ in range(turns))
    return Row(what, f"{taken * 1e3:.3g} ms CPU", f"under {aim * 1e3:g} ms", taken < aim)
