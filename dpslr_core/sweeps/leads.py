"""Which of some algorithms has the smallest error at each value of a sweep, and where the lead changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from .._types import Floats
from ..confidence import Z95
from .crossings import LINEAR, Crossing, crossings

_NEARLY = 1.1  # times the smallest error: still at the front


@dataclass(frozen=True)
class Lead:
    """The algorithm with the smallest mean error at one value.

    rivals: the others that cannot be told from it with 95% confidence, by the paired difference over the data sets.
    """

    value: float
    mechanism: str
    mean: float
    rivals: tuple[str, ...]


def lead(frame: pd.DataFrame, value: float, names: Sequence[str]) -> Lead | None:
    """Who leads among the algorithms named, at one value of a frame of sweep; None where no mean is finite."""
    rows = frame[(frame["value"] == value) & frame["mechanism"].isin(list(names)) & np.isfinite(frame["mean"])]
    if rows.empty:
        return None
    means = dict(zip(rows["mechanism"], rows["mean"], strict=True))
    best = min(means, key=lambda name: means[name])
    order = sorted(means, key=lambda name: means[name])
    close = (name for name in order if name != best and _close(frame, value, best, name, means[name] - means[best]))
    return Lead(value, best, means[best], tuple(close))


def _close(frame: pd.DataFrame, value: float, best: str, other: str, difference: float) -> bool:
    """Whether two means differ by less than 1.96 standard errors of their paired difference."""
    paired = frame.attrs["paired"]
    errors = paired.get(f"{best}|{other}") or paired[f"{other}|{best}"]
    return bool(difference <= Z95 * errors[value])


def leads(frame: pd.DataFrame, names: Sequence[str]) -> list[Lead]:
    """Who leads at every value where anybody does, in order of the values."""
    found = (lead(frame, float(value), names) for value in np.sort(frame["value"].unique()))
    return [one for one in found if one is not None]


def lead_changes(frame: pd.DataFrame, names: Sequence[str]) -> list[Crossing]:
    """The crossings of algorithms that lead somewhere, where they cross at the front or within 10% of it.

    In order of the parameter.
    """
    leaders = list(dict.fromkeys(one.mechanism for one in leads(frame, names)))
    found = [crossing for pair in combinations(leaders, 2) for crossing in crossings(frame, *pair)]
    at_front = [crossing for crossing in found if _at_front(frame, crossing, names)]
    return sorted(at_front, key=lambda crossing: crossing.value)


def _at_front(frame: pd.DataFrame, crossing: Crossing, names: Sequence[str]) -> bool:
    """Whether the better of the two that cross is within 10% of the smallest error there, between the values too."""
    here = {name: _error_at(frame, crossing, name) for name in names}
    return min(here[crossing.winner], here[crossing.loser]) <= _NEARLY * min(here.values())


def _error_at(frame: pd.DataFrame, crossing: Crossing, name: str) -> float:
    """The mean error of an algorithm where two others cross, by the interpolation that crossings uses."""
    rows = frame[frame["mechanism"] == name].sort_values("value")
    values, means = rows["value"].to_numpy(float), rows["mean"].to_numpy(float)
    logarithmic = crossing.parameter not in LINEAR and bool((values > 0).all())
    t: Floats = np.log(values) if logarithmic else values
    with np.errstate(divide="ignore"):
        logs = np.clip(np.log(means), -700, 700)
    known = ~np.isnan(logs)
    place = np.log(crossing.value) if logarithmic else crossing.value
    return float(np.exp(np.interp(place, t[known], logs[known]))) if known.any() else np.inf
