"""Laws of one candidate chosen by its score: the chances of permute-and-flip and of the exponential mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..support.run import checkpoint
from ..support.types import Floats
from .base import Law
from .quadrature import legendre
from .solver import Unknowns

_NODES = 12  # of the quadrature between a power of two and the next
_BEYOND = 2  # intervals between powers of two below the point where the integrand begins to fall
_AT_ONCE = 2_000_000


def exponential_choice(scores: ArrayLike, weight: float) -> Floats:
    """Compute the chances of the exponential mechanism, in proportion to exp(-weight score); shape (g,) as scores."""
    above = np.asarray(scores, dtype=float)
    with np.errstate(under="ignore"):
        chances = np.exp(-weight * (above - above.min()))
    return chances / chances.sum()


def permute_and_flip(scores: ArrayLike, weight: float) -> Floats:
    """Compute the chances of permute-and-flip, the least score with exponential noise; shape (g,) as scores.

    The candidate with the greatest q_i + E_i wins, q_i = -weight (score_i - least), E_i exponential of mean 1. With
    w_i = exp(q_i) and t = exp(-z), z the greatest value, P(i) = w_i integral over 0 < t < 1 of
    prod_k (1 - t w_k) / (1 - t w_i) dt. The integrand is smooth and falls from 1 at about t = 1 / sum w, so that
    Gauss's rule between powers of two gives twelve digits. Source: McKenna and Sheldon (2020), who show the
    mechanism; the integral is this project's own.
    """
    levels, number, sizes = np.unique(
        np.asarray(scores, dtype=float), return_inverse=True, return_counts=True
    )
    with np.errstate(under="ignore"):
        w = np.exp(-weight * (levels - levels[0]))
    intervals = int(np.ceil(np.log2(max(float(sizes @ w), 1.0)))) + _BEYOND
    tops = np.exp2(-np.arange(intervals, dtype=float))
    x, share = legendre(_NODES)
    low = np.append(tops[1:], 0.0)
    t = (low[:, None] + (tops - low)[:, None] * (x + 1) / 2).ravel()
    length = ((tops - low)[:, None] * share / 2).ravel()
    step = max(1, _AT_ONCE // t.size)
    product = np.zeros(t.size)
    for start in range(0, w.size, step):
        checkpoint()
        batch = slice(start, start + step)
        product += np.log1p(-np.multiply.outer(t, w[batch])) @ sizes[batch]
    with np.errstate(under="ignore"):
        product = np.exp(product) * length
    chances = np.empty(w.size)
    for start in range(0, w.size, step):
        batch = slice(start, start + step)
        chances[batch] = w[batch] * (product @ (1 / (1 - np.multiply.outer(t, w[batch]))))
    return (chances / (chances @ sizes))[number]


@dataclass(frozen=True, eq=False)
class CandidateLaw(Law):
    """Law of a number with g possible `values`, in increasing order, and their `chances`, shape (g,) each."""

    values: Floats
    chances: Floats

    @classmethod
    def of(cls, values: ArrayLike, chances: Floats) -> CandidateLaw:
        """Make the law of values in any order, also repeated ones, with these chances."""
        kept, index = np.unique(np.asarray(values, dtype=float), return_inverse=True)
        return cls(kept, np.bincount(index, chances, kept.size).astype(float))

    @cached_property
    def _sums(self) -> Floats:
        sums = np.cumsum(self.chances)
        return sums / sums[-1]

    def cdf(self, t: ArrayLike) -> Floats:
        index = np.searchsorted(self.values, np.asarray(t, dtype=float), side="right")
        return np.append(0.0, self._sums)[index]

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        index = np.minimum(np.searchsorted(self._sums, q), self.values.size - 1)
        return np.where((q >= 0) & (q <= 1), self.values[index], np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        """Return the logarithm of the chance of t itself, as single numbers have no density; same shape as t."""
        t = np.asarray(t, dtype=float)
        index = np.minimum(np.searchsorted(self.values, t), self.values.size - 1)
        with np.errstate(divide="ignore"):
            return np.where(self.values[index] == t, np.log(self.chances[index]), -np.inf)

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.values[0]), float(self.values[-1])

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        numbers = np.empty(unknowns.law.size)
        for i, (law, mass, center) in enumerate(
            zip(*(column.tolist() for column in unknowns), strict=True)
        ):
            candidates: CandidateLaw = laws[law]
            if np.isnan(center):
                numbers[i] = candidates.ppf(mass)
                continue
            away = np.abs(candidates.values - center)
            order = np.argsort(away, kind="stable")
            sums = np.cumsum(candidates.chances[order])
            numbers[i] = away[order][
                min(int(np.searchsorted(sums, mass * sums[-1])), away.size - 1)
            ]
        return numbers
