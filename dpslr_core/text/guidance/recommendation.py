"""The headline of the Guidance page, and what it is based on."""

from __future__ import annotations

from math import sqrt

from ...guidance.recommendation import Recommendation
from ...mechanisms.accounting import comparable, guarantee
from ...sources.axis import UNIT_X, UNIT_Y, Axis
from ...sources.linear import LinearModel
from ...support.confidence import Z95
from ..phrases import both_sides_of_one, bounds_of, in_full, listed, weaker, with_unit


def headline(recommendation: Recommendation) -> str:
    """The answer of the Guidance page: which algorithm, and its noise beside the sampling error.

    A second sentence names an algorithm with a smaller error and a weaker guarantee.
    """
    name = recommendation.algorithm
    if name is None:
        return "No algorithm answers often enough. More records or a larger ε are needed."
    times = f"{both_sides_of_one(recommendation.noise)} times the sampling error"
    tied = listed([name, *recommendation.rivals])
    said = (
        f"Too close to call: {tied}. On data like these the noise of {name} is {times}."
        if recommendation.too_close
        else f"Use {name}. On data like these its noise is {times}."
    )
    return f"{said}{_with_weaker(recommendation)}"


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
    model, epsilon, count = recommendation.model, recommendation.budget.epsilon, len(recommendation.budget.at)
    points = {1: "one point", 2: "both points together"}.get(count, f"all {count} points together")
    based = "simulated data with values read off the data" if looked else "simulated data with your settings"
    sets = f"{recommendation.datasets_of_best:,} simulated data sets"
    stage = f"Provisional, after {sets}: more are being simulated." if recommendation.provisional else f"{sets}."
    changed = before not in (None, recommendation.algorithm) and not recommendation.provisional
    was = f" The provisional answer was {before}." if changed else ""
    settings = [model.var_x, model.var_e, epsilon]
    var_x, var_e, spent = (in_full(value) for value in settings)
    return (
        f"Noise alone on {based}, not on one data set as on Compare. n = {model.n:,}, ε = {spent} for {points}; "
        f"in the unit square σₓ² = {var_x} and σₑ² = {var_e}. {stage}{was}"
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
