"""Coverage of the intervals of pooled areas, and errors of pooled lines, in simulated worlds.

``python -m benchmarks pooling``: coverage of 95% intervals at x = 0.25, and errors about the true line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import errors_about_truth
from dpslr_core.experiments.pooling import pool_areas
from dpslr_core.experiments.pooling_worlds import COLUMNS
from dpslr_core.experiments.pooling_worlds import STORED as STORED
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.sources.tracts import (
    ILLINOIS,
    NORTH_CAROLINA,
    SIZE_SCALE,
    SIZE_SHIFT,
    StateModel,
    draw_tracts,
    simulate_tracts,
    true_lines,
)
from dpslr_core.support.run import stream
from dpslr_core.support.types import Floats

ABOUT = {"digits": 4}
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
AREAS = {50: 16, 200: 16, 3108: 4}  # and how many times each world is drawn
AT, LEVEL = 0.25, 0.95


class World(NamedTuple):
    """Simulated areas: their data sets, their true predictions at AT, and a public covariate of each area."""

    datasets: dict[str, Dataset]
    truth: Floats
    covariate: Floats


def _sizes(areas: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the number of records of each area."""
    return np.floor(rng.exponential(SIZE_SCALE, areas) + SIZE_SHIFT).astype(int)


def _state(areas: int, rng: np.random.Generator, model: StateModel) -> World:
    """Draw tracts of simulated people; the mean income of a tract is public."""
    table = draw_tracts(areas, rng, state=model).assign(size=_sizes(areas, rng))
    sample, lines = split_groups(simulate_tracts(table, rng=rng)).datasets, true_lines(table)
    table, lines = table.set_index("group").loc[list(sample)], lines.loc[list(sample)]
    truth = (lines["intercept"] + AT * lines["slope"]).to_numpy()
    return World(dict(sample), truth, np.log(table["mu"].to_numpy()))


def _simple(
    areas: int,
    rng: np.random.Generator,
    effects: Callable[[np.ndarray, np.random.Generator], Floats],
) -> World:
    """Draw normal x and residuals; heights and slopes go up and down with effects of standard deviation 1."""
    n, public = _sizes(areas, rng), rng.standard_normal(areas)
    heights = 0.5 + 0.05 * effects(n, rng) + 0.03 * public
    slopes, centres = 0.3 + 0.1 * effects(n, rng), 0.5 + 0.1 * rng.uniform(-1, 1, areas)
    datasets = {}
    for i in range(areas):
        x = np.clip(centres[i] + 0.18 * rng.standard_normal(n[i]), 0, 1)
        y = np.clip(heights[i] + slopes[i] * (x - 0.5) + 0.13 * rng.standard_normal(n[i]), 0, 1)
        datasets[f"area {i}"] = Dataset(x, y)
    return World(datasets, heights + slopes * (AT - 0.5), public)


def _tied(n: np.ndarray, rng: np.random.Generator) -> Floats:
    """Draw effects that go with the logarithm of n, correlation 0.8."""
    return 0.8 * (np.log(n) - np.log(n).mean()) / np.log(n).std() + 0.6 * rng.standard_normal(
        n.size
    )


WORLDS: dict[str, Callable[[int, np.random.Generator], World]] = {
    "Illinois": lambda areas, rng: _state(areas, rng, ILLINOIS),
    "North Carolina": lambda areas, rng: _state(areas, rng, NORTH_CAROLINA),
    "normal effects": lambda areas, rng: _simple(
        areas, rng, lambda n, rng: rng.standard_normal(n.size)
    ),
    "skewed effects": lambda areas, rng: _simple(
        areas, rng, lambda n, rng: rng.exponential(1, n.size) - 1
    ),
    "effects tied to n": lambda areas, rng: _simple(areas, rng, _tied),
}


def world_rows(name: str, areas: int, times: int, seed: int = 0) -> pd.DataFrame:
    """Average coverage and errors over drawn worlds: rows of COLUMNS for each of EPSILONS, without and with covariate.

    They are about the prediction at AT and the true line; rms is the root of the mean square over all worlds.

    Parameters
    ----------
    name : str
        Key of WORLDS.
    areas, times : int
        Number of areas of a world, and number of worlds.
    seed : int
        Seed of worlds and releases.
    """
    sums: dict[tuple[bool, float], Floats] = {}
    for number in range(times):
        rng = stream(seed, "pooling world", name, areas, number)
        world = WORLDS[name](areas, rng)
        truth = dict(zip(world.datasets, world.truth, strict=True))
        public = pd.DataFrame({"public": world.covariate}, index=list(world.datasets))
        for epsilon in EPSILONS:
            releases = {
                label: CenteredStats().release_statistics(data, epsilon, 1, rng=rng)
                for label, data in world.datasets.items()
            }
            for covariates in (None, public):
                pooled = pool_areas(releases, (AT,), covariates, LEVEL)
                inside = ((pooled["low"] <= world.truth) & (world.truth <= pooled["high"])).mean()
                errors = errors_about_truth(pooled, world.datasets, truth)
                seen = np.array([inside, *errors["rms"] ** 2, *errors["median"]])
                key = covariates is not None, epsilon
                sums[key] = sums.get(key, np.zeros(seen.size)) + seen / times
    rows = []
    for (covariate, epsilon), (inside, *errors) in sums.items():
        rms, median = np.sqrt(errors[:3]).tolist(), errors[3:]
        rows.append(
            (name, areas, covariate, epsilon, times, float(inside), *rms, *map(float, median))
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def made() -> dict[str, pd.DataFrame]:
    """Return the table that ``load`` of dpslr_core.experiments.pooling_worlds reads."""
    worlds = [world_rows(name, areas, times) for name in WORLDS for areas, times in AREAS.items()]
    return {"worlds": pd.concat(worlds, ignore_index=True)}
