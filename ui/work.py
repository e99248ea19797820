"""Work of pages: one queue for all sessions, progress, and a question before it is long.

A Python process computes on one core: runs side by side hold each other up, and all of them end late.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache
from math import inf, isfinite
from typing import NoReturn, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.scenario import Scenario
from dpslr_core.support.run import call_at_checkpoints
from dpslr_core.text.work import asked, longer_than_expected, refused, run_it, waiting

from .ends import end_page
from .plain import plain
from .private_names import end_if_asked, fragments_run_again, runs_in_a_page

Part = TypeVar("Part")
RUN, GRANTED = "page_run", "work_granted"  # session-state keys: the run of the page; the seconds that clicks asked for
SHORT_TURN = 0.5  # seconds after which a run computes beside the next: a long one holds nobody up
LONG_TURN = 1.0  # seconds that a long run computes while other long ones wait
LONG = 2.0  # seconds of computing after which a run is long
LOOK = 0.25  # seconds between two looks at whether a run that waits is still wanted
EVERY = 0.05  # seconds between two looks of a run that computes
ENOUGH = 1.0  # seconds of computing from which the rest can be told
COSTLY = 0.001  # seconds of a part that was not kept from before
WRONG = 3.0  # how many times as long as estimated a run may take before the page asks again
PATIENCE = 2.0  # seconds of work in this process before others are asked to help; starting them takes about one
WAIT = 0.3  # seconds after which a bar is shown where work is short as a rule
STEP = 0.1  # seconds between two steps of a bar


def _limit(name: str, usual: float) -> float:
    """A number of the server's environment, 0 for no limit. ValueError names one that is no number, 0 or more."""
    text = os.environ.get(name, "").strip()
    try:
        limit = float(text) if text else usual
    except ValueError:
        limit = -1.0
    if not (isfinite(limit) and limit >= 0):
        raise ValueError(f"{name} must be a number, 0 or more, got {text!r}")
    return limit or inf


AT_ONCE = _limit("DPSLR_SECONDS_AT_ONCE", 10.0)  # seconds that a page computes without asking
WORTH_ASKING = 0.3  # of these: what takes less is finished without a question
MEGABYTES_AT_ONCE = 500.0


def server_limit() -> tuple[float, float]:
    """Seconds and megabytes that a page computes with at most."""
    return _limit("DPSLR_MOST_SECONDS", 600.0), _limit("DPSLR_MOST_MEGABYTES", 2000.0)


@dataclass(eq=False)
class Turn:
    """A run in a queue. since: when it was called. left: seconds that it still takes, None if unknown."""

    left: float | None = None
    since: float = 0.0
    called: threading.Event = field(default_factory=threading.Event)


