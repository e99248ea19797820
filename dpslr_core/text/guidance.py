"""A recommendation in sentences: the answer, its reasons and evidence, the paper's rule, maps, what would be enough.

Page, report, memo, alt text and command say these: ``headline``, ``weaker_sentence``, ``context``, ``details``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import inf, sqrt

import numpy as np
import pandas as pd

from ..guidance.maps import CELL_DATASETS, MapSettings
from ..guidance.recommendation import (
    CLOSE,
    LARGE,
    NOISY,
    Circumstances,
    Recommendation,
    RuleOfThumb,
    nvar_noise,
)
from ..guidance.required_values import RequiredValue, SwitchPoint
from ..mechanisms.base import Mechanism, MechanismFamily
from ..mechanisms.noisy_stats import NoisyStats
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
OFTEN = 0.005  # failure rate from which it is mentioned


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
    """State the number by which the paper chooses, and the algorithm that the paper's rule gives."""
    c, named, large = recommendation.circumstances, recommendation.rule.algorithms, in_full(LARGE)
    var_e = f"σₑ² = {format_amount(c.var_e)}"
    says = {
        RuleOfThumb.WIDE_RANGE: f"counts less than a range {format_amount(c.width)} wide and ε = "
        f"{format_amount(c.epsilon)}",
        RuleOfThumb.BELOW_THETA: f"counts less than θ = {in_full(c.theta)}, above the standard error",
        RuleOfThumb.LARGE_PRODUCT: f"is above {large}, and {var_e} is at least {in_full(NOISY)}",
        RuleOfThumb.LITTLE_NOISE: f"is above {large}, but {var_e} is below {in_full(NOISY)}",
        RuleOfThumb.SMALL_PRODUCT: f"is not above {large}",
    }[recommendation.rule]
    return (
        f"The paper chooses by {product_text(c)}, which {says}: it would use {listed(named, 'or')}."
    )


def basis(recommendation: Recommendation, looked: bool) -> str:
    """State what the answer rests on: the guesses, epsilon and the number of simulated data sets.

    Parameters
    ----------
    recommendation : Recommendation
        The answer.
    looked : bool
        Whether the guesses were read off the data.
    """
    r, model, budget = recommendation, recommendation.model, recommendation.budget
    origin = "read off these data" if looked else "your guesses"
    spread = f"σₓ² = {format_amount(model.var_x)}, σₑ² = {format_amount(model.var_e)}"
    run = f"ε = {in_full(budget.epsilon)} · {r.datasets_of_best:,} simulated data sets"
    return f"{origin}: n = {model.n:,}, {spread} · {run}"


