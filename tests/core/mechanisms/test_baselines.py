"""The Opportunity Insights method over many areas: one chi, who is left out, winsorized outcomes."""

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


def test_an_area_without_people_on_both_sides_of_the_median_gets_no_estimate():
    rng = np.random.default_rng(1)
    middle = [Dataset(rng.uniform(0, 1, 40), rng.uniform(0, 1, 40)) for _ in range(5)]
    rich, poor = (
        Dataset(rng.uniform(*ends, 40), rng.uniform(0, 1, 40)) for ends in ((0.8, 1), (0, 0.2))
    )
    small = Dataset(rng.uniform(0, 1, 19), rng.uniform(0, 1, 19))
    groups = [*middle, rich, poor, small]
    restricted, plain = (
        MaximumObservedSensitivity(restricted=restricted).informed_by(groups, AT)
        for restricted in (True, False)
    )
    for left_out in (rich, poor, small):
        assert restricted.law(left_out, 16.0, AT)[0].failure == 1
        assert np.isnan(restricted.release(left_out, 16.0, AT, 5, rng=rng)).all()
        assert plain.law(left_out, 16.0, AT)[0].failure == 0
    assert restricted.law(middle[0], 16.0, AT)[0].failure == 0
    assert max(restricted.chi) < max(plain.chi)  # the narrow areas no longer set the scale for all


def test_winsorized_outcomes_are_pulled_in_to_their_tenths():
    data = areas(1, seed=3)[0]
    pulled = Dataset(data.x, np.clip(data.y, np.quantile(data.y, 0.1), np.quantile(data.y, 0.9)))
    law = MaximumObservedSensitivity(winsorized=True).law(data, 4.0, AT)[0]
    assert law == MaximumObservedSensitivity().law(pulled, 4.0, AT)[0]
    assert law.location != data.predict([0.25])[0]


def test_by_group_uses_the_shared_chi():
    groups = areas(5)
    frames = [
        pd.DataFrame({"group": f"g{i}", "x": data.x, "y": data.y}) for i, data in enumerate(groups)
    ]
    errors = by_group(pd.concat(frames), [MaximumObservedSensitivity()], 16.0)
    row = errors[(errors["group"] == "g3") & (errors["at"] == 0.25)].iloc[0]
    expected = -np.log(0.32) * largest_chi(groups)[0] / (8.0 * groups[3].n)
    assert row["c68"] == pytest.approx(expected, rel=1e-9) and row["guarantee"] == "not private"
