"""Vectorised root finding for increasing functions that are expensive to evaluate.

Every evaluation gives values and slopes of all functions whose roots are still open, so that the Newton-like methods
here need two to five where bracketing without slopes (scipy.optimize.elementwise.find_root) needs nine to twenty.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..support.types import Floats, Integers

_NEAR, _RATHER_NEAR = 1e-4, 1e-2  # values so small that a tiny step, or one expected to be exact, leads to the root
Excess = Callable[[Floats, Integers], tuple[Floats, Floats]]  # (x, numbers): values and slopes of these functions at x


def increasing_root(excess: Excess, guess: Floats, low: Floats, high: Floats) -> Floats:
    """Roots of increasing functions between low and high, shape (m,) as all arguments; exact relative to root - low.

    The first step is Newton's; the others go to the root of the cubic through the last two points (of x as a
    function of the value). Where that leaves the bracket, it is halved.
    """
    least, guess, low, high, unsolved = low, guess.copy(), low.copy(), high.copy(), np.arange(guess.size)
    before = np.full((3, guess.size), np.nan)
    for _ in range(200):
        x, value, slope, unit = _evaluate(excess, unsolved, guess, least, low, high)
        new, error = _step(before[:, unsolved], np.array([x, value, slope]), unit)
        bracketed = (new >= low[unsolved]) & (new <= high[unsolved])
        guess[unsolved] = np.where(bracketed, new, 0.5 * (low[unsolved] + high[unsolved]))
        before[:, unsolved] = x, value, slope
        done = np.where(bracketed, error < 1e-12, (high[unsolved] - low[unsolved]) / unit < 1e-14)
        unsolved = unsolved[~done]
        if unsolved.size == 0:
            break
    return guess


def root_beyond_kinks(
    excess: Excess,
    guess: Floats,
    bracket: tuple[Floats, Floats],
    grain: Floats,
    last_step: float = 1e-10,
    leap: float = 0.0,
) -> Floats:
    """As increasing_root, for functions whose slopes may jump: Newton's steps until one of them is negligible.

    excess: values and slopes of the functions.
    guess: where to begin, shape (m,).
    bracket: numbers below and above the roots, shape (m,) each.
    grain: differences in x that do not matter, shape (m,).
    last_step: the relative size of a step that is the last; where slopes hardly jump its square is what it leaves.
    leap: where increasing_root would expect a smaller error, relative, after its next step, that step is the last.

    A step longer than half the one before is doubled where it keeps its direction, to close the bracket around the
    root. Where it turns back, would leave the bracket, or is negligible at a value that is not (the function is so
    steep there), the bracket is halved.
    """
    least, guess, low, high, unsolved = (
        bracket[0],
        guess.copy(),
        *(end.copy() for end in bracket),
        np.arange(guess.size),
    )
    last, before = np.full(guess.size, np.nan), np.full((3, guess.size), np.nan)
    for _ in range(200):
        x, value, slope, unit = _evaluate(excess, unsolved, guess, least, low, high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = -value / slope
            shrunk = step / last[unsolved]
        # The last step is taken too: it leaves an error far smaller than itself.
        tiny, near = np.abs(step) < np.maximum(last_step * unit, grain[unsolved]), np.abs(value) < _NEAR
        new = x + np.where(shrunk > 0.5, 2 * step, step)
        bracketed = (new >= low[unsolved]) & (new <= high[unsolved]) & ~(shrunk < -0.5) & (near | ~tiny)
        guess[unsolved] = np.where(bracketed, new, 0.5 * (low[unsolved] + high[unsolved]))
        last[unsolved] = np.where(bracketed, step, np.nan)
        closed = high[unsolved] - low[unsolved] < np.maximum(1e-14 * unit, grain[unsolved])
        done = np.where(bracketed, tiny, closed) | (guess[unsolved] == x)
        if leap:
            far, error = _step(before[:, unsolved], np.array([x, value, slope]), unit)
            sure = (error < leap) & (far >= low[unsolved]) & (far <= high[unsolved]) & (np.abs(value) < _RATHER_NEAR)
            before[:, unsolved] = x, value, slope
            guess[unsolved[sure]] = far[sure]
            done |= sure
        unsolved = unsolved[~done]
        if unsolved.size == 0:
            break
    return guess


def _evaluate(
    excess: Excess, unsolved: Integers, guess: Floats, least: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """The open guesses, values and slopes there, and the unit that errors are counted in; narrows the brackets."""
    x = guess[unsolved]
    value, slope = excess(x, unsolved)
    short = ~(value >= 0)
    low[unsolved[short]], high[unsolved[~short]] = x[short], x[~short]
    return x, value, slope, np.minimum(np.maximum(1.0, np.abs(x)), x - least[unsolved])


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
        remaining = np.abs(more) / unit * np.maximum(moved / unit, np.abs(newton) / moved) ** 2
        return x + newton + np.where(usable, more, 0.0), np.where(usable, remaining, (newton / unit) ** 2)
