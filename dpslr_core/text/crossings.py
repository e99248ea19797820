"""Where error curves cross, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from ..experiments.crossings import Crossing, crossings, lead_changes, leads
from ..experiments.sweep import WHOLE, Sweep
from ..sources.axis import UNIT_X, Axis
from .phrases import format_amount, listed, with_unit

SYMBOLS = {
    "var_x": "σₓ²", "var_e": "σₑ²", "epsilon": "ε", "x_new": "x", "theta": "θ", "beta": "β", "delta": "δ",
    "width": "upper − lower",
}  # fmt: skip


def symbol_of(parameter: str) -> str:
    """The symbol of a parameter, or its name where it has none."""
    return SYMBOLS.get(parameter, parameter)


def value_text(parameter: str, value: float) -> str:
    """A value of a parameter to three significant digits; whole where the parameter is."""
    rounded = float(f"{value:.3g}")
    return format_amount(round(rounded) if parameter in WHOLE else rounded)


def crossing_sentence(crossing: Crossing, x: Axis = UNIT_X) -> str:
    """Who overtakes whom as the parameter grows, where, and how sure that is; along x_new in the units of x."""
    winner, loser = crossing.winner, crossing.loser
    label = x.name if crossing.parameter == "x_new" else symbol_of(crossing.parameter)
    value, low, high = (
        _written(place, crossing.parameter, x) for place in (crossing.value, crossing.low, crossing.high)
    )
    overtakes, apart = f"{winner} overtakes {loser} at {label} = {value}", f"{winner} and {loser} cannot be told apart"
    if low == value == high:
        return f"{overtakes}."
    if low and high:
        return f"{overtakes}, between {low} and {high}."
    if high:
        return f"Below {label} = {high} {apart}; {winner} may overtake from about {value}."
    if low:
        return f"Above {label} = {low} {apart}; {winner} may overtake from about {value}."
    return f"{apart}; {winner} may overtake from about {label} = {value}."


def _written(value: float, parameter: str, x: Axis) -> str:
    """A value with its unit; nothing where it lies beyond the sweep."""
    if not isfinite(value):
        return ""
    return with_unit(float(x.from_unit(value)), x) if parameter == "x_new" else value_text(parameter, value)


def lead_sentences(sweep: Sweep, private: Sequence[str], x: Axis) -> list[str]:
    """Where the lead changes among the private algorithms."""
    if len(private) < 2:
        return []
    changes = [crossing_sentence(crossing, x) for crossing in lead_changes(sweep, private)]
    return changes or _without_change(sweep, private)


def _without_change(sweep: Sweep, private: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys(str(lead.mechanism) for lead in leads(sweep, private).values()))
    if len(names) > 1:
        return [f"{listed(names)} have the smallest errors and cannot be told apart."]
    ties = sum(bool(lead.rivals) for lead in leads(sweep, private).values())
    close = f", but at {ties} of {len(sweep.batches)} values it is too close to another to call" if ties else ""
    return [f"{name} has the smallest error of all private algorithms throughout{close}." for name in names]


def pair_sentences(sweep: Sweep, first: str, second: str, x: Axis) -> list[str]:
    """Where two curves cross; who is ahead where they do not."""
    crossed = [crossing_sentence(crossing, x) for crossing in crossings(sweep, first, second)]
    return crossed or [_without_crossing(sweep, first, second)]


def _without_crossing(sweep: Sweep, first: str, second: str) -> str:
    wide = sweep.frame.pivot(index="value", columns="mechanism", values="mean")[[first, second]]
    below, above = int((wide[first] < wide[second]).sum()), int((wide[second] < wide[first]).sum())
    if below and not above:
        return f"{first} has the smaller error throughout."
    if above and not below:
        return f"{second} has the smaller error throughout."
    return "These two cannot be told apart." if below or above else "These two have the same error."
