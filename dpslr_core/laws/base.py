"""Output distributions ("laws") of a mechanism on one fixed data set.

Every law has the same verbs, vectorised over their argument: ``cdf(t)``, ``ppf(q)``, ``logpdf(t)``,
``sample(size, rng)``, and ``error_bound(q, center)``, with the probability ``failure`` of no answer. Where a law can
fail, cdf tends to 1 - failure; ppf is NaN beyond that mass and a failed draw is NaN. Laws of one kind are measured
together: a class says what many of its laws are at many points (``tails``) and, where that is quicker than a search,
solves for itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .solver import Unknowns, solve

_STARTS = 128  # draws by which a search begins


class Law(ABC):
    """The distribution of one released number."""

    @property
    def failure(self) -> float:
        """The probability of no answer."""
        return 0.0

    @property
    def fallback(self) -> float:
        """The probability of an answer by a cruder method."""
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
        """Source of the numbers, in two or three words."""
        return "exact law"

    @abstractmethod
    def cdf(self, t: ArrayLike) -> Floats:
        """P(release <= t), failures excluded; same shape as t."""

    def ppf(self, q: ArrayLike) -> Floats:
        """The smallest t with cdf(t) >= q, same shape as q; NaN where q exceeds 1 - failure or is outside [0, 1]."""
        q = np.asarray(q, dtype=float)
        inside = (q >= 0) & (q <= 1 - self.failure)
        quantiles, mass = np.full(q.shape, np.nan), q[inside]
        sought = Unknowns(np.zeros(mass.size, dtype=np.int64), mass, np.full(mass.size, np.nan))
        quantiles[inside] = self.solve([self], sought)
        return quantiles

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
        bounds, sought = _sought_distances([self], qs, np.array([center], dtype=float))
        bounds[np.isnan(bounds)] = self.solve([self], sought)
        return bounds[0]

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on the true C(q), where a mass is known to twice cdf_error; C(q) twice where the law is exact.

        Raises ValueError unless 0 <= q <= 100.
        """
        validate.inside(0, 100, q=q)
        margin = 200 * self.cdf_error
        low, high = self.error_bounds((max(q - margin, 0), min(q + margin, 100)), center)
        return float(low), float(high)

    # Several laws of one kind.

    @property
    def kind(self) -> Hashable:
        """Common trait of laws that are measured together: their class, as a rule."""
        return type(self)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest that can be released."""
        return -inf, inf

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        """P(release <= t), P(release > t) and the density at t[i] of laws[number[i]], shape (3, len(t))."""
        values = np.empty((3, t.size))
        for i, places in by_number(number):
            values[0, places] = laws[i].cdf(t[places])
            values[2, places] = np.exp(laws[i].logpdf(t[places]))
            values[1, places] = (1 - laws[i].failure) - values[0, places]
        return values

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """Draws of each law, given an answer, by one fixed generator, shape (laws, 128): where a search begins."""
        drawn = [law.sample(_STARTS, np.random.default_rng(0)) for law in laws]
        return np.array([np.resize(draws[~np.isnan(draws)], _STARTS) for draws in drawn])

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        """Quantiles of laws and distances that hold a mass, shape (m,); no number depends on the other laws."""
        if not unknowns.law.size:
            return np.empty(0)
        answered, ends = (
            np.array([1 - law.failure for law in laws]),
            np.array([law.ends for law in laws]),
        )
        return solve(
            lambda number, t: cls.tails(laws, number, t),
            unknowns,
            answered,
            ends,
            cls.samples(laws),
        )


def measure_together(
    laws: Sequence[Law], qs: Sequence[float], centers: Sequence[float]
) -> list[tuple[Floats, float]]:
    """C(q) about its center for each q, shape (len(qs),), and the median of every law.

    The numbers are those of Law.error_bounds and Law.median; laws of one kind are measured together.
    Raises ValueError unless every q is between 0 and 100.
    """
    if not laws:
        return []
    bounds, distances = _sought_distances(laws, qs, np.asarray(centers, dtype=float))
    answered = np.array([1 - law.failure for law in laws])
    able = np.flatnonzero(answered > 0)
    medians = Unknowns(able, 0.5 * answered[able], np.full(able.size, np.nan))
    numbers = solve_all(laws, distances.join(medians))
    bounds[np.isnan(bounds)] = numbers[: numbers.size - able.size]
    middle = np.full(len(laws), np.nan)
    middle[able] = numbers[numbers.size - able.size :]
    return list(zip(bounds, middle.tolist(), strict=True))


def bounds_together(laws: Sequence[Law], q: float, centers: Sequence[float]) -> Floats:
    """C(q) about its center of every law, shape (len(laws),), as measure_together has it, without medians."""
    bounds, distances = _sought_distances(laws, (q,), np.asarray(centers, dtype=float))
    bounds[np.isnan(bounds)] = solve_all(laws, distances)
    return bounds[:, 0]


def solve_all(laws: Sequence[Law], unknowns: Unknowns) -> Floats:
    """Law.solve of laws of any kinds."""
    numbers = np.empty(unknowns.law.size)
    for alike, places, number in by_kind(laws, unknowns.law):
        numbers[places] = alike[0].solve(alike, unknowns.take(places)._replace(law=number))
    return numbers


def tails_of_all(laws: Sequence[Law], number: Integers, t: Floats) -> Floats:
    """Law.tails of laws of any kinds."""
    values = np.empty((3, t.size))
    for alike, places, local in by_kind(laws, number):
        values[:, places] = alike[0].tails(alike, local, t[places])
    return values


def by_kind(
    laws: Sequence[Law], number: Integers
) -> Iterator[tuple[Sequence[Law], Integers, Integers]]:
    """Laws of one kind, the places in number that are of them, and their numbers among these."""
    kinds: dict[Hashable, list[int]] = {}
    for i, law in enumerate(laws):
        kinds.setdefault(law.kind, []).append(i)
    for alike in kinds.values():
        local = np.full(len(laws), -1)
        local[alike] = np.arange(len(alike))
        places = np.flatnonzero(local[number] >= 0)
        if places.size:
            yield [laws[i] for i in alike], places, local[number[places]]


def by_number(number: Integers) -> Iterator[tuple[int, Integers]]:
    """Each number that occurs, in order, and the places where it does."""
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    for places in np.split(order, starts[1:]) if order.size else ():
        yield int(number[places[0]]), places


def _sought_distances(
    laws: Sequence[Law], qs: Sequence[float], centers: Floats
) -> tuple[Floats, Unknowns]:
    """The C(q) that are 0 or infinite whatever the law, shape (laws, len(qs)), NaN for the others, and these others."""
    for q in qs:
        validate.inside(0, 100, q=q)
    shares, answered = (
        np.asarray(qs, dtype=float) / 100,
        np.array([1 - law.failure for law in laws]),
    )
    possible = np.where(np.isfinite(centers), answered, -inf)[:, None]
    bounds = np.where(shares == 0, 0.0, np.where(shares <= possible, np.nan, inf))
    law, column = np.nonzero(np.isnan(bounds))
    return bounds, Unknowns(law, shares[column], centers[law])
