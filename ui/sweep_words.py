"""What the Sweep page says: the sentence above the picture, what is pinned, the crossings, the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dpslr_core.charts.base import TOP
from dpslr_core.mechanisms import MechanismFamily
from dpslr_core.scenario import hyperparameters
from dpslr_core.sweeps import Sweep
from dpslr_core.sweeps.crossings import Crossing, value_text
from dpslr_core.sweeps.leads import Lead, lead_changes, leads

from .settings import View
from .sweep_controls import Plan
from .sweep_ranges import RANGES
from .sweep_runs import Progress

SHOWN_RIVALS = 2


def private_names(plan: Plan) -> list[str]:
    """The algorithms of a sweep that are differentially private."""
    return [m.name for m in plan.mechanisms if m.guarantee(plan.base.epsilon).private]


def axis_label(plan: Plan, view: View) -> str:
    """The title of the parameter's axis."""
    limits = RANGES[plan.parameter]
    if plan.parameter == "x_new":
        return view.x.label
    return limits.name if limits.symbol == limits.name else f"{limits.symbol}, {limits.name}"


def error_label(plan: Plan) -> str:
    """The title of the error's axis."""
    return "C_true(68) / σ, mean over data sets" if plan.data is None else "C(68) / standard error"


def sentence(sweep: Sweep, plan: Plan, view: View) -> str:
    """Who is best at the low end and at the high end of what is measured, and who fails where."""
    private = private_names(plan)
    if not private:
        return "No differentially private algorithm is chosen; the curves are the baselines."
    frame, leaders = sweep.frame, leads(sweep, private)
    if not leaders:
        return "No private algorithm answers often enough at any of these values."
    first, last = leaders[0], leaders[-1]
    told = _both_ends(first, last, frame, plan, view)
    between = dict.fromkeys(leader.mechanism for leader in leaders[1:-1])
    others = [name for name in between if name not in (first.mechanism, last.mechanism)]
    middle = f" In between {listed(others)} lead{'s' if len(others) == 1 else ''}." if others else ""
    beyond = np.isfinite(frame["mean"]) & (frame["mean"] > TOP)
    above = f" Above {TOP:,.0f} the curves leave the picture." if beyond.any() else ""
    return f"{told}.{middle}{_failures(frame, plan)}{above}"


def _both_ends(first: Lead, last: Lead, frame: pd.DataFrame, plan: Plan, view: View) -> str:
    """Who leads at the first and at the last value where anybody does."""
    what = "the smallest error of the private algorithms"
    places = [f"at {place(leader.value, plan, view)}" for leader in (first, last)]
    sizes = [_size(leader, frame) for leader in (first, last)]
    if first.value == last.value:
        return f"{first.mechanism} has {what} {places[0]}: {sizes[0]}"
    if first.mechanism == last.mechanism:
        return f"{first.mechanism} has {what} at both ends: {sizes[0]} {places[0]}, {sizes[1]} {places[1]}"
    opening = f"{places[0][0].upper()}{places[0][1:]}"
    return f"{opening} {first.mechanism} has {what}, {sizes[0]}; {places[1]} {last.mechanism}, {sizes[1]}"


def _size(leader: Lead, frame: pd.DataFrame) -> str:
    """The error of the leader beside that of OLS, and who cannot be told from it."""
    more = len(leader.rivals) - SHOWN_RIVALS
    rivals = [*leader.rivals[:SHOWN_RIVALS], *([f"{more} more"] if more > 0 else [])]
    ols = frame[(frame["mechanism"] == "OLS") & (frame["value"] == leader.value)]["mean"]
    notes = [f"OLS {ols.iloc[0]:.3g}"] if len(ols) else []
    notes += [f"too close to {listed(rivals)} to call"] if rivals else []
    said = f" ({'; '.join(notes)})" if notes else ""
    return f"{leader.mean:.3g} standard errors{said}"


def listed(names: Sequence[str]) -> str:
    """Names with commas and an "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _failures(frame: pd.DataFrame, plan: Plan) -> str:
    """Which curves have gaps, and why."""
    names = list(dict.fromkeys(frame["mechanism"][np.isinf(frame["mean"])]))
    if not names:
        return ""
    if plan.data is not None:
        return f" Where the line of {listed(names)} stops, more than 32% of releases failed."
    return (
        f" Where the line of {listed(names)} stops, more than 32% of releases failed on at least one data set, so the "
        "mean is infinite; open circles are medians."
    )


def place(value: float, plan: Plan, view: View) -> str:
    """The parameter with a value, in the user's units."""
    if plan.parameter == "x_new":
        unit = f" {view.x.unit}" if view.x.unit else ""
        return f"{view.x.name} = {value_text('x_new', float(view.x.from_unit(value)))}{unit}"
    return f"{RANGES[plan.parameter].symbol} = {value_text(plan.parameter, value)}"


