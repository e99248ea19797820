"""Sentences of the Compare page: the algorithm that does best, by how much, and whether that may be luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, sqrt

import numpy as np
import pandas as pd

from ..experiments.comparison import Comparison
from ..experiments.ranking import PRIVATE, WEAKER, lead_among
from ..guidance.recommendation import LARGE
from ..mechanisms.base import Mechanism
from ..privacy import ZCDP, pure_rho, rho_of
from ..privacy.accounting import PAPER
from ..sources.axis import Axis
from .data import View, bounds_sentence, unit_sentence
from .phrases import (
    NO_ANSWER,
    both_sides_of_one,
    counted,
    format_amount,
    format_share,
    in_full,
    joined,
    listed,
    points_together,
    size_of,
    with_unit,
)

NONE_CHOSEN = "No differentially private algorithm is chosen."
NO_STRONGEST = "No algorithm with pure ε-differential privacy answers in 68% of its releases."
LEAST_GAP = 0.25  # share of the error below which a gap is not mentioned
TOO_NOISY = 10.0  # ratio of error to sampling error from which the headline warns


def headline(ranked: pd.DataFrame, y: Axis) -> str:
    """State the best algorithm with the strongest guarantee and its error beside the sampling error.

    Parameters
    ----------
    ranked : DataFrame
        Ranking of ``experiments.ranking`` at one point.
    y : Axis
        Units of the error.
    """
    best = lead_among(ranked)
    if not lead_among(ranked, PRIVATE).errors:
        return NONE_CHOSEN
    if best.mechanism is None:
        return NO_STRONGEST if weaker_sentence(ranked, y) else NO_ANSWER
    row = ranked[ranked["algorithm"] == best.mechanism].iloc[0]
    how, tied = "is best here", ""
    if best.too_close:
        how = "is best, in a tie" if best.same else "leads, too close to call"
        tied = f"{listed(best.tied)} {'have the same error' if best.same else 'tie'}."
    size = f"{size_of(row['c68'], y)}{'' if y.unit else f' in {y.name}'}"
    if not isfinite(row["ratio"]):
        beside = "there is no sampling error to compare with"
    elif row["ratio"] < 1:
        beside = f"its error is {format_share(row['ratio'])} of the sampling error"
    else:
        ratio = both_sides_of_one(row["ratio"])
        beside = f"its error {'equals' if ratio == '1' else f'is {ratio} times'} the sampling error"
    named = f"{best.mechanism} {how}: {beside}."
    if isfinite(row["ratio"]) and row["ratio"] >= TOO_NOISY:
        ratio = both_sides_of_one(row["ratio"])
        named = (
            f"Too noisy: the best here, {best.mechanism}, errs {ratio} times the sampling error."
        )
    return joined(
        named,
        f"68% of releases are within {size} of the line without privacy.",
        tied,
        gap_sentence(row, y),
    )


def answer(ranked: pd.DataFrame, y: Axis) -> str:
    """State the headline, then the error of a better algorithm with a weaker guarantee.

    Parameters
    ----------
    ranked : DataFrame
        Ranking of ``experiments.ranking`` at one point.
    y : Axis
        Units of the errors.
    """
    return joined(headline(ranked, y), weaker_sentence(ranked, y))


def beside_sampling(row: pd.Series) -> str:
    """Return the error of a row in sampling errors, in one or two words: "63%", "1.1 times"; else why there is none.

    Parameters
    ----------
    row : Series
        Row of ``experiments.ranking``.
    """
    ratio, error = float(row["ratio"]), float(row["c68"])
    if error == 0:
        return "no noise"
    if not isfinite(error):
        return f"no answer in {format_share(row['failure_rate'])} of releases"
    if not isfinite(ratio):
        return "no sampling error to compare with"
    return format_share(ratio) if ratio < 1 else f"{format_amount(ratio, 2)} times"


def inside_sampling(estimates: pd.Series, center: float, error: float) -> list[str]:
    """Count the releases within the sampling error of OLS, and those without an answer: ["18 of 20 inside"].

    Parameters
    ----------
    estimates : Series
        Releases in the unit square; NaN where there is no answer.
    center, error : float
        OLS at the point, and its standard error.
    """
    inside, silent = _near_and_silent(estimates, center, error)
    return [
        f"{inside} of {len(estimates)} inside",
        *([f"{silent} without answer"] if silent else []),
    ]


def _near_and_silent(estimates: pd.Series, center: float, error: float) -> tuple[int, int]:
    """Count the releases within one standard error of OLS, and the releases without an answer."""
    return int((np.abs(estimates - center) <= error).sum()), int(estimates.isna().sum())


def weaker_sentence(ranked: pd.DataFrame, y: Axis) -> str:
    """State the error of the best algorithm with a weaker guarantee; "" where one with the strongest errs no more."""
    weak = lead_among(ranked, [WEAKER])
    if not weak.error < lead_among(ranked).error:
        return ""
    guarantee = ranked.loc[ranked["algorithm"] == weak.mechanism, "guarantee"].iloc[0]
    return f"With a weaker guarantee ({guarantee}), {weak.mechanism} has {size_of(weak.error, y)}."


def gap_sentence(row: pd.Series, y: Axis) -> str:
    """State how much of an error is a gap, if a quarter or more, or that more epsilon would not help; else ""."""
    gap, error, standard_error = (float(row[name]) for name in ("gap", "c68", "standard_error"))
    if not gap > 0 or not isfinite(error):
        return ""
    name, size = row["algorithm"], with_unit(gap * y.scale, y)
    if 0 < standard_error < gap and standard_error <= error:
        large = f"{name} aims at {row['aim']}, {size} from OLS: more than the sampling error."
        return f"{large} A larger ε does not close this gap."
    if gap < LEAST_GAP * error:
        return ""
    return f"Part of the error is a lasting gap: {name} aims at {row['aim']}, {size} from OLS."


def picture_sentence(ranked: pd.DataFrame) -> str:
    """State the errors of a ranking in sampling errors, for those who do not see their picture."""
    errors = [f"{row['algorithm']} {beside_sampling(row)}" for _, row in ranked.iterrows()]
    return f"Errors beside the sampling error: {'; '.join(errors)}."


def compare_context(view: View) -> str:
    """State which algorithms look better than they are, then data and budget of the Compare page."""
    s = view.scenario
    rule = replace(s.accounting, records=1)
    return joined(
        convention_sentence(s.epsilon, s.admitted) if rule == PAPER else "",
        f"{view.data_name}: n = {view.data.n:,}, ε = {in_full(s.epsilon)} for "
        f"{points_together(len(s.at))}.",
        guide_sentence(view),
        bounds_sentence(view.grouped),
        "" if rule == PAPER else f"Rule of spending: {rule.label}.",
        unit_sentence(s.records_per_person) if s.records_per_person > 1 else "",
    )


def guide_sentence(view: View) -> str:
    """State the rule of thumb by which the paper chooses NoisyStats, and the number of the data."""
    guide = format_amount(view.scenario.epsilon * view.data.nvar, 2)
    rule = f"NoisyStats needs ε n var(x) of {LARGE:.0f}; here it is {guide}."
    return f"Rule of thumb by Alabi and others: {rule}"


def crumb(view: View) -> str:
    """Name data and budget of a comparison in one line.

    Parameters
    ----------
    view : View
        Data and scenario of the page.
    """
    s = view.scenario
    rule = replace(s.accounting, records=1)
    parts = (
        view.data_name,
        counted(view.data.n, "record"),
        f"ε = {in_full(s.epsilon)} for {points_together(len(s.at))}",
        "" if rule == PAPER else rule.label,
        f"{s.records_per_person:,} rows per person" if s.records_per_person > 1 else "",
    )
    return " · ".join(filter(None, parts))


def convention_sentence(epsilon: float, mechanisms: Sequence[Mechanism]) -> str:
    """Name the algorithms that the paper's rho = epsilon^2 / 2 makes look better than they are, and by how much.

    epsilon-DP implies rho = epsilon tanh(epsilon / 2); noise is proportional to 1 / sqrt(rho). "" where no algorithm
    goes by the paper's convention, or where its noise differs by less than half a per cent.

    >>> from dpslr_core.mechanisms import DPGDzCDP
    >>> convention_sentence(16.0, [DPGDzCDP()])
    'Held to the same promise as the others, the noise of DPGDzCDP would be 2.83 times as large.'
    """
    factor = sqrt(rho_of(epsilon) / pure_rho(epsilon))
    names = [m.name for m in mechanisms if m.guarantee(epsilon) == ZCDP(rho_of(epsilon))]
    if factor < 1.005 or not names:
        return ""
    return (
        f"Held to the same promise as the others, the noise of {listed(names)} "
        f"would be {format_amount(factor)} times as large."
    )


def lines_sentence(count: int) -> str:
    """Explain the private lines, `count` for each algorithm."""
    return (
        f"{count} lines for each algorithm: each is what one independent release would look like."
    )


def dots_sentence(dots: pd.DataFrame, ols: pd.Series, name: str, y: Axis) -> str:
    """State how many releases of an algorithm are within one standard error of OLS.

    Parameters
    ----------
    dots : DataFrame
        Releases in the unit square, in the column ``estimate``.
    ols : Series
        ``center`` and ``standard_error`` of OLS, in the unit square.
    name : str
        The algorithm.
    y : Axis
        Units of the standard error.
    """
    near, silent = _near_and_silent(dots["estimate"], ols["center"], ols["standard_error"])
    failed = f" In {silent} of {len(dots)} there is no answer." if silent else ""
    if not ols["standard_error"] > 0:
        return (
            f"{len(dots)} releases by {name}. There is no sampling error to compare with.{failed}"
        )
    size = size_of(ols["standard_error"], y)
    return f"{near} of {len(dots)} releases by {name} are within one standard error ({size}) of OLS.{failed}"


def releases_sentence(
    comparison: Comparison, first: str, second: str, at: float, count: int, last: int
) -> str:
    """State in how many of the last releases the first algorithm came closer to OLS than the second.

    Parameters
    ----------
    comparison : Comparison
        Comparison with draws of both algorithms.
    first, second : str
        Names of the algorithms.
    at : float
        Point in the unit square.
    count : int
        Number of releases drawn so far.
    last : int
        Number of releases that are compared, at most.
    """
    rows = comparison.draws[(comparison.draws["at"] == at) & (comparison.draws["trial"] < count)]
    table = rows.pivot(index="trial", columns="mechanism", values="estimate").tail(last)
    center = float(comparison.summary.loc[comparison.summary["at"] == at, "center"].iloc[0])
    distance = (table - center).abs().fillna(np.inf)
    closer = int((distance[first] < distance[second]).sum())
    shown = f"the last {len(table)}" if count > last else f"{len(table)}"
    return f"{count:,} releases drawn. In {closer} of {shown}, {first} came closer to OLS than {second}."
