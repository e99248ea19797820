"""Pictures of many areas: noise beside the sampling error, its distribution, widths of intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.areas import (
    BELOW,
    WIDEST,
    area_counts,
    area_widths_chart,
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


WIDTHS = pd.DataFrame({
    "group": ["a", "b", "c", "d", "e"],
    "ols": [0.1, 0.1, 0.1, 0.1, 0.0],
    "sampling": [0.12, 0.1, np.nan, 5.0, 0.1],
    "ratio": [3.0, 1.5, np.inf, 40.0, np.nan],
})  # fmt: skip


def test_both_parts_add_up_to_the_width_and_the_narrowest_is_first():
    picture = area_widths_chart(WIDTHS)
    check_specification(picture)
    alone, noise = (rows for _, rows in picture["datasets"]["bars"].groupby("part", sort=False))
    assert list(alone["area"]) == ["b", "a", "d", "c"]
    assert list(alone["high"]) == pytest.approx([1.0, 1.2, WIDEST, 0.0])
    assert list(noise["high"]) == pytest.approx([1.5, 3.0, WIDEST, WIDEST])


def test_a_report_counts_areas():
    curves = area_counts(areas(20), NAMES)["datasets"]["curves"]
    assert curves.groupby("algorithm")["y"].max().to_dict() == dict.fromkeys(NAMES, 20)
