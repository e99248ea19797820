"""Sentences of the Sweep page: the smallest errors, where curves cross, and all that the curves depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..dataset import Dataset
from ..experiments.crossings import Crossing, crossings, lead, lead_changes, leads
from ..experiments.ranking import Lead, candidates
from ..experiments.sweep import WHOLE, Sweep
from ..mechanisms.base import Mechanism, MechanismFamily, hyperparameters
from ..privacy.accounting import admitted, comparable
from ..scenario import Scenario
from ..sources.axis import UNIT_X, Axis
from .data import View
from .phrases import counted, format_amount, in_full, joined, listed, place_on, times, value_on

ERROR = "error, in sampling errors"
DRAWN_FIRST = 4  # most curves that a picture begins with
SAMPLING = "the sampling error"
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
    def own_value(self) -> float | None:
        """Value of the parameter in the scenario; None if no setting holds it."""
        if self.parameter == "epsilon":
            return self.base.epsilon
        return getattr(self.base.linear_model, self.parameter, None) if self.data is None else None

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


def place_of(value: float, described: SweepDescription, view: View) -> str:
    """Write the parameter with a value, in the user's units: "ε = 2"."""
    if described.parameter == "x_new":
        return place_on(view.x, value)
    return f"{symbol_of(described.parameter)} = {value_text(described.parameter, value)}"


def crumb(described: SweepDescription, view: View) -> str:
    """Name data, budget and point of a sweep in one line, but for what varies."""
    parts = {
        "data": view.data_name,
        "epsilon": f"ε = {in_full(described.base.epsilon)}",
        "x_new": place_on(view.x, described.base.at[0]),
    }
    return " · ".join(text for name, text in parts.items() if name != described.parameter)


def drawn_first(sweep: Sweep, described: SweepDescription) -> list[str]:
    """Names of the curves that a picture begins with, at most DRAWN_FIRST.

    The private algorithms that lead at some value come first, the most frequent leader before the next; then the
    paper's best, then the next best. Best over all values is the smallest geometric mean of the errors.
    """
    private, names = described.leading, described.private or described.names
    if len(names) <= DRAWN_FIRST:
        return names
    logs = (
        np.log(sweep.frame["error"].clip(lower=1 / LARGE, upper=LARGE))
        .groupby(sweep.frame["mechanism"])
        .mean()
    )
    ranked = [str(name) for name in logs.sort_values(kind="stable").index if name in private]
    leading = Counter(str(leader.mechanism) for leader in leads(sweep, described.leading).values())
    of_paper = {m.name for m in described.mechanisms if m.in_paper}
    leaders = [name for name, _ in leading.most_common(DRAWN_FIRST - 2)]
    best_of_paper = [name for name in ranked if name in of_paper][:1]
    return (
        list(dict.fromkeys([*leaders, *best_of_paper, *ranked]))[:DRAWN_FIRST]
        or names[:DRAWN_FIRST]
    )


def winner(sweep: Sweep, described: SweepDescription) -> str | None:
    """Name of the leader that the headline names; None where no algorithm leads."""
    leaders = _leaders(sweep, described)
    return leaders[_focus(leaders, described)].mechanism if leaders else None


def _leaders(sweep: Sweep, described: SweepDescription) -> dict[float, Lead]:
    """Leaders by value, at the values where any error is finite."""
    return leads(sweep, described.leading) if described.private else {}


def _focus(leaders: Mapping[float, Lead], described: SweepDescription) -> float:
    """Value that the headline is about: the scenario's own value, or else the last value."""
    own = described.own_value
    return own if own is not None and own in leaders else max(leaders)


def sweep_sentence(sweep: Sweep, described: SweepDescription, view: View) -> str:
    """State the winner's error, as a headline, then how many algorithms tie, and the winner's error at both ends."""
    if not described.private:
        return "No differentially private algorithm is chosen; the curves are the baselines."
    leaders = _leaders(sweep, described)
    if not leaders:
        return "No private algorithm answers often enough at any of these values."
    value = _focus(leaders, described)
    leader, rows = leaders[value], sweep.frame[np.isfinite(sweep.frame["error"])]
    errors = rows[rows["mechanism"] == leader.mechanism].set_index("value")["error"]
    ends = [
        f"{format_amount(errors[end])} at {place_of(end, described, view)}"
        for end in dict.fromkeys((errors.index.min(), errors.index.max()))
        if end != value
    ]
    size, rivals = format_amount(leader.error), len(leader.tied) - 1
    where = place_of(value, described, view)
    return joined(
        f"At {where} {leader.mechanism}'s error is {times(size, SAMPLING, SAMPLING)}.",
        f"{counted(rivals, 'other algorithm ties', 'other algorithms tie')} there."
        if rivals
        else "",
        f"Its error is {listed(ends)}." if ends else "",
    )


def sweep_notes(
    sweep: Sweep,
    described: SweepDescription,
    view: View,
    top: float,
    drawn: Sequence[str] | None = None,
) -> str:
    """State weaker guarantees, other leaders, and curves that stop or leave the picture.

    Parameters
    ----------
    sweep : Sweep
        Measured errors.
    described : SweepDescription
        The sweep.
    view : View
        Data and units.
    top : float
        Largest error in the picture, in standard errors.
    drawn : sequence of str, optional
        Names of the curves in the picture; by default all.
    """
    leaders = _leaders(sweep, described)
    if not leaders:
        return ""
    value = _focus(leaders, described)
    best = leaders[value].mechanism
    ahead = [str(leader.mechanism) for leader in leaders.values() if best not in leader.tied]
    others = list(dict.fromkeys(ahead))
    sentences = _besides(sweep, value, described, view)
    if others:
        sentences.append(f"At other values {listed(others)} lead{'s' if len(others) == 1 else ''}.")
    shown = (
        sweep.frame if drawn is None else sweep.frame[sweep.frame["mechanism"].isin(list(drawn))]
    )
    failing = list(dict.fromkeys(shown["mechanism"][np.isinf(shown["error"])]))
    if failing:
        sentences.append(
            f"Where the line of {listed(failing)} stops, more than 32% of releases failed."
        )
    if (np.isfinite(shown["error"]) & (shown["error"] > top)).any():
        sentences.append(f"Above {format_amount(top)} the curves leave the picture.")
    return " ".join(sentences)


