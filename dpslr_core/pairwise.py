"""Pairs of records: matchings of the complete graph and the pairwise (Theil-Sen) estimates.

The complete graph on n vertices falls apart into *rounds*: perfect matchings, found by the circle method.
For odd n a dummy vertex is added, so that each round leaves one record out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _validate
from ._types import Floats, Integers


def round_count(n: int) -> int:
    """The number of rounds that hold every pair once: n - 1 for even n, n for odd n."""
    return n - 1 if n % 2 == 0 else n


def pair_count(n: int, k: int | None) -> int:
    """The number of pairwise estimates: k floor(n/2), or n(n-1)/2 for all pairs."""
    return n * (n - 1) // 2 if is_complete(n, k) else int(k or 0) * (n // 2)


def is_complete(n: int, k: int | None) -> bool:
    """Whether k matchings of n records mean all pairs: k is None, or k >= n - 1.

    All pairs put each record into n - 1 pairs, for odd n too, so that k = n - 1 buys them at the same price.
    """
    return k is None or k >= n - 1


def lipschitz(n: int, k: int | None) -> int:
    """How many pairwise estimates one record can change: k, or n - 1 for all pairs."""
    return n - 1 if is_complete(n, k) else int(k or 0)


def all_pairs(n: int) -> tuple[Integers, Integers]:
    """Both ends of every pair i < j, two arrays of shape (n(n-1)/2,)."""
    i = np.arange(n)
    first = np.repeat(i, n - 1 - i)
    # Pair number p of record i is with p - i (2n - i - 3) / 2 + 1.
    return first, np.arange(first.size) - (i * (2 * n - i - 3) // 2 - 1)[first]


def rounds(n: int) -> tuple[Integers, Integers]:
    """The round-robin decomposition of the complete graph, two arrays of shape (round_count(n), n // 2).

    Circle method on v = n (or n + 1) vertices: in round r vertex v - 1 meets r, and r + i meets r - i
    modulo v - 1. The pair with the dummy vertex of an odd n is left out.
    """
    vertices = n + n % 2
    r = np.arange(vertices - 1)[:, None]
    i = np.arange(1, vertices // 2)[None, :]
    first, second = (r + i) % (vertices - 1), (r - i) % (vertices - 1)
    if n % 2 == 0:
        first = np.hstack([np.broadcast_to(r, (vertices - 1, 1)), first])
        second = np.hstack([np.full((vertices - 1, 1), vertices - 1), second])
    return first, second


def random_matchings(n: int, k: int, size: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """k rounds without replacement of a randomly relabelled complete graph, afresh for each of size trials.

    Two arrays of shape (size, k * (n // 2)): the records at both ends of each pair.
    """
    _validate.integer(1, k=k)
    total, half = round_count(n), n // 2
    chosen = _distinct(total, k, size, rng)
    vertices = n + n % 2
    i = np.arange(1, half + 1) if n % 2 else np.arange(half)
    r = chosen[:, :, None]
    first, second = (r + i) % (vertices - 1), (r - i) % (vertices - 1)
    if n % 2 == 0:
        second[:, :, 0] = vertices - 1  # i = 0: the vertex that stays put meets r
    labels = rng.permuted(np.broadcast_to(np.arange(n), (size, n)), axis=1)
    shape = (size, k * half)
    return (
        np.take_along_axis(labels, first.reshape(shape), axis=1),
        np.take_along_axis(labels, second.reshape(shape), axis=1),
    )


def _distinct(total: int, k: int, size: int, rng: np.random.Generator) -> Integers:
    """k different numbers below total in each of size rows, shape (size, k), by Floyd's method."""
    if k == 1:
        return rng.integers(total, size=(size, 1))
    chosen = np.full((size, k), -1, dtype=np.int64)
    for step, top in enumerate(range(total - k, total)):
        candidate = rng.integers(top + 1, size=size)
        taken = (chosen[:, :step] == candidate[:, None]).any(axis=1)
        chosen[:, step] = np.where(taken, top, candidate)
    return chosen


def estimates(x: Floats, y: Floats, first: Integers, second: Integers, at: ArrayLike) -> Floats:
    """The predictions at each point by the line through each pair, shape (len(at), *first.shape).

    z = s (at - (x_i + x_j)/2) + (y_i + y_j)/2 with s = (y_j - y_i)/(x_j - x_i) (Algorithm 2). NaN where
    x_i = x_j: the caller decides what a pair without a slope means.
    """
    at = np.asarray(at, dtype=float).reshape(-1, *([1] * first.ndim))
    x_first, x_second, y_first, y_second = x[first], x[second], y[first], y[second]
    run = x_second - x_first
    run[run == 0] = np.nan
    with np.errstate(over="ignore"):
        slope = (y_second - y_first) / run
        np.clip(slope, -1e300, 1e300, out=slope)  # a run of 1e-320 must not make 0 * inf below
        return slope * (at - 0.5 * (x_first + x_second)) + 0.5 * (y_first + y_second)


def within(found: Floats, lower: float, upper: float) -> Floats:
    """Sorted estimates, NaN last, clipped to [lower, upper] and with a place for every NaN; shape kept.

    Pairs with equal x are kept, one at each end in turn (lower first), so that the number of estimates does
    not depend on the data and one record still changes at most as many of them as pairs it is in: of T such
    pairs ceil(T/2) go to lower and floor(T/2) to upper, whatever their order.
    """
    clipped = np.clip(found, lower, upper)
    if not np.isnan(clipped[..., -1]).any():
        return clipped
    size = clipped.shape[-1]
    tied = np.isnan(clipped).sum(axis=-1, keepdims=True)
    if clipped.ndim == 1:
        down = int(tied[0] + 1) // 2
        return np.concatenate([np.full(down, lower), clipped[: size - tied[0]], np.full(tied[0] - down, upper)])
    source = np.arange(size) - (tied + 1) // 2
    moved = np.take_along_axis(clipped, np.clip(source, 0, size - 1), axis=-1)
    return np.where(source < 0, lower, np.where(np.isnan(moved) | (source >= size), upper, moved))


def median_of_sorted(found: Floats) -> Floats:
    """Medians along the last axis of sorted rows, NaN left out; NaN where nothing else is there."""
    known = found.shape[-1] - np.isnan(found).sum(axis=-1, keepdims=True)
    low = np.take_along_axis(found, np.maximum((known - 1) // 2, 0), axis=-1)
    high = np.take_along_axis(found, np.minimum(known // 2, found.shape[-1] - 1), axis=-1)
    return np.where(known > 0, 0.5 * (low + high), np.nan)[..., 0]
