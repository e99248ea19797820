"""Small areas: a state of the size of Illinois, more areas, and the gain by two workers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd
import psutil

from dpslr_core import by_group, simulate_tracts
from dpslr_core.guidance.area_epsilons import passing_epsilons
from dpslr_core.mechanisms import MECHANISMS, Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.sources.tracts import ILLINOIS_TRACTS

from .core import data_of
from .timing import Row, compute, seconds, taking_turns

EVERY = [algorithm() for algorithm in MECHANISMS]
LAWS = [mechanism for mechanism in EVERY if None not in mechanism.law(data_of(30), 1.0)]
EPSILON = 16.0  # the paper's


def state(tracts: int) -> pd.DataFrame:
    """Simulate people in a number of tracts: columns group, x, y."""
    return simulate_tracts(tracts=tracts, rng=np.random.default_rng(0))


def rows() -> Iterator[Row]:
    """Measure the small areas; the first run starts the workers."""
    yield _state(ILLINOIS_TRACTS, EVERY, 12, 1024)
    yield _state(ILLINOIS_TRACTS, LAWS, 8, 500)
    yield _state(7_200, LAWS, 19, 1024)  # a tenth of the nation's
    frame = state(400)
    runs = [partial(by_group, frame, EVERY, EPSILON, workers=workers) for workers in (1, 2)]
    alone, by_two = taking_turns(*runs, turns=3)
    what = f"two workers against one, 400 tracts, all {len(EVERY)} mechanisms"
    yield Row(what, f"{alone / by_two:.2f} times", "at least 1.6", alone / by_two >= 1.6)
    pure = [mechanism for mechanism in LAWS if mechanism.guarantee(1.0).pure]
    datasets = {number: data_of(60, number) for number in range(40)}
    step = partial(passing_epsilons, datasets, pure, Budget(1.0))
    taken = seconds(step, compute) / len(datasets)
    what = f"an area of 60 records: where it passes, with each of {len(pure)} pure laws"
    yield Row(what, f"{taken * 1e3:.3g} ms CPU", "under 20 ms", taken < 0.02)


def _state(tracts: int, mechanisms: Sequence[Mechanism], most: float, megabytes: float) -> Row:
    """Measure a by_group with 100 trials and two workers: time, and memory of all processes at its end."""
    frame, start, used = state(tracts), time.perf_counter(), compute()
    by_group(frame, mechanisms, EPSILON, workers=2)
    taken, used, me = time.perf_counter() - start, compute() - used, psutil.Process()
    held = sum(p.memory_full_info().pss for p in (me, *me.children())) / 2**20
    what = f"{tracts:,} tracts, {len(mechanisms)} mechanisms, 100 trials, two workers"
    shown = f"{taken:.1f} s (CPU {used:.1f}), {held:.0f} MB"
    reached = taken < most and held < megabytes
    return Row(what, shown, f"{most:g} s, {megabytes:g} MB", reached)
