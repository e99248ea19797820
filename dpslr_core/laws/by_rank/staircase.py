"""Laws whose density is known between two staircases."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...support import validate
from ...support.types import Floats, Integers
from ..base import Law
from ..piecewise import PiecewiseUniform


@dataclass(frozen=True, eq=False)
class Staircase(Law):
    """A law whose log density, up to one constant, lies between log_low[i] and log_high[i] from edge i to i + 1.

    edges: shape (p + 1,), non-decreasing; log_low <= log_high: shape (p,). cdf, ppf and logpdf are those of the
    staircase with the logarithmic mean of both densities in each piece (exact where the logarithm is linear); the cdf
    is off by no more than ``cdf_error``. Draws are exact.
    """

    edges: Floats
    log_low: Floats
    log_high: Floats

    @property
    def exact(self) -> bool:
        return False

    @property
    def how(self) -> str:
        return f"law to {self.cdf_error:.0e}"

    @cached_property
    def _middle(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, logarithmic_mean(self.log_low, self.log_high))

    @cached_property
    def cdf_error(self) -> float:
        """No cdf(t) is further from the true one than this.

        With mass errors of at most E left of t and E' right of it and the exact total T, the cdf is off by at most
        (E (1 - F) + E' F) / T.
        """
        low, middle, high = masses(self.edges, self.log_low, self._middle.log_density, self.log_high)
        error, total = float(np.maximum(high - middle, middle - low).sum()), float(low.sum())
        return error / total if error < total else 1.0

    def cdf(self, t: ArrayLike) -> Floats:
        return self._middle.cdf(t)

    def ppf(self, q: ArrayLike) -> Floats:
        return self._middle.ppf(q)

    def logpdf(self, t: ArrayLike) -> Floats:
        return self._middle.logpdf(t)

    def _mass_and_rate(self, c: float, center: float) -> tuple[float, float]:
        return self._middle._mass_and_rate(c, center)

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size exact draws, shape (size,)."""


@dataclass(frozen=True, eq=False)
class StaircaseLaw(Staircase):
    """A law between two staircases whose density can be asked for.

    log_density(r, piece): the exact value at points r of the pieces so numbered.
    """

    log_density: Callable[[Floats, Integers], Floats]

    @cached_property
    def _upper(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, self.log_high)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size exact draws, shape (size,): proposals under the upper staircase, most accepted under the lower.

        Only a proposal between the two costs a query, so that size draws cost about size times the relative gap.
        """
        validate.generator(rng=rng)
        drawn = np.empty(0)
        while drawn.size < size:
            proposed = self._upper.ppf(rng.random(size - drawn.size))
            height = np.log1p(-rng.random(proposed.size))  # log of a uniform on (0, 1]
            piece = np.searchsorted(self.edges, proposed, side="right") - 1
            piece = np.clip(piece, 0, self.log_low.size - 1)
            accepted = height <= (self.log_low - self.log_high)[piece]
            undecided = np.flatnonzero(~accepted)
            if undecided.size:
                exact = self.log_density(proposed[undecided], piece[undecided])
                accepted[undecided] = height[undecided] <= exact - self.log_high[piece[undecided]]
            drawn = np.concatenate([drawn, proposed[accepted]])
        return drawn


def logarithmic_mean(log_low: Floats, log_high: Floats) -> Floats:
    """The logarithm of the logarithmic mean (high - low) / (log high - log low), same shape as both."""
    fall = log_high - log_low
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_high + np.log(np.where(fall > 1e-9, -np.expm1(-fall) / fall, 1.0))


def masses(edges: Floats, *log_densities: Floats) -> list[Floats]:
    """Masses of uniform pieces under each density, each of shape (p,), all up to the same factor."""
    with np.errstate(divide="ignore", under="ignore"):
        log_lengths = np.log(np.diff(edges))
        top = np.max(log_lengths + log_densities[-1])
        return [np.exp(log_lengths + log_density - top) for log_density in log_densities]
