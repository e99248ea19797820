"""Parametric bootstrap: intervals from releases of simulated data that look as one release describes them."""

from __future__ import annotations

from math import floor
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.types import Floats
from .result import Intervals, Target

REPETITIONS = 400
_ROUNDING = 1e-9
_AT_ONCE = 400_000  # simulated releases held at a time


class Simulable(Protocol):
    """A release that describes data well enough to simulate them; its arrays have the shape (size,)."""

    @property
    def fallback(self) -> np.ndarray:
        """Whether the slope has no answer, shape (size,)."""

    def predict(self, at: ArrayLike) -> Floats:
        """The released line, shape (size, len(at))."""

    def simulated(
        self, count: int, rng: np.random.Generator, errors: bool = True, slope: float | None = None
    ) -> Simulable:
        """count releases from simulated data for each, those of one release together; errors: with new y, too."""

    def part(self, first: int, last: int) -> Simulable:
        """Those releases."""


def bootstrap_intervals(
    release: Any, at: Floats, level: float, errors: bool, repetitions: int, rng: np.random.Generator
) -> Intervals:
    """The middle share level of the predictions of simulated releases: percentile intervals.

    at: shape (m,). errors: for the true line; otherwise for OLS on these records. A simulated release without a slope
    counts as infinitely far off on either side. Source: Ferrando, Wang and Sheldon (2022), with x fixed.
    """
    validate.generator(rng=rng)
    validate.integer(20, repetitions=repetitions)
    estimate = release.predict(at)
    step = max(1, _AT_ONCE // repetitions)
    ends = [
        _percentiles(release.part(first, first + step), at, level, errors, repetitions, rng)
        for first in range(0, len(estimate), step)
    ]
    low, high = np.concatenate(ends, axis=1)
    known = ~release.fallback[:, None] & np.isfinite(low) & np.isfinite(high)
    return Intervals(
        np.where(release.fallback[:, None], np.nan, estimate),
        np.where(known, low, -np.inf),
        np.where(known, high, np.inf),
        np.full(estimate.shape, np.nan),
        level,
        Target.TRUE_LINE if errors else Target.OLS,
        "bootstrap",
    )


def _percentiles(
    release: Any, at: Floats, level: float, errors: bool, repetitions: int, rng: np.random.Generator
) -> Floats:
    """The lower and the upper ends, shape (2, size, m): as many simulated predictions are cut on either side."""
    simulated = release.simulated(repetitions, rng, errors)
    lines = simulated.predict(at).reshape(-1, repetitions, at.size)
    lost = simulated.fallback.reshape(-1, repetitions, 1)
    cut = floor((repetitions + 1) * (1 - level) / 2 + _ROUNDING)
    low, high = max(cut - 1, 0), min(repetitions - cut, repetitions - 1)
    lower = np.partition(np.where(lost, -np.inf, lines), low, axis=1)[:, low]
    upper = np.partition(np.where(lost, np.inf, lines), high, axis=1)[:, high]
    return np.array([lower, upper])
