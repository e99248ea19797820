"""What is spent and how much is computed: the two arguments that experiments have in common."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from . import validate
from .accounting import Accounting, SpendingRule, accounting_of
from .types import Promise

QUARTERS = (0.25, 0.75)


@dataclass(frozen=True)
class Budget:
    """epsilon, the total for all the points of at, which are released together.

    accounting: by which rule each algorithm spends it, or the guarantee that all are to satisfy in its place.
    ValueError where epsilon is not a finite number above 0, at is not one or more finite numbers, or there is no such
    rule.
    """

    epsilon: float
    at: tuple[float, ...]
    accounting: SpendingRule | Promise = Accounting.PAPER

    def __init__(self, epsilon: float, at: ArrayLike = QUARTERS, accounting: str | Promise = Accounting.PAPER) -> None:
        validate.positive(epsilon=epsilon)
        object.__setattr__(self, "epsilon", float(epsilon))
        object.__setattr__(self, "at", tuple(validate.points(at=at).tolist()))
        object.__setattr__(self, "accounting", accounting_of(accounting))


@dataclass(frozen=True)
class Run:
    """Trials where there is no exact law, the seed of all randomness, and who does the work (see workers.in_order).

    ValueError where trials is not a whole number, 1 or more, or seed not one, 0 or more.
    """

    trials: int = 50
    seed: int = 0
    workers: int | str = 1

    def __post_init__(self) -> None:
        validate.integer(1, trials=self.trials)
        validate.integer(0, seed=self.seed)
