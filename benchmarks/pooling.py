"""How often the intervals of pooled areas hold the truth, and how near to it pooled lines are, in simulated worlds.

``python -m benchmarks pooling``: coverage of 95% intervals at x = 0.25, in brackets the root mean square error about
the line of the people that the records are a sample of; beside it that of OLS without privacy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpslr_core import Dataset, simulate_tracts
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooling import pool_areas
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.sources.tracts import ILLINOIS, NORTH_CAROLINA, SIZE_SCALE, SIZE_SHIFT, StateModel, draw_tracts
from dpslr_core.support.types import Floats

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
AREAS = {50: 12, 200: 4, 3108: 1}  # and how many times each world is drawn
AT = 0.25
MORE = 10  # times as many people as records stand for all people of a tract


class World(NamedTuple):
    """The areas' data sets, their true predictions at AT, and a public number of each, which goes with them."""

    datasets: dict[str, Dataset]
    truth: Floats
    covariate: Floats


def sizes(areas: int, rng: np.random.Generator) -> np.ndarray:
    """The number of records of each area."""
    return np.floor(rng.exponential(SIZE_SCALE, areas) + SIZE_SHIFT).astype(int)


def state(areas: int, rng: np.random.Generator, model: StateModel) -> World:
    """Tracts of simulated people; the mean income of a tract is public."""
    table = draw_tracts(areas, rng, state=model).assign(size=sizes(areas, rng))
    sample, everybody = (
        split_groups(simulate_tracts(table.assign(size=times * table["size"]), rng=rng)).datasets for times in (1, MORE)
    )
    income = np.log(table.set_index("group").loc[list(sample), "mu"].to_numpy())
    return World(dict(sample), np.array([everybody[name].predict([AT])[0] for name in sample]), income)


def simple(areas: int, rng: np.random.Generator, effects: Callable[[np.ndarray, np.random.Generator], Floats]) -> World:
    """Normal x and residuals; heights and slopes go up and down with effects of standard deviation 1."""
    n, public = sizes(areas, rng), rng.standard_normal(areas)
    heights = 0.5 + 0.05 * effects(n, rng) + 0.03 * public
    slopes, centres = 0.3 + 0.1 * effects(n, rng), 0.5 + 0.1 * rng.uniform(-1, 1, areas)
    datasets = {}
    for i in range(areas):
        x = np.clip(centres[i] + 0.18 * rng.standard_normal(n[i]), 0, 1)
        y = np.clip(heights[i] + slopes[i] * (x - 0.5) + 0.13 * rng.standard_normal(n[i]), 0, 1)
        datasets[f"area {i}"] = Dataset(x, y)
    return World(datasets, heights + slopes * (AT - 0.5), public)


def tied(n: np.ndarray, rng: np.random.Generator) -> Floats:
    """Effects that go with the logarithm of n, correlation 0.8."""
    return 0.8 * (np.log(n) - np.log(n).mean()) / np.log(n).std() + 0.6 * rng.standard_normal(n.size)


WORLDS: dict[str, Callable[[int, np.random.Generator], World]] = {
    "Illinois": lambda areas, rng: state(areas, rng, ILLINOIS),
    "North Carolina": lambda areas, rng: state(areas, rng, NORTH_CAROLINA),
    "normal effects": lambda areas, rng: simple(areas, rng, lambda n, rng: rng.standard_normal(n.size)),
    "skewed effects": lambda areas, rng: simple(areas, rng, lambda n, rng: rng.exponential(1, n.size) - 1),
    "effects tied to n": lambda areas, rng: simple(areas, rng, tied),
}


def rows() -> Iterator[str]:
    """A line for each world, number of areas, and with or without the covariate."""
    yield f"{'':<46}" + "".join(f"epsilon {epsilon:<8g}" for epsilon in EPSILONS) + "OLS"
    for name, drawn in WORLDS.items():
        for areas, times in AREAS.items():
            rng = np.random.default_rng(areas)
            held, square = np.zeros((2, 2, len(EPSILONS)))
            ols = 0.0
            for _ in range(times):
                world = drawn(areas, rng)
                ols += float(np.mean((_predictions(world.datasets) - world.truth) ** 2)) / times
                covariate = pd.DataFrame({"public": world.covariate}, index=list(world.datasets))
                for column, epsilon in enumerate(EPSILONS):
                    releases = {
                        label: CenteredStats().release_statistics(data, epsilon, 1, rng=rng)
                        for label, data in world.datasets.items()
                    }
                    for row, covariates in enumerate((None, covariate)):
                        found = pool_areas(releases, (AT,), covariates)
                        inside = (found["low"] <= world.truth) & (world.truth <= found["high"])
                        held[row, column] += inside.mean() / times
                        square[row, column] += np.mean((found["pooled"] - world.truth) ** 2) / times
            for row, what in enumerate(("", ", covariate")):
                shown = [f"{h:.3f} ({s**0.5:.3f})" for h, s in zip(held[row], square[row], strict=True)]
                yield (
                    f"{f'{name}, {areas:,} areas{what}':<46}"
                    + "".join(f"{each:<16}" for each in shown)
                    + f"{ols**0.5:.3f}"
                )


def _predictions(datasets: dict[str, Dataset]) -> Floats:
    return np.array([data.predict([AT])[0] for data in datasets.values()])
