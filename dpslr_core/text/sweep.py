"""What the Sweep page says: who has the smallest error where, and everything that the curves depend on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..experiments.crossings import lead, leads
from ..experiments.ranking import Lead, candidates
from ..experiments.sweep import Sweep
from ..mechanisms.base import Mechanism, MechanismFamily, hyperparameters
from ..privacy.accounting import admitted, comparable
from ..scenario import Scenario
from .crossings import symbol_of, value_text
from .phrases import format_amount, in_full, listed, place_on
from .view import View

SHOWN_RIVALS = 2


@dataclass(frozen=True)
class SweepDescription:
    """A sweep as the controls describe it; values and x_new in the unit square.

    data: the loaded data set, None where data are simulated by the scenario's linear model.
    """

    parameter: str
    values: tuple[float, ...]
    base: Scenario
    mechanisms: tuple[Mechanism, ...]
    datasets: int
    trials: int
    data: Dataset | None

    @property
    def private(self) -> list[str]:
        """The algorithms that are differentially private."""
        private = [m for m in self.mechanisms if m.guarantee(self.base.epsilon).private]
        return [m.name for m in admitted(private, self.base.budget)]

    @property
    def leading(self) -> list[str]:
        """The private algorithms than which no other one promises more; all private ones where none is so."""
        return [m.name for m in candidates(self.mechanisms, self.base.budget)]

    @property
    def names(self) -> list[str]:
        """All algorithms that are run, the private ones first."""
        private = self.private
        run = admitted(self.mechanisms, self.base.budget)
        return [*private, *(m.name for m in run if m.name not in private)]


def error_label(described: SweepDescription) -> str:
    """The title of the error's axis."""
    return "C_true(68) / σ, mean over data sets" if described.data is None else "C(68) / standard error"


def sweep_sentence(sweep: Sweep, described: SweepDescription, view: View, top: float) -> str:
    """Who has the smallest error at both ends of what is measured, and who fails where; top: that of the picture."""
    if not described.private:
        return "No differentially private algorithm is chosen; the curves are the baselines."
    leaders = leads(sweep, described.leading)
    if not leaders:
        return "No private algorithm answers often enough at any of these values."
    ends = {value: leaders[value] for value in (min(leaders), max(leaders))}
    named = [name for leader in ends.values() for name in leader.tied]
    between = dict.fromkeys(str(leader.mechanism) for value, leader in leaders.items() if value not in ends)
    others = [name for name in between if name not in named]
    said = [_both_ends(ends, described, view), *_notes(sweep, ends, described, view)]
    if others:
        said.append(f"In between {listed(others)} lead{'s' if len(others) == 1 else ''}.")
    said += _gaps(sweep.frame, described)
    if (np.isfinite(sweep.frame["mean"]) & (sweep.frame["mean"] > top)).any():
        said.append(f"Above {format_amount(top)} the curves leave the picture.")
    return " ".join(said)


def _both_ends(ends: dict[float, Lead], described: SweepDescription, view: View) -> str:
    """Who leads, or how many cannot be told apart, at the first and at the last value where anybody does."""
    kind = "private" if described.leading == described.private else "purely private"
    smallest = f"the smallest error of the {kind} algorithms"
    first, last = ends[min(ends)], ends[max(ends)]
    here, there = (place_of(value, described, view) for value in (min(ends), max(ends)))
    size, other = (format_amount(leader.error) for leader in (first, last))
    who, later = _leading(first), _leading(last)
    if len(ends) == 1:
        return f"{who} {'tie for' if first.rivals else 'has'} {smallest} at {here}: {size} standard errors."
    if first.rivals or last.rivals:
        ties = [f"{who} tie" if first.rivals else who, f"{later} tie" if last.rivals else later]
        return f"Smallest {kind} error at {here}: {ties[0]}, {size} standard errors; at {there}: {ties[1]}, {other}."
    if who == later:
        return f"{who} has {smallest} at both ends: {size} standard errors at {here}, {other} at {there}."
    return f"At {here} {who} has {smallest}, {size} standard errors; at {there} {later}, {other}."


def _leading(lead: Lead) -> str:
    """The algorithm that leads, and the other, or how many others, that cannot be told from it."""
    return listed([str(lead.mechanism), *(lead.rivals if len(lead.rivals) < 2 else [f"{len(lead.rivals)} more"])])


