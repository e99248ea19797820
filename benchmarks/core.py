"""The core: releases against sorting as many floats."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats

from .timing import Row, cpu_row, ratio_row


def data_of(n: int, seed: int = 0) -> Dataset:
    """Simulate data as in the paper."""
    return Dataset(*simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(seed)))


def _released(data: Dataset) -> None:
    DPExpTheilSen().release(Dataset(data.x, data.y), 2.0, rng=np.random.default_rng(2))


def rows() -> Iterator[Row]:
    """Measure releases of DPExpTheilSen and NoisyStats."""
    for n, aim in ((100, 5.0), (400, 3.0)):
        floats = np.random.default_rng(1).random(n * (n - 1))
        what = (
            f"1,000 releases of complete DPExpTheilSen, n = {n}, against one sort of as many floats"
        )
        yield ratio_row(what, partial(_released, data_of(n)), partial(np.sort, floats), aim)
    data, rng = data_of(10_000), np.random.default_rng(3)
    release = partial(NoisyStats().release, data, 2.0, rng=rng)
    yield cpu_row("1,000 releases of NoisyStats, n = 10,000", release, 2e-4, 200)
