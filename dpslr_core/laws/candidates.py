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
_BEYOND = 2  # such parts below the place where the integrand begins to fall
_AT_ONCE = 2_000_000


def exponential_choice(scores: ArrayLike, weight: float) -> Floats:
    """The chances of the candidates by the exponential mechanism, in proportion to exp(-weight score), shape (g,)."""
    above = np.asarray(scores, dtype=float)
    with np.errstate(under="ignore"):
        chances = np.exp(-weight * (above - above.min()))
    return chances / chances.sum()


def permute_and_flip(scores: ArrayLike, weight: float) -> Floats:
    """The chances of the candidates by permute-and-flip, which is the least score with exponential noise; shape (g,).

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
    parts = int(np.ceil(np.log2(max(float(sizes @ w), 1.0)))) + _BEYOND
    tops = np.exp2(-np.arange(parts, dtype=float))
    x, share = legendre(_NODES)
    low = np.append(tops[1:], 0.0)
    t = (low[:, None] + (tops - low)[:, None] * (x + 1) / 2).ravel()
    length = ((tops - low)[:, None] * share / 2).ravel()
    step = max(1, _AT_ONCE // t.size)
    product = np.zeros(t.size)
    for start in range(0, w.size, step):
        checkpoint()
        part = slice(start, start + step)
        product += np.log1p(-np.multiply.outer(t, w[part])) @ sizes[part]
    with np.errstate(under="ignore"):
        product = np.exp(product) * length
    chances = np.empty(w.size)
    for start in range(0, w.size, step):
        part = slice(start, start + step)
        chances[part] = w[part] * (product @ (1 / (1 - np.multiply.outer(t, w[part]))))
    return (chances / (chances @ sizes))[number]


@dataclass(frozen=True, eq=False)
class CandidateLaw(Law):
    """The law of a number that is one of several: values in increasing order and their chances, shape (g,)."""

    values: Floats
    chances: Floats

    @classmethod
    def of(cls, values: ArrayLike, chances: Floats) -> CandidateLaw:
        """The law of values in any order, equal ones among them."""
        kept, place = np.unique(np.asarray(values, dtype=float), return_inverse=True)
        return cls(kept, np.bincount(place, chances, kept.size).astype(float))

    @cached_property
    def _sums(self) -> Floats:
        sums = np.cumsum(self.chances)
        return sums / sums[-1]

    def cdf(self, t: ArrayLike) -> Floats:
        place = np.searchsorted(self.values, np.asarray(t, dtype=float), side="right")
        return np.append(0.0, self._sums)[place]

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        place = np.minimum(np.searchsorted(self._sums, q), self.values.size - 1)
        return np.where((q >= 0) & (q <= 1), self.values[place], np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        """The logarithm of the chance of t itself: single numbers have no density."""
        t = np.asarray(t, dtype=float)
        place = np.minimum(np.searchsorted(self.values, t), self.values.size - 1)
        with np.errstate(divide="ignore"):
            return np.where(self.values[place] == t, np.log(self.chances[place]), -np.inf)

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.values[0]), float(self.values[-1])

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        found = np.empty(unknowns.law.size)
        for place, (law, mass, center) in enumerate(
            zip(*(part.tolist() for part in unknowns), strict=True)
        ):
            each: CandidateLaw = laws[law]
            if np.isnan(center):
                found[place] = each.ppf(mass)
                continue
            away = np.abs(each.values - center)
            order = np.argsort(away, kind="stable")
            sums = np.cumsum(each.chances[order])
            found[place] = away[order][
                min(int(np.searchsorted(sums, mass * sums[-1])), away.size - 1)
            ]
        return found
