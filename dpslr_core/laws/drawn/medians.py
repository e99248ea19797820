"""Draws of the private medians of many lists, from the entries around their middles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from ...pairs.partially_sorted import PartiallySorted
from ...support.types import Floats, Integers
from ..medians import clipped
from ..piecewise import log_rises, piece_masses

_NARROW = 12, 23  # units of the fall for a stretch at the median that is as many e-folds narrower than the range


def draw_from_pieces(
    edges: Floats, log_density: Floats, rng: np.random.Generator, sizes: Sequence[int] | None = None
) -> Floats:
    """One draw per row from uniform pieces, shape edges.shape[:-1], by inverting each row's cdf.

    sizes: the numbers of trials, along the last axis of the draws, that take their randomness one after another.
    """
    cumulative = np.cumsum(piece_masses(edges, log_density), axis=-1)
    leading = cumulative.shape[:-1]
    where, within = _uniforms(rng, sizes or leading[-1:], leading[:-1], leading[:-1])
    return _placed(edges[..., :-1], edges[..., 1:], _first_above(cumulative, where), within)


def _uniforms(rng: np.random.Generator, sizes: Sequence[int], *leading: tuple[int, ...]) -> tuple[Floats, ...]:
    """Uniform numbers of shape (*leading, trials) for each leading; each of the sizes of trials takes all of its own.

    sizes: of trials, in turn; none where there is no axis of trials.
    """
    drawn = [[rng.random((*shape, size)) for shape in leading] for size in sizes]
    if not drawn:
        return tuple(np.array(rng.random(shape)) for shape in leading)
    return tuple(np.concatenate(parts, axis=-1) for parts in zip(*drawn, strict=True))


def _first_above(cumulative: Floats, share: Floats) -> Integers:
    """The first entry of each row above this share of its last, or the last; shape cumulative.shape[:-1]."""
    above = cumulative > (share * cumulative[..., -1])[..., None]
    above[..., -1] = True
    return above.argmax(axis=-1)


def _placed(left: Floats, right: Floats, piece: Integers, share: Floats) -> Floats:
    """The point at this share of the way from left to right of a piece of each row."""
    low, high = (np.take_along_axis(end, piece[..., None], axis=-1)[..., 0] for end in (left, right))
    return low + share * (high - low)


def draw_median(
    estimates: PartiallySorted,
    pieces: Callable[[Floats], tuple[Floats, Floats]],
    epsilon: float,
    lower: float,
    upper: float,
    rng: np.random.Generator,
) -> Floats:
    """One draw per row of the density with these pieces, exponential_pieces or widened_pieces of a clipped row.

    estimates: the estimates, shape (..., N); the draws have the shape (...).
    pieces: gives edges and log densities of sorted numbers.
    epsilon: the budget per changed estimate.
    lower, upper: the range, in units of the estimates.
    rng: the generator that all randomness comes from.
    """
    edges, log_density = pieces(_entries_that_matter(estimates, epsilon, lower, upper, 1))
    return draw_from_pieces(edges, log_density, rng, estimates.sizes)


def draw_together(
    estimates: PartiallySorted, epsilon: float, lower: float, upper: float, rng: np.random.Generator
) -> Floats:
    """One joint draw per trial with density proportional to exp(-epsilon max_j u_j(r_j) / 4) over m points j.

    u_j(r) = |#above r - #below r| in the list of point j. The score is at most N - 2 l on the box of the I_j(l) =
    [z_(l), z_(N+1-l)], z sorted: first a level l is drawn, then a point in its box.

    estimates: the estimates, shape (m, trials, N); the draws have the shape (m, trials).
    epsilon: the budget per changed estimate.
    lower, upper: the range, in units of the estimates.
    rng: the generator that all randomness comes from.
    """
    z = _entries_that_matter(estimates, epsilon, lower, upper, estimates.leading[0])
    top = z.shape[-1] // 2
    ends = np.full((*z.shape[:-1], 1), lower), np.full((*z.shape[:-1], 1), upper)
    left = np.concatenate([ends[0], z[..., :top]], axis=-1)
    right = np.concatenate([ends[1], z[..., : z.shape[-1] - top - 1 : -1]], axis=-1)
    with np.errstate(divide="ignore"):
        log_mass = log_rises(np.arange(top + 1), epsilon / 4) + np.log(right - left).sum(axis=0)
    cumulative = np.cumsum(np.exp(log_mass - log_mass.max(axis=-1, keepdims=True)), axis=-1)
    where, within = _uniforms(rng, estimates.sizes, (), left.shape[:1])
    level = np.broadcast_to(_first_above(cumulative, where), left.shape[:-1])
    return _placed(left, right, level, within)


def _entries_that_matter(estimates: PartiallySorted, epsilon: float, lower: float, upper: float, points: int) -> Floats:
    """The sorted and clipped entries that decide a draw at so many points, shape (..., some).

    Without d entries at each end |#above - #below| is what it was between the others, and beyond them the densities
    are below e^(-epsilon (N - 2d) / 4). As many are left out as change less than 1e-17 of the mass, which no uniform
    double can tell; the rng is used as for the whole list.
    """
    unit = min(2 / epsilon, estimates.count)  # ranks in which the density falls to 1/e
    near = 1 + int(4 * unit)
    for narrow in _NARROW:
        reach = 2 + int((44 + narrow * points) * unit)
        if 2 * reach < estimates.count:
            z = clipped(estimates.around(reach), lower, upper)
            # The mass is at least e^(-near / unit) times the stretches: 40 units of the fall are for 1e-17.
            stretch = z[..., reach + near - 1] - z[..., reach - near]
            middle = z[..., z.shape[-1] // 2]  # if entries that are left out were equal to it, its rank would be lost
            wide = stretch > exp(-narrow) * (upper - lower)
            if np.all(wide & (z[..., 0] < middle) & (middle < z[..., -1])):
                return z
    return clipped(estimates.around(estimates.count), lower, upper)
