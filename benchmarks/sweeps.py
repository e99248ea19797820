"""Sweeps: the paper's panel of varying n; CPU time per data set is the figure to go by on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dpslr_core.experiments.sweep import run_sweep
from dpslr_core.paper.synthetic import ALL, PAPER_PANELS
from dpslr_core.support.run import Run

from .timing import Row, compute, seconds

PANEL = PAPER_PANELS["n"]
DATASETS = ALL.full.datasets


def rows() -> Iterator[Row]:
    """Measure the panel; a data set at each value starts the workers."""
    run = partial(run_sweep, PANEL.plan, Run(PANEL.trials, 0, 2))
    run(1)
    used = compute()
    taken = seconds(lambda: run(DATASETS))
    shown = f"{taken:.1f} s (CPU {(compute() - used) / DATASETS:.2f} per set)"
    what = f"varying n, {len(PANEL.values)} values, {len(PANEL.mechanisms)} mechanisms, two workers"
    yield Row(f"{what}: {DATASETS} data sets", shown, "under 20 s", taken < 20)
