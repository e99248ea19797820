"""Predictions from noisy centred sums, slowly: the definition on given noise, and cdfs by dense quadrature."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from tests.reference.noisy import gauss


def sums(x, y):
    """The sums over the records of (u, w, u^2, uw, w^2), one after another."""
    total = [0.0] * 5
    for a, b in zip(x, y, strict=True):
        u, w = a - 0.5, b - 0.5
        for j, term in enumerate((u, w, u * u, u * w, w * w)):
            total[j] += term
    return total


def statistics(x, y, noise):
    """(mean u, mean w, V, C, W) of the noisy sums."""
    n = len(x)
    t = [s + e for s, e in zip(sums(x, y), noise, strict=True)]
    u, w = t[0] / n, t[1] / n
    return u, w, t[2] - n * u * u, t[3] - n * u * w, t[4] - n * w * w


def slope(v, c, ridge=None):
    """C / V, or C V / (V^2 + ridge); 0 where V <= 0."""
    if v <= 0:
        return 0.0
    return c / v if ridge is None else c * v / (v * v + ridge)


def ridge_of(u, scales, variance):
    """var(noise of C) + var(noise of V), to first order, at mean w = 0."""
    s_u, s_w, s_uu, s_uw = scales[:4]
    return variance * (s_uw**2 + u**2 * s_w**2 + s_uu**2 + (2 * u) ** 2 * s_u**2)


def below(c, first, second, laplace):
    """P(first E1 + second E2 <= c)."""
    if not laplace:
        return ndtr(c / np.hypot(first, second))
    h, m = np.maximum(first, second), np.minimum(first, second)
    x, same = np.abs(c) / (0.5 * (h + m)), h - m < 1e-5 * h
    m = np.where(same, 0.5 * h, np.maximum(m, 1e-9 * h))
    tail = (h**2 * np.exp(-np.abs(c) / h) - m**2 * np.exp(-np.abs(c) / m)) / (2 * (h**2 - m**2))
    tail = np.where(same, 0.5 * np.exp(-x) * (1 + x / 2), tail)
    return np.where(c < 0, tail, 1 - tail)


def density(e, laplace):
    return 0.5 * np.exp(-np.abs(e)) if laplace else np.exp(-0.5 * e * e) / math.sqrt(2 * math.pi)


def prediction_cdf(data, scales, at, ts, laplace=True, ridge=False):
    """P(p <= t) for each t, and P(V <= 0): the two noises of x by quadrature, those of w in closed form."""
    s_u, s_w, s_uu, s_uw = scales[:4]
    n, z = data.n, at - 0.5
    s = sums(data.x.tolist(), data.y.tolist())
    reach = (
        np.r_[0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6.5]
        if not laplace
        else np.r_[0, 0.5, 1, 1.5, 2.5, 4, 6, 9, 13, 18, 25]
    )
    ladder = np.r_[-reach[::-1], reach]
    kinks = [
        sign * math.sqrt(n * (s[2] + k * s_uu))
        for sign in (-1, 1)
        for k in ladder
        if s[2] + k * s_uu >= 0
    ]
    near_z = np.r_[-(2.0 ** np.arange(-8, 3)), 0, 2.0 ** np.arange(-8, 3)] * min(s_uu, s_u)
    edges = np.r_[ladder, (np.array(kinks) - s[0]) / s_u, (n * z - s[0] + near_z) / s_u]
    total, flat = np.zeros(len(ts)), 0.0
    for e, weight in zip(*gauss(np.unique(edges[np.abs(edges) <= reach[-1]])), strict=True):
        weight *= density(e, laplace)
        t_u = s[0] + s_u * e
        q, center = t_u / n, s[2] - t_u * t_u / n
        low = -center / s_uu  # of the noise on Suu, where V = 0
        steps = np.r_[low, low + 2.0 ** np.arange(-26, 5), np.maximum(ladder, low)]
        e2, w2 = gauss(np.unique(steps[(steps >= low) & (steps <= max(low, reach[-1]))]))
        v, w2 = center + s_uu * e2, w2 * density(e2, laplace) * weight
        flat += weight - w2.sum()
        lever = (z - q) * (
            v / (v * v + ridge_of(q, scales, 2.0 if laplace else 1.0)) if ridge else 1 / v
        )
        place = 0.5 + s[1] / n + lever * (s[3] - q * s[1])
        for i, t in enumerate(ts):
            total[i] += w2 @ below(
                t - place, np.abs(1 / n - q * lever) * s_w, np.abs(lever) * s_uw, laplace
            )
    scale = s_w / n
    return total + flat * below(np.array(ts) - 0.5 - s[1] / n, scale, 0.0 * scale, laplace), flat
