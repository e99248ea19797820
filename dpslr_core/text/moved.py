"""What moving one record does to OLS, to Theil-Sen and to the output of a private algorithm."""

from __future__ import annotations

from math import isnan

from ..dataset import Record
from ..experiments.moved import MovedRecord, OutputChange
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from .phrases import format_amount, place_on, with_unit

NOT_PRIVATE = "This looks at the true data, which is not private."


def coordinates(record: Record, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """A record of the unit square in the units of its axes: "(19 hours, 47 points)"."""
    return f"({with_unit(float(x.from_unit(record[0])), x, 4)}, {with_unit(float(y.from_unit(record[1])), y, 4)})"


def moved_sentence(moved: MovedRecord, at: float, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """How far the predictions of both lines at one point have moved, in the units of y."""
    record = f"record {moved.place + 1:,}"
    if not moved.moved:
        return f"{record.capitalize()} is at {coordinates(moved.old, x, y)}: move it with the sliders."
    rows = moved.predictions([at])
    ols, theil_sen = ((rows[name].iloc[1] - rows[name].iloc[0]) * y.scale for name in ("ols", "theil_sen"))
    return (
        f"With {record} at {coordinates((moved.x, moved.y), x, y)}, OLS at {place_on(x, at)} {_moves(ols, y)}. "
        f"Theil–Sen {_moves(theil_sen, y)}."
    )


def _moves(change: float, y: Axis) -> str:
    """By how much a prediction rises or falls."""
    if isnan(change):
        return "is undefined"
    return f"{'rises' if change > 0 else 'falls'} by {with_unit(abs(change), y)}" if change else "stays"


def loss_sentence(change: OutputChange, moved: bool = True) -> str:
    """The measured privacy loss of a move beside what is promised for every pair of neighbours."""
    loss, name = change.loss, change.mechanism.name
    promised = f"{loss.unit} = {format_amount(loss.promised)}"
    if not moved:
        return f"{name} promises a privacy loss of {promised} at most, whichever record is moved, and wherever."
    if not loss.measured >= 0:
        return f"{name} promises a privacy loss of {promised} at most; that of this move cannot be computed."
    return (
        f"{name}’s releases at all points together differ by a privacy loss of {format_amount(loss.measured)}. "
        f"It promises {promised} at most."
    )
