"""One record moved on the Privacy page: the numbers of the core, the link, and data that change."""

from __future__ import annotations

import numpy as np

from dpslr_core import Dataset, simulate_linear
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.text.data import moved_sentence
from tests.cases.opened import app, changed, in_link, pictures, words

MOVING = {
    "n": "30",
    "algorithms": ["NoisyStats", "DPExpTheilSen"],
    "privacy_view": "Odds of each outcome",
}
DATA = Dataset(*simulate_linear(30, 0.03, 0.01, rng=np.random.default_rng(0)))


def test_a_move_shows_the_numbers_of_the_core_and_stands_in_the_link():
    test = app("privacy", **MOVING)
    changed(test, "record_choice", 5)
    changed(test, "record_x_slider", 0.9)
    changed(test, "record_y_slider", 0.1)
    moved = MovedRecord(DATA, 4, 0.9, 0.1)
    assert moved_sentence(moved, 0.25) in words(test)
    link = {key: in_link(test, key) for key in ("record", "record_x", "record_y")}
    assert [*link.values()] == [["5"], ["0.9"], ["0.1"]]
    assert set(pictures(app("privacy", **MOVING, **link))) == set(pictures(test))


def test_only_the_slider_that_was_moved_leaves_the_data():
    """The other coordinate stays the record's own to the last digit, and no value of the data is in the link."""
    test = app("privacy", **MOVING, record="3", record_y="0.5")
    assert moved_sentence(MovedRecord(DATA, 2, float(DATA.x[2]), 0.5), 0.25) in words(test)
    assert "record_x" not in test.query_params


def test_other_data_and_other_units_forget_the_move():
    bikes = {
        "source": "sample",
        "sample": "bikes",
        "algorithms": "DPExpTheilSen",
        "privacy_view": "Odds of each outcome",
    }
    for key, value in (("group", "month 1, hour 18"), ("unit_square", True)):
        test = app("privacy", **bikes, record="3", record_y="700")
        assert test.slider(key="record_y_slider").value == 700
        changed(test, key, value)
        assert not {"record", "record_y"} & set(test.query_params), key
