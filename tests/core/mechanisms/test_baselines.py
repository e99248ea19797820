"""The Opportunity Insights method over many areas: one chi at each point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group, simulate_linear
from dpslr_core.mechanisms import MaximumObservedSensitivity
from tests.reference import paper as reference

AT = (0.25, 0.75)


def areas(count: int = 12, seed: int = 0) -> list[Dataset]:
    rng = np.random.default_rng(seed)
    return [
        Dataset(
            *simulate_linear(
                int(rng.integers(15, 60)), 0.02, 0.02, x_mean=float(rng.uniform(0.3, 0.7)), rng=rng
            )
        )
        for _ in range(count)
    ]


def largest_chi(groups: list[Dataset]) -> list[float]:
    """By refits, at each point."""
    return [
        max(reference.observed_sensitivity(d.x.tolist(), d.y.tolist(), at, 11) for d in groups)
        for at in AT
    ]


def test_by_group_uses_the_shared_chi():
    groups = areas(5)
    frames = [
        pd.DataFrame({"group": f"g{i}", "x": data.x, "y": data.y}) for i, data in enumerate(groups)
    ]
    errors = by_group(pd.concat(frames), [MaximumObservedSensitivity()], 16.0)
    row = errors[(errors["group"] == "g3") & (errors["at"] == 0.25)].iloc[0]
    expected = -np.log(0.32) * largest_chi(groups)[0] / (8.0 * groups[3].n)
    assert row["c68"] == pytest.approx(expected, rel=1e-9) and row["guarantee"] == "not private"
