"""Sentences on pooled areas: what pooling gains, what it rests on, and what it is not for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..experiments.pooled_areas import POOLED
from ..experiments.pooling import ENOUGH_AREAS, LEAST_AREAS
from ..experiments.pooling_worlds import HOLDS, broken
from .phrases import counted, format_amount, format_share, in_full, joined, listed

FREE = (
    "Pooling costs no further budget: each record lies in one area, and what follows from the "
    "releases is post-processing."
)
SECOND = "Only releases by {} are pooled: beside one by {} they are a second release, with an ε of their own."
REHEARSAL = (
    "A rehearsal: the releases are drawn from a seed, and with the seed anyone can subtract the "
    "noise. Do not publish it as a release."
)
FEW = (
    f"Measured coverage holds from {ENOUGH_AREAS} areas on; with {{areas:,}} it varies more from "
    "one data set to the next."
)


def cost_sentence(released: str | None = None) -> str:
    """State the cost of pooling beside a release.

    Parameters
    ----------
    released : str, optional
        Algorithm of the release; by default the pooled release is the only one.
    """
    return FREE if released is None or released in POOLED else SECOND.format(POOLED[0], released)


def pooled_sentence(pooled: pd.DataFrame, mechanism: str, epsilon: float) -> str:
    """State at each point the median standard error, and the weight of an area's own release.

    Parameters
    ----------
    pooled : DataFrame
        Frame of ``pool_areas``, in the units to be read.
    mechanism : str
        Algorithm of the releases.
    epsilon : float
        Budget in each area.
    """
    areas = pooled["group"].nunique()
    sentences = [
        f"At {in_full(float(point))} the median standard error of a pooled prediction is "
        f"{format_amount(float(rows['standard_error'].median()))}, and the median area's own "
        "release counts for "
        f"{format_share(float(rows['weight'].median()))} of it."
        for point, rows in pooled.groupby("at", sort=False)
    ]
    return joined(
        f"{areas:,} areas, each released once with {mechanism} at ε = {in_full(epsilon)}, then "
        "pooled.",
        *sentences,
    )


def common_sentence(pooled: pd.DataFrame) -> str:
    """State the common line of the areas, and how far the areas' own lines are from it.

    Parameters
    ----------
    pooled : DataFrame
        Frame of ``pool_areas``, in the units to be read.
    """
    common = {name: format_amount(float(value)) for name, value in pooled.attrs.items()}
    return (
        f"The common line is {common['height']} high at {common['origin']} and has the slope "
        f"{common['slope']}. Areas "
        f"differ from it by a standard deviation of {common['spread_of_height']} in height and "
        f"{common['spread_of_slope']} in slope."
    )


def few_areas(areas: int) -> str:
    """Warn where there are few areas; "" where there are enough."""
    return FEW.format(areas=areas) if areas < ENOUGH_AREAS else ""


def public_sentence(names: Sequence[str]) -> str:
    """Name the public numbers of areas that go into the pooled lines; "" without any."""
    if not names:
        return ""
    count = counted(len(names), "number", "numbers")
    return f"Pooled with {count} of each area from a public file: {listed(names)}."


NOT_FOR = (
    "Not for ranking areas: extremes are pulled in, so compare the released and the pooled number.",
    "Not for an area's own OLS prediction: pooled lines are nearer to the true line, not to that.",
    "Not for areas that are not comparable. What goes with n is taken into account; n is public.",
    f"Not for few areas: measured coverage holds from {ENOUGH_AREAS} on, and {LEAST_AREAS} are "
    "the least.",
)
UNKNOWN_TRUTH = "How near these come to the true lines is known for a simulated state alone."


def helped_sentence(pooled: pd.DataFrame, sampling: float) -> str:
    """Compare the median standard error of the pooled predictions with the one of OLS without privacy.

    Parameters
    ----------
    pooled : DataFrame
        Rows of ``pool_areas`` at one point.
    sampling : float
        Median standard error of OLS, in the same unit.
    """
    error = float(pooled["standard_error"].median())
    than = "equal to"
    if error < sampling:
        than = "smaller than"
    elif error > sampling:
        than = "larger than"
    return (
        f"When {len(pooled):,} areas help each other, the median standard error is "
        f"{format_amount(error)}: {than} the {format_amount(sampling)} of OLS without privacy."
    )


def truth_sentence(errors: pd.DataFrame) -> str:
    """State the error about the true lines of OLS, of releases alone, and of pooled releases.

    Parameters
    ----------
    errors : DataFrame
        Frame of ``errors_about_truth``, in the units to be read.
    """
    sizes = [
        f"{row.way} {format_amount(row.rms)} ({format_amount(row.median)})"
        for row in errors.itertuples()
    ]
    return (
        f"Error about the true lines, root mean square (median): {', '.join(sizes)}. A tract's "
        "true line is that of everybody in it, not only of its records."
    )


def outside_sentence(outside: int, level: float = 0.95) -> str:
    """Explain the bars, and count the releases outside of the picture."""
    away = (
        f" {counted(outside, 'release is', 'releases are')} outside and at the edge."
        if outside
        else ""
    )
    return f"Bars are {level:.0%} intervals for the true line.{away}"


def coverage_sentence(table: pd.DataFrame, areas: int, epsilon: float) -> str:
    """State how often 95% intervals hold the true line in the simulated worlds that are most like these areas.

    Parameters
    ----------
    table : DataFrame
        Frame of ``pooling_worlds.load``.
    areas : int
        Number of areas.
    epsilon : float
        Budget in each area.
    """
    rows = table
    for name, value in (("areas", areas), ("epsilon", epsilon)):
        measured = np.sort(rows[name].unique())
        rows = rows[rows[name] == measured[np.abs(np.log(measured / value)).argmin()]]
    count, at = int(rows["areas"].iloc[0]), in_full(float(rows["epsilon"].iloc[0]))
    low, high = f"{rows['coverage'].min():.1%}", f"{rows['coverage'].max():.1%}"
    missed = [
        f"{row.world}{' with a public number' if row.covariate else ''} {row.coverage:.1%}"
        for row in broken(rows).itertuples()
    ]
    worlds = rows["world"].nunique()
    range_sentence = f"In {worlds} simulated worlds of {count:,} areas at ε = {at}, {low} to {high} of them hold it."
    ends = f"{HOLDS[0]:.1%} to {HOLDS[1]:.1%}"
    return joined(
        range_sentence,
        f"Outside of {ends}: {', '.join(missed)}." if missed else f"All are within {ends}.",
    )


def state_sentence(table: pd.DataFrame, state: str) -> str:
    """State from which epsilon on pooled lines of a simulated state are nearer to the truth than OLS.

    The rows with the most areas count, without a public number.

    Parameters
    ----------
    table : DataFrame
        Frame of ``pooling_worlds.load``.
    state : str
        A world of the table.
    """
    rows = table[(table["world"] == state) & ~table["covariate"]]
    rows = rows[rows["areas"] == rows["areas"].max()].sort_values("epsilon")
    nearer = (rows["pooled_rms"] < rows["ols_rms"]) & (rows["pooled_median"] < rows["ols_median"])
    always = rows[nearer[::-1].cummin()[::-1]]
    name = f"{state}, {int(rows['areas'].iloc[0]):,} simulated tracts"
    if always.empty:
        return f"{name}: at no ε up to {in_full(float(rows['epsilon'].max()))} are pooled lines nearer than OLS."
    first = always.iloc[0]
    return (
        f"{name}: from ε = {in_full(float(first['epsilon']))} on pooled private lines are nearer "
        "to the truth than OLS without privacy. Root mean square error there "
        f"{format_amount(float(first['pooled_rms']))}, of OLS "
        f"{format_amount(float(first['ols_rms']))}."
    )
