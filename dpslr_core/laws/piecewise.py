"""The law of a private median: constant density between neighbouring numbers, known or between two bounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Law, by_number
from .solver import Unknowns


@dataclass(frozen=True, eq=False)
class PiecewiseUniform(Law):
    """Constant density exp(log_density[i]) between edges[i] and edges[i + 1], up to one common factor.

    edges: shape (p + 1,), non-decreasing; log_density: shape (p,). Empty pieces are allowed. Densities may
    span hundreds of orders of magnitude: they are kept as logarithms and normalised by their largest mass.
    """

    edges: Floats
    log_density: Floats

    @cached_property
    def _cumulative(self) -> Floats:
        """The cdf at the edges, shape (p + 1,)."""
        cumulative = np.empty(self.edges.size)
        cumulative[0] = 0.0
        np.cumsum(piece_masses(self.edges, self.log_density), out=cumulative[1:])
        cumulative /= cumulative[-1]
        return cumulative

    @cached_property
    def _log_total(self) -> float:
        """The logarithm of the normalising constant."""
        lengths = np.diff(self.edges)
        not_empty = lengths > 0
        log_mass = np.log(lengths[not_empty]) + self.log_density[not_empty]
        top = log_mass.max()
        return float(top + np.log(np.exp(log_mass - top).sum()))

    @cached_property
    def _last(self) -> int:
        """The last piece that is not empty."""
        return int(np.flatnonzero(np.diff(self.edges) > 0)[-1])

    def cdf(self, t: ArrayLike) -> Floats:
        return np.interp(np.asarray(t, dtype=float), self.edges, self._cumulative, left=0.0, right=1.0)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        return np.where((q >= 0) & (q <= 1), _first_at(self.edges, self._cumulative, q), np.nan)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): a piece, then a place in it by a number of its own.

        So every place in a piece can come out, however unlikely the piece. Raises ValueError unless rng is a
        numpy.random.Generator.
        """
        validate.generator(rng=rng)
        checkpoint()
        piece = self._cumulative.searchsorted(rng.random(size), side="right") - 1
        left, right = self.edges[piece], self.edges[piece + 1]
        return left + rng.random(size) * (right - left)

    def logpdf(self, t: ArrayLike) -> Floats:
        """On an edge the density of the piece to its right, at the last edge of the piece to its left."""
        t = np.asarray(t, dtype=float)
        piece = np.searchsorted(self.edges, t, side="right") - 1
        piece = np.where(t == self.edges[-1], self._last, piece)
        inside = (t >= self.edges[0]) & (t <= self.edges[-1])
        value = self.log_density[np.clip(piece, 0, self.log_density.size - 1)] - self._log_total
        return np.where(inside, value, -np.inf)

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        edges = np.concatenate([law.edges for law in laws])
        cumulative = np.concatenate([law._cumulative for law in laws])
        stops = np.cumsum([law.edges.size for law in laws])
        first, last = np.append(0, stops[:-1])[number], stops[number] - 2
        place = _last_up_to(edges, first, stops[number], t)
        piece = np.minimum(np.maximum(place, first), last)
        left, width = edges[piece], edges[piece + 1] - edges[piece]
        mass, inside = cumulative[piece + 1] - cumulative[piece], piece == place
        with np.errstate(divide="ignore", invalid="ignore"):
            below = np.where(inside, cumulative[piece] + mass * ((t - left) / width), place > first)
            return np.array([below, 1 - below, np.where(inside, mass / width, 0.0)])

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        """Numbers of Law.solve; the distances sought of one law have one center."""
        numbers = np.empty(unknowns.law.size)
        for i, places in by_number(unknowns.law):
            mass, center, law = unknowns.mass[places], unknowns.center[places], laws[i]
            quantile = np.isnan(center)
            if quantile.any():
                numbers[places[quantile]] = law.ppf(mass[quantile])
            if not quantile.all():
                about = ~quantile
                numbers[places[about]] = law._distances(mass[about], float(center[about][0]))
        return numbers

    def _distances(self, mass: Floats, center: float) -> Floats:
        """The smallest distances from a center that hold these masses, same shape.

        The mass within c of the center is linear in c between the distances of edges. At each edge it is the difference
        of the cdf there and at its mirror image; edges on both sides are in order, so that sorting merges them.
        """
        edges, cumulative, tail = self.edges, self._cumulative, 0.5 * (1 - float(mass.max()))
        left, right = int(cumulative.searchsorted(tail)) - 1, int(cumulative.searchsorted(1 - tail))
        reach = max(center - edges[max(left, 0)], edges[min(right, edges.size - 1)] - center)
        first, last = edges.searchsorted(center - reach), edges.searchsorted(center + reach, side="right")
        window = slice(max(int(first) - 1, 0), int(last) + 1)
        within = np.abs(cumulative[window] - self.cdf(2 * center - edges[window]))
        distance = np.abs(edges[window] - center)
        order = np.argsort(distance, kind="stable")
        held = np.maximum.accumulate(np.append(0.0, within[order]))
        return _first_at(np.append(0.0, distance[order]), held, mass)


