"""What a release consists of, what its draws lose in all, in every currency, and whether that keeps a guarantee."""

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
    """How the loss of one draw of a release is made, which decides what else its size implies."""

    PURE = "anything that is eps-DP; size: eps"
    LAPLACE = "Laplace noise on numbers that move by s scales together; size: s"
    BOUNDED_RANGE = "log ratios of probabilities lie in an interval of length eta: an exponential mechanism; size: eta"
    GAUSSIAN = "Gaussian noise on numbers that move by mu standard deviations together, or mu-GDP; size: mu"
    CONCENTRATED = "anything that is rho-zCDP; size: sqrt(2 rho)"
    UNKNOWN = "no loss is known; size: inf"


class Draw(NamedTuple):
    """One random draw of a release: the kind of its loss and, in the unit of that kind, how large the loss may be.

    size: for neighbours that differ in one record; in K records it is at most K times as large, as shifts and log
    ratios of a chain of neighbours add up, and so do eps, mu and sqrt(rho) (privacy.of_group).
    """

    kind: NoiseKind
    size: float


class Losses(NamedTuple):
    """The least epsilon, rho and mu that are known to hold; inf where none is. Of limits: the most that is allowed."""

    epsilon: float
    rho: float
    mu: float


# By kind: the functions of the size that give epsilon, rho and mu of one draw, None where nothing is known of them.
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
    """What is known of a release that consists of these draws, each of which may depend on those before.

    records: how many are replaced. epsilon and rho add up over adaptive draws, and so does mu^2 (Dong, Roth and Su
    2022, Corollary 3.3). Draws that are made at random, whatever the data, among several of one kind and size
    (matchings) lose no more than one of these.

    >>> losses([Draw(NoiseKind.GAUSSIAN, 3.0), Draw(NoiseKind.GAUSSIAN, 4.0)]).mu
    5.0
    """
    epsilon = rho = squared_mu = 0.0
    for (kind, size), count in Counter(draws).items():
        each = [known(records * size) if known else inf for known in _LOSSES[kind]]
        epsilon, rho, squared_mu = (
            epsilon + count * each[0],
            rho + count * each[1],
            squared_mu + count * each[2] ** 2,
        )
    return Losses(epsilon, rho, sqrt(squared_mu))


def known_draw(guarantee: Guarantee) -> Draw:
    """The one draw that stands for a release of which a guarantee is known and no more.

    Of (epsilon, delta) with delta > 0 neither epsilon, rho nor mu follows.
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
    """So many equal draws of a kind that have this guarantee together; one known_draw where the kind does not fit.

    Gaussian noise has one mu, which follows from any guarantee that is tight for it, in however many parts.
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


def known_guarantee(known: Losses, wanted: Guarantee) -> Guarantee:
    """The strongest guarantee of the same kind as another one that follows from losses; delta is that of the other.

    The other one itself where none follows.

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
    """Whether a release with this guarantee, made of these draws, has another one too; limit: limits(wanted).

    records: how many may be replaced under the wanted guarantee; under the first, and in the draws, it is one.
    """
    if isinstance(guarantee, NotPrivate):
        return False
    numbers = zip(astuple(of_group(guarantee, records)), astuple(wanted), strict=False)
    if type(guarantee) is type(wanted) and all(number <= allowed for number, allowed in numbers):
        return True
    known = zip(losses(draws, records), limit, strict=True)
    return any(loss * (1 + _ROUNDING) <= allowed for loss, allowed in known)
