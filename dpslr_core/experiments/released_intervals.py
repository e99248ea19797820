"""Intervals that algorithms release: on one data set, over areas, along a sweep; tests of the slope and their power."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from ..audit.scores import clopper_pearson
from ..dataset import Dataset
from ..intervals import Intervals, confidence_interval, privacy_interval, slope_test
from ..mechanisms import Mechanism
from ..mechanisms.centered import CenteredStatistics, CenteredStats, CenteredSums
from ..privacy import Budget
from ..privacy.accounting import paid
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import stream
from .coverage import CERTAINTY, joined
from .sweep import Setting, SweepPlan

LEVEL = 0.95
RELEASES = 400  # that widths are the medians of
AREA_RELEASES = 100  # of each of many areas
SIMULATED = 100
FACTORS = (0.5, 1.0, 2.0, 4.0)  # of n and of epsilon


def with_intervals(mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """Mechanisms whose released statistics are enough for intervals, at no further budget, in order."""
    return [m for m in mechanisms if hasattr(m, "release_statistics")]


def describing(mechanisms: Iterable[Mechanism]) -> CenteredSums | None:
    """The first mechanism whose release describes the data well enough for everything here; None without one."""
    return next((m for m in mechanisms if isinstance(m, CenteredSums)), None)


def intervals_of(
    mechanism: Any, data: Dataset, budget: Budget, size: int, rng: np.random.Generator
) -> tuple[Intervals, Intervals]:
    """Intervals of size releases for the true line and for OLS on these records.

    ValueError where the mechanism offers none.
    """
    if not hasattr(mechanism, "release_statistics"):
        raise ValueError(f"{mechanism.name} offers no intervals")
    release = mechanism.release_statistics(data, paid(mechanism, budget).epsilon, size, rng=rng)
    return confidence_interval(release, budget.at, LEVEL), privacy_interval(
        release, budget.at, LEVEL
    )


def ols_interval(data: Dataset, at: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The usual intervals of OLS for the true line, which are not private: low and high, shapes (m,)."""
    half = stdtrit(data.n - 2, (1 + LEVEL) / 2) * data.standard_error(at)
    return data.predict(at) - half, data.predict(at) + half


