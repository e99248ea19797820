"""What every output distribution ("law") of a mechanism on one fixed data set offers.

The same verbs, vectorised over their argument: ``cdf(t)``, ``ppf(q)``, ``logpdf(t)``, ``sample(size, rng)``, the
probability ``failure`` of no answer, and ``error_bounds(qs, center)``. Where a law can fail, cdf tends to
1 - failure; ppf is NaN beyond that mass and a failed draw is NaN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from math import inf, isfinite
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats


class Law(ABC):
    """The distribution of one released number."""

    @property
    def failure(self) -> float:
        """The probability of no answer."""
        return 0.0

    @property
    def exact(self) -> bool:
        """Whether the law is known up to rounding; where it is not, error_bound_interval says how well."""
        return True

    @property
    def averaged(self) -> bool:
        """Whether it is an average of drawn laws, so that its density is itself an estimate."""
        return False

    @property
    def cdf_error(self) -> float:
        """No cdf(t) is further from the true one than this."""
        return 0.0

    @property
    def least_tail(self) -> float:
        """The density is known to some digits but in tails of less probability than this."""
        return 1e-12

    @property
    def how(self) -> str:
        """How the law is known, in two or three words."""
        return "exact law"

    @property
    def kind(self) -> Hashable:
        """What laws that are measured together have in common: their class, as a rule."""
        return type(self)

    @classmethod
    def measured(cls, laws: Sequence[Any], qs: Sequence[float], centers: Floats) -> tuple[Floats, Floats]:
        """C(q) of laws of one kind about their centers, shape (laws, len(qs)), and their medians, shape (laws,).

        The numbers of error_bounds and median, whatever the other laws are; raises as they do.
        """
        return measured_one_by_one(laws, qs, centers)

    @abstractmethod
    def cdf(self, t: ArrayLike) -> Floats:
        """P(release <= t), failures excluded; same shape as t."""

    @abstractmethod
    def ppf(self, q: ArrayLike) -> Floats:
        """The smallest t with cdf(t) >= q, same shape as q; NaN where q exceeds 1 - failure or is outside [0, 1]."""

    @abstractmethod
    def logpdf(self, t: ArrayLike) -> Floats:
        """The logarithm of the density at t, -inf outside the support; same shape as t."""

    @property
    def median(self) -> float:
        """The median of the answers, given that there is one."""
        return float(self.ppf(0.5 * (1 - self.failure)))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws by inverting the cdf, shape (size,); NaN = failed.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        checkpoint()
        return self.ppf(rng.random(size))

    def error_bound(self, q: float, center: float) -> float:
        """C(q): the smallest c with P(|release - center| <= c) >= q/100; inf where failures exceed 1 - q/100.

        A failed release counts as infinitely far off. q: in percent; center and c: in units of y. Raises ValueError
        unless 0 <= q <= 100. Source: Section "Error Metric".
        """
        return float(self.error_bounds((q,), center)[0])

    def error_bounds(self, qs: Sequence[float], center: float) -> Floats:
        """C(q) for each q, shape (len(qs),): the numbers of error_bound, computed together; raises as it does."""
        bounds = self._trivial_bounds(qs, center)
        if (unknown := np.isnan(bounds)).any():
            bounds[unknown] = self._bounds(np.asarray(qs)[unknown] / 100, float(center))
        return bounds

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on the true C(q), where a mass is known to twice cdf_error; C(q) twice where the law is exact.

        Raises ValueError unless 0 <= q <= 100.
        """
        validate.inside(0, 100, q=q)
        margin = 200 * self.cdf_error
        low, high = self.error_bounds((max(q - margin, 0), min(q + margin, 100)), center)
        return float(low), float(high)

    def _trivial_bounds(self, qs: Sequence[float], center: float) -> Floats:
        """Those of the C(q) that are 0 or infinite whatever the law, and NaN for the others; shape (len(qs),)."""
        for q in qs:
            validate.inside(0, 100, q=q)
        possible = 1 - self.failure if isfinite(center) else -inf
        return np.array([0.0 if q == 0 else np.nan if q / 100 <= possible else inf for q in qs])

    def _bounds(self, shares: Floats, center: float) -> Floats:
        """The smallest distances from center that hold these shares > 0 of the mass; same shape as shares."""
        return self._bounds_by_newton(shares, center)

    def _bounds_by_newton(self, shares: Floats, center: float, resolution: float = 1e-12) -> Floats:
        """_bounds to this relative resolution, one share after another."""
        brackets = zip(shares.tolist(), self._upper_bracket(shares, center).tolist(), strict=True)
        return np.array([self._smallest_distance(share, high, center, resolution) for share, high in brackets])

    def _upper_bracket(self, shares: Floats, center: float) -> Floats:
        """An upper bound on each distance: the larger distance to the ends of the central interval of that mass."""
        tails = (1 - self.failure - shares) / 2
        return np.abs(self.ppf(np.array([tails, 1 - self.failure - tails])) - center).max(axis=0)

    def _smallest_distance(self, share: float, high: float, center: float, resolution: float) -> float:
        """The smallest c up to high with mass at least share within c of center, by Newton's method in a bracket.

        Each step goes slightly beyond the root that it predicts, so that the bracket closes around it; where steps
        leave the bracket or do not shrink, it is halved.
        """
        low, c, last = 0.0, high, inf
        while max(resolution * high, float_info.min) < high - low < inf:
            checkpoint()
            mass, rate = self._mass_and_rate(c, center)
            step = (share - mass) / rate if rate > 0 else inf
            if mass >= share:
                high, step = c, step - 0.5 * resolution * c
            else:
                low, step = c, step + 0.5 * resolution * c
            if not (low < c + step < high and abs(step) <= 0.5 * abs(last)):
                step = 0.5 * (low + high) - c
            last, c = step, c + step
        return high

    def _mass_and_rate(self, c: float, center: float) -> tuple[float, float]:
        """P(|release - center| <= c) and its derivative in c."""
        ends = np.array([center - c, center + c])
        low, high = self.cdf(ends)
        return float(high - low), float(np.exp(self.logpdf(ends)).sum())


def measured_one_by_one(laws: Sequence[Law], qs: Sequence[float], centers: Floats) -> tuple[Floats, Floats]:
    """Law.measured without anything in common."""
    bounds = [law.error_bounds(qs, center) for law, center in zip(laws, centers.tolist(), strict=True)]
    return np.array(bounds), np.array([law.median for law in laws])


def shares_of(qs: Sequence[float]) -> Floats:
    """The shares of all mass that percentages are, shape (len(qs),). ValueError unless all are between 0 and 100."""
    for q in qs:
        validate.inside(0, 100, q=q)
    return np.asarray(qs, dtype=float) / 100
