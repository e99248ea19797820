"""Sentences of the Data page: the public bounds, the scatter plot, and what moving one record changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

from ..audit.moved import MovedRecord
from ..dataset import ROUNDING, Dataset, Record, without_rounding
from ..privacy.accounting import Accounting
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

COMPUTED = {  # clause on computed numbers, by the origin of the data
    "simulated": "computed from simulated data, so that nobody’s records are looked at",
    "public": "computed from public data",
    "guesses": "computed from public guesses, without a value of any data",
    "private": "computed from the true data, which is not private",
}
ON_ONE_LINE = "The records lie on one line: there is no sampling error to compare with."
MATTERS = 0.01  # share of rows left out, or of values clipped, from which every page warns


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
        """Number of rows of the group in its file, whatever their values (``GroupedData.public_sizes``)."""
        return self.grouped.public_sizes[self.group]

    @property
    def computed(self) -> str:
        """Clause on what numbers of these data are computed from, and whether that is private."""
        return COMPUTED[self.scenario.source.origin]


def shown_group(wanted: str, grouped: GroupedData) -> str:
    """Return the label of the group to show: `wanted`, or the first usable group where `wanted` is not usable.

    Raises
    ------
    ValueError
        If no group can be used.
    """
    if not grouped.usable:
        raise ValueError(f"no group of {grouped.name} can be used")
    return wanted if wanted in grouped.usable else grouped.usable[0]


def bounds_sentence(grouped: GroupedData) -> str:
    """State the public bounds of both axes."""
    return f"Public bounds: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."


def clipping_sentence(grouped: GroupedData) -> str:
    """State the public bounds, and how many values they clipped."""
    sentences = [f"{bounds_sentence(grouped)} The algorithms see them as 0 and 1."]
    for count, axis in ((grouped.clipped_x, grouped.x), (grouped.clipped_y, grouped.y)):
        if count:
            were = "value of {} was" if count == 1 else "values of {} were"
            sentences.append(f"{count:,} {were.format(axis.name)} clipped to the bounds.")
    return " ".join(sentences)


def losses_sentence(grouped: GroupedData) -> str:
    """State how many rows of a file are left out, and how many values the bounds clipped."""
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
    """Whether a share of MATTERS or more of the rows is left out, or of the values of an axis clipped."""
    records = len(grouped.frame)
    lost = grouped.left_out / (records + grouped.left_out)
    return max(lost, grouped.clipped_x / records, grouped.clipped_y / records) >= MATTERS


def persons_sentence(grouped: GroupedData, records: int, where: str = "under More settings") -> str:
    """Compare the rows of one person in a file with what the guarantee covers; "" without a column of persons.

    The number of rows is read off the data.

    Parameters
    ----------
    grouped : GroupedData
        Data of the file.
    records : int
        Number of records of one person that the guarantee covers.
    where : str
        Place where the user sets that number, as in "under More settings".
    """
    most = grouped.rows_per_person
    if not most:
        return ""
    beginning = f"In this file one person has {most:,} {'row' if most == 1 else 'rows'} at most"
    if most <= records:
        return f"{beginning}. The guarantee covers {records:,}."
    return f"{beginning}, but the guarantee covers {records:,}. Say {where} how many one person can have."


def delta_sentence(accounting: Accounting, grouped: GroupedData) -> str:
    """Warn that delta is above 1/n, with the n of the smallest group; "" where it is not, or there is no delta."""
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
    """Warnings on every page about an uploaded file: losses that matter, and persons with too many rows."""
    said = [losses_sentence(grouped)] if losses_matter(grouped) else []
    if grouped.rows_per_person > records:
        said.append(persons_sentence(grouped, records))
    return (*said, READ_OFF) if said else ()


def unit_sentence(records: int) -> str:
    """State the unit that the guarantee protects, given the number of records of one person."""
    if records == 1:
        return (
            "The guarantee is for one record. Set how many one person may have under More settings."
        )
    return f"The guarantee is for a person with up to {records:,} records."


YARDSTICK = (
    "That is the sampling error, one standard error: noise for privacy is measured against it."
)


def data_headline(view: View, at: float) -> str:
    """State the sampling error of the prediction at one point, in the units of y."""
    data = view.data
    if data.x_is_constant:
        return f"All {data.n:,} records have the same {view.x.name}, so no line can be fitted."
    error = float(data.standard_error([at])[0])
    if error == 0:
        return ON_ONE_LINE
    return f"Without any privacy, this prediction is already uncertain by {size_of(error, view.y)}."


def data_context(view: View, at: float) -> str:
    """Explain the sampling error where there is one, and say whether the point lies beyond the records."""
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
    """State in how many data sets a point lies beyond all records; "" where in none.

    The range of the data shows in the sentence.

    Parameters
    ----------
    datasets : iterable of Dataset
        Data sets, such as areas.
    x : Axis
        Units of the point.
    at : float
        Point in the unit square.
    simulated : bool
        Whether the records are simulated from guesses.
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
    """State the prediction at one point without privacy, and how far from it the Theil-Sen line is."""
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
    """Name the points of x_new outside the records; "" where all lie inside. The range of private data shows in it."""
    outside = [point_on(view.x, point) for point in view.scenario.at if is_beyond(view.data, point)]
    if not outside:
        return ""
    lie = "lies" if len(outside) == 1 else "lie"
    return f"{view.x.name} = {listed(outside)} {lie} beyond all records: the line is extrapolated there."


# ---------------------------------------------------------------- a record that is moved


def coordinates(record: Record, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """Write a record of the unit square in the units of its axes: "(19 hours, 47 points)"."""
    return f"({value_on(x, record[0], 4)}, {value_on(y, record[1], 4)})"


def moved_sentence(moved: MovedRecord, at: float, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """State how far the predictions of OLS and Theil-Sen move at one point, in the units of y."""
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
