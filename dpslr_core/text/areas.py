"""Sentences of the Small areas page: costs of a release, areas with an error below the sampling error, failures."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
import pandas as pd

from ..experiments.areas import passing_rows
from ..guidance.area_epsilons import areas_passing, half_passes_from, not_sought, smallest_epsilons
from ..guidance.required_values import EPSILONS, rounded_up
from ..mechanisms.noisy_stats import NoisyStats
from .data import View
from .phrases import counted, format_amount, format_share, in_full, joined, listed, place_on, weaker
from .work import duration

PASSES = "An area passes where C(68) is at most its standard error."
UNREACHED = "No private procedure reaches this count: which algorithm is best is read off the data."
FLAT_LINE, NO_SAMPLING_ERROR = "flat: no slope", "no sampling error"
NONE_CHOSEN = "{:,} areas; no differentially private algorithm is chosen."
NOTHING_TO_COMPARE = "None of {:,} areas has a sampling error to compare with."
FLAT_ALONE = "Only flat lines, which have no slope, are released: none of {:,} areas passes."
PASS = "area passes", "areas pass"
SHOWN_OTHERS = 3
BASIC = NoisyStats().name  # the algorithm that the best one is compared with


def nothing_passes(ranked: pd.DataFrame, areas: int) -> str:
    """Say why no area can pass with any algorithm, whatever epsilon is; "" where an area can.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``ranked_shares``.
    areas : int
        Number of areas of the data.
    """
    if not ranked["private"].any():
        return NONE_CHOSEN.format(areas)
    first = ranked.iloc[0]
    if not first["areas"]:
        return NOTHING_TO_COMPARE.format(areas)
    return "" if first["counts"] else FLAT_ALONE.format(first["areas"])


def compared_with(ranked: pd.DataFrame) -> str | None:
    """Name the algorithm to show beside the first algorithm of ``ranked_shares``.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``ranked_shares``.

    Returns
    -------
    str or None
        NoisyStats; the second private algorithm where NoisyStats is first or absent; None where there is no second.
    """
    names = ranked["mechanism"][ranked["private"] & ranked["counts"]].tolist()
    if BASIC in names[1:]:
        return BASIC
    return names[1] if len(names) > 1 else None


def beside_each_other(ranked: pd.DataFrame) -> list[str]:
    """Names of the first algorithm of ``ranked_shares`` and, if there is one, of the algorithm of ``compared_with``."""
    second = compared_with(ranked)
    return [str(ranked["mechanism"].iloc[0]), *([second] if second else [])]


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
        f"Releases without an answer: {silent}." if silent else "",
        f"Not counted, as a flat line has no slope: {flat}." if flat else "",
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


def headline(ranked: pd.DataFrame, areas: int) -> str:
    """State in how many areas the errors of the best algorithms are below the sampling error.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``ranked_shares``.
    areas : int
        Number of areas of the data.
    """
    if nothing := nothing_passes(ranked, areas):
        return nothing
    sloped = ranked[ranked["private"] & ranked["counts"]]
    first, following, weak = (
        sloped.iloc[0],
        sloped.iloc[1 : SHOWN_OTHERS + 1],
        sloped[~sloped["pure"]],
    )
    sentences = [
        f"In {first['areas_below']:,} of {first['areas']:,} areas the error of "
        f"{first['mechanism']} is below the sampling error."
    ]
    if len(following):
        counts = zip(following["mechanism"], following["areas_below"], strict=True)
        sentences.append(f"Next: {', '.join(f'{name} {count:,}' for name, count in counts)}.")
    if not first["pure"]:
        sentences.append(f"{weaker(first['guarantee'])}.")
    elif len(weak) and weak["areas_below"].iloc[0] > first["areas_below"]:
        best = weak.iloc[0]
        sentences.append(
            f"{best['mechanism']} reaches {best['areas_below']:,}. {weaker(best['guarantee'])}."
        )
    return " ".join(sentences)


def picture_sentence(measured: pd.DataFrame, names: Sequence[str]) -> str:
    """Describe the curves of areas by error for those who do not see them.

    Parameters
    ----------
    measured : DataFrame
        Rows of ``by_group`` at a single point.
    names : sequence of str
        Algorithms in the picture.
    """
    usable = measured[measured["standard_error"] > 0]
    ratios = usable.groupby("mechanism", observed=True)["ratio"].median().reindex(list(names))
    medians = ", ".join(f"{name} {format_amount(float(ratio))}" for name, ratio in ratios.items())
    shown = "Each curve counts the areas with an error C(68) of at most so many standard errors."
    return f"{shown} Median over {usable['group'].nunique():,} areas: {medians}."


def table_sentence(table: pd.DataFrame) -> str:
    """State in how many areas the best algorithm of the area passes.

    Parameters
    ----------
    table : DataFrame
        Frame of ``best_by_area``.
    """
    passing = int(passing_rows(table).sum())
    return f"{passing:,} of {counted(len(table), *PASS)}, each with its best algorithm. {UNREACHED}"


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
        f"No ε is sought for {listed(missing)}: no exact output distribution." if missing else ""
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
        Frame of ``best_with_epsilons``, or of ``best_by_area`` where no epsilons were sought.
    """
    usable = table["standard_error"] > 0
    passing = table["passes"] if "passes" in table else passing_rows(table)
    flat = table["flat"].astype(bool) & (table["ratio"] < 1)
    words = [NO_SAMPLING_ERROR, "pass", FLAT_LINE]
    return [str(verdict) for verdict in np.select([~usable, passing, flat], words, default="fail")]
