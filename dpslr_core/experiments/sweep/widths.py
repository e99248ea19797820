"""How wide the intervals of each algorithm are as one parameter varies, beside that of OLS."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ...dataset import Dataset
from ...sources.linear import LinearModel
from ...support import validate
from ...support.run import stream
from ..how_sure import free_of_charge, intervals_of, ols_interval
from .plan import Setting, SweepPlan

DATASETS, RELEASES = 20, 100  # simulated data sets at each value at most, and releases from each
OLS_NAME = "OLS"
COLUMNS = ["parameter", "value", "mechanism", "width", "two_ends"]


def interval_widths(plan: SweepPlan, seed: int = 0, datasets: int = DATASETS) -> pd.DataFrame:
    """Median widths of 95% intervals for the true line at the first point of the budget: rows of COLUMNS.

    plan: of plan_sweep. datasets: simulated at each value, 1 or more; one where data are loaded. seed: 0 or more.

    Of OLS, which is not private, and of all mechanisms whose intervals cost nothing beside the release. The median is
    over RELEASES of each data set, in the unit square: infinite where half or more lack an end. two_ends: the share
    of intervals that have both. ValueError where no mechanism offers such intervals.
    """
    validate.integer(1, datasets=datasets)
    offer_intervals(plan)
    parts = [widths_at(plan.parameter, setting, seed, datasets) for setting in plan.settings]
    return pd.concat(parts, ignore_index=True)


def offer_intervals(plan: SweepPlan) -> None:
    """ValueError where no mechanism of the plan has intervals at no further budget."""
    if not free_of_charge(plan.settings[0].mechanisms):
        raise ValueError("mechanisms must hold one that offers intervals at no further budget")


def widths_at(parameter: str, setting: Setting, seed: int, datasets: int) -> pd.DataFrame:
    """The rows of interval_widths at one setting."""
    groups = list(_groups(setting, seed, datasets))
    usual = [float(np.diff(ols_interval(data, setting.budget.at), axis=0)[0, 0]) for data in groups]
    rows = [(parameter, setting.value, OLS_NAME, float(np.median(usual)), 1.0)]
    for mechanism in free_of_charge(setting.mechanisms):
        widths = [
            intervals_of(mechanism, data, setting.budget, RELEASES, stream(seed, "widths", repr(mechanism), i))[0].width
            for i, data in enumerate(groups)
        ]
        first = np.concatenate([width[:, 0] for width in widths])
        share = float(np.isfinite(first).mean())
        rows.append((parameter, setting.value, mechanism.name, float(np.median(first)), share))
    return pd.DataFrame(rows, columns=COLUMNS)


def _groups(setting: Setting, seed: int, datasets: int) -> Iterator[Dataset]:
    """The data sets that a sweep simulates, or the one that is loaded."""
    source = setting.source
    if isinstance(source, LinearModel):
        yield from (source.replicate(seed, number) for number in range(datasets))
    else:
        yield source
