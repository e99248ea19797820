"""Runs of pages compute one after another, and a long one holds nobody up."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ui.work import line as module
from ui.work.line import LEASE, Line

PATIENCE = 30  # seconds for what must happen at once


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Run(threading.Thread):
    """A run that computes until it is told to end. waits: it has looked whether it is still wanted."""

    def __init__(self, line: Line) -> None:
        super().__init__(daemon=True)
        self.line, self.waits = line, threading.Event()
        self.computes, self.told_to_end = threading.Event(), threading.Event()

    def run(self) -> None:
        with self.line.turn(self.waits.set):
            self.computes.set()
            assert self.told_to_end.wait(PATIENCE)

    def end(self) -> None:
        self.told_to_end.set()
        self.join(PATIENCE)


def started(line: Line, count: int) -> list[Run]:
    """Runs in the order in which they came: the first computes, the others wait."""
    runs = []
    for _ in range(count):
        runs.append(Run(line))
        runs[-1].start()
        assert (runs[-1].waits if len(runs) > 1 else runs[-1].computes).wait(PATIENCE)
    return runs


@pytest.fixture(autouse=True)
def _short_looks(monkeypatch):
    monkeypatch.setattr(module, "LOOK", 0.001)


def test_one_computes_and_the_others_follow_in_the_order_in_which_they_came():
    first, second, third = started(Line(Clock()), 3)
    assert not second.computes.is_set() and not third.computes.is_set()
    first.end()
    assert second.computes.wait(PATIENCE) and not third.computes.is_set()
    second.end()
    assert third.computes.wait(PATIENCE)
    third.end()


@pytest.mark.parametrize("side_by_side", [1, 2])
def test_no_more_compute_at_once_than_may(side_by_side):
    line, inside, most = Line(Clock(), side_by_side), [], []

    def work(number: int) -> None:
        with line.turn():
            inside.append(number)
            most.append(len(inside))
            inside.remove(number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(400)))
    assert len(most) == 400 and max(most) <= side_by_side


def test_a_long_run_goes_on_beside_the_next():
    clock = Clock()
    first, second, third = started(Line(clock), 3)
    clock.now += 1.01 * LEASE
    assert second.computes.wait(PATIENCE)
    assert not third.computes.is_set() and first.is_alive()
    first.end()
    assert not third.computes.is_set()
    second.end()
    assert third.computes.wait(PATIENCE)
    third.end()


def test_two_go_side_by_side_where_there_are_cores_for_them():
    first, second, third = Run(line := Line(Clock(), 2)), Run(line), Run(line)
    for run in (first, second):
        run.start()
        assert run.computes.wait(PATIENCE)
    third.start()
    assert third.waits.wait(PATIENCE) and not third.computes.is_set()
    second.end()
    assert third.computes.wait(PATIENCE)
    first.end()
    third.end()


def test_a_run_that_fails_or_is_no_longer_wanted_leaves_the_line():
    line = Line(Clock())
    with pytest.raises(ZeroDivisionError), line.turn():
        raise ZeroDivisionError
    (first,) = started(line, 1)

    def unwanted() -> None:
        raise LookupError

    with pytest.raises(LookupError), line.turn(unwanted):
        raise AssertionError("it computes before its turn")
    first.end()
    with line.turn(unwanted):
        pass


def test_a_run_that_is_alone_does_not_wait():
    with Line(Clock()).turn(pytest.fail):
        pass


@pytest.mark.parametrize(("threads", "cores"), [("1", 1), ("4", 4), ("4,2", os.cpu_count()), ("", os.cpu_count())])
def test_a_process_knows_how_many_cores_it_may_compute_on(monkeypatch, threads, cores):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert module._cores() == cores
