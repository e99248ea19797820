"""Which of some algorithms has the smallest error at each value of a sweep, and where the lead changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from ...support.run import Z95
from ...support.types import Floats
from ..ranking import ALIKE, Lead
from .crossings import LINEAR, Crossing, crossings
from .results import Sweep

_NEARLY = 1.1  # times the smallest error: still at the front


def lead(sweep: Sweep, value: float, names: Sequence[str]) -> Lead:
    """The lead among the algorithms named, by their mean error at one value.

    Means are tied where the paired difference over the data sets does not tell them apart with 95% confidence, or where
    they are the same to three digits.
    """
    frame = sweep.frame
    rows = frame[(frame["value"] == value) & frame["mechanism"].isin(list(names)) & np.isfinite(frame["mean"])]
    rows = rows.sort_values("mean", kind="stable")
    ordered, means = rows["mechanism"].tolist(), rows["mean"].to_numpy(dtype=float)
    batch = sweep.at(value)
    paired = [0.0 if name == ordered[0] else batch.difference_error(ordered[0], name) for name in ordered]
    return Lead.of(ordered, means, np.maximum(Z95 * np.array(paired), ALIKE * means[:1]))


def leads(sweep: Sweep, names: Sequence[str]) -> dict[float, Lead]:
    """The lead at every value where any mean is finite, in order of the values."""
    at_values = {batch.value: lead(sweep, batch.value, names) for batch in sweep.batches}
    return {value: leader for value, leader in at_values.items() if leader.mechanism is not None}


def lead_changes(sweep: Sweep, names: Sequence[str]) -> list[Crossing]:
    """The crossings of algorithms that lead somewhere, where they cross at the front or within 10% of it.

    In order of the parameter.
    """
    leaders = dict.fromkeys(leader.mechanism for leader in leads(sweep, names).values() if leader.mechanism)
    crossed = [crossing for pair in combinations(leaders, 2) for crossing in crossings(sweep, *pair)]
    at_front = [crossing for crossing in crossed if _at_front(sweep.frame, crossing, names)]
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
