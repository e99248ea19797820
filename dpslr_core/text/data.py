"""What the Data page says: the public bounds, and what the scatter plot shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import for_one_record, guarantee_of_record
from ..sources.grouping import NEARLY_EQUAL, GroupedData
from .phrases import bounds_of, format_amount, listed, place_on, point_on, with_unit
from .view import View

_NAMED = 5  # algorithms that a sentence names


def bounds_sentence(grouped: GroupedData) -> str:
    """The public bounds of both axes."""
    return f"Public bounds: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."


def clipping_sentence(grouped: GroupedData) -> str:
    """The public bounds, and how many values they clipped."""
    clipped = "".join(
        f" {count:,} {'value' if count == 1 else 'values'} of {axis.name} {'was' if count == 1 else 'were'} clipped to "
        "the bounds."
        for count, axis in ((grouped.clipped_x, grouped.x), (grouped.clipped_y, grouped.y))
        if count
    )
    return f"{bounds_sentence(grouped)} The algorithms see them as 0 and 1.{clipped}"


def unit_sentence(mechanisms: Iterable[Mechanism], budget: Budget) -> str:
    """Whose privacy the guarantee protects: one record, or a person with several, and what one record then has.

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
    alone = " ".join(f"{shown} by {_first_of(who)}." for shown, who in names.items())
    return (
        f"The guarantee is for a person with up to {records:,} records.{f' For one record: {alone}' if alone else ''}"
    )


def _first_of(names: Sequence[str]) -> str:
    """Names as text, those beyond the first few as a number."""
    return listed(names) if len(names) <= _NAMED + 1 else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"


def data_headline(view: View) -> str:
    """What the data are: how many records, and the OLS prediction at the first point with its standard error."""
    data, y, at = view.data, view.y, view.scenario.at[0]
    if data.nvar == 0:
        return f"All {data.n:,} records have the same {view.x.name}, so no line can be fitted"
    center, error = float(data.predict([at])[0]), float(data.standard_error([at])[0])
    predicted = with_unit(float(y.from_unit(center)), y)
    return (
        f"{data.n:,} records; at {place_on(view.x, at)} the line predicts {y.name} = {predicted}, "
        f"standard error ±{with_unit(error * y.scale, y)}"
    )


def data_sentence(view: View) -> str:
    """How far Theil-Sen is from OLS at the first point."""
    data, at = view.data, view.scenario.at[:1]
    if data.nvar == 0:
        return "The records; there is no line."
    error = float(data.standard_error(at)[0])
    if not error > 0:
        return "The OLS line fits exactly."
    gap = abs(float(data.theil_sen(at)[0] - data.predict(at)[0])) / error
    return f"At {place_on(view.x, at[0])}, OLS and Theil–Sen are {format_amount(gap, 2)} standard errors apart."


def extrapolation_sentence(view: View) -> str:
    """Which points of x_new lie outside the records; "" where all lie inside. It says the range of private data."""
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
