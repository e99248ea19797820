"""Privacy guarantees as values, and the conversions between them.

Neighbouring data sets differ by *replacing one record*; n is public. This holds everywhere in the project.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .support import validate
from .support.amounts import format_amount, in_full


class _Promise:
    """What all guarantees tell about themselves."""

    private: ClassVar[bool] = True  # whether it is a form of differential privacy at all
    pure: ClassVar[bool] = False  # whether it is pure epsilon-differential privacy

    @property
    def promise(self) -> str:
        """What a release satisfies, for a sentence."""
        return str(self)


@dataclass(frozen=True)
class PureDP(_Promise):
    """(epsilon, 0)-differential privacy: Pr[M(d) in E] <= e^epsilon Pr[M(d') in E] for all neighbours d, d'."""

    epsilon: float
    pure: ClassVar[bool] = True

    @property
    def promise(self) -> str:
        return f"{in_full(self.epsilon)}-differential privacy"

    def __str__(self) -> str:
        return f"ε = {format_amount(self.epsilon)}"


@dataclass(frozen=True)
class ApproxDP(_Promise):
    """(epsilon, delta)-differential privacy: as PureDP, up to an additive delta."""

    epsilon: float
    delta: float

    @property
    def promise(self) -> str:
        return f"({self})-differential privacy"

    def __str__(self) -> str:
        return f"ε = {format_amount(self.epsilon)}, δ = {format_amount(self.delta, 2)}"


@dataclass(frozen=True)
class ZCDP(_Promise):
    """rho-zero-concentrated differential privacy: every Rényi divergence of order a is at most rho a."""

    rho: float

    def __str__(self) -> str:
        return f"ρ = {format_amount(self.rho)} zCDP"


@dataclass(frozen=True)
class NotPrivate(_Promise):
    """No differential privacy guarantee, and why."""

    reason: str
    private: ClassVar[bool] = False

    def __str__(self) -> str:
        return "not private"


Guarantee = PureDP | ApproxDP | ZCDP | NotPrivate


def noise_loss(shifts: ArrayLike, guarantee: Guarantee) -> float:
    """The loss of noisy numbers that move by so many scales of their noise: sum |shift|, if Gaussian sum shift^2 / 2.

    shifts: of any shape. The loss is in epsilon for Laplace noise, behind PureDP guarantees; in rho for Gaussian
    noise, behind the others.
    """
    moved = np.abs(shifts)
    return float(np.sum(moved) if isinstance(guarantee, PureDP) else np.sum(moved**2) / 2)


class Spend(NamedTuple):
    """One row of a budget ledger: what is released, and the share of epsilon it takes."""

    what: str
    share: float


def rho_of(epsilon: float) -> float:
    """rho = epsilon^2 / 2, the zCDP budget that (epsilon, 0)-DP implies (Bun and Steinke 2016)."""
    return epsilon**2 / 2


def zcdp_epsilon(rho: float, delta: float) -> float:
    """epsilon = rho + sqrt(4 rho log(sqrt(pi rho) / delta)), the logarithm not below zero.

    The (epsilon, delta)-DP guarantee of a rho-zCDP mechanism, as the paper has it (Lemma on DPGDApprox,
    from Bun and Steinke 2016, Lemma 3.6). Raises ValueError unless rho > 0 and 0 < delta < 1.
    """
    validate.positive(rho=rho)
    validate.inside(0, 1, closed="neither", delta=delta)
    log_term = 0.5 * (math.log(math.pi) + math.log(rho)) - math.log(delta)
    return rho + math.sqrt(4 * rho * max(0.0, log_term))


def zcdp_rho(epsilon: float, delta: float) -> float:
    """The largest rho whose zcdp_epsilon(rho, delta) is at most epsilon, to one unit in the last place.

    ValueError unless epsilon > 0 and 0 < delta < 1. Source: the lemma on DPGDApprox.
    """
    validate.positive(epsilon=epsilon)
    validate.inside(0, 1, closed="neither", delta=delta)
    if zcdp_epsilon(epsilon, delta) <= epsilon:  # so small that the logarithm is cut off at zero
        return epsilon
    low, high = math.log(epsilon) - 1, math.log(epsilon)
    while zcdp_epsilon(math.exp(low), delta) > epsilon:
        low -= 2 * (high - low)
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if zcdp_epsilon(math.exp(middle), delta) <= epsilon else (low, middle)
    return math.exp(low)
