"""Gauss-Legendre panels whose number of nodes grows with the mass that they hold."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...support.types import Floats, Integers
from .noises import Noise

MOST_NODES = 7  # of a panel
_DIGITS = 8.5  # each node of a panel is worth about a digit; so many are sought of the whole
LIGHT = 1e-9  # panels of less mass are left out
_SHARP_MASS = 1e-6  # panels of less mass are not cut further


def cut(low: Floats, high: Floats, count: Floats, mass: Floats) -> tuple[Integers, Floats, Floats]:
    """(number, low, high) of equal parts of intervals: of each as many as its count, but few where its mass is small.

    All arguments of shape (intervals,), the result of shape (parts,); number is that of the interval.
    """
    parts = np.minimum(np.maximum(count, 1), 1 + mass / _SHARP_MASS).astype(int)
    number = np.repeat(np.arange(low.size), parts)
    place = np.arange(number.size) - np.repeat(np.cumsum(parts) - parts, parts)
    length = ((high - low) / parts)[number]
    return number, low[number] + place * length, low[number] + (place + 1) * length


def noise_nodes(
    noise: Noise, low: Floats, high: Floats, center: Floats, mass: Floats
) -> tuple[Integers, Floats, Floats]:
    """(panel, place, weight) of nodes for noise about center, on panels between low and high.

    mass: what the nodes of each panel add up to, of which the number of its nodes is made. All arguments of shape
    (panels,), the result of shape (nodes,).
    """
    with np.errstate(divide="ignore"):
        digits = np.ceil(_DIGITS + np.log10(mass))
    count = np.where(mass > LIGHT, np.clip(digits, 1, MOST_NODES), 0).astype(int)
    parts = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))]
    for nodes in np.unique(count[count > 0]).tolist():
        panel = np.flatnonzero(count == nodes)
        x, weight = _legendre(nodes)
        middle, half = 0.5 * (low[panel] + high[panel]), 0.5 * (high[panel] - low[panel])
        place = middle[:, None] + half[:, None] * x
        share = weight * noise.density(np.abs(place - center[panel, None]))
        share *= (mass[panel] / share.sum(axis=1))[:, None]
        parts.append((np.repeat(panel, nodes), place.ravel(), share.ravel()))
    panels, places, weights = zip(*parts, strict=True)
    return np.concatenate(panels), np.concatenate(places), np.concatenate(weights)


@cache
def _legendre(count: int) -> tuple[Floats, Floats]:
    """The nodes and weights of Gauss-Legendre quadrature on [-1, 1], shape (count,) each."""
    return np.polynomial.legendre.leggauss(count)
