"""Data set in the unit square, with its non-private estimates."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import pairs
from .pairs import ranks
from .pairs.grid import PublicGrid
from .pairs.matchings import every_estimate, sorted_lists
from .pairs.ranks import PairRanks, median_of_pairs
from .support import validate
from .support.columns import float_array
from .support.types import Floats

Record = tuple[float, float]
Result = TypeVar("Result")
# Distances below this in the unit square are rounding. A stored number is off by 1e-16 of itself, which is 1e-12 of the
# width of its range where it is 4,000 widths away from 0. A deviation of 1e-9 is a thousand times as large.
ROUNDING = 1e-12
_STEEP = 4 * float(np.finfo(float).eps)  # per unit of slope: x and slope x are rounded, too
_CACHED = 12  # large values cached per data set: lists and scores
_FEW = 100  # values of a few numbers cached per data set


def without_rounding(distances: ArrayLike) -> Floats:
    """Return distances along y in the unit square with 0 in the place of rounding errors; same shape; NaN stays."""
    distances = np.asarray(distances, dtype=float)
    return np.where(np.abs(distances) <= ROUNDING, 0.0, distances)


def _unit_interval(name: str, values: ArrayLike) -> Floats:
    """Copy a column as read-only floats; ValueError names the column, the row and the value."""
    array = np.array(float_array(values, name))
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    bad = np.flatnonzero(~((array >= 0) & (array <= 1)))
    if bad.size:
        row = int(bad[0])
        rule = "must lie in [0, 1]" if np.isfinite(array[row]) else "must be finite"
        more = f" ({bad.size - 1} more rows like it)" if bad.size > 1 else ""
        raise ValueError(f"{name} {rule}, got {array[row]} in row {row}{more}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data set of n records (x_i, y_i) in the unit square, checked once and never changed.

    Parameters
    ----------
    x, y : array-like, shape (n,)
        At least 3 records, all numbers finite and in [0, 1].

    Raises
    ------
    ValueError
        Names the column, the row and the value that break these rules.

    Examples
    --------
    >>> data = Dataset(x=[0.0, 0.5, 1.0], y=[0.2, 0.5, 0.6])
    >>> data.n, data.nvar, data.predict([0.25, 0.75]).round(3).tolist()
    (3, 0.5, [0.333, 0.533])
    """

    x: Floats
    y: Floats
    _cache: dict[Hashable, Any] = field(repr=False)
    _numbers: dict[Hashable, Any] = field(repr=False)

    def __init__(self, x: ArrayLike, y: ArrayLike) -> None:
        object.__setattr__(self, "x", _unit_interval("x", x))
        object.__setattr__(self, "y", _unit_interval("y", y))
        if self.x.size != self.y.size:
            raise ValueError(
                f"x and y must have the same length, got {self.x.size} and {self.y.size}"
            )
        if self.x.size < 3:
            raise ValueError(f"x and y must have at least 3 records, got {self.x.size}")
        object.__setattr__(self, "_cache", {})
        object.__setattr__(self, "_numbers", {})

    def __reduce__(self) -> tuple[type[Dataset], tuple[Floats, Floats]]:
        return Dataset, (self.x, self.y)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dataset) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Dataset(n={self.n}, nvar={self.nvar:.6g}, digest={self.digest[:12]!r})"

    @cached_property
    def n(self) -> int:
        """Number of records; public."""
        return int(self.x.size)

    @cached_property
    def x_mean(self) -> float:
        """Mean of x."""
        return float(self.x.mean())

    @cached_property
    def y_mean(self) -> float:
        """Mean of y."""
        return float(self.y.mean())

    @cached_property
    def x_is_constant(self) -> bool:
        """Whether x differs by rounding alone, so that no line can be fitted; no private mechanism reads this."""
        return bool(np.ptp(self.x) <= ROUNDING)

    @cached_property
    def _x_centered(self) -> Floats:
        # A constant x must give exactly 0; subtracting a rounded mean would leave 1e-17.
        return np.zeros(self.n) if np.ptp(self.x) == 0 else self.x - self.x_mean

    @cached_property
    def nvar(self) -> float:
        """Sum nvar(x) = sum (x_i - mean x)^2 = n var(x) (Section "Simple Linear Regression" of the paper)."""
        return float(self._x_centered @ self._x_centered)

    @cached_property
    def ncov(self) -> float:
        """Sum ncov(x, y) = sum (x_i - mean x)(y_i - mean y) (Section "Simple Linear Regression" of the paper)."""
        return float(self._x_centered @ (self.y - self.y_mean))

    @property
    def var_x(self) -> float:
        """Variance var(x) = nvar(x) / n."""
        return self.nvar / self.n

    @cached_property
    def slope(self) -> float:
        """OLS slope ncov / nvar (Equation 2); NaN where x is constant."""
        return np.nan if self.x_is_constant else self.ncov / self.nvar

    @property
    def intercept(self) -> float:
        """OLS intercept, mean y - slope mean x (Equation 2)."""
        return self.y_mean - self.slope * self.x_mean

    @cached_property
    def residual_sd(self) -> float:
        """Estimate ||y - slope x - intercept|| / sqrt(n - 2) of sigma_e, in units of y; NaN where x is constant.

        0 where all records lie on one line, but for rounding.
        """
        if self.x_is_constant:
            return np.nan
        residuals = self.y - self.y_mean - self.slope * self._x_centered
        if np.abs(residuals).max() <= ROUNDING + _STEEP * abs(self.slope):
            return 0.0
        return float(np.sqrt(residuals @ residuals / (self.n - 2)))

    @property
    def slope_standard_error(self) -> float:
        """Standard error of the OLS slope, residual_sd / sqrt(nvar), in units of y per x; NaN where x is constant."""
        return np.nan if self.x_is_constant else self.residual_sd / float(np.sqrt(self.nvar))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of n, x and y, under which results for this data set are cached."""
        digest = hashlib.sha256(self.n.to_bytes(8, "little"))
        for column in (self.x, self.y):
            digest.update(
                np.ascontiguousarray(column + 0.0, dtype="<f8").tobytes()
            )  # + 0.0: -0.0 is 0.0
        return digest.hexdigest()

    def replaced(self, neighbour: Dataset) -> tuple[Record, Record] | None:
        """Return the record that neighbour replaces and its replacement, (x, y) each; None if all records are the same.

        ValueError unless the data sets are equal or differ by replacing one record, in any order.
        """
        before, after = (
            Counter(zip(d.x.tolist(), d.y.tolist(), strict=True)) for d in (self, neighbour)
        )
        removed, added = list((before - after).elements()), list((after - before).elements())
        if self.n != neighbour.n or len(removed) > 1:
            raise ValueError(
                f"neighbour must be data with one record replaced, got {len(removed)} out and "
                f"{len(added)} in"
            )
        return (removed[0], added[0]) if removed else None

    def with_record(self, place: int, x: float, y: float) -> Dataset:
        """Return the neighbour in which the record at index `place` is (x, y).

        ValueError unless 0 <= place < n and x and y lie in [0, 1].
        """
        validate.integer(0, place=place)
        if place >= self.n:
            raise ValueError(f"place must be below n = {self.n}, got {place}")
        columns = self.x.copy(), self.y.copy()
        for column, (name, value) in zip(columns, {"x": x, "y": y}.items(), strict=True):
            column[place] = validate.number(name, value)
        return Dataset(*columns)

    def predict(self, at: ArrayLike) -> Floats:
        """Compute the OLS predictions mean y + slope (at - mean x), in units of y (Equation 2).

        NaN where x is constant.

        Parameters
        ----------
        at : array-like, shape (m,), in units of x
            ValueError unless finite.

        Returns
        -------
        array, shape (m,)
        """
        return self.y_mean + self.slope * (validate.points(at=at) - self.x_mean)

    def standard_error(self, at: ArrayLike) -> Floats:
        """Compute the standard error of the OLS prediction, in units of y (Equation 3).

        ||residuals|| / sqrt(n - 2) * sqrt(1/n + (at - mean x)^2 / (n var(x))); NaN where x is constant, and 0
        where all records lie on one line, both but for rounding.

        Parameters
        ----------
        at : array-like, shape (m,), in units of x
            ValueError unless finite.

        Returns
        -------
        array, shape (m,)
        """
        at = validate.points(at=at)
        if self.x_is_constant:
            return np.full(at.shape, np.nan)
        return self.residual_sd * np.sqrt(1 / self.n + (at - self.x_mean) ** 2 / self.nvar)

    def theil_sen(self, at: ArrayLike) -> Floats:
        """Compute the medians of the pairwise estimates, in units of y, without the pairs that have equal x.

        NaN where x is constant. Time and memory O(n^2); by ranks, for many records, O(n log n) and O(n).
        Source: Section "DP TheilSen".

        Parameters
        ----------
        at : array-like, shape (m,), in units of x
            ValueError unless finite.

        Returns
        -------
        array, shape (m,)
        """
        points = validate.points(at=at)
        if self.x_is_constant:
            return np.full(points.size, np.nan)
        if self.n >= ranks.CROSSOVER:
            medians_at = [
                self.cached(("Theil-Sen", x), partial(self._median_by_ranks, x), small_value=True)
                for x in points.tolist()
            ]
            return np.array(medians_at)

        def medians() -> Floats:
            estimates = every_estimate(self.x, self.y, partial(pairs.lines_through, at=points))
            if np.isnan(estimates[0].min()):
                estimates = estimates[:, ~np.isnan(estimates[0])]
            return np.median(estimates, axis=1) if estimates.size else np.full(points.size, np.nan)

        return self.cached(("Theil-Sen", *points.tolist()), medians, small_value=True).copy()

    def theil_sen_line(self, x: ArrayLike) -> Floats:
        """Compute the heights at x, same shape, of the line through theil_sen at 1/4 and 3/4, as in the paper."""
        quarter, three_quarters = self.theil_sen((0.25, 0.75))
        return np.asarray(
            quarter + (np.asarray(x, dtype=float) - 0.25) / 0.5 * (three_quarters - quarter)
        )

    def _median_by_ranks(self, point: float) -> float:
        return median_of_pairs(PairRanks(self.x, self.y, point))

    def pair_lists(self, grid: PublicGrid) -> list[Floats]:
        """Return all pairwise estimates at every point of the grid: rounded to the grid, clipped to its range, sorted.

        A list has both ends of the range around it, shape (n(n-1)/2 + 2,), in units of y. Pairs with equal x stand at
        both ends in turn, see clip_and_place_ties. Cached, as several mechanisms read the same lists.
        """
        keys: list[Hashable] = [
            ("pairs", grid.bits, *grid.range, point) for point in grid.at.tolist()
        ]
        lists = {key: self._cache[key] for key in keys if key in self._cache}
        new = [point for point, key in enumerate(keys) if key not in lists]
        if new:
            formed = sorted_lists(grid.positions(self.x), grid.positions(self.y), grid, new)
            for point, z in zip(new, formed, strict=True):
                z.setflags(write=False)
                lists[keys[point]] = self.cached(keys[point], partial(np.asarray, z))
        return [lists[key] for key in keys]

    def pair_ranks(self, grid: PublicGrid, point: int) -> PairRanks:
        """Return the ranks of all pairwise estimates, as positions, at the grid point with index `point`; cached."""
        x, y, at = (
            grid.positions(self.x),
            grid.positions(self.y),
            float(grid.positions(grid.at[point])),
        )
        lines = partial(grid.estimates, point=point)
        return self.cached(
            ("ranks", grid.bits, float(grid.at[point])), lambda: PairRanks(x, y, at, lines)
        )

    def cached(
        self, key: Hashable, make: Callable[[], Result], small_value: bool = False
    ) -> Result:
        """Return make(), or its cached result from an earlier call with this key.

        For values that depend on these records and the key alone. Several threads may call at once.

        Parameters
        ----------
        key : hashable
        make : callable without arguments
        small_value : bool
            Whether the value is a few numbers. The last 100 such values are cached apart from the last 12 large ones,
            so that the numbers of many algorithms push out no list of pairs.
        """
        values, most = (self._numbers, _FEW) if small_value else (self._cache, _CACHED)
        try:
            result: Result = values[key]
            return result
        except KeyError:
            value = make()
        for oldest in list(values)[: max(0, len(values) - most + 1)]:
            values.pop(oldest, None)
        values[key] = value
        return value
