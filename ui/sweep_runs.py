"""Measuring a sweep: piece after piece, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from pydantic import ValidationError
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.sweeps import BLOCK, Piece, combine, spans, sweep_chunks
from dpslr_core.sweeps.crossings import value_text

from .plain import plain
from .sweep_controls import Plan
from .sweep_ranges import RANGES

LARGE = 1500  # records from which data sets arrive one by one
PATIENCE = 2.0  # seconds of work in this process before others are asked to help; starting them takes about one
STOPPED = "sweep_stopped"  # session-state key of the sweep that was told to stop

Shelf = dict[tuple[float, int, int], Piece]


@dataclass(frozen=True)
class Progress:
    """How much of a sweep there is: the pieces, of how many, and the data sets measured at every value."""

    pieces: tuple[Piece, ...]
    wanted: int
    datasets: int

    @property
    def done(self) -> bool:
        """Whether all is there."""
        return len(self.pieces) == self.wanted

    @property
    def frame(self) -> pd.DataFrame:
        """What the pieces tell, as sweep would."""
        return combine(self.pieces)


def measure(plan: Plan, show: Callable[[Progress], None], every: float = 1.0) -> Progress:
    """All pieces of the sweep; ``show`` is called about once in so many seconds with those there are.

    A button stops the work; told to stop, what was kept before is all there is, and a button goes on.
    """
    where, bar = st.empty(), st.empty()
    shelves = {value: _shelf(plan.key, value) for value in plan.values}
    progress = _progress(plan, shelves)
    if not progress.done and st.session_state.get(STOPPED) == _name(plan):
        where.button("Go on", key="sweep_go", on_click=_go_on)
        return progress
    if not progress.done:
        where.button("Stop here", key="sweep_stop", on_click=_stop, args=(_name(plan),))
        progress = _measured(plan, shelves, bar, show, every)
    where.empty()
    bar.empty()
    return progress


def _measured(
    plan: Plan, shelves: dict[float, Shelf], bar: DeltaGenerator, show: Callable[[Progress], None], every: float
) -> Progress:
    """Measure what is missing; a sentence and the end of the page where the core refuses."""
    before, shown = _progress(plan, shelves), time.monotonic()
    if before.pieces:
        show(before)
    try:
        with closing(_pieces(plan, shelves, before.wanted - len(before.pieces))) as arriving:
            for number, piece in enumerate(arriving, len(before.pieces) + 1):
                shelves[piece.value][piece.key] = piece
                bar.progress(number / before.wanted, _now(plan, piece))
                if number < before.wanted and time.monotonic() > shown + every:
                    show(_progress(plan, shelves))
                    shown = time.monotonic()
    except ValidationError as problem:
        _refuse("; ".join(f"{error['loc'][0]}: {error['msg']}" for error in problem.errors()))
    except ValueError as problem:
        _refuse(str(problem))
    return _progress(plan, shelves)


def _pieces(plan: Plan, shelves: dict[float, Shelf], missing: int) -> Generator[Piece, None, None]:
    """The missing pieces; after a while, and where that leaves much to do, on all cores."""
    started, arrived = time.monotonic(), 0
    for workers in dict.fromkeys((1, os.cpu_count() or 1)):
        done = [key for shelf in shelves.values() for key in shelf]
        chunks = sweep_chunks(
            plan.parameter, plan.values, plan.base, plan.mechanisms, plan.datasets, plan.trials, plan.base.seed,
            workers, data=plan.data, done=done, block=_block(plan),
        )  # fmt: skip
        for piece in chunks:
            yield piece
            arrived += 1
            spent = time.monotonic() - started
            if workers == 1 and spent > PATIENCE and spent / arrived * (missing - arrived) > 2 * PATIENCE:
                break


def _block(plan: Plan) -> int:
    """Data sets in a piece: few enough that pieces arrive within a second or so."""
    largest = max(plan.values) if plan.parameter == "n" else plan.base.n
    return 1 if largest >= LARGE else BLOCK


def _progress(plan: Plan, shelves: dict[float, Shelf]) -> Progress:
    """What is on the shelves of this sweep."""
    parts = spans(plan.datasets, _block(plan))
    found = [
        [shelf[value, first, count] for first, count in parts if (value, first, count) in shelf]
        for value, shelf in shelves.items()
    ]
    fewest = min(sum(len(piece.measured) for piece in pieces) for pieces in found)
    return Progress(tuple(piece for pieces in found for piece in pieces), len(parts) * len(found), fewest)


def _now(plan: Plan, piece: Piece) -> str:
    """What has just been measured."""
    place = f"{RANGES[plan.parameter].symbol} = {value_text(plan.parameter, piece.value)}"
    first, last = piece.first + 1, piece.first + len(piece.measured)
    return f"{place}: data set {first if first == last else f'{first} to {last}'} of {plan.datasets}"


@st.cache_resource(max_entries=200, show_spinner=False, scope="session")
def _shelf(key: str, value: float) -> Shelf:
    """The pieces measured at one value of a sweep; it fills as they arrive."""
    return {}


def _name(plan: Plan) -> str:
    return repr((plan.key, plan.values, plan.datasets))


def _stop(name: str) -> None:
    st.session_state[STOPPED] = name


def _go_on() -> None:
    st.session_state[STOPPED] = None


def _refuse(problem: str) -> None:
    st.warning(plain(f"This sweep cannot be measured: {problem}."))
    st.stop()
