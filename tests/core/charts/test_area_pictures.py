"""Pictures of many areas: noise beside the sampling error, its distribution, widths of intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.areas import (
    BELOW,
    TOP,
    WIDEST,
    area_ratios,
    area_widths_chart,
    ratio_cdf,
)
from dpslr_core.experiments.curves import ratio_curves
from dpslr_core.sources.axis import Axis
from tests.cases.scenes import check_specification, texts

NAMES = ["DPExpTheilSen", "NoisyStats"]
Y = Axis("income", "$", 0, 1000)


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


def test_each_area_stands_at_its_place_by_standard_error():
    frame = areas(60)
    picture = area_ratios(frame, NAMES, Y)
    check_specification(picture)
    dots = picture["datasets"]["dots"]
    errors = frame.drop_duplicates("group").set_index("group")["standard_error"]
    for name, ratio in zip(NAMES, (0.5, 2.0), strict=True):
        drawn = dots[dots["algorithm"] == name].sort_values("place")
        assert list(drawn["place"]) == list(range(1, 61))
        assert errors.loc[drawn["area"]].is_monotonic_increasing
        np.testing.assert_allclose(drawn["ratio"], ratio)
    smallest = dots[(dots["algorithm"] == "DPExpTheilSen") & (dots["place"] == 1)]
    assert smallest["error"].item() == "±5 $"  # half of 0.01 of 1,000


def test_the_line_runs_through_medians_from_the_first_area_to_the_last():
    frame = areas(1000)
    best = frame["mechanism"] == NAMES[0]
    order = frame["standard_error"].rank(method="dense")
    frame.loc[best, "ratio"] = np.where(order[best] <= 500, 0.1, 0.4)
    line = area_ratios(frame, NAMES)["datasets"]["middle"]
    line = line[line["algorithm"] == NAMES[0]].sort_values("place")
    assert line["place"].iloc[0] == 1 and line["place"].iloc[-1] == 1000
    assert line["middle"].iloc[0] == 0.1 and line["middle"].iloc[-1] == 0.4
    assert len(line) == 24


def test_noise_without_bound_and_areas_without_sampling_error():
    frame = areas(10)
    frame.loc[frame["group"] == "T3", "standard_error"] = 0.0
    frame.loc[frame["group"] == "T4", "ratio"] = np.inf
    dots = area_ratios(frame, NAMES)["datasets"]["dots"]
    assert "T3" not in set(dots["area"])
    assert set(dots.loc[dots["area"] == "T4", "ratio"]) == {TOP}


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
    alone, noise = area_widths_chart(WIDTHS).data
    assert list(alone.customdata) == ["b", "a", "d", "c"]
    assert list(alone.y) == pytest.approx([1.0, 1.2, WIDEST, 0.0])
    assert list(alone.y + noise.y) == pytest.approx([1.5, 3.0, WIDEST, WIDEST])
