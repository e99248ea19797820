"""Sentences of the Sweep page: the smallest errors, where curves cross, and all that the curves depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..dataset import Dataset
from ..experiments.crossings import Crossing, lead, lead_changes, leads
from ..experiments.ranking import Lead, candidates
from ..experiments.sweep import WHOLE, Sweep
from ..mechanisms.base import Mechanism, MechanismFamily, hyperparameters
from ..privacy.accounting import admitted, comparable
from ..scenario import Scenario
from ..sources.axis import UNIT_X, Axis
from .data import View
from .phrases import format_amount, in_full, joined, listed, place_on, times, value_on

ERROR = "error, in sampling errors"
DRAWN_FIRST = 4  # most curves that a picture begins with
SAMPLING = "the sampling error"
ABOUT_LINE = (
    "68% of releases are within the error of the true line. "
    "1 is the sampling error alone. Bands show the error of the simulation, 95%."
)
ABOUT_OLS = (
    "68% of releases are within the error of OLS. "
    "1 is the sampling error. Bands show the error of the simulation, 95%."
)
LARGE = 1e6  # standard errors, in the place of an infinite error where logarithms are averaged
SYMBOLS = {
    "var_x": "σₓ²", "var_e": "σₑ²", "epsilon": "ε", "x_new": "x", "theta": "θ", "beta": "β", "delta": "δ",
    "width": "upper − lower",
}  # fmt: skip


@dataclass(frozen=True)
class SweepDescription:
    """A sweep as the controls describe it; values and x_new in the unit square.

    Attributes
    ----------
    data : Dataset or None
        Loaded data set; None where data are simulated by the scenario's linear model.
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
        """Names of the differentially private algorithms."""
        private = [m for m in self.mechanisms if m.guarantee(self.base.epsilon).private]
        return [m.name for m in admitted(private, self.base.budget)]

    @property
    def leading(self) -> list[str]:
        """Names of the private algorithms with the strongest guarantee; of all private ones if none has it."""
        return [m.name for m in candidates(self.mechanisms, self.base.budget)]

    @property
    def own_value(self) -> float | None:
        """Value of the parameter on other pages; None if no setting holds it."""
        if self.parameter == "epsilon":
            return self.base.epsilon
        return getattr(self.base.linear_model, self.parameter, None) if self.data is None else None

    @property
    def names(self) -> list[str]:
        """Names of all algorithms that are run, the private ones first."""
        private = self.private
        run = admitted(self.mechanisms, self.base.budget)
        return [*private, *(m.name for m in run if m.name not in private)]


def symbol_of(parameter: str) -> str:
    """Symbol of a parameter, or its name where it has none."""
    return SYMBOLS.get(parameter, parameter)


def value_text(parameter: str, value: float) -> str:
    """Write a value of a parameter to three significant digits; whole where the parameter is."""
    rounded = float(f"{value:.3g}")
    return format_amount(round(rounded) if parameter in WHOLE else rounded)


@dataclass(frozen=True)
class SweepFacts:
    """Facts of a sweep, of which page, picture and command make their sentences.

    Attributes
    ----------
    described : SweepDescription
        The sweep.
    x : Axis
        Units of x_new.
    leads : dict of float to Lead
        Lead among the algorithms with the strongest guarantee, at every value where any error is finite.
    value : float or None
        Value that the headline is about: the nearest to the user's own, or the last; None where no algorithm leads.
    weaker : Lead
        Lead among all private algorithms at that value.
    failing : tuple of str
        Algorithms that have an infinite error at some value.
    """

    described: SweepDescription
    x: Axis
    leads: Mapping[float, Lead]
    value: float | None
    weaker: Lead
    failing: tuple[str, ...]

    @classmethod
    def of(cls, sweep: Sweep, described: SweepDescription, x: Axis) -> SweepFacts:
        """Read the facts off the measured errors."""
        leaders = leads(sweep, described.leading) if described.private else {}
        own, value, weaker = described.own_value, None, Lead({})
        if leaders:
            value = max(leaders) if own is None else min(leaders, key=lambda v: abs(v - own))
            weaker = lead(sweep, value, described.private)
        failing = sweep.frame["mechanism"][np.isinf(sweep.frame["error"])]
        return cls(described, x, leaders, value, weaker, tuple(failing.unique()))

    @property
    def winner(self) -> str | None:
        """Name of the leader of the headline; None where no algorithm leads."""
        return None if self.value is None else self.leads[self.value].mechanism

    def place(self, value: float) -> str:
        """Write the parameter with a value, in the user's units: "ε = 2"."""
        if self.described.parameter == "x_new":
            return place_on(self.x, value)
        parameter = self.described.parameter
        return f"{symbol_of(parameter)} = {value_text(parameter, value)}"