def _besides(sweep: Sweep, value: float, described: SweepDescription, view: View) -> list[str]:
    """Sentence, if any, on the algorithm with a weaker guarantee that does better at a value."""
    ahead = lead(sweep, value, described.private)
    if ahead.mechanism in described.leading:
        return []
    where = place_of(value, described, view)
    return [
        f"With a weaker guarantee {ahead.mechanism} has {format_amount(ahead.error)} at {where}."
    ]


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
        if not isfinite(value):  # beyond the sweep
            return ""
        return value_on(x, value) if parameter == "x_new" else value_text(parameter, value)

    label = x.name if parameter == "x_new" else symbol_of(parameter)
    value, low, high = written(crossing.value), written(crossing.low), written(crossing.high)
    overtakes, apart = (
        f"{winner} overtakes {loser} at {label} = {value}",
        f"{winner} and {loser} cannot be told apart",
    )
    if low == value == high:
        return f"{overtakes}."
    if low and high:
        return f"{overtakes}, between {low} and {high}."
    if high:
        return f"Below {label} = {high} {apart}; {winner} may overtake from about {value}."
    if low:
        return f"Above {label} = {low} {apart}; {winner} may overtake from about {value}."
    return f"{apart}; {winner} may overtake from about {label} = {value}."


def lead_sentences(sweep: Sweep, private: Sequence[str], x: Axis) -> list[str]:
    """State at which values the lead changes among the private algorithms."""
    if len(private) < 2:
        return []
    changes = [crossing_sentence(crossing, x) for crossing in lead_changes(sweep, private)]
    if changes:
        return changes
    leaders = leads(sweep, private).values()
    names = list(dict.fromkeys(str(leader.mechanism) for leader in leaders))
    if len(names) > 1:
        return [f"{listed(names)} have the smallest errors and cannot be told apart."]
    ties = sum(leader.too_close for leader in leaders)
    close = (
        f" At {ties} of {len(sweep.batches)} values another is too close to call." if ties else ""
    )
    return [
        f"Of all private algorithms {name} has the smallest error throughout.{close}"
        for name in names
    ]


def pair_sentences(sweep: Sweep, first: str, second: str, x: Axis) -> list[str]:
    """State at which values two curves cross, or which algorithm is ahead throughout."""
    crossed = [crossing_sentence(crossing, x) for crossing in crossings(sweep, first, second)]
    if crossed:
        return crossed
    wide = sweep.frame.pivot(index="value", columns="mechanism", values="error")
    below, above = (
        bool((wide[first] < wide[second]).any()),
        bool((wide[second] < wide[first]).any()),
    )
    if below and above:
        return ["These two cannot be told apart."]
    if not below and not above:
        return ["These two have the same error."]
    return [f"{first if below else second} has the smaller error throughout."]


# ---------------------------------------------------------------- what the curves depend on


def pinned_sentence(described: SweepDescription, view: View) -> str:
    """State everything the picture depends on, but the parameter that varies."""
    simulated = described.data is None
    rivals = [m for m in described.mechanisms if m.family is not MechanismFamily.BASELINE]
    none = [m.name for m in rivals if not m.guarantee(described.base.epsilon).private]
    less = [
        m.name
        for m in rivals
        if m.name in described.private and not comparable(m, described.base.budget)
    ]
    return joined(
        settings_sentence(described, view),
        f"Algorithms without an exact law are run {described.trials:,} times"
        f"{' on each data set' if simulated else ''}, seed {described.base.seed}.",
        "Error: 68% of the releases on all data sets are this near to the true line, in standard "
        "errors. "
        "1 is the standard error of OLS, the sampling error alone. Bands: 95% Monte-Carlo error."
        if simulated
        else "Error: C(68), the distance from OLS within which 68% of releases lie, in standard errors. "
        "Bands: 95% Monte-Carlo error, where releases are drawn.",
        f"Weaker than pure ε-differential privacy: {listed(less)}." if less else "",
        f"Not differentially private: {listed(none)}." if none else "",
    )


def settings_sentence(described: SweepDescription, view: View) -> str:
    """State the settings of the data and of the algorithms, but the parameter that varies."""
    if described.data is None:
        names, model = ("n", "var_x", "var_e", "slope", "intercept"), described.base.linear_model
        settings = [
            f"{symbol_of(name)} = {in_full(getattr(model, name))}"
            for name in names
            if name != described.parameter
        ]
    else:
        settings = [f"{view.data_name} with its n = {described.data.n:,}"]
    varied = ("lower", "upper") if described.parameter == "width" else (described.parameter,)
    changed = [
        f"{type(m).__name__}.{name} = {in_full(value) if isinstance(value, float) else value}"
        for m in described.mechanisms
        for name, value in hyperparameters(m).items()
        if name not in varied
    ]
    rest = f"Set by hand: {', '.join(changed)}." if changed else ""
    return joined(f"Pinned: {', '.join(settings)}.", rest)
