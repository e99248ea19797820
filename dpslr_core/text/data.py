"""Sentences of the Data page: the public bounds, the scatter plot, and what moving one record changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

from ..dataset import Dataset, Record
from ..experiments.moved import MovedRecord, OutputChange
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import for_one_record, guarantee_of_record
from ..scenario import Scenario
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..sources.grouping import NEARLY_EQUAL, GroupedData
from .phrases import bounds_of, format_amount, listed, place_on, point_on, size_of, with_unit

NOT_PRIVATE = "This looks at the true data, which is not private."
_NAMED = 5  # algorithms that a sentence names


@dataclass(frozen=True)
class View:
    """Data of a page: the scenario, its grouped data, the data set of one group, and the axes to speak in."""

    scenario: Scenario
    grouped: GroupedData
    group: str
    data: Dataset
    x: Axis
    y: Axis

    @property
    def data_name(self) -> str:
        """The name of the data set, with its group where there are several."""
        return f"{self.grouped.name}, {self.group}" if len(self.grouped.groups) > 1 else self.grouped.name


def shown_group(wanted: str, grouped: GroupedData) -> str:
    """The group of this label, or the first usable one where it belongs to other data.

    ValueError where no group can be used.
    """
    if not grouped.usable:
        raise ValueError(f"no group of {grouped.name} can be used")
    return wanted if wanted in grouped.usable else grouped.usable[0]


def bounds_sentence(grouped: GroupedData) -> str:
    """The public bounds of both axes."""
    return f"Public bounds: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."


def clipping_sentence(grouped: GroupedData) -> str:
    """The public bounds, and how many values they clipped."""
    said = [f"{bounds_sentence(grouped)} The algorithms see them as 0 and 1."]
    for count, axis in ((grouped.clipped_x, grouped.x), (grouped.clipped_y, grouped.y)):
        if count:
            were = "value of {} was" if count == 1 else "values of {} were"
            said.append(f"{count:,} {were.format(axis.name)} clipped to the bounds.")
    return " ".join(said)


def unit_sentence(mechanisms: Iterable[Mechanism], budget: Budget) -> str:
    """Unit that the guarantee protects: one record, or a person with several, and what one record then has.

    mechanisms: those that the rule of the budget admits.
    """
    _, records = for_one_record(budget.accounting)
    if records == 1:
        return "The guarantee is for one record. Set how many one person may have in the sidebar, below the data."
    names: dict[str, list[str]] = {}
    for mechanism in mechanisms:
        protection = guarantee_of_record(mechanism, budget)
        if protection.private:
            names.setdefault(str(protection), []).append(mechanism.name)
    some = {
        shown: [*who[:_NAMED], f"{len(who) - _NAMED} more"] if len(who) > _NAMED + 1 else who
        for shown, who in names.items()
    }
    alone = f" For one record: {' '.join(f'{shown} by {listed(who)}.' for shown, who in some.items())}" if some else ""
    return f"The guarantee is for a person with up to {records:,} records.{alone}"


def data_headline(view: View) -> str:
    """Number of records, and the OLS prediction at the first point with its standard error."""
    data, y, at = view.data, view.y, view.scenario.at[0]
    if data.nvar == 0:
        return f"All {data.n:,} records have the same {view.x.name}, so no line can be fitted"
    center, error = float(data.predict([at])[0]), float(data.standard_error([at])[0])
    predicted = with_unit(float(y.from_unit(center)), y)
    return (
        f"{data.n:,} records; at {place_on(view.x, at)} the line predicts {y.name} = {predicted}, "
        f"standard error {size_of(error, y)}"
    )


def data_sentence(view: View) -> str:
    """Distance between Theil-Sen and OLS at the first point."""
    data, at = view.data, view.scenario.at[:1]
    if data.nvar == 0:
        return "The records; there is no line."
    error = float(data.standard_error(at)[0])
    if not error > 0:
        return "The OLS line fits exactly."
    gap = abs(float(data.theil_sen(at)[0] - data.predict(at)[0])) / error
    return f"At {place_on(view.x, at[0])}, OLS and Theil–Sen are {format_amount(gap, 2)} standard errors apart."


def extrapolation_sentence(view: View) -> str:
    """Points of x_new outside the records; "" where all lie inside. The range of private data shows in it."""
    x, points = view.x, view.scenario.at
    first, last = float(view.data.x.min()), float(view.data.x.max())
    sides = (
        ([point for point in points if point < first - NEARLY_EQUAL], "below", "begin", first),
        ([point for point in points if point > last + NEARLY_EQUAL], "beyond", "end", last),
    )
    parts = [
        f"{x.name} = {listed(point_on(x, point) for point in outside)} "
        f"{'lies' if len(outside) == 1 else 'lie'} {where} the records, which {verb} at "
        f"{with_unit(float(x.from_unit(end)), x)}"
        for outside, where, verb, end in sides
        if outside
    ]
    return f"{'; '.join(parts)}: the line is extrapolated there." if parts else ""


# ---------------------------------------------------------------- a record that is moved


def coordinates(record: Record, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """A record of the unit square in the units of its axes: "(19 hours, 47 points)"."""
    return f"({with_unit(float(x.from_unit(record[0])), x, 4)}, {with_unit(float(y.from_unit(record[1])), y, 4)})"


def moved_sentence(moved: MovedRecord, at: float, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """Moves of both lines' predictions at one point, in the units of y."""
    if not moved.moved:
        return f"Record {moved.place + 1:,} is at {coordinates(moved.old, x, y)}: move it with the sliders."

    def moves(line: str) -> str:
        before, after = moved.predictions([at])[line].iloc[:2]
        change = (after - before) * y.scale
        if isnan(change):
            return "is undefined"
        return f"{'rises' if change > 0 else 'falls'} by {with_unit(abs(change), y)}" if change else "stays"

    return (
        f"With record {moved.place + 1:,} at {coordinates((moved.x, moved.y), x, y)}, OLS at {place_on(x, at)} "
        f"{moves('ols')}. Theil–Sen {moves('theil_sen')}."
    )


def loss_sentence(change: OutputChange, moved: bool = True) -> str:
    """The measured privacy loss of a move beside the promise for every pair of neighbours."""
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
