"""Intervals that algorithms release: on one data set, over areas; tests of the slope and their power."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
SIMULATED = 100


def with_intervals(mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """Select the mechanisms whose released statistics are enough for intervals, at no further budget."""
    return [m for m in mechanisms if hasattr(m, "release_statistics")]


def describing(mechanisms: Iterable[Mechanism]) -> CenteredSums | None:
    """Return the first mechanism whose release describes the data well enough for everything here; None without one."""
    return next((m for m in mechanisms if isinstance(m, CenteredSums)), None)


def intervals_of(
    mechanism: Any, data: Dataset, budget: Budget, size: int, rng: np.random.Generator
) -> tuple[Intervals, Intervals]:
    """Draw ``size`` releases and their intervals for the true line and for OLS on these records.

    ValueError where the mechanism offers none.
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
    """Draw release number ``draw`` of one algorithm; a row for each point with its intervals and their usual width.

    Returns
    -------
    DataFrame
        Columns algorithm, estimate, low and high (confidence interval), own_low and own_high (privacy interval),
        sampling (half the width from sampling error alone, NaN where it is not known), method (of the interval), width
        (median over many releases), two_ends (share of these whose interval has two ends), flat and remark
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


def simulated_intervals(
    data: Dataset, mechanism: Mechanism, budget: Budget, point: int, seed: int
) -> pd.DataFrame:
    """Draw intervals at one point on a hundred data sets like these: columns number, low, high, held.

    The x are kept; y is the OLS line with new normal errors, clipped to [0, 1]. Each data set has one release. An
    interval has held where it contains the OLS line of ``data``.

    Parameters
    ----------
    point : int
        Number of the point in budget.at.
    """
    rng, line = stream(seed, "a hundred", data.digest, repr(mechanism)), data.predict(data.x)
    truth, rows = float(data.predict(budget.at)[point]), []
    for number in range(SIMULATED):
        y = np.clip(line + data.residual_sd * rng.standard_normal(data.n), 0, 1)
        interval = intervals_of(mechanism, Dataset(data.x, y), budget, 1, rng)[0]
        low, high = float(interval.low[0, point]), float(interval.high[0, point])
        rows.append((number + 1, low, high, low <= truth <= high))
    return pd.DataFrame(rows, columns=["number", "low", "high", "held"])


def slope_p_value(
    data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, draw: int
) -> float | None:
    """Test the slope on the release that one_release shows: p value; None where that release is not enough."""
    if not isinstance(mechanism, CenteredSums):
        return None
    rng, spent = stream(seed, "intervals", data.digest, repr(mechanism)), paid(mechanism, budget)
    release = mechanism.release_statistics(data, spent.epsilon, RELEASES, rng=rng).take(
        slice(draw, draw + 1)
    )
    return float(
        slope_test(release, rng=stream(seed, "slope", data.digest, repr(mechanism), draw)).pvalue[0]
    )