def details(recommendation: Recommendation) -> str:
    """State the error in standard errors, the share of noise in it, and the next best or the tied algorithms."""
    r, name = recommendation, recommendation.algorithm
    if name is None:
        return ""
    points = f" and {len(r.budget.at)} points" if len(r.budget.at) > 1 else ""
    over = f"over {r.datasets_of_best:,} simulated data sets{points}"
    following = _next_best(r)
    if r.lead.too_close:
        apart = (
            "More data sets may tell them apart."
            if r.open
            else f"They are at most {format_share(CLOSE)} apart."
        )
        following = f"Tied: {listed(r.lead.tied)}, {_error_range(r)}. {apart}"
    return joined(
        f"The error of {name} is {format_amount(r.error(name))} standard errors, sampling and "
        "privacy together, "
        f"{over}. Without privacy it is {format_amount(r.error('OLS'))}. "
        f"68% of the releases of {name} are within {format_amount(r.about_ols)} standard errors "
        f"of OLS. Its noise alone is {format_amount(r.noise)}. "
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
        "Here errors are measured from the true line, on many data sets like yours: the sampling "
        "error is in each.",
        "Compare measures from the line without privacy, on one data set: noise alone.",
        *[f"Measured as on Compare, {name} has {beside} here."] * (name is not None),
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


def agreement(recommendation: Recommendation) -> str:
    """State whether the evidence agrees with the paper's rule of thumb."""
    r, named = recommendation, recommendation.rule.algorithms
    if r.algorithm is None:
        return ""
    if r.algorithm in named and not r.lead.too_close:
        return "The evidence agrees with the paper."
    if among := [name for name in named if name in r.lead.tied]:
        verb = "is" if len(among) == 1 else "are"
        return f"{listed(among)}, which the paper would use, {verb} among {len(r.lead.tied)} that are tied."
    errors = [r.error(name) for name in named]
    if np.isnan(errors).all():
        return "What the paper would use is not among the algorithms compared."
    least = float(np.nanmin(errors))
    if not np.isfinite(least):
        return "The evidence does not agree with the paper: its choice has no answer in too many releases."
    behind = more(least / r.error(r.algorithm) - 1)
    return f"The evidence does not agree with the paper: the error of its choice is {behind}."


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
    var_e = f"σₑ² = {format_amount(c.var_e, 2)}"
    size = f"their noise is {_times_sampling_error(r.noise)}"
    near_ols = (
        f"Its answers stay near OLS: {size}. OLS has a smaller sampling error than Theil–Sen"
        if r.noise <= 1
        else f"Its answers are not near OLS: {size}. Those of the others are no nearer to the true line"
    )
    match mechanism.family:
        case MechanismFamily.NOISY_STATISTICS:
            share = nvar_noise(mechanism, r.model, r.budget)
            own = (
                ""
                if share is None
                else f": the noise of {mechanism.name} on n var(x) is {of_it(share)}"
            )
            return f"{product}{own}. {near_ols}"
        case MechanismFamily.GRADIENT_DESCENT:
            return f"{product}: noisy steps go towards OLS. {near_ols}"
        case MechanismFamily.MEAN:
            off = format_amount(abs(c.slope) * c.distance, 2)
            return (
                f"{product} is so small that any private slope is mostly noise. So a flat line "
                "does better: it is off "
                f"by at most {off} here if the slope is as guessed"
            )
        case MechanismFamily.THEIL_SEN:
            beside = f"At {product} x varies too little for NoisyStats. Its noise on n var(x) is "
            fails = (
                f", and {format_share(c.failure)} of its releases have no answer"
                if c.failure >= OFTEN
                else ""
            )
            if not any(isinstance(mechanism, NoisyStats) for mechanism in r.mechanisms):
                beside = product
            elif c.denominator_noise < UNSTEADY:
                beside = f"At {product} NoisyStats adds as much noise to data close to a line as to others"
            else:
                beside = f"{beside}{of_it(c.denominator_noise)}{fails}"
            return f"{beside}. A private median of pairwise lines adapts to the data's own noise, {var_e}"
        case MechanismFamily.DEPTH:
            points = len(r.budget.at)
            undivided = f": the budget is not split over the {points} points" if points > 1 else ""
            adapts = f"It adapts to the data's own noise, {var_e}"
            return f"At {product} one private draw gives the whole line{undivided}. {adapts}"
        case _:
            return f"At {product} and {var_e} its error is the smallest"


# ---------------------------------------------------------------- for a memo


def switch_sentence(recommendation: Recommendation, point: SwitchPoint) -> str:
    """State at which value the answer would change, on one side of the present value."""
    present, label = recommendation.present(point.parameter), symbol_of(point.parameter)
    if point.crossing is not None:
        return crossing_sentence(point.crossing)
    if point.end == present:
        return f"{label} is at the end of what is looked at."
    return f"No change {'down' if point.end < present else 'up'} to {label} = {format_amount(point.end, 4)}."


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
    return f"n = {n:,}, {rows} in your file, unusable ones too. Act on the answer only where n is public."


def simulated_x_sentence(model: LinearModel, x: Axis = UNIT_X) -> str:
    """State the place and the shape of the simulated x, which the user may not have guessed."""
    middle = ", the middle of its bounds" if model.x_mean == 0.5 else ""
    return (
        f"Simulated: {X_SHAPES[model.x_shape]} about {place_on(x, model.x_mean)}{middle}. Where "
        "your records lie elsewhere, the answer may be another."
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
    names: Sequence[str],
    candidates: Collection[str] | None = None,
    pending: int = 0,
) -> str:
    """State the ε or n that the algorithms of the answer need, and which algorithms need the least.

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
    names : sequence of str
        The recommended algorithm, or the tied ones.
    candidates : collection of str, optional
        Algorithms that may be recommended; by default all.
    pending : int
        Number of algorithms without a value yet.
    """
    pinned = "everything else as guessed" if solve_for == "ε" else f"ε = {in_full(epsilon)}"
    target = f"{in_full(r)} standard error{'s' if r != 1 else ''}"
    later = (
        f"{counted(pending, 'algorithm is', 'algorithms are')} not solved yet." if pending else ""
    )
    reached = {required.mechanism: required for required in values if required.value is not None}
    if not reached:
        most = in_full(max(required.most for required in values))
        return joined(
            f"No {solve_for} up to {most} brings an error about OLS down to {target}, with {pinned}.",
            later,
        )
    needed = {name: float(required.value or 0) for name, required in reached.items()}
    eligible = [name for name in needed if candidates is None or name in candidates]
    least = min((needed[name] for name in eligible), default=inf)
    near = [name for name in eligible if needed[name] <= least * (1 + TIED)]
    sentences = []
    if near:
        need = "needs" if len(near) == 1 else "need"
        span = span_text([reached[name] for name in near])
        sentences.append(
            f"{listed(near)} {need} the least{' so far' if pending else ''}: {solve_for} = {span}."
        )
    if answer := [
        f"{name} {required_text(reached[name])}"
        for name in names
        if name in reached and name not in near
    ]:
        sentences.append(f"The answer above needs more: {listed(answer)}.")
    weaker_ones = [name for name in needed if name not in eligible and needed[name] < least]
    if weaker_ones:
        best = min(weaker_ones, key=needed.__getitem__)
        sentences.append(f"With a weaker guarantee, {best} needs {required_text(reached[best])}.")
    count = f"{len(reached)} of {counted(len(values), 'algorithm')} get down to {target}, with {pinned}."
    return joined(*sentences, count, later)


def span_text(values: Sequence[RequiredValue]) -> str:
    """Write the smallest and the largest of some required values: "1.2 to 1.4"."""
    ordered = sorted(values, key=lambda required: float(required.value or 0))
    low, high = (required_text(ordered[index]) for index in (0, -1))
    return low if low == high else f"{low} to {high}"


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
