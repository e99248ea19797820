"""Array types used in annotations, and what all guarantees have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Promise:
    """What all guarantees tell about themselves; they are in ``privacy``."""

    @property
    def private(self) -> bool:
        """Whether it is a form of differential privacy at all."""
        return True

    @property
    def pure(self) -> bool:
        """Whether it is pure epsilon-differential privacy."""
        return False

    @property
    def promise(self) -> str:
        """What a release satisfies, for a sentence."""
        return str(self)
