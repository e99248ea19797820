"""Runs of pages take turns, ask before they are long, and end with their tab."""

from __future__ import annotations

import math
import os
import re
import threading
import time

import pytest

from dpslr_core.experiments.comparison import compare_one
from dpslr_core.support.run import checkpoint
from tests.cases.opened import app, changed, fine, pressed, words
from ui import compare, work
from ui.cache import kept_by_origin
from ui.work import PageRun, Turns

PATIENCE = 30  # seconds for what must happen at once
BAD = {"n": "10000", "trials": "5000", "also_k": "1000", "x_new": "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8"}


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """The clock of turns; runs that wait look at once."""
    clock = Clock()
    monkeypatch.setattr(work, "clock", clock)
    monkeypatch.setattr(work, "LOOK", 0.001)
    return clock


class Waiting(threading.Thread):
    """A run that joins the others, and stays until it is told to leave."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(daemon=True)
        self.turns, self.page, self.computes, self.told = (
            turns,
            PageRun(),
            threading.Event(),
            threading.Event(),
        )
        self.start()
        while self.page not in (*turns._waiting, *turns._computing):
            time.sleep(0.001)

    def run(self) -> None:
        self.turns.join(self.page)
        self.computes.set()
        assert self.told.wait(PATIENCE)
        self.turns.leave(self.page)

    def leave(self) -> None:
        self.told.set()
        self.join(PATIENCE)


@pytest.mark.parametrize("places", [1, 2])
def test_so_many_compute_and_the_others_follow_in_the_order_in_which_they_came(clock, places):
    turns, runs = Turns(places), []
    for _ in range(places + 2):
        runs.append(Waiting(turns))
        clock.now += 0.01
    assert all(run.computes.wait(PATIENCE) for run in runs[:places])
    assert not runs[-2].computes.is_set() and not runs[-1].computes.is_set()
    runs[0].leave()
    assert runs[-2].computes.wait(PATIENCE) and not runs[-1].computes.is_set()
    for run in runs[1:]:
        run.leave()
    assert runs[-1].computes.is_set()


def test_between_its_parts_a_run_stays_while_its_turn_lasts_and_then_waits_behind_others(clock):
    turns, run = Turns(1), PageRun()
    turns.join(run)
    turns.stay(run)  # nobody waits
    clock.now += 0.9 * work.TURN
    other = Waiting(turns)
    turns.stay(run)
    assert not other.computes.is_set()
    clock.now += 0.2 * work.TURN
    staying = threading.Thread(target=turns.stay, args=(run,), daemon=True)
    staying.start()
    assert other.computes.wait(PATIENCE) and staying.is_alive()
    other.leave()
    staying.join(PATIENCE)
    assert run in turns._computing


def test_a_run_whose_part_takes_long_goes_on_beside_the_next(clock):
    turns, run = Turns(1), PageRun()
    turns.join(run)
    other = Waiting(turns)
    assert not other.computes.is_set()
    clock.now += work.BESIDE
    assert other.computes.wait(PATIENCE)
    other.leave()


class Closed(BaseException):
    """What Streamlit raises where a tab is closed."""


def closed() -> None:
    raise Closed


def test_a_closed_tab_ends_the_waiting_and_the_computing(clock, monkeypatch):
    turns, run = Turns(1), PageRun()
    turns.join(PageRun())
    monkeypatch.setattr(work, "end_if_unwanted", closed)
    with pytest.raises(Closed):
        turns.join(run)
    assert not turns._waiting
    clock.now += work.EVERY
    with pytest.raises(Closed):
        run.checkpoint()


def test_the_limits_have_defaults_and_a_server_sets_its_own(monkeypatch):
    for name in ("DPSLR_MOST_SECONDS", "DPSLR_MOST_MEGABYTES"):
        monkeypatch.delenv(name, raising=False)
    assert (
        work.server_limit() == (600, 2000)
        and float(os.environ.get("DPSLR_SECONDS_AT_ONCE", 10)) == work.AT_ONCE
    )
    monkeypatch.setenv("DPSLR_MOST_SECONDS", "30")
    monkeypatch.setenv("DPSLR_MOST_MEGABYTES", "0")
    assert work.server_limit() == (30, math.inf)
    for text in ("many", "-1", "nan", "inf"):
        monkeypatch.setenv("DPSLR_MOST_MEGABYTES", text)
        with pytest.raises(ValueError, match="DPSLR_MOST_MEGABYTES"):
            work.server_limit()


def notes(test) -> str:
    return " ".join(element.value for element in (*test.info, *test.warning))


def labels(test) -> list[str]:
    return [button.label for button in test.main.button]


def test_a_link_beyond_the_server_says_what_to_reduce_and_offers_the_command_line():
    for page in ("compare", "guidance", "sweep"):
        test = app(page, **BAD, n_to="100000")
        for part in ("Too large for this page", "GB of memory", "Reduce"):
            assert part in notes(test), page
        assert any(code.value.startswith("dpslr ") for code in test.code)
        assert not [label for label in labels(test) if label.startswith("Run it")]


@pytest.fixture
def computing(monkeypatch):
    """So much computing, with checkpoints: processor time is what this says, whatever the machine has to do."""
    clock = Clock()
    monkeypatch.setattr(work.time, "thread_time", clock)
    monkeypatch.setattr(work, "EVERY", 0.0)

    def computing(seconds: float) -> None:
        for _ in range(10):
            clock.now += seconds / 10
            checkpoint()

    return computing


@pytest.fixture
def slow(computing, monkeypatch):
    """Compare takes half a second for each algorithm, and a page no more than one without asking."""

    def slow(*args):
        computing(0.5)
        return compare_one(*args)

    monkeypatch.setattr(work, "AT_ONCE", 1.0)
    monkeypatch.setattr(work, "ENOUGH", 0.4)
    monkeypatch.setattr(compare, "_of_one", kept_by_origin(60)(slow))


SLOW = {
    "n": "30",
    "algorithms": ["OLS", "NoisyStats", "NoisyIntercept", "CenteredStats", "TheilSen"],
}


def test_what_would_take_long_is_asked_about_once_it_is_known_and_goes_on_with_a_click(slow):
    test = app("compare", **SLOW)
    assert "This takes about 2 s of computing. A change or a closed tab ends it." in notes(test)
    assert "Run it: about 2 s" in labels(test) and not test.header
    pressed(test, "work_run")
    assert ": its error " in words(test)
    changed(test, "seed", "3")
    assert ": its error " in words(test), "a click holds for another seed"
    changed(test, "data_seed", "3")
    assert "of computing" in notes(test), "and for no other data"


def test_a_server_allows_no_more_than_its_limit(slow, monkeypatch):
    monkeypatch.setenv("DPSLR_MOST_SECONDS", "1.5")
    test = app("compare", **SLOW)
    assert "Too large for this page" in notes(test) and "this server allows 2 s" in notes(test)


def test_part_of_a_sweep_is_measured_where_all_would_take_long(computing, monkeypatch):
    from ui import sweep

    def slow(*plan, **more):
        for batch in real(*plan, **more):
            computing(0.2)
            yield batch

    real = sweep.sweep_batches
    monkeypatch.setattr(work, "AT_ONCE", 1.0)
    monkeypatch.setattr(work, "ENOUGH", 0.3)
    monkeypatch.setattr(work, "PATIENCE", math.inf)
    monkeypatch.setattr(sweep, "sweep_batches", slow)
    test = app("sweep", algorithms=["OLS", "NoisyStats"], values="2", n_to="60", datasets="50")
    part = re.compile(r"of (50 data sets|2 values) measured")
    assert part.search(words(test)) and "of computing" in notes(test) and test.header
    shown = words(test)
    fine(test.run())
    assert words(test) == shown, "another run of the page measures no more"
    pressed(test, "work_run")
    assert not part.search(words(test)) and not test.info


def test_what_has_no_parts_ends_at_the_server_s_limit(computing, monkeypatch):
    def slow(*args):
        computing(1.0)
        return compare_one(*args)

    monkeypatch.setenv("DPSLR_MOST_SECONDS", "0.5")
    monkeypatch.setattr(compare, "_of_one", kept_by_origin(60)(slow))
    test = app("compare", n="30", algorithms=["NoisyStats"])
    assert (
        "Too large for this page: it takes about 1 s of computing" in notes(test)
        and not test.header
    )
