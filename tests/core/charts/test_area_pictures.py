"""Pictures of many areas: noise beside the sampling error, its distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.areas import (
    BELOW,
    ratio_cdf,
)
from dpslr_core.experiments.curves import ratio_curves
from tests.cases.scenes import check_specification, texts

NAMES = ["DPExpTheilSen", "NoisyStats"]


def areas(count: int) -> pd.DataFrame:
    """Areas listed in another order than that of their standard errors; the noise is half or twice as large."""
    errors = np.random.default_rng(0).permutation(np.linspace(0.01, 0.02, count))
    parts = [
        pd.DataFrame(
            {
                "group": [f"T{i}" for i in range(count)],
                "n": 50,
                "mechanism": name,
                "at": 0.25,
                "standard_error": errors,
                "ratio": ratio,
                "c68": ratio * errors,
            }
        )
        for name, ratio in zip(NAMES, (0.5, 2.0), strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def test_the_distribution_over_areas_ends_at_the_edge_at_its_last_height():
    frame = areas(20)
    frame.loc[frame["group"] == "T4", "ratio"] = np.inf
    picture = ratio_cdf(ratio_curves(frame))
    check_specification(picture)
    curves = picture["datasets"]["curves"]
    for name, ratio in zip(NAMES, (0.5, 2.0), strict=True):
        drawn = curves[curves["algorithm"] == name]
        assert drawn["x"].iloc[:-1].unique().tolist() == [ratio] and drawn["x"].iloc[-1] > 1000
        assert drawn["y"].iloc[-2:].tolist() == pytest.approx([0.95, 0.95])
    assert {*NAMES, BELOW} <= set(texts(picture))
