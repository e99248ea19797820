"""Quantiles of laws and distances that hold a share of their mass: one search for all, in brackets.

>>> import numpy as np
>>> targets = np.array([2.0, 5.0])
>>> excess = lambda x, number: (np.exp(x) - targets[number], np.exp(x))  # values and slopes
>>> roots = increasing_root(excess, guess=np.zeros(2), low=np.full(2, -5.0), high=np.full(2, 5.0))
>>> roots.round(6).tolist()  # log 2 and log 5
[0.693147, 1.609438]

A number sought is base + spread sinh(y), where an increasing function of y, the logarithm of the odds, reaches its
target. Every evaluation gives values and slopes, so that two to four of them are enough where bracketing without slopes
(scipy.optimize.elementwise.find_root) needs nine to twenty.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers

_LARGEST = 590.0  # largest |y|
_CLOSE = 1e-9  # relative error of y at which a search ends
_SHORT = 1e-4  # relative length of the last step: where the slope jumps within the step, the error is a fraction of it
_NEAR, _SMALL = (
    1e-3,
    1e-9,
)  # |excess| below which a step is the last: if its error is small, and in any case

Tails = Callable[
    [Integers, Floats], Floats
]  # (numbers of laws, t): P(release <= t), P(release > t), density at t
Excess = Callable[
    [Floats, Integers], tuple[Floats, Floats]
]  # (x, numbers): values and slopes of these functions at x


class Unknowns(NamedTuple):
    """Quantiles and distances to solve for, arrays of shape (m,).

    Attributes
    ----------
    law : index of the law
    mass : probability above 0: below the quantile sought, or within the distance sought of `center`
    center : number that the distance is measured from; NaN where a quantile is sought
    """

    law: Integers
    mass: Floats
    center: Floats

    def take(self, which: Integers | slice) -> Unknowns:
        """Return the unknowns with the indices `which`."""
        return Unknowns(self.law[which], self.mass[which], self.center[which])

    def join(self, other: Unknowns) -> Unknowns:
        """Return the unknowns of self followed by the unknowns of `other`."""
        law, mass, center = (np.append(*pair) for pair in zip(self, other, strict=True))
        return Unknowns(law.astype(np.int64), mass, center)


def solve(
    tails: Tails, unknowns: Unknowns, answered: Floats, ends: Floats, samples: Floats
) -> Floats:
    """Solve for the quantiles and distances of `unknowns`, shape (m,).

    Parameters
    ----------
    tails : callable
        Computes P(release <= t), P(release > t) and the density at t from indices of laws and t.
    unknowns : Unknowns
    answered : array, shape (laws,)
        Probability of an answer.
    ends : array, shape (laws, 2)
        Least and greatest answer.
    samples : array, shape (laws, k)
        Roughly equally likely answers, where the search begins.
    """
    law, mass, center = unknowns
    with np.errstate(divide="ignore"):
        log_odds = np.log(mass) - np.log(np.maximum(answered[law] - mass, 0.0))
    far = ends[law]
    widest = np.where(
        np.isnan(center), np.where(log_odds > 0, far[:, 1], far[:, 0]), _farthest(far, center)
    )
    inner = np.flatnonzero(np.isfinite(log_odds))
    if inner.size:
        widest[inner] = _solve_inside(
            tails,
            unknowns.take(inner),
            log_odds[inner],
            mass[inner] / answered[law[inner]],
            samples,
        )
    return widest


def _farthest(ends: Floats, center: Floats) -> Floats:
    return np.abs(ends - center[:, None]).max(axis=1)


def _solve_inside(
    tails: Tails, unknowns: Unknowns, log_odds: Floats, share: Floats, samples: Floats
) -> Floats:
    """Solve for quantiles and distances whose mass is neither 0 nor all, by search from quantiles of samples.

    Parameters
    ----------
    tails, unknowns, samples
        As in `solve`.
    log_odds : array, shape (m,)
        log(mass / (answered - mass)) of the unknowns, finite.
    share : array, shape (m,)
        mass / answered of the unknowns.

    Returns
    -------
    array, shape (m,)
        Quantiles and distances.
    """
    law, _, center = unknowns
    paired = ~np.isnan(center)
    ordered = np.sort(samples, axis=1)
    low, origin, high = (ordered[:, ordered.shape[1] * i // 4][law] for i in (1, 2, 3))
    spread = np.maximum(high - low, 1e-12 * np.abs(origin) + 1e-280)
    base = np.where(paired, np.abs(center - origin), origin)
    least = np.where(paired, -np.arcsinh(base / spread), -_LARGEST)
    sizes = np.sort(
        np.where(paired[:, None], np.abs(samples[law] - center[:, None]), samples[law]), axis=1
    )
    rank = np.clip(share * sizes.shape[1] - 0.5, 0, sizes.shape[1] - 1.001)
    row, below_rank = np.arange(law.size), rank.astype(np.int64)
    start = sizes[row, below_rank] + (rank - below_rank) * (
        sizes[row, below_rank + 1] - sizes[row, below_rank]
    )
    # Near a distance of 0 the floats center - c and center + c are one number.
    grain = np.where(paired, 0.5 * np.spacing(np.abs(center)) / spread / np.cosh(least), 0.0)

    def excess(y: Floats, which: Integers) -> tuple[Floats, Floats]:
        size, both = base[which] + spread[which] * np.sinh(y), np.flatnonzero(paired[which])
        t = np.where(paired[which], center[which] + size, size)
        below, above, density = tails(
            np.append(law[which], law[which[both]]), np.append(t, center[which[both]] - size[both])
        )
        inside, outside, rate = (
            below[: y.size].copy(),
            above[: y.size].copy(),
            density[: y.size].copy(),
        )
        inside[both] -= below[y.size :]
        outside[both] += below[y.size :]
        rate[both] += density[y.size :]
        rate *= spread[which] * np.cosh(y)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            odds = np.log(np.maximum(inside, 0.0)) - np.log(np.maximum(outside, 0.0))
            return odds - log_odds[which], rate / inside + rate / outside

    guess = np.maximum(np.arcsinh((start - base) / spread), least)
    y = increasing_root(excess, guess, least, np.full(law.size, _LARGEST), grain)
    return base + spread * np.sinh(y)


def increasing_root(
    excess: Excess, guess: Floats, low: Floats, high: Floats, grain: Floats | float = 0.0
) -> Floats:
    """Find the roots of m increasing functions between low and high, to 1e-9 relative to root - low; shape (m,).

    The first step is Newton's; the next ones go to the root of the cubic through the last two points (of x as a
    function of the value). Where a step leaves the bracket, is not shorter than the last one, or is negligible though
    the value is not (as the function is steep there), the bracket is halved.

    Parameters
    ----------
    excess : callable
        Computes values and slopes, shape (k,) each, from x and the indices of k functions.
    guess, low, high : array, shape (m,)
    grain : array, shape (m,), or float
        Differences in x that do not matter.
    """
    least, guess, low, high, unsolved = (
        low,
        guess.copy(),
        low.copy(),
        high.copy(),
        np.arange(guess.size),
    )
    grain, before, last = (
        np.broadcast_to(grain, guess.shape),
        np.full((3, guess.size), np.nan),
        np.full(guess.size, inf),
    )
    for _ in range(200):
        checkpoint()
        x = guess[unsolved]
        value, slope = excess(x, unsolved)
        short = ~(value >= 0)
        low[unsolved[short]], high[unsolved[~short]] = x[short], x[~short]
        unit = np.minimum(np.maximum(1.0, np.abs(x)), x - least[unsolved])
        new, error = _step(before[:, unsolved], np.array([x, value, slope]), unit)
        step, fine = np.abs(new - x), np.maximum(_CLOSE * unit, grain[unsolved])
        tiny, near = step < fine, np.abs(value) < 0.1
        bracketed = (
            (new >= low[unsolved])
            & (new <= high[unsolved])
            & np.where(tiny, near, step <= 0.7 * last[unsolved])
        )
        size = np.abs(value)
        with np.errstate(over="ignore"):  # an error may exceed the largest float
            exact = error * unit < fine
        sure = exact & (step < np.maximum(_SHORT * unit, fine)) & (size < _NEAR) | (size < _SMALL)
        guess[unsolved] = np.where(bracketed, new, 0.5 * (low[unsolved] + high[unsolved]))
        before[:, unsolved], last[unsolved] = (x, value, slope), np.where(bracketed, step, inf)
        closed = high[unsolved] - low[unsolved] <= np.maximum(1e-14 * unit, grain[unsolved])
        unsolved = unsolved[~(bracketed & sure | closed | (guess[unsolved] == x))]
        if unsolved.size == 0:
            break
    return guess


def _step(before: Floats, now: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """Compute the next points of a root search, and the expected errors in `unit`.

    ``before`` and ``now`` are (x, value, slope) at the last two points.
    """
    (x0, v0, d0), (x, v, d) = before, now
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        newton, moved, fell = -v / d, np.abs(x - x0), v0 - v
        chord = (x0 - x) / fell
        second = (chord - 1 / d) / fell
        third = ((1 / d0 - chord) / fell - second) / fell
        more = v * v * (second - v0 * third)  # the cubic's correction of Newton's step
        usable = np.abs(more) < 0.5 * np.abs(newton)
        remaining = np.abs(more) / unit * np.maximum(moved / unit, np.abs(newton) / moved) ** 2
        return x + newton + np.where(usable, more, 0.0), np.where(
            usable, remaining, (newton / unit) ** 2
        )
