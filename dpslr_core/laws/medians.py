"""Private medians of sorted lists of numbers, as plain functions: exponential, widened, smooth sensitivity.

``z`` holds N numbers inside [lower, upper], sorted along the last axis;
leading axes are trials. ``epsilon`` is the budget per changed number: a list of which one record changes k entries
gets epsilon / k. Draws need only the entries around the middle of each list.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp

import numpy as np

from ..pairs.matchings import SortedEstimates, with_ends
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .piecewise import log_rises, piece_masses

_NARROW = (
    12,
    23,
)  # units of the fall that go to a stretch at the median narrower than the range by these numbers of e-folds
_CHUNK = 1 << 16  # differences formed at a time: they stay in the cache


def exponential_pieces(
    z: Floats, epsilon: float, lower: float, upper: float
) -> tuple[Floats, Floats]:
    """Compute edges and log densities of the exponential mechanism for the median (Algorithm 3).

    Density on [lower, upper] proportional to exp(-epsilon u(r) / 4), u(r) = |#above r - #below r|. Between
    z[i-1] and z[i] u is |N - 2i|. `z` has the shape (..., N), the edges (..., N + 2), the log densities (N + 1,).
    """
    return with_ends(z, lower, upper), exponential_log_density(z.shape[-1], epsilon)


@lru_cache(maxsize=2)  # one entry serves all points and all drawn lists
def exponential_log_density(count: int, epsilon: float) -> Floats:
    """Compute the log densities of exponential_pieces for `count` numbers, shape (count + 1,), read-only."""
    log_density = -0.25 * epsilon * np.abs(np.arange(count, -count - 1, -2, dtype=float))
    log_density.setflags(write=False)
    return log_density


def widened_pieces(
    z: Floats, epsilon: float, lower: float, upper: float, theta: float
) -> tuple[Floats, Floats]:
    """Compute edges and log densities of the theta-widened exponential mechanism from the definition of its utility.

    u(r) = min over |a - r| <= theta of |#above a - #below a|, a itself not counted. |#above - #below| falls up
    to the set M where it is least and rises after it, so u is that curve with all that lies left of M moved
    down by theta, all that lies right of M moved up, and one flat piece from min M - theta to max M + theta.
    M is the gap left of, the gap right of, or the very value of the middle entry (only a value that several
    entries share, or a single middle one, can be better than both gaps).

    Source: Algorithm 4, corrected.

    Parameters
    ----------
    z : array, shape (..., N)
        Sorted along the last axis.
    epsilon : float
        Budget per changed number.
    lower, upper : float, in units of z
    theta : float, in units of z
        The widening, 0 or more.

    Returns
    -------
    edges : array, shape (..., p + 1)
        p is N + 1, or N + 2 where M is a value, which bounds the flat piece on both sides. Pieces may be empty.
    log_density : array, shape (..., p), or (p,) where all rows have the same
    """
    count = z.shape[-1]
    middle = z[..., count // 2, None]
    below, above = (np.count_nonzero(on_side, axis=-1) for on_side in (z < middle, z > middle))
    in_left_gap, in_right_gap, at_value = (
        np.abs(count - 2 * below),
        np.abs(2 * above - count),
        np.abs(above - below),
    )
    on_value = at_value < np.minimum(in_left_gap, in_right_gap)
    split = np.where(~on_value & (in_left_gap <= in_right_gap), below, count - above)
    kinds = np.where(on_value, split + (at_value + 1) * count, split)
    if kinds.min() < kinds.max():
        edges = np.full((*kinds.shape, count + 3), upper)
        log_density = np.full((*kinds.shape, count + 2), -np.inf)
        for kind in np.unique(kinds):
            of_kind, logs = widened_pieces(z[kinds == kind], epsilon, lower, upper, theta)
            edges[kinds == kind, : of_kind.shape[-1]] = of_kind
            log_density[kinds == kind, : logs.size] = logs
        return edges, log_density
    start, value, log_density = (
        split.flat[0],
        on_value.flat[0],
        exponential_log_density(count, epsilon),
    )
    if value:
        log_density = np.insert(log_density, start, -0.25 * epsilon * at_value.flat[0])
    edges = np.empty((*z.shape[:-1], log_density.size + 1))
    np.subtract(z[..., :start], theta, out=edges[..., 1 : start + 1])
    np.add(z[..., start - value :], theta, out=edges[..., start + 1 : -1])
    edges[..., 0], edges[..., -1] = lower, upper
    return np.clip(edges, lower, upper, out=edges), log_density


def lower_median(z: Floats) -> Floats:
    """Return z_m with m = ceil(N/2), shape z.shape[:-1], the entry that smooth_sensitivity is about (Algorithm 5)."""
    return z[..., (z.shape[-1] + 1) // 2 - 1]


def smooth_sensitivity(
    z: Floats, k: int, t: float, lower: float | Floats, upper: float | Floats, least: float = 0.0
) -> Floats:
    """Compute max(S, least), a t-smooth bound on the local sensitivity of z_m to k changed entries; shape z.shape[:-1].

    S = max over l >= 0 of e^(-l t) W(k(l+1)), W(w) = max over s = 0 .. w of z[m+s] - z[m-w+s], m = ceil(N/2) (the
    lemma on smooth sensitivity in the appendix's form, both ends of s included).

    W grows with w and e^(-l t) falls with l, so a stretch l_a < l <= l_b cannot hold more than
    e^(-(l_a + 1) t) W(k(l_b + 1)): stretches that cannot beat the best so far are dropped, the others halved.

    Parameters
    ----------
    z : array, shape (..., N)
        Sorted along the last axis.
    k : int
        Number of entries that one record changes.
    t : float
        Smoothness of the bound.
    lower, upper : float, or array of shape z.shape[:-1]
        Numbers that stand for entries beyond the ends of the list.
    least : float, in units of z
    """
    count = z.shape[-1]
    last = -(-(count + 1) // k) - 1  # the first level whose window is wider than the list
    spread = {
        level: _widest(z, min(k * (level + 1), count + 1), lower, upper) for level in (0, last)
    }
    best = np.maximum(np.maximum(spread[0], exp(-last * t) * spread[last]), least)
    stretches = [(0, last)]
    while stretches:
        checkpoint()
        left, right = stretches.pop()
        if right - left < 2 or np.all(exp(-(left + 1) * t) * spread[right] <= best):
            continue
        half = (left + right) // 2
        spread[half] = _widest(z, k * (half + 1), lower, upper)
        best = np.maximum(best, exp(-half * t) * spread[half])
        stretches += [(half, right), (left, half)]
    return best


def _widest(z: Floats, width: int, lower: float | Floats, upper: float | Floats) -> Floats:
    """Compute W(width), the widest stretch from an entry to the width-th after it around z_m; shape z.shape[:-1]."""
    count, middle = z.shape[-1], (z.shape[-1] + 1) // 2 - 1
    if width > count:
        return np.broadcast_to(np.asarray(upper - lower, dtype=float), z.shape[:-1])
    first, last = max(middle - width, 0), min(middle, count - 1 - width)
    spans = []
    for i in range(first, last + 1, _CHUNK):
        end = min(i + _CHUNK, last + 1)
        spans.append(np.maximum.reduce(z[..., i + width : end + width] - z[..., i:end], axis=-1))
    if width > middle:  # windows that begin before the list
        spans.append(z[..., width - 1] - lower)
    if count - width <= middle:  # windows that end after it
        spans.append(upper - z[..., count - width])
    return spans[0] if len(spans) == 1 else np.maximum.reduce(spans)


def medians_and_sensitivities(
    estimates: SortedEstimates, k: int, t: float, lower: float, upper: float, least: float = 0.0
) -> tuple[Floats, Floats]:
    """Compute lower_median and smooth_sensitivity of every clipped row, shape (...) each.

    Only the entries that the largest window can need are sorted. Their first and last stand in for entries beyond,
    which makes no window wider; and no wider window W(k(l+1)), at most upper - lower, can win once
    e^(-l t) (upper - lower) <= S.

    Parameters
    ----------
    estimates : SortedEstimates, shape (..., N)
    k, t, least
        As in smooth_sensitivity.
    lower, upper : float, in units of the estimates
        Range that the rows are clipped to.
    """
    count = estimates.z.shape[-1]
    levels = 1 + int(min(12 / t, count)) if t > 0 else count
    while (reach := k * levels + 1) < count // 2:
        z = estimates.around(reach, lower, upper)
        spread = smooth_sensitivity(z, k, t, z[..., 0], z[..., -1], least)
        if np.all(np.exp(-levels * t) * (upper - lower) <= spread):
            return lower_median(z), spread
        levels *= 2
    z = estimates.around(count, lower, upper)
    return lower_median(z), smooth_sensitivity(z, k, t, lower, upper, least)


def draw_from_pieces(edges: Floats, log_density: Floats, rng: np.random.Generator) -> Floats:
    """Draw one number per row from uniform pieces by inverting the cdf of the row, shape edges.shape[:-1]."""
    cumulative = np.cumsum(piece_masses(edges, log_density), axis=-1)
    trials = cumulative.shape[:-1]
    piece = _first_above(cumulative, rng.random(trials))
    return _placed(edges[..., :-1], edges[..., 1:], piece, rng.random(trials))


def _first_above(cumulative: Floats, share: Floats) -> Integers:
    """Find the first entry in every row above `share` of the last entry, or the last; shape cumulative.shape[:-1]."""
    above = cumulative > (share * cumulative[..., -1])[..., None]
    above[..., -1] = True
    return above.argmax(axis=-1)


def _placed(left: Floats, right: Floats, piece: Integers, share: Floats) -> Floats:
    """Return the number at `share` of the way from left to right of the chosen piece of every row."""
    low, high = (
        np.take_along_axis(end, piece[..., None], axis=-1)[..., 0] for end in (left, right)
    )
    return low + share * (high - low)


def draw_median(
    estimates: SortedEstimates,
    pieces: Callable[[Floats], tuple[Floats, Floats]],
    epsilon: float,
    lower: float,
    upper: float,
    rng: np.random.Generator,
) -> Floats:
    """Draw one private median per row of estimates, clipped to the range, shape (...).

    Parameters
    ----------
    estimates : SortedEstimates, shape (..., N)
    pieces : callable
        Computes edges and log densities, as exponential_pieces, from sorted numbers with both ends of the range around
        them.
    epsilon : float
        Budget per changed estimate.
    lower, upper : float, in units of the estimates
    rng : Generator
    """
    z = _entries_that_matter(estimates, epsilon, lower, upper, 1)
    edges, log_density = pieces(with_ends(z, lower, upper))
    return draw_from_pieces(edges, log_density, rng)


def draw_together(
    estimates: SortedEstimates, epsilon: float, lower: float, upper: float, rng: np.random.Generator
) -> Floats:
    """Draw all m points of every trial together, with density proportional to exp(-epsilon max_j u_j(r_j) / 4).

    u_j(r) = |#above r - #below r| in the list of point j. The score is at most N - 2 l on the box of the I_j(l) =
    [z_(l), z_(N+1-l)], z sorted: first a level l is drawn, then a point in its box. Returns shape (m, trials).

    Parameters
    ----------
    estimates : SortedEstimates, shape (m, trials, N)
    epsilon : float
        Budget per changed estimate.
    lower, upper : float, in units of the estimates
    rng : Generator
    """
    z = _entries_that_matter(estimates, epsilon, lower, upper, estimates.z.shape[0])
    top = z.shape[-1] // 2
    ends = np.full((*z.shape[:-1], 1), lower), np.full((*z.shape[:-1], 1), upper)
    left = np.concatenate([ends[0], z[..., :top]], axis=-1)
    right = np.concatenate([ends[1], z[..., : z.shape[-1] - top - 1 : -1]], axis=-1)
    with np.errstate(divide="ignore"):
        log_mass = log_rises(np.arange(top + 1), epsilon / 4) + np.log(right - left).sum(axis=0)
    cumulative = np.cumsum(np.exp(log_mass - log_mass.max(axis=-1, keepdims=True)), axis=-1)
    level = np.broadcast_to(_first_above(cumulative, rng.random((left.shape[1],))), left.shape[:-1])
    return _placed(left, right, level, rng.random(left.shape[:-1]))


def _entries_that_matter(
    estimates: SortedEstimates, epsilon: float, lower: float, upper: float, points: int
) -> Floats:
    """Return the sorted and clipped entries that decide a draw at a number of points, shape (..., kept).

    Without d entries at either end |#above - #below| stays the same between the remaining entries, and outside the
    densities are below e^(-epsilon (N - 2d) / 4). The entries left out change less than 1e-17 of the mass, which no
    uniform double can tell. The rng is used as for the whole list.
    """
    count = estimates.z.shape[-1]
    unit = min(2 / epsilon, count)  # ranks in which the density falls to 1/e
    near = 1 + int(4 * unit)
    for narrow in _NARROW:
        reach = 2 + int((44 + narrow * points) * unit)
        if 2 * reach < count:
            z = estimates.around(reach, lower, upper)
            # The mass is at least e^(-near / unit) times the stretches: 40 units of the fall are for 1e-17.
            stretch = z[..., reach + near - 1] - z[..., reach - near]
            middle = z[
                ..., z.shape[-1] // 2
            ]  # its rank would be lost if entries left out were equal to it
            wide = stretch > exp(-narrow) * (upper - lower)
            if np.all(wide & (z[..., 0] < middle) & (middle < z[..., -1])):
                return z
    return estimates.around(count, lower, upper)
