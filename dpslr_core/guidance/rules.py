"""The paper's rule of thumb, and its reasons as numbers of one setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from ..mechanisms.base import Mechanism
from ..sources.linear import LinearModel
from ..support.run import Budget

LARGE = 400.0  # of epsilon n var(x)
NOISY = 0.01  # of var_e
WIDE = 10.0  # of upper - lower: the paper's wide range is 100, its usual one 2
SMALL_EPSILON = 0.1  # "much less than 1"


@dataclass(frozen=True)
class Circumstances:
    """The quantities in which the paper explains what wins; public guesses all of them.

    standard_error: of the OLS prediction, root mean square over the points; distance: the largest
    |x_new - mean x|; denominator_noise: the scale of NoisyStats' noise on n var(x), relative to n var(x);
    failure: the share of its releases without an answer; edge: the weight of an answer at the end of
    [lower, upper] in DPExpTheilSen over all pairs, relative to the median's: exp(-epsilon n / (8 m)).
    """

    epsilon: float
    epsilon_nvar: float
    var_e: float
    slope: float
    distance: float
    standard_error: float
    theta: float
    width: float
    denominator_noise: float
    failure: float
    edge: float


def circumstances(model: LinearModel, budget: Budget, lower: float, upper: float, theta: float) -> Circumstances:
    """The quantities of a setting.

    model: the public guesses of the data.
    budget: epsilon, for all points together, and the points.
    lower, upper: the range of predictions, in units of y.
    theta: the widening, in units of y.

    Source: Section "Robustness vs. Non-robustness: Guidance for Algorithm Selection".
    """
    nvar, at = model.n * model.var_x, np.array(budget.at)
    noise = 3 * (1 - 1 / model.n) / budget.epsilon
    return Circumstances(
        epsilon=budget.epsilon,
        epsilon_nvar=budget.epsilon * nvar,
        var_e=model.var_e,
        slope=model.slope,
        distance=float(np.abs(at - model.x_mean).max()),
        standard_error=sqrt(float(np.mean(model.standard_error(at) ** 2))),
        theta=theta,
        width=upper - lower,
        denominator_noise=noise / nvar,
        failure=0.5 * exp(-nvar / noise),
        edge=exp(-budget.epsilon * model.n / (8 * at.size)),
    )


@dataclass(frozen=True)
class RuleOfThumb:
    """What the paper would choose, and why in one sentence."""

    algorithms: tuple[str, ...]
    because: str


def rule_of_thumb(c: Circumstances) -> RuleOfThumb:
    """The paper's guidance, the special cases first.

    Wide range and epsilon << 1: NoisyStats. Standard error below theta: DPWideTheilSen or DPSSTheilSen.
    epsilon n var(x) > 400 and var_e >= 0.01: NoisyStats. Otherwise DPExpTheilSen. Source: Section "Robustness vs.
    Non-robustness: Guidance for Algorithm Selection".
    """
    if c.width >= WIDE and c.epsilon <= SMALL_EPSILON:
        return RuleOfThumb(
            ("NoisyStats",), f"the range is {_written(c.width)} wide and ε = {c.epsilon:.3g} far below 1"
        )
    if c.standard_error < c.theta:
        because = f"the standard error, {c.standard_error:.2g}, is below θ = {c.theta:g}"
        return RuleOfThumb(("DPWideTheilSen", "DPSSTheilSen"), because)
    product, noise = f"ε n σₓ² = {_written(c.epsilon_nvar)}", f"σₑ² = {c.var_e:.3g}"
    if c.epsilon_nvar > LARGE and c.var_e >= NOISY:
        return RuleOfThumb(("NoisyStats",), f"{product} is above {LARGE:g} and {noise} at least {NOISY:g}")
    if c.epsilon_nvar > LARGE:
        return RuleOfThumb(("DPExpTheilSen",), f"{noise} is below {NOISY:g}, though {product} is above {LARGE:g}")
    return RuleOfThumb(("DPExpTheilSen",), f"{product} is not above {LARGE:g}")


def _written(value: float) -> str:
    """Three digits, and all before the point: no exponent where numbers are large."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def factors(c: Circumstances, mechanisms: Sequence[Mechanism]) -> list[tuple[str, str, str]]:
    """(quantity, value, meaning) for the factors in the paper's Section "Robustness vs. Non-robustness".

    Only those that matter to one of the mechanisms, and said of no other.
    """
    names = {type(mechanism).__name__ for mechanism in mechanisms}
    rows = [
        ("ε n σₓ²", _written(c.epsilon_nvar), _of_product(c, "NoisyStats" in names)),
        ("σₑ²", f"{c.var_e:.3g}", _of_noise(c, {"NoisyStats", "DPExpTheilSen"} <= names)),
        ("largest |x_new − mean x|", f"{c.distance:.3g}", _of_distance(c)),
    ]
    if any(hasattr(mechanism, "theta") for mechanism in mechanisms):
        rows.append(("standard error against θ", f"{c.standard_error:.3g} against {c.theta:g}", _of_theta(c)))
    if "DPExpTheilSen" in names:
        range_and_epsilon = f"{_written(c.width)}, ε = {_written(c.epsilon)}"
        rows.append(("width of [lower, upper] against ε", range_and_epsilon, _of_range(c)))
    return rows


def _of_product(c: Circumstances, noisy_stats: bool) -> str:
    if not noisy_stats:
        return "How much the data tell about the slope, times the budget."
    fails = f"; it has no answer in {c.failure:.0%} of its releases" if c.failure >= 0.005 else ""
    noise = c.denominator_noise
    size = f"{noise:.0%} of it" if noise < 1.995 else f"{_written(float(f'{noise:.2g}'))} times it"
    return f"NoisyStats divides by n var(x) with noise of {size}{fails}."


def _of_noise(c: Circumstances, both: bool) -> str:
    if c.var_e >= NOISY:
        who = "NoisyStats' fixed noise" if both else "noise of a fixed size"
        return f"Residual variance is large, so {who} matters less."
    if both:
        return "Little noise about the line: DPExpTheilSen adapts to it, the noise of NoisyStats does not."
    return "Little noise about the line: noise that adapts to it gains most."


def _of_distance(c: Circumstances) -> str:
    return f"An error of the slope is multiplied by this; a flat line would be off by {abs(c.slope) * c.distance:.3g}."


def _of_theta(c: Circumstances) -> str:
    if c.standard_error < c.theta:
        return "Pairwise estimates almost coincide, so widening by θ helps, at the price of an error up to θ."
    return "Pairwise estimates are spread out, so θ helps only at small ε."


def _of_range(c: Circumstances) -> str:
    if c.edge > 1e-3:
        return (
            f"At the end of the range DPExpTheilSen's density is still {c.edge:.2g} of that at the median: the range "
            "matters, and a narrower one would help."
        )
    return "The output range barely matters here."
