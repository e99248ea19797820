"""The paper's rule of thumb, and the quantities of one setting that it goes by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import exp, sqrt

import numpy as np

from ..mechanisms.base import Mechanism
from ..mechanisms.centered import CenteredSums
from ..mechanisms.noisy_stats import NoisyStats, NoisySufficientStatistics
from ..mechanisms.theil_sen import DPExpTheilSen
from ..privacy import Budget
from ..privacy.accounting import paid
from ..sources.linear import LinearModel

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
    denominator_noise = nvar_noise(NoisyStats(), model, budget)
    assert denominator_noise is not None
    return Circumstances(
        epsilon=budget.epsilon,
        epsilon_nvar=budget.epsilon * nvar,
        var_e=model.var_e,
        slope=model.slope,
        distance=float(np.abs(at - model.x_mean).max()),
        standard_error=sqrt(float(np.mean(model.standard_error(at) ** 2))),
        theta=theta,
        width=upper - lower,
        denominator_noise=denominator_noise,
        failure=0.5 * exp(-1 / denominator_noise),
        edge=exp(-paid(DPExpTheilSen(), budget).epsilon * model.n / (8 * at.size)),
    )


def nvar_noise(mechanism: Mechanism, model: LinearModel, budget: Budget) -> float | None:
    """The scale of an algorithm's own noise on n var(x), relative to n var(x); None where it has no such noise.

    mechanism: the algorithm with its hyperparameters. model: the public guesses of the data. budget: as it is paid for.
    Of centred sums it is the noise on the sum of u^2: to first order all that there is where the mean of x is 1/2.
    """
    epsilon = paid(mechanism, budget).epsilon
    if isinstance(mechanism, NoisySufficientStatistics):
        scale = float(mechanism.noise_scale(1 - 1 / model.n, epsilon, mechanism.split[0]))
    elif isinstance(mechanism, CenteredSums):
        scale = float(mechanism.noise_scale(epsilon)[2])
    else:
        return None
    return scale / (model.n * model.var_x)


class RuleOfThumb(Enum):
    """The cases of the paper's guidance, the special ones first."""

    WIDE_RANGE = "wide range and small epsilon"
    BELOW_THETA = "standard error below theta"
    LARGE_PRODUCT = "much information and enough noise about the line"
    LITTLE_NOISE = "much information, little noise about the line"
    SMALL_PRODUCT = "little information"

    @property
    def algorithms(self) -> tuple[str, ...]:
        """What the paper would choose."""
        return _CHOICES.get(self, ("DPExpTheilSen",))


_CHOICES = {
    RuleOfThumb.WIDE_RANGE: ("NoisyStats",),
    RuleOfThumb.BELOW_THETA: ("DPWideTheilSen", "DPSSTheilSen"),
    RuleOfThumb.LARGE_PRODUCT: ("NoisyStats",),
}


def rule_of_thumb(c: Circumstances) -> RuleOfThumb:
    """The paper's guidance, the special cases first.

    Wide range and epsilon << 1: NoisyStats. Standard error below theta: DPWideTheilSen or DPSSTheilSen.
    epsilon n var(x) > 400 and var_e >= 0.01: NoisyStats. Otherwise DPExpTheilSen. Source: Section "Robustness vs.
    Non-robustness: Guidance for Algorithm Selection".
    """
    if c.width >= WIDE and c.epsilon <= SMALL_EPSILON:
        return RuleOfThumb.WIDE_RANGE
    if c.standard_error < c.theta:
        return RuleOfThumb.BELOW_THETA
    if c.epsilon_nvar > LARGE:
        return RuleOfThumb.LARGE_PRODUCT if c.var_e >= NOISY else RuleOfThumb.LITTLE_NOISE
    return RuleOfThumb.SMALL_PRODUCT
