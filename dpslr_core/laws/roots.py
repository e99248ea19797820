"""Roots of many increasing functions at once, each evaluation being dear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._types import Floats, Integers

_NEAR = 1e-4  # a value so small that a tiny step leads to the root
Excess = Callable[[Floats, Integers], tuple[Floats, Floats]]  # values and slopes at x of the functions numbered


def increasing_root(excess: Excess, guess: Floats, low: Floats, high: Floats) -> Floats:
    """Roots of increasing functions between low and high, exact relative to root - low; all of shape (m,).

    The first step is Newton's; the others go to the root of the cubic through the last two points (of x as a
    function of the value). Where that leaves the bracket, it is halved.
    """
    least, guess, low, high, left = low, guess.copy(), low.copy(), high.copy(), np.arange(guess.size)
    before = np.full((3, guess.size), np.nan)
    for _ in range(200):
        x, value, slope, unit = _look(excess, left, guess, least, low, high)
        new, error = _step(before[:, left], np.array([x, value, slope]), unit)
        bracketed = (new >= low[left]) & (new <= high[left])
        guess[left] = np.where(bracketed, new, 0.5 * (low[left] + high[left]))
        before[:, left] = x, value, slope
        done = np.where(bracketed, error < 1e-12, (high[left] - low[left]) / unit < 1e-14)
        left = left[~done]
        if left.size == 0:
            break
    return guess


def root_beyond_kinks(excess: Excess, guess: Floats, low: Floats, high: Floats, grain: Floats) -> Floats:
    """As increasing_root, of functions whose slopes may jump: Newton's steps until one of them is next to nothing.

    A step no shorter than half the one before is doubled if it goes on in its direction, to close the bracket
    around the root; if it turns back, would leave the bracket, or is next to nothing at a value that is not (so
    steep is the function there), it goes to the middle of the bracket. grain: differences that do not matter.
    """
    least, guess, low, high, left = low, guess.copy(), low.copy(), high.copy(), np.arange(guess.size)
    last = np.full(guess.size, np.nan)
    for _ in range(200):
        x, value, slope, unit = _look(excess, left, guess, least, low, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = -value / slope
            shrunk = step / last[left]
        # The last step is gone too: it leaves an error far smaller than itself.
        tiny, near = np.abs(step) < np.maximum(1e-10 * unit, grain[left]), np.abs(value) < _NEAR
        new = x + np.where(shrunk > 0.5, 2 * step, step)
        bracketed = (new >= low[left]) & (new <= high[left]) & ~(shrunk < -0.5) & (near | ~tiny)
        guess[left] = np.where(bracketed, new, 0.5 * (low[left] + high[left]))
        last[left] = np.where(bracketed, step, np.nan)
        closed = high[left] - low[left] < np.maximum(1e-14 * unit, grain[left])
        left = left[~(np.where(bracketed, tiny, closed) | (guess[left] == x))]
        if left.size == 0:
            break
    return guess


def _look(
    excess: Excess, left: Integers, guess: Floats, least: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """The guesses left, values and slopes there, and the unit that errors are counted in; narrows the brackets."""
    x = guess[left]
    value, slope = excess(x, left)
    short = ~(value >= 0)
    low[left[short]], high[left[~short]] = x[short], x[~short]
    return x, value, slope, np.minimum(np.maximum(1.0, np.abs(x)), x - least[left])


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
