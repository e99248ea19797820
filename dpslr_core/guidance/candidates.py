"""The algorithms that guidance chooses among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from ..mechanisms.base import Mechanism


def private_mechanisms(among: Sequence[type[Mechanism]], lower: float, upper: float, theta: float) -> list[Mechanism]:
    """Those of some algorithms that are private, with these hyperparameters where they have them.

    ValueError names a hyperparameter that a mechanism refuses.
    """
    given = {"lower": lower, "upper": upper, "theta": theta}
    made = []
    for algorithm in among:
        names = {f.name for f in fields(algorithm)}
        made.append(replace(algorithm(), **{name: value for name, value in given.items() if name in names}))
    return [m for m in made if m.guarantee(1.0).private]
