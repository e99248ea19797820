"""Laws of NoisyStats, and a second, slow route to them: quadrature over the two noises of the slope."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy.special import ndtr

from dpslr_core.laws.ratio import NoisySlopeLaw
from dpslr_core.mechanisms import NoisyStats, NoisyStatsGaussian

MECHANISMS = [NoisyStats(), NoisyStatsGaussian()]

# name: epsilon, n, nvar, ncov, mean y, at - mean x
CASES = {
    "typical": (8, 100, 3.0, 1.5, 0.45, -0.25),
    "failure almost 1/2": (8, 39, 0.0245, 0.0123, 0.4, 0.3),
    "slope 1": (16, 60, 0.4, 0.4, 0.5, 0.25),
    "slope -1": (16, 60, 0.4, -0.4, 0.5, 0.25),
    "at the mean": (8, 100, 3.0, 1.0, 0.5, 0.0),
    "equal x": (8, 50, 0.0, 0.0, 0.5, 0.3),
    "almost equal x": (8, 50, 1e-12, 1e-7, 0.5, 0.3),
    "huge slope": (50, 200, 1e-3, 0.3, 0.5, 0.3),
    "only noise": (1e-4, 100, 3.0, 1.5, 0.45, 0.25),
    "no noise": (1e6, 400, 12.0, 5.0, 0.45, 0.25),
    "a million records": (8, 1_000_000, 3e4, 1e4, 0.5, 0.2),
    "far from the data": (8, 100, 0.8, 0.4, 0.5, 50.0),
}


def law_of(mechanism, case) -> NoisySlopeLaw:
    epsilon, n, nvar, ncov, y_mean, distance = case
    statistics = SimpleNamespace(n=n, nvar=nvar, ncov=ncov, x_mean=0.0, y_mean=y_mean)
    return mechanism._laws(statistics, epsilon, np.array([distance]))[0]


def scales(mechanism, n, epsilon) -> tuple[float, float, float]:
    """Of the noise on nvar, on ncov and on an intercept at slope 0."""
    sensitivities = (1 - 1 / n, 1 - 1 / n, 1 / n)
    of_each = zip(sensitivities, mechanism.split, strict=True)
    of_nvar, of_ncov, c = (
        float(mechanism.noise_scale(each, epsilon, share)) for each, share in of_each
    )
    return of_nvar, of_ncov, c


def centre_and_width(mechanism, case) -> tuple[float, float]:
    """The OLS prediction (the mean of y where noise drowns nvar) and a rough width of the law."""
    epsilon, n, nvar, ncov, y_mean, distance = case
    of_nvar, of_ncov, c = scales(mechanism, n, epsilon)
    steep = (of_ncov + abs(ncov)) / (of_nvar + nvar)
    centre = y_mean + ncov / nvar * distance if nvar > of_nvar else y_mean
    return centre, (1 + steep) * (c + max(of_nvar, of_ncov) / (of_nvar + nvar) * abs(distance))


NODES, WEIGHTS = np.polynomial.legendre.leggauss(14)
LADDER = 4.0 ** np.arange(-6, 5)


def gauss(edges):
    low, high = edges[..., :-1, None], edges[..., 1:, None]
    half, shape = 0.5 * (high - low), (*edges.shape[:-1], -1)
    return (low + half * (1 + NODES)).reshape(shape), (half * WEIGHTS).reshape(shape)


def noise_of(mechanism):
    """The density of the noise, P(noise > z) for z >= 0, and panel edges out to where 1e-18 is left of it."""
    if isinstance(mechanism, NoisyStats):
        reach = np.r_[0, 0.01, 0.1, 0.4, 1, np.arange(2, 45, 3.0)]
        return (lambda e: 0.5 * np.exp(-np.abs(e))), (lambda z: 0.5 * np.exp(-z)), reach
    bell = lambda e: np.exp(-0.5 * np.minimum(e * e, 1e4)) / np.sqrt(2 * np.pi)  # noqa: E731
    return bell, (lambda z: ndtr(-z)), np.arange(0, 10, 1.0)


def two_dimensional(mechanism, case, t) -> np.ndarray:
    """P(p <= t), P(p > t) and the density at t, by quadrature over both noises of the slope, from the definition.

    e2 is the noise of nvar, e1 that of ncov, in units of their scale; given both, p is a shifted, scaled noise.
    """
    epsilon, n, nvar, ncov, y_mean, distance = case
    of_nvar, of_ncov, c = scales(mechanism, n, epsilon)
    density, _, reach = noise_of(mechanism)
    a, u, tau, distance = nvar / of_nvar, ncov / of_ncov, t - y_mean, distance * of_ncov / of_nvar
    tiny = np.r_[0.0, 4.0 ** np.arange(-40, 1)] * max(1, a)
    edges = [-reach, reach, tiny - a, a * 2.0 ** -np.arange(12) - a]
    if (
        distance and tau and u * distance / tau > 0
    ):  # where the kink of the inner integrand meets its other kink
        meet = u * distance / tau - a
        wide = c * (abs(u) * of_ncov / of_nvar + meet + a) / abs(tau) * 4.0 ** np.arange(-2, 12)
        edges.append(np.r_[meet - wide, meet, meet + wide, meet - LADDER, meet + LADDER])
    edges = np.concatenate(edges)
    e2, w2 = gauss(np.unique(edges[(edges >= max(-a, -reach[-1])) & (edges <= reach[-1])]))
    given = [given_nvar(mechanism, case, t, part) for part in np.array_split(e2, 1 + e2.size // 10)]
    return np.concatenate(given, axis=1) @ (density(e2) * w2)


def given_nvar(mechanism, case, t, e2) -> np.ndarray:
    """The three integrals over e1, for each e2; shape (3, len(e2))."""
    epsilon, n, nvar, ncov, y_mean, distance = case
    of_nvar, of_ncov, c = scales(mechanism, n, epsilon)
    density, tail, reach = noise_of(mechanism)
    unit = of_ncov / of_nvar
    a, u, tau, lever = nvar / of_nvar, ncov / of_ncov, t - y_mean, distance * unit
    v = np.maximum(a + e2, 1e-300)[:, None]
    kink = tau * v / lever - u if distance else np.full_like(v, -u)
    wide = c * (unit * np.abs(kink + u) + v) / abs(lever) if distance else v
    edges = [
        np.broadcast_to(np.r_[-reach, reach[1:]], (v.size, 2 * reach.size - 1)),
        kink + wide * np.array([-200, -60, -30, -10, -3, 0, 3, 10, 30, 60, 200.0]),
        np.r_[-LADDER, 0, LADDER] * v - u,
    ]
    e1, w1 = gauss(np.sort(np.clip(np.concatenate(edges, axis=1), -reach[-1], reach[-1]), axis=1))
    scale = c * (unit * np.abs(u + e1) + v)
    centre = a * (t - (y_mean + ncov / nvar * distance)) if nvar > 0 else 0.0
    z = np.clip((centre + tau * e2[:, None] - e1 * lever) / scale, -1e9, 1e9)
    full = density(e1) * w1
    small = tail(np.abs(z)) * full
    rows = (
        np.where(z < 0, small, full - small),
        np.where(z < 0, full - small, small),
        density(z) * full * v / scale,
    )
    return np.array([row.sum(axis=1) for row in rows])
