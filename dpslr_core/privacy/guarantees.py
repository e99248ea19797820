"""Privacy guarantees as values, for one record and for a person with several; the rows of a ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import expm1, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.readable import format_amount, in_full


@dataclass(frozen=True)
class Guarantee:
    """A privacy guarantee: a property of a release between neighbours. The subclasses below are all its kinds."""

    @property
    def bare(self) -> Guarantee:
        """The guarantee without the number of records of a person."""
        return self

    @property
    def private(self) -> bool:
        """Whether the guarantee is a form of differential privacy."""
        return not isinstance(self.bare, NotPrivate)

    @property
    def pure(self) -> bool:
        """Whether the guarantee is pure epsilon-differential privacy."""
        return isinstance(self.bare, PureDP)

    @property
    def promise(self) -> str:
        """Name of the guarantee in a sentence."""
        return str(self)


@dataclass(frozen=True)
class PureDP(Guarantee):
    """(epsilon, 0)-differential privacy: Pr[M(d) in E] <= e^epsilon Pr[M(d') in E] for all neighbours d, d'."""

    epsilon: float

    @property
    def promise(self) -> str:
        return f"{in_full(self.epsilon)}-differential privacy"

    def __str__(self) -> str:
        return f"ε = {format_amount(self.epsilon)}"


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    """(epsilon, delta)-differential privacy: the inequality of PureDP holds up to an additive delta."""

    epsilon: float
    delta: float

    @property
    def promise(self) -> str:
        return f"({self})-differential privacy"

    def __str__(self) -> str:
        return f"ε = {format_amount(self.epsilon)}, δ = {format_amount(self.delta, 2)}"


@dataclass(frozen=True)
class ZCDP(Guarantee):
    """rho-zero-concentrated differential privacy: every Rényi divergence of order a is at most rho a."""

    rho: float

    def __str__(self) -> str:
        return f"ρ = {format_amount(self.rho)} zCDP"


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """mu-Gaussian differential privacy: neighbours are no easier to tell apart than N(0, 1) and N(mu, 1).

    Every test between them at level alpha has power at most 1 - Phi(Phi^-1(1 - alpha) - mu). Source: Dong, Roth and
    Su (2022).
    """

    mu: float

    def __str__(self) -> str:
        return f"μ = {format_amount(self.mu)} Gaussian privacy"


@dataclass(frozen=True)
class NotPrivate(Guarantee):
    """No guarantee of differential privacy, with the reason."""

    reason: str

    def __str__(self) -> str:
        return "not private"


def of_group(guarantee: Guarantee, records: int) -> Guarantee:
    """Derive the guarantee for data sets that differ by replacing up to K = ``records`` records.

    eps -> K eps; (eps, delta) -> (K eps, delta (e^(K eps) - 1) / (e^eps - 1)); rho -> K^2 rho; mu -> K mu. NotPrivate
    stays so. The proofs use neighbours P = P_0, P_1, ..., P_K = Q, some of them equal if fewer records are replaced.

    * (eps, delta). P_0(E) <= e^eps P_1(E) + delta <= ... <= e^(K eps) P_K(E) + delta (1 + e^eps + ... + e^((K-1) eps)),
      at most K e^((K-1) eps) delta; eps-DP is delta = 0.
    * rho. By Hoelder with the exponent p = (K a - 1) / ((K-1) a),
      D_a(P_0, P_K) <= K a / (K a - 1) D_b(P_0, P_(K-1)) + D_(K a)(P_(K-1), P_K), b = (K a - 1) / (K - 1). With
      D_b <= (K-1)^2 rho b by induction this is at most rho a (K (K-1) + K) = K^2 rho a.
    * mu. A test of level s between P and Q has, between P and a P' that is mu-GDP with it, power at most
      Phi(Phi^-1(s) + mu); as a test of that level between P' and Q, nu-GDP, power at most Phi(Phi^-1(s) + mu + nu).

    Source: Dwork and Roth (2014), Theorem 2.2; Bun and Steinke (2016), Proposition 27; Dong, Roth and Su (2022),
    Theorem 2.14.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee for one record.
    records : int
        Number of records; ValueError unless a whole number, 1 or more.

    Examples
    --------
    >>> str(of_group(PureDP(0.5), 4)), str(of_group(ZCDP(0.5), 4))
    ('ε = 2', 'ρ = 8 zCDP')
    """
    validate.integer(1, records=records)
    match guarantee:
        case PureDP(epsilon):
            return PureDP(records * epsilon)
        case ApproxDP(epsilon, delta):
            try:
                times = expm1(records * epsilon) / expm1(epsilon) if records > 1 else 1.0
            except OverflowError:
                times = inf
            return ApproxDP(records * epsilon, min(1.0, delta * times))
        case ZCDP(rho):
            return ZCDP(records**2 * rho)
        case GaussianDP(mu):
            return GaussianDP(records * mu)
    return guarantee


@dataclass(frozen=True)
class ForPerson(Guarantee):
    """A guarantee for people who have up to ``records`` records each; its texts name that number."""

    guarantee: Guarantee
    records: int

    @property
    def bare(self) -> Guarantee:
        return self.guarantee

    @property
    def promise(self) -> str:
        return f"{self.guarantee.promise} for people with up to {self.records} records each"

    def __str__(self) -> str:
        return (
            f"{self.guarantee} for {self.records} records" if self.private else str(self.guarantee)
        )


def noise_loss(shifts: ArrayLike, guarantee: Guarantee) -> float:
    """Compute the loss of noisy numbers that move: sum |shift| with Laplace noise, sum shift^2 / 2 with Gaussian noise.

    Parameters
    ----------
    shifts : array_like, any shape
        Shifts of the numbers, in scales of the noise.
    guarantee : Guarantee
        PureDP for Laplace noise; any other guarantee for Gaussian noise.

    Returns
    -------
    float
        epsilon for Laplace noise, rho for Gaussian noise.

    Examples
    --------
    >>> noise_loss([1.0, -2.0], PureDP(3.0)), noise_loss([1.0, -2.0], ZCDP(2.5))
    (3.0, 2.5)
    """
    moved = np.abs(shifts)
    return float(np.sum(moved) if isinstance(guarantee, PureDP) else np.sum(moved**2) / 2)


class Spend(NamedTuple):
    """A row of a budget ledger: a released statistic and its share of the budget.

    The shares of a ledger add up to epsilon. The cost of a row in the unit of the guarantee, such as rho, comes from
    ``booked``.

    Attributes
    ----------
    what : str
        Name of the statistic.
    share : float
        Share of the total epsilon.
    at : float or None
        Point of the release, in the unit square; None if the row is not for one point.
    """

    what: str
    share: float
    at: float | None = None


def part_of(guarantee: Guarantee, share: float) -> Guarantee:
    """Compute the guarantee of a part of a release with this share of the budget: epsilon, delta, rho and mu^2 add up.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of the whole release.
    share : float
        Share of the part, from 0 to 1.

    Examples
    --------
    >>> str(part_of(ZCDP(2.0), 0.5)), str(part_of(GaussianDP(2.0), 0.25))
    ('ρ = 1 zCDP', 'μ = 1 Gaussian privacy')
    """
    match guarantee:
        case PureDP(epsilon):
            return PureDP(share * epsilon)
        case ApproxDP(epsilon, delta):
            return ApproxDP(share * epsilon, share * delta)
        case ZCDP(rho):
            return ZCDP(share * rho)
        case GaussianDP(mu):
            return GaussianDP(sqrt(share) * mu)
    return guarantee


def booked(ledger: Iterable[Spend], guarantee: Guarantee) -> list[tuple[Spend, Guarantee]]:
    """Pair each row of a ledger with its cost; the costs add up to the guarantee of the whole release.

    Parameters
    ----------
    ledger : iterable of Spend
        Rows of the ledger.
    guarantee : Guarantee
        Guarantee of the release. Without privacy the costs are the epsilons that the rows would have.

    Returns
    -------
    list of (Spend, Guarantee)
    """
    rows = list(ledger)
    total = sum(row.share for row in rows)
    total_cost = guarantee if guarantee.private else PureDP(total)
    return [(row, part_of(total_cost, row.share / total)) for row in rows]