class Queue:
    """Runs in the order in which they came: the first compute, so many side by side, the others wait.

    seconds: after which a run that has not ended is passed by; it goes on beside the next, or asks for another turn.
    """

    def __init__(self, seconds: float, side_by_side: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._side_by_side, self._clock = seconds, side_by_side, clock
        self._lock = threading.Lock()
        self._waiting: list[Turn] = []
        self._computing: list[Turn] = []

    def join(self, turn: Turn, wanted: Callable[[], None]) -> None:
        """Wait until all that came before have ended, or computed for long. wanted: raises where nobody waits."""
        turn.called.clear()
        try:
            with self._lock:
                self._waiting.append(turn)
                self._call()
            while not turn.called.wait(LOOK):
                wanted()
                with self._lock:
                    now = self._clock()
                    self._computing = [each for each in self._computing if now - each.since <= self._seconds]
                    self._call()
        except BaseException:
            self.leave(turn)
            raise

    def stay(self, turn: Turn, wanted: Callable[[], None]) -> None:
        """Go on computing, or to the end of the queue where others wait and the run has computed for long."""
        with self._lock:
            now = self._clock()
            stays = turn in self._computing and not (self._waiting and now - turn.since > self._seconds)
            if stays and not self._waiting:
                turn.since = now
        if not stays:
            self.leave(turn)
            self.join(turn, wanted)

    def leave(self, turn: Turn) -> None:
        """Give the place up."""
        with self._lock:
            for line in (self._waiting, self._computing):
                if turn in line:
                    line.remove(turn)
            self._call()

    def others(self, turn: Turn) -> list[Turn]:
        """All in the queue but this one."""
        with self._lock:
            return [each for each in (*self._computing, *self._waiting) if each is not turn]

    def _call(self) -> None:
        while self._waiting and len(self._computing) < self._side_by_side:
            first = self._waiting.pop(0)
            self._computing.append(first)
            first.since = self._clock()
            first.called.set()


@cache
def arrivals() -> Queue:
    """All runs of this server process: two side by side where it has cores for them, as numpy computes beside Python.

    ``serve`` tells each of its processes the number of its cores as numpy reads it.
    """
    threads = os.environ.get("OMP_NUM_THREADS", "")
    cores = int(threads) if threads.isdigit() else os.cpu_count() or 1
    return Queue(SHORT_TURN, side_by_side=1 if cores == 1 else 2)


@cache
def long_runs() -> Queue:
    """The runs of this server process that have computed for LONG: short ones pass them."""
    return Queue(LONG_TURN)


@dataclass(frozen=True)
class Work:
    """What a page is about to compute.

    what: all that its cost depends on; a click holds for it. reduce: the settings that it depends on, as words.
    megabytes: held at once. command: the same from a terminal, where there is no limit, with the scenario in a file.
    """

    what: str
    reduce: str = "the settings of this page"
    megabytes: float = 0.0
    command: str = ""
    scenario: Scenario | None = None


class PageRun:
    """The computing of one run of a page, metered.

    place: where it asks, None where it cannot. top: where it says what it waits for. work: what it computes.
    allowed: seconds of computing after which it asks.
    """

    def __init__(self, place: DeltaGenerator | None, title: str = "") -> None:
        self.turn, self.place, self.work = Turn(), place, Work(title)
        self.fragments: list[str] | None = None  # those that are run again without their page
        self.offered = False  # whether a button that goes on is there: one is enough
        self.allowed = max(AT_ONCE, WRONG * granted(title)) if place is not None else inf
        self.top, self._context, self._told = place, copy_context(), ""
        self._started, self._next, self._last, self._helped = time.thread_time(), 0.0, time.monotonic(), 0.0

    @property
    def spent(self) -> float:
        """Seconds of processor time so far, of worker processes too."""
        return time.thread_time() - self._started + self._helped

    def begin(self, work: Work, place: DeltaGenerator | None = None) -> None:
        """Go on with this work; a sentence and the end of the page where it needs more memory than there may be."""
        self.work, self.place = work, place or self.top
        if self.allowed == inf and place is not None:
            self.allowed = self.spent + AT_ONCE
        self.allow(WRONG * granted(work.what))
        beyond = work.megabytes > server_limit()[1]
        if beyond or (work.megabytes > MEGABYTES_AT_ONCE and work.what not in st.session_state.get(GRANTED, {})):
            self.ask(0.0)

    def allow(self, seconds: float) -> None:
        """Go on for so many seconds without asking."""
        self.allowed = max(self.allowed, self.spent + seconds)

    def pause(self) -> None:
        """What was computed is there: take back what it waited for, and let others compute until there is more."""
        self._say("")
        long_runs().leave(self.turn)

    def checkpoint(self, helpers: int = 0) -> None:
        """End the run where its tab is closed or a control has changed; wait for its turn; ask where it takes long."""
        now = time.monotonic()
        if now < self._next:
            return
        self._helped += (now - self._last) * min(helpers, _free_cores())
        end_if_asked()
        spent = self.spent
        if spent > min(self.allowed, server_limit()[0]):
            self.ask(spent, longer_than_expected(spent))
        if spent > LONG:
            long_runs().stay(self.turn, self._wait)
            if not long_runs().others(self.turn):
                self._say("")
        self._last = time.monotonic()
        self._next = self._last + EVERY

    def _wait(self) -> None:
        """Say what this run waits for. It stays while there are others, so that it does not flicker."""
        self._say(waiting(self.turn.left, [other.left for other in long_runs().others(self.turn)]))
        end_if_asked()

    def _say(self, words: str) -> None:
        if self.top is not None and words != self._told:
            self._told = words
            self._context.run(self.top.info, words) if words else self._context.run(self.top.empty)

    def ask(self, seconds: float, words: str = "") -> NoReturn:
        """End the page with a button that goes on for so many seconds more; what was kept is not computed again.

        seconds: 0 where only the memory is known. words: why, where the seconds are no estimate.
        """
        long_runs().leave(self.turn)
        if (
            self.place is not None and not self.offered
        ):  # as the page began: a cached function that is computed would keep what is drawn
            self._context.run(offer, self.place, self.work, seconds, words)
        end_page()


def offer(place: DeltaGenerator, work: Work, seconds: float, words: str = "") -> None:
    """The button that lets work go on; what to reduce, and the command, where it is beyond the server's limit."""
    limit = server_limit()
    with place.container():
        if seconds <= limit[0] and work.megabytes <= limit[1]:
            label = "Go on" if words else run_it(seconds)
            st.info(plain(words or asked(seconds, 0.0 if seconds else work.megabytes)))
            st.button(label, key="work_run", type="primary", on_click=grant, args=(work.what, seconds))
            return
        st.warning(plain(refused(seconds, work.megabytes, limit, work.reduce)))
        if work.command:
            st.caption("From a terminal, which has no limit, with scenario.json in the folder:")
            st.code(work.command, language=None, wrap_lines=True)
        if work.scenario is not None:
            written = work.scenario.model_dump_json(indent=2).encode()
            st.download_button("Scenario (JSON)", written, "scenario.json", "application/json", on_click="ignore")


def progress(
    parts: Iterable[Part],
    work: Work,
    said: Callable[[Part], str],
    total: int | None = None,
    partial: bool = False,
    wait: float = 0.0,
) -> Iterator[Part]:
    """Parts of work in order, with a bar; a question and the end of the page where the others would take long.

    Each part is worked on before it arrives or before the next is asked for: the seconds of those that are done tell
    what the rest takes. said: a part, as words. total: how many there are, where parts has no length. partial: where
    all would take long the parts of the first AT_ONCE seconds are all, and ``turn.left`` is what the others take.
    wait: seconds after which the bar is shown.
    """
    run, place, shown = current_run(), st.empty(), time.monotonic() + wait
    run.begin(work, place)
    count = total if total is not None else len(parts)  # type: ignore[arg-type]
    first = before = run.spent
    allowed, computed, spent = run.allowed, 0, 0.0
    if partial:
        run.allow(server_limit()[0])  # it is stopped between two parts
    for done, part in enumerate(parts, 1):
        if time.monotonic() >= shown:
            place.progress(min((done - 1) / count, 1.0), said(part))
            shown = time.monotonic() + STEP
        yield part
        now = run.spent
        if computed or now - before > COSTLY:  # what was kept comes first
            computed, spent = computed + 1, spent + now - before
        before, rest = now, spent / max(computed, 1) * (count - done)
        run.turn.left = rest
        if spent > ENOUGH and now + rest > allowed and rest > max(COSTLY, WORTH_ASKING * AT_ONCE):
            if not partial:
                run.ask(rest)
            elif now - first > AT_ONCE:
                break
    else:
        run.turn.left, run.place = None, run.top
        run.pause()
    if partial:
        run.allowed = max(allowed, run.spent + AT_ONCE)  # what follows asks anew
    place.empty()


def on_all_cores(measure: Callable[[int], Iterator[Part]], missing: int) -> Generator[Part, None, None]:
    """Parts that are missing, from this process; after a while, and where that leaves much to do, from all cores.

    measure: the parts that are still missing when it is called with a number of processes.
    """
    started, arrived = time.monotonic(), 0
    for workers in dict.fromkeys((1, os.cpu_count() or 1)):
        for part in measure(workers):
            yield part
            arrived += 1
            spent = time.monotonic() - started
            if workers == 1 and spent > PATIENCE and spent / arrived * (missing - arrived) > 3 * PATIENCE:
                break


@contextmanager
def in_turn() -> Iterator[None]:
    """Around a page: it waits until those that came before have been drawn."""
    turn = Turn()
    try:
        arrivals().join(turn, end_if_asked)
        yield
    finally:
        arrivals().leave(turn)


def begin_run(title: str) -> None:
    """Meter the computing of this page from here on, and ask before it is long."""
    _install(PageRun(st.empty(), title))


def current_run() -> PageRun:
    """The run that is metered; one of its own where only a fragment is run again."""
    if not runs_in_a_page():  # a file that is made at the click, by a thread of its own
        return PageRun(None)
    run, fragments = st.session_state.get(RUN), fragments_run_again()
    if run is None or (fragments and run.fragments is not fragments):
        run = PageRun(None)
        run.fragments = fragments
        _install(run)
    return run


def _free_cores() -> float:
    """Number of cores that there are for this server: a part of them where the machine does other work."""
    cores = os.cpu_count() or 1
    return cores * min(1.0, cores / max(os.getloadavg()[0], 1e-9)) if hasattr(os, "getloadavg") else cores


def granted(what: str) -> float:
    """The seconds that were asked for by a click."""
    return float(st.session_state.get(GRANTED, {}).get(what, 0.0)) if what else 0.0


def grant(what: str, seconds: float) -> None:
    """Let this take so many seconds."""
    st.session_state[GRANTED] = {**st.session_state.get(GRANTED, {}), what: seconds}


def _install(run: PageRun) -> None:
    st.session_state[RUN] = run
    call_at_checkpoints(run.checkpoint)
