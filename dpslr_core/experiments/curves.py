"""Frames behind the charts: output CDFs, quantiles, regression lines, predictions, private lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..laws.base import Law
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..support.run import checkpoint
from ..support.types import Floats
from .comparison import Comparison

_MOST_STEPS = 300  # points of a curve over the areas
_CURVE_POINTS, _LINE_POINTS = 160, 41  # of a curve before it is cut finer; of a regression line
_STEEP, _CUTS = 0.02, 8  # a step that rises by more is cut, into so many


def cdf_curves(comparison: Comparison, at: float, limits: tuple[float, float]) -> pd.DataFrame:
    """Return the output CDFs at one point between two limits: mechanism, kind, estimate, cdf.

    Failures never arrive: a curve ends at 1 - failure. Curves of trials show draws from a seed, which illustrate and
    may not be published as a release.

    Parameters
    ----------
    comparison : Comparison
    at : float
        Point of the comparison.
    limits : tuple of float
        Ends of the estimates.
    """
    curves = []
    for name in (release.name for release in comparison.releases):
        law = comparison.laws.get((name, at))
        if law is not None:
            curves.append(_rows(name, "exact", _law_curve(law, limits)))
        else:
            empirical = _empirical_curve(comparison.estimates(name, at), limits)
            curves.append(_rows(name, "trials", empirical))
    return pd.concat(curves, ignore_index=True)


def empirical_curves(
    comparison: Comparison, at: float, limits: tuple[float, float], count: int
) -> pd.DataFrame:
    """Return the empirical output distributions of the first trials at one point, as rows of cdf_curves."""
    curves = [
        _rows(name, "trials", _empirical_curve(comparison.estimates(name, at)[:count], limits))
        for name in comparison.summary["mechanism"].unique()
    ]
    return pd.concat(curves, ignore_index=True)


def _rows(name: str, kind: str, curve: tuple[Floats, Floats]) -> pd.DataFrame:
    estimates, cdf = curve
    return pd.DataFrame({"mechanism": name, "kind": kind, "estimate": estimates, "cdf": cdf})


def ratio_curves(measured: pd.DataFrame) -> pd.DataFrame:
    """Compute the share of areas whose C(68) is at most ratio standard errors: columns mechanism, ratio, share.

    Areas in which the mechanism answers too rarely never arrive, so that a curve may end below 1; areas whose standard
    error is 0 have no ratio and are left out.

    Parameters
    ----------
    measured : DataFrame
        Rows of by_group at one point.
    """
    curves = []
    for name, rows in measured.groupby("mechanism", sort=False, observed=True):
        ratios = np.sort(rows["ratio"][rows["standard_error"] > 0].to_numpy())
        arrived = np.flatnonzero(np.isfinite(ratios))
        ranks = arrived[
            np.unique(np.linspace(0, arrived.size - 1, min(arrived.size, _MOST_STEPS)).astype(int))
        ]
        curves.append(
            pd.DataFrame(
                {"mechanism": name, "ratio": ratios[ranks], "share": (ranks + 1) / ratios.size}
            )
        )
    return (
        pd.concat(curves, ignore_index=True)
        if curves
        else pd.DataFrame(columns=["mechanism", "ratio", "share"])
    )


def _law_curve(law: Law, limits: tuple[float, float]) -> tuple[Floats, Floats]:
    """Compute an exact curve: even steps across the picture, cut finer where it rises by more than 2% in one step.

    Five rounds of cutting by 8 make a jump narrower than any pixel.
    """
    checkpoint()
    grid = np.linspace(*limits, _CURVE_POINTS)
    values = law.cdf(grid)
    for _ in range(5):
        (steep,) = np.nonzero(np.diff(values) > _STEEP)
        if steep.size == 0:
            break
        steps = np.arange(1, _CUTS) / _CUTS
        cuts = (grid[steep, None] + np.diff(grid)[steep, None] * steps).ravel()
        points_now = np.concatenate([grid, cuts])
        order = np.argsort(points_now, kind="stable")
        grid, values = points_now[order], np.concatenate([values, law.cdf(cuts)])[order]
    return grid, values


def _empirical_curve(estimates: Floats, limits: tuple[float, float]) -> tuple[Floats, Floats]:
    """Compute the share of the trials at or below each of their quantiles inside the limits."""
    ordered = np.sort(estimates[~np.isnan(estimates)])
    ranks = np.unique(
        np.linspace(0, max(ordered.size - 1, 0), min(_CURVE_POINTS, ordered.size)).astype(int)
    )
    inner = ordered[ranks] if ordered.size else ordered
    grid = np.concatenate(
        [[limits[0]], inner[(inner > limits[0]) & (inner < limits[1])], [limits[1]]]
    )
    share = np.searchsorted(ordered, grid, side="right") / max(estimates.size, 1)
    return grid, share


def regression_lines(data: Dataset) -> pd.DataFrame:
    """Compute the OLS line, its band of one standard error and the Theil-Sen estimates across [0, 1].

    Columns x, ols, low, high, theil_sen, in the unit square.
    """
    x = np.linspace(0, 1, _LINE_POINTS)
    ols, error = data.predict(x), data.standard_error(x)
    bands = {"low": ols - error, "high": ols + error}
    return pd.DataFrame({"x": x, "ols": ols, **bands, "theil_sen": data.theil_sen_line(x)})


def prediction_table(
    datasets: Mapping[str, Dataset], at: Sequence[float], x: Axis = UNIT_X, y: Axis = UNIT_Y
) -> pd.DataFrame:
    """Predict without privacy by some data sets at points of [0, 1], in the units of the axes.

    Columns: the label of x, OLS, standard error, Theil–Sen; data first, the name, where there are several.
    """
    frames = [
        pd.DataFrame(
            {
                "data": name,
                x.label: x.from_unit(at),
                "OLS": y.from_unit(data.predict(at)),
                "standard error": data.standard_error(at) * y.scale,
                "Theil–Sen": y.from_unit(data.theil_sen(at)),
            }
        )
        for name, data in datasets.items()
    ]
    table = pd.concat(frames, ignore_index=True)
    return table if len(datasets) > 1 else table.drop(columns="data")


def private_lines(comparison: Comparison, first: int = 0, count: int = 20) -> pd.DataFrame:
    """Return the lines of some trials as rows mechanism, trial, x, y, in the unit square, without failed trials.

    A line runs across [0, 1] through the releases at the first and last point of ``at``; with a single point
    there is no line, only that point. Draws from a seed illustrate and may not be published as a release.
    """
    chosen = comparison.draws[comparison.draws["trial"].between(first, first + count - 1)]
    table = chosen.pivot(index=["mechanism", "trial"], columns="at", values="estimate").dropna()
    answered = table.index.get_level_values("mechanism").unique()
    table = table.loc[
        [name for name in comparison.summary["mechanism"].unique() if name in answered]
    ]
    first_point, last_point = float(table.columns.min()), float(table.columns.max())
    ends = np.array([0.0, 1.0]) if last_point > first_point else np.array([first_point])
    # Ranges up to 1e308 are allowed; such lines leave every picture.
    with np.errstate(over="ignore"):
        slope = (table[last_point] - table[first_point]).to_numpy() / (
            (last_point - first_point) or 1.0
        )
        values = table[first_point].to_numpy()[:, None] + slope[:, None] * (ends - first_point)
    index = table.index.repeat(ends.size)
    names, trials = (index.get_level_values(level) for level in (0, 1))
    return pd.DataFrame(
        {"mechanism": names, "trial": trials, "x": np.tile(ends, len(table)), "y": values.ravel()}
    )


def quantile_dots(
    comparison: Comparison, mechanism: str, at: float, count: int = 50
) -> pd.DataFrame:
    """Compute the quantiles (i + 1/2) / count of one algorithm's release at one point: estimate, NaN for no answer.

    From the exact law where there is one, else from the trials, in units of y.
    """
    shares = (np.arange(count) + 0.5) / count
    law = comparison.laws.get((mechanism, at))
    if law is not None:
        return pd.DataFrame({"estimate": law.ppf(shares)})
    estimates = np.sort(comparison.estimates(mechanism, at))  # NaN, no answer, sorts last
    return pd.DataFrame({"estimate": estimates[(shares * estimates.size).astype(int)]})
