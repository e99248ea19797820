"""A recommendation in sentences: the answer, its reasons and evidence, the paper's rule, maps, what would be enough.

Page, report, memo, alt text and command say these: ``headline``, ``weaker_sentence``, ``context``, ``details``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt

import numpy as np
import pandas as pd

from ..guidance.maps import CELL_DATASETS, MapSettings
from ..guidance.recommendation import (
    CLOSE,
    Circumstances,
    Recommendation,
)
from ..guidance.required_values import RequiredValue, SwitchPoint
from ..mechanisms.base import Mechanism, MechanismFamily
from ..privacy.accounting import comparable, guarantee
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..sources.linear import X_SHAPES, LinearModel
from ..support.readable import all_in_full
from .phrases import (
    both_sides_of_one,
    counted,
    format_amount,
    format_share,
    in_full,
    joined,
    listed,
    more,
    of_it,
    place_on,
    times,
    value_on,
    weaker,
    with_unit,
)
from .sweep import crossing_sentence, symbol_of

TIED = 0.1  # relative difference up to which required values are tied
NAMED = 3  # most tied algorithms that a headline names
ERROR_CAPTION = (
    "68% of the releases are this near to the true line, sampling error and noise together. 1 is "
    "the error without privacy."
)
LOOKED = (
    "The choices of algorithm, ε and n then depend on the data and are not covered by ε. For "
    "private data use a public or simulated stand-in."
)
DECIDE = "Simulates up to five times as many data sets: seconds."
UNSTEADY = 0.1  # share of n var(x) above which its noise is the reason against NoisyStats


# ---------------------------------------------------------------- the answer


def headline(recommendation: Recommendation) -> str:
    """Name the algorithm to use, or the tied algorithms, and the error beside the error without privacy.

    A second sentence names the guarantee where it is not the strongest.
    """
    r, name, tied = recommendation, recommendation.algorithm, recommendation.lead.tied
    if r.mechanism is None or name is None:
        return "No algorithm answers often enough: more records or a larger ε are needed."
    use = listed(tied, "or") if len(tied) <= NAMED else f"{name} or {len(tied) - 1} others"
    promise = guarantee(r.mechanism, r.budget)
    return joined(
        f"Use {use}: expect {times(times_text(r, name), WITHOUT, f'about {WITHOUT}')}.",
        "" if comparable(r.mechanism, r.budget) else f"{weaker(str(promise))}.",
    )


WITHOUT = "the error you have without privacy"


def times_text(recommendation: Recommendation, name: str) -> str:
    """Write the error of an algorithm as a multiple of the error without privacy, to two digits: "1.3"."""
    return format_amount(recommendation.times(name), 2)


def weaker_sentence(recommendation: Recommendation) -> str:
    """State a smaller error with a weaker guarantee; "" where none is surely smaller."""
    row = recommendation.weaker
    if row is None:
        return ""
    times = times_text(recommendation, row["mechanism"])
    guarantee = f"With a weaker guarantee ({row['guarantee']})"
    return f"{guarantee}, {row['mechanism']} has {times} times the error without privacy."


def context(recommendation: Recommendation) -> str:
    """State the number by which the paper chooses, its algorithm, and whether the simulations agree."""
    r, named = recommendation, recommendation.rule.algorithms
    rule = (
        f"Alabi and others choose by ε times n times var(x), here {format_amount(r.circumstances.epsilon_nvar)}: "
        f"they would use {listed(named, 'or')}."
    )
    errors = [r.error(name) for name in named]
    if r.algorithm is None or np.isnan(errors).all():
        return rule
    if any(name in r.lead.tied for name in named):
        return f"{rule} The simulations agree."
    return f"{rule} Its error here is {more(float(np.nanmin(errors)) / r.error(r.algorithm) - 1)}."


def basis(recommendation: Recommendation, looked: bool) -> str:
    """State what the answer rests on: the guesses, epsilon and the number of simulated data sets.

    Parameters
    ----------
    recommendation : Recommendation
        The answer.
    looked : bool
        Whether the guesses were read off the data.
    """
    r, origin = recommendation, "read off these data" if looked else "your guesses"
    records = counted(r.model.n, "record")
    return f"{origin} · {records} · ε = {in_full(r.budget.epsilon)} · {r.datasets_of_best:,} simulated data sets"


def details(recommendation: Recommendation) -> str:
    """State the error in standard errors, the share of noise in it, and the next best or the tied algorithms."""
    r, name = recommendation, recommendation.algorithm
    if name is None:
        return ""
    points = f" at {len(r.budget.at)} points" if len(r.budget.at) > 1 else ""
    measured = f"{r.datasets_of_best:,} simulated data sets were measured{points}."
    following = _next_best(r)
    if r.lead.too_close:
        apart = (
            "More data sets may tell them apart."
            if r.open
            else f"They are at most {format_share(CLOSE)} apart."
        )
        following = f"Tied: {listed(r.lead.tied)}, {_error_range(r)}. {apart}"
    return joined(
        f"The error of {name} is {format_amount(r.error(name))} standard errors, sampling and privacy "
        f"together. {measured} Without privacy the error is {format_amount(r.error('OLS'))}. "
        f"68% of the releases of {name} are within {format_amount(r.about_ols)} standard errors "
        f"of OLS. The noise of {name} alone is {format_amount(r.noise)}. "
        "A single data set at a single point may have more noise or less.",
        following,
    )


def _error_range(recommendation: Recommendation) -> str:
    """Write the smallest and the largest error of the tied algorithms, in standard errors."""
    errors = [recommendation.error(name) for name in recommendation.lead.tied]
    low, high = (format_amount(error) for error in (min(errors), max(errors)))
    return f"{f'{low} to {high}' if low != high else low} standard errors"


def _times_sampling_error(ratio: float) -> str:
    """Write a ratio as "1.2 times the sampling error"; "as large as" stands for exactly 1 alone."""
    return times(both_sides_of_one(ratio), "the sampling error", "as large as the sampling error")


def why_another(recommendation: Recommendation) -> tuple[str, ...]:
    """Sentences on why Compare shows another number."""
    name, beside = recommendation.algorithm, _times_sampling_error(recommendation.about_ols)
    return (
        "Here errors are measured from the true line, so the sampling error is in each.",
        "Compare measures noise alone, from the line without privacy on one data set.",
        *[f"Measured as on Compare, the error of {name} is {beside} here."] * (name is not None),
    )


def _next_best(recommendation: Recommendation) -> str:
    """State by how much the error of the next best algorithm is larger; "" where there is none."""
    name = recommendation.second
    if name is None:
        return ""
    if np.isfinite(recommendation.margin):
        return f"Next is {name}, {more(recommendation.margin)}."
    share = format_share(
        float(recommendation.evidence.set_index("mechanism")["infinite_share"][name])
    )
    return f"Next is {name}, which answers in fewer than 68% of its releases on {share} of the data sets."


# ---------------------------------------------------------------- the paper's rule of thumb, and reasons


def product_text(c: Circumstances) -> str:
    """Write ε n σₓ², the first quantity of the paper's rule: "ε n σₓ² = 15"."""
    return f"ε n σₓ² = {format_amount(c.epsilon_nvar)}"


