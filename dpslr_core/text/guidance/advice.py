"""A recommendation in sentences: the answer, the paper's rule beside it, the switch points, a paragraph for a memo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...guidance.recommendation import CLOSE, Recommendation, nvar_noise
from ...guidance.required_values import SwitchPoint
from ...mechanisms.base import Mechanism, MechanismFamily
from ...mechanisms.noisy_stats import NoisyStats
from ...privacy.accounting import guarantee
from ...sources.axis import UNIT_X, UNIT_Y, Axis
from ..crossings import crossing_sentence, symbol_of
from ..phrases import format_amount, format_share, in_full, listed, more, of_it
from .recommendation import error_range, scaling, times_sampling_error
from .rules import OFTEN, because, product_text

UNSTEADY = 0.1  # of the noise on n var(x), relative
_SIGMA = "standard errors"
_BLIND = "without looking at the data, from public guesses"
_LOOKING = "by looking at the data, from values read off them"
LOOKED = (
    "The choices of algorithm, ε and n then depend on the data and are not covered by ε. For private data use a public "
    "or simulated stand-in, or ChooseByCenteredStats, which pays for its look."
)


def answer(recommendation: Recommendation) -> str:
    """Which algorithm, how large its error is, how much of that is noise, and who is next."""
    name = recommendation.algorithm
    if name is None:
        return "No algorithm answers often enough at this budget: more records or a larger ε are needed."
    ols = format_amount(recommendation.error("OLS"))
    same = recommendation.datasets == recommendation.datasets_of_best
    again = "on the same average" if same else f"on average over {_over(recommendation, recommendation.datasets)}"
    who = f"Use {name}. Its error is" if not recommendation.too_close else (
        f"Too close to call: {listed(recommendation.tied)}. {name} has the smallest error,"
    )  # fmt: skip
    return (
        f"{who} {format_amount(recommendation.error(name))} {_SIGMA}, sampling and privacy together, on average over "
        f"{_over(recommendation, recommendation.datasets_of_best)}. Without privacy (OLS) it would be {ols}. "
        f"68% of the releases of {name} are within {format_amount(recommendation.about_ols)} {_SIGMA} of OLS, {again}. "
        f"Its noise alone is {format_amount(recommendation.noise)}. "
        f"A single data set at a single point may have more noise or less.{_next(recommendation)}"
    )


def _next(recommendation: Recommendation) -> str:
    """How far behind the others are: those that are tied, or the next best."""
    second = recommendation.second
    if recommendation.too_close:
        return f" The expected errors of those tied are {error_range(recommendation)}."
    if second is None:
        return ""
    if np.isfinite(recommendation.margin):
        return f" Next is {second}, {more(recommendation.margin)}."
    return f" Next is {second}, which {_fails_on(recommendation, second)}."


def _fails_on(recommendation: Recommendation, name: str) -> str:
    """On how many of the data sets an algorithm has no finite error."""
    rows = recommendation.evidence.set_index("mechanism")
    share = format_share(float(rows["infinite_share"][name]))
    return f"answers in fewer than 68% of its releases on {share} of the data sets"


def _over(recommendation: Recommendation, datasets: int) -> str:
    """What an average is taken over."""
    points = len(recommendation.budget.at)
    return f"{datasets:,} simulated data sets{f' and {points} points' if points > 1 else ''}"


def agreement(recommendation: Recommendation) -> str:
    """The paper's rule of thumb, and whether the evidence agrees with it."""
    named = " or ".join(recommendation.rule.algorithms)
    why = because(recommendation.rule, recommendation.circumstances)
    rule = f"The paper's rule of thumb says {named}, because {why}."
    if recommendation.algorithm is None:
        return rule
    if recommendation.algorithm in recommendation.rule.algorithms and not recommendation.too_close:
        return f"{rule} The evidence agrees."
    if among := [name for name in recommendation.rule.algorithms if name in recommendation.tied]:
        verb = "is" if len(among) == 1 else "are"
        return f"{rule} In the evidence {listed(among)} {verb} among {len(recommendation.tied)} that are tied."
    errors = [recommendation.error(name) for name in recommendation.rule.algorithms]
    if np.isnan(errors).all():
        return f"{rule} It is not among the algorithms compared."
    least = float(np.nanmin(errors))
    if not np.isfinite(least):
        return f"{rule} The evidence does not agree: it has no answer in too many releases."
    behind = least / recommendation.error(recommendation.algorithm) - 1
    if recommendation.agrees:
        return f"{rule} The evidence agrees within {format_share(CLOSE)}: its error here is {more(behind)}."
    return f"{rule} The evidence does not agree: its error here is {more(behind)}."


