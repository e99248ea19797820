"""Work of pages: turns of computing, progress, and a question before long work.

A Python process computes on one core: runs side by side hold each other up, and all of them end late.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf, isfinite
from typing import TypeVar

import streamlit as st

from dpslr_core.scenario import Scenario
from dpslr_core.support.run import call_at_checkpoints
from dpslr_core.text.work import asked, refused, run_it

from .ends import Container, PageEnds, end_page
from .files import save_button
from .plain import plain

Part = TypeVar("Part")
GRANTED = "work_granted"  # session-state key: the work that clicks asked for
TURN = 1.0  # seconds that a run computes at least before the next run's turn
BESIDE = 1.0  # seconds of one part after which the next run computes beside it
LOOK = 0.25  # seconds between two looks at whether a run that waits is still wanted
EVERY = 0.05  # seconds between two looks of a run that computes
ENOUGH = 1.0  # seconds of computing from which the rest can be estimated
COSTLY = 0.001  # seconds from which a part was computed, not taken from a cache
PATIENCE = 2.0  # seconds of work in this process before others are asked to help; starting them takes about one
WAIT = 0.3  # seconds after which a bar is shown where work is short as a rule
STEP = 0.1  # seconds between two steps of a bar
clock = time.monotonic


def _limit(name: str, usual: float) -> float:
    """Read a limit from the server's environment; 0 means no limit.

    Raises
    ------
    ValueError
        If the variable is no number, 0 or more.
    """
    text = os.environ.get(name, "").strip()
    try:
        limit = float(text) if text else usual
    except ValueError:
        limit = -1.0
    if not (isfinite(limit) and limit >= 0):
        raise ValueError(f"{name} must be a number, 0 or more, got {text!r}")
    return limit or inf


AT_ONCE = _limit("DPSLR_SECONDS_AT_ONCE", 10.0)  # seconds that a page computes without asking
WORTH_ASKING = 0.3  # share of AT_ONCE: a shorter rest is finished without a question


def server_limit() -> tuple[float, float]:
    """Return the seconds and megabytes that a page computes with at most."""
    return _limit("DPSLR_MOST_SECONDS", 600.0), _limit("DPSLR_MOST_MEGABYTES", 2000.0)


class Turns:
    """Queue of the runs of a server process: at most `places` compute at once, the rest wait in order of arrival."""

    def __init__(self, places: int) -> None:
        self._places, self._changed = places, threading.Condition()
        self._waiting: list[PageRun] = []
        self._computing: dict[PageRun, float] = {}  # by run: when its current part began

    def join(self, run: PageRun) -> None:
        """Wait for a place; an event that ends the run ends the waiting."""
        with self._changed:
            self._waiting.append(run)
            try:
                while not self._is_next(run):
                    self._changed.wait(LOOK)
                    end_if_unwanted()
                self._computing[run] = clock()
            finally:
                self._waiting.remove(run)
                self._changed.notify_all()
        run.stays = clock() + TURN

    def stay(self, run: PageRun) -> None:
        """Begin another part, or wait again if the turn is over and other runs wait.

        Only between parts: within one a run may hold a lock, of a cache or of a ``cached_property``.
        """
        with self._changed:
            if run in self._computing and not (clock() > run.stays and self._waiting):
                self._computing[run] = clock()
                return
        self.leave(run)
        self.join(run)

    def leave(self, run: PageRun) -> None:
        """Give up the place of a run, so that the next run can compute."""
        with self._changed:
            self._computing.pop(run, None)
            self._changed.notify_all()

    def _is_next(self, run: PageRun) -> bool:
        """Return whether the run is first in the queue and a place is free; a run in a long part holds no place."""
        now = clock()
        self._computing = {
            computing: begun for computing, begun in self._computing.items() if now - begun < BESIDE
        }
        return self._waiting[0] is run and len(self._computing) < self._places


@st.cache_resource(show_spinner=False)
def turns() -> Turns:
    """Return the queue of this server process: two places if there are cores for them, as numpy computes beside Python.

    ``serve`` tells each of its processes the number of its cores as numpy reads it.
    """
    threads = os.environ.get("OMP_NUM_THREADS", "")
    cores = int(threads) if threads.isdigit() else os.cpu_count() or 1
    return Turns(1 if cores == 1 else 2)


@dataclass(frozen=True)
class Work:
    """Work that a page is about to do.

    Attributes
    ----------
    what : str
        Everything that the cost depends on; a click that allows the work holds for this text.
    reduce : str
        Settings that the cost depends on, in words.
    megabytes : float
        Memory that is held at once.
    command : str
        Command that does the same from a terminal, where there is no limit, with the scenario in a file.
    scenario : Scenario or None
        Scenario of the command.
    """

    what: str
    reduce: str = "the settings of this page"
    megabytes: float = 0.0
    command: str = ""
    scenario: Scenario | None = None


class TooLong(PageEnds):
    """End of a run that has computed for longer than the server allows."""


class PageRun:
    """Computing of one run of a page.

    Attributes
    ----------
    allowed : float
        Seconds of computing after which the page asks.
    left : float or None
        Seconds that the parts take that were left out; None if no part was.
    offered : bool
        Whether a button that goes on is drawn: one is enough.
    stays : float
        Moment, by `clock`, from which another run may take the place of this run.
    """

    def __init__(self) -> None:
        self.allowed, self.offered = AT_ONCE, False
        self.left: float | None = None
        self.stays = self._helped = 0.0
        self._begun, self._looked = time.thread_time(), clock()

    @property
    def spent(self) -> float:
        """Seconds of processor time so far, of worker processes too."""
        return time.thread_time() - self._begun + self._helped

    def allow(self, seconds: float) -> None:
        """Let the run go on for this number of seconds without asking."""
        self.allowed = max(self.allowed, self.spent + seconds)

    def checkpoint(self, helpers: int = 0) -> None:
        """End the run if its tab is closed, a control has changed, or the server's limit is reached."""
        now = clock()
        if now < self._looked + EVERY:
            return
        self._helped += (now - self._looked) * helpers
        end_if_unwanted()
        if self.spent > server_limit()[0]:
            raise TooLong
        self._looked = now


