"""Intervals that algorithms release: on one data set, over areas; tests of the slope and their power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from ..dataset import Dataset
from ..intervals import Intervals, confidence_interval, privacy_interval, slope_test
from ..mechanisms import Mechanism
from ..mechanisms.centered import CenteredSums
from ..privacy import Budget
from ..privacy.accounting import paid
from ..support.run import stream

LEVEL = 0.95
RELEASES = 400  # that widths are the medians of


def with_intervals(mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """Select the mechanisms whose released statistics are enough for intervals, at no further budget."""
    return [m for m in mechanisms if hasattr(m, "release_statistics")]


def intervals_of(
    mechanism: Any, data: Dataset, budget: Budget, size: int, rng: np.random.Generator
) -> tuple[Intervals, Intervals]:
    """Draw ``size`` releases and their intervals for the true line and for OLS on these records.

    ValueError where the mechanism offers no intervals.
    """
    if not hasattr(mechanism, "release_statistics"):
        raise ValueError(f"{mechanism.name} offers no intervals")
    release = mechanism.release_statistics(data, paid(mechanism, budget).epsilon, size, rng=rng)
    return confidence_interval(release, budget.at, LEVEL), privacy_interval(
        release, budget.at, LEVEL
    )


def ols_interval(data: Dataset, at: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the usual intervals of OLS for the true line, which are not private: low and high, shapes (m,)."""
    half = stdtrit(data.n - 2, (1 + LEVEL) / 2) * data.standard_error(at)
    return data.predict(at) - half, data.predict(at) + half


def one_release(
    data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, draw: int
) -> pd.DataFrame:
    """Draw release number ``draw`` of an algorithm; a row for each point, with intervals and a median width.

    Returns
    -------
    DataFrame
        Columns algorithm, estimate, low and high (confidence interval), own_low and own_high (privacy interval),
        sampling (half the width from sampling error alone, NaN where it is not known), method (of the interval), width
        (median over RELEASES releases), two_ends (share of the releases with an interval of two ends), flat and remark
        (flat_interval and interval_remark of the mechanism), at.
    """
    line, own = intervals_of(
        mechanism, data, budget, RELEASES, stream(seed, "intervals", data.digest, repr(mechanism))
    )
    i = draw % RELEASES
    return pd.DataFrame(
        {
            "algorithm": mechanism.name,
            "estimate": line.estimate[i],
            "low": line.low[i],
            "high": line.high[i],
            "sampling": line.sampling[i],
            "own_low": own.low[i],
            "own_high": own.high[i],
            "method": "fieller",
            "width": np.median(line.width, axis=0),
            "two_ends": line.identified.mean(axis=0),
            "flat": mechanism.flat_interval,
            "remark": mechanism.interval_remark,
            "at": budget.at,
        }
    )


def slope_p_value(
    data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, draw: int
) -> float | None:
    """Return the p value of a test of slope 0 on the release of `one_release`; None without centred sums."""
    if not isinstance(mechanism, CenteredSums):
        return None
    rng, spent = stream(seed, "intervals", data.digest, repr(mechanism)), paid(mechanism, budget)
    release = mechanism.release_statistics(data, spent.epsilon, RELEASES, rng=rng).take(
        slice(draw, draw + 1)
    )
    return float(
        slope_test(release, rng=stream(seed, "slope", data.digest, repr(mechanism), draw)).pvalue[0]
    )
