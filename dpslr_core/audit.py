"""Privacy loss: how far apart the releases of two neighbouring data sets are, against what is promised.

The loss of an outcome is |log of (its density on one data set / its density on the other)|; epsilon bounds its
supremum over all outcomes, failure among them. Where the noise is Gaussian that supremum is infinite, and the
loss is measured as the zCDP parameter rho instead.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from . import _validate, pairwise
from ._types import Floats
from .dataset import Dataset
from .laws import Laplace, Law, PointMass, StudentT
from .laws.piecewise import PiecewiseUniform
from .mechanisms import ChooseByNoisyVariance, Mechanism, NoisyIntercept
from .mechanisms.base import QUARTERS
from .mechanisms.gradient import _DPGradDescent
from .mechanisms.noisy_stats import _NoisySufficientStatistics
from .mechanisms.theil_sen import _PrivateTheilSen
from .privacy import ZCDP, ApproxDP, NotPrivate, PureDP, zcdp_epsilon

MAX_MATCHED = 6  # the largest n whose matchings are enumerated
_OUTCOMES = 4096  # outcomes on a grid, where a supremum has no closed form

Record = tuple[float, float]
Pairs = tuple[tuple[int, ...], ...]
# (weight, law at each point) for every matching: points are independent only once the matching is known.
JointLaw = list[tuple[float, Sequence[Law]]]
Seen = tuple[Dataset, JointLaw]


class Loss(NamedTuple):
    """The loss measured between two data sets, and the bound promised for every pair of neighbours.

    unit: "ε", or "ρ" for zCDP. promised is inf where nothing is; measured is NaN where it cannot be computed
    (random matchings of more than MAX_MATCHED records, or a mechanism without an exact law).
    """

    measured: float
    promised: float
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the promise covers what was measured, rounding (one part in 10^9) aside."""
        return self.measured <= self.promised + 1e-9 * max(1.0, self.promised)


class WorstLoss(NamedTuple):
    """The neighbours that can be told apart best, and how well."""

    loss: Loss
    data: Dataset
    neighbour: Dataset


def audit(mechanism: Mechanism, data: Dataset, neighbour: Dataset, epsilon: float, at: ArrayLike = QUARTERS) -> Loss:
    """The loss of one release, all points of ``at`` together, between data and neighbour.

    Exact for the joint law of the release, but for: NoisyStats, taken with the nvar and ncov it hands out;
    gradient descent, charged steps times its worst step; smooth sensitivity with k matchings, read off a grid;
    ChooseByNoisyVariance, taken with the name of the algorithm it chose.
    ValueError unless data and neighbour are equal or differ by replacing one record, in any order.
    """
    _validate.positive(epsilon=epsilon)
    points = _validate.points(at=at)
    pair = [(either, _joint_law(mechanism, either, epsilon, points)) for either in (data, neighbour)]
    return _loss(mechanism, epsilon, *pair)


def worst_loss(
    mechanism: Mechanism, epsilon: float, at: ArrayLike = QUARTERS, grid: ArrayLike = (0.0, 0.5, 1.0), n: int = 3
) -> WorstLoss:
    """The largest loss over all neighbouring data sets of n records whose x and y lie on the grid.

    No law depends on the order of the records, so only multisets of records are gone through. ValueError
    unless epsilon > 0, n >= 3 and the grid holds two different values or more.
    """
    _validate.positive(epsilon=epsilon)
    _validate.integer(3, n=n)
    points, values = _validate.points(at=at), np.unique(_validate.points(grid=grid)).tolist()
    if len(values) < 2:
        raise ValueError(f"grid must hold two or more different values, got {grid!r}")
    records: list[Record] = list(product(values, values))

    @cache
    def seen(chosen: tuple[Record, ...]) -> Seen:
        data = Dataset(*np.array(chosen).T)
        return data, _joint_law(mechanism, data, epsilon, points)

    def losses(rest: tuple[Record, ...]) -> list[WorstLoss]:
        found = [seen(tuple(sorted((*rest, record)))) for record in records]
        return [WorstLoss(_loss(mechanism, epsilon, a, b), a[0], b[0]) for a, b in combinations(found, 2)]

    each = (loss for rest in combinations_with_replacement(records, n - 1) for loss in losses(rest))
    return max(each, key=lambda found: found.loss.measured)


