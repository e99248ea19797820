"""Long runs take turns, and one that has ended holds nobody up."""

from __future__ import annotations

import threading

import pytest

from ui.work.turns import LEASE, SLICE, Turns


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def turns(clock):
    return Turns(clock)


def test_one_computes_and_the_others_stand_behind_it_in_the_order_in_which_they_came(turns):
    assert turns.claim("a") == ()
    assert turns.claim("b") == ("a",)
    assert turns.claim("c") == ("a", "b")
    assert turns.claim("a") == ()
    assert turns.line() == ("a", "b", "c")


def test_alone_a_run_computes_for_as_long_as_it_takes(turns, clock):
    for _ in range(20):
        assert turns.claim("a") == ()
        clock.now += SLICE


def test_after_its_while_a_run_goes_to_the_end_and_everybody_has_a_turn(turns, clock):
    computed = {"a": 0, "b": 0, "c": 0}
    for _ in range(600):
        for run in computed:
            computed[run] += turns.claim(run) == ()
        clock.now += SLICE / 10
    assert min(computed.values()) > 150
    assert sum(computed.values()) <= 620  # never two at a time, but where one hands over within a round


def test_a_run_that_ends_or_waits_for_something_else_loses_its_place_by_itself(turns, clock):
    turns.claim("a")
    assert turns.claim("b") == ("a",)
    clock.now += 1.01 * LEASE
    assert turns.claim("b") == ()
    assert turns.claim("a") == ("b",)


def test_a_place_can_be_given_up(turns):
    turns.claim("a")
    turns.claim("b")
    turns.leave("a")
    turns.leave("nobody")
    assert turns.claim("b") == ()
    assert turns.line() == ("b",)


def test_threads_never_compute_two_at_a_time():
    turns, inside, most = Turns(), [], []

    def run(name):
        for _ in range(50):
            while turns.claim(name):
                pass
            inside.append(name)
            most.append(len(inside))
            inside.remove(name)
        turns.leave(name)

    threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 100
    assert max(most) == 1
