"""Roots of many increasing functions at once, each evaluation being dear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._types import Floats, Integers

Excess = Callable[[Floats, Integers], tuple[Floats, Floats]]  # values and slopes at x of the functions numbered


def increasing_root(excess: Excess, guess: Floats, low: Floats, high: Floats) -> Floats:
    """Roots of increasing functions between low and high, exact relative to root - low; all of shape (m,).

    The first step is Newton's; the others go to the root of the cubic through the last two points (of x as a
    function of the value). Where that leaves the bracket, it is halved.
    """
    least, guess, low, high, left = low, guess.copy(), low.copy(), high.copy(), np.arange(guess.size)
    before = np.full((3, guess.size), np.nan)
    for _ in range(200):
        x = guess[left]
        value, slope = excess(x, left)
        short = ~(value >= 0)
        low[left[short]], high[left[~short]] = x[short], x[~short]
        unit = np.minimum(np.maximum(1.0, np.abs(x)), x - least[left])
        new, error = _step(before[:, left], np.array([x, value, slope]), unit)
        bracketed = (new >= low[left]) & (new <= high[left])
        guess[left] = np.where(bracketed, new, 0.5 * (low[left] + high[left]))
        before[:, left] = x, value, slope
        done = np.where(bracketed, error < 1e-12, (high[left] - low[left]) / unit < 1e-14)
        left = left[~done]
        if left.size == 0:
            break
    return guess


def _step(before: Floats, now: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """The next points from (x, value, slope) at the last two, and how far from the roots these should be, in units."""
    (x0, v0, d0), (x, v, d) = before, now
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        newton, moved, fell = -v / d, np.abs(x - x0), v0 - v
        chord = (x0 - x) / fell
        second = (chord - 1 / d) / fell
        third = ((1 / d0 - chord) / fell - second) / fell
        more = v * v * (second - v0 * third)  # what the cubic adds to Newton's step: its error
        usable = np.abs(more) < 0.5 * np.abs(newton)
        left_over = np.abs(more) / unit * np.maximum(moved / unit, np.abs(newton) / moved) ** 2
        return x + newton + np.where(usable, more, 0.0), np.where(usable, left_over, (newton / unit) ** 2)