def _first_at(x: Floats, heights: Floats, height: Floats) -> Floats:
    """The smallest x at which the line through points with rising heights has a height, same shape."""
    place = np.minimum(np.maximum(heights.searchsorted(height), 1), x.size - 1)
    low, rise = heights[place - 1], heights[place] - heights[place - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(rise > 0, (height - low) / rise, 0.0)
    return np.minimum(x[place - 1] + share * (x[place] - x[place - 1]), x[place])


def _last_up_to(values: Floats, start: Integers, stop: Integers, t: Floats) -> Integers:
    """The place of the last of the sorted values[start:stop] up to t, start - 1 where there is none, for each t."""
    low, length = start.copy(), stop - start
    while length.any():  # a bisection for all
        half = length >> 1
        further = (length > 0) & (values[np.minimum(low + half, values.size - 1)] <= t)
        low, length = np.where(further, low + half + 1, low), np.where(further, length - half - 1, half)
    return low - 1


@dataclass(frozen=True, eq=False)
class Staircase(Law):
    """A law whose log density, up to one constant, lies between log_low[i] and log_high[i] from edge i to i + 1.

    edges: shape (p + 1,), non-decreasing; log_low <= log_high: shape (p,). cdf, ppf and logpdf are those of the
    staircase with the logarithmic mean of both densities in each piece (exact where the logarithm is linear); the cdf
    is off by no more than ``cdf_error``. Draws are exact.
    """

    edges: Floats
    log_low: Floats
    log_high: Floats

    @property
    def exact(self) -> bool:
        return False

    @property
    def how(self) -> str:
        return f"law to {self.cdf_error:.0e}"

    @cached_property
    def _middle(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, logarithmic_mean(self.log_low, self.log_high))

    @cached_property
    def cdf_error(self) -> float:
        """No cdf(t) is further from the true one than this.

        With mass errors of at most E left of t and E' right of it and the exact total T, the cdf is off by at most
        (E (1 - F) + E' F) / T.
        """
        low, middle, high = masses(self.edges, self.log_low, self._middle.log_density, self.log_high)
        error, total = float(np.maximum(high - middle, middle - low).sum()), float(low.sum())
        return error / total if error < total else 1.0

    def cdf(self, t: ArrayLike) -> Floats:
        return self._middle.cdf(t)

    def ppf(self, q: ArrayLike) -> Floats:
        return self._middle.ppf(q)

    def logpdf(self, t: ArrayLike) -> Floats:
        return self._middle.logpdf(t)

    @property
    def ends(self) -> tuple[float, float]:
        return self._middle.ends

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        return PiecewiseUniform.solve([law._middle for law in laws], unknowns)

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size exact draws, shape (size,)."""


def piece_masses(edges: Floats, log_density: Floats) -> Floats:
    """Masses of uniform pieces along the last axis, shape (..., p), up to one factor that keeps the largest finite.

    edges: shape (..., p + 1), in units of y; log_density: shape (p,) or (..., p).

    The densest piece that is not empty sets the scale; where the densest of all is empty in no row, one row of
    densities serves all. Only where such pieces are too thin for the sum to keep its digits are the logarithms of the
    lengths taken too.
    """
    lengths = np.diff(edges, axis=-1)
    best = log_density.argmax() if log_density.ndim == 1 else 0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        if log_density.ndim == 1 and lengths[..., best].all():
            masses = lengths * np.exp(log_density - log_density[best])
        else:
            top = np.max(np.where(lengths > 0, log_density, -np.inf), axis=-1, keepdims=True)
            masses = lengths * np.exp(np.minimum(log_density - top, 0.0))
        if masses.sum(axis=-1).min() < 1e-200:
            log_mass = np.log(lengths) + log_density
            masses = np.exp(log_mass - log_mass.max(axis=-1, keepdims=True))
    return masses


def logarithmic_mean(log_low: Floats, log_high: Floats) -> Floats:
    """The logarithm of the logarithmic mean (high - low) / (log high - log low), same shape as both."""
    fall = log_high - log_low
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_high + np.log(np.where(fall > 1e-9, -np.expm1(-fall) / fall, 1.0))


def masses(edges: Floats, *log_densities: Floats) -> list[Floats]:
    """Masses of uniform pieces under each density, each of shape (p,), all up to the same factor."""
    with np.errstate(divide="ignore", under="ignore"):
        log_lengths = np.log(np.diff(edges))
        top = np.max(log_lengths + log_densities[-1])
        return [np.exp(log_lengths + log_density - top) for log_density in log_densities]


def log_rises(levels: Integers, rate: float) -> Floats:
    """The logarithms of W_i - W_(i-1), W_i = exp(-2 rate (top - levels[i])), W_(-1) = 0; same shape as levels.

    levels: increasing, the last is the top; rate: the fall of the logarithm of a density for one in its score.
    """
    logs = -2 * rate * (levels[-1] - levels)
    logs[1:] += np.log(-np.expm1(-2 * rate * np.diff(levels)))
    return logs
