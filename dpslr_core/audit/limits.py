"""Limits that a guarantee sets: to tests between neighbours, to odds after a release, and to the least noise.

A test says "after" or "before" on seeing a release, as in ``pair``. Source: Dong, Roth and Su (2022).
"""

from __future__ import annotations

from math import ceil, exp, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr, ndtri

from ..laws.named import Laplace
from ..laws.piecewise import PiecewiseUniform
from ..privacy import ZCDP, ApproxDP, Guarantee, Losses
from ..support import validate
from ..support.types import Floats

_SMALLEST = 80.0  # log density of staircase noise, below the top, at which the steps end
_MOST_STEPS = 20_000


# ---------------------------------------------------------------- tests


def allowed_misses(guarantee: Guarantee, known: Losses, false_alarms: ArrayLike) -> Floats:
    """The fewest misses that a guarantee leaves possible at each share of false alarms; same shape.

    known: what is known of the noise beside the guarantee (privacy.losses): epsilon and mu are used, rho only where
    they are infinite. Each bound holds, so the largest does; 0 where nothing is promised.
    """
    alpha = np.asarray(false_alarms, dtype=float)
    bounds = [np.zeros_like(alpha)]
    if known.epsilon < inf:
        bounds.append(approximate_curve(known.epsilon, 0.0, alpha))
    if known.mu < inf:
        bounds.append(gaussian_curve(known.mu, alpha))
    if isinstance(guarantee, ApproxDP):
        bounds.append(approximate_curve(guarantee.epsilon, guarantee.delta, alpha))
    if isinstance(guarantee, ZCDP) and known.mu == inf:
        bounds.append(concentrated_curve(guarantee.rho, alpha))
    return np.max(bounds, axis=0)


def approximate_curve(epsilon: float, delta: float, false_alarms: ArrayLike) -> Floats:
    """f_(epsilon, delta)(a) = max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)); same shape as a.

    P(after says "after") <= e^epsilon P(before says "after") + delta, and the same of "before".
    """
    alpha = np.asarray(false_alarms, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        steep = 1 - delta - np.where(alpha > 0, np.exp(np.minimum(epsilon, 700.0)) * alpha, 0.0)
    return np.maximum(0.0, np.maximum(steep, np.exp(-epsilon) * (1 - delta - alpha)))


def gaussian_curve(mu: float, false_alarms: ArrayLike) -> Floats:
    """G_mu(a) = Phi(Phi^-1(1 - a) - mu); same shape as a."""
    return np.asarray(ndtr(-ndtri(np.asarray(false_alarms, dtype=float)) - mu))


def concentrated_curve(rho: float, false_alarms: ArrayLike) -> Floats:
    """A lower bound on the misses of rho-zCDP; same shape as the shares of false alarms a.

    An event with probability q on one side and s on the other has s^c q^(1-c) <= e^((c-1) rho c) for each order c > 1,
    so that s <= S(q), the least e^((1 - 1/c) log q + (c-1) rho) over many orders. So 1 - misses <= S(a), and
    1 - a <= S(misses).
    """
    alpha = np.asarray(false_alarms, dtype=float)
    grid = expit(np.linspace(-30, 30, 2001))  # of misses; the one below the solution is taken
    solved = np.append(0.0, grid)[np.searchsorted(_largest_power(grid, rho), 1 - alpha)]
    return np.asarray(np.maximum(1 - _largest_power(alpha, rho), solved))


def _largest_power(level: Floats, rho: float) -> Floats:
    """S of concentrated_curve at levels of shape (m,)."""
    orders = 1 + np.geomspace(1e-3, 1e3, 600)
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.multiply.outer(np.log(level), 1 - 1 / orders) + (orders - 1) * rho
    return np.asarray(np.exp(np.minimum(logs.min(axis=-1), 0.0)))


def largest_success(guarantee: Guarantee, known: Losses) -> float:
    """The largest attack_success that a guarantee leaves possible."""
    alpha = np.concatenate([np.geomspace(1e-9, 0.01, 500), np.linspace(0.01, 1, 2000)])
    return float(1 - (alpha + allowed_misses(guarantee, known, alpha)).min() / 2)


# ---------------------------------------------------------------- odds


class Beliefs(NamedTuple):
    """The probability of a claim before a release, and the least and the largest that it may have afterwards."""

    prior: float
    least: float
    largest: float


def posterior(prior: float, log_factor: ArrayLike) -> Floats:
    """The probability of a claim after an outcome that is e^log_factor times as likely if it is true.

    Odds after = odds before times the factor (Bayes). Same shape as log_factor. ValueError unless 0 < prior < 1.

    >>> float(posterior(0.1, np.log(6)))
    0.4
    """
    validate.inside(0, 1, closed="neither", prior=prior)
    with np.errstate(over="ignore"):
        return np.asarray(expit(logit(prior) + np.asarray(log_factor, dtype=float)))


def beliefs(prior: float, rise: float, fall: float | None = None) -> Beliefs:
    """The least and the largest probability of a claim after a release.

    rise, fall: an outcome is at most e^rise times as likely if the claim is true, and at least e^-fall times; fall is
    rise where only one number is given. ValueError where prior is not between 0 and 1, or rise or fall is negative.
    """
    fall = rise if fall is None else fall
    validate.inside(0, np.inf, rise=rise, fall=fall)
    least, largest = posterior(prior, [-fall, rise]).tolist()
    return Beliefs(prior, least, largest)


# ---------------------------------------------------------------- the least noise


def staircase_law(epsilon: float) -> PiecewiseUniform:
    """The law of staircase noise for a number that one record moves by up to 1.

    Density, up to a factor: e^(-k epsilon) for |t| in [k, k + g), e^(-(k+1) epsilon) in [k + g, k + 1), with
    g = 1 / (1 + e^(epsilon/2)), which has the least expected |noise|. A move by up to 1 crosses one step at most, so
    that densities differ by a factor of e^epsilon at most. Steps below e^-80, which nobody will see, are left out.
    Source: Geng and Viswanath (2016). ValueError unless epsilon > 0.
    """
    validate.positive(epsilon=epsilon)
    steps = min(_MOST_STEPS, max(2, ceil(_SMALLEST / epsilon)))
    near = 1 / (1 + exp(min(epsilon / 2, 700.0)))
    k = np.arange(steps)
    right = np.ravel(np.column_stack([k, k + near])).astype(float)
    heights = np.ravel(np.column_stack([-k * epsilon, -(k + 1) * epsilon]))
    edges = np.concatenate([[-float(steps)], -right[:0:-1], right, [float(steps)]])
    heights = np.concatenate([heights[::-1], heights])
    return PiecewiseUniform(edges, heights)


def laplace_law(epsilon: float) -> Laplace:
    """The law of Laplace noise for a number that one record moves by up to 1. ValueError unless epsilon > 0."""
    validate.positive(epsilon=epsilon)
    return Laplace(0.0, 1 / epsilon)


def noise_ratio(epsilon: float, share: float = 68.0) -> float:
    """C(share) of staircase noise over that of Laplace noise."""
    return staircase_law(epsilon).error_bound(share, 0.0) / laplace_law(epsilon).error_bound(share, 0.0)
