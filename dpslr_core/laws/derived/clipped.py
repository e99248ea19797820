"""A law whose draws are moved into an interval: its verbs follow from those of the law without bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...support.types import Floats
from ..base import Law


@dataclass(frozen=True)
class ClippedLaw(Law):
    """The law of min(max(p, lower), upper), where p follows a law without jumps; a failure stays one.

    cdf(t) is 0 below lower, 1 - failure from upper on and that of p between; both ends have mass. ppf clips that of p.
    """

    inner: Law
    lower: float
    upper: float

    @property
    def failure(self) -> float:
        return self.inner.failure

    @property
    def least_tail(self) -> float:
        return self.inner.least_tail

    @property
    def fallback(self) -> float:
        """That of the law without bounds."""
        return float(getattr(self.inner, "fallback", 0.0))

    def cdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        return np.where(t < self.lower, 0.0, np.where(t >= self.upper, 1 - self.failure, self.inner.cdf(t)))

    def ppf(self, q: ArrayLike) -> Floats:
        return np.clip(self.inner.ppf(q), self.lower, self.upper)

    def logpdf(self, t: ArrayLike) -> Floats:
        """+inf at both ends, which have mass."""
        t = np.asarray(t, dtype=float)
        inside = np.where((t > self.lower) & (t < self.upper), self.inner.logpdf(t), -np.inf)
        return np.where((t == self.lower) | (t == self.upper), np.inf, inside)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,). Raises ValueError unless rng is a numpy.random.Generator."""
        return np.clip(self.inner.sample(size, rng), self.lower, self.upper)

    def _bounds(self, shares: Floats, center: float) -> Floats:
        """C(q) of p while both center - c and center + c are inside; then one end counts whole, and c is a quantile.

        From the nearer end on, c is the distance to the quantile on the farther side, at most that of the farther end.
        """
        below, above = center - self.lower, self.upper - center
        near, far = min(below, above), max(below, above)
        bounds = self.inner.error_bounds((100 * shares).tolist(), center)
        beyond = bounds >= near
        if beyond.any():
            share = shares[beyond]
            rest = np.maximum(1 - self.failure - share, 0.0)
            one_sided = center - self.inner.ppf(rest) if below > above else self.inner.ppf(share) - center
            bounds[beyond] = np.clip(one_sided, abs(near), far)
        return bounds
