"""Releases as a few equally likely values, for pictures in which they can be counted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .comparison import Comparison

DOTS = 50


def quantile_dots(comparison: Comparison, mechanism: str, at: float, count: int = DOTS) -> pd.DataFrame:
    """The quantiles (i + 1/2) / count of one algorithm's release at one point: estimate, NaN where there is no answer.

    Off the exact law where there is one, else off the trials, in units of y.
    """
    shares = (np.arange(count) + 0.5) / count
    law = comparison.laws.get((mechanism, at))
    if law is not None:
        return pd.DataFrame({"estimate": law.ppf(shares)})
    estimates = np.sort(comparison.estimates(mechanism, at))
    return pd.DataFrame({"estimate": estimates[(shares * estimates.size).astype(int)]})  # NaN, no answer, sorts last
