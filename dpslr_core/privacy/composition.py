"""What a release of several parts loses in all, whatever the currency, and whether that is within a guarantee."""

from __future__ import annotations

from dataclasses import astuple
from enum import Enum
from math import inf, sqrt
from typing import NamedTuple

from ..support import validate
from . import conversions
from .guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, NotPrivate, PureDP, of_group

_ROUNDING = 1e-11  # relative: a loss this near to its limit counts as above it


class NoiseKind(Enum):
    """How the loss of each part of a release is made, which decides what more than its epsilon is known of it."""

    PURE = "anything that is eps-DP"
    LAPLACE = "Laplace noise on numbers that move by eps scales together"
    BOUNDED_RANGE = "an exponential mechanism: log densities differ by a number and at most eps / 2 either way"
    GAUSSIAN = "Gaussian noise on numbers that move by mu standard deviations together"


class Losses(NamedTuple):
    """The least epsilon, rho and mu that are known to hold; inf where none is. Of limits: the most that is allowed."""

    epsilon: float
    rho: float
    mu: float


_UNKNOWN = Losses(inf, inf, inf)
_RHO = {
    NoiseKind.PURE: conversions.pure_rho,
    NoiseKind.LAPLACE: conversions.laplace_rho,
    NoiseKind.BOUNDED_RANGE: conversions.bounded_range_rho,
}
_MU = {
    NoiseKind.PURE: conversions.pure_mu,
    NoiseKind.LAPLACE: conversions.laplace_mu,
    NoiseKind.BOUNDED_RANGE: conversions.bounded_range_mu,
}


def losses(guarantee: Guarantee, kind: NoiseKind, parts: int, records: int = 1) -> Losses:
    """What is known of a release with this guarantee in so many equal parts, each with a loss of this kind.

    records: how many are replaced; the guarantee is that for one. Its parts keep their kind and are so many times as
    large: shifts and log ratios of a chain of neighbours add up.

    epsilon and rho add up over adaptive parts, and so does mu^2 (Dong, Roth and Su 2022, Corollary 3.3). Parts that
    choose at random, whatever the data, among releases of one kind (matchings) lose no more than the worst of these.
    """
    if isinstance(guarantee, PureDP) and kind is not NoiseKind.GAUSSIAN:
        return _of_parts(records * guarantee.epsilon / parts, kind, parts)
    if isinstance(guarantee, ZCDP) and kind is NoiseKind.BOUNDED_RANGE:
        of_parts = _of_parts(records * sqrt(8 * guarantee.rho / parts), kind, parts)
        return of_parts._replace(rho=min(of_parts.rho, records**2 * guarantee.rho))
    mu = records * _gaussian(guarantee, kind)
    if isinstance(guarantee, ZCDP):
        return Losses(inf, records**2 * guarantee.rho, mu)
    return Losses(inf, mu**2 / 2, mu)  # a Gaussian pair has D_a = a mu^2 / 2


def _of_parts(size: float, kind: NoiseKind, parts: int) -> Losses:
    return Losses(parts * size, parts * _RHO[kind](size), sqrt(parts) * _MU[kind](size))


def _gaussian(guarantee: Guarantee, kind: NoiseKind) -> float:
    """mu of a release: of Gaussian noise it follows from any guarantee that is tight for it."""
    if isinstance(guarantee, GaussianDP):
        return guarantee.mu
    if kind is NoiseKind.GAUSSIAN and isinstance(guarantee, ZCDP):
        return sqrt(2 * guarantee.rho)
    if kind is NoiseKind.GAUSSIAN and isinstance(guarantee, ApproxDP):
        return conversions.gaussian_mu(guarantee.epsilon, guarantee.delta)
    return inf


def limits(wanted: Guarantee) -> Losses:
    """The largest epsilon, rho and mu each of which is enough for a guarantee; 0 where none is.

    ValueError where its numbers are not above 0, delta is not below 1, or it is none of differential privacy.
    """
    match wanted:
        case PureDP(epsilon):
            validate.positive(epsilon=epsilon)
            return Losses(epsilon, 0.0, 0.0)
        case ZCDP(rho):
            validate.positive(rho=rho)
            return Losses(0.0, rho, sqrt(2 * rho))
        case GaussianDP(mu):
            validate.positive(mu=mu)
            return Losses(0.0, 0.0, mu)
        case ApproxDP(epsilon, delta):
            within = (conversions.pure_epsilon, conversions.zcdp_rho, conversions.gaussian_mu)
            return Losses(*(convert(epsilon, delta) for convert in within))
    raise ValueError(f"guarantee must be one of differential privacy, got {wanted!r}")


def satisfies(
    guarantee: Guarantee, kind: NoiseKind, parts: int, wanted: Guarantee, limit: Losses, records: int = 1
) -> bool:
    """Whether a release of so many parts of a kind, with a guarantee, has another one too; limit: limits(wanted).

    records: how many may be replaced under the wanted guarantee; under the first it is one.
    """
    if isinstance(guarantee, NotPrivate):
        return False
    numbers = zip(astuple(of_group(guarantee, records)), astuple(wanted), strict=False)
    if type(guarantee) is type(wanted) and all(number <= allowed for number, allowed in numbers):
        return True
    known = zip(losses(guarantee, kind, parts, records), limit, strict=True)
    return any(loss * (1 + _ROUNDING) <= allowed for loss, allowed in known)
