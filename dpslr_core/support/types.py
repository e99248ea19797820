"""Array types used in annotations, the memory of arrays, and what all guarantees have in common."""

from __future__ import annotations

from functools import cache

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


@cache
def keep_memory() -> None:
    """Make malloc keep freed arrays for the next ones, once per process: fresh pages are slow.

    glibc returns no more than twice the largest block that it has seen freed; elsewhere this does nothing.
    """
    np.empty(1 << 21)  # 16 MB, of which no page is touched
