"""How much is computed: the argument that experiments have in common."""

from __future__ import annotations

from dataclasses import dataclass

from . import validate

QUARTERS = (0.25, 0.75)


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
