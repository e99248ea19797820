"""Runs of pages take turns, ask before they are long, end with their tab, and say what they wait for."""

from __future__ import annotations

import math
import os
import re
import threading

import pytest

from dpslr_core.support.run import checkpoint
from tests.cases.opened import app, changed, fine, pressed, words
from ui import compare, data, work
from ui.cache import kept
from ui.work import PageRun, Queue, Turn, Work

PATIENCE = 30  # seconds for what must happen at once
BAD = {"n": "10000", "trials": "5000", "also_k": "1000", "x_new": "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8"}


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Run(threading.Thread):
    """A run that computes until it is told to end. waits: it has looked whether it is still wanted."""

    def __init__(self, queue: Queue) -> None:
        super().__init__(daemon=True)
        self.queue, self.turn, self.waits = queue, Turn(), threading.Event()
        self.computes, self.told_to_end = threading.Event(), threading.Event()

    def run(self) -> None:
        self.queue.join(self.turn, self.waits.set)
        self.computes.set()
        assert self.told_to_end.wait(PATIENCE)
        self.queue.leave(self.turn)

    def end(self) -> None:
        self.told_to_end.set()
        self.join(PATIENCE)


@pytest.fixture(autouse=True)
def _short_looks(monkeypatch):
    monkeypatch.setattr(work, "LOOK", 0.001)


def started(queue: Queue, count: int, side_by_side: int = 1) -> list[Run]:
    """Runs in the order in which they came: the first compute, the others wait."""
    runs = []
    for number in range(count):
        runs.append(Run(queue))
        runs[-1].start()
        assert (runs[-1].computes if number < side_by_side else runs[-1].waits).wait(PATIENCE)
    return runs


@pytest.mark.parametrize("side_by_side", [1, 2])
def test_the_first_compute_and_the_others_follow_in_the_order_in_which_they_came(side_by_side):
    runs = started(Queue(1.0, side_by_side, Clock()), side_by_side + 2, side_by_side)
    *_, third, last = runs
    assert not third.computes.is_set() and not last.computes.is_set()
    runs[0].end()
    assert third.computes.wait(PATIENCE) and not last.computes.is_set()
    for run in runs[1:]:
        run.end()
    assert last.computes.is_set()


def test_a_long_run_goes_on_beside_the_next():
    clock = Clock()
    first, second, third = started(Queue(0.5, 1, clock), 3)
    clock.now += 0.51
    assert second.computes.wait(PATIENCE)
    assert not third.computes.is_set() and first.is_alive()
    first.end()
    assert not third.computes.is_set()
    second.end()
    assert third.computes.wait(PATIENCE)
    third.end()


def test_a_run_that_is_no_longer_wanted_leaves_the_queue_and_alone_none_waits():
    queue = Queue(1.0, 1, Clock())
    (first,) = started(queue, 1)

    def unwanted() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        queue.join(Turn(), unwanted)
    first.end()
    queue.join(Turn(), unwanted)


def test_alone_a_run_computes_on_and_with_others_it_goes_to_the_end_after_its_while():
    clock = Clock()
    queue, turn = Queue(1.0, 1, clock), Turn()
    queue.join(turn, pytest.fail)
    for _ in range(5):
        clock.now += 10.0
        queue.stay(turn, pytest.fail)
    (other,) = started(queue, 1, side_by_side=0)
    queue.stay(turn, pytest.fail)
    assert queue.others(turn) == [other.turn] and not other.computes.is_set()
    clock.now += 1.01
    back = threading.Thread(target=queue.stay, args=(turn, lambda: None), daemon=True)
    back.start()
    assert other.computes.wait(PATIENCE) and back.is_alive()
    other.end()
    back.join(PATIENCE)
    assert not back.is_alive() and queue.others(turn) == []


@pytest.mark.parametrize(("threads", "side"), [("1", 1), ("4", 2), ("", 1 if os.cpu_count() == 1 else 2)])
def test_a_process_knows_how_many_cores_it_may_compute_on(monkeypatch, threads, side):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    work.arrivals.cache_clear()
    assert work.arrivals()._side_by_side == side
    work.arrivals.cache_clear()


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
def queue(monkeypatch):
    """A queue of its own, in which every run is long and no look is left out."""
    queue = Queue(60.0)
    monkeypatch.setattr(work, "long_runs", lambda: queue)
    monkeypatch.setattr(work, "LONG", -1.0)
    monkeypatch.setattr(work, "EVERY", 0.0)
    monkeypatch.setattr(work, "end_if_asked", lambda: None)
    return queue


