"""How many standard deviations on either side: normal sampling error and Laplace or Gaussian noise together."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import log_ndtr, ndtri, stdtrit

from ..support.types import Floats

_NODES, _HALVINGS = 65, 60
_LARGEST_FREEDOM = 1e12
_THIN = 1e-6  # a Laplace part below this share of the deviation is none


def critical_value(level: float, sampling: Floats, noise: Floats, heavy: bool, freedom: Floats) -> Floats:
    """The number of standard deviations on either side that holds a share level, shape (size, m).

    sampling: the variance of the sampling error, shape (size, m), estimated with freedom degrees of freedom, shape
    (size, 1).
    noise: the variances of independent noises, shape (k, size, m); heavy: Laplace, otherwise Gaussian.

    A sum of normal and Laplace variables is taken for one normal and one Laplace variable of the same variance and
    kurtosis: that Laplace variable has the share sqrt(sum v_j^2) / sum of all of the variance. Exact where one noise or
    none matters. The estimated variance adds what a t quantile adds to a normal one, with Satterthwaite's degrees
    freedom (total / sampling)^2.
    """
    total = sampling + noise.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(np.sqrt((noise**2).sum(axis=0)) / total) if heavy else np.zeros_like(total)
        degrees = np.nan_to_num(freedom * (total / sampling) ** 2, nan=np.inf, posinf=np.inf)
    upper = (1 + level) / 2
    wider = stdtrit(np.minimum(degrees, _LARGEST_FREEDOM), upper) - ndtri(upper)
    return np.interp(share, np.linspace(0, 1, _NODES), _quantiles(level)) + wider


@cache
def _quantiles(level: float) -> Floats:
    """t with P(|sqrt(1 - w) Z + sqrt(w / 2) Lap(1)| <= t) = level, for w = 0, ..., 1; shape (_NODES,), by bisection."""
    share = np.linspace(0, 1, _NODES)
    low, high = np.zeros(_NODES), np.full(_NODES, 4.0 - 2 * np.log1p(-level))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        beyond = 2 * upper_tail(middle, np.sqrt(1 - share), np.sqrt(share / 2)) > 1 - level
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return 0.5 * (low + high)


def upper_tail(t: Floats, deviation: Floats, scale: Floats) -> Floats:
    """P(deviation Z + scale Lap(1) > t) for t >= 0, all of one shape.

    With s = deviation and b = scale, the normal density against the tail of the Laplace law:
    Phi(-t/s) + (e^(s^2 / 2b^2) / 2) (e^(-t/b) Phi(t/s - s/b) - e^(t/b) Phi(-t/s - s/b)).
    """
    s, b = np.maximum(deviation, _THIN), np.maximum(scale, _THIN)
    grow = 0.5 * (s / b) ** 2
    with np.errstate(over="ignore", under="ignore"):
        mixed = np.exp(grow - t / b + log_ndtr(t / s - s / b)) - np.exp(grow + t / b + log_ndtr(-t / s - s / b))
        normal = np.exp(log_ndtr(-t / s))
    return np.where(scale < _THIN, normal, normal + 0.5 * mixed)
