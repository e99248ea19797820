"""Coverage of intervals, counted on simulated data sets: ``python -m benchmarks coverage``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from dpslr_core.experiments.coverage import COLUMNS
from dpslr_core.experiments.coverage import STORED as STORED
from dpslr_core.intervals import Target, confidence_interval, privacy_interval
from dpslr_core.mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import QUARTERS, stream
from dpslr_core.support.types import Floats
from dpslr_core.support.workers import in_order

ABOUT = {"digits": 4}
DATASETS = 2_000
LEVEL = 0.95
_GROWING = "errors that grow with x, at large x"
_BLOCK = 100  # data sets held at a time
_STATISTICS: tuple[Any, ...] = (
    CenteredStats(), CenteredStatsGaussian(), NoisyStats(), NoisyStatsGaussian(), NoisyIntercept(),
)  # fmt: skip


def joined(releases: Sequence[Any]) -> Any:
    """Concatenate releases of one kind on data sets of one size; values that are no arrays are taken from the first."""
    first = releases[0]
    arrays = [f.name for f in fields(first) if isinstance(getattr(first, f.name), np.ndarray)]
    concatenated = {
        name: np.concatenate([getattr(release, name) for release in releases]) for name in arrays
    }
    return type(first)(
        **{f.name: concatenated.get(f.name, getattr(first, f.name)) for f in fields(first)}
    )


@dataclass(frozen=True)
class CoverageSetting:
    """Simulated data of one kind and the budget for two points.

    ``words`` says what is special about the data; ``point`` is the number of the point among QUARTERS that is looked
    at.
    """

    model: LinearModel
    epsilon: float
    words: str = "normal errors"
    point: int = 0  # of QUARTERS

    @property
    def name(self) -> str:
        """Setting in words."""
        model = self.model
        size = (
            f"n = {model.n:,}, σₓ² = {model.var_x:g}, σₑ² = {model.var_e:g}, ε = {self.epsilon:g}"
        )
        return f"{size}, {self.words}"


def _normal(*rows: tuple[int, float, float, float]) -> tuple[CoverageSetting, ...]:
    return tuple(
        CoverageSetting(LinearModel(n, var_x, var_e), epsilon) for n, var_x, var_e, epsilon in rows
    )


SETTINGS = (
    *_normal(
        (30, 0.03, 0.01, 2), (30, 0.03, 0.01, 8), (30, 0.01, 0.01, 16), (60, 0.03, 0.01, 4), (100, 0.03, 0.01, 1),
        (100, 0.03, 0.01, 4), (100, 0.03, 0.0025, 16), (250, 0.03, 0.01, 0.5), (250, 0.03, 0.01, 2),
        (250, 0.01, 0.0025, 2), (300, 0.03, 0.01, 1), (1_000, 0.03, 0.01, 0.5), (1_000, 0.03, 0.01, 1),
        (1_000, 0.03, 0.01, 4), (3_000, 0.01, 0.01, 1), (10_000, 0.03, 0.01, 0.5), (10_000, 0.03, 0.01, 2),
    ),
    CoverageSetting(LinearModel(100, 0.03, 0.01, error_shape="heavy tails"), 4, "errors with heavy tails"),
    CoverageSetting(LinearModel(1_000, 0.03, 0.01, error_shape="heavy tails"), 1, "errors with heavy tails"),
    CoverageSetting(LinearModel(250, 0.03, 0.01, error_shape="growing"), 4, _GROWING, 1),
    CoverageSetting(LinearModel(1_000, 0.03, 0.01, error_shape="growing"), 2, _GROWING, 1),
    CoverageSetting(LinearModel(10_000, 0.03, 0.01, error_shape="growing"), 1, _GROWING, 1),
    CoverageSetting(LinearModel(250, 0.03, 0.01, error_shape="skewed"), 4, "errors skewed to the right"),
    CoverageSetting(LinearModel(250, 0.03, 0.01, x_shape="skewed"), 4, "skewed x"),
    CoverageSetting(LinearModel(1_000, 0.01, 0.01, x_shape="skewed"), 2, "skewed x"),
    CoverageSetting(LinearModel(250, 0.01, 0.01, x_shape="leverage"), 4, "one x in twenty far out"),
    CoverageSetting(LinearModel(250, 0.03, 0.09), 4, "data piled up at both bounds of y"),
    CoverageSetting(LinearModel(1_000, 0.03, 0.04, slope=0.8, intercept=0.5), 2, "data piled up at one bound of y"),
)  # fmt: skip


def coverage(setting: CoverageSetting, datasets: int, seed: int = 0) -> pd.DataFrame:
    """Count how often each kind of interval holds its target at one of two points released together; rows of COLUMNS.

    Width is the median; identified is the share of intervals with two ends.

    Parameters
    ----------
    datasets : int
        Number of simulated data sets, 1 or more, with a release of every algorithm each.
    seed : int
        Seed of data and noise, 0 or more.
    """
    starts = range(0, datasets, _BLOCK)
    blocks = [
        _block(setting, range(start, min(start + _BLOCK, datasets)), seed) for start in starts
    ]
    rows = []
    for key in blocks[0]:
        seen = np.concatenate([block[key] for block in blocks], axis=1)
        held, width = seen[..., min(setting.point, seen.shape[2] - 1)]
        counted = (
            int(held.sum()),
            held.size,
            float(np.median(width)),
            float(np.isfinite(width).mean()),
        )
        rows.append((setting.name, setting.epsilon, *key, *counted))
    return pd.DataFrame(rows, columns=COLUMNS)


Key = tuple[str, str, str]  # algorithm, method, target


def _block(setting: CoverageSetting, numbers: Sequence[int], seed: int) -> dict[Key, Floats]:
    """Tell whether each interval holds its target, and its width, shape (2, data sets, points)."""
    model, epsilon, rng = (
        setting.model,
        setting.epsilon,
        stream(seed, "coverage", repr(setting), numbers[0]),
    )
    # Independent data sets, as binomial limits ask for.
    groups = [model.replicate(seed, number, even=False) for number in numbers]
    truth, ols = model.truth(QUARTERS), np.array([data.predict(QUARTERS) for data in groups])
    half = stdtrit(model.n - 2, (1 + LEVEL) / 2) * np.array(
        [data.standard_error(QUARTERS) for data in groups]
    )
    seen = {("OLS", "t", Target.TRUE_LINE.value): _seen(ols - half, ols + half, truth)}
    for mechanism in _STATISTICS:
        release = joined(
            [mechanism.release_statistics(data, epsilon, 1, rng=rng) for data in groups]
        )
        for interval, target in ((confidence_interval, truth), (privacy_interval, ols)):
            intervals = interval(release, QUARTERS, LEVEL)
            seen[mechanism.name, "fieller", intervals.target.value] = _seen(
                intervals.low, intervals.high, target
            )
    return seen


def _seen(low: Floats, high: Floats, value: Floats) -> Floats:
    """Return whether low <= value <= high, and the width, shape (2, data sets, points)."""
    return np.array([(low <= value) & (value <= high), high - low])


def made() -> dict[str, pd.DataFrame]:
    """Return the table that ``load`` of dpslr_core.experiments.coverage reads."""
    tables = in_order(partial(coverage, datasets=DATASETS), list(SETTINGS), -1)
    return {"coverage": pd.concat(tables, ignore_index=True)}
