"""Small areas: a state of the size of Illinois, and what two workers and more areas change.

``python -m benchmarks areas``; memory is that of all processes, pages that they share counted once (PSS, Linux).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import psutil

from dpslr_core import Dataset, by_group, simulate_tracts
from dpslr_core.experiments.errors import measure
from dpslr_core.guidance.area_epsilons import passing_epsilons
from dpslr_core.mechanisms import MECHANISMS, Mechanism
from dpslr_core.mechanisms.base import MechanismFamily
from dpslr_core.privacy import Budget
from dpslr_core.sources.tracts import ILLINOIS_TRACTS
from dpslr_core.support.run import Run

from .core import data_of
from .timing import Row, taking_turns

EVERY = [algorithm() for algorithm in MECHANISMS]
LAWS = [mechanism for mechanism in EVERY if None not in mechanism.law(data_of(30), 1.0)]
DESCENTS = [
    mechanism for mechanism in EVERY if mechanism.family is MechanismFamily.GRADIENT_DESCENT
]
EPSILON = 16.0  # the paper's
NATION = 72_000  # census tracts of the United States, roughly
TENTH = NATION // 10


class PeakMemory:
    """A context that watches the megabytes of this process and its children, four times a second."""

    def __enter__(self) -> PeakMemory:
        self.megabytes, self._over = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._over.wait(0.25):
            used = 0
            for process in (me, *me.children(recursive=True)):
                try:
                    used += process.memory_full_info().pss
                except (psutil.NoSuchProcess, psutil.AccessDenied):  # it has ended, or is about to
                    continue
            self.megabytes = max(self.megabytes, used / 2**20)


def state(tracts: int) -> pd.DataFrame:
    """People in so many simulated tracts."""
    return simulate_tracts(tracts=tracts, rng=np.random.default_rng(0))


@dataclass(frozen=True)
class Cost:
    """What one run took. compute is CPU time: the figure to go by on a busy machine."""

    seconds: float
    compute: float
    megabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s (CPU {self.compute:.1f}), {self.megabytes:.0f} MB"


def compute() -> float:
    """CPU seconds of this process and its children so far, of those that have ended too."""
    me = psutil.Process()
    return sum(me.cpu_times()[:4]) + sum(sum(child.cpu_times()[:2]) for child in me.children())


def run(frame: pd.DataFrame, mechanisms: Sequence[Mechanism], workers: int = 2) -> Cost:
    """The cost of one by_group with 100 trials."""
    with PeakMemory() as memory:
        start, used = time.perf_counter(), compute()
        by_group(frame, mechanisms, EPSILON, trials=100, workers=workers)
        seconds, used = time.perf_counter() - start, compute() - used
    return Cost(seconds, used, memory.megabytes)


def rows() -> Iterator[Row]:
    """The figures of the small areas; the first run starts the workers."""
    illinois = state(ILLINOIS_TRACTS)
    cost = run(illinois, EVERY)
    what = f"{ILLINOIS_TRACTS:,} tracts, all {len(EVERY)} mechanisms, 100 trials, two workers"
    yield Row(what, str(cost), "under 12 s, 1 GB", cost.seconds < 12 and cost.megabytes < 1024)
    cost = run(illinois, LAWS)
    what = f"{ILLINOIS_TRACTS:,} tracts, the {len(LAWS)} mechanisms with a law, two workers"
    yield Row(what, str(cost), "under 8 s, 500 MB", cost.seconds < 8 and cost.megabytes < 500)
    yield from _nation(cost)
    yield _together(LAWS, f"the {len(LAWS)} mechanisms with a law")
    yield _together(DESCENTS, f"the {len(DESCENTS)} gradient descents, 100 trials")
    yield _two_against_one()
    yield _one_step()


def _one_step() -> Row:
    """Time of the search behind the table of Small areas, on data sets of which nothing is cached."""
    pure = [mechanism for mechanism in LAWS if mechanism.guarantee(1.0).pure]
    known = {number: data_of(60, number) for number in range(40)}
    start = compute()
    passing_epsilons(known, pure, Budget(1.0))
    each = (compute() - start) / len(known)
    what = f"an area of 60 records: the smallest epsilon at which it passes, with each of {len(pure)} pure laws"
    return Row(what, f"{each * 1e3:.3g} ms CPU", "under 20 ms", each < 0.02)


def _together(mechanisms: Sequence[Mechanism], named: str) -> Row:
    """What measuring areas together saves: CPU time of 64 one by one over that of all at once; both from the start."""
    known = [data_of(20 + 2 * seed, seed) for seed in range(64)]
    budget, trials, used = Budget(EPSILON), Run(100), [0.0, 0.0]
    for _ in range(3):
        for place, size in enumerate((1, len(known))):
            fresh, start = [Dataset(each.x, each.y) for each in known], compute()
            for first in range(0, len(fresh), size):
                for mechanism in mechanisms:
                    measure(fresh[first : first + size], mechanism, budget, trials)
            used[place] += compute() - start
    shown = f"{used[0] / used[1]:.2f} times ({used[1] / 3 / len(known) * 1e3:.3g} ms an area)"
    return Row(f"{len(known)} areas at once against one by one, {named}", shown, "", None)


def _nation(illinois: Cost) -> Iterator[Row]:
    """The laws for all tracts of the country, from a tenth of them."""
    cost = run(state(TENTH), LAWS)
    shown = f"{10 * cost.seconds / 60:.1f} min (CPU {10 * cost.compute / 60:.1f}), {cost.megabytes:.0f} MB"
    what = f"{NATION:,} tracts, the {len(LAWS)} mechanisms with a law, ten times {TENTH:,}"
    yield Row(what, shown, "under 1 GB", cost.megabytes < 1024)
    growth = cost.compute / TENTH / (illinois.compute / ILLINOIS_TRACTS)
    what = f"CPU time per area with {TENTH:,} tracts against {ILLINOIS_TRACTS:,}"
    yield Row(what, f"{growth:.2f} times", "at most 1.1", growth <= 1.1)


def _two_against_one() -> Row:
    """How much faster two workers are than one, all mechanisms."""
    frame = state(400)
    one, two = taking_turns(
        *(partial(by_group, frame, EVERY, EPSILON, workers=workers) for workers in (1, 2)), turns=3
    )
    shown = f"{one / two:.2f} times ({one:.1f} / {two:.1f} s)"
    what = f"two workers against one, 400 tracts, all {len(EVERY)} mechanisms"
    return Row(what, shown, "at least 1.6", one / two >= 1.6)
