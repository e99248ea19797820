"""The deepest line: CPU seconds of 1,000 releases and of the law, each on data that nothing is known of yet.

``python -m benchmarks depth``; the million records run in a process of their own, for their memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from dpslr_core import Dataset
from dpslr_core.mechanisms import DeepestLine

from .core import data_of
from .timing import Row

_MEMORY = 500  # MB
_JOB = """
import json, resource
from benchmarks.depth import release_seconds
from benchmarks.core import data_of
data = data_of(1_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
taken = release_seconds(data, {epsilon}, 0.1)
print(json.dumps([taken, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024]))
"""


def cpu_seconds(task: Callable[[], object]) -> float:
    """The processor time of one call, of all threads."""
    start = time.process_time()
    task()
    return time.process_time() - start


def fresh(data: Dataset) -> Dataset:
    """The same records, with nothing computed of them."""
    return Dataset(data.x, data.y)


def release_seconds(data: Dataset, epsilon: float, c: float) -> float:
    """Of 1,000 releases."""
    mine, rng = fresh(data), np.random.default_rng(0)
    return cpu_seconds(lambda: DeepestLine(c=c).release(mine, epsilon, rng=rng))


def law_seconds(data: Dataset, epsilon: float, at: tuple[float, ...]) -> float:
    """Of the laws, C(68), C(95) and the median at all points."""
    mine, centers = fresh(data), data.predict(at).tolist()

    def task() -> None:
        for law, center in zip(DeepestLine().law(mine, epsilon, at), centers, strict=True):
            if law is not None:
                law.error_bounds((68, 95), center)
                law.ppf(0.5)

    return cpu_seconds(task)


def rows() -> Iterator[Row]:
    """The figures of the deepest line, the best of three where they are short."""
    for n, aim in ((250, 0.03), (10_000, 0.3)):
        data = data_of(n)
        for epsilon_n in (5, 50, 500):
            for c in (0.0, 0.1):
                taken = min(release_seconds(data, epsilon_n / n, c) for _ in range(3))
                yield _row(
                    f"1,000 releases of DeepestLine(c={c:g}), n = {n:,}, epsilon n = {epsilon_n}",
                    taken,
                    aim,
                )
    data = data_of(250)
    for at, aim in (((0.25, 0.75), 0.05), ((0.0, 0.4, 1.0), 0.2)):
        for epsilon_n, reached_by in ((500, aim), (50, np.inf), (1, np.inf)):
            taken = min(law_seconds(data, epsilon_n / 250, at) for _ in range(3))
            yield _row(
                f"law of DeepestLine at {at}, n = 250, epsilon n = {epsilon_n}", taken, reached_by
            )
    for epsilon_n in (50, 1000):
        yield _million(epsilon_n)


def _million(epsilon_n: int) -> Row:
    job = _JOB.format(epsilon=epsilon_n / 1e6)
    done = subprocess.run([sys.executable, "-c", job], capture_output=True, text=True, check=True)
    taken, memory = json.loads(done.stdout)
    what = f"1,000 releases of DeepestLine, n = 1,000,000, epsilon n = {epsilon_n}"
    return Row(
        what,
        f"{taken:.1f} s CPU, {memory:.0f} MB",
        f"20 s, {_MEMORY} MB",
        taken < 20 and memory < _MEMORY,
    )


def _row(what: str, taken: float, aim: float) -> Row:
    shown = f"{taken * 1e3:.3g} ms CPU"
    return (
        Row(what, shown, f"under {aim * 1e3:g} ms", taken < aim)
        if np.isfinite(aim)
        else Row(what, shown, "", None)
    )
