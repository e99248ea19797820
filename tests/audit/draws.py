"""Draws of every way to release, compared with the audited law, with declared noise or with a literal simulation.

What is drawn: ``release`` of many and, again and again, of one; ``releases``; ``release_statistics`` of many and
of one. What with: the law of the release where there is one; the noise that the audit of neighbours takes for granted
on each released sum; for noisy gradient descent a literal simulation with the
declared noise.

Every test gives a bound on the chance of so large a deviation if the draws are as they should be. The least of several
counts as many times. At ``LEVEL`` 10,000 comparisons together raise a false alarm with a chance of 1e-5.

Power: 4,000 draws show a scale of Laplace, Gaussian or Student-t noise that is wrong by 20%. 2,000 draws show noise
that is left out, cut, or shared by two numbers or by two releases. Fewer draws show less: half the noise at 1,000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import chdtr, chdtrc, erfc, gammaln, ndtr, ndtri, rel_entr

from dpslr_core.dataset import Dataset
from dpslr_core.laws.base import Law
from dpslr_core.laws.centered import slope_per_covariance
from dpslr_core.laws.joint import JointLaw
from dpslr_core.laws.named import Laplace
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.mechanisms.centered import CenteredSums
from dpslr_core.mechanisms.deepest_line import DeepestLine
from dpslr_core.mechanisms.descent import GradientDescent
from dpslr_core.mechanisms.noisy_stats import NoisySufficientStatistics
from dpslr_core.privacy import PureDP
from dpslr_core.support.run import stream
from dpslr_core.support.types import Floats
from tests.reference import paper

from .neighbours import crossover_at

LEVEL = 1e-9  # chance of a false alarm of one comparison
_TIE = 1e-8  # shares in one cell of this width are equal
_TAIL = (
    1e-6  # probabilities nearer to 0 and 1 count as this: cdfs are known to about as many digits
)


class Agreement(NamedTuple):
    """The chance that draws as they should be deviate as much, and in what they deviate most."""

    p: float
    what: str = ""

    @property
    def holds(self) -> bool:
        """Whether a deviation like this is to be expected now and then."""
        return self.p > LEVEL


def worst(agreements: Sequence[Agreement]) -> Agreement:
    """The least likely of several, its chance times their number."""
    least = min(agreements, default=Agreement(1.0))
    return least._replace(p=min(1.0, least.p * max(1, len(agreements))))


def with_laws(
    draws: Floats, laws: Sequence[Law], independent: bool, rng: np.random.Generator
) -> Agreement:
    """Draws, shape (size, m), against the law of each of the m numbers; NaN is a failure.

    independent: whether the m numbers are. The trials always are.
    """
    rates, columns = [], []
    for law, column in zip(laws, draws.T, strict=True):
        failed = np.isnan(column)
        rates.append(of_count(int(failed.sum()), len(draws), law.failure))
        known = np.nan_to_num(column, nan=law.median)
        share = rng.random(known.size)
        if law.failure < 1:
            below, up_to = law.cdf(np.nextafter(known, -np.inf)), law.cdf(known)
            share = (below + share * (up_to - below)) / (
                1 - law.failure
            )  # at a jump anywhere within it
        columns.append(np.where(failed, rng.random(known.size), share))
    return worst([*rates, of_uniforms(np.column_stack(columns), independent)])


def of_uniforms(shares: Floats, independent: bool) -> Agreement:
    """Whether numbers, shape (size, k), are independent draws of the uniform law in each column.

    Compared are the shape (Kolmogorov and Smirnov, by Massart's bound), the middle, the spread, the largest number of
    equal draws, which tells of a clip or of a draw that is used again, and the far tails. independent: whether the
    columns are so of each other, too; then also correlations of columns and of their squares, large ones cut, and sums
    and differences modulo 1.
    """
    z, size = ndtri(np.clip(shares, _TAIL, 1 - _TAIL)), len(shares)
    tests = [_of_times(z)]
    for u, normal in zip(shares.T, z.T, strict=True):
        squares, far = float(normal @ normal), (u < 10 * _TAIL) | (u > 1 - 10 * _TAIL)
        most = int(np.unique(np.floor(u / _TIE), return_counts=True)[1].max())
        ties = (
            gammaln(size + 1)
            - gammaln(most + 1)
            - gammaln(size - most + 1)
            + (most - 1) * np.log(_TIE)
        )
        tests += [
            Agreement(_kolmogorov(u), "distribution"),
            Agreement(_two_sided(normal.sum() / np.sqrt(size)), "middle"),
            Agreement(
                float(min(1.0, 2 * min(chdtr(size, squares), chdtrc(size, squares)))), "spread"
            ),
            Agreement(float(np.exp(min(0.0, ties))), "equal draws"),
            of_count(int(far.sum()), size, 24 * _TAIL, "impossible"),
        ]
    for j, i in combinations(range(shares.shape[1]), 2) if independent else ():
        chances = [_kolmogorov((shares[:, i] + sign * shares[:, j]) % 1) for sign in (1, -1)]
        for scores in (z, np.minimum(z * z, 9.0)):
            one, other = (scores[:, k] - scores[:, k].mean() for k in (i, j))
            scale = np.sqrt((one @ one) * (other @ other))
            chances.append(_two_sided(one @ other / scale * np.sqrt(size)) if scale > 0 else 1.0)
        tests += [Agreement(chance, "two numbers share noise") for chance in chances]
    return worst(tests)


def _of_times(z: Floats) -> Agreement:
    """The largest correlation of a column with itself some trials later: of all lags at once."""
    size = len(z)
    spectrum = np.fft.rfft(z, 2 * size, axis=0)
    lagged = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[1 : size // 2 + 1]
    counts = size - np.arange(1, len(lagged) + 1)[:, None]
    largest = float(np.abs(lagged / np.sqrt(counts)).max(initial=0.0))
    return Agreement(
        min(1.0, 10 * lagged.size * _two_sided(largest)), "releases share noise"
    )  # 10: products' tails


def with_samples(draws: Floats, reference: Floats, rng: np.random.Generator) -> Agreement:
    """Draws against draws of a reference, shapes (size, m) and (more, m), in each number and in sums and differences.

    By ranks, equal numbers in any order. NaN is a failure and counts as the least.
    """

    def ranked(column: Floats) -> Floats:
        ranks = np.empty(column.size)
        ranks[np.lexsort((rng.random(column.size), column))] = np.arange(column.size)
        return ranks

    both, size, other = np.concatenate([draws, reference]), len(draws), len(reference)
    columns, tests, total = [*both.T], list[Agreement](), size + other
    for j, i in combinations(range(both.shape[1]), 2):
        columns += [both[:, i] + both[:, j], both[:, i] - both[:, j]]
    for column in np.nan_to_num(np.array(columns), nan=-np.inf):
        ranks = ranked(column)
        mine, theirs = np.sort(ranks[:size]), np.sort(ranks[size:])
        places = np.append(mine, mine + 0.5) - 0.25
        apart = np.abs(
            np.searchsorted(mine, places) / size - np.searchsorted(theirs, places) / other
        ).max()
        values, counts = np.unique(column[:size], return_counts=True)
        again = int(np.count_nonzero(column[size:] == values[np.argmax(counts)]))
        equal = of_count(int(counts.max()), int(counts.max()) + again, size / total, "equal draws")
        tests += [
            Agreement(
                min(1.0, 2 * float(np.exp(-2 * apart**2 * size * other / total))), "distribution"
            ),
            equal._replace(p=min(1.0, equal.p * values.size)),
        ]
        z = ndtri((ranks + 0.5) / total)
        for scores, what in ((z, "middle"), (z * z, "spread")):
            variance = (
                size * other / (total * (total - 1)) * float(((scores - scores.mean()) ** 2).sum())
            )
            tests.append(
                Agreement(
                    _two_sided((scores[:size].sum() - size * scores.mean()) / np.sqrt(variance)),
                    what,
                )
            )
    alone = np.column_stack([ranked(column) for column in np.nan_to_num(draws, nan=-np.inf).T])
    return worst([*tests, _of_times(ndtri((alone + 0.5) / size))])


def of_count(hits: int, trials: int, chance: float, what: str = "failures") -> Agreement:
    """The number of hits of independent trials with a chance, by Chernoff's bound on either side."""
    share = hits / trials
    if chance <= 0 or chance >= 1:
        return Agreement(float(share == min(max(chance, 0.0), 1.0)), what)
    information = float(rel_entr(share, chance) + rel_entr(1 - share, 1 - chance))
    return Agreement(min(1.0, 2 * float(np.exp(-trials * information))), what)


def _kolmogorov(shares: Floats) -> float:
    """A bound on the chance that the largest distance of the empirical cdf from the uniform one is as large."""
    largest = stats.kstest(shares, "uniform", method="asymp").statistic
    return min(1.0, 2 * float(np.exp(-2 * shares.size * largest**2)))


def _two_sided(deviations: float) -> float:
    return float(erfc(abs(deviations) / np.sqrt(2)))


# ---------------------------------------------------------------- every way to release

_MORE = 5  # draws of a reference for each draw that is compared with them
_MOST_PARTS = 2_000  # estimates of which the joint law of medians is a mixture; of more each point is compared alone
_COARSE = 40
_REJECTING = (
    1.0  # tolerance of laws from rank queries, so that draws from them must reject up to a half
)
_FEWER = (
    500  # draws that are compared with an average of drawn laws, whose own error must not count
)


@dataclass(frozen=True)
class DrawCase:
    """A data set, and how it is released.

    draws, singles: releases drawn together, and one by one. crossover: for the release, the number of records from
    which on medians are drawn by rank queries; None: as it is. coarse: whether lines are drawn from a grid of at most
    40 cells along an axis, which takes a hundredth of the time.
    """

    data: Dataset
    epsilon: float
    at: tuple[float, ...]
    draws: int
    singles: int
    crossover: int | None = None
    coarse: bool = True


Reference = Callable[
    [Floats], Agreement
]  # how well releases, shape (size, m), agree with those that are expected


def compare_draws(mechanism: Mechanism, case: DrawCase, seed: int = 0) -> list[Agreement]:
    """Every way to release this data set, against what is audited; empty where an algorithm offers nothing of that.

    A function of its arguments: the same seed gives the same draws.
    """
    mechanism = coarser(mechanism) if case.coarse else mechanism
    rng = stream(seed, "audit", case.data.digest, repr(mechanism), case.at)
    reference, compared = reference_of(mechanism, case, rng), list[Agreement]()
    if reference is not None:
        for draws in _releases(mechanism, case, rng):
            shaped = draws.shape[1:] == (len(case.at),)
            compared.append(reference(draws) if shaped else Agreement(0.0, "shape"))
    if hasattr(mechanism, "release_statistics"):
        compared += _statistics(mechanism, case, reference, rng)
    return compared


def coarser(mechanism: Mechanism) -> Mechanism:
    """The algorithm with a grid of lines of at most 40 cells along an axis; others as they are."""
    if isinstance(mechanism, DeepestLine):
        return replace(mechanism, grid=min(mechanism.grid, _COARSE))
    return mechanism


def _releases(mechanism: Mechanism, case: DrawCase, rng: np.random.Generator) -> Iterator[Floats]:
    """The releases drawn in each way, shape (some, m)."""
    arguments = case.epsilon, case.at
    with crossover_at(case.crossover, _REJECTING) if case.crossover else nullcontext():
        yield mechanism.release(case.data, *arguments, case.draws, rng=rng)
        if case.singles:
            singles = [
                mechanism.release(case.data, *arguments, 1, rng=rng) for _ in range(case.singles)
            ]
            yield np.concatenate(singles)
        other = Dataset(case.data.x[::-1], 1 - case.data.y[::-1])
        both = mechanism.releases(
            [other, case.data], *arguments, max(case.singles, 1000), rng.spawn(2)
        )
        yield both[1]


def reference_of(
    mechanism: Mechanism, case: DrawCase, rng: np.random.Generator
) -> Reference | None:
    """The expected releases of a data set; None where an algorithm has no law and declares nothing."""

    def simulated(samples: Floats) -> Reference:
        return partial(with_samples, reference=samples, rng=rng)

    def by_law(laws: Sequence[Law], independent: bool) -> Reference:
        first = (
            _FEWER if any(law.averaged for law in laws) else None
        )  # an average of drawn laws is itself not exact
        return lambda draws: with_laws(draws[:first], laws, independent, rng)

    at, size = np.array(case.at), _MORE * case.draws
    if isinstance(mechanism, GradientDescent):
        return simulated(_descents(mechanism, case, at, size, rng))
    if isinstance(mechanism, NoisySufficientStatistics | CenteredSums):
        lines = _lines_of_sums(mechanism, case, at, size, rng)
        return simulated(
            np.clip(lines, mechanism.lower, mechanism.upper) if mechanism.clip else lines
        )
    joint = mechanism.view(case.data, case.epsilon, at).law
    parts = (
        joint.parts
        if isinstance(joint, JointLaw) or (joint.exact and joint.total < _MOST_PARTS)
        else []
    )
    if len(parts) > 1:  # a mixture: a part by its weight, then each number by its law
        weights = np.array([weight for weight, _ in parts])
        counts = rng.multinomial(size, weights / weights.sum()).tolist()
        drawn = [
            np.column_stack([law.ppf(rng.random(count)) for law in laws])
            for count, (_, laws) in zip(counts, parts, strict=True)
            if count
        ]
        return simulated(rng.permutation(np.concatenate(drawn)))
    if parts and not (isinstance(joint, JointLaw) and joint.dependence_unknown):
        return by_law(list(parts[0][1]), True)
    known = [law for law in mechanism.law(case.data, case.epsilon, at) if law is not None]
    return by_law(known, False) if len(known) == at.size else None


def _unit_noise(
    mechanism: Mechanism, epsilon: float, shape: tuple[int, ...], rng: np.random.Generator
) -> Floats:
    """Noise of scale one of the kind that the guarantee goes with."""
    if isinstance(mechanism.guarantee(epsilon), PureDP):
        return rng.laplace(size=shape)
    return rng.standard_normal(shape)


def _lines_of_sums(
    mechanism: NoisySufficientStatistics | CenteredSums,
    case: DrawCase,
    at: Floats,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Predictions, shape (size, m), that follow from sums with the declared noise; NaN where there is no slope."""
    data, epsilon, n = case.data, case.epsilon, case.data.n
    if isinstance(mechanism, CenteredSums):
        u, w = data.x - 0.5, data.y - 0.5
        sums = np.array([u.sum(), w.sum(), u @ u, u @ w])
        noise = _unit_noise(mechanism, epsilon, (5, size), rng)[:4]
        of_u, of_w, of_uu, of_uw = sums[:, None] + mechanism.noise_scale(epsilon)[:4, None] * noise
        x_mean = 0.5 + of_u / n
        slope = _slope(mechanism, n, epsilon, of_uu - of_u**2 / n, of_uw - of_u * of_w / n, x_mean)
        return np.asarray(0.5 + (of_w / n)[:, None] + slope[:, None] * (at - x_mean[:, None]))
    noise = _unit_noise(mechanism, epsilon, (3, size), rng)
    scales = [mechanism.noise_scale(1 - 1 / n, epsilon, share) for share in mechanism.split[:2]]
    slope = _slope(
        mechanism, n, epsilon, data.nvar + scales[0] * noise[0], data.ncov + scales[1] * noise[1]
    )
    scale = mechanism.noise_scale((1 + np.abs(slope)) / n, epsilon, mechanism.split[2])
    return np.asarray(
        (data.y_mean + scale * noise[2])[:, None] + slope[:, None] * (at - data.x_mean)
    )


def _slope(
    mechanism: Any, n: int, epsilon: float, nvar: Floats, ncov: Floats, x_mean: Any = 0.5
) -> Floats:
    """The slope by definition, from noisy sums alone; the mean of x for centred sums."""
    flat = 0.0
    if isinstance(mechanism, NoisySufficientStatistics):
        flat = 0.0 if mechanism.fallback else np.nan
    elif mechanism.ridge:
        scale = mechanism.noise_scale(epsilon)
        return np.asarray(
            ncov * slope_per_covariance(mechanism.noise_name, nvar, x_mean - 0.5, scale, True)
        )
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(nvar > 0, ncov / nvar, flat)


def _descents(
    mechanism: GradientDescent, case: DrawCase, at: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Algorithms 6 and 7 record by record, every gradient clipped, with the declared noise; shape (size, m)."""
    noise = mechanism.noise_scale(case.epsilon) * _unit_noise(
        mechanism, case.epsilon, (mechanism.steps, 2, size), rng
    )
    records = case.data.x.tolist(), case.data.y.tolist()
    p25, p75 = paper.gradient_descent(*records, noise, mechanism.clip, mechanism.start)
    return np.column_stack([paper.on_line(p25, p75, point) for point in at.tolist()])


# ---------------------------------------------------------------- released sums


def _statistics(
    mechanism: Any, case: DrawCase, reference: Reference | None, rng: np.random.Generator
) -> Iterator[Agreement]:
    """Released sums of many and of one, against their declared noise, and what follows from them."""

    def public(released: Any, size: int) -> list[str]:
        """Values handed out with the numbers of each release: the same for all data sets of n records."""
        return [
            name
            if isinstance(value, np.ndarray) and value.shape == (size,)
            else f"{name}={value!r}"
            for name, value in (vars(released).items() if is_dataclass(released) else ())
        ]

    arguments = case.data, case.epsilon
    released = mechanism.release_statistics(*arguments, case.draws, rng=rng)
    singles = [mechanism.release_statistics(*arguments, 1, rng=rng) for _ in range(case.singles)]
    other = Dataset(1 - case.data.x**2, case.data.y[::-1] / 2)
    elsewhere = public(
        mechanism.release_statistics(other, case.epsilon, case.draws, rng=rng), case.draws
    )
    for parts in ([released], singles):
        if not parts:
            continue
        arrays = [name for name, value in vars(parts[0]).items() if isinstance(value, np.ndarray)]
        sums = {
            name: np.concatenate([np.atleast_1d(getattr(part, name)) for part in parts])
            for name in arrays
        }
        agreements = [_of_sums(mechanism, case, sums, rng)]
        if reference is not None and not getattr(mechanism, "clip", False):
            agreements.append(reference(np.concatenate([part.predict(case.at) for part in parts])))
        if any(public(part, 1 if len(parts) > 1 else case.draws) != elsewhere for part in parts):
            agreements.append(Agreement(0.0, "a number beside the sums depends on the data"))
        yield worst(agreements)


def _of_sums(
    mechanism: Any, case: DrawCase, released: dict[str, Floats], rng: np.random.Generator
) -> Agreement:
    """Agreement of released sums with the declared noise, and of all else with what follows from them."""
    data, epsilon, n = case.data, case.epsilon, case.data.n
    moved: Sequence[Floats]
    if isinstance(mechanism, NoisySufficientStatistics):
        nvar, ncov, slope = released["nvar"], released["ncov"], released["slope"]
        scales = [mechanism.noise_scale(1 - 1 / n, epsilon, share) for share in mechanism.split[:2]]
        scales.append(mechanism.noise_scale((1 + np.abs(slope)) / n, epsilon, mechanism.split[2]))
        moved = (
            nvar - data.nvar,
            ncov - data.ncov,
            released["intercept"] - (data.y_mean - slope * data.x_mean),
        )
        follow = {"slope": _slope(mechanism, n, epsilon, nvar, ncov), "intercept_scale": scales[2]}
        names = {"nvar", "ncov", "slope", "intercept", "intercept_scale"}
    elif isinstance(mechanism, CenteredSums):
        u, w, scales = data.x_mean - 0.5, data.y_mean - 0.5, list(mechanism.noise_scale(epsilon))
        of_u, of_w = n * (released["x_mean"] - data.x_mean), n * (released["y_mean"] - data.y_mean)
        of_uu = released["nvar"] - data.nvar + 2 * u * of_u + of_u**2 / n
        of_uw = released["ncov"] - data.ncov + u * of_w + w * of_u + of_u * of_w / n
        of_ww = (
            released["nvar_y"]
            - float(((data.y - data.y_mean) ** 2).sum())
            + 2 * w * of_w
            + of_w**2 / n
        )
        moved = of_u, of_w, of_uu, of_uw, of_ww
        follow = {
            "slope": _slope(
                mechanism, n, epsilon, *(released[name] for name in ("nvar", "ncov", "x_mean"))
            )
        }
        names = {"x_mean", "y_mean", "nvar", "ncov", "nvar_y", "slope"}
    else:
        return Agreement(1.0)
    if not released.keys() <= names:
        return Agreement(
            0.0, f"nothing is declared of {', '.join(sorted(released.keys() - names))}"
        )
    for name, expected in follow.items():
        if not np.allclose(released[name], expected, rtol=1e-9, atol=0, equal_nan=True):
            return Agreement(0.0, f"{name} does not follow from the released sums")
    noise = np.column_stack([change / scale for change, scale in zip(moved, scales, strict=True)])
    shares = (
        Laplace(0.0, 1.0).cdf(noise)
        if isinstance(mechanism.guarantee(epsilon), PureDP)
        else ndtr(noise)
    )
    if "intercept" in names:  # none where there is no slope
        shares = np.where(
            np.isnan(released["slope"])[:, None] & (np.arange(3) == 2),
            rng.random(shares.shape),
            shares,
        )
    return of_uniforms(shares, independent=True)
