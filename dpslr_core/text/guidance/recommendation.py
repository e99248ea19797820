"""The headline of the Guidance page, and what it is based on."""

from __future__ import annotations

from math import sqrt

from ...guidance.recommendation import TIED, Recommendation
from ...privacy.accounting import comparable, guarantee
from ...sources.axis import UNIT_X, UNIT_Y, Axis
from ...sources.linear import LinearModel
from ...support.run import Z95
from ..phrases import both_sides_of_one, bounds_of, format_amount, format_share, in_full, listed, weaker, with_unit


def headline(recommendation: Recommendation) -> str:
    """The answer of the Guidance page: which algorithm, or which are tied, and the error that the picture shows.

    A second sentence names an algorithm with a smaller error and a weaker guarantee.
    """
    name = recommendation.algorithm
    if name is None:
        return "No algorithm answers often enough. More records or a larger ε are needed."
    if recommendation.too_close:
        errors = error_range(recommendation)
        said = f"Too close to call: {listed(recommendation.tied)}. Their expected errors are {errors}."
    else:
        said = f"Use {name}. Its expected error is {format_amount(recommendation.error(name))} standard errors."
    return f"{said}{_with_weaker(recommendation)}"


def error_range(recommendation: Recommendation) -> str:
    """The smallest and the largest expected error of those that are tied."""
    errors = [recommendation.error(name) for name in recommendation.tied]
    low, high = (format_amount(error) for error in (min(errors), max(errors)))
    return f"{f'{low} to {high}' if low != high else low} standard errors"


def times_sampling_error(ratio: float) -> str:
    """A size in units of the sampling error, never 1 where it is not."""
    return f"{both_sides_of_one(ratio)} times the sampling error"


def _with_weaker(recommendation: Recommendation) -> str:
    """The algorithm with the smallest error of all, where it promises less; its guarantee where it is the answer."""
    mechanism, epsilon, rule = recommendation.mechanism, recommendation.budget.epsilon, recommendation.budget.accounting
    if not comparable(mechanism, epsilon, rule):
        return f" {weaker(str(guarantee(mechanism, epsilon, rule)))}."
    rows = recommendation.evidence
    others = rows[~rows["candidate"] & rows["mechanism"].isin([m.name for m in recommendation.mechanisms])]
    others = others[others["behind"] + Z95 * others["behind_error"] < 0]
    if others.empty:
        return ""
    first = others.iloc[0]
    return f" With a weaker guarantee ({first['guarantee']}), {first['mechanism']} has a smaller error."


def context(recommendation: Recommendation, looked: bool, before: str | None = None) -> str:
    """What the headline is based on. looked: as in methods_text; before: the algorithm of the interim answer."""
    name, model = recommendation.algorithm, recommendation.model
    epsilon, count = recommendation.budget.epsilon, len(recommendation.budget.at)
    points = {1: "one point", 2: "both points together"}.get(count, f"all {count} points together")
    based = "simulated data with values read off the data" if looked else "simulated data with your settings"
    sets = f"{recommendation.datasets_of_best:,} simulated data sets"
    stage = f"Provisional, after {sets}: more are being simulated." if recommendation.provisional else f"{sets}."
    changed = before not in (None, name) and not recommendation.provisional
    was = f" The provisional answer was {before}." if changed else ""
    settings = [model.var_x, model.var_e, epsilon]
    var_x, var_e, spent = (in_full(value) for value in settings)
    alone = f"The noise of {name} alone: {times_sampling_error(recommendation.noise)}. " if name is not None else ""
    tied = (
        f"Tied: not told apart, or at most {format_share(TIED)} apart with intervals that overlap. "
        if recommendation.too_close
        else ""
    )
    ols = format_amount(recommendation.error("OLS"))
    return (
        f"Error about the true line, sampling and noise together; without privacy (OLS) {ols}. {alone}{tied}"
        f"On {based}, not on one data set as on Compare. "
        f"n = {model.n:,}, ε = {spent} for {points}; in the unit square σₓ² = {var_x} and σₑ² = {var_e}. {stage}{was}"
    )


def scaling(model: LinearModel, x: Axis, y: Axis) -> str:
    """How x and y become numbers in the unit square, and the guessed spreads in the user's units."""
    if (x, y) == (UNIT_X, UNIT_Y):
        return "x and y are scaled to [0, 1]."
    spread_x, spread_y = (
        with_unit(sqrt(variance) * axis.scale, axis) for variance, axis in ((model.var_x, x), (model.var_e, y))
    )
    return (
        f"Public bounds: {bounds_of(x)}, {bounds_of(y)}; these are scaled to 0 and 1. A standard deviation of {x.name} "
        f"of {spread_x} and one of {y.name} about the line of {spread_y} are assumed."
    )
