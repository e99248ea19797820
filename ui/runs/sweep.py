"""Measuring a sweep: batch after batch, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from dpslr_core.experiments.memory import sweep_memory
from dpslr_core.experiments.sweep import BatchKey, Setting
from dpslr_core.sweeps import BLOCK, Sweep, SweepBatch, SweepPlan, batch_ranges, combine, sweep_batches
from dpslr_core.text.sweep import symbol_of, value_text

from ..cache import kept_by_origin
from ..plain import plain
from ..private_names import end_page
from ..sweep import Plan
from ..work import Work, current_run, granted, offer, on_all_cores
from ..work import progress as progress_bar

LARGE = 1500  # records from which data sets arrive one by one
STOPPED = "sweep_stopped"  # session-state key: the sweep that was stopped, and the seconds of its rest if it is asked

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
    where = st.empty()
    with _refusing():
        planned = plan.planned()
    keys = {setting.value: _key(plan, planned, setting) for setting in planned.settings}
    loaded = plan.data is not None  # perhaps private: kept in the session
    shelves = {value: _shelf(loaded, key) for value, key in keys.items()}
    name, progress = repr((keys, plan.datasets)), _progress(plan, shelves)
    stopped, seconds = st.session_state.get(STOPPED, ("", None))
    if not progress.done and (stopped != name or (seconds is not None and seconds <= granted(work.what))):
        where.button("Stop here", key="sweep_stop", on_click=_stop, args=(name,))
        with _refusing():
            _measure(plan, planned, shelves, replace(work, megabytes=sweep_memory(planned)), show, every)
        progress, seconds = _progress(plan, shelves), current_run().turn.left
        where.empty()
        _stop(name, seconds)
    if not progress.done and seconds is not None:
        offer(where, work, seconds)
    elif not progress.done:
        where.button("Go on", key="sweep_go", on_click=_stop, args=("",))
    return progress


def _measure(
    plan: Plan,
    planned: SweepPlan,
    shelves: dict[float, Shelf],
    work: Work,
    show: Callable[[Progress], None],
    every: float,
) -> None:
    """Measure what is missing, or as much of it as may be without asking."""
    before, shown = _progress(plan, shelves), time.monotonic()
    if before.batches:
        show(before)

    def missing(workers: int) -> Iterator[SweepBatch]:
        there = [key for shelf in shelves.values() for key in tuple(shelf)]  # measured by other sessions too
        return sweep_batches(planned, replace(plan.run, workers=workers), plan.datasets, done=there, block=_block(plan))

    count = before.wanted - len(before.batches)
    with closing(on_all_cores(missing, count)) as arriving:
        for batch in progress_bar(arriving, work, lambda batch: _now(plan, batch), count, partial=True):
            shelves[batch.value][batch.key] = batch
            if time.monotonic() > shown + every:
                show(_progress(plan, shelves))
                shown = time.monotonic()


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


def _stop(name: str, seconds: float | None = None) -> None:
    """Leave a sweep as it is. seconds: what the rest takes, where it is to be asked about."""
    st.session_state[STOPPED] = name, seconds


@contextmanager
def _refusing() -> Iterator[None]:
    """A sentence and the end of the page where the core refuses."""
    try:
        yield
    except ValueError as problem:
        st.warning(plain(f"This sweep cannot be measured: {problem}."))
        end_page()