def state_sentence(plan: Plan, progress: Progress) -> str:
    """What is there, where it is not all."""
    values = len({batch.value for batch in progress.batches})
    if plan.data is not None or values < len(plan.values):
        return f"{values} of {len(plan.values)} values measured."
    return f"{progress.datasets:,} of {plan.datasets:,} data sets measured."


def pinned(plan: Plan, view: View) -> str:
    """Everything the picture depends on, but the parameter that varies."""
    s = plan.base
    told = [f"{RANGES[name].symbol} = {getattr(s, name):g}" for name in ("n", "var_x", "var_e", "slope")]
    told = [*told, f"intercept = {s.intercept:g}"] if plan.data is None else [_data(plan, view)]
    told += [f"ε = {s.epsilon:g}", _points(plan, view)]
    fixed = [part for part in told if part and not part.startswith(f"{RANGES[plan.parameter].symbol} = ")]
    changed = [
        f"{type(m).__name__}.{name} = {f'{value:g}' if isinstance(value, float) else value}"
        for m in plan.mechanisms
        for name, value in hyperparameters(m).items()
        if name != plan.parameter and not (plan.parameter == "width" and name in ("lower", "upper"))
    ]
    rest = f"{', '.join(changed)}; all other hyperparameters" if changed else "All hyperparameters"
    drawn = f"algorithms without an exact law are run {plan.trials:,} times" + (
        " on each data set" if plan.data is None else ""
    )
    return (
        f"Pinned: {', '.join(fixed)}. {rest} at their defaults; {drawn}, seed {s.seed}. {_measure(plan)}{_weaker(plan)}"
    )


def _weaker(plan: Plan) -> str:
    """Which algorithms promise less than the others for the same ε."""
    rivals = [m for m in plan.mechanisms if m.family is not MechanismFamily.BASELINE]
    guarantees = {m.name: m.guarantee(plan.base.epsilon) for m in rivals}
    none = [name for name, guarantee in guarantees.items() if not guarantee.private]
    less = [name for name, guarantee in guarantees.items() if guarantee.private and not guarantee.pure]
    told = f" Weaker than pure ε-differential privacy: {listed(less)}." if less else ""
    return told + (f" Not differentially private: {listed(none)}." if none else "")


def _data(plan: Plan, view: View) -> str:
    group = f", {view.group}" if len(view.family.groups) > 1 else ""
    return f"{view.family.name}{group} with its n = {view.data.n:,}"


def _points(plan: Plan, view: View) -> str:
    """The point where the error is measured and those that share the budget."""
    texts = [f"{point:.4g}" for point in view.x.from_unit(plan.base.at)]
    others = f" (ε pays for {', '.join(texts[1:])} as well)" if texts[1:] else ""
    return (
        f"also released: {', '.join(texts[1:])}" * bool(texts[1:])
        if plan.parameter == "x_new"
        else (f"{view.x.name} = {texts[0]}{others}")
    )


def _measure(plan: Plan) -> str:
    """What the error is."""
    if plan.data is not None:
        return "Error: C(68) about OLS in standard errors; bands hold it with 95% confidence where it is drawn."
    return (
        "Error: 68th percentile of the distance from the true line, divided by σ, the standard deviation of the OLS "
        "prediction. Bands: 95% Monte-Carlo error of the mean."
    )


def changes(sweep: Sweep, plan: Plan, view: View) -> list[str]:
    """Where the lead among the private algorithms changes, in words."""
    return [in_units(crossing, view).sentence for crossing in lead_changes(sweep, private_names(plan))]


def in_units(crossing: Crossing, view: View) -> Crossing:
    """A crossing along x_new in the user's units; any other as it is."""
    if crossing.parameter != "x_new":
        return crossing
    value, low, high = (float(view.x.from_unit(v)) for v in (crossing.value, crossing.low, crossing.high))
    return replace(crossing, parameter=view.x.label, value=value, low=low, high=high)


def frame_in_units(frame: pd.DataFrame, view: View) -> pd.DataFrame:
    """A copy whose values of x_new are in the user's units."""
    along_x = len(frame) and frame["parameter"].iloc[0] == "x_new"
    return frame.assign(value=view.x.from_unit(frame["value"])) if along_x else frame


def names_of(plan: Plan) -> list[str]:
    """The algorithms in the picture, the private ones first."""
    private: Sequence[str] = private_names(plan)
    return [*private, *(m.name for m in plan.mechanisms if m.name not in private)]
