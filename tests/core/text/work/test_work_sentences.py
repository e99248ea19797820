"""How long, what to reduce, and what a run waits for, in words."""

from __future__ import annotations

import pytest

from dpslr_core.text.work import asked, duration, longer_than_expected, refused, run_it, waiting


@pytest.mark.parametrize(
    "seconds, words",
    [(0.2, "1 s"), (8.4, "8 s"), (41, "40 s"), (99, "100 s"), (110, "2 minutes"), (60 * 33, "35 minutes"),
     (2 * 3600, "2 hours"), (15 * 3600, "15 hours")],
)  # fmt: skip
def test_durations_are_rounded_as_people_say_them(seconds, words):
    assert duration(seconds) == words


def test_a_page_says_how_long_before_it_runs():
    assert run_it(41) == "Run it: about 40 s" and run_it(0) == "Run it"
    assert asked(41, 0) == "This takes about 40 s of computing. A change or a closed tab ends it."
    assert "about 1.2 GB of memory." in asked(0, 1200)


def test_what_is_beyond_the_server_says_by_which_number_and_what_to_reduce():
    both = refused(7200, 5000, (600, 2000), "the trials")
    assert "2 hours" in both and "10 minutes" in both and "5.0 GB" in both and both.endswith("Reduce the trials.")
    assert "memory" not in refused(7200, 50, (600, 2000), "the trials")


def test_a_run_that_waits_says_for_how_long_where_that_is_known():
    assert waiting(30, [12]) == "Waiting for another run; about 10 s."
    assert waiting(30, [60, 5]) == "Waiting for 2 other runs; about 35 s."
    assert waiting(None, [12]) == waiting(30, [None]) == "Waiting for another run."


def test_a_run_that_takes_longer_says_so():
    assert longer_than_expected(31) == "Stopped after 30 s of computing: it takes longer than expected. " \
        "What is measured is kept."  # fmt: skip