def crumb(described: SweepDescription, view: View) -> str:
    """Name data, budget and point of a sweep in one line, but for what varies."""
    parts = {
        "data": view.data_name,
        "epsilon": f"ε = {in_full(described.base.epsilon)}",
        "x_new": place_on(view.x, described.base.at[0]),
    }
    return " · ".join(text for name, text in parts.items() if name != described.parameter)


def drawn_first(sweep: Sweep, facts: SweepFacts) -> list[str]:
    """Names of the curves that a picture begins with, at most DRAWN_FIRST.

    The private algorithms that lead at some value come first, the most frequent leader before the next; then the
    paper's best, then the next best. Best over all values is the smallest geometric mean of the errors.
    """
    described, frame = facts.described, sweep.frame
    names = described.private or described.names
    if len(names) <= DRAWN_FIRST:
        return names
    logs = np.log(frame["error"].clip(1 / LARGE, LARGE)).groupby(frame["mechanism"]).mean()
    ranked = [name for name in logs.sort_values(kind="stable").index if name in described.leading]
    often = Counter(str(leader.mechanism) for leader in facts.leads.values())
    leaders = [name for name, _ in often.most_common(DRAWN_FIRST - 2)]
    of_paper = [m.name for m in described.mechanisms if m.in_paper]
    best_of_paper = [name for name in ranked if name in of_paper][:1]
    first = list(dict.fromkeys([*leaders, *best_of_paper, *ranked]))
    return (first or names)[:DRAWN_FIRST]


def headline(facts: SweepFacts) -> str:
    """State the smallest error near the user's own value, the ties, and the errors at both ends."""
    if not facts.described.private:
        return "No differentially private algorithm is chosen; the curves are the baselines."
    if facts.value is None:
        return "No private algorithm answers often enough at any of these values."
    here, (first, last) = facts.leads[facts.value], (min(facts.leads), max(facts.leads))
    size = times(format_amount(here.error, 2), SAMPLING, f"as large as {SAMPLING}")
    rivals, tied = here.rivals, ""
    if rivals:
        named = listed(rivals) if len(rivals) <= 2 else f"{len(rivals)} other algorithms"
        tied = f"It ties with {named}."
    line = "the true line" if facts.described.data is None else "the line without privacy"
    errors = [format_amount(facts.leads[value].error, 2) for value in (first, last)]
    ends = (
        f"The smallest error about {line} goes from {errors[0]} sampling errors at "
        f"{facts.place(first)} to {errors[1]} at {facts.place(last)}."
    )
    return joined(
        f"At {facts.place(facts.value)} {here.mechanism}'s error is {size}.",
        tied,
        ends if first < last else "",
    )


def notes(facts: SweepFacts, drawn: Sequence[str]) -> str:
    """State a smaller error with a weaker guarantee, and why curves of the algorithms `drawn` stop."""
    if facts.value is None:
        return ""
    weaker, stops = facts.weaker, [name for name in facts.failing if name in drawn]
    return joined(
        f"With a weaker guarantee, {weaker.mechanism} has {format_amount(weaker.error, 2)} there."
        if weaker.mechanism not in facts.described.leading
        else "",
        f"Where the line of {listed(stops)} stops, more than 32% of releases failed."
        if stops
        else "",
    )


