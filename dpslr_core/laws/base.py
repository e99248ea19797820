"""Output distributions ("laws") of a mechanism on one fixed data set.

Every law has the same verbs, vectorised over their argument: ``cdf(t)``, ``ppf(q)``, ``logpdf(t)``,
``sample(size, rng)``, and ``error_bound(q, center)``, with the probability ``failure`` of no answer. Where a law can
fail, cdf tends to 1 - failure; ppf is NaN beyond that mass and a failed draw is NaN. Laws of one kind are measured
together: a class computes ``tails`` of many of its laws at many points, and has its own ``solve`` where that is
quicker than a search.
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

_STARTS = 128  # draws per law with which a search begins


class Law(ABC):
    """Distribution of one released number."""

    @property
    def failure(self) -> float:
        """Probability of no answer."""
        return 0.0

    @property
    def fallback(self) -> float:
        """Probability of an answer by a cruder method."""
        return 0.0

    @property
    def exact(self) -> bool:
        """Whether the law is known up to rounding; where it is not, error_bound_interval says how well."""
        return True

    @property
    def averaged(self) -> bool:
        """Whether the law is an average of drawn laws, so that its density is an estimate."""
        return False

    @property
    def cdf_error(self) -> float:
        """Largest error of any cdf(t)."""
        return 0.0

    @property
    def least_tail(self) -> float:
        """Probability of the smallest tail in which the density is known to some digits."""
        return 1e-12

    @property
    def how(self) -> str:
        """Source of the numbers, in two or three words."""
        return "exact law"

    @abstractmethod
    def cdf(self, t: ArrayLike) -> Floats:
        """Return P(release <= t), failures excluded; same shape as t."""

    def ppf(self, q: ArrayLike) -> Floats:
        """Return the smallest t with cdf(t) >= q, same shape as q; NaN where q is outside [0, 1 - failure]."""
        q = np.asarray(q, dtype=float)
        inside = (q >= 0) & (q <= 1 - self.failure)
        quantiles, mass = np.full(q.shape, np.nan), q[inside]
        sought = Unknowns(np.zeros(mass.size, dtype=np.int64), mass, np.full(mass.size, np.nan))
        quantiles[inside] = self.solve([self], sought)
        return quantiles

    @abstractmethod
    def logpdf(self, t: ArrayLike) -> Floats:
        """Return the logarithm of the density at t, -inf outside the support; same shape as t."""

    @property
    def median(self) -> float:
        """Median of the release, given that there is an answer."""
        return float(self.ppf(0.5 * (1 - self.failure)))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` independent releases by inverting the cdf, shape (size,); NaN = failed.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        checkpoint()
        return self.ppf(rng.random(size))

    def error_bound(self, q: float, center: float) -> float:
        """Compute C(q), the smallest c with P(|release - center| <= c) >= q/100, in units of y.

        A failed release counts as infinitely far off: C(q) is inf where failures exceed 1 - q/100.
        Source: Section "Error Metric".

        Parameters
        ----------
        q : float, percent
        center : float, in units of y

        Raises
        ------
        ValueError
            Unless 0 <= q <= 100.
        """
        return float(self.error_bounds((q,), center)[0])

    def error_bounds(self, qs: Sequence[float], center: float) -> Floats:
        """Compute error_bound of every q together, shape (len(qs),); ValueError unless every q is in [0, 100]."""
        return bounds_together([self], qs, [center])[0]

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Compute bounds on the true C(q) from cdf_error; both are C(q) where the law is exact.

        A mass is a difference of two cdfs, so it is known to twice cdf_error. ValueError unless 0 <= q <= 100.
        """
        validate.inside(0, 100, q=q)
        margin = 200 * self.cdf_error
        low, high = self.error_bounds((max(q - margin, 0), min(q + margin, 100)), center)
        return float(low), float(high)

    # The next five treat several laws of one kind together.

    @property
    def kind(self) -> Hashable:
        """Common trait of laws that are measured together: their class, as a rule."""
        return type(self)

    @property
    def ends(self) -> tuple[float, float]:
        """Least and greatest number that can be released."""
        return -inf, inf

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        """Compute P(release <= t), P(release > t) and the density at t[i] of laws[number[i]], shape (3, len(t))."""
        values = np.empty((3, t.size))
        for i, positions in by_number(number):
            values[0, positions] = laws[i].cdf(t[positions])
            values[2, positions] = np.exp(laws[i].logpdf(t[positions]))
            values[1, positions] = (1 - laws[i].failure) - values[0, positions]
        return values

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """Draw 128 answers of every law with a fixed seed, where a search begins; shape (laws, 128)."""
        drawn = [law.sample(_STARTS, np.random.default_rng(0)) for law in laws]
        return np.array([np.resize(draws[~np.isnan(draws)], _STARTS) for draws in drawn])

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        """Compute the quantiles and distances of `unknowns`, shape (m,), for every law as if it were alone."""
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
    """Compute Law.error_bounds and Law.median of every law, laws of one kind together.

    Parameters
    ----------
    laws : sequence of Law
    qs : sequence of float, percent
        Shares for which C(q) is computed. ValueError unless all are between 0 and 100.
    centers : sequence of float, in units of y
        Number that the errors of each law are measured from, shape (len(laws),).

    Returns
    -------
    list of (array, float)
        C(q) of every q, shape (len(qs),), and the median, for each law.
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


def bounds_together(laws: Sequence[Law], qs: Sequence[float], centers: Sequence[float]) -> Floats:
    """Compute C(q) of every law about its number in `centers`, shape (len(laws), len(qs))."""
    bounds, distances = _sought_distances(laws, qs, np.asarray(centers, dtype=float))
    bounds[np.isnan(bounds)] = solve_all(laws, distances)
    return bounds


def solve_all(laws: Sequence[Law], unknowns: Unknowns) -> Floats:
    """Compute Law.solve for laws of any kinds, shape (m,)."""
    numbers = np.empty(unknowns.law.size)
    for alike, positions, number in by_kind(laws, unknowns.law):
        numbers[positions] = alike[0].solve(alike, unknowns.take(positions)._replace(law=number))
    return numbers


def tails_of_all(laws: Sequence[Law], number: Integers, t: Floats) -> Floats:
    """Compute Law.tails for laws of any kinds, shape (3, len(t))."""
    values = np.empty((3, t.size))
    for alike, positions, local in by_kind(laws, number):
        values[:, positions] = alike[0].tails(alike, local, t[positions])
    return values


def by_kind(
    laws: Sequence[Law], number: Integers
) -> Iterator[tuple[Sequence[Law], Integers, Integers]]:
    """Group `number`, indices into `laws`, by the kind of law.

    Yields the laws of a kind, the positions in `number` that mean one of these laws, and the index among these laws
    for every such position.
    """
    kinds: dict[Hashable, list[int]] = {}
    for i, law in enumerate(laws):
        kinds.setdefault(law.kind, []).append(i)
    for alike in kinds.values():
        local = np.full(len(laws), -1)
        local[alike] = np.arange(len(alike))
        positions = np.flatnonzero(local[number] >= 0)
        if positions.size:
            yield [laws[i] for i in alike], positions, local[number[positions]]


def by_number(number: Integers) -> Iterator[tuple[int, Integers]]:
    """Yield every value of `number` in increasing order, with the positions at which it stands."""
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    for positions in np.split(order, starts[1:]) if order.size else ():
        yield int(number[positions[0]]), positions


def _sought_distances(
    laws: Sequence[Law], qs: Sequence[float], centers: Floats
) -> tuple[Floats, Unknowns]:
    """Return C(q), shape (laws, len(qs)), where certainly 0 or inf, else NaN, and the Unknowns for the NaN."""
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
