"""Draws of a release, their total loss as epsilon, rho and mu, and the guarantees that follow from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import astuple
from enum import Enum
from math import inf, sqrt
from typing import NamedTuple

from ..support import validate
from . import conversions
from .guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, NotPrivate, PureDP, of_group

_ROUNDING = 1e-11  # relative: a loss this near to its limit counts as above it


class NoiseKind(Enum):
    """Kind of the loss of one draw of a release; it decides which losses follow from the size of the draw."""

    PURE = "anything that is eps-DP; size: eps"
    LAPLACE = "Laplace noise on numbers that move by s scales together; size: s"
    BOUNDED_RANGE = "log ratios of probabilities lie in an interval of length eta: an exponential mechanism; size: eta"
    GAUSSIAN = "Gaussian noise on numbers that move by mu standard deviations together, or mu-GDP; size: mu"
    CONCENTRATED = "anything that is rho-zCDP; size: sqrt(2 rho)"
    UNKNOWN = "no loss is known; size: inf"


class Draw(NamedTuple):
    """A random draw of a release: the kind of its loss, and the bound on the loss in the unit of that kind.

    The size is for neighbours that differ in one record. For K records it is at most K times as large: shifts and log
    ratios along a chain of neighbours add up, and so do eps, mu and sqrt(rho) (privacy.of_group).
    """

    kind: NoiseKind
    size: float


class Losses(NamedTuple):
    """Bounds on the loss of a release as epsilon, rho and mu, inf where none is known; or the limits of a guarantee."""

    epsilon: float
    rho: float
    mu: float


# By kind: functions of the size that give epsilon, rho and mu of one draw; None for a loss that is not known.
# A Gaussian pair has D_a = a mu^2 / 2.
_LOSSES: dict[NoiseKind, tuple[Callable[[float], float] | None, ...]] = {
    NoiseKind.PURE: (float, conversions.pure_rho, conversions.pure_mu),
    NoiseKind.LAPLACE: (float, conversions.laplace_rho, conversions.laplace_mu),
    NoiseKind.BOUNDED_RANGE: (float, conversions.bounded_range_rho, conversions.bounded_range_mu),
    NoiseKind.GAUSSIAN: (None, conversions.rho_of, float),
    NoiseKind.CONCENTRATED: (None, conversions.rho_of, None),
    NoiseKind.UNKNOWN: (None, None, None),
}


def losses(draws: Iterable[Draw], records: int = 1) -> Losses:
    """Add up the losses of the draws of a release, where each draw may depend on the draws before.

    epsilon and rho add up over adaptive draws, and so does mu^2 (Dong, Roth and Su 2022, Corollary 3.3). A draw that is
    chosen at random, whatever the data, among several of one kind and size (matchings) counts as one of these draws.

    Parameters
    ----------
    draws : iterable of Draw
        Draws of the release.
    records : int
        Number of records that are replaced.

    Returns
    -------
    Losses
        The least epsilon, rho and mu that follow; inf where none does.

    Examples
    --------
    >>> losses([Draw(NoiseKind.GAUSSIAN, 3.0), Draw(NoiseKind.GAUSSIAN, 4.0)]).mu
    5.0
    """
    epsilon = rho = squared_mu = 0.0
    for (kind, size), count in Counter(draws).items():
        of_draw = [loss(records * size) if loss else inf for loss in _LOSSES[kind]]
        epsilon += count * of_draw[0]
        rho += count * of_draw[1]
        squared_mu += count * of_draw[2] ** 2
    return Losses(epsilon, rho, sqrt(squared_mu))


def known_draw(guarantee: Guarantee) -> Draw:
    """Make the draw that stands for a release of which only a guarantee is known.

    From (epsilon, delta) with delta > 0 neither epsilon, rho nor mu follows.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of the release.
    """
    match guarantee:
        case PureDP(epsilon):
            return Draw(NoiseKind.PURE, epsilon)
        case ZCDP(rho):
            return Draw(NoiseKind.CONCENTRATED, sqrt(2 * rho))
        case GaussianDP(mu):
            return Draw(NoiseKind.GAUSSIAN, mu)
    return Draw(NoiseKind.UNKNOWN, inf)


def equal_draws(guarantee: Guarantee, kind: NoiseKind, parts: int) -> tuple[Draw, ...]:
    """Split a guarantee into equal draws of a kind; one known_draw where the kind does not fit the guarantee.

    Gaussian noise has one mu, which follows from any guarantee that is tight for it, in however many parts.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of all draws together.
    kind : NoiseKind
        Kind of each draw.
    parts : int
        Number of draws.

    Returns
    -------
    tuple of Draw
    """
    exact = kind in (NoiseKind.LAPLACE, NoiseKind.BOUNDED_RANGE, NoiseKind.PURE)
    if isinstance(guarantee, PureDP) and exact:
        return (Draw(kind, guarantee.epsilon / parts),) * parts
    if isinstance(guarantee, ZCDP) and kind is NoiseKind.BOUNDED_RANGE:
        return (Draw(kind, sqrt(8 * guarantee.rho / parts)),) * parts
    if isinstance(guarantee, ZCDP) and kind is NoiseKind.GAUSSIAN:
        return (Draw(kind, sqrt(2 * guarantee.rho)),)
    if isinstance(guarantee, ApproxDP) and kind is NoiseKind.GAUSSIAN:
        return (Draw(kind, conversions.gaussian_mu(guarantee.epsilon, guarantee.delta)),)
    return (known_draw(guarantee),)


def limits(wanted: Guarantee) -> Losses:
    """Compute the largest epsilon, rho and mu each of which alone is enough for a guarantee; 0 where none is.

    Parameters
    ----------
    wanted : Guarantee
        The guarantee to satisfy.

    Raises
    ------
    ValueError
        A number of the guarantee is not above 0, delta is not below 1, or it is not a guarantee of differential
        privacy.
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


