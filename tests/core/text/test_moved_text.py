"""What moving a record does, in the units of the data."""

from __future__ import annotations

import numpy as np
import pytest
from readable import check_readable

from dpslr_core import Dataset
from dpslr_core.experiments.moved import MovedRecord, output_change
from dpslr_core.mechanisms import DPExpTheilSen, DPExpTheilSenZCDP, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import Axis
from dpslr_core.text.data import loss_sentence, moved_sentence

X, Y = Axis("temperature", "°C", -10, 30), Axis("rides", "", 0, 1000)
DATA = Dataset(np.linspace(0.1, 0.9, 12), np.linspace(0.2, 0.6, 12))


def test_a_move_is_told_in_the_units_of_the_data():
    moved = MovedRecord(DATA, 11, 0.9, 0.1)
    told = moved_sentence(moved, 0.75, X, Y)
    fall = 1000 * (DATA.predict(0.75)[0] - moved.after.predict(0.75)[0])
    assert f"OLS at temperature = 20 °C falls by {fall:.3g}." in told
    assert "With record 12 at (26 °C, 100)" in told and "Theil–Sen stays." in told
    check_readable(told)


def test_a_record_that_was_not_moved_asks_for_it():
    told = moved_sentence(MovedRecord(DATA, 0, DATA.x[0], DATA.y[0]), 0.75, X, Y)
    assert told == "Record 1 is at (-6 °C, 200): move it with the sliders."


def test_lines_that_are_undefined_are_called_so():
    upright = Dataset([0.5, 0.5, 0.5], [0.1, 0.2, 0.3])
    assert "OLS at x = 0.75 is undefined" in moved_sentence(MovedRecord(upright, 0, 0.5, 0.9), 0.75)


@pytest.mark.parametrize(("mechanism", "unit"), [(DPExpTheilSen(), "ε = 2"), (DPExpTheilSenZCDP(), "ρ = 2")])
def test_the_measured_loss_stands_beside_the_promise(mechanism, unit):
    moved = MovedRecord(DATA, 11, 0.9, 0.1)
    change = output_change(moved, mechanism, Budget(2.0))
    told, before = loss_sentence(change), loss_sentence(change, moved=False)
    assert f"privacy loss of {change.loss.measured:.3g}. It promises {unit} at most." in told
    assert unit in before and f"{change.loss.measured:.3g}" not in before
    check_readable(told)
    check_readable(before)


def test_a_loss_that_cannot_be_computed_is_not_told_as_a_number():
    change = output_change(MovedRecord(DATA, 11, 0.9, 0.1), DPExpTheilSen(k=2), Budget(2.0))
    if change is not None:
        assert "cannot be computed" in loss_sentence(change)
    known = output_change(MovedRecord(DATA, 11, 0.9, 0.1), NoisyStats(), Budget(2.0))
    unknown = type(known)(known.mechanism, 0.25, known.before, known.after, known.loss._replace(measured=np.nan))
    assert "cannot be computed" in loss_sentence(unknown)
