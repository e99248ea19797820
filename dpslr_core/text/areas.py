"""Sentences of the Small areas page: costs of a release, areas with an error below the sampling error, failures."""

from __future__ import annotations

from math import inf

import numpy as np
import pandas as pd

from ..guidance.area_epsilons import areas_passing, half_passes_from, not_sought, smallest_epsilons
from ..guidance.required_values import EPSILONS, rounded_up
from .data import View
from .phrases import counted, format_amount, format_share, in_full, joined, listed, place_on, weaker
from .work import duration

PASSES = "An area passes where C(68) is at most its standard error."
UNREACHED = (
    "The best algorithm of an area is read off the data, so no private choice reaches this count."
)
FLAT_LINE, NO_SAMPLING_ERROR = "flat: no slope", "no sampling error"
NOTHING = "There is nothing to compare: no private slope, or no sampling error."
PASS = "area passes", "areas pass"


def crumb(view: View) -> str:
    """Name data and budget in one line."""
    grouped = view.grouped
    records = f"{grouped.name}: {len(grouped.groups):,} areas, {len(grouped.frame):,} records"
    return f"{records} · ε = {in_full(view.scenario.epsilon)} in each"


def context(view: View, at: float) -> str:
    """State the data, the budget and the point that the headline holds for."""
    return f"{crumb(view)}, at {place_on(view.x, at)}."


def notes(ranked: pd.DataFrame) -> str:
    """State the shares of areas in which algorithms fail, and the flat lines that do not count.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``ranked_shares``.
    """
    private = ranked[ranked["private"]]
    failing = private[private["failure_rate"] > 0]
    rates = zip(failing["mechanism"], failing["failure_rate"], strict=True)
    silent = ", ".join(f"{name} in {format_share(rate)}" for name, rate in rates)
    lines = [(row.mechanism, flat_in(row.flat, row.areas)) for row in private.itertuples()]
    flat = ", ".join(
        name if line == FLAT_LINE else f"{name} {line}" for name, line in lines if line
    )
    return joined(
        f"Some releases have no answer: {silent}." if silent else "",
        f"Flat lines have no slope and are not counted: {flat}." if flat else "",
    )


def cost_sentence(view: View, trials: int) -> str:
    """State the cost of the whole release, and how often algorithms without an exact law are run (`trials`)."""
    return (
        "Every record is in one area only, so the whole release costs ε = "
        f"{in_full(view.scenario.epsilon)} too "
        "(parallel composition). That needs group labels and group sizes that are public and "
        "fixed. Algorithms without "
        f"an exact law are run {trials:,} times in each area."
    )


def flat_in(flat: int, areas: int) -> str:
    """Say in how many of `areas` an algorithm releases a flat line, given the number `flat`; "" for none."""
    if not flat:
        return ""
    return FLAT_LINE if flat == areas else f"flat in {counted(flat, 'area')}"


def headline(ranked: pd.DataFrame) -> str:
    """State in how many areas the error of the best algorithm is below the sampling error.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``ranked_shares``.
    """
    sloped = ranked[ranked["private"] & ranked["counts"]]
    if not sloped["areas"].any():
        return NOTHING
    first = sloped.iloc[0]
    return joined(
        f"In {first['areas_below']:,} of {first['areas']:,} areas the error of "
        f"{first['mechanism']} is below the sampling error.",
        "" if first["pure"] else f"{weaker(first['guarantee'])}.",
    )


def passing_sentence(epsilons: pd.DataFrame, epsilon: float) -> str:
    """State how many areas pass at this epsilon, and from which epsilon on half of them do.

    Areas without a sampling error are left out. PASSES says when an area passes.

    Parameters
    ----------
    epsilons : DataFrame
        Rows of ``passing_epsilons`` for the algorithms in question.
    epsilon : float
        Budget in each area.
    """
    missing = not_sought(epsilons)
    sought = epsilons[~epsilons["mechanism"].isin(missing) & (epsilons["standard_error"] > 0)]
    not_sought_for = (
        f"No passing ε is computed for {listed(missing)}: there is no exact output distribution."
        if missing
        else ""
    )
    if sought.empty:
        return not_sought_for
    names = sought["mechanism"].unique()
    with_which = f"with {names[0]}" if len(names) == 1 else "each with its best algorithm"
    sentences = []
    if EPSILONS[0] <= epsilon <= EPSILONS[1]:
        count, areas = areas_passing(sought, epsilon), sought["group"].nunique()
        sentences.append(
            f"At ε = {in_full(epsilon)}, {count:,} of {counted(areas, *PASS)}, {with_which}."
        )
    half = half_passes_from(sought)
    if half < inf:
        sentences.append(f"Half of the areas pass from ε = {no_smaller(half)}.")
    never = int(np.isinf(smallest_epsilons(sought)["passes_from"]).sum())
    if never:
        do_not = counted(never, "area does not", "areas do not")
        sentences.append(f"{do_not} pass up to ε = {in_full(EPSILONS[1])}.")
    return joined(*sentences, UNREACHED if len(names) > 1 else "", not_sought_for)


def reached_sentence(reached: int, count: int, seconds: float) -> str:
    """State how many of `count` areas are measured, in random order, and the seconds that the remaining areas take."""
    rest = f"The others take about {duration(seconds)}."
    return f"Measured so far: {reached:,} of {count:,} areas, in random order. {rest}"


def no_smaller(epsilon: float) -> str:
    """Write an epsilon with three digits, rounded up, so that the written epsilon is enough too."""
    return format_amount(rounded_up(epsilon))


def verdicts(table: pd.DataFrame) -> list[str]:
    """Verdict on each area: "pass", "fail", FLAT_LINE or NO_SAMPLING_ERROR.

    Parameters
    ----------
    table : DataFrame
        Frame of ``best_with_epsilons``.
    """
    usable = table["standard_error"] > 0
    flat = table["flat"].astype(bool) & (table["ratio"] < 1)
    words = [NO_SAMPLING_ERROR, "pass", FLAT_LINE]
    return [
        str(verdict)
        for verdict in np.select([~usable, table["passes"], flat], words, default="fail")
    ]
