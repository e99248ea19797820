"""What the Guidance page says below its answer: the evidence, the winner map, required values, a private choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...guidance.maps import MapSettings
from ...guidance.recommendation import Recommendation
from ...guidance.required_values import RequiredValue
from ...mechanisms.base import MechanismFamily
from ..phrases import format_amount, format_share, in_full, listed, more

ERROR_CAPTION = (
    "68% of the releases are this near to the true line, sampling and noise together. 1 is the standard error of OLS, "
    "the sampling error alone. Lines: 95% Monte-Carlo intervals."
)
CHOICE, CHOSEN = "ChooseByCenteredStats", ("CenteredStats", "DeepestLine")


def evidence_sentence(recommendation: Recommendation) -> str:
    """The errors with and without privacy, and over how many data sets."""
    name, ols = recommendation.algorithm, format_amount(recommendation.error("OLS"))
    best = f"{name} {format_amount(recommendation.error(name))}, " if name else ""
    return (
        f"Expected error, sampling and noise together, in standard errors: {best}OLS without privacy {ols}. "
        f"{_datasets(recommendation)} simulated data sets, 95% Monte-Carlo intervals."
    )


def _datasets(recommendation: Recommendation) -> str:
    """How many data sets, and how many more where it was close."""
    most, first = int(recommendation.evidence["datasets"].max()), recommendation.datasets
    return f"{first:,}" if most == first else f"{first:,} (of the closest algorithms up to {most:,})"


def map_sentence(recommendation: Recommendation, won: pd.DataFrame) -> str:
    """Which algorithms win the cells of a map about the guesses, and in how many their error about OLS is small.

    won: of maps.won_of.
    """
    winners = won["winner"].value_counts()
    most = [f"{name} in {count}" for name, count in winners.items()]
    below = int((won["about_ols"] <= 1).sum())
    return (
        f"Best of {len(won)} cells: {listed(most)}. In {below} of them the winner's error about OLS is at most "
        f"the standard error.{_other_winner(recommendation, won)}"
    )


def _other_winner(recommendation: Recommendation, won: pd.DataFrame) -> str:
    """That the outlined cell has another winner than the answer, with fewer data sets."""
    model = recommendation.model
    mine = won[(won["n"] == model.n) & (won["var_e"] == model.var_e)]
    if mine.empty or recommendation.algorithm in (None, *mine["winner"]):
        return ""
    if recommendation.mechanism.family is MechanismFamily.CHOICE:
        return (
            f" The map leaves out {recommendation.algorithm}, the answer above: it is of algorithms chosen in advance."
        )
    return (
        f" The outlined cell says {mine['winner'].iloc[0]}, on fewer data sets: {recommendation.algorithm}, the answer "
        "above, is the one that counts."
    )


def own_map_caption(recommendation: Recommendation, datasets: int, coarse: bool) -> str:
    """How to read a map about the guesses, and its settings."""
    model, epsilon = recommendation.model, recommendation.budget.epsilon
    return (
        f"{'Provisional: a finer map follows. ' if coarse else ''}To the right there are more records; upwards the "
        "data are noisier about the line. The outlined cell is the answer's. In paler cells the next best is closer. "
        "On the dashed line the error about OLS is as large as the standard error. "
        f"ε = {in_full(epsilon)} and σₓ² = {in_full(model.var_x)} as above, in the unit square; {datasets} simulated "
        f"data sets per cell, seed {recommendation.run.seed}."
    )


def map_caption(s: MapSettings) -> str:
    """The settings of a map."""
    return (
        f"Map: ε = {in_full(s.epsilon)}, σₓ² = {in_full(s.var_x)}, n from {s.n_of(s.products[0]):,} to "
        f"{s.n_of(s.products[-1]):,}, x_new = {', '.join(in_full(point) for point in s.at)}, slope {in_full(s.slope)}, "
        f"range [{in_full(s.lower)}, {in_full(s.upper)}], θ = {in_full(s.theta)}. {s.datasets} simulated data sets per "
        f"cell, seed {s.seed}."
    )


def required_text(required: RequiredValue) -> str:
    """The value to three digits, or that it is not reachable."""
    if required.value is None:
        return f"not reachable up to {in_full(required.most)}"
    shown = format_amount(required.value)
    return f"{shown} or less" if required.value <= required.at_least else shown


def required_sentence(
    values: Sequence[RequiredValue], solve_for: str, r: float, epsilon: float, name: str | None
) -> str:
    """How much ε or n (solve_for) the recommended algorithm needs, and which needs the least.

    epsilon: where n is solved for. name: of the recommended algorithm, if there is one.
    """
    others = "everything else as guessed" if solve_for == "ε" else f"ε = {in_full(epsilon)}"
    target = f"{in_full(r)} standard error{'s' if r != 1 else ''}"
    reached = [required for required in values if required.value is not None]
    if not reached:
        return f"No algorithm's error about OLS comes down to {target} on simulated data sets, with {others}."
    least = min(reached, key=lambda required: float(required.value or 0))
    mine = next((required for required in reached if required.mechanism == name), None)
    said = ""
    if mine is not None and mine != least:
        said = f"{solve_for} = {required_text(mine)} is enough for {name}, the answer above. "
    return (
        f"{said}{solve_for} = {required_text(least)} is enough for {least.mechanism}, which needs the least "
        f"for an error about OLS of at most {target}. {len(reached)} of {len(values)} algorithms get there on "
        f"simulated data sets, with {others}."
    )


def columns_sentence(own_data: bool, loaded: bool) -> str:
    """What the required values count. own_data: one column is the data set's own; loaded: it may be private."""
    said = ["At every x_new; on simulated data sets on average over them."]
    if own_data:
        said.append("One data set may need more or less: its error is measured from its own OLS line.")
    if own_data and loaded:
        said.append("Its column looks at the data: right for public or synthetic data only.")
    return " ".join(said)


def looking_sentence(looked: bool) -> str:
    """That an algorithm may not be chosen by private data. looked: whether the guesses were read off the data."""
    read_off = "The guesses above were read off the data: choose on public ones"
    advised = read_off if looked else "Choose on public guesses, as above"
    return (
        "Not for free: an algorithm chosen because it did best on the private data reveals something about them. "
        f"{advised}, or pay for a look."
    )


def private_choice_sentence(recommendation: Recommendation) -> str:
    """What choosing by the data costs when it is done privately; in markdown."""
    mechanism = next((m for m in recommendation.mechanisms if m.name == CHOICE), None)
    if mechanism is None or not recommendation.algorithm:
        return f"Add {CHOICE} to the algorithms in the sidebar to see what a private look costs."
    choice, best = recommendation.error(CHOICE), recommendation.error(recommendation.algorithm)
    spends = (
        f"**{CHOICE}** spends {format_share(getattr(mechanism, 'share', 0.0))} of ε on {CHOSEN[0]}. By its answer the "
        f"rest goes to {CHOSEN[0]} again or to {CHOSEN[1]}."
    )
    about = "It looks at n var(x), σₑ and the line. Its share is in the sidebar."
    if not np.isfinite(choice):
        return f"{spends} On some of these data sets it answers in fewer than 68% of its releases. {about}"
    others = {name: recommendation.error(name) for name in CHOSEN}
    worse = [f"{name}, chosen in advance, has {format_amount(e)}." for name, e in others.items() if choice < e < np.inf]
    compared = f", {more(choice / best - 1)} than that of {recommendation.algorithm} chosen in advance"
    beside = "" if recommendation.algorithm == CHOICE else compared
    error = f"On these data sets its error is {format_amount(choice)} standard errors{beside}."
    return " ".join([spends, error, *worse[-1:], about])