_run: ContextVar[PageRun | None] = ContextVar("run", default=None)


def end_if_unwanted() -> None:
    """End the run if Streamlit has asked for that: it looks at each use of the session."""
    st.session_state.get(GRANTED)


@contextmanager
def in_turn() -> Iterator[None]:
    """Run a page in its turn, to its end or to the server's limit."""
    run = PageRun()
    token = _run.set(run)
    call_at_checkpoints(run.checkpoint)
    try:
        turns().join(run)
        yield
    except TooLong:
        st.warning(plain(refused(run.spent, 0.0, server_limit(), Work("").reduce)))
    finally:
        call_at_checkpoints(None)
        turns().leave(run)
        _run.reset(token)


def current_run() -> PageRun:
    """Return the run of the page; a new one if only a fragment runs again."""
    return _run.get() or PageRun()


def is_granted(work: Work) -> bool:
    """Return whether a click has allowed this work."""
    return work.what in st.session_state.get(GRANTED, ())


def grant(what: str) -> None:
    """Allow this work, however long it takes within the server's limit."""
    st.session_state[GRANTED] = {*st.session_state.get(GRANTED, ()), what}


def refuse_too_large(work: Work, slot: Container) -> None:
    """End the page with a refusal if work takes more memory than the server allows."""
    if work.megabytes > server_limit()[1]:
        offer(slot, work, 0.0)
        end_page()


def offer(slot: Container, work: Work, seconds: float, words: str = "") -> None:
    """Draw the button that lets work go on; beyond the server's limit, what to reduce and the command instead.

    Parameters
    ----------
    slot : container
        Container that is drawn in.
    work : Work
        Work to be done.
    seconds : float
        Estimate of the computing that is left.
    words : str
        Sentence on what is there already, in place of the question.
    """
    limit = server_limit()
    with slot.container():
        if seconds <= limit[0] and work.megabytes <= limit[1]:
            label = "Go on" if words else run_it(seconds)
            st.info(plain(words or asked(seconds)))
            st.button(label, key="work_run", type="primary", on_click=grant, args=(work.what,))
            return
        st.warning(plain(refused(seconds, work.megabytes, limit, work.reduce)))
        if work.command:
            st.caption("From a terminal, which has no limit, with scenario.json in the folder:")
            st.code(work.command, language=None, wrap_lines=True)
        if work.scenario is not None:
            written = work.scenario.model_dump_json(indent=2).encode()
            save_button(
                "Scenario (JSON)", written, "scenario.json", "application/json", "save_scenario"
            )


def progress(
    parts: Iterable[Part],
    work: Work,
    label: Callable[[Part], str],
    total: int | None = None,
    partial: bool = False,
    wait: float = 0.0,
) -> Iterator[Part]:
    """Yield parts of work in order, with a bar; end the page with a question if the rest would take long.

    Each part is computed before it arrives or before the next is asked for: the seconds of finished parts tell how
    long the rest takes.

    Parameters
    ----------
    parts : iterable
        Parts that are computed one after the other.
    work : Work
        Work that all parts make up.
    label : callable
        Describes a part, in words.
    total : int, optional
        Number of parts, if they have no length.
    partial : bool
        Whether to stop without a question after AT_ONCE seconds if the rest would take long; ``current_run().left``
        then tells how long.
    wait : float
        Seconds after which the bar is shown.
    """
    run, slot, shown = current_run(), st.empty(), clock() + wait
    refuse_too_large(work, slot)
    count = total if total is not None else len(parts)  # type: ignore[arg-type]
    first = before = run.spent
    allowed = inf if is_granted(work) else run.allowed
    computed, spent = 0, 0.0
    for done, part in enumerate(parts, 1):
        if clock() >= shown:
            slot.progress(min((done - 1) / count, 1.0), label(part))
            shown = clock() + STEP
        yield part
        turns().stay(run)
        now = run.spent
        if computed or now - before > COSTLY:  # parts from a cache come first, and tell nothing
            computed, spent = computed + 1, spent + now - before
        before, rest = now, spent / max(computed, 1) * (count - done)
        run.left = rest
        if (
            spent > ENOUGH
            and now + rest > min(allowed, server_limit()[0])
            and rest > WORTH_ASKING * AT_ONCE
        ):
            if not partial:
                if not run.offered:
                    offer(slot, work, rest)
                end_page()
            elif now - first > AT_ONCE:
                break
    else:
        run.left = None
    if partial:
        run.allow(AT_ONCE)  # work after this asks anew
    slot.empty()


def on_all_cores(
    measure: Callable[[int], Iterator[Part]], missing: int
) -> Generator[Part, None, None]:
    """Yield missing parts, computed in this process; after PATIENCE, if much is left, on all cores.

    Parameters
    ----------
    measure : callable
        Function of a number of processes that yields the parts still missing.
    missing : int
        Number of missing parts.
    """
    started, arrived = time.monotonic(), 0
    for workers in dict.fromkeys((1, os.cpu_count() or 1)):
        for part in measure(workers):
            yield part
            arrived += 1
            spent = time.monotonic() - started
            if (
                workers == 1
                and spent > PATIENCE
                and spent / arrived * (missing - arrived) > 3 * PATIENCE
            ):
                break
