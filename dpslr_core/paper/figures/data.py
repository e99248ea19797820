"""The data that several figures share, each loaded or simulated once in a process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pandas as pd

from ...dataset import Dataset
from ...sources.tract_models import StateModel
from ...sources.tracts import simulate_tracts
from ...sources.uci import load_uci
from ...support.streams import stream


@cache
def bikes() -> Mapping[str, Dataset]:
    """The 288 bike share data sets by month and hour; DataUnavailable where they cannot be had."""
    return _datasets(load_uci("bikes").frame)


@cache
def tracts(state: StateModel, seed: int) -> Mapping[str, Dataset]:
    """The people of all tracts of a simulated state."""
    return _datasets(simulate_tracts(state=state, rng=stream(seed, "tracts", state.name)))


def _datasets(frame: pd.DataFrame) -> dict[str, Dataset]:
    """The groups in which x varies, as by_group would make them: records in order of x, then y."""
    ordered = frame.sort_values(["x", "y"], kind="stable").groupby("group", sort=True)
    return {str(label): Dataset(rows["x"], rows["y"]) for label, rows in ordered if rows["x"].nunique() > 1}
