"""Pictures of many areas: the distribution of noise beside the sampling error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.areas import BELOW, ratio_cdf
from dpslr_core.experiments.curves import ratio_curves
from tests.cases.scenes import check_specification, texts


def test_the_distribution_over_areas_ends_at_the_edge_at_its_last_height():
    """An algorithm has one ratio in all of twenty areas, but no answer in one."""
    ratios = {"DPExpTheilSen": 0.5, "NoisyStats": 2.0}
    rows = {"group": range(20), "at": 0.25, "standard_error": 0.01}
    named = [
        pd.DataFrame(rows | {"mechanism": name, "ratio": ratio}) for name, ratio in ratios.items()
    ]
    frame = pd.concat(named, ignore_index=True)
    frame.loc[frame["group"] == 4, "ratio"] = np.inf
    picture = ratio_cdf(ratio_curves(frame))
    check_specification(picture)
    for name, drawn in picture["datasets"]["curves"].groupby("algorithm"):
        assert drawn["x"].iloc[:-1].unique().tolist() == [ratios[name]]
        assert drawn["x"].iloc[-1] > 1000
        assert drawn["y"].iloc[-2:].tolist() == pytest.approx([0.95, 0.95])
    assert {*ratios, BELOW} <= set(texts(picture))