def reason(recommendation: Recommendation) -> str:
    """Why the recommended algorithm wins, in the paper's terms; by its family, and by what sets it apart in it."""
    if recommendation.algorithm is None:
        return f"{_product(recommendation)} is too small for any of them."
    mechanism = recommendation.mechanism
    why = _REASONS.get(mechanism.family, _of_another_kind)(recommendation)
    if recommendation.too_close:
        why = f"Of those tied, {recommendation.algorithm} has the smallest error. {why}"
    return f"{why}. {_strength(recommendation)}." if mechanism.strength else f"{why}."


def _product(recommendation: Recommendation) -> str:
    return product_text(recommendation.circumstances)


def _of_noisy_statistics(recommendation: Recommendation) -> str:
    share = nvar_noise(recommendation.mechanism, recommendation.model, recommendation.budget)
    name = recommendation.algorithm
    own = "" if share is None else f": the noise of {name} on n var(x) is {of_it(share)}"
    return f"{_product(recommendation)}{own}. {_from_ols(recommendation)}"


def _of_descent(recommendation: Recommendation) -> str:
    return f"{_product(recommendation)}: noisy steps go towards OLS. {_from_ols(recommendation)}"


def _from_ols(recommendation: Recommendation) -> str:
    """Whether answers that are noise about OLS stay near it, by the size of that noise."""
    size = f"their noise is {times_sampling_error(recommendation.noise)}"
    if recommendation.noise <= 1:
        return f"Its answers stay near OLS: {size}. OLS has a smaller sampling error than Theil–Sen"
    return f"Its answers are not near OLS: {size}. Those of the others are no nearer to the true line"


def _of_mean(recommendation: Recommendation) -> str:
    c = recommendation.circumstances
    return (
        f"{_product(recommendation)} is so small that any private slope is mostly noise. So a flat line does better: "
        f"it is off by at most {format_amount(abs(c.slope) * c.distance, 2)} here if the slope is as guessed"
    )


def _of_choice(recommendation: Recommendation) -> str:
    return f"At {_product(recommendation)} it looks at the data privately, and what it then chooses makes up for that"


def _of_theil_sen(recommendation: Recommendation) -> str:
    c = recommendation.circumstances
    adapts = f"A private median of pairwise lines adapts to the data's own noise, σₑ² = {format_amount(c.var_e, 2)}"
    if not any(isinstance(mechanism, NoisyStats) for mechanism in recommendation.mechanisms):
        return f"{_product(recommendation)}. {adapts}"
    if c.denominator_noise < UNSTEADY:
        same = "NoisyStats adds as much noise to data close to a line as to others"
        return f"At {_product(recommendation)} {same}. {adapts}"
    fails = f", and {format_share(c.failure)} of its releases have no answer" if c.failure >= OFTEN else ""
    return (
        f"At {_product(recommendation)} x varies too little for NoisyStats. "
        f"Its noise on n var(x) is {of_it(c.denominator_noise)}{fails}. {adapts}"
    )


def _of_depth(recommendation: Recommendation) -> str:
    points, var_e = len(recommendation.budget.at), format_amount(recommendation.circumstances.var_e, 2)
    undivided = f": the budget is not split over the {points} points" if points > 1 else ""
    adapts = f"It adapts to the data's own noise, σₑ² = {var_e}"
    return f"At {_product(recommendation)} one private draw gives the whole line{undivided}. {adapts}"


def _of_another_kind(recommendation: Recommendation) -> str:
    var_e = format_amount(recommendation.circumstances.var_e, 2)
    return f"At {_product(recommendation)} and σₑ² = {var_e} its error is the smallest"


_REASONS = {
    MechanismFamily.NOISY_STATISTICS: _of_noisy_statistics,
    MechanismFamily.GRADIENT_DESCENT: _of_descent,
    MechanismFamily.MEAN: _of_mean,
    MechanismFamily.CHOICE: _of_choice,
    MechanismFamily.THEIL_SEN: _of_theil_sen,
    MechanismFamily.DEPTH: _of_depth,
}


