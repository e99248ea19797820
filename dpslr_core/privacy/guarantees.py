"""Privacy guarantees as values, the loss of noisy numbers, and the rows of a ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..support.accounting import Promise
from ..support.amounts import format_amount, in_full


@dataclass(frozen=True)
class PureDP(Promise):
    """(epsilon, 0)-differential privacy: Pr[M(d) in E] <= e^epsilon Pr[M(d') in E] for all neighbours d, d'."""

    epsilon: float
    pure: ClassVar[bool] = True

    @property
    def promise(self) -> str:
        return f"{in_full(self.epsilon)}-differential privacy"

    def __str__(self) -> str:
        return f"ε = {format_amount(self.epsilon)}"


@dataclass(frozen=True)
class ApproxDP(Promise):
    """(epsilon, delta)-differential privacy: as PureDP, up to an additive delta."""

    epsilon: float
    delta: float

    @property
    def promise(self) -> str:
        return f"({self})-differential privacy"

    def __str__(self) -> str:
        return f"ε = {format_amount(self.epsilon)}, δ = {format_amount(self.delta, 2)}"


@dataclass(frozen=True)
class ZCDP(Promise):
    """rho-zero-concentrated differential privacy: every Rényi divergence of order a is at most rho a."""

    rho: float

    def __str__(self) -> str:
        return f"ρ = {format_amount(self.rho)} zCDP"


@dataclass(frozen=True)
class GaussianDP(Promise):
    """mu-Gaussian differential privacy: neighbours are no easier to tell apart than N(0, 1) and N(mu, 1).

    Every test between them at level alpha has power at most 1 - Phi(Phi^-1(1 - alpha) - mu). Source: Dong, Roth and
    Su (2022).
    """

    mu: float

    def __str__(self) -> str:
        return f"μ = {format_amount(self.mu)} Gaussian privacy"


@dataclass(frozen=True)
class NotPrivate(Promise):
    """No differential privacy guarantee, and why."""

    reason: str
    private: ClassVar[bool] = False

    def __str__(self) -> str:
        return "not private"


Guarantee = PureDP | ApproxDP | ZCDP | GaussianDP | NotPrivate


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
