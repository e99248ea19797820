"""Where another algorithm would be recommended as n or epsilon moves away from its present value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..sweeps import Piece, combine
from ..sweeps.crossings import WHOLE, Crossing, crossings
from .recommendation import Recommendation
from .twins import on_twins

TWINS, FEWEST = 20, 6
RECORDS = 5_000  # in all twins together, where that leaves enough of them: their cost grows with n
_LADDER = tuple(2.0**step for step in range(1, 6))
_RANGE = {"n": (10, 5_000), "epsilon": (1e-3, 1e3)}


@dataclass(frozen=True)
class Flip:
    """Where another algorithm becomes the best as one parameter moves away from its present value.

    crossing: where, and how sure; None where nothing flips up to ``end``, the last value looked at. other: the
    algorithm that takes over.
    """

    parameter: str
    end: float
    other: str | None
    crossing: Crossing | None


Measure = Callable[[str, float], Piece]  # the candidates' errors at one value of a parameter


def flips(found: Recommendation, parameter: str, twins: int = TWINS, workers: int | str = 1) -> tuple[Flip, Flip]:
    """The nearest flips below and above the present n or epsilon ("n", "epsilon"), all else as it is.

    Doubles and halves the parameter until another candidate has the smallest mean error, and reads the crossing off
    the values so far. Up to 32 times the present value, n from 10 to 5,000. ValueError for other parameters.
    """

    def at_value(parameter: str, value: float) -> Piece:
        return candidates_at(found, parameter, value, twins, workers)

    return flip(found, parameter, -1, at_value), flip(found, parameter, 1, at_value)


def candidates_at(
    found: Recommendation, parameter: str, value: float, twins: int = TWINS, workers: int | str = 1
) -> Piece:
    """The candidates' errors on twins with another n or epsilon; on fewer where n is large."""
    n = value if parameter == "n" else found.base.n
    twins = max(min(twins, FEWEST), min(twins, int(RECORDS / n)))
    return on_twins(parameter, [value], found.base, found.candidates, twins, found.trials, found.seed, workers)[0]


def flip(found: Recommendation, parameter: str, direction: int, at_value: Measure) -> Flip:
    """The nearest flip on one side, direction -1 or 1, by a function that measures at one value."""
    if parameter not in _RANGE:
        raise ValueError(f"parameter must be one of {list(_RANGE)}, got {parameter!r}")
    here, now = float(getattr(found.base, parameter)), found.algorithm
    pieces = [at_value(parameter, here)]
    for value in _values(parameter, here, direction):
        pieces.append(at_value(parameter, value))
        frame = combine(pieces)
        other = _winner(frame, value)
        if other is not None and now is not None and other != now:
            nearest = sorted(crossings(frame, now, other), key=lambda crossing: abs(np.log(crossing.value / here)))
            if nearest:
                return Flip(parameter, value, other, nearest[0])
    return Flip(parameter, pieces[-1].value, None, None)


def _values(parameter: str, here: float, direction: int) -> list[float]:
    """The ladder of values on one side, the nearest first."""
    low, high = _RANGE[parameter]
    values = [here * factor**direction for factor in _LADDER]
    values = [float(round(value)) if parameter in WHOLE else value for value in values]
    return [value for value in values if low <= value <= high]


def _winner(frame: pd.DataFrame, value: float) -> str | None:
    """The mechanism with the smallest mean error at a value."""
    rows = frame[frame["value"] == value].sort_values("mean", kind="stable")
    return str(rows["mechanism"].iloc[0]) if np.isfinite(rows["mean"].iloc[0]) else None
