"""Laws of a private median: constant density between neighbouring numbers, known exactly or between two bounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
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
    """Law of constant density exp(log_density[i]) between edges[i] and edges[i + 1], up to one common factor.

    `edges` are non-decreasing, shape (p + 1,), `log_density` has the shape (p,). Empty pieces are allowed. Densities
    may span hundreds of orders of magnitude: they are kept as logarithms and normalised by their largest mass.
    """

    edges: Floats
    log_density: Floats

    @cached_property
    def _cumulative(self) -> Floats:
        """Cdf at the edges, shape (p + 1,)."""
        cumulative = np.empty(self.edges.size)
        cumulative[0] = 0.0
        np.cumsum(piece_masses(self.edges, self.log_density), out=cumulative[1:])
        cumulative /= cumulative[-1]
        return cumulative

    @cached_property
    def _log_total(self) -> float:
        """Logarithm of the normalising constant."""
        lengths = np.diff(self.edges)
        not_empty = lengths > 0
        log_mass = np.log(lengths[not_empty]) + self.log_density[not_empty]
        top = log_mass.max()
        return float(top + np.log(np.exp(log_mass - top).sum()))

    @cached_property
    def _last(self) -> int:
        """Index of the last piece that is not empty."""
        return int(np.flatnonzero(np.diff(self.edges) > 0)[-1])

    def cdf(self, t: ArrayLike) -> Floats:
        return np.interp(
            np.asarray(t, dtype=float), self.edges, self._cumulative, left=0.0, right=1.0
        )

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        return np.where((q >= 0) & (q <= 1), _first_at(self.edges, self._cumulative, q), np.nan)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` independent numbers, shape (size,): a piece, then a position in it by a second uniform number.

        So every position in a piece can come out, however unlikely the piece. Raises ValueError unless rng is a
        numpy.random.Generator.
        """
        validate.generator(rng=rng)
        checkpoint()
        piece = self._cumulative.searchsorted(rng.random(size), side="right") - 1
        left, right = self.edges[piece], self.edges[piece + 1]
        return left + rng.random(size) * (right - left)

    def logpdf(self, t: ArrayLike) -> Floats:
        """Return the log density at t, same shape; an edge belongs to the piece on its right, the last to its left."""
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
        result = np.zeros((3, t.size))
        for i, positions in by_number(number):
            edges, cumulative, at = laws[i].edges, laws[i]._cumulative, t[positions]
            piece = np.clip(edges.searchsorted(at, "right") - 1, 0, edges.size - 2)
            width, mass = edges[piece + 1] - edges[piece], cumulative[piece + 1] - cumulative[piece]
            inside = (at >= edges[0]) & (at < edges[-1])
            density = np.divide(mass, width, out=np.zeros(at.size), where=inside)
            below = laws[i].cdf(at)
            result[:, positions] = below, 1 - below, density
        return result

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        """Compute Law.solve without a search. All distances sought of a law must have one center."""
        numbers = np.empty(unknowns.law.size)
        for wanted in (np.isnan(unknowns.center), ~np.isnan(unknowns.center)):
            sought = np.flatnonzero(wanted)
            for i, positions in by_number(unknowns.law[sought]):
                _, mass, center = unknowns.take(sought[positions])
                numbers[sought[positions]] = laws[i]._reached(mass, float(center[0]))
        return numbers

    def _reached(self, mass: Floats, center: float) -> Floats:
        """Compute the quantiles at `mass` where center is NaN, else the distances from center that hold it; shape (m,).

        The mass within c of the center is linear in c between the distances of edges. At an edge, the mass is the
        difference of the cdf there and at the mirror image of the edge. Only edges that the largest of the masses can
        need are looked at.
        """
        edges, cumulative = self.edges, self._cumulative
        if isnan(center):
            return _first_at(edges, cumulative, mass)
        tail = 0.5 * (1 - float(mass.max()))
        low, high = cumulative.searchsorted((tail, 1 - tail)).tolist()
        reach = max(center - edges[max(low - 1, 0)], edges[min(high, edges.size - 1)] - center)
        first, last = edges.searchsorted((center - reach, center + reach)).tolist()
        near = slice(max(first - 1, 0), last + 1)
        distance = np.abs(edges[near] - center)
        held = np.abs(cumulative[near] - np.interp(2 * center - edges[near], edges, cumulative))
        order = np.argsort(distance, kind="stable")  # both sides are in order already
        return _first_at(np.append(0.0, distance[order]), np.append(0.0, held[order]), mass)


