"""A recommendation in sentences: the answer, the paper's rule beside it, the switch points, a paragraph for a memo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..mechanisms import Mechanism, MechanismFamily
from ..sweeps.crossings import LABELS
from ..wording import listed, more
from .recommendation import Recommendation
from .switch_points import SwitchPoint

UNSTEADY = 0.1  # of the noise on n var(x), relative
_SIGMA = "standard errors"
_BLIND = "without looking at the data, from public guesses"
_LOOKING = "by looking at the data, from values read off them"
LOOKED = (
    "The choices of algorithm, ε and n then depend on the data and are not covered by ε. For private data use a public "
    "or simulated stand-in, or ChooseByNoisyVariance, which pays for its look."
)


def answer(recommendation: Recommendation) -> str:
    """Which algorithm, how large its error is, and whether its noise hides below the sampling error."""
    name = recommendation.algorithm
    if name is None:
        return "No algorithm answers often enough at this budget: more records or a larger ε are needed."
    error, ols = recommendation.error(name), recommendation.error("OLS")
    below = "smaller" if recommendation.noise <= 1 else "larger"
    same = recommendation.datasets == recommendation.datasets_of_best
    again = "On the same average" if same else f"On average over {_over(recommendation, recommendation.datasets)}"
    close = ""
    if recommendation.too_close:
        close = (
            f" Too close to call against {listed(recommendation.rivals)}: {recommendation.datasets_of_best} simulated "
            "data sets do not tell them apart."
        )
    elif recommendation.second:
        close = f" Next is {recommendation.second}, {more(recommendation.margin)}."
    return (
        f"Use {name}. On average over {_over(recommendation, recommendation.datasets_of_best)}, its error is "
        f"{error:.2f} {_SIGMA}, sampling and privacy together; without privacy (OLS) it would be {ols:.2f}. {again}, "
        f"68% of the noise alone stays within {recommendation.noise:.2f} {_SIGMA}: {below} than the sampling error. A "
        f"single data set at a single point may have more noise or less.{close}"
    )


def _over(recommendation: Recommendation, datasets: int) -> str:
    """What an average is taken over."""
    points = len(recommendation.budget.at)
    return f"{datasets} simulated data sets{f' and {points} points' if points > 1 else ''}"


def agreement(recommendation: Recommendation) -> str:
    """The paper's rule of thumb, and whether the evidence agrees with it."""
    named = " or ".join(recommendation.rule.algorithms)
    rule = f"The paper's rule of thumb says {named}, because {recommendation.rule.because}."
    if recommendation.algorithm is None:
        return rule
    if recommendation.agrees:
        return f"{rule} The evidence agrees."
    errors = [recommendation.error(name) for name in recommendation.rule.algorithms]
    if np.isnan(errors).all():
        return f"{rule} It is not among the algorithms compared."
    least = float(np.nanmin(errors))
    if not np.isfinite(least):
        return f"{rule} The evidence does not agree: it has no answer in too many releases."
    larger = more(least / recommendation.error(recommendation.algorithm) - 1)
    return f"{rule} The evidence does not agree: its error here is {larger}."


def reason(recommendation: Recommendation) -> str:
    """Why the recommended algorithm wins, in the paper's terms; by its family, and by what sets it apart in it."""
    if recommendation.algorithm is None:
        return f"{_product(recommendation)} is too small for any of them."
    mechanism = recommendation.mechanism
    why = _REASONS.get(mechanism.family, _of_another_kind)(recommendation)
    return f"{why}; {_strength(recommendation)}." if mechanism.strength else f"{why}."


def _product(recommendation: Recommendation) -> str:
    return f"ε n σₓ² = {recommendation.circumstances.epsilon_nvar:,.3g}"


def _of_non_robust(recommendation: Recommendation) -> str:
    c = recommendation.circumstances
    return (
        f"{_product(recommendation)} is large: the noise on n var(x) is only {c.denominator_noise:.0%} of it, so the "
        f"answers stay near OLS, which has a smaller sampling error than Theil–Sen; and σₑ² = {c.var_e:.2g} leaves "
        "room for noise that does not adapt to the data"
    )


def _of_mean(recommendation: Recommendation) -> str:
    c = recommendation.circumstances
    return (
        f"{_product(recommendation)} is so small that any private slope is mostly noise: a flat line, off by at most "
        f"{abs(c.slope) * c.distance:.2g} here if the slope is as guessed, does better"
    )


def _of_choice(recommendation: Recommendation) -> str:
    product = _product(recommendation)
    return f"At {product} its choice is nearly always the better of the two, for a tenth of the budget or so"


