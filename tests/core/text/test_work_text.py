"""Durations and amounts of memory in words; what else is said of work stands with the goldens."""

from dpslr_core.text.work import duration, refused
from tests.cases.tables import table as cases

DURATIONS = cases("""
    0.2 | 1 s
    8.4 | 8 s
    41 | 40 s
    99 | 100 s
    110 | 2 minutes
    1980 | 35 minutes
    7200 | 2 hours
    54000 | 15 hours
""")


def test_durations_are_rounded_as_people_say_them():
    for seconds, words in DURATIONS:
        assert duration(seconds) == words


def test_only_what_is_beyond_the_server_is_named():
    assert "memory" not in refused(7200, 50, (600, 2000), "the trials")
    assert "computing" not in refused(10, 5000, (600, 2000), "the trials")
