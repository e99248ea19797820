"""The noise on released statistics, as public knowledge: its kind and scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...support.types import Floats


@dataclass(frozen=True)
class ReleasedNoise:
    """Independent noises of one kind; scale: of each, shape (k,)."""

    kind: Literal["Laplace", "Gaussian"]
    scale: tuple[float, ...]

    @property
    def heavy(self) -> bool:
        """Whether it is Laplace noise, whose tails are heavier than normal."""
        return self.kind == "Laplace"

    @property
    def deviation(self) -> Floats:
        """The standard deviations, shape (k,): of Laplace noise sqrt(2) scale, of Gaussian noise its scale."""
        return np.array(self.scale) * (np.sqrt(2) if self.heavy else 1.0)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent noises of each, shape (k, size)."""
        shape = (len(self.scale), size)
        return np.array(self.scale)[:, None] * (rng.laplace(size=shape) if self.heavy else rng.standard_normal(shape))