def _loss(mechanism: Mechanism, epsilon: float, seen: Seen, other: Seen) -> Loss:
    """The loss in the unit of the mechanism's guarantee: Laplace noise costs sum |shift|, Gaussian sum shift^2 / 2."""
    (a, joint), (b, other_joint) = seen, other
    guarantee, replaced = mechanism.guarantee(epsilon), _replaced(a, b)
    power = 1 if isinstance(guarantee, PureDP) else 2
    match mechanism:
        case _NoisySufficientStatistics():
            # The intercept: |dy - slope dx| per 1 + |slope| lies between |dy|, at slope 0, and |dx|, at steep slopes.
            shift = np.array(
                [a.nvar - b.nvar, a.ncov - b.ncov, max(abs(a.y_mean - b.y_mean), abs(a.x_mean - b.x_mean))]
            )
            scales = mechanism.noise_scale(np.array([1 - 1 / a.n, 1 - 1 / a.n, 1 / a.n]), epsilon)
            measured = float(np.sum(np.abs(shift / scales) ** power) / power)
        case _DPGradDescent():
            shift = _gradient_shift(*replaced, mechanism.clip, power) if replaced else np.zeros(2)
            measured = mechanism.steps * float(np.sum((shift / mechanism.noise_scale(epsilon)) ** power) / power)
        case ChooseByNoisyVariance():
            measured = _chosen_loss(mechanism, epsilon, seen, other)
        case _:
            measured = _joint_loss(joint, other_joint)
    if isinstance(guarantee, ZCDP):
        return Loss(measured, guarantee.rho, "ρ")
    if isinstance(guarantee, ApproxDP):
        measured = zcdp_epsilon(measured, guarantee.delta) if measured > 0 else 0.0
    return Loss(measured, np.inf if isinstance(guarantee, NotPrivate) else guarantee.epsilon, "ε")


def _chosen_loss(mechanism: ChooseByNoisyVariance, epsilon: float, seen: Seen, other: Seen) -> float:
    """The largest loss of the choice and of what the chosen algorithm releases; the joint laws are DPExpTheilSen's."""
    (a, joint), (b, other_joint) = seen, other
    if not (joint and other_joint):
        return np.nan
    choice = np.subtract(mechanism.log_chances(a, epsilon), mechanism.log_chances(b, epsilon))
    noisy = abs(choice[0]) + _loss(mechanism.candidates[0], mechanism.rest(epsilon), seen, other).measured
    pairs = zip(joint[0][1], other_joint[0][1], strict=True)
    forth, back = np.sum([max_divergences(*pair) for pair in pairs], axis=0)
    return float(max(noisy, choice[1] + forth, back - choice[1]))


def _replaced(data: Dataset, neighbour: Dataset) -> tuple[Record, Record] | None:
    """The record that was replaced and what it was replaced by; None where the records are the same."""
    here, there = (Counter(zip(d.x.tolist(), d.y.tolist(), strict=True)) for d in (data, neighbour))
    gone, come = list((here - there).elements()), list((there - here).elements())
    if data.n != neighbour.n or len(gone) > 1:
        raise ValueError(f"neighbour must be data with one record replaced, got {len(gone)} out and {len(come)} in")
    return (gone[0], come[0]) if gone else None


def _gradient_shift(record: Record, other: Record, clip: float, power: int) -> Floats:
    """|g - g'|, g and g' the clipped gradients of two records, at the parameters where sum |g - g'|^power is most.

    The residuals at two different x are any two numbers; at the same x they differ by y' - y. Between the
    residuals where clipping sets in, g and g' are linear and the sum is convex: only those need a look.
    """
    weights = np.array([[0.75 - x, x - 0.25] for x, _ in (record, other)])
    ends = [np.array([sign * clip / (2 * abs(w)) for w in row if w for sign in (-1, 1)]) for row in weights]
    if record[0] == other[0]:
        residual = np.append(ends[0], ends[1] - (other[1] - record[1]))
        residuals = np.array([residual, residual + (other[1] - record[1])])
    else:
        residuals = np.array(list(product(*ends))).T
    mine, theirs = (np.clip(2 * np.outer(w, e), -clip, clip) for w, e in zip(weights, residuals, strict=True))
    moved = np.abs(mine - theirs)
    return moved[:, np.argmax(np.sum(moved**power, axis=0))]


def _joint_law(mechanism: Mechanism, data: Dataset, epsilon: float, at: Floats) -> JointLaw:
    """The joint law of a release; empty where there is none, or where noisy numbers are compared instead."""
    match mechanism:
        case _NoisySufficientStatistics() | _DPGradDescent():
            return []
        case ChooseByNoisyVariance():
            return _joint_law(mechanism.candidates[1], data, mechanism.rest(epsilon), at)
        case NoisyIntercept():
            at = at[:1]  # every point gets the same number
        case _PrivateTheilSen(k=int(k)) if not pairwise.is_complete(data.n, k) and data.n <= MAX_MATCHED:
            return [(weight, _given(mechanism, data, epsilon, at, pairs)) for pairs, weight in _matchings(data.n, k)]
    laws = [law for law in mechanism.law(data, epsilon, at) if law is not None and law.exact]
    return [(1.0, laws)] if len(laws) == at.size else []


def _given(mechanism: _PrivateTheilSen, data: Dataset, epsilon: float, at: Floats, pairs: Pairs) -> list[Law]:
    """The laws at each point, given the pairs that k matchings drew."""
    first, second = np.array(pairs).T
    grid, changed = mechanism.grid(at), pairwise.lipschitz(data.n, mechanism.k)
    x, y = grid.positions(data.x), grid.positions(data.y)
    estimates = np.sort(pairwise.estimates(x, y, first, second, grid.heights), axis=-1)
    lists = pairwise.within(estimates, *grid.range)
    return [mechanism._median_law(z, epsilon / at.size, changed, grid) for z in lists]


