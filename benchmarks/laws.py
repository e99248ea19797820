"""Exact laws: against a sort, and for all mechanisms at once; gradient descent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dpslr_core import Dataset
from dpslr_core.experiments.errors import summarise
from dpslr_core.mechanisms import MECHANISMS, CenteredStats, DPExpTheilSen, DPGDzCDP, Mechanism
from dpslr_core.support.run import QUARTERS

from .core import data_of
from .timing import Row, cpu_row, ratio_row


def rows() -> Iterator[Row]:
    """Measure laws at the paper's sizes."""
    floats = np.random.default_rng(1).random((2, 79_800))
    yield ratio_row(
        "law of complete DPExpTheilSen at two points, n = 400, against sorting 2 x 79,800 floats",
        partial(_bounds, data_of(400), [DPExpTheilSen()]),
        partial(np.sort, floats, axis=1),
        2.5,  # with AVX-512, by which numpy sorts floats in a third of the time; else 1
    )
    every = [algorithm() for algorithm in MECHANISMS]
    what = "exact C(68) at two points, all mechanisms that have a law, n = 100"
    yield cpu_row(what, partial(_bounds, data_of(100), every), 0.03, 40)
    centered = partial(_bounds, data_of(250), [CenteredStats()])
    what = "exact C(68), C(95) and median of CenteredStats at two points, n = 250"
    yield cpu_row(what, centered, 0.005)
    descent, rng = DPGDzCDP().as_in_paper(), np.random.default_rng(3)
    task = partial(descent.release, data_of(400), 8.0, rng=rng)
    yield cpu_row("1,000 draws of DPGDzCDP, n = 400, 80 steps, epsilon = 8", task, 0.060)


def _bounds(columns: Dataset, mechanisms: list[Mechanism]) -> None:
    """Compute the laws and their errors from the bare columns."""
    data = Dataset(columns.x, columns.y)
    for mechanism in mechanisms:
        laws = mechanism.law(data, 2.0)
        if None not in laws:
            summarise([laws], {}, [data.predict(QUARTERS)])
