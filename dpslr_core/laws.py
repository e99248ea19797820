"""Exact output distributions ("laws") of mechanisms on one fixed data set.

Every law offers the same verbs, vectorised over their argument: ``cdf(t)``, ``ppf(q)``, ``logpdf(t)``,
``sample(size, rng)``, the mass ``failure`` of no answer, and ``error_bound(q, center)``. Where a law can fail,
cdf tends to 1 - failure; ppf is NaN beyond that mass and a failed draw is NaN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, stdtr, stdtrit

from . import _validate
from ._types import Floats


class Law(ABC):
    """The exact distribution of one released number; ``failure`` is the probability of no answer."""

    failure: float = 0.0
    exact: ClassVar[bool] = True  # False: known up to an error that error_bound_interval tells

    resolution: ClassVar[float] = 1e-13  # of error bounds, relative

    @property
    def how(self) -> str:
        """How the law is known, in two words."""
        return "exact law"

    @abstractmethod
    def cdf(self, t: ArrayLike) -> Floats:
        """P(release <= t), failures excluded; same shape as t."""

    @abstractmethod
    def ppf(self, q: ArrayLike) -> Floats:
        """The smallest t with cdf(t) >= q; NaN where q exceeds 1 - failure or lies outside [0, 1]."""

    @abstractmethod
    def logpdf(self, t: ArrayLike) -> Floats:
        """The logarithm of the density at t, -inf outside the support; same shape as t."""

    @property
    def median(self) -> float:
        """The median of the answers, given that there is one."""
        return float(self.ppf(0.5 * (1 - self.failure)))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws by inverting the cdf, shape (size,); NaN = failed."""
        _validate.generator(rng=rng)
        return self.ppf(rng.random(size))

    def error_bound(self, q: float, center: float) -> float:
        """C(q): the smallest c with P(|release - center| <= c) >= q/100; inf where failures exceed 1 - q/100.

        A failed release counts as infinitely far off. Found between ppf-derived brackets to a relative ``resolution``.
        Raises ValueError unless 0 <= q <= 100.
        """
        _validate.inside(0, 100, q=q)
        share = q / 100
        if share == 0:
            return 0.0
        if not np.isfinite(center) or self.failure > 1 - share:
            return np.inf
        return self._smallest(share, center, self._enough(share, center))

    def _enough(self, share: float, center: float) -> float:
        """Some c within which of center at least the share lies: the larger distance to the ends of its quantiles."""
        tail = (1 - self.failure - share) / 2
        return float(np.max(np.abs(self.ppf(np.array([tail, 1 - self.failure - tail])) - center)))

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on C(q) where the law itself is known up to an error; the value twice where it is exact."""
        bound = self.error_bound(q, center)
        return bound, bound  # a law that is not exact says more

    def _smallest(self, share: float, center: float, high: float) -> float:
        """The smallest c with mass at least share within c of center, by cutting a bracket into 16 again and again."""
        if not np.isfinite(high):
            return np.inf
        low, high = 0.0, float(np.nextafter(high * (1 + 1e-12), np.inf))
        while high - low > self.resolution * high:
            cuts = np.linspace(low, high, 17)[1:-1]
            cuts = cuts[(cuts > low) & (cuts < high)]
            if cuts.size == 0:
                break
            enough = np.flatnonzero(self.cdf(center + cuts) - self.cdf(center - cuts) >= share)
            first = int(enough[0]) if enough.size else cuts.size
            low, high = (float(cuts[first - 1]) if first else low), (float(cuts[first]) if enough.size else high)
        return high


@dataclass(frozen=True)
class PointMass(Law):
    """The law of a deterministic answer; a NaN location is certain failure."""

    location: float

    @property
    def failure(self) -> float:  # type: ignore[override]
        return 1.0 if np.isnan(self.location) else 0.0

    def cdf(self, t: ArrayLike) -> Floats:
        return (np.asarray(t, dtype=float) >= self.location).astype(float)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        return np.where((q >= 0) & (q <= 1), self.location, np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        """+inf at the location: a point mass has no density."""
        return np.where(np.asarray(t, dtype=float) == self.location, np.inf, -np.inf)

    def error_bound(self, q: float, center: float) -> float:
        _validate.inside(0, 100, q=q)
        error = abs(self.location - center) if q > 0 else 0.0
        return np.inf if np.isnan(error) else float(error)


@dataclass(frozen=True)
class Laplace(Law):
    """Density exp(-|t - location| / scale) / (2 scale)."""

    location: float
    scale: float

    def cdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(q < 0.5, np.log(2 * q), -np.log(2 * (1 - q)))
        return self.location + self.scale * z

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return -np.abs(z) - np.log(2 * self.scale)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        _validate.generator(rng=rng)
        return rng.laplace(self.location, self.scale, size)


@dataclass(frozen=True)
class StudentT(Law):
    """location + scale T with T Student-t of df degrees of freedom."""

    location: float
    scale: float
    df: float

    def cdf(self, t: ArrayLike) -> Floats:
        return stdtr(self.df, (np.asarray(t, dtype=float) - self.location) / self.scale)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        inside = (q > 0) & (q < 1)
        z = stdtrit(self.df, np.where(inside, q, 0.5))
        z = np.where(inside, z, np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan)))
        return self.location + self.scale * z

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        half = (self.df + 1) / 2
        constant = gammaln(half) - gammaln(self.df / 2) - 0.5 * np.log(self.df * np.pi) - np.log(self.scale)
        return constant - half * np.log1p(z * z / self.df)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        _validate.generator(rng=rng)
        return self.location + self.scale * rng.standard_t(self.df, size)


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
        kept = lengths > 0
        log_mass = np.log(lengths[kept]) + self.log_density[kept]
        top = log_mass.max()
        return float(top + np.log(np.exp(log_mass - top).sum()))

    def cdf(self, t: ArrayLike) -> Floats:
        return np.interp(np.asarray(t, dtype=float), self.edges, self._cumulative, left=0.0, right=1.0)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        piece = np.searchsorted(self._cumulative, q, side="left") - 1
        piece = np.clip(piece, 0, self.log_density.size - 1)
        low, mass = self._cumulative[piece], self._cumulative[piece + 1] - self._cumulative[piece]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(mass > 0, (q - low) / mass, 0.0)
        width = self.edges[piece + 1] - self.edges[piece]
        found = np.minimum(self.edges[piece] + share * width, self.edges[piece + 1])
        return np.where((q >= 0) & (q <= 1), found, np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        """On an edge the density of the piece to its right, at the last edge of the piece to its left."""
        t = np.asarray(t, dtype=float)
        piece = np.searchsorted(self.edges, t, side="right") - 1
        last = int(np.flatnonzero(np.diff(self.edges) > 0)[-1])
        piece = np.where(t == self.edges[-1], last, piece)
        inside = (t >= self.edges[0]) & (t <= self.edges[-1])
        value = self.log_density[np.clip(piece, 0, self.log_density.size - 1)] - self._log_total
        return np.where(inside, value, -np.inf)


def piece_masses(edges: Floats, log_density: Floats) -> Floats:
    """Masses of uniform pieces along the last axis, up to one factor that keeps the largest representable.

    The densest piece that is not empty sets the scale; only where such pieces are too thin for the sum to
    keep its digits are the logarithms of the lengths taken too.
    """
    lengths = np.diff(edges, axis=-1)
    top = np.max(np.where(lengths > 0, log_density, -np.inf), axis=-1, keepdims=True)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        masses = lengths * np.exp(np.minimum(log_density - top, 0.0))
        if masses.sum(axis=-1).min() < 1e-200:
            log_mass = np.log(lengths) + log_density
            masses = np.exp(log_mass - log_mass.max(axis=-1, keepdims=True))
    return masses
