"""Scripts of the pages that show records: Data, and Privacy with a record moved.

No record is written into a script: a coordinate that was not moved is read off the data again.
"""

from __future__ import annotations

from ...experiments.moved import MovedRecord
from ...mechanisms.base import Mechanism
from ...scenario import Scenario
from ...text.view import View
from .literals import budget_call, literal, mechanism_call
from .whole import WARNING, data_lines, value_axis, whole_script

MOVE = "from dpslr_core.experiments.moved import MovedRecord"


def data_script(view: View[Scenario], moved: MovedRecord | None = None) -> str:
    """The sizes and predictions of the Data page, before a move, and after it where there is one."""
    x = "UNIT_X" if view.x != view.grouped.x else "grouped.x"
    y = value_axis(view)
    datasets, move = '{"data": data}', []
    if moved is not None and moved.moved:
        datasets, move = '{"before": data, "after": moved.after}', [_move(moved)]
    body = [
        *data_lines(view),
        *move,
        f"at = {literal(view.scenario.at)}",
        'sizes = {"n": data.n, "var(x)": data.var_x, "n var(x)": data.nvar}',
        f'sizes["sigma_e"] = data.residual_sd * {y}.scale',
        f"table = prediction_table({datasets}, at, {x}, {y})",
        WARNING,
        "print(sizes)",
        "print(table.to_string(index=False))",
    ]
    imports = ["from dpslr_core.experiments.curves import prediction_table", *_units(x, y), *([MOVE] if move else [])]
    return whole_script("The predictions of the page Data", imports, view.scenario, (), body)


def privacy_script(view: View[Scenario], moved: MovedRecord, mechanism: Mechanism, number: int, known: bool) -> str:
    """The privacy loss of a move on the Privacy page.

    number: of the point, from 0. known: whether the algorithm has an exact output distribution.
    """
    first = [
        *data_lines(view),
        _move(moved),
        f"mechanism = {mechanism_call(mechanism)}",
        f"budget = {budget_call(view.scenario.budget)}",
    ]
    imports = [MOVE, "from dpslr_core.support.run import Budget"]
    if known:
        y = value_axis(view)
        rest, more = _of_pair(number, y), ["from dpslr_core.promise.pair import pair_of", *_units(y)]
    else:
        rest, more = _of_audit(), ["import pandas as pd", "from dpslr_core.audit import audit"]
        more += ["from dpslr_core.mechanisms.accounting import paid"]
    title = "The privacy loss of the page Privacy"
    return whole_script(title, [*imports, *more], view.scenario, (mechanism,), [*first, *rest])


def _of_pair(number: int, y: str) -> list[str]:
    """The loss of one number, from both output distributions; densities in the units of y."""
    return [
        f"pair = pair_of(moved, mechanism, budget, {number})",
        f"table = pair.table({y})",
        WARNING,
        'print("largest loss:", pair.largest.loss, "allowed:", pair.bound)',
        'print("all points together:", pair.change.loss.measured, "of", pair.change.loss.promised)',
        "print(pair.atoms.to_string(index=False))",
        "print(table.to_string(index=False))",
    ]


def _of_audit() -> list[str]:
    """The loss of all that is published, where no output distribution is known."""
    return [
        "epsilon = paid(mechanism, budget).epsilon",
        "loss = audit(mechanism, moved.before, moved.after, epsilon, budget.at)",
        "table = pd.DataFrame([loss])",
        WARNING,
        "print(table.to_string(index=False))",
    ]


def _move(moved: MovedRecord) -> str:
    """The move as a call."""
    places = [
        f"float(data.{side}[{moved.place}])" if value == old else literal(value)
        for side, value, old in zip("xy", (moved.x, moved.y), moved.old, strict=True)
    ]
    return f"moved = MovedRecord(data, {moved.place}, {', '.join(places)})"


def _units(*axes: str) -> list[str]:
    """Imports of the axes of the unit square that are used."""
    used = [axis for axis in axes if axis in ("UNIT_X", "UNIT_Y")]
    return [f"from dpslr_core.sources.axis import {', '.join(used)}"] if used else []
