"""The law of a mechanism that first draws something at random: an average of conditional laws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats
from ..confidence import Z95
from .base import Law

FIRST, MOST = 32, 1024  # conditional laws drawn at first and at most
TOLERANCE = 0.02  # half the 95% interval of C(68), relative, at which enough laws have been drawn


@dataclass(frozen=True, eq=False)
class Mixture(Law):
    """The average of R conditional laws, drawn independently: an estimate of the law whose error is known.

    Given what was drawn each law is exact, so C(q) is far better known than from R releases. The components must
    not fail.
    """

    components: tuple[Law, ...]
    exact: ClassVar[bool] = False
    resolution: ClassVar[float] = 1e-6

    @property
    def how(self) -> str:
        return f"{len(self.components):,} drawn laws"

    def cdf(self, t: ArrayLike) -> Floats:
        return np.mean([law.cdf(t) for law in self.components], axis=0)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        usable = (q >= 0) & (q <= 1)
        # Every quantile of the average lies between the smallest and the largest of the components'.
        quantiles = np.array([law.ppf(np.where(usable, q, 0.5)) for law in self.components])
        low, high = quantiles.min(axis=0), quantiles.max(axis=0)
        inner = np.isfinite(low) & np.isfinite(high)
        for _ in range(60):
            middle = np.where(inner, 0.5 * (low + high), low)
            enough = self.cdf(middle) >= q
            low, high = np.where(inner & ~enough, middle, low), np.where(inner & enough, middle, high)
        return np.where(usable, np.where(q == 0, low, high), np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        logs = np.array([law.logpdf(t) for law in self.components])
        top = logs.max(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            average = top + np.log(np.mean(np.exp(logs - top), axis=0))
        return np.where(np.isfinite(top), average, top)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws from this average, shape (size,)."""
        _validate.generator(rng=rng)
        chosen = rng.integers(len(self.components), size=size)
        drawn = np.empty(size)
        for index in np.unique(chosen):
            mine = chosen == index
            drawn[mine] = self.components[index].sample(int(mine.sum()), rng)
        return drawn

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """A 95% confidence interval for C(q) of the law that the components were drawn from.

        The mass within c is the mean of R independent numbers; the ends are where that mean plus or minus 1.96
        of its standard errors, taken at C(q), reaches q/100.
        """
        bound = self.error_bound(q, center)
        if not np.isfinite(bound):
            return bound, bound
        margin = 100 * Z95 * self._mass_error(bound, center)
        low = self.error_bound(max(0.0, q - margin), center)
        high = self.error_bound(q + margin, center) if q + margin <= 100 else np.inf
        return low, high

    def _enough(self, shares: Floats, center: float) -> Floats:
        """What is enough for each of the components is enough for their average; none of them fails."""
        return np.max([law._enough(shares, center) for law in self.components], axis=0)

    def _within(self, c: float, center: float) -> tuple[float, float]:
        mass, rate = np.mean([law._within(c, center) for law in self.components], axis=0)
        return float(mass), float(rate)

    def _mass_error(self, c: float, center: float) -> float:
        """The standard error of the estimated mass within c of center."""
        ends = np.array([center - c, center + c])
        masses = np.diff([law.cdf(ends) for law in self.components], axis=1)
        return float(np.std(masses, ddof=1) / np.sqrt(len(masses)))


def draw_mixtures(
    conditional_laws: Callable[[int], Sequence[Sequence[Law]]],
    centers: ArrayLike,
    tolerance: float = TOLERANCE,
    most: int = MOST,
) -> tuple[Mixture, ...]:
    """One mixture per point, of as many conditional laws as C(68) needs to be known to the tolerance.

    conditional_laws(r) draws r more laws for each point: r laws in each of len(centers) lists. Their number is
    doubled until half the 95% interval of C(68) about each center is below tolerance times C(68), or they are
    ``most``.
    """
    centers = np.asarray(centers, dtype=float)
    drawn = [list(laws) for laws in conditional_laws(min(FIRST, most))]
    while True:
        mixtures = tuple(Mixture(tuple(laws)) for laws in drawn)
        count = len(mixtures[0].components)
        if count >= most or all(_settled(m, c, tolerance) for m, c in zip(mixtures, centers, strict=True)):
            return mixtures
        for laws, more in zip(drawn, conditional_laws(min(count, most - count)), strict=True):
            laws.extend(more)


def _settled(mixture: Mixture, center: float, tolerance: float) -> bool:
    center = center if np.isfinite(center) else mixture.median
    low, high = mixture.error_bound_interval(68, center)
    return bool(high - low <= 2 * tolerance * mixture.error_bound(68, center))
