"""Sentences that say what the numbers say, in the user's units."""

from __future__ import annotations

import numpy as np

from dpslr_core.datasets import Axis
from dpslr_core.experiments.verdict import Verdict, format_amount

from .settings import View


def amount(value: float, axis: Axis) -> str:
    """A number with its unit."""
    return f"{format_amount(value)}{f' {axis.unit}' if axis.unit else ''}"


def family_sentence(view: View) -> str:
    """The public bounds, and what they clipped."""
    family = view.family
    clipped = [
        f"{count} values of {axis.name} were clipped to them"
        for count, axis in ((family.clipped_x, family.x), (family.clipped_y, family.y))
        if count
    ]
    return (
        f"Public bounds: {family.x.label} {family.x.lower:g} to {family.x.upper:g}, "
        f"{family.y.label} {family.y.lower:g} to {family.y.upper:g}; they are 0 and 1 for the algorithms"
        f"{'; ' + ', '.join(clipped) if clipped else ''}."
    )


def data_sentence(view: View) -> str:
    """What the scatter shows: the slope and the standard error at the first point."""
    data, x, y, at = view.data, view.x, view.y, view.scenario.at[:1]
    if data.nvar == 0:
        return f"All {data.n:,} records have the same {x.name}, so no line can be fitted."
    error = float(data.standard_error(at)[0])
    gap = abs(float(data.theil_sen(at)[0] - data.predict(at)[0])) / error if error > 0 else np.inf
    compared = f"Theil–Sen is {gap:.2f} standard errors away" if np.isfinite(gap) else "the line fits exactly"
    return (
        f"At {x.name} {amount(float(x.from_unit(at)[0]), x)} the OLS prediction of {y.name} is "
        f"{amount(float(y.from_unit(data.predict(at))[0]), y)}, with a standard error of "
        f"{amount(error * y.scale, y)}; {compared}."
    )


def compare_context(view: View) -> str:
    """Which data and which budget the page is about."""
    s, data = view.scenario, view.data
    group = f", {view.group}" if len(view.family.groups) > 1 else ""
    points = "the point" if len(s.at) == 1 else f"all {len(s.at)} points together"
    return (
        f"{view.family.name}{group}: n = {data.n:,}, ε = {s.epsilon:g} for {points}, "
        f"ε n var(x) = {s.epsilon * data.nvar:.4g}. Public bounds: {view.family.x.label} {view.family.x.lower:g} to "
        f"{view.family.x.upper:g}, {view.family.y.label} {view.family.y.lower:g} to {view.family.y.upper:g}."
    )


def lines_sentence(view: View, best: Verdict) -> str:
    """What the private lines show."""
    what = "lines through the released predictions" if len(view.scenario.at) > 1 else "released predictions"
    steadiest = f" At the point chosen above, {best.winner} has the smallest error." if best.winner else ""
    return f"Twenty {what} per algorithm: each is what one independent release would look like.{steadiest}"
