"""Exact laws: against a sort, and for all mechanisms at once; gradient descent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpslr_core import Dataset
from dpslr_core.experiments.errors import summarise
from dpslr_core.mechanisms import MECHANISMS, CenteredStats, DPExpTheilSen, DPGDzCDP
from dpslr_core.support.run import QUARTERS

from .core import data_of
from .timing import Row, cpu_row, ratio_row, time_row


def rows() -> Iterator[Row]:
    """The figures of the laws at the paper's sizes."""
    x, y = data_of(400).x.copy(), data_of(400).y.copy()
    floats = np.random.default_rng(1).random((2, 79_800))
    yield ratio_row(
        "law of complete DPExpTheilSen at two points, n = 400, against sorting 2 x 79,800 floats",
        lambda: DPExpTheilSen().law(Dataset(x, y), 2.0),
        lambda: np.sort(floats, axis=1),
        2.5,  # with AVX-512, by which numpy sorts floats in a third of the time; else 1
    )
    yield cpu_row(
        "exact C(68) at two points, all mechanisms that have a law, n = 100", _all_bounds, 0.015, 40
    )
    measured = data_of(250)
    yield cpu_row(
        "exact C(68), C(95) and median of CenteredStats at two points, n = 250",
        lambda: summarise([CenteredStats().law(measured, 2.0)], {}, [measured.predict(QUARTERS)]),
        0.005,
    )
    data, rng = data_of(400), np.random.default_rng(3)
    for epsilon in (1.0, 8.0):
        yield time_row(
            f"1,000 draws of DPGDzCDP, n = 400, 80 steps, epsilon = {epsilon:g}",
            lambda epsilon=epsilon: DPGDzCDP().as_in_paper().release(data, epsilon, rng=rng),  # type: ignore[misc]
            0.060,
        )


def _all_bounds() -> None:
    """Both laws and both bounds of each mechanism, from the bare columns."""
    data = Dataset(_HUNDRED.x, _HUNDRED.y)
    centers = data.predict([0.25, 0.75])
    for algorithm in MECHANISMS:
        for law, center in zip(algorithm().law(data, 2.0), centers, strict=True):
            if law is not None:
                law.error_bound(68, float(center))


_HUNDRED = data_of(100)