def reason(recommendation: Recommendation) -> str:
    """Explain why the recommended algorithm wins, by its family and by its strength within the family."""
    r, c, mechanism = recommendation, recommendation.circumstances, recommendation.mechanism
    if mechanism is None:
        return f"{product_text(c)} is too small for any of them."
    strength = mechanism.strength
    if strength and not hasattr(mechanism, "theta"):
        strength = f"{strength[0].upper()}{strength[1:]}."
    elif strength and c.standard_error < c.theta:
        crowded = f"The standard error, {format_amount(c.standard_error, 2)}, is below θ = {in_full(c.theta)}"
        strength = f"{crowded}, and {strength}."
    elif strength:
        strength = (
            f"The budget is small (ε n = {format_amount(c.epsilon * r.model.n)}), and {strength}."
        )
    tied = f"Of those tied, {mechanism.name} has the smallest error." if r.lead.too_close else ""
    return joined(tied, f"{_why(r, mechanism)}.", strength)


def _why(r: Recommendation, mechanism: Mechanism) -> str:
    """Explain why an algorithm of the mechanism's family wins."""
    c, product = r.circumstances, product_text(r.circumstances)
    match mechanism.family:
        case MechanismFamily.NOISY_STATISTICS | MechanismFamily.GRADIENT_DESCENT:
            size = f"its noise is {_times_sampling_error(r.noise)}"
            if r.noise > 1:
                return f"The others come no nearer to the true line: {size}"
            return f"It stays near OLS, which has a smaller sampling error than Theil–Sen: {size}"
        case MechanismFamily.MEAN:
            off = format_amount(abs(c.slope) * c.distance, 2)
            return (
                f"{product} is so small that any private slope is mostly noise. "
                f"A flat line is off by at most {off}, if the slope is as guessed"
            )
        case MechanismFamily.THEIL_SEN:
            adapts = "A private median of pairwise lines adapts to the noise of the data"
            if c.denominator_noise < UNSTEADY:
                return adapts
            noise = of_it(c.denominator_noise)
            return f"x varies too little for NoisyStats: its noise on n var(x) is {noise}. {adapts}"
        case MechanismFamily.DEPTH:
            return "One private draw gives the whole line, and adapts to the noise of the data"
        case _:
            return "Its error is the smallest"


