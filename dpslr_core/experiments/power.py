"""How often the slope test finds a slope: its power, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..intervals import slope_test
from ..mechanisms.centered.centered_stats import CenteredStats, CenteredSums
from ..sources.linear import LinearModel
from ..support import validate
from ..support.streams import stream
from .coverage import binomial_limits, joined

COLUMNS = ["n", "slope", "epsilon", "power", "low", "high"]


def slope_test_power(
    model: LinearModel,
    epsilon: float,
    mechanism: CenteredSums | None = None,
    datasets: int = 500,
    seed: int = 0,
    level: float = 0.05,
) -> tuple[float, float, float]:
    """The share of simulated data sets with p <= level, one release each, and its exact 95% limits.

    At slope 0 it is the share of false alarms. mechanism: CenteredStats() where none is given. ValueError where a
    number cannot be.
    """
    mechanism = mechanism or CenteredStats()
    validate.integer(1, datasets=datasets)
    validate.inside(0, 1, closed="neither", level=level)
    rng = stream(seed, "slope test", repr(model), repr(mechanism), epsilon)
    releases = [
        mechanism.release_statistics(model.replicate(seed, number), epsilon, 1, rng=rng) for number in range(datasets)
    ]
    found = int((slope_test(joined(releases), rng=rng) <= level).sum())
    return found / datasets, *binomial_limits(found, datasets)


def power_table(
    model: LinearModel,
    sizes: Sequence[int],
    slopes: Sequence[float],
    epsilons: Sequence[float],
    datasets: int = 500,
    seed: int = 0,
) -> pd.DataFrame:
    """slope_test_power of CenteredStats for every n, slope and epsilon; the line stays where it is at mean x."""
    rows = []
    for n in sizes:
        for slope in slopes:
            height = model.intercept + (model.slope - slope) * model.x_mean
            changed = replace(model, n=n, slope=slope, intercept=height)
            for epsilon in epsilons:
                rows.append((n, slope, epsilon, *slope_test_power(changed, epsilon, None, datasets, seed)))
    return pd.DataFrame(np.array(rows), columns=COLUMNS).astype({"n": int})
