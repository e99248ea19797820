"""The law of several numbers that are released together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..support.types import Floats
from .base import Law


@dataclass(frozen=True)
class JointLaw:
    """The law of all numbers that are released together, as a mixture of products.

    parts: (weight, the law at each point); the points are independent once the part is known. No parts: no law is
    known.
    apart: how the points depend on each other is not known. The laws are those of each point alone.
    """

    parts: Sequence[tuple[float, Sequence[Law]]] = ()
    apart: bool = False

    @classmethod
    def independent(cls, laws: Sequence[Law | None], apart: bool = False) -> JointLaw:
        """The joint law of independent releases; no parts where a law is unknown or an average of drawn ones.

        apart: they need not be independent, see JointLaw.
        """
        known = [law for law in laws if law is not None and not law.averaged]
        return cls([(1.0, known)], apart) if len(known) == len(laws) else cls()

    @property
    def exact(self) -> bool:
        """Whether every law is exact, and not known between bounds."""
        return all(law.exact for _, laws in self.parts for law in laws)

    def log_density(self, outcomes: Sequence[Floats]) -> Floats:
        """The joint log density on the product of the outcomes at each point: one axis of the shape for each point."""
        total = np.full([len(axis) for axis in outcomes], -np.inf)
        for weight, laws in self.parts:
            axes = [law.logpdf(axis) for law, axis in zip(laws, outcomes, strict=True)]
            total = np.logaddexp(total, np.log(weight) + sum(np.ix_(*axes)))
        return total