def _of_theil_sen(recommendation: Recommendation) -> str:
    c = recommendation.circumstances
    fails = f" (no answer in {c.failure:.0%} of releases)" if c.failure >= 0.005 else ""
    unsteady = (
        f"the noise on n var(x) would be {c.denominator_noise:.0%} of it, which makes NoisyStats unsteady{fails}"
        if c.denominator_noise >= UNSTEADY
        else f"though the noise on n var(x) is only {c.denominator_noise:.0%} of it, NoisyStats adds as much to data "
        "close to a line as to others"
    )
    return (
        f"{_product(recommendation)}: {unsteady}, while a private median of pairwise lines adapts to the data's own "
        f"noise, σₑ² = {c.var_e:.2g}"
    )


def _of_another_kind(recommendation: Recommendation) -> str:
    return f"At {_product(recommendation)} and σₑ² = {recommendation.circumstances.var_e:.2g} its error is the smallest"


_REASONS = {
    MechanismFamily.NOISY_STATISTICS: _of_non_robust,
    MechanismFamily.GRADIENT_DESCENT: _of_non_robust,
    MechanismFamily.MEAN: _of_mean,
    MechanismFamily.CHOICE: _of_choice,
    MechanismFamily.THEIL_SEN: _of_theil_sen,
}


def _strength(recommendation: Recommendation) -> str:
    """What sets the algorithm apart, and for one with theta when that helps."""
    mechanism, c = recommendation.mechanism, recommendation.circumstances
    if not hasattr(mechanism, "theta"):
        return mechanism.strength
    crowded = f"the standard error, {c.standard_error:.2g}, is below θ = {c.theta:g}"
    small = f"the budget is small (ε n = {c.epsilon * recommendation.model.n:,.3g})"
    return f"{crowded if c.standard_error < c.theta else small}, and {mechanism.strength}"


def switch_sentence(recommendation: Recommendation, point: SwitchPoint) -> str:
    """Where the answer would change on one side."""
    here = recommendation.present(point.parameter)
    label = LABELS.get(point.parameter, point.parameter)
    if point.crossing is None:
        direction = "down" if point.end < here else "up"
        if point.end == here:
            return f"{label} is at the end of what is looked at."
        return f"No change {direction} to {label} = {point.end:,.4g}."
    return f"{point.crossing.sentence}."


def methods_text(recommendation: Recommendation, switches: Sequence[SwitchPoint] = (), looked: bool = False) -> str:
    """One paragraph for a memo, with the numbers filled in.

    looked: whether the guesses were read off the data. If not, every number of it is public.
    """
    model, c, name = recommendation.model, recommendation.circumstances, recommendation.algorithm
    at, datasets = recommendation.budget.at, recommendation.datasets_of_best
    error, ols = recommendation.error(str(name)), recommendation.error("OLS")
    if name is None:
        return answer(recommendation)
    guarantee = recommendation.mechanism.guarantee(recommendation.budget.epsilon)
    points = ", ".join(f"{point:g}" for point in at)
    changes = " ".join(switch_sentence(recommendation, point) for point in switches if point.crossing is not None)
    return (
        f"Predictions at x = {points} (x and y scaled to [0, 1]) are to be released with {name}"
        f"{_with(recommendation.mechanism)}, which satisfies {guarantee.promise} for neighbouring data sets "
        f"that differ in one record, n being public; the budget covers all {len(at)} predictions together. The "
        f"algorithm was chosen {_LOOKING if looked else _BLIND}: n = {model.n:,}, "
        f"var(x) = {model.var_x:g}, residual variance {model.var_e:g}, slope {model.slope:g} "
        f"(ε n var(x) = {c.epsilon_nvar:,.4g}). {f'{LOOKED} ' if looked else ''}On {datasets} simulated "
        "data sets like these its 68% error, sampling and privacy noise together, averaged "
        f"{error:.2f} standard deviations of the OLS prediction ({ols:.2f} for OLS without "
        f"privacy), and its noise alone {recommendation.noise:.2f}. {_next(recommendation)} {agreement(recommendation)}"
        f"{f' {changes}' if changes else ''} Seed {recommendation.run.seed}."
    )


def _next(recommendation: Recommendation) -> str:
    if recommendation.too_close:
        return f"It could not be told apart from {listed(recommendation.rivals)}."
    second = recommendation.second
    return f"The next best, {second}, had an error {more(recommendation.margin)}." if second else ""


def _with(mechanism: Mechanism) -> str:
    """The range that predictions are searched in, where the mechanism has one."""
    lower, upper = getattr(mechanism, "lower", None), getattr(mechanism, "upper", None)
    return f" on the range [{lower:g}, {upper:g}]" if lower is not None else ""
