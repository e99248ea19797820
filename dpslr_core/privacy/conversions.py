"""Conversions between kinds of privacy: one currency for pure, Laplace, exponential and Gaussian mechanisms.

P and Q are the distributions of a release on two neighbours, D_a(P, Q) the Renyi divergence of order a, Phi the
standard normal distribution function, phi its density and R(z) = (1 - Phi(z)) / phi(z). rho-zCDP: D_a <= rho a for all
a > 1. mu-GDP: the trade-off curve of (P, Q), the least type II error at each level alpha, is nowhere below
G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), which is convex. Processing a release adds no loss.

Three facts, proved once, are used below.
(1) If log P/Q lies in [t - eta, t], then P/Q is, under Q, no more spread (in convex order) than a variable of mean 1 on
    the two ends alone, so that (P, Q) loses no more than two coins that show heads with probabilities
    p = (1 - e^(t-eta)) / (1 - e^-eta) and q = e^-t p. For eps-DP: eta = 2 eps, t = eps, p = 1 - q = 1 / (1 + e^-eps).
(2) The trade-off curve of two coins is two straight lines that meet at (q, 1 - p). G_mu is convex with the same ends,
    so that it is below exactly if mu >= Phi^-1(p) - Phi^-1(q).
(3) rho adds up over adaptive releases, and so does mu^2, exactly for Gaussian noise.

>>> from dpslr_core.privacy import gaussian_mu, pure_rho, zcdp_epsilon
>>> round(pure_rho(1.0), 4), round(zcdp_epsilon(0.5, delta=1e-6), 2), round(gaussian_mu(1.0, delta=1e-6), 3)
(0.4621, 5.22, 0.237)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, expm1, inf, log, log1p, nextafter, sqrt, tanh

import numpy as np
from scipy.special import erfcx, erfinv, ndtr, ndtri_exp

from ..support import validate

_LEAST, _MOST = 2.0**-70, 2.0**70  # range of the search for roots
# Orders of Renyi divergences; every order gives a valid bound.
_ORDERS = 1 + np.geomspace(1e-4, 1e9, 5_000)
_LOG_C = (_ORDERS - 1) * np.log1p(-1 / _ORDERS) - np.log(_ORDERS)  # log c_a of zcdp_rho


def rho_of(epsilon: float) -> float:
    """Compute rho = epsilon^2 / 2, the paper's budget of zCDP, which eps-DP implies. Source: Bun and Steinke (2016).

    Above epsilon = 2 it is far more than pure_rho, the least rho that eps-DP implies.

    Parameters
    ----------
    epsilon : float
        Budget, 0 or more.
    """
    return epsilon**2 / 2


def pure_rho(epsilon: float) -> float:
    """Compute the least rho such that every eps-DP release is rho-zCDP: epsilon tanh(epsilon / 2).

    By (1) D_a <= [f(a - 1/2) - f(1/2)] / (a - 1) with f(t) = log cosh(t eps), for the two coins with equality. As
    tanh(t eps) / t falls in t, f'(t) <= 2 t eps tanh(eps/2) from t = 1/2 on, and the integral is a (a - 1) eps
    tanh(eps/2). Tight as a falls to 1, where D_1 is the coins' Kullback-Leibler divergence.

    Parameters
    ----------
    epsilon : float
        Budget, 0 or more.
    """
    return epsilon * tanh(epsilon / 2)


def laplace_rho(shift: float) -> float:
    """Compute the least rho of Laplace noise on coordinates that move by `shift` together: shift + e^-shift - 1.

    One coordinate: D_a(s) = log[(a e^((a-1) s) + (a-1) e^(-a s)) / (2a - 1)] / (a - 1) and a (s + e^-s - 1) are 0 at
    s = 0, and the slope of the second is larger, as that comes to a sinh((a-1) s) <= (a-1) sinh(a s): sinh(x) / x
    rises. Tight as a falls to 1. More coordinates: D_a(s) is a logarithm of a sum of exponentials, so convex, and 0 at
    0, so that D_a(s) + D_a(t) <= D_a(s + t): one coordinate alone is the worst.

    Parameters
    ----------
    shift : float
        Sum of the absolute shifts, in scales of the noise; 0 or more.
    """
    if shift > 0.01:
        return shift + expm1(-shift)
    return shift**2 / 2 * (1 - shift / 3 * (1 - shift / 4 * (1 - shift / 5 * (1 - shift / 6))))


def bounded_range_rho(eta: float) -> float:
    """Compute a rho for log P/Q with a range of length eta: eta^2 / 8, or less if eta-DP implies less.

    K(a) = log E_Q e^(a log P/Q) is 0 at a = 0 and 1, and K'' is a variance of a variable on an interval of length eta,
    at most eta^2 / 4; so K(a) <= a (a - 1) eta^2 / 8, and D_a = K(a) / (a - 1). The range holds 0: eta-DP follows.

    Parameters
    ----------
    eta : float
        Length of the range of log P/Q, 0 or more.
    """
    return min(eta**2 / 8, pure_rho(eta))


def pure_mu(epsilon: float) -> float:
    """Compute the least mu such that every eps-DP release is mu-GDP, -2 Phi^-1(1 / (1 + e^epsilon)), by (1) and (2).

    Parameters
    ----------
    epsilon : float
        Budget, 0 or more.
    """
    return _twice_normal_quantile(tanh(epsilon / 2), -epsilon - log1p(exp(-epsilon)))


def laplace_mu(shift: float) -> float:
    """Compute the least mu of Laplace noise on coordinates that move by `shift` together: -2 Phi^-1(e^(-shift/2) / 2).

    One coordinate: the curve is F(F^-1(1 - alpha) - s), F the Laplace distribution function, so that mu is the largest
    g(x) - g(x - s), g = Phi^-1 F. g is odd, and g' = R(g) falls for x > 0, so that the largest is at x = s/2:
    mu(s) = 2 g(s/2). More coordinates: the slope of g^2 is 2 g R(g), and z R(z) rises (its slope is
    (1 + z^2) R(z) - z > 0), so that mu^2 is convex and 0 at 0: one coordinate alone is the worst.

    Parameters
    ----------
    shift : float
        Sum of the absolute shifts, in scales of the noise; 0 or more.
    """
    return _twice_normal_quantile(-expm1(-shift / 2), -shift / 2 - log(2))


def bounded_range_mu(eta: float) -> float:
    """Compute the least mu of log P/Q with a range of length eta, which is pure_mu(eta / 2).

    By (1) and (2) mu is the largest b - a, Phi(b) = p and Phi(a) = q, over t in [0, eta]; t and eta - t give the same.
    Its slope in t has the sign of e^(eta - 2t) - e^((b^2 - a^2) / 2). For t < eta/2, where |a| < |b|, the slope is
    positive. For then eta - 2t = L(a) - L(b) with L = log(Phi (1 - Phi)), and L(z) + z^2 / 2 falls in
    |z|, because z Phi (1 - Phi) <= (2 Phi - 1) phi for z >= 0. Up to z = 1.27 this holds by
    1 - (2 Phi - 1)^2 <= e^(-z^2/2) (a disc in a square) and 2 Phi(z) - 1 >= z sqrt(2 pi) / 4, and beyond by
    z R(z) < (z^2 + 2) / (z^2 + 3). So the largest is at t = eta/2.

    Parameters
    ----------
    eta : float
        Length of the range of log P/Q, 0 or more.
    """
    return pure_mu(eta / 2)


def _twice_normal_quantile(excess: float, log_tail: float) -> float:
    """Compute -2 Phi^-1(c) from excess = 1 - 2c >= 0 and log_tail = log c; exact for c near 1/2 or near 0."""
    return float(2 * sqrt(2) * erfinv(excess) if excess < 0.5 else -2 * ndtri_exp(log_tail))


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Compute the least delta with which mu-GDP is (epsilon, delta)-DP.

    delta = Phi(-c) - e^epsilon Phi(-c - mu) with c = epsilon/mu - mu/2. As e^epsilon phi(c + mu) = phi(c), this is
    phi(c) [R(c) - R(c + mu)], which cannot overflow. Source: Balle and Wang (2018), Theorem 8; Dong, Roth and Su
    (2022), Corollary 2.13.

    Parameters
    ----------
    mu : float
        Shift in standard deviations, above 0.
    epsilon : float
        Budget, 0 or more.
    """
    c = epsilon / mu - mu / 2
    half_density = exp(-c * c / 2) / 2
    first = ndtr(-c) if c < 0 else half_density * erfcx(c / sqrt(2))
    return max(0.0, float(first - half_density * erfcx((c + mu) / sqrt(2))))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Compute the least epsilon, 0 or more, with which mu-GDP is (epsilon, delta)-DP.

    Parameters
    ----------
    mu : float
        Shift in standard deviations, 0 or more, possibly inf.
    delta : float
        Additive slack; ValueError unless inside (0, 1).
    """
    validate.inside(0, 1, closed="neither", delta=delta)
    if mu == 0 or mu == inf:
        return mu
    too_small = largest(lambda epsilon: gaussian_delta(mu, epsilon) > delta)
    return 0.0 if too_small is None else nextafter(too_small, inf)


@lru_cache(maxsize=4096)
def gaussian_mu(epsilon: float, delta: float) -> float:
    """Compute the largest mu with which mu-GDP is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Budget; ValueError unless above 0.
    delta : float
        Additive slack; ValueError unless inside (0, 1).
    """
    _check(epsilon, delta)
    return largest(lambda mu: gaussian_delta(mu, epsilon) <= delta) or 0.0


def zcdp_rho(epsilon: float, delta: float) -> float:
    """Compute a rho such that every rho-zCDP release is (epsilon, delta)-DP: the largest over many orders a > 1.

    delta <= E max(0, 1 - e^(epsilon - Z)) for the loss Z = log P/Q under P, and max(0, 1 - e^-z) <= c_a e^((a-1) z)
    with c_a = (1 - 1/a)^(a-1) / a, so that delta <= c_a e^((a-1) (a rho - epsilon)); solved for rho.
    Source: Canonne, Kamath and Steinke (2020), Proposition 12.

    Parameters
    ----------
    epsilon : float
        Budget; ValueError unless above 0.
    delta : float
        Additive slack; ValueError unless inside (0, 1).
    """
    _check(epsilon, delta)
    return max(0.0, float(np.max((epsilon + (log(delta) - _LOG_C) / (_ORDERS - 1)) / _ORDERS)))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Compute an epsilon such that every rho-zCDP release is (epsilon, delta)-DP, by the bound of zcdp_rho.

    Parameters
    ----------
    rho : float
        Budget of zCDP; ValueError unless above 0.
    delta : float
        Additive slack; ValueError unless inside (0, 1).
    """
    _check(rho, delta)
    return max(0.0, float(np.min(_ORDERS * rho + (_LOG_C - log(delta)) / (_ORDERS - 1))))