def state_sentence(described: SweepDescription, values: int, datasets: int) -> str:
    """State how many values are measured, or how many data sets at each value."""
    if described.data is not None or values < len(described.values):
        return f"{values} of {len(described.values)} values measured."
    return f"{datasets:,} of {described.datasets:,} data sets measured."


# ---------------------------------------------------------------- where curves cross


def crossing_sentence(crossing: Crossing, x: Axis = UNIT_X) -> str:
    """State at which value one algorithm overtakes another as the parameter grows, with limits.

    Parameters
    ----------
    crossing : Crossing
        The crossing, with a value of x_new in the unit square.
    x : Axis
        Units of x_new.
    """
    winner, loser, parameter = crossing.winner, crossing.loser, crossing.parameter

    def written(value: float) -> str:
        return value_on(x, value) if parameter == "x_new" else value_text(parameter, value)

    label = x.name if parameter == "x_new" else symbol_of(parameter)
    value = f"{label} = {written(crossing.value)}"
    if not (isfinite(crossing.low) and isfinite(crossing.high)):  # beyond the sweep
        return (
            f"The error of {winner} may fall below the error of {loser} near {value}. "
            "The measured data sets do not decide."
        )
    low, high = written(crossing.low), written(crossing.high)
    between = "" if low == high else f" (95% confidence: {low} to {high})"
    return f"The error of {winner} falls below the error of {loser} at {value}{between}."


def lead_sentences(sweep: Sweep, names: Sequence[str], x: Axis) -> list[str]:
    """State at which values the lead changes among these algorithms, or who leads throughout; [] for fewer than two."""
    if len(names) < 2:
        return []
    changes = [crossing_sentence(crossing, x) for crossing in lead_changes(sweep, names)]
    leaders = leads(sweep, names).values()
    if changes or not leaders:
        return changes
    ahead = list(dict.fromkeys(str(leader.mechanism) for leader in leaders))
    if len(ahead) > 1:
        return [f"{listed(ahead)} have the smallest errors and cannot be told apart."]
    ties = sum(leader.too_close for leader in leaders)
    close = (
        f"At {ties} of {len(leaders)} values another algorithm cannot be told from {ahead[0]}."
        if ties
        else ""
    )
    return [joined(f"{ahead[0]} has the smallest error throughout.", close)]


# ---------------------------------------------------------------- what the curves depend on


def pinned_sentence(described: SweepDescription, view: View) -> str:
    """State everything the picture depends on, but the parameter that varies."""
    simulated, base = described.data is None, described.base
    rivals = [m for m in described.mechanisms if m.family is not MechanismFamily.BASELINE]
    unlike = [m.name for m in rivals if not comparable(m, base.budget)]
    return joined(
        settings_sentence(described, view),
        f"Algorithms without an exact law are run {described.trials:,} times"
        f"{' on each data set' if simulated else ''}, seed {base.seed}.",
        ABOUT_LINE if simulated else ABOUT_OLS,
        f"Without pure ε-differential privacy: {listed(unlike)}." if unlike else "",
    )


def settings_sentence(described: SweepDescription, view: View) -> str:
    """State the settings of the data and of the algorithms, but the parameter that varies."""
    varied = ("lower", "upper") if described.parameter == "width" else (described.parameter,)
    settings = [f"{view.data_name}, n = {view.data.n:,}"]
    if described.data is None:
        model = described.base.linear_model
        names = ("n", "var_x", "var_e", "slope", "intercept")
        settings = [
            f"{symbol_of(name)} = {in_full(getattr(model, name))}"
            for name in names
            if name not in varied
        ]
    settings += [
        f"{type(m).__name__}.{name} = {in_full(value) if isinstance(value, float) else value}"
        for m in described.mechanisms
        for name, value in hyperparameters(m).items()
        if name not in varied
    ]
    return f"Fixed: {', '.join(settings)}."