def known_guarantee(known: Losses, wanted: Guarantee) -> Guarantee:
    """Derive from losses the strongest guarantee of the same kind as another guarantee.

    Parameters
    ----------
    known : Losses
        Losses of the release.
    wanted : Guarantee
        Guarantee whose kind, and whose delta, the result has.

    Returns
    -------
    Guarantee
        `wanted` itself if no guarantee of its kind follows.

    Examples
    --------
    >>> str(known_guarantee(Losses(1.0, 0.4, 1.2), ZCDP(2.0)))
    'ρ = 0.4 zCDP'
    """
    epsilon, rho, mu = known
    follows = wanted
    match wanted:
        case PureDP():
            follows = PureDP(epsilon)
        case ZCDP():
            follows = ZCDP(min(rho, mu**2 / 2))
        case GaussianDP():
            follows = GaussianDP(min(mu, conversions.pure_mu(epsilon)))
        case ApproxDP(_, delta):
            from_rho = conversions.zcdp_epsilon(rho, delta) if rho < inf else inf
            follows = ApproxDP(
                min(epsilon, from_rho, conversions.gaussian_epsilon(mu, delta)), delta
            )
    return wanted if inf in astuple(follows) else follows


def satisfies(
    guarantee: Guarantee, draws: Iterable[Draw], wanted: Guarantee, limit: Losses, records: int = 1
) -> bool:
    """Whether a release also has the wanted guarantee, by its own guarantee or by the losses of its draws.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of the release for one record.
    draws : iterable of Draw
        Draws of the release.
    wanted : Guarantee
        The guarantee in question.
    limit : Losses
        limits(wanted).
    records : int
        Number of records that may be replaced under the wanted guarantee.
    """
    if isinstance(guarantee, NotPrivate):
        return False
    numbers = zip(astuple(of_group(guarantee, records)), astuple(wanted), strict=False)
    if type(guarantee) is type(wanted) and all(number <= allowed for number, allowed in numbers):
        return True
    pairs = zip(losses(draws, records), limit, strict=True)
    return any(loss * (1 + _ROUNDING) <= allowed for loss, allowed in pairs)
