"""Costs add up, and the limits of a server are read from its environment."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from dpslr_core.support.work.limits import AT_ONCE, MEGABYTES, SECONDS, SECONDS_AT_ONCE, Cost, server_limit


def test_seconds_add_up_and_memory_is_that_of_the_larger():
    assert Cost(1, 300) + Cost(2, 200) == Cost(3, 300)
    assert Cost(1.5, 300).times(4) == Cost(6, 300)


@pytest.mark.parametrize("cost, inside", [(Cost(2, 2), True), (Cost(2.1, 1), False), (Cost(1, 2.1), False)])
def test_a_cost_is_within_a_limit_only_with_both_numbers(cost, inside):
    assert cost.within(Cost(2, 2)) is inside


def test_the_limits_have_defaults_beyond_what_is_done_without_asking(monkeypatch):
    for name in (SECONDS, MEGABYTES):
        monkeypatch.delenv(name, raising=False)
    assert server_limit() == Cost(600, 2000)
    assert Cost(10, 500) == AT_ONCE


def test_a_server_sets_its_own_limits_and_0_is_none(monkeypatch):
    monkeypatch.setenv(SECONDS, "30")
    monkeypatch.setenv(MEGABYTES, "0")
    assert server_limit() == Cost(30, math.inf)


def test_a_server_says_what_its_pages_compute_without_asking():
    script = "from dpslr_core.support.work.limits import AT_ONCE; print(AT_ONCE.seconds)"
    told = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {SECONDS_AT_ONCE: "30"}, capture_output=True, check=True
    )
    assert told.stdout.split() == [b"30.0"]


@pytest.mark.parametrize("text", ["many", "-1", "nan", "inf"])
def test_a_limit_that_is_no_number_is_named(monkeypatch, text):
    monkeypatch.setenv(MEGABYTES, text)
    with pytest.raises(ValueError, match=MEGABYTES):
        server_limit()
