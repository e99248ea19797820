"""Laws of numbers that one draw releases together: mixtures of products, and private medians at several points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Law
from .piecewise import PiecewiseUniform, Staircase, log_rises

_SPAN = 600.0  # largest difference of logarithms of numbers that floats hold together


@dataclass(frozen=True)
class JointLaw:
    """Law of all numbers that are released together, as a mixture of products.

    Attributes
    ----------
    parts : sequence of (weight, laws at the m points)
        Components, in which the points are independent. Empty where no law is known.
    dependence_unknown : bool
        Whether the points may depend on each other in an unknown way. The laws are then right for a single point only.
    """

    parts: Sequence[tuple[float, Sequence[Law]]] = ()
    dependence_unknown: bool = False

    @classmethod
    def independent(cls, laws: Sequence[Law | None], dependence_unknown: bool = False) -> JointLaw:
        """Make the joint law of m releases; it has no parts where a law is None or an average of drawn laws.

        The releases are independent unless `dependence_unknown`.
        """
        known_laws = [law for law in laws if law is not None and not law.averaged]
        if len(known_laws) < len(laws):
            return cls()
        return cls([(1.0, known_laws)], dependence_unknown)

    @property
    def exact(self) -> bool:
        """Whether every law is exact."""
        return all(law.exact for _, laws in self.parts for law in laws)

    def log_density(self, outcomes: Sequence[Floats]) -> Floats:
        """Compute the joint log density on the product of the outcomes at the points, with one axis per point."""
        total = np.full([len(axis) for axis in outcomes], -np.inf)
        for weight, laws in self.parts:
            axes = [law.logpdf(axis) for law, axis in zip(laws, outcomes, strict=True)]
            total = np.logaddexp(total, np.log(weight) + sum(np.ix_(*axes)))
        return total


class RankBounds(NamedTuple):
    """Bounds on the number of estimates below r at one point.

    Attributes
    ----------
    edges : array, shape (p + 1,), in units of y
    low, high : array, shape (p,)
        Least and largest number for r from edges[i] to edges[i + 1]; neither ever falls.
    rank : callable or None
        Returns the exact number at r; None for a list, whose bounds are equal.
    """

    edges: Floats
    low: Integers
    high: Integers
    rank: Callable[[Floats], Integers] | None = None

    @classmethod
    def of_list(cls, edges: Floats) -> RankBounds:
        """Make the bounds of a sorted list with both ends of its range around it, shape (N + 2,)."""
        checkpoint()
        counts = np.arange(edges.size - 1)
        return cls(edges, counts, counts)

    def between(self, low: Integers, high: Integers, sure: bool = False) -> Floats:
        """Return both ends of the r at which the number may lie between low and high, shape (2, *low.shape).

        If `sure`, of the r at which the number certainly does; the first end is above the second where there is none.
        """
        checkpoint()
        if self.rank is None:  # a list, whose piece i has i estimates below it
            return self.edges[np.array([low, high + 1])]
        left, right = (self.low, self.high) if sure else (self.high, self.low)
        falling = high[::-1]  # reversed, as numpy searches rising values faster
        return self.edges[
            np.array([np.searchsorted(left, low), np.searchsorted(right, falling, "right")[::-1]])
        ]


@dataclass(frozen=True, eq=False)
class JointMedianLaw:
    """Law of m numbers with the joint density proportional to exp(-rate max_j u_j(r_j)) over points j.

    u_j(r) = |#above r - #below r| among the N = `total` estimates at point j. The score is at most N - 2 l, and the
    density at least W_l = exp(-rate (N - 2 l)), on the box of I_j(l) = [z_(l), z_(N+1-l)], l = 0 .. N // 2 (z_(0),
    z_(N+1): the ends of the range). So the law is the mixture over levels l, with weights (W_l - W_(l-1)) prod_j
    |I_j(l)|, of uniform laws in the boxes, and the density at point j alone is sum over l <= l_j(r) of (W_l - W_(l-1))
    prod_(i != j) |I_i(l)|, l_j(r) the highest level whose I_j holds r. All in logarithms: weights span hundreds of
    orders of magnitude.

    Where ranks are known between bounds only, so are the boxes; draws are exact by rejection all the same.
    """

    points: Sequence[RankBounds]
    total: int
    rate: float

    @property
    def exact(self) -> bool:
        """Whether every rank is known."""
        return all(bounds.rank is None for bounds in self.points)

    def level(self, counts: Integers) -> Integers:
        """Return the highest level whose box holds r, from the number of estimates below r; same shape."""
        return np.minimum(counts, self.total - counts)

    @cached_property
    def levels(self) -> Integers:
        """Levels above which a box is known to change, from 0 to N // 2, shape (t,)."""
        if self.exact:
            return np.arange(self.total // 2 + 1)
        counts = [
            self.level(counts) for bounds in self.points for counts in (bounds.low, bounds.high)
        ]
        ordered = np.sort(
            np.concatenate([*counts, [0, self.total // 2]]), kind="stable"
        )  # faster than np.unique
        return ordered[np.append(True, ordered[1:] > ordered[:-1])]

    def boxes(self, levels: Integers, sure: bool = False) -> Floats:
        """Return ends of boxes around the boxes of levels, or inside them if `sure`; shape (2, m, *levels.shape)."""
        return np.stack(
            [bounds.between(levels, self.total - levels, sure) for bounds in self.points], axis=1
        )

    @cached_property
    def log_widths(self) -> tuple[Floats, Floats]:
        """Logarithms of the least and of the largest possible |I_j(l)|, shape (m, t) each."""
        if self.exact:
            size = self.levels.size
            widths = [
                [bounds.edges[: -size - 1 : -1] - bounds.edges[:size] for bounds in self.points]
            ]
        else:
            widths = [
                right - left
                for left, right in (self.boxes(self.levels, sure) for sure in (True, False))
            ]
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(widths, 0.0))
        return logs[0], logs[-1]

    @cached_property
    def log_rises(self) -> Floats:
        """Logarithms log (W_l - W_l') for the levels l, l' the level before l and W = 1 at the top, shape (t,)."""
        return log_rises(self.levels, self.rate)

    @cached_property
    def log_totals(self) -> tuple[float, float]:
        """Bounds on the logarithm of the total mass, in units in which the density is 1 at the highest level."""
        least, most = (
            float(np.logaddexp.reduce(self.log_rises + w.sum(axis=0))) for w in self.log_widths
        )
        return least, most

    @cached_property
    def gaps(self) -> Floats:
        """Unknown mass of every level as a share of the known mass of all levels, shape (t,)."""
        low, high = (
            np.exp(self.log_rises + w.sum(axis=0) - self.log_totals[0]) for w in self.log_widths
        )
        return high - low

    def marginals(self) -> list[PiecewiseUniform | Staircase]:
        """Return the law at every point alone."""
        return [self._marginal(point, *bounds[:3]) for point, bounds in enumerate(self.points)]

    def _marginal(
        self, point: int, edges: Floats, low: Integers, high: Integers
    ) -> PiecewiseUniform | Staircase:
        checkpoint()
        is_other = np.arange(len(self.points)) != point
        if self.exact:
            rising = self._log_density(self.log_widths[0][is_other])
            return PiecewiseUniform(
                edges, np.concatenate([rising, rising[self.total - rising.size :: -1]])
            )
        log_low, log_high = (
            self._log_density(log_widths[is_other])[np.searchsorted(self.levels, level)]
            for log_widths, level in zip(
                self.log_widths, self._level_bounds(low, high), strict=True
            )
        )
        return _Marginal(edges, log_low, log_high, self, point)

    def _log_density(self, log_widths: Floats) -> Floats:
        """Compute the log density at one point on every level from `log_widths` at the remaining points, shape (t,)."""
        checkpoint()
        logs = self.log_rises + log_widths.sum(axis=0)
        top = logs.max()
        if top == -np.inf:
            return logs
        start = int(np.argmax(logs > top - _SPAN))
        early = np.logaddexp.accumulate(
            logs[: start + 1]
        )  # sums too small to scale by the largest term
        scaled = np.exp(logs[start:] - top)
        scaled[0] = np.exp(early[-1] - top)
        return np.concatenate([early[:-1], top + np.log(np.cumsum(scaled))])

    def _level_bounds(self, low: Integers, high: Integers) -> tuple[Integers, Integers]:
        """Compute the lowest and the highest level of numbers of estimates from low to high."""
        at_low, at_high, top = self.level(low), self.level(high), self.total // 2
        return np.minimum(at_low, at_high), np.where(
            (low <= top) & (top <= high), top, np.maximum(at_low, at_high)
        )

    def score_bounds(self, point: int, r: Floats) -> tuple[Floats, Floats]:
        """Compute bounds on the score, -log density, that one point gives just right of r; 0 at the highest level."""
        edges, low, high, _ = self.points[point]
        piece = np.clip(np.searchsorted(edges, r, side="right") - 1, 0, low.size - 1)
        least, most = self._level_bounds(low[piece], high[piece])
        top = self.levels[-1]
        return 2 * self.rate * (top - most), 2 * self.rate * (top - least)

    @property
    def parts(self) -> list[tuple[float, list[Law]]]:
        """Weight and uniform laws of every level of the mixture; for exact ranks only."""
        log_mass = self.log_rises + self.log_widths[0].sum(axis=0) - self.log_totals[0]
        ends = np.array([bounds.edges[[0, -1]] for bounds in self.points])
        inside = np.array([-np.inf, 0.0, -np.inf])
        return [
            (
                weight,
                [
                    PiecewiseUniform(np.array([a, low, high, b]), inside)
                    for (a, b), low, high in zip(ends, *box, strict=True)
                ],
            )
            for weight, box in zip(
                np.exp(log_mass).tolist(), np.moveaxis(self.boxes(self.levels), -1, 0), strict=True
            )
            if weight > 0
        ]

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` exact joint releases, shape (size, m).

        A level is drawn by the masses of the boxes around the boxes of the levels, then a position in its box, which is
        accepted if its level is as high. Where ranks are known between bounds only, some proposals cost rank queries.
        """
        log_mass = self.log_rises + self.log_widths[1].sum(axis=0)
        cumulative = np.cumsum(np.exp(log_mass - log_mass.max()))
        steps = np.diff(self.levels, prepend=-1)
        drawn = np.empty((0, len(self.points)))
        while len(drawn) < size:
            checkpoint()
            target = rng.random(size - len(drawn)) * cumulative[-1]
            group = np.minimum(
                np.searchsorted(cumulative, target, side="right"), cumulative.size - 1
            )
            level = self.levels[group] - self._steps_down(steps[group], rng)
            left, right = self.boxes(level)
            r = left + rng.random(left.shape) * (right - left)
            drawn = np.concatenate([drawn, r[:, self._reaches(level, r)].T])
        return drawn

    def _steps_down(self, steps: Integers, rng: np.random.Generator) -> Integers:
        """Draw how far a level is below the highest of the `steps` levels that share its box, by W_l - W_(l-1)."""
        if self.exact:
            return np.zeros_like(steps)
        # Inverts (1 - e^(-2 rate d)) / (1 - e^(-2 rate steps)), the probability of fewer than d.
        down = np.log1p(rng.random(steps.size) * np.expm1(-2 * self.rate * steps)) / (
            -2 * self.rate
        )
        return np.minimum(down.astype(np.int64), steps - 1)

    def _reaches(self, level: Integers, r: Floats) -> NDArray[np.bool_]:
        """Whether the levels of positions r, shape (m, k), are at least `level`, shape (k,)."""
        reaches = np.ones(level.size, dtype=bool)
        for bounds, values in zip(self.points, r, strict=True):
            if bounds.rank is not None:
                left, right = bounds.between(level, self.total - level, sure=True)
                open_ = np.flatnonzero(reaches & ~((left < values) & (values < right)))
                reaches[open_] = self.level(bounds.rank(values[open_])) >= level[open_]
        return reaches


@dataclass(frozen=True, eq=False)
class _Marginal(Staircase):
    """Law at one point of medians whose ranks are known between bounds."""

    joint: JointMedianLaw
    point: int

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        return self.joint.sample(size, rng)[:, self.point]
