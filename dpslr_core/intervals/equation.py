"""What a release says about the line at each point, as one equation, and the intervals that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..support.types import Floats
from .critical import critical_value
from .result import Intervals, Target


@dataclass(frozen=True, eq=False)
class LineEquation:
    """T(p) = nvar (p - height) - product, which is 0 at the estimate and has mean 0 at the target p, to first order.

    height: of the estimated line above the centre of the records, shape (size, m), in units of y.
    nvar: noisy n var(x), shape (size, 1).
    product: noisy ncov(x, y) times the distance of the point from that centre, shape (size, m).
    constant, by_distance: each noise moves T by N(0 or Laplace, variance 1) times constant + by_distance (p - height);
    shapes (k, size, m).
    sampling: the variance of T from the errors of the records, shape (size, m); 0 for OLS on these records.
    freedom: degrees of freedom of the estimate of sampling, shape (size, 1); inf where it is a public bound.
    heavy: the noise is Laplace, otherwise Gaussian.
    own: p - height at the released prediction, shape (size, m), where the distance is a bound and its sign unknown:
    intervals then reach as far on the other side. None: at the estimate of this equation.
    """

    height: Floats
    nvar: Floats
    product: Floats
    constant: Floats
    by_distance: Floats
    sampling: Floats
    freedom: Floats
    heavy: bool
    own: Floats | None = None

    def of_ols(self) -> LineEquation:
        """The same for OLS on these records: the noise alone."""
        return replace(self, sampling=np.zeros_like(self.sampling), freedom=np.full_like(self.nvar, np.inf))

    @cached_property
    def distance(self) -> Floats:
        """p - height at the estimate, shape (size, m); NaN where nvar <= 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.nvar > 0, self.product / self.nvar, np.nan)

    @cached_property
    def noise(self) -> Floats:
        """The variances of T from each noise at the estimate, shape (k, size, m)."""
        return (self.constant + self.by_distance * np.nan_to_num(self.distance)) ** 2

    @property
    def deviation(self) -> Floats:
        """The standard deviation of the estimate, shape (size, m), in units of y; NaN where nvar <= 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.nvar > 0, np.sqrt(self.sampling + self.noise.sum(axis=0)) / self.nvar, np.nan)

    def critical(self, level: float) -> Floats:
        """Standard deviations on either side, shape (size, m)."""
        return critical_value(level, self.sampling, self.noise, self.heavy, self.freedom)

    def normal_theory(self, level: float) -> Intervals:
        """estimate +- q deviation: exact for noise that moves the line little, as it is where nvar is large."""
        half = self.critical(level) * self.deviation
        return self._intervals(self.distance - half, self.distance + half, level, "normal theory")

    def fieller(self, level: float) -> Intervals:
        """All p with T(p)^2 <= q^2 var T(p) (Fieller 1954), as one interval; no end where that is no interval.

        var T = A + 2 B d + D d^2 with d = p - height, so that (nvar^2 - q^2 D) d^2 - 2 (nvar product + q^2 B) d +
        product^2 - q^2 A <= 0. Where nvar <= q sqrt(D) noise alone could explain nvar: every slope remains possible.
        """
        squared = self.critical(level) ** 2
        a = self.sampling + (self.constant**2).sum(axis=0)
        b, d = (self.constant * self.by_distance).sum(axis=0), (self.by_distance**2).sum(axis=0)
        lead, middle = self.nvar**2 - squared * d, self.nvar * self.product + squared * b
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(np.maximum(middle**2 - lead * (self.product**2 - squared * a), 0))
            low, high = (middle - root) / lead, (middle + root) / lead
        known = (lead > 0) & (self.nvar > 0)
        return self._intervals(np.where(known, low, np.nan), np.where(known, high, np.nan), level, "fieller")

    def _intervals(self, low: Floats, high: Floats, level: float, method: str) -> Intervals:
        middle = self.distance if self.own is None else self.own
        if self.own is not None:
            half = np.maximum(middle - low, high - middle)
            low, high = middle - half, middle + half
        known = np.isfinite(low) & np.isfinite(high)
        alone = critical_value(level, self.sampling, 0 * self.noise, False, self.freedom)
        with np.errstate(divide="ignore", invalid="ignore"):
            sampling = np.where(self.nvar > 0, alone * np.sqrt(self.sampling) / self.nvar, np.nan)
        return Intervals(
            np.where(self.nvar > 0, self.height + middle, np.nan),
            np.where(known, self.height + low, -np.inf),
            np.where(known, self.height + high, np.inf),
            sampling,
            level,
            Target.TRUE_LINE if np.any(self.sampling > 0) else Target.OLS,
            "fieller" if method == "fieller" else "normal theory",
        )
