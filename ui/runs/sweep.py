"""Measuring a sweep: batch after batch, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.experiments.sweep import BatchKey, Setting
from dpslr_core.sweeps import BLOCK, Sweep, SweepBatch, SweepPlan, batch_ranges, combine, sweep_batches
from dpslr_core.text.sweep import symbol_of, value_text

from ..cache import kept_by_origin
from ..plain import plain
from ..sessions.private_names import end_page
from ..sweep import Plan, measured_at_once, rest
from ..work.ask import Work, offer
from ..work.run import current_run

LARGE = 1500  # records from which data sets arrive one by one
PATIENCE = 2.0  # seconds of work in this process before others are asked to help; starting them takes about one
STOPPED = "sweep_stopped"  # session-state key of the sweep that was told to stop

Shelf = dict[BatchKey, SweepBatch]


@dataclass(frozen=True)
class Progress:
    """How much of a sweep there is: the batches, of how many, and the data sets measured at every value."""

    batches: tuple[SweepBatch, ...]
    wanted: int
    datasets: int

    @property
    def done(self) -> bool:
        """Whether all is there."""
        return len(self.batches) == self.wanted

    @cached_property
    def sweep(self) -> Sweep:
        """The sweep as far as it is measured."""
        return combine(self.batches)


def measure(plan: Plan, work: Work, show: Callable[[Progress], None], every: float = 1.0) -> Progress:
    """All batches of the sweep; ``show`` is called about once in so many seconds with those there are.

    A button stops the work; told to stop, what was kept before is all there is, and a button goes on. Where all would
    take long it is the first data sets, and a button that asks for the others. A sentence and the end of the page where
    the core refuses.
    """
    where, bar = st.empty(), st.empty()
    with _refusing():
        planned = plan.planned()
    keys = {setting.value: _key(plan, planned, setting) for setting in planned.settings}
    loaded = plan.data is not None  # perhaps private: kept in the session
    shelves = {value: _shelf(loaded, key) for value, key in keys.items()}
    name, progress = repr((keys, plan.datasets)), _progress(plan, shelves)
    if not progress.done and st.session_state.get(STOPPED) == name:
        where.button("Go on", key="sweep_go", on_click=_go_on)
        return progress
    if not progress.done:
        wanted = measured_at_once(planned, plan.run, plan.datasets, _block(plan), work, progress.datasets)
        if progress.datasets < wanted:
            where.button("Stop here", key="sweep_stop", on_click=_stop, args=(name,))
            current_run().expect(rest(planned, plan.run, wanted - progress.datasets).seconds, work.what)
            with _refusing():
                _measure(_Part(plan, planned, shelves, wanted), bar, show, every)
            progress = _progress(plan, shelves)
    current_run().end_wait()
    where.empty()
    bar.empty()
    if not progress.done:
        with where.container():
            offer(rest(planned, plan.run, plan.datasets - progress.datasets), work)
    return progress


@dataclass(frozen=True)
class _Part:
    """The first data sets of a sweep, which are measured now."""

    plan: Plan
    planned: SweepPlan
    shelves: dict[float, Shelf]
    datasets: int

    @property
    def wanted(self) -> int:
        """How many batches it has."""
        ranges = batch_ranges(self.plan.datasets, _block(self.plan))
        return len(self.shelves) * sum(first < self.datasets for first, _ in ranges)

    @property
    def there(self) -> list[BatchKey]:
        """The batches that are measured, by other sessions too, and those that are not wanted now."""
        later = [
            (first, count)
            for first, count in batch_ranges(self.plan.datasets, _block(self.plan))
            if first >= self.datasets
        ]
        keys = [key for shelf in self.shelves.values() for key in tuple(shelf) if key[1] < self.datasets]
        return keys + [(value, first, count) for value in self.shelves for first, count in later]


def _measure(part: _Part, bar: DeltaGenerator, show: Callable[[Progress], None], every: float) -> None:
    """Measure what is missing."""
    plan, shelves = part.plan, part.shelves
    before, shown = _progress(plan, shelves), time.monotonic()
    if before.batches:
        show(before)
    missing = part.wanted - len(before.batches)
    with closing(_arriving(part, missing)) as arriving:
        for number, batch in enumerate(arriving, len(before.batches) + 1):
            shelves[batch.value][batch.key] = batch
            bar.progress(min(number / part.wanted, 1.0), _now(plan, batch))
            if number < part.wanted and time.monotonic() > shown + every:
                show(_progress(plan, shelves))
                shown = time.monotonic()


def _arriving(part: _Part, missing: int) -> Generator[SweepBatch, None, None]:
    """The missing batches; after a while, and where that leaves much to do, on all cores."""
    plan, started, arrived = part.plan, time.monotonic(), 0
    for workers in dict.fromkeys((1, os.cpu_count() or 1)):
        run = replace(plan.run, workers=workers)
        for batch in sweep_batches(part.planned, run, plan.datasets, done=part.there, block=_block(plan)):
            yield batch
            arrived += 1
            spent = time.monotonic() - started
            if workers == 1 and spent > PATIENCE and spent / arrived * (missing - arrived) > 3 * PATIENCE:
                break


def _block(plan: Plan) -> int:
    """Data sets in a batch: few enough that batches arrive within a second or so."""
    records = plan.base.linear_model if plan.data is None else plan.data
    largest = max(plan.values) if plan.parameter == "n" else records.n
    return 1 if largest >= LARGE else BLOCK


def _progress(plan: Plan, shelves: dict[float, Shelf]) -> Progress:
    """What is on the shelves of this sweep."""
    ranges = batch_ranges(plan.datasets, _block(plan))
    measured = [
        [shelf[value, first, count] for first, count in ranges if (value, first, count) in shelf]
        for value, shelf in shelves.items()
    ]
    fewest = min(sum(len(batch.ratios) for batch in batches) for batches in measured)
    return Progress(tuple(batch for batches in measured for batch in batches), len(ranges) * len(measured), fewest)


def _now(plan: Plan, batch: SweepBatch) -> str:
    """What has just been measured."""
    place = f"{symbol_of(plan.parameter)} = {value_text(plan.parameter, batch.value)}"
    first, last = batch.first + 1, batch.first + len(batch.ratios)
    return f"{place}: data set {first if first == last else f'{first} to {last}'} of {plan.datasets}"


def _key(plan: Plan, planned: SweepPlan, setting: Setting) -> str:
    """What determines the numbers at one value, whatever the other values and the number of data sets."""
    return repr((planned.parameter, planned.names, setting, plan.run, plan.data and plan.data.digest))


@kept_by_origin(200)
def _shelf(key: str) -> Shelf:
    """The batches measured at one value of a sweep; it fills as they arrive, in whatever session."""
    return {}


def _stop(name: str) -> None:
    st.session_state[STOPPED] = name


def _go_on() -> None:
    st.session_state[STOPPED] = None


@contextmanager
def _refusing() -> Iterator[None]:
    """A sentence and the end of the page where the core refuses."""
    try:
        yield
    except ValueError as problem:
        st.warning(plain(f"This sweep cannot be measured: {problem}."))
        end_page()
