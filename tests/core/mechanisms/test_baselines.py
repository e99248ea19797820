"""The Opportunity Insights method over many areas: one chi at each point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group, simulate_linear
from dpslr_core.mechanisms import MaximumObservedSensitivity
from tests.reference import paper as reference


def test_by_group_uses_the_shared_chi():
    rng = np.random.default_rng(0)
    groups = [
        Dataset(*simulate_linear(n, 0.02, 0.02, x_mean=mean, rng=rng))
        for n, mean in ((15, 0.3), (27, 0.7), (59, 0.5), (40, 0.4))
    ]
    frames = [
        pd.DataFrame({"group": f"g{i}", "x": data.x, "y": data.y}) for i, data in enumerate(groups)
    ]
    errors = by_group(pd.concat(frames), [MaximumObservedSensitivity()], 16.0)
    row = errors[(errors["group"] == "g3") & (errors["at"] == 0.25)].iloc[0]
    chi = max(reference.observed_sensitivity(d.x.tolist(), d.y.tolist(), 0.25, 11) for d in groups)
    expected = -np.log(0.32) * chi / (8.0 * groups[3].n)
    assert row["c68"] == pytest.approx(expected, rel=1e-9) and row["guarantee"] == "not private"
