"""A law between two staircases whose density is known exactly wherever it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...support import validate
from ...support.types import Floats, Integers
from ..piecewise import PiecewiseUniform, Staircase


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
            proposed = self._upper.sample(size - drawn.size, rng)
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
