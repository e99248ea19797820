"""The work of one run of a page: metered, ended when nobody waits for it, and in turns with that of other sessions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextvars import copy_context
from math import inf
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpslr_core.support.run import call_at_checkpoints
from dpslr_core.support.work.limits import AT_ONCE, server_limit
from dpslr_core.text.work import longer_than_expected, waiting

from ..sessions.private_names import end_if_asked, end_page
from .turns import POLL, turns

RUN = "page_run"  # session-state key of the run of the page that is shown
GRANTED = "work_granted"  # session-state key: the seconds that were asked for, by what they are for
LONG = 2.0  # seconds of computing after which a run takes turns with others
EVERY = 0.05  # seconds between two looks at whether it may go on
WRONG = 3.0  # how many times as long as estimated a run may take before the page asks again


class PageRun:
    """The computing of one run of a page.

    place: where it says what it waits for, None where it cannot. expected: its seconds as estimated, NaN if unknown.
    """

    def __init__(self, place: DeltaGenerator | None, what: str) -> None:
        self.place, self.what, self.expected = place, what, 0.0
        self.fragments: list[str] | None = None  # those that are run again without their page
        self.allowed = max(AT_ONCE.seconds, WRONG * granted(what)) if place is not None else inf
        self._started, self._next, self._helped = time.thread_time(), 0.0, 0.0
        self._last, self._page, self._told = time.monotonic(), copy_context(), ""

    @property
    def spent(self) -> float:
        """Seconds of processor time of this run so far; of its worker processes as far as there are cores for them."""
        return time.thread_time() - self._started + self._helped

    @property
    def left(self) -> float | None:
        """The seconds that it still takes, as estimated; None where that is not known."""
        left = self.expected - self.spent
        return left if left > 0 else None

    def expect(self, seconds: float, what: str) -> None:
        """Go on with work that takes so many seconds."""
        self.what, self.expected = what, self.spent + seconds
        self.allowed = max(self.allowed, self.spent + WRONG * max(seconds, granted(what)))

    def asked_for(self) -> None:
        """Go on up to the server's limit: a click has just asked for it."""
        self.allowed = max(self.allowed, self.spent + server_limit().seconds)

    def checkpoint(self, helpers: int = 0) -> None:
        """End the run where its tab is closed or a control has changed; else wait for its turn where it is long."""
        now = time.monotonic()
        if now < self._next:
            return
        if helpers:
            self._helped += (now - self._last) * min(helpers, _cores())
        self._next, self._last = now + EVERY, now
        end_if_asked()
        spent = self.spent
        if spent > self.allowed:
            self._ask_again(spent)
        if spent > LONG:
            self._wait()
            self._last = time.monotonic()
            self._next = self._last + EVERY

    def _wait(self) -> None:
        """Until no other run goes first. What it says stays while there are others, so that it does not flicker."""
        while turns().claim(self):
            self._say(self._others())
            time.sleep(POLL)
            end_if_asked()
        if self._told and not self._others():
            self.end_wait()

    def leave(self) -> None:
        """Give the place in the line to others until there is more to compute."""
        if self.spent > LONG:
            turns().leave(self)

    def end_wait(self) -> None:
        """What was computed is there: take back what it waited for."""
        if self._told:
            self._say([])

    def _others(self) -> list[float | None]:
        """The seconds that the other long runs still take."""
        return [run.left for run in turns().line() if isinstance(run, PageRun) and run is not self]

    def _say(self, others: list[float | None]) -> None:
        """What this run waits for; nothing where there is nobody else."""
        words = waiting(self.left, others) if others else ""
        if self.place is not None and words != self._told:
            self._told = words
            self._draw(self.place.info, words) if words else self._draw(self.place.empty)

    def _ask_again(self, spent: float) -> None:
        """Stop what takes longer than estimated, with a button that goes on; what was kept is not computed again."""
        turns().leave(self)
        more = spent  # as long again, three times at most
        words, what, place = longer_than_expected(spent), self.what, self.place

        def ask() -> None:
            if place is not None:
                with place.container():
                    st.warning(words)
                    st.button("Go on", key="work_go_on", on_click=grant, args=(what, more))

        self._draw(ask)
        end_page()

    def _draw(self, draw: Callable[..., Any], *args: Any) -> None:
        """Draw as the page began: a cached function that is being computed would keep it and draw it again."""
        self._page.run(draw, *args)


def begin_run(what: str) -> None:
    """Meter the computing of this page from here on; what: the page."""
    _install(PageRun(st.empty(), what))


def current_run() -> PageRun:
    """The run that is metered; one of its own where only a fragment is run again."""
    ctx = get_script_run_ctx(suppress_warning=True)
    if ctx is None:  # a file that is made at the click, by a thread of its own
        return PageRun(None, "")
    run, fragments = st.session_state.get(RUN), ctx.fragment_ids_this_run
    if run is None or (fragments and run.fragments is not fragments):
        run = PageRun(None, "")
        run.fragments = fragments
        _install(run)
    return run


def granted(what: str) -> float:
    """The seconds that were asked for by a click."""
    return float(st.session_state.get(GRANTED, {}).get(what, 0.0))


def grant(what: str, seconds: float) -> None:
    """Let this take so many seconds."""
    st.session_state[GRANTED] = {**st.session_state.get(GRANTED, {}), what: seconds}


def _cores() -> float:
    """How many cores there are for this server: a part of them where the machine does other work."""
    cores = os.cpu_count() or 1
    return cores * min(1.0, cores / max(os.getloadavg()[0], 1e-9)) if hasattr(os, "getloadavg") else cores


def _install(run: PageRun) -> None:
    st.session_state[RUN] = run
    call_at_checkpoints(run.checkpoint)
