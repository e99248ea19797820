"""The work of a page ends where it is asked to, waits for its turn where it is long, and says so."""

from __future__ import annotations

import time

import pytest

from dpslr_core.support.work.limits import AT_ONCE
from ui.work import run as work
from ui.work.run import PageRun
from ui.work.turns import Turns


class Place:
    """What a page shows at the place of a run."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def info(self, words: str) -> None:
        self.said.append(words)

    def empty(self) -> None:
        self.said.append("")


class Closed(BaseException):
    """What Streamlit raises where a tab is closed."""


@pytest.fixture
def line(monkeypatch):
    """A line of its own, in which every run is long and no look is left out."""
    turns = Turns()
    monkeypatch.setattr(work, "turns", lambda: turns)
    monkeypatch.setattr(work, "LONG", -1.0)
    monkeypatch.setattr(work, "EVERY", 0.0)
    monkeypatch.setattr(work, "end_if_asked", lambda: None)
    return turns


def asked_to_end(monkeypatch, looks: int) -> None:
    """End the work at this look."""
    seen = []

    def look() -> None:
        seen.append(1)
        if len(seen) >= looks:
            raise Closed

    monkeypatch.setattr(work, "end_if_asked", look)


def test_work_goes_on_while_nobody_else_computes(line):
    run = PageRun(Place(), "a")
    for _ in range(5):
        run.checkpoint()
    assert run.place.said == []
    assert line.line() == (run,)


def test_a_closed_tab_ends_the_work_at_the_next_checkpoint(line, monkeypatch):
    asked_to_end(monkeypatch, looks=3)
    run = PageRun(Place(), "a")
    run.checkpoint()
    run.checkpoint()
    with pytest.raises(Closed):
        run.checkpoint()


def test_a_closed_tab_ends_the_waiting(line, monkeypatch):
    other = PageRun(Place(), "b")
    other.expect(100.0, "b")
    line.claim(other)
    asked_to_end(monkeypatch, looks=3)
    run = PageRun(Place(), "a")
    run.expect(12.0, "a")
    with pytest.raises(Closed):
        run.checkpoint()
    assert run.place.said == ["Waiting for another run; about 10 s."]


def test_what_a_run_waited_for_is_taken_back(line, monkeypatch):
    line.claim("other")
    run = PageRun(Place(), "a")
    monkeypatch.setattr(work, "end_if_asked", lambda: line.leave("other"))
    run._next = time.monotonic() + 1
    run.checkpoint()  # too soon for another look
    assert line.line() == ("other",)
    line.claim(friend := PageRun(None, "c"))
    monkeypatch.setattr(
        work, "end_if_asked", lambda: [line.leave("other"), line.leave(friend)] if run.place.said else None
    )
    run._next = 0.0
    run.checkpoint()
    assert run.place.said == ["Waiting for another run.", ""]


def test_between_two_results_a_run_stands_in_nobodys_way(line):
    run = PageRun(Place(), "a")
    run.checkpoint()
    run.leave()
    assert line.line() == ()


def test_short_work_never_stands_in_line(line, monkeypatch):
    monkeypatch.setattr(work, "LONG", 1e9)
    run = PageRun(Place(), "a")
    run.checkpoint()
    assert line.line() == ()


def test_estimates_raise_what_is_allowed_and_never_lower_it(line):
    run = PageRun(Place(), "a")
    run.expect(1.0, "a")
    assert run.allowed == AT_ONCE.seconds
    run.expect(60.0, "a")
    assert run.allowed >= 3 * 60
    assert run.left == pytest.approx(60, abs=1)
    run.asked_for()
    assert run.allowed >= 600


def test_worker_processes_count_as_far_as_there_are_cores(line, monkeypatch):
    monkeypatch.setattr(work, "_cores", lambda: 1.5)
    run = PageRun(Place(), "a")
    run._last = time.monotonic() - 2.0
    run.checkpoint(helpers=4)
    assert run.spent == pytest.approx(3.0, abs=0.5)
