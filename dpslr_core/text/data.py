"""Sentences of the Data page: the public bounds, the scatter plot, and what moving one record changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

from ..audit.moved import MovedRecord
from ..dataset import ROUNDING, Dataset, Record, without_rounding
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import Accounting, guarantee_of_record
from ..scenario import Scenario
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..sources.grouping import GroupedData
from .phrases import (
    bounds_of,
    counted,
    format_amount,
    joined,
    listed,
    place_on,
    point_on,
    size_of,
    value_on,
    with_unit,
)

COMPUTED = {  # what numbers are, by the origin of the data
    "simulated": "computed from simulated data, so that nobody’s records are looked at",
    "public": "computed from public data",
    "guesses": "computed from public guesses, without a value of any data",
    "private": "computed from the true data, which is not private",
}
ON_ONE_LINE = "The records lie on one line: there is no sampling error to compare with."
MATTERS = 0.01  # a share of rows left out, or of values clipped, that a page says first
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
        return (
            f"{self.grouped.name}, {self.group}"
            if len(self.grouped.groups) > 1
            else self.grouped.name
        )

    @property
    def public_n(self) -> int:
        """The number of rows of the group in its file, whatever their values; see GroupedData.public_sizes."""
        return self.grouped.public_sizes[self.group]

    @property
    def computed(self) -> str:
        """What numbers that are computed from these data are, and whether they are private."""
        return COMPUTED[self.scenario.source.origin]


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


def losses_sentence(grouped: GroupedData) -> str:
    """Rows of a file that are left out, and values that the bounds clipped."""
    records = len(grouped.frame)
    rows = records + grouped.left_out
    lost = (
        f"{grouped.left_out:,} of {counted(rows, 'row')} left out"
        if grouped.left_out
        else "No row left out"
    )
    if grouped.left_out_with_group:
        unusable = grouped.left_out - grouped.left_out_with_group
        lost = f"{lost} ({unusable:,} unusable, {grouped.left_out_with_group:,} in groups without a line)"
    axes = ((grouped.clipped_x, grouped.x), (grouped.clipped_y, grouped.y))
    clipped = [
        f"{count:,} of {records:,} values of {axis.name} clipped" for count, axis in axes if count
    ]
    return f"{'; '.join([lost, *(clipped or ['nothing clipped'])])}."


def losses_matter(grouped: GroupedData) -> bool:
    """Whether a share MATTERS of the rows was left out, or of the values of one axis clipped."""
    records = len(grouped.frame)
    lost = grouped.left_out / (records + grouped.left_out)
    return max(lost, grouped.clipped_x / records, grouped.clipped_y / records) >= MATTERS


def persons_sentence(grouped: GroupedData, records: int, where: str = "under More settings") -> str:
    """Rows of one person in a file beside what the guarantee covers; "" where nothing tells people apart.

    records: how many of one person the guarantee covers. where: how one says it. The number is read off the data.
    """
    most = grouped.rows_per_person
    if not most:
        return ""
    said = f"In this file one person has {most:,} {'row' if most == 1 else 'rows'} at most"
    if most <= records:
        return f"{said}. The guarantee covers {records:,}."
    return (
        f"{said}, but the guarantee covers {records:,}. Say {where} how many one person can have."
    )


def delta_sentence(accounting: Accounting, grouped: GroupedData) -> str:
    """Warning that delta is above 1/n, with the n of the smallest group; "" where it is not, or the rule has none."""
    n, delta = min(grouped.public_sizes.values()), accounting.delta
    if accounting.rule != "approx" or delta <= 1 / n:
        return ""
    smallest = "" if len(grouped.sizes) == 1 else " of the smallest group"
    return (
        f"δ = {format_amount(delta, 2)} is above 1/n = {format_amount(1 / n, 2)}{smallest}. "
        "Such a promise allows a release to publish whole records. Take a δ far below 1/n."
    )


READ_OFF = "This was read off the file, and is not public."


def upload_warnings(grouped: GroupedData, records: int) -> tuple[str, ...]:
    """What every page must say of an uploaded file: losses that matter, and people with more rows than are covered."""
    said = [losses_sentence(grouped)] if losses_matter(grouped) else []
    if grouped.rows_per_person > records:
        said.append(persons_sentence(grouped, records))
    return (*said, READ_OFF) if said else ()


def unit_sentence(mechanisms: Iterable[Mechanism], budget: Budget) -> str:
    """Unit that the guarantee protects: one record, or a person with several, and what one record then has.

    mechanisms: those that the rule of the budget admits.
    """
    records = budget.accounting.records
    if records == 1:
        return (
            "The guarantee is for one record. Set how many one person may have under More settings."
        )
    names: dict[str, list[str]] = {}
    for mechanism in mechanisms:
        protection = guarantee_of_record(mechanism, budget)
        if protection.private:
            names.setdefault(str(protection), []).append(mechanism.name)
    some = {
        shown: [*who[:_NAMED], f"{len(who) - _NAMED} more"] if len(who) > _NAMED + 1 else who
        for shown, who in names.items()
    }
    alone = (
        f" For one record: {' '.join(f'{shown} by {listed(who)}.' for shown, who in some.items())}"
        if some
        else ""
    )
    return f"The guarantee is for a person with up to {records:,} records.{alone}"


YARDSTICK = (
    "That is the sampling error, one standard error: noise for privacy is measured against it."
)


def data_headline(view: View, at: float) -> str:
    """Sampling error of the prediction at one point."""
    data = view.data
    if data.x_is_constant:
        return f"All {data.n:,} records have the same {view.x.name}, so no line can be fitted."
    error = float(data.standard_error([at])[0])
    if error == 0:
        return ON_ONE_LINE
    return f"Without any privacy, this prediction is already uncertain by {size_of(error, view.y)}."


def data_context(view: View, at: float) -> str:
    """Meaning of the sampling error where there is one, and whether the point lies beyond the records."""
    one_line = view.data.x_is_constant or float(view.data.residual_sd) == 0
    return joined(
        "" if one_line else YARDSTICK,
        extrapolation_sentence(view) if is_beyond(view.data, at) else "",
    )


def is_beyond(data: Dataset, at: float) -> bool:
    """Whether a point of the unit square lies below all records or above all."""
    return not data.x.min() - ROUNDING <= at <= data.x.max() + ROUNDING


BEYOND_GUESSES = "If real records lie there, the guesses are wrong: do not act on this plan."


def beyond_sentence(
    datasets: Iterable[Dataset], x: Axis, at: float, simulated: bool = False
) -> str:
    """In how many data sets a point lies beyond all records; "" where in none. The range of the data shows in it.

    simulated: whether the records are simulated from guesses.
    """
    records = "simulated records" if simulated else "records"
    beyond = [is_beyond(data, at) for data in datasets]
    if not any(beyond):
        return ""
    if all(beyond):
        return f"The point {place_on(x, at)} lies beyond all {records}."
    areas = f"{sum(beyond):,} of {counted(len(beyond), 'area')}"
    return f"The point {place_on(x, at)} lies beyond all {records} of {areas}."


def data_sentence(view: View, at: float) -> str:
    """Prediction at one point without privacy, and how far from it the Theil-Sen line is."""
    data = view.data
    if data.x_is_constant:
        return "The records; there is no line."
    error, center = float(data.standard_error([at])[0]), float(data.predict([at])[0])
    if error == 0:
        return "The line without privacy fits exactly."
    gap = abs(float(data.theil_sen([at])[0]) - center) / error
    return (
        f"At {place_on(view.x, at)} the line through {data.n:,} records predicts {view.y.name} = "
        f"{value_on(view.y, center)}. The Theil–Sen line is {format_amount(gap, 2)} sampling "
        "errors away."
    )


def extrapolation_sentence(view: View) -> str:
    """Points of x_new outside the records; "" where all lie inside. The range of private data shows in it."""
    x, points = view.x, view.scenario.at
    first, last = float(view.data.x.min()), float(view.data.x.max())
    sides = (
        ([point for point in points if point < first - ROUNDING], "below", "begin", first),
        ([point for point in points if point > last + ROUNDING], "beyond", "end", last),
    )
    parts = [
        f"{x.name} = {listed(point_on(x, point) for point in outside)} "
        f"{'lies' if len(outside) == 1 else 'lie'} {where} the records, which {verb} at "
        f"{value_on(x, end)}"
        for outside, where, verb, end in sides
        if outside
    ]
    return f"{'; '.join(parts)}: the line is extrapolated there." if parts else ""


# ---------------------------------------------------------------- a record that is moved


def coordinates(record: Record, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """A record of the unit square in the units of its axes: "(19 hours, 47 points)"."""
    return f"({value_on(x, record[0], 4)}, {value_on(y, record[1], 4)})"


def moved_sentence(moved: MovedRecord, at: float, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """Moves of both lines' predictions at one point, in the units of y."""
    if not moved.moved:
        return f"Record {moved.place + 1:,} is at {coordinates(moved.old, x, y)}: move it with the sliders."

    def moves(line: str) -> str:
        before, after = moved.predictions([at])[line].iloc[:2]
        change = float(without_rounding(after - before)) * y.scale
        if isnan(change):
            return "is undefined"
        if change == 0:
            return "stays"
        return f"{'rises' if change > 0 else 'falls'} by {with_unit(abs(change), y)}"

    return (
        f"With record {moved.place + 1:,} at {coordinates((moved.x, moved.y), x, y)}, OLS at "
        f"{place_on(x, at)} {moves('ols')}. Theil–Sen {moves('theil_sen')}."
    )