def _strength(recommendation: Recommendation) -> str:
    """What sets the algorithm apart, and for one with theta when that helps."""
    mechanism, c = recommendation.mechanism, recommendation.circumstances
    if not hasattr(mechanism, "theta"):
        return f"{mechanism.strength[0].upper()}{mechanism.strength[1:]}"
    error, theta = format_amount(c.standard_error, 2), in_full(c.theta)
    crowded = f"The standard error, {error}, is below θ = {theta}"
    small = f"The budget is small (ε n = {format_amount(c.epsilon * recommendation.model.n)})"
    return f"{crowded if c.standard_error < c.theta else small}, and {mechanism.strength}"


def switch_sentence(recommendation: Recommendation, point: SwitchPoint) -> str:
    """Where the answer would change on one side."""
    here = recommendation.present(point.parameter)
    label = symbol_of(point.parameter)
    if point.crossing is None:
        direction = "down" if point.end < here else "up"
        if point.end == here:
            return f"{label} is at the end of what is looked at."
        return f"No change {direction} to {label} = {format_amount(point.end, 4)}."
    return crossing_sentence(point.crossing)


def methods_text(
    recommendation: Recommendation,
    switches: Sequence[SwitchPoint] = (),
    looked: bool = False,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
) -> str:
    """One paragraph for a memo, with the numbers filled in, in the units of x and y.

    looked: whether the guesses were read off the data. If not, every number of it is public.
    """
    model, name = recommendation.model, recommendation.algorithm
    at, datasets = recommendation.budget.at, recommendation.datasets_of_best
    if name is None:
        return answer(recommendation)
    error, ols = format_amount(recommendation.error(name)), format_amount(recommendation.error("OLS"))
    budget = recommendation.budget
    promise = guarantee(recommendation.mechanism, budget.epsilon, budget.accounting).promise
    points = ", ".join(in_full(float(x.from_unit(point))) for point in at)
    product = format_amount(recommendation.circumstances.epsilon_nvar, 4)
    changes = [switch_sentence(recommendation, point) for point in switches if point.crossing is not None]
    together = "the prediction" if len(at) == 1 else f"all {len(at)} predictions together"
    parts = [
        f"Predictions at {x.name} = {points}{f' {x.unit}' if x.unit else ''} are to be released with "
        f"{name}{_with(recommendation.mechanism, y)}, which satisfies {promise}.",
        scaling(model, x, y),
        f"Neighbouring data sets differ in one record, n being public; the budget covers {together}.",
        f"The algorithm was chosen {_LOOKING if looked else _BLIND}: n = {model.n:,}, ε n var(x) = {product}.",
        f"In the unit square var(x) = {in_full(model.var_x)}, the residual variance is {in_full(model.var_e)} and the "
        f"slope {in_full(model.slope)}.",
        LOOKED if looked else "",
        f"On {datasets:,} simulated data sets like these its 68% error, sampling and privacy noise together, averaged "
        f"{error} standard deviations of the OLS prediction. For OLS without privacy it was {ols}. Its noise alone "
        f"averaged {format_amount(recommendation.noise)}.",
        _next_best(recommendation),
        agreement(recommendation),
        *changes,
        f"Seed {recommendation.run.seed}.",
    ]
    return " ".join(part for part in parts if part)


def _next_best(recommendation: Recommendation) -> str:
    second = recommendation.second
    if recommendation.too_close:
        return f"It is too close to call against {listed(recommendation.rivals)}: {error_range(recommendation)}."
    if second is None:
        return ""
    if np.isfinite(recommendation.margin):
        return f"The next best, {second}, had an error {more(recommendation.margin)}."
    return f"The next best, {second}, {_fails_on(recommendation, second)}."


def _with(mechanism: Mechanism, y: Axis) -> str:
    """The range that predictions are searched in, where the mechanism has one, in the units of y."""
    if not hasattr(mechanism, "lower") or not hasattr(mechanism, "upper"):
        return ""
    lower, upper = (in_full(float(y.from_unit(end))) for end in (mechanism.lower, mechanism.upper))
    return f" on the range [{lower}, {upper}]{f' {y.unit}' if y.unit else ''}"
