"""Descents of several algorithms and data sets side by side: each step is taken in all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, repeat
from typing import Protocol

import numpy as np

from ...dataset import Dataset
from ...support.run import checkpoint
from ...support.types import Floats
from .sums import GradientSums

Course = tuple[int, float, tuple[float, float]]  # the number of steps, the clipping and the start
Draw = tuple[Callable[[tuple[int, ...]], Floats], float]  # draw(shape) is noise of scale one; and its scale
_SIDE_BY_SIDE = 3_200  # descents at a time, so that their noise stays in the cache
_NOISES = 4_000  # pairs of noise drawn at a time for a data set


class Descent(Protocol):
    """A mechanism of gradient descent."""

    @property
    def course(self) -> Course:
        """What two descents must share to be taken side by side."""

    def noise_scale(self, epsilon: float) -> float:
        """The scale of the noise on each coordinate of each step's gradient sum."""

    def unit_noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Noise of scale one."""


def draw_side_by_side(
    releases: Sequence[tuple[Descent, float]],
    datasets: Sequence[Dataset],
    at: Floats,
    size: int,
    generators: Sequence[Sequence[np.random.Generator]],
) -> list[list[Floats]]:
    """size releases of descents of one course, each with its epsilon, from each data set: lists of shape (size, m).

    generators: of each release, for each data set. The numbers are those of each descent alone.
    """
    some, released = 1 + _SIDE_BY_SIDE // (size * len(releases)), [list[Floats]() for _ in releases]
    for first in range(0, len(datasets), some):
        part = slice(first, first + some)
        drawn = _released(releases, datasets[part], at, size, [of_release[part] for of_release in generators])
        for number, mine in enumerate(released):
            mine += list(drawn[:, number * size : (number + 1) * size])
    return released


def _released(
    releases: Sequence[tuple[Descent, float]],
    datasets: Sequence[Dataset],
    at: Floats,
    size: int,
    generators: Sequence[Sequence[np.random.Generator]],
) -> Floats:
    """As draw_side_by_side, shape (data sets, releases * size, m); each p is the mean of p^t, t >= steps/2."""
    steps, _, _ = releases[0][0].course
    return _answers(iterates_of(releases, datasets, size, generators), steps, at)


def noiseless(course: Course, data: Dataset, at: Floats) -> Floats:
    """The predictions of a descent without noise, shape (m,); NaN where a gradient is 0: the step has no direction."""
    steps, clip, start = course
    with np.errstate(invalid="ignore"):
        still = repeat(np.zeros((1, 2, 1)), steps - 1)
        return _answers(iterates(_sums([data], clip), start, still), steps, at)[0, 0]


def _answers(descents: Iterator[Floats], steps: int, at: Floats) -> Floats:
    """The predictions by the mean of p^t over t >= steps/2, shape (data sets, some, m)."""
    first_averaged = steps // 2
    averaged = islice(descents, first_averaged, None)
    total = next(averaged).copy()
    for p in averaged:
        total += p
    total /= steps - first_averaged
    p25, p75 = total[:, 0, :, None], total[:, 1, :, None]
    return 2 * (p25 * (0.75 - at) + p75 * (at - 0.25))


def iterates_of(
    releases: Sequence[tuple[Descent, float]],
    datasets: Sequence[Dataset],
    size: int,
    generators: Sequence[Sequence[np.random.Generator]],
) -> Iterator[Floats]:
    """p^0 .. p^(steps - 1) of the descents of each data set, shape (data sets, 2, releases * size)."""
    steps, clip, start = releases[0][0].course
    draws = [
        [(partial(m.unit_noise, rng), m.noise_scale(epsilon)) for (m, epsilon), rng in zip(releases, mine, strict=True)]
        for mine in zip(*generators, strict=True)
    ]
    return iterates(_sums(datasets, clip), start, noises(draws, steps - 1, size))


def _sums(datasets: Sequence[Dataset], clip: float) -> list[GradientSums]:
    return [data.cached(("gradients", clip), partial(GradientSums, data, clip)) for data in datasets]


def iterates(sums: Sequence[GradientSums], start: tuple[float, float], noises: Iterator[Floats]) -> Iterator[Floats]:
    """p^0 = start, p^1 .. of the descents of each data set, shape (data sets, 2, some): one array, written anew.

    p^(t+1) = p^t + g_t / sqrt(sum_{l <= t} |g_l|^2), g_t the noisy sum of clipped gradients. noises: that of each
    step, same shape, one or more. What one data set gets does not depend on the others.
    """
    first = next(noises)
    lines = np.empty((len(sums), 3, first.shape[2]))
    lines[:] = np.array([*start, 1.0])[:, None]
    p, gradient, squares = lines[:, :2], np.empty(first.shape), np.zeros((len(sums), 1, first.shape[2]))
    yield p
    for noise in chain([first], noises):
        checkpoint()
        for each, line, result in zip(sums, lines, gradient, strict=True):
            result[:] = each.at_lines(line)
        gradient += noise
        squares += np.einsum("aim,aim->am", gradient, gradient)[:, None]
        gradient /= np.sqrt(squares)
        p += gradient
        yield p


def noises(draws: Sequence[Sequence[Draw]], steps: int, size: int) -> Iterator[Floats]:
    """The noise of each step, shape (data sets, 2, draws * size), drawn for some steps at a time.

    draws: of each data set as many as descents are taken side by side, with size trials each.
    """
    some = 1 + _NOISES // (size * len(draws[0]))
    for first in range(0, steps, some):
        shape = min(some, steps - first), size, 2
        drawn = [np.concatenate([draw(shape) * scale for draw, scale in of_data], axis=1) for of_data in draws]
        yield from np.stack(drawn, axis=1).swapaxes(2, 3)
