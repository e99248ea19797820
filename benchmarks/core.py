"""The core: releases against sorting as many floats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats

from .timing import Row, ratio_row, time_row


def data_of(n: int, seed: int = 0) -> Dataset:
    """Synthetic data as in the paper."""
    return Dataset(*simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(seed)))


def rows() -> Iterator[Row]:
    """The figures of the core."""
    for n, aim in ((100, 5.0), (400, 3.0)):
        x, y = (column.copy() for column in (data_of(n).x, data_of(n).y))
        floats = np.random.default_rng(1).random(2 * (n * (n - 1) // 2))
        rng = np.random.default_rng(2)
        yield ratio_row(
            f"1,000 releases of complete DPExpTheilSen, n = {n}, against one sort of "
            f"{floats.size:,} floats",
            lambda x=x, y=y, rng=rng: DPExpTheilSen().release(Dataset(x, y), 2.0, rng=rng),  # type: ignore[misc]
            lambda floats=floats: np.sort(floats),  # type: ignore[misc]
            aim,
        )
    data, rng = data_of(10_000), np.random.default_rng(3)
    yield time_row(
        "1,000 releases of NoisyStats, n = 10,000",
        lambda: NoisyStats().release(data, 2.0, rng=rng),
        2e-4,
        200,
    )
