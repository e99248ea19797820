"""What a mechanism may compute for many data sets at once: by default one after another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..laws.base import Law
from ..support.run import QUARTERS, checkpoint
from ..support.types import Floats

Dataset = Any  # dpslr_core.dataset.Dataset, whose import would make the longest chain longer


class OnManyDataSets(ABC):
    """Laws and releases of many data sets; a mechanism that has a faster way to the same numbers overrides them."""

    @abstractmethod
    def law(self, data: Dataset, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Law | None, ...]:
        """The law of the release at each point of at; None where no law is known."""

    @abstractmethod
    def release(
        self, data: Dataset, epsilon: float, at: ArrayLike = QUARTERS, size: int = 1000, *, rng: np.random.Generator
    ) -> Floats:
        """size independent releases, shape (size, len(at))."""

    def laws_of_all(
        self, datasets: Sequence[Dataset], epsilon: float, at: ArrayLike = QUARTERS
    ) -> list[tuple[Law | None, ...]]:
        """law of each data set; raises as it does."""
        laws = []
        for data in datasets:
            checkpoint()
            laws.append(self.law(data, epsilon, at))
        return laws

    def releases_of_all(
        self,
        datasets: Sequence[Dataset],
        epsilon: float,
        at: ArrayLike,
        size: int,
        generators: Sequence[np.random.Generator],
    ) -> list[Floats]:
        """release of each data set, each with a generator of its own, whose draws it gets; raises as release does."""
        released = []
        for data, rng in zip(datasets, generators, strict=True):
            checkpoint()
            released.append(self.release(data, epsilon, at, size, rng=rng))
        return released
