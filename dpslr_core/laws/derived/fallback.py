"""The law of an answer with another, cruder one in its place where it fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...support.types import Floats
from ..base import Law
from ..mixture import Mixture


@dataclass(frozen=True, eq=False)
class FallbackLaw(Mixture):
    """cdf(t) = answered.cdf(t) + failure * crude.cdf(t): the law that can fail, and one of the answers in its place.

    components: the two, of which the second never fails and neither jumps; weights: 1 and the failure of the first,
    which add up to more than 1 only because the mass of the first is less.
    """

    @classmethod
    def of(cls, answered: Law, crude: Law) -> Law:
        """The law of answered, with crude in the place of its failures; itself where it never fails."""
        failure = answered.failure
        return cls((answered, crude), np.array([1.0, failure])) if failure > 0 else answered

    @property
    def failure(self) -> float:
        return 0.0

    @property
    def fallback(self) -> float:
        """The share of answers in the place of a failure."""
        return float(self.weights[1])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,). Raises ValueError unless rng is a numpy.random.Generator."""
        draws = self.components[0].sample(size, rng)
        failed = np.isnan(draws)
        draws[failed] = self.components[1].sample(int(failed.sum()), rng)
        return draws
