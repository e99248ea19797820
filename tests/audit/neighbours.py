"""Replacements of a record, laws of either kind on purpose, and what trained events show of a release without a law."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import numpy as np

from dpslr_core.audit import Loss, audit_scores
from dpslr_core.audit.loss import _CORNERS, _line
from dpslr_core.dataset import Dataset, Record
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.pairs import ranks
from dpslr_core.privacy import Budget
from dpslr_core.support.types import Floats

_COARSE_SIDE = 5  # places along x and along y among ``replacements``


def replacements(data: Dataset) -> list[Record]:
    """Possible values of a record: corners, points of leverage, those on or near the line, values there, a grid."""
    intercept, slope = _line(data)
    ends = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    on_line = np.clip(intercept + slope * ends, 0, 1)
    x, y = (
        np.quantile(data.x, [0, 0.5, 1], method="nearest"),
        np.quantile(data.y, [0, 0.5, 1], method="nearest"),
    )
    near = [
        (a, np.clip(b + shift, 0, 1))
        for a, b in zip(ends, on_line, strict=True)
        for shift in (0, 0.01)
    ]
    side = np.linspace(0, 1, _COARSE_SIDE)
    records = [*_CORNERS, *near, *product((0.0, 1.0), y), *product(x, y), *product(side, side)]
    return list(dict.fromkeys((float(a), float(b)) for a, b in records))


@contextmanager
def crossover_at(n: int, tolerance: float | None = None) -> Iterator[None]:
    """Within this context the laws of n records and more come from rank queries, whatever is faster.

    tolerance: of laws from rank queries; a large one makes draws from them reject more.
    """
    before = ranks.CROSSOVER, ranks.TOLERANCE
    ranks.CROSSOVER, ranks.TOLERANCE = n, before[1] if tolerance is None else tolerance
    try:
        yield
    finally:
        ranks.CROSSOVER, ranks.TOLERANCE = before


def trained_loss(
    mechanism: Mechanism,
    data: Dataset,
    neighbour: Dataset,
    budget: Budget,
    draws: int = 60_000,
    seed: int = 0,
) -> Loss:
    """Bound the loss of one release from below by draws on two neighbours.

    A third of the draws trains the score: each number, its distance from the middle, and Fisher's direction, whichever
    shows most there. The others are audited by it.
    """
    guarantee, third = mechanism.guarantee(budget.epsilon), draws // 3
    before, after = (
        mechanism.release(either, budget.epsilon, budget.at, draws, rng=rng)
        for either, rng in zip((data, neighbour), np.random.default_rng(seed).spawn(2), strict=True)
    )
    scores = _scores(np.array([before, after]), third)
    shown = [audit_scores(*each[:, :third], guarantee).measured for each in scores]
    best = scores[int(np.argmax(shown))]
    return Loss(*audit_scores(*best[:, third:], guarantee)[:3])


def _scores(released: Floats, third: int) -> Floats:
    """Scores of every draw, shape (scores, 2, draws): each number, the best direction, distances from the middle.

    A failed release is far below all others.
    """
    training = released[:, :third].reshape(-1, released.shape[-1])
    middle, width = np.nanmedian(training, axis=0), np.nanquantile(training, [0.1, 0.9], axis=0)
    scaled = (released - middle) / np.maximum(np.diff(width, axis=0)[0], 1e-300)
    scaled = np.where(np.isnan(scaled), -1e6, np.clip(scaled, -1e3, 1e3))
    tame = np.clip(scaled[:, :third], -3, 3)
    spread = sum(np.atleast_2d(np.cov(part, rowvar=False)) for part in tame)
    direction = np.linalg.pinv(spread) @ (tame[0].mean(axis=0) - tame[1].mean(axis=0))
    numbers = np.moveaxis(scaled, -1, 0)
    return np.array([*numbers, scaled @ direction, *np.abs(numbers)])
