"""Pairs of records: matchings of the complete graph and the pairwise (Theil-Sen) estimates.

The complete graph on n vertices falls apart into *rounds*: perfect matchings, built by the circle method.
For odd n a dummy vertex is added, so that each round leaves one record out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers

# Estimates from the x and the y of both ends of pairs: shape (points, *ends.shape), NaN where both x are equal.
Lines = Callable[[tuple[Floats, Floats], tuple[Floats, Floats]], Floats]
_CHUNK = 1 << 16  # estimates formed at a time: what is done with them stays in the cache


def round_count(n: int) -> int:
    """The number of rounds that hold every pair of n records once: n - 1 for even n, n for odd n."""
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
    """How many pairwise estimates one record can change: k, or n - 1 for all pairs (the lemma on k matchings)."""
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
    modulo v - 1. The pair with the dummy vertex of an odd n is left out. Source: Algorithm 2, where n is even.
    """
    vertices = n + n % 2
    r = np.arange(vertices - 1)[:, None]
    i = np.arange(1, vertices // 2)[None, :]
    first, second = (r + i) % (vertices - 1), (r - i) % (vertices - 1)
    if n % 2 == 0:
        first = np.hstack([np.broadcast_to(r, (vertices - 1, 1)), first])
        second = np.hstack([np.full((vertices - 1, 1), vertices - 1), second])
    return first, second


def matched_estimates(x: Floats, y: Floats, k: int, size: int, lines: Lines, rng: np.random.Generator) -> Floats:
    """The estimates from k random matchings in each of size trials, shape (points, size, k * (n // 2)).

    A trial relabels the records at random and draws k rounds without replacement.

    x, y: the records, each of shape (n,).
    k: the number of matchings, 1 or more, else ValueError.
    size: the number of trials.
    lines: lines(x ends, y ends) of shape (points, *ends.shape), such as partial(lines_through, at=points).
    rng: the generator that all randomness comes from.

    Source: Algorithm 2.
    """
    labels, chosen = _relabelled(x.size, k, size, rng)
    trials = max(1, _CHUNK // (k * (x.size // 2)))
    parts = []
    for start in range(0, size, trials):
        checkpoint()
        part = slice(start, start + trials)
        x_ends, y_ends = _ends([x[labels[part]], y[labels[part]]], chosen[part])
        parts.append(lines(x_ends, y_ends).reshape(-1, len(labels[part]), k * (x.size // 2)))
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _relabelled(n: int, k: int, size: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """The records in the order of their labels, shape (size, n), and the numbers of the rounds, shape (size, k)."""
    validate.integer(1, k=k)
    chosen = _distinct(round_count(n), k, size, rng)
    return rng.permuted(np.broadcast_to(np.arange(n), (size, n)), axis=1), chosen


def _distinct(total: int, k: int, size: int, rng: np.random.Generator) -> Integers:
    """k different numbers below total in each of size rows, shape (size, k), by Floyd's method."""
    tops = np.arange(total - k, total)
    chosen = rng.integers(tops[:, None] + 1, size=(k, size)).T
    ordered = np.sort(chosen, axis=1)
    rows = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    for step in range(1, k) if rows.size else ():
        taken = (chosen[rows, :step] == chosen[rows, step, None]).any(axis=1)
        chosen[rows[taken], step] = tops[step]
    return chosen


def _ends(columns: Sequence[NDArray], chosen: Integers) -> list[tuple[NDArray, NDArray]]:
    """What stands in each column at both ends of the pairs of the chosen rounds, of shape (size * k, n // 2).

    columns: shape (size, n), in the order of the labels. chosen: shape (size, k). On a circle written down twice r + i
    and r - i are neighbours for i = 0, 1, ..., so that a round is one stretch forwards and one backwards: no index per
    pair.
    """
    n, row, r = columns[0].shape[1], np.repeat(np.arange(len(chosen)), chosen.shape[1]), chosen.ravel()
    circle, odd = round_count(n), n % 2  # for odd n from i = 1 on: at i = 0 is who meets the dummy vertex
    forth, back, ends = r + odd, circle - 1 + odd - r, []
    for column in columns:
        twice = np.concatenate([column[:, :circle], column[:, :circle]], axis=1)
        first = windows(twice, n // 2)[row, forth]
        second = windows(twice[:, ::-1].copy(), n // 2)[row, back]
        if not odd:
            second[:, 0] = column[row, -1]  # i = 0: the vertex that stays put meets r
        ends.append((first, second))
    return ends


def windows(rows: NDArray, width: int) -> NDArray:
    """Every stretch of so many entries of each row, shape (size, length) made (size, length - width + 1, width): views.

    As numpy's sliding_window_view of contiguous rows, which takes a hundred times as long.
    """
    size, length = rows.shape
    down, right = rows.strides
    return np.ndarray((size, length - width + 1, width), rows.dtype, rows, strides=(down, right, right))


def estimates(x: Floats, y: Floats, first: Integers, second: Integers, lines: Lines) -> Floats:
    """The estimate from each pair of records, shape (points, *first.shape), formed some at a time.

    x, y: the records, each of shape (n,).
    first, second: the records at both ends of the pairs, of one shape.
    lines: as in matched_estimates.
    """
    ends = zip(*(np.split(end.ravel(), range(_CHUNK, end.size, _CHUNK)) for end in (first, second)), strict=True)
    parts = [lines((x[i], x[j]), (y[i], y[j])) for i, j in ends]
    return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts], axis=1).reshape(-1, *first.shape)


def lines_through(x: tuple[Floats, Floats], y: tuple[Floats, Floats], at: ArrayLike) -> Floats:
    """The heights at each point of the lines through two records each, shape (*at.shape, *x[0].shape).

    z = s (at - (x_i + x_j)/2) + (y_i + y_j)/2 with s = (y_j - y_i)/(x_j - x_i) (Algorithm 2). NaN where
    x_i = x_j: the caller decides what a pair without a slope means.
    """
    at = np.asarray(at, dtype=float)
    run = x[1] - x[0]
    run[run == 0] = np.nan
    slope = y[1] - y[0]
    with np.errstate(over="ignore"):
        slope /= run
        np.clip(slope, -1e300, 1e300, out=slope)  # a run of 1e-320 must not make 0 * inf below
        height = at.reshape(*at.shape, *([1] * run.ndim)) - 0.5 * (x[0] + x[1])
        height *= slope
        height += 0.5 * (y[0] + y[1])
    return height


def clip_and_place_ties(estimates: Floats, lower: float, upper: float) -> Floats:
    """Sorted estimates, NaN last, clipped to [lower, upper] and with a place for every NaN; shape kept.

    Pairs with equal x are kept, one at each end in turn (lower first), so that the number of estimates does
    not depend on the data and one record still changes at most as many of them as pairs it is in: of T such
    pairs ceil(T/2) go to lower and floor(T/2) to upper, whatever their order. lower, upper: in units of the estimates.
    Algorithm 2 drops such pairs instead.
    """
    clipped = np.clip(estimates, lower, upper)
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


def with_ends(z: Floats, lower: float, upper: float) -> Floats:
    """Lists inside [lower, upper] with both ends of the range around them, shape (..., N) made (..., N + 2)."""
    edges = np.empty((*z.shape[:-1], z.shape[-1] + 2))
    edges[..., 0], edges[..., 1:-1], edges[..., -1] = lower, z, upper
    return edges
