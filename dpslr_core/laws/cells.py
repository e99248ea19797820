"""Laws of one prediction of a line that is drawn uniformly from a random cell of a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.types import Floats, Integers
from .base import Law
from .difference import sum_of_uniforms_cdf
from .piecewise import PiecewiseUniform, Staircase

_NEGLIGIBLE = 1e-20  # rows of cells with a smaller share of all mass are left out of the cdf
_AT_ONCE = 200_000  # pairs of a t and a row held at once


def prediction_law(edges: Floats, log_masses: Floats, point: float) -> Law:
    """Compute the law of 2 (3/4 - x) p + 2 (x - 1/4) q at x = point, with (p, q) uniform in a random cell.

    Parameters
    ----------
    edges : array, shape (g + 1,), in units of y
        Ends of the cells along either axis, equally spaced.
    log_masses : array, shape (g, g)
        Log masses of the cells by p and q, up to one constant.
    point : float, in units of x
    """
    first, second = 2 * (0.75 - point), 2 * (point - 0.25)
    if abs(first) < abs(second):
        first, second, log_masses = second, first, log_masses.T
    if second == 0:
        top = log_masses.max(axis=1)
        with np.errstate(under="ignore"):
            return PiecewiseUniform(
                edges, top + np.log(np.exp(log_masses - top[:, None]).sum(axis=1))
            )
    return CellLaw(edges, log_masses, first, second)


def cells_within(edges: Floats, point: float, low: float, high: float) -> Floats:
    """Compute the share of each cell whose predictions at `point` lie between low and high, row by row, shape (g^2,).

    Parameters
    ----------
    edges : array, shape (g + 1,), in units of y
        Ends of the cells along either axis, equally spaced.
    point : float, in units of x
    low, high : float, in units of y
    """
    first, second = 2 * (0.75 - point), 2 * (point - 0.25)
    cell, starts = edges[1] - edges[0], edges[:-1]
    base = np.add.outer(
        first * starts + min(first, 0) * cell, second * starts + min(second, 0) * cell
    )
    first_width, second_width = np.abs(np.array([[first], [second]]))

    def below(t: float) -> Floats:
        """Return the share below t of each cell."""
        return sum_of_uniforms_cdf((t - base) / cell, first_width, second_width)

    return (below(high) - below(low)).ravel()


def row_law(edges: Floats, log_low: Floats, log_high: Floats) -> Law:
    """Make the law of the prediction at 1/4 or 3/4 from bounds on the log masses of g rows, shape (g,) each."""
    if np.array_equal(log_low, log_high):
        return PiecewiseUniform(edges, log_low)
    return RowLaw(edges, log_low, log_high)


@dataclass(frozen=True, eq=False)
class RowLaw(Staircase):
    """Law of the prediction at 1/4 or 3/4: uniform in a row of cells, the masses of rows known between bounds.

    All mass but about 2e-7 is known: the bounds differ only in unlikely rows. The density is not known there, the cdf
    is.
    """

    @property
    def exact(self) -> bool:
        return True

    @property
    def how(self) -> str:
        return "exact law"

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return self._middle.sample(size, rng)


@dataclass(frozen=True, eq=False)
class CellLaw(Law):
    """Law of first p + second q, where (p, q) is uniform in a cell, and the cell is drawn with the given chances.

    For q in one row of cells, p must lie below an end that moves, with q, through at most one width of a cell: the
    mass below is that row's cumulated mass, averaged over two stretches on which it is linear. All terms are positive.

    Attributes
    ----------
    edges : array, shape (g + 1,), in units of y
        Ends of the cells along either axis, equally spaced.
    log_masses : array, shape (g, g)
        Log masses of the cells by p and q, up to one constant.
    first, second : float
        The multipliers, |second| <= first and second != 0.
    """

    edges: Floats
    log_masses: Floats
    first: float
    second: float

    @cached_property
    def _log_rows(self) -> Floats:
        """Normalised log masses by q and p, shape (g, g + 3), with an empty cell before and two after each row."""
        top = self.log_masses.max()
        with np.errstate(under="ignore"):
            total = top + np.log(np.exp(self.log_masses - top).sum())
        return np.pad(self.log_masses.T - total, ((0, 0), (1, 2)), constant_values=-np.inf)

    @cached_property
    def _rows(self) -> tuple[Integers, Floats, Floats]:
        """Indices of the rows that are not negligible, masses of their cells, and cumulated masses left of a cell."""
        with np.errstate(under="ignore"):
            masses = np.exp(self._log_rows)
        kept = np.flatnonzero(masses.sum(axis=1) > _NEGLIGIBLE)
        masses = masses[kept] / masses[kept].sum()
        return kept, masses, np.cumsum(masses, axis=1) - masses

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Least and greatest number that can be released."""
        low, high = self.edges[0].item(), self.edges[-1].item()
        far = (high, low) if self.second < 0 else (low, high)
        return self.first * low + self.second * far[0], self.first * high + self.second * far[1]

    @property
    def least_tail(self) -> float:
        """Probability of the smallest tail with digits: a few times the mass of cells known between bounds alone."""
        return 1e-6

    def cdf(self, t: ArrayLike) -> Floats:
        return self._in_batches(self._cdf, t)

    def _cdf(self, t: Floats) -> Floats:
        rows, masses, below = self._rows
        column, start, share, length = self._stretches(t, rows)
        row = np.arange(rows.size)
        in_first = below[row, column] + (start + 0.5 * share * length) * masses[row, column]
        in_second = below[row, column + 1] + 0.5 * (1 - share) * length * masses[row, column + 1]
        return np.minimum((share * in_first + (1 - share) * in_second).sum(axis=1), 1.0)

    def logpdf(self, t: ArrayLike) -> Floats:
        """Return the logarithm of the density at t, which is continuous; same shape as t."""
        return self._in_batches(self._logpdf, t)

    def _logpdf(self, t: Floats) -> Floats:
        rows = np.arange(self._log_rows.shape[0])
        column, _, share, _ = self._stretches(t, rows)
        with np.errstate(divide="ignore"):
            logs = np.logaddexp(
                np.log(share) + self._log_rows[rows, column],
                np.log(1 - share) + self._log_rows[rows, column + 1],
            )
        return np.logaddexp.reduce(logs, axis=1) - np.log(self.first * self._cell)

    @property
    def _cell(self) -> float:
        return float(self.edges[-1] - self.edges[0]) / (self.edges.size - 1)

    def _stretches(self, t: Floats, rows: Integers) -> tuple[Integers, Floats, Floats, float]:
        """Find the stretch through which the upper end of p moves as q crosses its row, for each t and row.

        Returns the column in which the stretch begins, its beginning in that column in cells, the share of the stretch
        in that column, each of shape (len(t), len(rows)), and the length of the stretch in cells.
        """
        last, length = self.edges.size, abs(self.second) / self.first
        position = (t - (self.first + self.second) * self.edges[0]) / (self.first * self._cell)
        start = (
            position[:, None]
            - (self.second / self.first) * rows
            - max(self.second / self.first, 0.0)
        )
        column = np.clip(np.floor(start), -1, last - 1)
        start = np.clip(start - column, 0.0, 1.0)
        return column.astype(np.int64) + 1, start, np.minimum((1 - start) / length, 1.0), length

    def _in_batches(self, function: Callable[[Floats], Floats], t: ArrayLike) -> Floats:
        """Apply `function` to batches of t that fit into memory; same shape as t."""
        t = np.asarray(t, dtype=float)
        step = max(1, _AT_ONCE // self.edges.size)
        batches = [function(t.ravel()[start : start + step]) for start in range(0, t.size, step)]
        return np.concatenate(batches).reshape(t.shape) if batches else np.empty(t.shape)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        rows, masses, _ = self._rows
        cumulated = np.cumsum(masses)
        number = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
        row, column = np.divmod(np.minimum(number, cumulated.size - 1), masses.shape[1])
        p, q = column - 1 + rng.random(size), rows[row] + rng.random(size)
        return (self.first + self.second) * self.edges[0] + self._cell * (
            self.first * p + self.second * q
        )