def test_a_closed_tab_ends_the_work_at_the_next_checkpoint(queue, monkeypatch):
    monkeypatch.setattr(work, "LONG", 1e9)
    PageRun(Place()).checkpoint()
    assert queue.others(Turn()) == [], "short work never stands in line"
    monkeypatch.setattr(work, "LONG", -1.0)
    run = PageRun(Place())
    run.checkpoint()
    assert run.place.said == [] and queue.others(Turn()) == [run.turn]
    run.pause()
    assert queue.others(Turn()) == [], "between two results a run stands in nobody's way"

    def closed() -> None:
        raise Closed

    monkeypatch.setattr(work, "end_if_asked", closed)
    with pytest.raises(Closed):
        run.checkpoint()


def test_a_run_says_what_it_waits_for_and_takes_it_back(queue, monkeypatch):
    (other,) = started(queue, 1)
    other.turn.left, run = 12.0, PageRun(Place())
    run.turn.left = 30.0
    monkeypatch.setattr(work, "end_if_asked", lambda: other.end() if run.place.said else None)
    run.checkpoint()
    assert run.place.said == ["Waiting for another run; about 10 s.", ""]


def test_worker_processes_count(queue, monkeypatch):
    monkeypatch.setattr(work, "_free_cores", lambda: 2.0)
    run = PageRun(Place())
    run._last = 98.0
    monkeypatch.setattr(work.time, "monotonic", lambda: 100.0)
    run.checkpoint(helpers=4)
    assert run.spent == pytest.approx(4.0, abs=0.5)


def test_the_limits_have_defaults_and_a_server_sets_its_own(monkeypatch):
    for name in ("DPSLR_MOST_SECONDS", "DPSLR_MOST_MEGABYTES"):
        monkeypatch.delenv(name, raising=False)
    assert work.server_limit() == (600, 2000) and float(os.environ.get("DPSLR_SECONDS_AT_ONCE", 10)) == work.AT_ONCE
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


def test_much_memory_is_asked_about(monkeypatch):
    monkeypatch.setattr("ui.compare.megabytes", lambda *args: 800.0)
    test = app("compare", n="30", algorithms=["OLS", "NoisyStats"])
    assert "This takes about 800 MB of memory." in notes(test) and "Run it" in labels(test)
    pressed(test, "work_run")
    assert ": its error " in words(test)


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
    real = compare.compare_one

    def slow(*args):
        computing(0.5)
        return real(*args)

    monkeypatch.setattr(work, "AT_ONCE", 1.0)
    monkeypatch.setattr(work, "ENOUGH", 0.4)
    monkeypatch.setattr(compare, "compare_one", slow)


SLOW = {"n": "30", "algorithms": ["OLS", "NoisyStats", "NoisyIntercept", "CenteredStats", "TheilSen"]}


def test_what_would_take_long_is_asked_about_once_it_is_known_and_goes_on_with_a_click(slow):
    test = app("compare", **SLOW)
    assert "This takes about 2 s of computing. A change or a closed tab ends it." in notes(test)
    assert "Run it: about 2 s" in labels(test) and not test.header
    pressed(test, "work_run")
    assert ": its error " in words(test)
    changed(test, "seed", 3)
    assert ": its error " in words(test), "a click holds for another seed"
    changed(test, "data_seed", 3)
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


def test_what_cannot_be_told_is_stopped_and_goes_on_with_a_click(computing, monkeypatch):
    def slow(data):
        """A second of computing in a function that is kept."""
        computing(1.0)
        return real(data)

    real = data.lines
    monkeypatch.setattr(work, "AT_ONCE", 0.5)
    monkeypatch.setattr(data, "lines", kept(8)(slow))
    test = app("data", n="30")
    assert "it takes longer than expected" in notes(test) and "Go on" in labels(test)
    pressed(test, "work_run")
    assert "it takes longer than expected" not in notes(test)


def test_estimates_raise_what_is_allowed_and_never_lower_it(monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 10.0)
    run = PageRun(Place())
    assert run.allowed == work.AT_ONCE
    run.allow(60.0)
    run.begin(Work("a"))
    assert run.allowed == pytest.approx(60.0, abs=1)
