"""Rehearsal of pooled areas: a release of each area is drawn from a seed, and the released lines are pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..mechanisms.base import Mechanism
from ..mechanisms.centered import CenteredStatistics, CenteredSums
from ..privacy import Budget
from ..privacy.accounting import admitted, paid
from ..sources.axis import Axis
from ..support.run import stream
from .pooling import pool_areas

POOLED = ("CenteredStats", "CenteredStatsGaussian")  # whose releases can be pooled
OLS_ALONE, RELEASED_ALONE, POOLED_LINES = "OLS without privacy", "released alone", "pooled"
IN_UNITS_OF_Y = ("released", "pooled", "low", "high")


def pooling_mechanism(mechanisms: Sequence[Mechanism], budget: Budget) -> CenteredSums:
    """Return the first of these algorithms whose releases can be pooled and that the budget's rule admits.

    ValueError where there is none.
    """
    for mechanism in admitted(mechanisms, budget):
        if isinstance(mechanism, CenteredSums):
            return mechanism
    raise ValueError(
        f"pooling needs {' or '.join(POOLED)} among the algorithms, run under the accounting "
        f"{budget.accounting}"
    )


def drawn_releases(
    datasets: Mapping[Any, Dataset], mechanism: CenteredSums, budget: Budget, seed: int
) -> dict[Any, CenteredStatistics]:
    """Draw a release of each area, by label, from a stream that belongs to the seed and the label.

    They spend what the budget's rule allows, so that people with several records are protected too. A rehearsal: with
    the seed, anyone can subtract the noise.
    """
    epsilon = paid(mechanism, budget).epsilon
    return {
        label: mechanism.release_statistics(
            data, epsilon, 1, rng=stream(seed, "pooled areas", label)
        )
        for label, data in datasets.items()
    }


def rehearse_pooling(
    datasets: Mapping[Any, Dataset],
    mechanism: CenteredSums,
    budget: Budget,
    seed: int = 0,
    covariates: pd.DataFrame | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Pool drawn_releases at the points of the budget, by pool_areas. ValueError as for pool_areas."""
    return pool_areas(
        drawn_releases(datasets, mechanism, budget, seed), budget.at, covariates, level
    )


def pooled_in_units(pooled: pd.DataFrame, x: Axis, y: Axis) -> pd.DataFrame:
    """Convert a frame of pool_areas to the units of the data: its points, lines and spreads."""
    frame, by = pooled.copy(), y.scale / x.scale
    frame["at"] = x.from_unit(frame["at"].to_numpy())
    for name in IN_UNITS_OF_Y:
        frame[name] = y.from_unit(frame[name].to_numpy())
    frame["standard_error"] *= y.scale
    common = pooled.attrs
    frame.attrs = {
        "spread_of_height": common["spread_of_height"] * y.scale, "spread_of_slope": common["spread_of_slope"] * by,
        "origin": float(x.from_unit(common["origin"])), "height": float(y.from_unit(common["height"])),
        "slope": common["slope"] * by,
    }  # fmt: skip
    return frame


def errors_about_truth(
    pooled: pd.DataFrame, datasets: Mapping[Any, Dataset], truth: Mapping[Any, float] | pd.Series
) -> pd.DataFrame:
    """Compare three ways by their absolute errors in simulated areas: rows of ways, columns way, rms and median.

    The ways are OLS_ALONE (without privacy), RELEASED_ALONE and POOLED_LINES.

    Parameters
    ----------
    pooled : DataFrame
        Rows of pool_areas at one point, in the unit square.
    truth : mapping or Series
        True prediction at that point, by area.
    """
    at, areas = [float(pooled["at"].iloc[0])], pooled["group"].tolist()
    values = {
        OLS_ALONE: [float(datasets[area].predict(at)[0]) for area in areas],
        RELEASED_ALONE: pooled["released"].to_numpy(),
        POOLED_LINES: pooled["pooled"].to_numpy(),
    }
    true = np.array([truth[area] for area in areas])
    errors = {way: np.abs(np.array(predictions) - true) for way, predictions in values.items()}
    rows = [
        (way, float(np.sqrt(np.mean(error**2))), float(np.median(error)))
        for way, error in errors.items()
    ]
    return pd.DataFrame(rows, columns=["way", "rms", "median"])
