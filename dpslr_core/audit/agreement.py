"""Whether draws agree with a law, or with draws of a reference: tests with a stated rate of false alarms and power.

Every test gives a bound on the chance of so large a deviation if the draws are as they should be. The least of several
counts as many times. At ``LEVEL`` 10,000 comparisons together raise a false alarm with a chance of 1e-5.

Power: 4,000 draws show a scale of Laplace, Gaussian or Student-t noise that is wrong by 20%. 2,000 draws show noise
that is left out, cut, or shared by two numbers or by two releases. Fewer draws show less: half the noise at 1,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtr, chdtrc, erfc, gammaln, ndtri, rel_entr

from ..laws.base import Law
from ..support.types import Floats

LEVEL = 1e-9  # chance of a false alarm of one comparison
_TIE = 1e-8  # shares in one cell of this width are equal
_TAIL = 1e-6  # probabilities nearer to 0 and 1 count as this: cdfs are known to about as many digits

Cdf = Callable[[Floats], Floats]


class Agreement(NamedTuple):
    """The chance that draws as they should be deviate as much, and in what they deviate most."""

    p: float
    what: str

    @property
    def holds(self) -> bool:
        """Whether a deviation like this is to be expected now and then."""
        return self.p > LEVEL


AGREES = Agreement(1.0, "")


def worst(agreements: Sequence[Agreement]) -> Agreement:
    """The least likely of several, its chance times their number."""
    if not agreements:
        return AGREES
    least = min(agreements)
    return least._replace(p=min(1.0, least.p * len(agreements)))


def with_laws(draws: Floats, laws: Sequence[Law], independent: bool, rng: np.random.Generator) -> Agreement:
    """Draws, shape (size, m), against the law of each of the m numbers; NaN is a failure.

    independent: whether the m numbers are. The trials always are.
    """
    failed = np.isnan(draws)
    rates = [of_count(int(failed[:, j].sum()), len(draws), law.failure) for j, law in enumerate(laws)]
    columns = []
    for law, column in zip(laws, draws.T, strict=True):
        known = np.nan_to_num(column, nan=law.median)
        share = uniforms(known, law.cdf, rng) / (1 - law.failure) if law.failure < 1 else rng.random(known.size)
        columns.append(np.where(np.isnan(column), rng.random(known.size), share))
    return worst([*rates, of_uniforms(np.column_stack(columns), independent)])


def uniforms(draws: Floats, cdf: Cdf, rng: np.random.Generator) -> Floats:
    """The shares of a law up to its draws, uniform if they are its draws; at a jump anywhere within it. Same shape."""
    below, up_to = cdf(np.nextafter(draws, -np.inf)), cdf(draws)
    return np.asarray(below + rng.random(draws.shape) * (up_to - below))


def of_uniforms(shares: Floats, independent: bool) -> Agreement:
    """Whether numbers, shape (size, k), are independent draws of the uniform law in each column.

    independent: whether the columns are so of each other, too.
    """
    z = ndtri(np.clip(shares, _TAIL, 1 - _TAIL))
    tests = [test for j in range(shares.shape[1]) for test in _of_column(shares[:, j], z[:, j])]
    tests += [_of_times(z)]
    if independent:
        tests += list(_of_pairs(shares, z))
    return worst(tests)


def _of_column(shares: Floats, z: Floats) -> Iterator[Agreement]:
    """The shape (Kolmogorov and Smirnov, by Massart's bound), the middle, the spread and the far tails."""
    yield Agreement(_kolmogorov(shares), "distribution")
    yield Agreement(_two_sided(z.sum() / np.sqrt(z.size)), "middle")
    squares = float(z @ z)
    yield Agreement(float(min(1.0, 2 * min(chdtr(z.size, squares), chdtrc(z.size, squares)))), "spread")
    yield _of_ties(shares)
    yield of_count(int(((shares < 10 * _TAIL) | (shares > 1 - 10 * _TAIL)).sum()), z.size, 24 * _TAIL, "impossible")


def _of_ties(shares: Floats) -> Agreement:
    """The largest number of shares that are equal, which tells of a clip or of a draw that is used again."""
    counts = np.bincount(np.unique(np.floor(shares / _TIE), return_inverse=True)[1])
    most, size = int(counts.max()), shares.size
    logs = gammaln(size + 1) - gammaln(most + 1) - gammaln(size - most + 1) + (most - 1) * np.log(_TIE)
    return Agreement(float(np.exp(min(0.0, logs))) if most > 1 else 1.0, "equal draws")


def _of_pairs(shares: Floats, z: Floats) -> Iterator[Agreement]:
    """Correlations of columns and of their squares, and their sums and differences modulo 1."""
    for i in range(z.shape[1]):
        for j in range(i):
            yield Agreement(_correlation(z[:, i], z[:, j]), "two numbers share noise")
            yield Agreement(_correlation(_squares(z[:, i]), _squares(z[:, j])), "two numbers share noise")
            for sign in (1, -1):
                yield Agreement(_kolmogorov((shares[:, i] + sign * shares[:, j]) % 1), "two numbers share noise")


def _of_times(z: Floats) -> Agreement:
    """The largest correlation of a column with itself some trials later: of all lags at once."""
    size = len(z)
    spectrum = np.fft.rfft(z, 2 * size, axis=0)
    lagged = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[1 : size // 2 + 1]
    counts = size - np.arange(1, len(lagged) + 1)[:, None]
    largest = float(np.abs(lagged / np.sqrt(counts)).max(initial=0.0))
    return Agreement(min(1.0, 10 * lagged.size * _two_sided(largest)), "releases share noise")  # 10: products' tails


def with_samples(draws: Floats, reference: Floats, rng: np.random.Generator) -> Agreement:
    """Draws against draws of a reference, shapes (size, m) and (more, m), in each number and in sums and differences.

    NaN is a failure and counts as the least.
    """
    agreements = []
    both = np.concatenate([draws, reference])
    columns = [*both.T]
    for i in range(both.shape[1]):
        for j in range(i):
            columns += [both[:, i] + both[:, j], both[:, i] - both[:, j]]
    for column in columns:
        agreements += list(_two_samples(np.nan_to_num(column, nan=-np.inf), len(draws), rng))
    ranks = [_ranks(column, rng) for column in np.nan_to_num(draws, nan=-np.inf).T]
    return worst([*agreements, _of_times(ndtri((np.column_stack(ranks) + 0.5) / len(draws)))])


def _ranks(column: Floats, rng: np.random.Generator) -> Floats:
    """The ranks from 0 on, equal numbers in any order; same shape."""
    ranks = np.empty(column.size)
    ranks[np.lexsort((rng.random(column.size), column))] = np.arange(column.size)
    return ranks


def _two_samples(column: Floats, size: int, rng: np.random.Generator) -> Iterator[Agreement]:
    """The first size numbers against the others, by ranks: equal numbers in any order."""
    total, other, ranks = column.size, column.size - size, _ranks(column, rng)
    mine, theirs = np.sort(ranks[:size]), np.sort(ranks[size:])
    places = np.append(mine, mine + 0.5) - 0.25
    apart = np.searchsorted(mine, places) / size - np.searchsorted(theirs, places) / other
    yield Agreement(min(1.0, 2 * np.exp(-2 * float(np.abs(apart).max()) ** 2 * size * other / total)), "distribution")
    values, counts = np.unique(column[:size], return_counts=True)
    most, often = values[np.argmax(counts)], int(counts.max())
    again = int(np.count_nonzero(column[size:] == most))
    equal = of_count(often, often + again, size / total, "equal draws")
    yield equal._replace(p=min(1.0, equal.p * values.size))
    z = ndtri((ranks + 0.5) / total)
    for scores, what in ((z, "middle"), (z * z, "spread")):
        variance = size * other / (total * (total - 1)) * float(((scores - scores.mean()) ** 2).sum())
        yield Agreement(_two_sided((scores[:size].sum() - size * scores.mean()) / np.sqrt(variance)), what)


def of_count(hits: int, trials: int, chance: float, what: str = "failures") -> Agreement:
    """So many hits of independent trials with a chance, by Chernoff's bound on either side."""
    share = hits / trials
    if chance <= 0 or chance >= 1:
        return Agreement(float(share == min(max(chance, 0.0), 1.0)), what)
    information = float(rel_entr(share, chance) + rel_entr(1 - share, 1 - chance))
    return Agreement(min(1.0, 2 * float(np.exp(-trials * information))), what)


def _kolmogorov(shares: Floats) -> float:
    """A bound on the chance that the largest distance of the empirical cdf from the uniform one is as large."""
    ordered, size = np.sort(shares), shares.size
    steps = np.arange(size + 1) / size
    largest = max(float((steps[1:] - ordered).max()), float((ordered - steps[:-1]).max()))
    return min(1.0, 2 * float(np.exp(-2 * size * largest**2)))


def _squares(z: Floats) -> Floats:
    """Squares, less their mean and over their deviation if normal; large ones cut."""
    return (np.minimum(z * z, 9.0) - 1) / np.sqrt(2)


def _correlation(one: Floats, other: Floats) -> float:
    """The chance of a correlation as large of two independent columns."""
    one, other = one - one.mean(), other - other.mean()
    scale = np.sqrt((one @ one) * (other @ other))
    return _two_sided(one @ other / scale * np.sqrt(one.size)) if scale > 0 else 1.0


def _two_sided(deviations: float) -> float:
    return float(erfc(abs(deviations) / np.sqrt(2)))