def _notes(sweep: Sweep, ends: dict[float, Lead], described: SweepDescription, view: View) -> Iterator[str]:
    """At both ends: who does better with a weaker guarantee, the error of OLS, and who ties where several do."""
    ahead = {value: lead(sweep, value, described.private) for value in ends}
    better = {value: other for value, other in ahead.items() if other.mechanism not in described.leading}
    for name in dict.fromkeys(other.mechanism for other in better.values()):
        sizes = listed(
            f"{format_amount(other.error)} at {place_of(value, described, view)}"
            for value, other in better.items()
            if other.mechanism == name
        )
        yield f"With a weaker guarantee {name} has {sizes}."
    frame = sweep.frame
    errors = frame[frame["mechanism"] == "OLS"].set_index("value")["mean"]
    ols = [f"{format_amount(errors[value])}" for value in ends if value in errors.index]
    if ols:
        yield f"OLS, without privacy: {listed(ols)}."
    for value, end in ends.items():
        if len(end.rivals) > 1:
            more = len(end.rivals) - SHOWN_RIVALS
            rivals = listed([*end.rivals[:SHOWN_RIVALS], *([f"{more} more"] if more > 0 else [])])
            yield f"At {place_of(value, described, view)}, {end.mechanism} is too close to {rivals} to call."


def _gaps(frame: pd.DataFrame, described: SweepDescription) -> Iterator[str]:
    """Which curves have gaps, and why."""
    names = list(dict.fromkeys(frame["mechanism"][np.isinf(frame["mean"])]))
    if not names:
        return
    stops = f"Where the line of {listed(names)} stops, more than 32% of releases failed"
    if described.data is not None:
        yield f"{stops}."
        return
    yield f"{stops} on at least one data set, so the mean is infinite."
    yield "Open circles are medians."


def place_of(value: float, described: SweepDescription, view: View) -> str:
    """The parameter with a value, in the user's units."""
    if described.parameter == "x_new":
        return place_on(view.x, value)
    return f"{symbol_of(described.parameter)} = {value_text(described.parameter, value)}"


def state_sentence(described: SweepDescription, values: int, datasets: int) -> str:
    """How much has been measured: at so many values, and at each of them so many data sets."""
    if described.data is not None or values < len(described.values):
        return f"{values} of {len(described.values)} values measured."
    return f"{datasets:,} of {described.datasets:,} data sets measured."


def settings_sentence(described: SweepDescription, view: View) -> str:
    """What is set of data, budget, points and algorithms, but the parameter that varies."""
    settings = ", ".join(setting for name, setting in _settings(described, view) if name != described.parameter)
    return f"Pinned: {settings}. {_hyperparameters(described)}"


def pinned_sentence(described: SweepDescription, view: View) -> str:
    """Everything the picture depends on, but the parameter that varies."""
    data_sets = " on each data set" if described.data is None else ""
    said = [
        settings_sentence(described, view),
        f"Algorithms without an exact law are run {described.trials:,} times{data_sets}, seed {described.base.seed}.",
        *_measure(described),
        *_weaker(described),
    ]
    return " ".join(said)


def _settings(described: SweepDescription, view: View) -> Iterator[tuple[str, str]]:
    """What is set of data, budget and points: name and text."""
    if described.data is None:
        model = described.base.linear_model
        for name in ("n", "var_x", "var_e", "slope", "intercept"):
            yield name, f"{symbol_of(name)} = {in_full(getattr(model, name))}"
    else:
        yield "data", f"{view.data_name} with its n = {described.data.n:,}"
    yield "epsilon", f"ε = {in_full(described.base.epsilon)}"
    first, *others = described.base.at
    places = ", ".join(format_amount(float(view.x.from_unit(point)), 4) for point in others)
    yield "x_new", f"{place_on(view.x, first)}{f' (ε pays for {places} as well)' if places else ''}"
    if places and described.parameter == "x_new":
        yield "others", f"also released: {places}"


def _hyperparameters(described: SweepDescription) -> str:
    """Those that differ from their defaults."""
    ends = ("lower", "upper") if described.parameter == "width" else ()
    changed = [
        f"{type(m).__name__}.{name} = {in_full(value) if isinstance(value, float) else value}"
        for m in described.mechanisms
        for name, value in hyperparameters(m).items()
        if name not in (described.parameter, *ends)
    ]
    rest = f"{', '.join(changed)}; all other hyperparameters" if changed else "All hyperparameters"
    return f"{rest} at their defaults."


def _measure(described: SweepDescription) -> Iterator[str]:
    """What the error is, and what the bands are."""
    if described.data is None:
        yield "Error: 68th percentile of the distance from the true line, divided by σ."
        yield "σ is the standard deviation of the OLS prediction. Bands: 95% Monte-Carlo error of the mean."
    else:
        yield "Error: C(68), the distance from OLS within which 68% of releases lie, in standard errors."
        yield "Bands: 95% Monte-Carlo error, where releases are drawn."


def _weaker(described: SweepDescription) -> Iterator[str]:
    """Which algorithms promise less than the others for the same ε."""
    rivals = [m for m in described.mechanisms if m.family is not MechanismFamily.BASELINE]
    epsilon, rule = described.base.epsilon, described.base.accounting
    none = [m.name for m in rivals if not m.guarantee(epsilon).private]
    less = [m.name for m in rivals if m.name in described.private and not comparable(m, epsilon, rule)]
    if less:
        yield f"Weaker than pure ε-differential privacy: {listed(less)}."
    if none:
        yield f"Not differentially private: {listed(none)}."
