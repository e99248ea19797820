"""Sweeps of figures against sweep itself, and truncated normal x."""

import numpy as np
import pandas as pd
from scipy import stats

from dpslr_core.paper.synthetic import TruncatedModel, panels_of


def test_truncated_x_follows_the_truncated_law_and_nothing_is_clipped():
    model = TruncatedModel(4000, 1e-6, 1e-8, 0.5, 0.5, 0.0, "normal")
    data = model.replicate(0, 0)
    law = stats.truncnorm(0, 1000, loc=0, scale=1e-3)
    assert data.x.min() > 0 and stats.kstest(data.x, law.cdf).pvalue > 0.01
    for factor in (2 / 3, 3 / 2):
        assert stats.kstest(data.x * factor, law.cdf).pvalue < 1e-6
    residuals = (data.y - 0.5 * data.x - 0.5) / 1e-4
    assert stats.kstest(residuals, "norm").pvalue > 0.01


def test_where_a_mean_is_infinite_an_open_circle_stands_at_the_median():
    frame = pd.DataFrame(
        {
            "panel": "p",
            "parameter": "n",
            "value": [10, 20],
            "algorithm": "NoisyStats",
            "mean": [np.inf, 2.0],
            "median": [2.0, 2.0],
            "infinite_share": [1 / 3, 0.0],
        }
    )
    open_dots = panels_of(frame, None)["p"]["datasets"]["medians"]
    assert open_dots[["x", "y"]].to_numpy().tolist() == [[10, 2]]