def pure_epsilon(epsilon: float, delta: float) -> float:
    """Compute the largest epsilon' such that every epsilon'-DP release is (epsilon, delta)-DP.

    By (1) the worst delta is p - e^epsilon q = (e^epsilon' - e^epsilon) / (1 + e^epsilon').

    Parameters
    ----------
    epsilon : float
        Budget; ValueError unless above 0.
    delta : float
        Additive slack; ValueError unless inside (0, 1).
    """
    _check(epsilon, delta)
    return epsilon + log1p(delta * exp(-epsilon)) - log1p(-delta)


def _check(epsilon: float, delta: float) -> None:
    """Raise ValueError unless epsilon is above 0 and delta inside (0, 1)."""
    validate.positive(epsilon=epsilon)
    validate.inside(0, 1, closed="neither", delta=delta)


def largest(fits: Callable[[float], bool]) -> float | None:
    """Find the largest float, from 2^-70 to 2^70, for which a condition holds; None if there is none.

    Parameters
    ----------
    fits : callable
        Condition on a float; where it holds it must hold for all smaller floats.

    Examples
    --------
    >>> largest(lambda number: number**2 <= 9)
    3.0
    """
    low, high = _LEAST, _MOST
    if not fits(low):
        return None
    if fits(high):
        return high
    while True:
        middle = sqrt(low * high) if high > 2 * low else (low + high) / 2
        if middle in (low, high):
            return low
        low, high = (middle, high) if fits(middle) else (low, middle)
