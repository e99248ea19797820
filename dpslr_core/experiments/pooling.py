"""Areas that help each other: released lines are pooled after the release, at no further budget.

Every record lies in one area, so that one epsilon holds for everybody; what follows from the releases costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtri

from ..mechanisms.centered import CenteredStatistics
from ..support import validate
from ..support.columns import float_array
from ..support.tables import plain_columns
from ..support.types import Floats

LEAST_AREAS = 10
ENOUGH_AREAS = 50  # from which on coverage was measured
HEIGHT_SPREADS, SLOPE_SPREADS = 24, 16  # values of the two spreads between areas that are weighed
_MARGIN = 1.8  # of the largest spread that is looked at, over the moment estimate and two of its standard errors
_LEAST = 1e-12
_EQUAL = 1e-9  # relative, by which equal numbers may differ
_EFFECT = 0.1  # on height and slope, of a standard deviation of a public number: its usual size before the data speak
_LITTLE = 1e-4  # of a variance, below which Laplace tails do not matter
_LEAST_SHARE = 0.1  # of the typical variance of x, that an area's counts as at least
POWERS = (2, 3)  # of the mean of x, with which heights and slopes are expected to go besides
_STEP = 4  # values of a spread between those that are looked at first
_UNLIKELY = 1e-5  # spreads that weigh less, of the likeliest, are left out


def pool_areas(
    releases: Mapping[Any, CenteredStatistics],
    at: ArrayLike = (0.25, 0.75),
    covariates: pd.DataFrame | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Predict in all areas, each from its own release and from what the areas have in common.

    Parameters
    ----------
    releases : mapping of label to CenteredStatistics
        One release of CenteredStats or CenteredStatsGaussian for each area, in any order.
    at : float or array, shape (m,)
        Points to predict at, in the unit square.
    covariates : DataFrame, optional
        Public numbers of the areas, one row for each area (index) and one column for each number. The logarithm of n,
        the released mean of x, its square and its cube are always used.
    level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        A row for each area and point, with the columns group, at, released, pooled, weight, standard_error, low, high.
        The weight of the area's own release goes from 0 (only the common line counts) to 1 (only the own release
        counts). standard_error and interval are about the line of the people from whom the area's records are a sample.
        ``attrs`` holds spread_of_height and spread_of_slope, the standard deviations between areas of the height at
        ``origin`` and of the slope, about the common line; and ``origin``, ``height`` and ``slope``, the common line,
        which belongs to an area that is in the middle in every covariate.

    Raises
    ------
    ValueError
        Under 10 areas; not one release each; a covariate that is missing, or not a finite number.
    """
    points = validate.points(at=at)
    validate.inside(0, 1, closed="neither", level=level)
    level = float(level)
    lines = _pooled(_Released.of(releases), _public_numbers(covariates, releases))
    pooled, error, weight = lines.predict(points)
    half = float(ndtri(0.5 + level / 2)) * error
    released = np.array([release.predict(points)[0] for release in releases.values()])
    columns = {
        "released": released, "pooled": pooled, "weight": weight, "standard_error": error, "low": pooled - half,
        "high": pooled + half,
    }  # fmt: skip
    frame = pd.DataFrame({name: values.ravel() for name, values in columns.items()})
    frame.insert(0, "group", np.repeat(np.array([*releases], dtype=object), points.size))
    frame.insert(1, "at", np.tile(points, len(releases)))
    frame.attrs |= {
        "spread_of_height": lines.spreads[0],
        "spread_of_slope": lines.spreads[1],
        "origin": lines.origin,
        "height": lines.common[0],
        "slope": lines.common[1],
    }
    return frame


