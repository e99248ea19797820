"""The law of a release by one of two mechanisms, chosen by noise of its own: a mixture of two laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats, Integers
from .base import Law
from .noisy import NoisySlopeLaw, tails_together
from .quantile_search import LAST, TRIES, SearchedLaw, Targets
from .roots import Excess, root_beyond_kinks


@dataclass(frozen=True, eq=False)
class Either(SearchedLaw):
    """The law of first with this probability, of second with the other; neither law jumps.

    other = 1 - probability, given beside it because it may be smaller than a float near 1 can tell.
    """

    first: Law
    second: Law
    probability: float
    other: float

    @property
    def failure(self) -> float:  # type: ignore[override]
        return self.probability * self.first.failure + self.other * self.second.failure

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return self.first.exact and self.second.exact

    @property
    def how(self) -> str:
        """As the one of the two that is known less well."""
        return self.second.how if self.first.exact else self.first.how

    def cdf(self, t: ArrayLike) -> Floats:
        return self.probability * self.first.cdf(t) + self.other * self.second.cdf(t)

    def logpdf(self, t: ArrayLike) -> Floats:
        logs = np.log([self.probability, self.other])
        return np.logaddexp(logs[0] + self.first.logpdf(t), logs[1] + self.second.logpdf(t))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): which law for each of them, then those of either; NaN = failed."""
        _validate.generator(rng=rng)
        first = rng.random(size) < self.probability
        drawn = np.empty(size)
        for law, mine in ((self.first, first), (self.second, ~first)):
            drawn[mine] = law.sample(int(np.count_nonzero(mine)), rng)
        return drawn

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on the exact C(q), where a mass of either law is known to twice its cdf_error."""
        errors = [getattr(law, "cdf_error", 0.0) for law in (self.first, self.second)]
        margin = 200 * float(np.dot(errors, [self.probability, self.other]))
        low, high = self.error_bounds((max(q - margin, 0), min(q + margin, 100)), center)
        return float(low), float(high)

    @cached_property
    def _spots(self) -> list[tuple[float, float]]:
        """A place in the middle of either law and its rough width."""
        return [_middle_and_width(law) for law in (self.first, self.second)]

    @property
    def middle_and_width(self) -> tuple[float, float]:
        """Those of the likelier law."""
        return self._spots[0 if self.probability > self.other else 1]

    @cached_property
    def ends(self) -> tuple[float, float]:
        ends = [law.ppf(np.array([0.0, 1 - law.failure])) for law in (self.first, self.second)]
        return float(np.min(ends)), float(np.max(ends))

    @staticmethod
    def _tails(laws: Sequence[Any], number: Integers, t: Floats, rough: bool) -> Floats:
        weights = np.array([(law.probability, law.other) for law in laws]).T[:, number]
        first = _tails([law.first for law in laws], number, t, rough)
        return weights[0] * first + weights[1] * _tails([law.second for law in laws], number, t, rough)

    @staticmethod
    def _tries(laws: Sequence[Any], kinds: Targets) -> Floats:
        """All over both laws."""
        places = [[place + width * TRIES for place, width in laws[number]._spots] for number in kinds.law]
        t = np.array(places).reshape(len(places), -1)
        base, center, paired = (part[:, None] for part in (kinds.base, kinds.center, kinds.paired))
        sizes = np.sort(np.where(paired, np.abs(t - center), t), axis=1)
        return np.arcsinh((sizes - base) / kinds.spread[:, None])

    @staticmethod
    def _roots(excess: Excess, guess: Floats, sought: Targets) -> Floats:
        least = sought.least
        # Nearer than this to distance 0, center - c and center + c are the same float.
        grain = np.where(sought.paired, 0.5 * np.spacing(np.abs(sought.center)) / sought.spread / np.cosh(least), 0.0)
        return root_beyond_kinks(excess, guess, least, np.full(least.size, LAST), grain)


def _middle_and_width(law: Law) -> tuple[float, float]:
    """A place in the middle of a law and its rough width."""
    if isinstance(law, NoisySlopeLaw):
        return law.middle_and_width
    low, middle, high = law.ppf((1 - law.failure) * np.array([0.25, 0.5, 0.75])).tolist()
    return middle, max(high - low, 1e-12 * abs(middle), 1e-280)


def _tails(laws: Sequence[Law], number: Integers, t: Floats, rough: bool) -> Floats:
    """P(release <= t), P(release > t) and the density at t[i] of laws[number[i]], which may share the work of it."""
    noisy = [law for law in laws if isinstance(law, NoisySlopeLaw)]
    if len(noisy) == len(laws) and all(law.slopes is noisy[0].slopes for law in noisy):
        return tails_together(noisy, number, t, rough)
    tails = np.empty((3, t.size))
    for i, law in enumerate(laws):
        mine = number == i
        below = law.cdf(t[mine])
        tails[0, mine], tails[1, mine] = below, (1 - law.failure) - below
        tails[2, mine] = 0.0 if rough else np.exp(law.logpdf(t[mine]))
    return tails