def _first_at(x: Floats, height: Floats, sought: Floats) -> Floats:
    """Find the first x at which the rising polygon through the points (x, height) is `sought` high; same shape."""
    after = np.minimum(np.maximum(height.searchsorted(sought), 1), x.size - 1)
    before = after - 1
    low, high, end = height[before], height[after], x[after]
    share = np.divide(sought - low, high - low, out=np.zeros(after.shape), where=high > low)
    return np.minimum(x[before] + share * (end - x[before]), end)


@dataclass(frozen=True, eq=False)
class Staircase(Law):
    """Law whose log density, up to one constant, lies between log_low[i] and log_high[i] from edge i to i + 1.

    `edges` are non-decreasing, shape (p + 1,); log_low <= log_high have the shape (p,). cdf, ppf and logpdf belong to
    the staircase with the logarithmic mean of both densities in each piece (exact where the logarithm is linear); the
    cdf is off by no more than ``cdf_error``. Draws are exact.
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
        """Largest error of any cdf(t).

        With mass errors of at most E left of t and E' right of it and the exact total T, the cdf is off by at most
        (E (1 - F) + E' F) / T.
        """
        low, middle, high = masses(
            self.edges, self.log_low, self._middle.log_density, self.log_high
        )
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
        """Draw `size` numbers of the exact law, shape (size,)."""


def piece_masses(edges: Floats, log_density: Floats) -> Floats:
    """Compute the masses of uniform pieces along the last axis, shape (..., p), in units that keep the largest finite.

    `edges` have the shape (..., p + 1), `log_density` has (p,) or (..., p). The densest piece sets the scale; where the
    pieces that are not empty are too thin or unlikely for the sum to keep its digits, the logarithms of the lengths
    count, too.
    """
    lengths = edges[..., 1:] - edges[..., :-1]
    with np.errstate(under="ignore", divide="ignore"):
        masses = lengths * np.exp(log_density - log_density.max(axis=-1, keepdims=True))
        if masses.sum(axis=-1).min() < 1e-20:
            log_mass = np.log(lengths) + log_density
            masses = np.exp(log_mass - log_mass.max(axis=-1, keepdims=True))
    return masses


def logarithmic_mean(log_low: Floats, log_high: Floats) -> Floats:
    """Compute the logarithm of the logarithmic mean (high - low) / (log high - log low), same shape as both."""
    fall = log_high - log_low
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_high + np.log(np.where(fall > 1e-9, -np.expm1(-fall) / fall, 1.0))


def masses(edges: Floats, *log_densities: Floats) -> list[Floats]:
    """Compute the masses of uniform pieces under every density, shape (p,) each, all in the same unit."""
    with np.errstate(divide="ignore", under="ignore"):
        log_lengths = np.log(np.diff(edges))
        top = np.max(log_lengths + log_densities[-1])
        return [np.exp(log_lengths + log_density - top) for log_density in log_densities]


def log_rises(levels: Integers, rate: float) -> Floats:
    """Compute log(W_i - W_(i-1)), W_i = exp(-2 rate (top - levels[i])), W_(-1) = 0; same shape as levels.

    `levels` increase to the top; `rate` is the fall of a log density per unit of the score.
    """
    logs = -2 * rate * (levels[-1] - levels)
    steps = 1 if levels[-1] - levels[0] == levels.size - 1 else np.diff(levels)
    logs[1:] += np.log(-np.expm1(-2 * rate * steps))
    return logs