def one_release(
    data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, draw: int
) -> pd.DataFrame:
    """Release number draw of one algorithm and how wide its intervals usually are; a row for each point, at.

    estimate, low, high: of the confidence interval; own_low, own_high: of the privacy interval. sampling: half
    the width that sampling error alone would make, NaN where it is not known. width: the median over many releases;
    two_ends: the share of them whose interval has two ends.
    algorithm, flat, remark: the mechanism's name, flat_interval and interval_remark. method: of the interval.
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
    data: Dataset, mechanism: Mechanism, budget: Budget, place: int, seed: int
) -> pd.DataFrame:
    """Intervals at one point from a hundred data sets like these: number, low, high, held; the line is OLS on these.

    The x are kept; y is the OLS line with new normal errors, clipped to [0, 1]. One release from each.
    place: the number of the point in budget.at.
    """
    rng, line = stream(seed, "a hundred", data.digest, repr(mechanism)), data.predict(data.x)
    truth, rows = float(data.predict(budget.at)[place]), []
    for number in range(SIMULATED):
        y = np.clip(line + data.residual_sd * rng.standard_normal(data.n), 0, 1)
        found = intervals_of(mechanism, Dataset(data.x, y), budget, 1, rng)[0]
        low, high = float(found.low[0, place]), float(found.high[0, place])
        rows.append((number + 1, low, high, low <= truth <= high))
    return pd.DataFrame(rows, columns=["number", "low", "high", "held"])


def area_widths(
    datasets: Mapping[Any, Dataset], mechanism: Mechanism, budget: Budget, place: int, seed: int
) -> pd.DataFrame:
    """Widths of an algorithm's intervals at one point in each of many data sets, in the unit square.

    datasets: the records by label, each in one of them, so that every one is released with the whole budget.
    place: of the point in budget.at. Columns group, n, ols (the width of the usual interval), width (the median over
    AREA_RELEASES, infinite where half or more lack an end), sampling (the median of what sampling error alone would
    make), two_ends (the share of releases) and ratio (width / ols, NaN where OLS has no sampling error).
    """
    rows = []
    for label, data in datasets.items():
        rng = stream(seed, "area intervals", data.digest, repr(mechanism))
        line, (low, high) = (
            intervals_of(mechanism, data, budget, AREA_RELEASES, rng)[0],
            ols_interval(data, budget.at),
        )
        ols, known = float((high - low)[place]), line.identified[:, place]
        width, alone = float(np.median(line.width[:, place])), 2 * line.sampling[known, place]
        sampling = float(np.median(alone)) if known.any() else np.nan
        ratio = width / ols if data.residual_sd > 0 else np.nan
        rows.append((label, data.n, ols, width, sampling, known.mean(), ratio))
    return pd.DataFrame(
        rows, columns=["group", "n", "ols", "width", "sampling", "two_ends", "ratio"]
    )


def slope_p_value(
    data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, draw: int
) -> float | None:
    """The p value of the slope test on the release that one_release shows; None where its release tells too little."""
    if not isinstance(mechanism, CenteredSums):
        return None
    rng, spent = stream(seed, "intervals", data.digest, repr(mechanism)), paid(mechanism, budget)
    release = mechanism.release_statistics(data, spent.epsilon, RELEASES, rng=rng).take(
        slice(draw, draw + 1)
    )
    return float(
        slope_test(release, rng=stream(seed, "slope", data.digest, repr(mechanism), draw)).pvalue[0]
    )


def width_table(
    data: Dataset, mechanism: CenteredSums, budget: Budget, place: int, seed: int
) -> pd.DataFrame:
    """Median widths of confidence intervals with more or fewer records like these, and another epsilon.

    Columns n (3 or more), epsilon and width (infinite where half or more lack an end), for every pair of FACTORS. The
    sums of squares grow in proportion to n. place: of the point in budget.at.
    """
    away = data.y - data.y_mean
    means, squares = (
        (data.x_mean - 0.5, data.y_mean - 0.5),
        (data.nvar, data.ncov, float(away @ away)),
    )
    return _widths(
        (data.n, means, squares), mechanism, budget, place, (seed, "widths", data.digest)
    )


def guessed_widths(
    model: LinearModel, mechanism: CenteredSums, budget: Budget, place: int, seed: int
) -> pd.DataFrame:
    """width_table from public guesses alone, without data: of records with the variances of the model.

    One column more, ols: the width of the interval of OLS. What clipping does to the records is left out.
    """
    y_mean, nvar = model.slope * model.x_mean + model.intercept, model.n * model.var_x
    squares = (nvar, model.slope * nvar, model.slope**2 * nvar + model.n * model.var_e)
    described = (model.n, (model.x_mean - 0.5, y_mean - 0.5), squares)
    table = _widths(described, mechanism, budget, place, (seed, "guessed widths", repr(model)))
    error = [replace(model, n=int(n)).standard_error(budget.at)[place] for n in table["n"]]
    return table.assign(ols=2 * stdtrit(table["n"] - 2, (1 + LEVEL) / 2) * error)


def _widths(
    described: tuple[int, tuple[float, float], tuple[float, float, float]],
    mechanism: CenteredSums,
    budget: Budget,
    place: int,
    key: tuple[int, str, str],
) -> pd.DataFrame:
    """The rows of width_table. described: n, means of u and w, and nvar, ncov, nvar_y. key: of the random stream."""
    (n, means, squares), rows = described, []
    for records in dict.fromkeys(max(3, round(more * n)) for more in FACTORS):
        moments = (*means, *(np.array(squares) * records / n))
        for epsilon in (budget.epsilon * richer for richer in FACTORS):
            noise = mechanism.described_noise(
                paid(mechanism, replace(budget, epsilon=epsilon)).epsilon
            )
            drawn = noise.draw(RELEASES, stream(*key, repr(mechanism), records, epsilon))
            release = CenteredStatistics.noised(records, moments, noise, drawn)
            rows.append(
                (
                    records,
                    epsilon,
                    np.median(confidence_interval(release, budget.at, LEVEL).width[:, place]),
                )
            )
    return pd.DataFrame(rows, columns=["n", "epsilon", "width"])


DATASETS, SWEEP_RELEASES = (
    20,
    100,
)  # simulated data sets at each value at most, and releases from each
OLS_NAME = "OLS"
WIDTH_COLUMNS = ["parameter", "value", "mechanism", "width", "two_ends"]


def interval_widths(plan: SweepPlan, seed: int = 0, datasets: int = DATASETS) -> pd.DataFrame:
    """Median widths of 95% intervals for the true line at the first point of the budget: rows of WIDTH_COLUMNS.

    plan: of plan_sweep. datasets: simulated at each value, 1 or more; one where data are loaded. seed: 0 or more.

    Of OLS, which is not private, and of all mechanisms whose intervals cost no further budget. The median is
    over SWEEP_RELEASES of each data set, in the unit square: infinite where half or more lack an end. two_ends: the
    share of intervals that have both. ValueError where no mechanism offers such intervals.
    """
    validate.integer(1, datasets=datasets)
    offer_intervals(plan)
    parts = [widths_at(plan.parameter, setting, seed, datasets) for setting in plan.settings]
    return pd.concat(parts, ignore_index=True)


def offer_intervals(plan: SweepPlan) -> None:
    """ValueError where no mechanism of the plan has intervals at no further budget."""
    if not with_intervals(plan.settings[0].mechanisms):
        raise ValueError("mechanisms must hold one that offers intervals at no further budget")


def widths_at(parameter: str, setting: Setting, seed: int, datasets: int) -> pd.DataFrame:
    """The rows of interval_widths at one setting."""
    source = setting.source
    groups = (
        [source]
        if isinstance(source, Dataset)
        else [source.replicate(seed, number) for number in range(datasets)]
    )
    usual = [float(np.diff(ols_interval(data, setting.budget.at), axis=0)[0, 0]) for data in groups]
    rows = [(parameter, setting.value, OLS_NAME, float(np.median(usual)), 1.0)]
    for mechanism in with_intervals(setting.mechanisms):
        rngs = [stream(seed, "widths", repr(mechanism), number) for number in range(len(groups))]
        widths = [
            intervals_of(mechanism, data, setting.budget, SWEEP_RELEASES, rng)[0].width[:, 0]
            for data, rng in zip(groups, rngs, strict=True)
        ]
        first = np.concatenate(widths)
        share = float(np.isfinite(first).mean())
        rows.append((parameter, setting.value, mechanism.name, float(np.median(first)), share))
    return pd.DataFrame(rows, columns=WIDTH_COLUMNS)


POWER_COLUMNS = ["n", "slope", "epsilon", "power", "low", "high"]
ALPHA = 0.05
_FEWEST, _MOST, _RECORDS = 40, 300, 4_000_000  # data sets, and records in them


def slope_test_power(
    model: LinearModel,
    epsilon: float,
    mechanism: CenteredSums | None = None,
    datasets: int = 500,
    seed: int = 0,
) -> tuple[float, float, float]:
    """The share of simulated data sets with p <= ALPHA, one release each, and its exact 95% limits.

    At slope 0 it is the share of false alarms. mechanism: CenteredStats() where none is given. ValueError where a
    number cannot be.
    """
    mechanism = mechanism or CenteredStats()
    validate.integer(1, datasets=datasets)
    rng = stream(seed, "slope test", repr(model), repr(mechanism), epsilon)
    groups = (model.replicate(seed, number, even=False) for number in range(datasets))
    releases = [mechanism.release_statistics(data, epsilon, 1, rng=rng) for data in groups]
    found = int((slope_test(joined(releases), rng=rng).pvalue <= ALPHA).sum())
    low, high = clopper_pearson(found, datasets, 1 - CERTAINTY)
    return found / datasets, float(low), float(high)


def with_slope(model: LinearModel, n: int, slope: float) -> LinearModel:
    """The model with n records about a line of another slope, which stays where it is at mean x."""
    height = model.intercept + (model.slope - slope) * model.x_mean
    return replace(model, n=n, slope=slope, intercept=height)


def power_settings(
    model: LinearModel, budget: Budget, slope: float
) -> list[tuple[LinearModel, Budget, int]]:
    """Models and budgets of a curve of power over n for each of some epsilons, with the number of data sets.

    n from a quarter to four times that of the model; half, once and twice epsilon. Of many records fewer data sets.
    """
    sizes = dict.fromkeys(max(3, round(model.n * more)) for more in (0.25, 0.5, 1.0, 2.0, 4.0))
    return [
        (
            with_slope(model, n, slope),
            replace(budget, epsilon=budget.epsilon * richer),
            max(_FEWEST, min(_MOST, _RECORDS // n)),
        )
        for richer in (0.5, 1.0, 2.0)
        for n in sizes
    ]


def power_row(
    model: LinearModel, budget: Budget, mechanism: CenteredSums, datasets: int, seed: int
) -> tuple:
    """A row of POWER_COLUMNS: slope_test_power with what the budget lets the mechanism spend."""
    spent = paid(mechanism, budget).epsilon
    return (
        model.n,
        model.slope,
        budget.epsilon,
        *slope_test_power(model, spent, mechanism, datasets, seed),
    )