@dataclass(frozen=True)
class PooledLines:
    """Pooled lines of N areas: height at the origin and slope, with their variances.

    Attributes
    ----------
    origin : float
        Mean of x over all areas.
    line : array, shape (N, 2)
        Height and slope.
    covariance : array, shape (N, 2, 2)
        Covariances of height and slope.
    remaining, before : array, shape (N, 2, 2) and (2, 2)
        Covariances about the common line, with the area's own release and without.
    spreads : tuple of float
        Standard deviations of height and slope between areas.
    common : tuple of float
        Height and slope of the area in the middle.
    """

    origin: float
    line: Floats
    covariance: Floats
    remaining: Floats
    before: Floats
    spreads: tuple[float, float]
    common: tuple[float, float]

    def predict(self, at: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return pooled predictions, standard errors, and weights of the own releases, all of shape (N, len(at))."""
        design = np.stack([np.ones_like(points := validate.points(at=at)), points - self.origin])
        remaining, variance = (
            np.einsum("jm,ijk,km->im", design, matrix, design)
            for matrix in (self.remaining, self.covariance)
        )
        before = np.einsum("jm,jk,km->m", design, self.before, design)
        weight = 1 - remaining / np.maximum(before, _LEAST)
        return self.line @ design, np.sqrt(np.maximum(variance, 0)), np.clip(weight, 0, 1)


@dataclass(frozen=True)
class _Released:
    """Released numbers of N areas, with u = x - 1/2 and w = y - 1/2; all but ``noise`` have shape (N,).

    Attributes
    ----------
    n, u, w : array
        Number of records, means of u and w.
    uu, uw : array
        Sums of u^2 and uw.
    nvar_y : array
        n var(y), with the square of the noise taken out.
    noise : array, shape (5, N)
        Variances of the noises of the five sums.
    heavy : array of bool
        Whether the noise is Laplace noise.
    """

    n: Floats
    u: Floats
    w: Floats
    uu: Floats
    uw: Floats
    nvar_y: Floats
    noise: Floats
    heavy: Floats

    @classmethod
    def of(cls, releases: Mapping[Any, CenteredStatistics]) -> _Released:
        if len(releases) < LEAST_AREAS:
            raise ValueError(
                f"releases must hold at least {LEAST_AREAS} areas, got {len(releases)}"
            )
        for area, release in releases.items():
            if not isinstance(release, CenteredStatistics) or release.slope.size != 1:
                raise ValueError(
                    "releases must hold one release of CenteredStats for each area, not for "
                    f"{area!r}"
                )
        every = list(releases.values())
        n = np.array([float(release.n) for release in every])
        noise = np.array([release.noise.deviation**2 for release in every]).T
        means = (
            np.array([getattr(release, name)[0] for release in every])
            for name in ("x_mean", "y_mean")
        )
        u, w = (mean - 0.5 for mean in means)
        nvar, ncov, nvar_y = (
            np.array([getattr(release, name)[0] for release in every])
            for name in ("nvar", "ncov", "nvar_y")
        )
        heavy = np.array([release.noise.heavy for release in every])
        return cls(n, u, w, nvar + n * u**2, ncov + n * u * w, nvar_y + noise[1] / n, noise, heavy)


def _public_numbers(covariates: pd.DataFrame | None, areas: Mapping[Any, Any]) -> Floats:
    """Return the covariates of the areas in their order, of mean 0 and standard deviation 1, shape (N, k)."""
    if covariates is None:
        return np.empty((len(areas), 0))
    covariates = plain_columns(covariates, "covariates", [*covariates.columns])
    missing = [area for area in areas if area not in covariates.index]
    if missing:
        raise ValueError(f"covariates must have a row for each area; missing {missing[0]!r}")
    rows = covariates.loc[[*areas]]
    if len(rows) != len(areas):
        raise ValueError("covariates must have one row for each area; some areas have several")
    columns = []
    for name in rows:
        values = float_array(rows[name], "covariates", others_as_nan=True)
        if (wrong := ~np.isfinite(values)).any():
            area = rows.index[wrong][0]
            raise ValueError(
                f"covariates must be finite numbers, got {name} = {rows[name][area]!r} for {area!r}"
            )
        columns.append(_standardized(values))
    return np.column_stack(columns) if columns else np.empty((len(areas), 0))


def _standardized(values: Floats) -> Floats:
    """Scale values to mean 0 and standard deviation 1; all 0 where they are equal up to rounding."""
    away, sd = values - values.mean(), float(values.std())
    return away / sd if sd > _EQUAL * np.abs(values).max() else np.zeros_like(values)


def _spread(values: Floats, variances: Floats, design: Floats) -> tuple[float, Floats]:
    """Estimate the variance between areas beyond the known variances, and the fitted means.

    t = max(0, sum w ((values - fit)^2 - variances) / sum w), with w = 1 / variances^2, so that a few areas with heavy
    noise do not decide it; the fit has the weights 1 / (t + variances).
    """
    weights, between = variances**-2.0, 0.0
    for _ in range(30):
        root = (variances + between) ** -0.5
        fitted = design @ np.linalg.lstsq(design * root[:, None], values * root, rcond=None)[0]
        new = max(
            0.0, float((weights * ((values - fitted) ** 2 - variances)).sum() / weights.sum())
        )
        if abs(new - between) <= 1e-6 * (between + variances.min()):
            break
        between = new
    return new, fitted


def _shrunk(values: Floats, variances: Floats, design: Floats) -> tuple[Floats, Floats]:
    """Shrink values to the fit of their design by their known variances; return them and the remaining variances."""
    between, fitted = _spread(values, variances, design)
    own = between / (between + variances)
    return own * values + (1 - own) * fitted, own * variances


def _pooled(released: _Released, public: Floats) -> PooledLines:
    """Average the pooled lines over a grid of the two spreads between areas."""
    model = _Model.of(released, public)
    between, _ = _spread(model.slope, model.var_slope, model.design)
    slopes = _grid(between, model.var_slope, SLOPE_SPREADS)
    about = model.var_w + model.away**2 * between
    heights = _grid(
        _spread(model.w - model.away * model.overall, about, model.design)[0], about, HEIGHT_SPREADS
    )
    prior = _log_shrinkage(heights, model.var_w)[:, None] + _log_shrinkage(slopes, model.var_slope)
    fits: dict[tuple[int, int], _Fit] = {}

    def score(cell: tuple[int, int]) -> float:
        fits[cell] = model.given(Spreads(float(heights[cell[0]]), float(slopes[cell[1]])))
        return fits[cell].log_likelihood + float(prior[cell])

    scores = _likely(score, prior.shape)
    weights = np.exp(np.array([*scores.values()]) - max(scores.values()))
    weights /= weights.sum()
    likely, areas = [fits[cell] for cell in scores], released.n.size
    line, remaining = np.zeros((areas, 2)), np.zeros((areas, 2, 2))
    second, before, common = np.zeros((areas, 2, 2)), np.zeros((2, 2)), np.zeros(2)
    for weight, fit in zip(weights, likely, strict=True):
        own, unexplained = fit.lines()
        line += weight * own
        remaining += weight * unexplained
        second += weight * (fit.covariance(unexplained) + own[:, :, None] * own[:, None, :])
        before += weight * fit.spreads.covariance
        common += weight * fit.common
    spread_of = np.array([fit.spreads for fit in likely])
    height, slope = weights @ spread_of
    covariance = second - line[:, :, None] * line[:, None, :]
    return PooledLines(
        model.origin + 0.5,
        line + np.array([0.5, 0.0]),
        covariance,
        remaining,
        before,
        (float(height), float(slope)),
        (float(common[0]) + 0.5, float(common[1])),
    )


def _likely(
    score: Callable[[tuple[int, int]], float], shape: tuple[int, int]
) -> dict[tuple[int, int], float]:
    """Return the log densities of the cells of a grid, in their order, without cells less likely than _UNLIKELY.

    The search goes from the cells of a coarser grid, the best first, to their neighbours, as long as these are not
    unlikely. Where there are many areas, few cells are likely.
    """
    scores = {
        (i, j): score((i, j)) for i in range(0, shape[0], _STEP) for j in range(0, shape[1], _STEP)
    }
    waiting = [(-value, cell) for cell, value in scores.items()]
    heapify(waiting)
    best, least = -waiting[0][0], float(np.log(_UNLIKELY))
    while waiting and -waiting[0][0] > best + least:
        _, (i, j) = heappop(waiting)
        for cell in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if cell not in scores and 0 <= cell[0] < shape[0] and 0 <= cell[1] < shape[1]:
                scores[cell] = score(cell)
                best = max(best, scores[cell])
                heappush(waiting, (-scores[cell], cell))
    return {cell: scores[cell] for cell in sorted(scores) if scores[cell] > best + least}


def _grid(between: float, variances: Floats, count: int) -> Floats:
    """Return the standard deviations between areas that are weighed, from 0 to the largest that the data support.

    Parameters
    ----------
    between : float
        Moment estimate of their square, whose own standard error is sqrt(2 / sum 1 / variances^2) or so.
    variances : array, shape (N,)
        Known variances.
    count : int
        Number of values.
    """
    error = np.sqrt(5 / (variances**-2.0).sum())
    return np.linspace(0, _MARGIN * np.sqrt(between + 4 * error), count)


def _log_shrinkage(spreads: Floats, variances: Floats) -> Floats:
    """Compute the log prior under which the weight D / (D + t^2) of a typical area is uniform: t D / (D + t^2)^2.

    D is the harmonic mean of the variances. At t = 0, where the density is 0 and its cell is not, a quarter of the next
    value stands for the cell.
    """
    typical = 1 / np.mean(1 / variances)
    density = spreads * typical / (typical + spreads**2) ** 2
    density[0] = density[1] / 4
    return np.log(density)


def _log_density(away: Floats, variance: Floats, heavy: Floats) -> Floats:
    """Compute the log density at ``away`` of normal plus Laplace noise, with variances variance - heavy and heavy.

    With s = variance - heavy and b = sqrt(heavy / 2) it is, for both signs of z = +-away together,
    exp(s / 2 b^2 - z / b) Phi((z - s / b) / sqrt(s)) / 2b.
    """
    laplace = heavy > _LITTLE * variance
    s = np.where(laplace, np.maximum(variance - heavy, _LITTLE * variance), variance)
    b = np.sqrt(np.where(laplace, heavy, 1.0) / 2)
    root = np.sqrt(s)
    tails = np.logaddexp(*(log_ndtr((z - s / b) / root) - z / b for z in (away, -away)))
    normal = -0.5 * (np.log(2 * np.pi * s) + away**2 / s)
    return np.where(laplace, 0.5 * s / b**2 - np.log(2 * b) + tails, normal)


class Spreads(NamedTuple):
    """Standard deviations between areas of the height at the origin, and of the slope."""

    height: float
    slope: float

    @property
    def covariance(self) -> Floats:
        """Covariance of (height, slope) about the common line, shape (2, 2)."""
        return np.diag([self.height**2, self.slope**2])


@dataclass(frozen=True)
class _Model:
    """Height L_i = z_i'B + N(0, t^2), slope S_i = z_i'G + N(0, s^2), and of each area two observations.

    The mean of w is L_i + away_i S_i, where away_i is the area's mean of x from the origin, and C / V is S_i, with
    known variances and covariance. The first coefficients of B and of G, which belong to the area in the middle, have
    flat priors. heavy_w and heavy_slope are the parts of the variances that have Laplace tails.
    """

    w: Floats
    slope: Floats
    away: Floats
    origin: float
    overall: float
    var_w: Floats
    var_slope: Floats
    cov: Floats
    heavy_w: Floats
    heavy_slope: Floats
    design: Floats

    @classmethod
    def of(cls, released: _Released, public: Floats) -> _Model:
        _, of_w, _, of_uw, _ = released.noise
        n, w = released.n, released.w
        public_columns = _columns([np.ones_like(n), _standardized(np.log(n)), *public.T])
        u, u_left, raw, nvar, nvar_left = _pooled_x(released, public_columns)
        # About the shrunk mean of u, by which the mean of w is then corrected.
        ncov = released.uw - n * u * w
        overall = float(ncov.sum() / max(raw.sum(), _LEAST))
        residual = _residual_variance(released, raw, ncov, overall)
        origin, w_mean = float(np.average(u, weights=n)), float(np.average(w, weights=n))
        noise_terms = np.array([of_uw, u**2 * of_w, w_mean**2 * n**2 * u_left]) / nvar**2
        more = overall**2 * nvar_left / nvar**2 + residual / nvar
        design = _columns(
            [
                *public_columns.T,
                _standardized(u),
                *(_standardized((u - origin) ** k) for k in POWERS),
            ]
        )
        return cls(
            w,
            ncov / nvar,
            u - origin,
            origin,
            overall,
            var_w=of_w / n**2 + residual / n + overall**2 * u_left,
            var_slope=noise_terms.sum(axis=0) + more,
            cov=(overall * w_mean * n * u_left - u * of_w / n) / nvar,
            heavy_w=np.where(released.heavy, of_w / n**2, 0.0),
            heavy_slope=np.where(released.heavy, np.sqrt((noise_terms**2).sum(axis=0)), 0.0),
            design=design,
        )

    @cached_property
    def by_height(self) -> Floats:
        """Design of the mean of w, which is expected to be by_height @ coefficients, shape (N, 2k)."""
        return np.hstack([self.design, self.away[:, None] * self.design])

    @cached_property
    def by_slope(self) -> Floats:
        """Design of the slope, which is expected to be by_slope @ coefficients, shape (N, 2k)."""
        return np.hstack([np.zeros_like(self.design), self.design])

    @cached_property
    def prior(self) -> Floats:
        """Prior precision of the coefficients of the common line, a diagonal matrix of shape (2k, 2k).

        0 for the height and the slope of an area whose covariates are average, 1 / _EFFECT^2 for each effect of a
        covariate.
        """
        return np.diag(np.tile([0.0, *[_EFFECT**-2.0] * (self.design.shape[1] - 1)], 2))

    def given(self, spreads: Spreads) -> _Fit:
        """Fit the common line to the released statistics of all areas.

        Parameters
        ----------
        spreads : Spreads
            Standard deviations of heights and of slopes between areas.
        """
        height, slope = spreads.height**2, spreads.slope**2
        s11 = self.var_w + height + self.away**2 * slope
        s12, s22 = self.cov + self.away * slope, self.var_slope + slope
        weights = np.array([s22, -s12, s11]) / (s11 * s22 - s12**2)
        i11, i12, i22 = weights[:, :, None]
        a, b = self.by_height, self.by_slope
        cross = (a * i12).T @ b
        precision = (a * i11).T @ a + (b * i22).T @ b + cross + cross.T + self.prior
        w, slopes = self.w[:, None], self.slope[:, None]
        right = a.T @ (i11 * w + i12 * slopes) + b.T @ (i12 * w + i22 * slopes)
        sizes, directions = np.linalg.eigh(precision)
        determined = sizes > _EQUAL * sizes[-1]  # not what covariates that say the same leave open
        inverse = (directions[:, determined] / sizes[determined]) @ directions[:, determined].T
        coefficients = (inverse @ right)[:, 0]
        e1, e2 = self.w - a @ coefficients, self.slope - b @ coefficients
        share = s12 / s22
        log_densities = _log_density(e2, s22, self.heavy_slope) + _log_density(
            e1 - share * e2, s11 - share * s12, self.heavy_w
        )
        likelihood = float(
            log_densities.sum()
            - 0.5 * (np.log(sizes[determined]).sum() + coefficients @ self.prior @ coefficients)
        )
        return _Fit(
            self, spreads, weights, inverse, coefficients, np.stack([e1, e2], axis=1), likelihood
        )


@dataclass(frozen=True)
class _Fit:
    """Common line where the spreads between areas are known.

    Attributes
    ----------
    weights : array, shape (3, N)
        Inverse of the covariances of the two observations (11, 12, 22).
    inverse : array, shape (2k, 2k)
        Covariance of the coefficients.
    away : array, shape (N, 2)
        Distances of the observations from their expectations.
    """

    model: _Model
    spreads: Spreads
    weights: Floats
    inverse: Floats
    coefficients: Floats
    away: Floats
    log_likelihood: float

    @property
    def common(self) -> Floats:
        """Height and slope expected of an area whose covariates are average, shape (2,)."""
        return self.coefficients.reshape(2, -1)[:, 0]

    @cached_property
    def gain(self) -> Floats:
        """Derivatives of height and slope by the two observations, shape (N, 2, 2)."""
        i11, i12, i22 = self.weights
        height, slope = (spread**2 for spread in self.spreads)
        d = self.model.away
        rows = [[height * i11, height * i12], [slope * (d * i11 + i12), slope * (d * i12 + i22)]]
        return np.moveaxis(np.array(rows), 2, 0)

    def lines(self) -> tuple[Floats, Floats]:
        """Return height and slope of the areas, shape (N, 2), and their covariances if the common line were known."""
        fitted = np.stack(
            [self.model.design @ coefficients for coefficients in self.coefficients.reshape(2, -1)],
            axis=1,
        )
        before = np.broadcast_to(self.spreads.covariance, (len(fitted), 2, 2))
        seen = np.zeros((len(fitted), 2, 2))  # what the observations say of height and slope
        seen[:, 0, 0], seen[:, 0, 1], seen[:, 1, 1] = 1, self.model.away, 1
        remaining = before - self.gain @ seen @ before
        return fitted + np.einsum("ijk,ik->ij", self.gain, self.away), remaining

    def covariance(self, remaining: Floats) -> Floats:
        """Add the error of the common line to the remaining covariances of height and slope, shape (N, 2, 2)."""
        model, nothing = self.model, np.zeros_like(self.model.design)
        own = np.stack([np.hstack([model.design, nothing]), model.by_slope], axis=1)
        own = own - self.gain @ np.stack([model.by_height, model.by_slope], axis=1)
        return remaining + own @ self.inverse @ own.transpose(0, 2, 1)


def _columns(columns: Sequence[Floats]) -> Floats:
    """Join columns to a design matrix, without the columns that are 0 everywhere."""
    return np.column_stack([column for column in columns if column.any()])


def _pooled_x(released: _Released, public: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Shrink the means of u and n var(x) to their fits, so that noise in a small n var(x) makes no wild slope.

    The variance is fitted on the mean, too, as it is small at the ends of the bounds.

    Parameters
    ----------
    released : _Released
        Released numbers of N areas.
    public : array, shape (N, k)
        Columns of public numbers.

    Returns
    -------
    tuple of array, shape (N,)
        Mean of u and its remaining variance; n var(x) about that mean before it is shrunk; n var(x) and its remaining
        variance.
    """
    n = released.n
    of_u, _, of_uu, _, _ = released.noise
    u, u_left = _shrunk(released.u, of_u / n**2 + _LEAST, public)
    nvar = released.uu - n * (u**2 + u_left)
    with_mean = _columns([*public.T, _standardized(u), _standardized((u - u.mean()) ** 2)])
    noise = of_uu / n**2 + 4 * u**2 * u_left + 2 * u_left**2 + _LEAST
    variance, remaining = _shrunk(nvar / n, noise, with_mean)
    least = _LEAST_SHARE * max(float(np.average(nvar / n, weights=n)), _LEAST)
    return u, u_left, nvar, np.maximum(variance, least) * n, remaining * n**2


def _residual_variance(released: _Released, nvar: Floats, ncov: Floats, slope: float) -> Floats:
    """Estimate residual variances about lines of the common slope, shrunk to the mean of all areas; shape (N,)."""
    n, (_, _, of_uu, of_uw, of_ww) = released.n, released.noise
    squares = released.nvar_y - 2 * slope * ncov + slope**2 * nvar
    noise = of_ww + 4 * slope**2 * of_uw + slope**4 * of_uu
    freedom = n - 2
    total = freedom.sum()
    overall = max(squares.sum() / total, 0.5 * np.sqrt(noise.sum()) / total, 1e-8)
    own, _ = _shrunk(
        squares / freedom, noise / freedom**2 + 2 * overall**2 / freedom, np.ones((n.size, 1))
    )
    return np.maximum(own, overall / 4)