# ---------------------------------------------------------------- for a memo


def switch_sentence(recommendation: Recommendation, point: SwitchPoint) -> str:
    """State at which value the answer would change, on one side of the present value."""
    present, label = recommendation.present(point.parameter), symbol_of(point.parameter)
    if point.crossing is not None:
        return crossing_sentence(point.crossing)
    if point.end == present:
        return f"{label} is already at the end of the range."
    return f"Nothing changes {'down' if point.end < present else 'up'} to {label} = {format_amount(point.end, 4)}."


def guesses_sentence(recommendation: Recommendation, x: Axis = UNIT_X, y: Axis = UNIT_Y) -> str:
    """State the guesses that a recommendation rests on, in the units of x and y."""
    model = recommendation.model
    low, high = (value_on(y, model.intercept + model.slope * end) for end in (0, 1))
    ends = " and ".join(x.written((x.lower, x.upper)))
    return (
        f"n = {model.n:,}. {_spreads(model, x, y)} The line is assumed to go from {low} to "
        f"{high} between {x.name} = {ends}. {simulated_x_sentence(model, x)}"
    )


def rows_sentence(n: int, group: str = "") -> str:
    """State which rows of an uploaded file n counts.

    Parameters
    ----------
    n : int
        Number of rows.
    group : str
        Group whose rows are counted; "" for all rows.
    """
    rows = f"the rows of {group}" if group else "the rows"
    return f"n = {n:,} counts {rows} in your file, unusable ones too. Act on the answer only where n is public."


def simulated_x_sentence(model: LinearModel, x: Axis = UNIT_X) -> str:
    """State the place and the shape of the simulated x, which the user may not have guessed."""
    middle = ", the middle of its bounds" if model.x_mean == 0.5 else ""
    return (
        f"The simulation has {X_SHAPES[model.x_shape]} about {place_on(x, model.x_mean)}{middle}. "
        "For records that lie elsewhere the answer may differ."
    )


def _spreads(model: LinearModel, x: Axis, y: Axis) -> str:
    """State the standard deviations of x and of y about the line, in units of the axes."""
    spreads = [
        with_unit(sqrt(variance) * axis.scale, axis)
        for variance, axis in ((model.var_x, x), (model.var_e, y))
    ]
    return (
        f"A standard deviation of {x.name} of {spreads[0]} and one of {y.name} about the line of "
        f"{spreads[1]} are "
        "assumed."
    )


# ---------------------------------------------------------------- the evidence and what is beside it


def beside_without(recommendation: Recommendation, name: str) -> str:
    """Write an algorithm's error as a multiple of the error without privacy, "1.3 times, a tie"; or why there is none.

    The guarantee is named where the algorithm may not be recommended because of it.
    """
    r = recommendation
    row = r.evidence.set_index("mechanism").loc[name]
    if not np.isfinite(row["error"]):
        return "answers too seldom"
    if not row["candidate"]:
        return f"{times_text(r, name)} times, {row['guarantee']}"
    return f"{times_text(r, name)} times{', a tie' if name in r.lead.rivals else ''}"


def picture_sentence(recommendation: Recommendation, names: Sequence[str]) -> str:
    """State the errors of the algorithms in a picture as multiples of the error without privacy."""
    errors = "; ".join(f"{name} {beside_without(recommendation, name)}" for name in names)
    return f"Errors beside the error without privacy: {errors}."


