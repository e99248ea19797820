"""Descents of several data sets side by side: each step is taken in all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...support.types import Floats
from ...support.work.checkpoint import checkpoint
from .sums import GradientSums

_NOISES = 4_000  # pairs of noise drawn at a time for a data set


def iterates(
    sums: Sequence[GradientSums], start: tuple[float, float], noises: Iterator[Floats], size: int
) -> Iterator[Floats]:
    """p^0 = start, p^1 .. of size descents of each data set, shape (data sets, 2, size): one array, written anew.

    p^(t+1) = p^t + g_t / sqrt(sum_{l <= t} |g_l|^2), g_t the noisy sum of clipped gradients. noises: that of each
    step, same shape. What one data set gets does not depend on the others.
    """
    lines = np.empty((len(sums), 3, size))
    lines[:] = np.array([*start, 1.0])[:, None]
    p, gradient, squares = lines[:, :2], np.empty((len(sums), 2, size)), np.zeros((len(sums), 1, size))
    yield p
    for noise in noises:
        checkpoint()
        for each, line, result in zip(sums, lines, gradient, strict=True):
            result[:] = each.at_lines(line)
        gradient += noise
        squares += np.einsum("aim,aim->am", gradient, gradient)[:, None]
        gradient /= np.sqrt(squares)
        p += gradient
        yield p


def noises(
    draws: Sequence[Callable[[tuple[int, ...]], Floats]], scale: float, steps: int, size: int
) -> Iterator[Floats]:
    """The noise of each step, shape (data sets, 2, size), drawn for some steps at a time by each data set's own draws.

    draws: draw(shape) is noise of scale one.
    """
    some = 1 + _NOISES // size
    for first in range(0, steps, some):
        drawn = np.stack([draw((min(some, steps - first), size, 2)) for draw in draws], axis=1)
        drawn *= scale
        yield from drawn.swapaxes(2, 3)
