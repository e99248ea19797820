"""Sweeps: the paper's panel of varying n, and the same with all pairs in the place of ten matchings.

``python -m benchmarks sweeps``; the CPU time per data set is the figure to go by on a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpslr_core.experiments.sweep import sweep_batches
from dpslr_core.mechanisms import Mechanism
from dpslr_core.mechanisms.pairwise import MatchingMechanism
from dpslr_core.paper.synthetic import ALL, PAPER_PANELS
from dpslr_core.support.run import Run

from .areas import compute
from .timing import Row

PANEL = PAPER_PANELS["n"]
DATASETS = ALL.full.datasets
TENTH = DATASETS // 10


def rows(datasets: int = DATASETS, fewer: int = TENTH) -> Iterator[Row]:
    """The figures of the sweeps; a data set at each value starts the workers."""
    k10 = PANEL.mechanisms
    complete = [replace(m, k=None) if isinstance(m, MatchingMechanism) else m for m in k10]  # type: ignore[call-arg]
    run(k10, 1)
    panel = f"varying n, {len(PANEL.values)} values, {len(k10)} mechanisms, {PANEL.trials} trials, two workers"
    seconds, used = run(k10, datasets)
    yield Row(
        f"{panel}: {datasets} data sets", shown(seconds, used, datasets), "under 20 s", seconds < 20
    )
    seconds, used = (cost * DATASETS / fewer for cost in run(complete, fewer))
    what = f"the same with all pairs, {DATASETS} data sets, from {fewer} of them"
    yield Row(what, shown(seconds, used, DATASETS), "", None)


def run(mechanisms: Sequence[Mechanism], datasets: int) -> tuple[float, float]:
    """Wall and CPU seconds of the panel."""
    start, used = time.perf_counter(), compute()
    plan = PANEL._replace(mechanisms=tuple(mechanisms)).plan
    for _ in sweep_batches(plan, Run(PANEL.trials, 0, 2), datasets):
        pass
    return time.perf_counter() - start, compute() - used


def shown(seconds: float, used: float, datasets: int) -> str:
    """What one run took."""
    return f"{seconds:.1f} s (CPU {used / datasets:.2f} per set)"