def map_sentence(recommendation: Recommendation, won: pd.DataFrame) -> str:
    """State which algorithms win the cells of a map about the guesses, and where the error about OLS is small.

    A last sentence says where the outlined cell has another winner than the answer.

    Parameters
    ----------
    recommendation : Recommendation
        The answer.
    won : DataFrame
        Frame of ``maps.won_of``: a row for each cell.
    """
    r, model = recommendation, recommendation.model
    most = listed(f"{name} in {count}" for name, count in won["winner"].value_counts().items())
    winners = (
        f"Best of {len(won)} cells: {most}. In {int((won['about_ols'] <= 1).sum())} of them the "
        "winner's error about OLS is at most the standard error."
    )
    outlined = won.loc[(won["n"] == model.n) & (won["var_e"] == model.var_e), "winner"].tolist()
    if not outlined or r.algorithm in (None, *outlined):
        return winners
    return (
        f"{winners} The outlined cell says {outlined[0]}, on fewer data sets: {r.algorithm}, the "
        "answer above, is the one that counts."
    )


def own_map_caption(recommendation: Recommendation) -> str:
    """Explain how to read a map about the guesses, and state its settings."""
    model, epsilon = recommendation.model, recommendation.budget.epsilon
    return (
        "To the right there are more records; upwards the data are noisier about the line. "
        "The outlined cell is the answer's. In paler cells the next best is closer. "
        "On the dashed line the error about OLS is as large as the standard error. "
        f"ε = {in_full(epsilon)} and σₓ² = {in_full(model.var_x)} in the unit square; "
        f"{CELL_DATASETS} simulated data sets per cell, seed {recommendation.run.seed}."
    )


def map_caption(s: MapSettings) -> str:
    """State the settings of a map."""
    return (
        f"Map: ε = {in_full(s.epsilon)}, σₓ² = {in_full(s.var_x)}, n from "
        f"{s.n_of(s.products[0]):,} to "
        f"{s.n_of(s.products[-1]):,}, x_new = {', '.join(all_in_full(s.at))}, slope "
        f"{in_full(s.slope)}, "
        f"range [{in_full(s.lower)}, {in_full(s.upper)}], θ = {in_full(s.theta)}. {s.datasets} "
        "simulated data sets per "
        f"cell, seed {s.seed}."
    )


def required_text(required: RequiredValue) -> str:
    """Write the value to three digits, or that it is not reachable."""
    if required.value is None:
        return f"not reachable up to {in_full(required.most)}"
    shown = format_amount(required.value)
    return f"{shown} or less" if required.value <= required.at_least else shown


def required_sentence(
    values: Sequence[RequiredValue],
    solve_for: str,
    r: float,
    epsilon: float,
    candidates: Collection[str],
    pending: int = 0,
) -> str:
    """State the algorithms that need the least ε or n, and how many reach the target.

    Values that are at most TIED apart are tied.

    Parameters
    ----------
    values : sequence of RequiredValue
        A value for each algorithm that is solved.
    solve_for : str
        "ε" or "n".
    r : float
        Target of the error about OLS, in standard errors.
    epsilon : float
        Budget, where n is solved for.
    candidates : collection of str
        Algorithms that may be recommended.
    pending : int
        Number of algorithms without a value yet.
    """
    pinned = "all else as guessed" if solve_for == "ε" else f"ε = {in_full(epsilon)}"
    target = f"{in_full(r)} standard error{'s' if r != 1 else ''}"
    needed = {
        required.mechanism: required
        for required in values
        if required.value is not None and required.mechanism in candidates
    }
    later = (
        f"{counted(pending, 'algorithm is', 'algorithms are')} not solved yet." if pending else ""
    )
    if not needed:
        most = in_full(max(required.most for required in values))
        return joined(
            f"No {solve_for} up to {most} brings an error about OLS down to {target}, with {pinned}.",
            later,
        )
    least = min(needed.values(), key=lambda required: float(required.value or 0))
    near = [
        name
        for name, required in needed.items()
        if float(required.value or 0) <= float(least.value or 0) * (1 + TIED)
    ]
    return joined(
        f"{listed(near)} {'needs' if len(near) == 1 else 'need'} the least{' so far' if pending else ''}: "
        f"{solve_for} = {required_text(least)}.",
        f"{len(needed)} of {counted(len(values), 'algorithm')} can reach an error about OLS "
        f"of {target}, with {pinned}.",
        later,
    )


def looking_sentence(looked: bool) -> str:
    """Warn of a choice of algorithm by private data.

    Parameters
    ----------
    looked : bool
        Whether the guesses were read off the data.
    """
    read_off = "The guesses above were read off the data: choose on public ones"
    return (
        "Not for free: an algorithm chosen because it did best on the private data reveals "
        "something about them. "
        f"{read_off if looked else 'Choose on public guesses, as above'}."
    )
