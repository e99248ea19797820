"""Short step of Compare while two long runs of other sessions compute, against the same step alone."""

from __future__ import annotations

import logging
import statistics
import threading
from collections.abc import Iterator

from .app import opened, stepping
from .timing import Row, seconds

LONG = "300000"  # records: a minute or so
STEPS, AIM, SLOWEST = 8, 3.0, 2.0


def rows() -> Iterator[Row]:
    """Compare the medians of some steps, each with a seed that no cache knows."""
    logging.disable(logging.WARNING)
    step = stepping(opened("pages/compare.py"), "seed", 1)
    step()
    alone = statistics.median(seconds(step) for _ in range(STEPS))
    runs = [opened("pages/compare.py", n=LONG, data_seed=seed) for seed in ("1", "2")]
    starts = [run.main.button(key="work_run").click().run for run in runs]
    threads = [threading.Thread(target=start, daemon=True) for start in starts]
    for thread in threads:
        thread.start()
    threads[0].join(10.0)  # until both are long
    beside = [seconds(step) for _ in range(STEPS)]
    computing = sum(thread.is_alive() for thread in threads)
    times = statistics.median(beside) / alone
    what = f"Compare, a step beside {computing} long runs, against alone"
    yield Row(what, f"{times:.2f} ({alone:.2f} s alone)", f"at most {AIM:g}", times <= AIM)
    slowest = max(beside)
    what = "Compare, the slowest step beside long runs"
    yield Row(what, f"{slowest:.2f} s", f"under {SLOWEST:g} s", slowest < SLOWEST)