@cache
def _matchings(n: int, k: int) -> list[tuple[Pairs, float]]:
    """Every set of pairs that k random rounds of a random relabelling can give, with its probability."""
    rounds = [np.transpose(ends).tolist() for ends in zip(*pairwise.rounds(n), strict=True)]
    counts = Counter(
        tuple(sorted(tuple(sorted((label[i], label[j]))) for r in chosen for i, j in rounds[r]))
        for label in permutations(range(n))
        for chosen in combinations(range(len(rounds)), k)
    )
    return [(pairs, count / counts.total()) for pairs, count in counts.items()]


def _joint_loss(joint: JointLaw, other: JointLaw) -> float:
    """The largest |log density ratio| of two joint laws."""
    if not (joint and other):
        return np.nan
    columns = list(zip(*(laws for _, laws in joint + other), strict=True))
    if len(joint) == len(other) == 1:
        return float(np.max(np.sum([max_divergences(*pair) for pair in columns], axis=0)))
    outcomes = [_outcomes(column, round(_OUTCOMES ** (1 / len(columns)))) for column in columns]
    mine, theirs = _log_density(joint, outcomes), _log_density(other, outcomes)
    return max(_largest(mine, theirs), _largest(theirs, mine))


def _log_density(joint: JointLaw, outcomes: Sequence[Floats]) -> Floats:
    """The joint log density on the product of the outcomes of each point."""
    total = np.full([len(axis) for axis in outcomes], -np.inf)
    for weight, laws in joint:
        axes = [law.logpdf(axis) for law, axis in zip(laws, outcomes, strict=True)]
        total = np.logaddexp(total, np.log(weight) + sum(np.ix_(*axes)))
    return total


def privacy_loss(law: Law, other: Law) -> float:
    """The supremum over all outcomes, failure included, of |log density ratio| of two laws.

    Exact for point masses, Laplace, Student-t and piecewise uniform laws; otherwise read off a fine grid.
    """
    return max(max_divergences(law, other))


def max_divergences(law: Law, other: Law) -> tuple[float, float]:
    """The suprema over all outcomes of log(density under law / density under other) and of its negative."""
    match law, other:
        case PointMass(a), PointMass(b):
            return (0.0, 0.0) if np.array_equal(a, b, equal_nan=True) else (np.inf, np.inf)
        case (PointMass(), _) | (_, PointMass()):
            return np.inf, np.inf
        case Laplace(a, s), Laplace(b, r):  # the ratio is extreme at a, at b, or far out, where the wider law wins
            outcomes, ends = np.array([a, b]), (_log(s >= r), _log(r >= s))
        case StudentT(a, s, df), StudentT(b, r, other_df) if df == other_df:
            outcomes, ends = _student_extremes(a, s, b, r, df), (df * _log(s), df * _log(r))
        case _:
            outcomes, ends = _outcomes([law, other], _OUTCOMES), (_log(law.failure), _log(other.failure))
    mine, theirs = (np.append(_density_right_of(z, outcomes), end) for z, end in zip((law, other), ends, strict=True))
    return _largest(mine, theirs), _largest(theirs, mine)


def _student_extremes(a: float, s: float, b: float, r: float, df: float) -> Floats:
    """Where the ratio of two Student-t densities, locations a and b, scales s and r, may be extreme.

    Its logarithm is stationary at the roots of (a-b)(t-a)(t-b) + df (r^2 (t-a) - s^2 (t-b)), and far out.
    """
    distance, wider = (b - a) / s, r / s  # in units of the first law
    linear, constant = distance**2 + df * (wider**2 - 1), df * distance
    root = np.sqrt(max(0.0, linear**2 + 4 * distance * constant))
    half = -0.5 * (linear + np.copysign(root, linear))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        roots = np.append(np.array([half, constant]) / np.array([-distance, half]), [0.0, distance])
    return a + s * roots[np.abs(roots) < 1e100]


def _density_right_of(law: Law, t: Floats) -> Floats:
    """The log density just right of t."""
    log_density = law.logpdf(t)
    return np.where(t < law.edges[-1], log_density, -np.inf) if isinstance(law, PiecewiseUniform) else log_density


def _log(share: float) -> float:
    return math.log(share) if share > 0 else -math.inf


def _largest(log_density: Floats, other: Floats) -> float:
    """max(0, log_density - other) over the outcomes that are possible under the first."""
    possible = log_density > -np.inf
    return float(np.max(log_density[possible] - other[possible], initial=0.0))


def _outcomes(laws: Sequence[Law], count: int) -> Floats:
    """Left ends of all pieces of piecewise uniform laws; else sorted quantiles of the laws, to tails of 10^-12."""
    edges = [law.edges for law in laws if isinstance(law, PiecewiseUniform)]
    if len(edges) == len(laws):
        return np.unique(np.concatenate(edges))[:-1]
    shares = expit(np.linspace(-27.6, 27.6, max(8, count // len(laws))))
    found = np.unique(np.concatenate([law.ppf(shares * (1 - law.failure)) for law in laws]))
    return found[np.isfinite(found)]
