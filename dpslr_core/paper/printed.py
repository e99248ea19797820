"""Numbers behind the claims that follow from print alone: definitions, lemmas and algorithms on small inputs.

Errors in print are transcribed, so that they can be run beside the corrections. A function without a docstring
computes the numbers of one claim, whose sentence and reason are in claims.toml.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product

import numpy as np

from ..audit import privacy_loss, worst_loss
from ..dataset import Dataset
from ..experiments.errors import measure
from ..laws import medians
from ..laws.named import StudentT
from ..laws.piecewise import piece_masses
from ..mechanisms import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen, Mechanism
from ..pairs import pair_count, rounds, with_ends
from ..privacy import Budget
from ..support.run import QUARTERS, Run
from ..support.types import Floats
from .measured import SEED, line

ENDS = (-0.5, 1.5)
VALUES = (-0.5, 0.0, 0.5, 0.6, 1.5)  # values of the estimates in small lists
_T = 0.5  # smoothness t


def loss(
    mechanism: Mechanism, epsilon: float = 1.0, n: int = 3, grid: tuple[float, ...] | None = None
) -> float:
    """Return the worst privacy loss over all neighbours of n records on a grid.

    Parameters
    ----------
    mechanism : Mechanism
        Algorithm.
    epsilon : float
        Budget.
    n : int
        Number of records.
    grid : tuple of float, optional
        Values of x and y, by default those of ``worst_loss``.
    """
    return worst_loss(
        mechanism, epsilon, n=n, **({} if grid is None else {"grid": grid})
    ).loss.measured


# Least squares, sufficient statistics and gradients.


def closed_form_gap() -> float:
    data = line(250, 0.03, 0.01)
    slope, intercept = np.linalg.lstsq(
        np.column_stack([data.x, np.ones(data.n)]), data.y, rcond=None
    )[0]
    return max(abs(slope - data.slope), abs(intercept - data.intercept))


def change_of_ols(width: float) -> float:
    """Return the change of OLS at x = 0.25 when one of 30 records at x = 0.5 moves from -width to +width about it.

    The other records lie on y = 0.5, so that the moved record turns the line by 1 / width.
    """
    y = np.append(np.full(29, 0.5), 1.0)
    after, before = (
        Dataset(np.append(np.full(29, 0.5), 0.5 + step), y) for step in (width, -width)
    )
    return float(abs(after.predict(0.25)[0] - before.predict(0.25)[0]))


def largest_changes() -> tuple[float, float]:
    records = list(product((0.0, 0.5, 1.0), repeat=2))
    nvar = ncov = 0.0
    for rest in combinations_with_replacement(records, 4):
        x, y = np.transpose([(*rest, record) for record in records], (2, 0, 1))
        x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
        nvar, ncov = (
            max(nvar, float(np.ptp((x * x).sum(axis=1)))),
            max(ncov, float(np.ptp((x * y).sum(axis=1)))),
        )
    return nvar, ncov


def gradient_sensitivities() -> tuple[float, float]:
    x, residual = np.meshgrid(np.linspace(0, 1, 41), np.linspace(-50, 50, 41))
    gradients = np.clip(
        2 * residual.ravel() * np.stack([0.75 - x.ravel(), x.ravel() - 0.25]), -1, 1
    )
    change = gradients[:, :, None] - gradients[:, None, :]
    return float(np.abs(change).sum(axis=0).max()), float(np.sqrt((change**2).sum(axis=0)).max())


def descent(data: Dataset, sign: float, steps: int = 80, clip: float = 1.0) -> Floats:
    """Run Algorithm 6 without noise: the averaged predictions at 1/4 and 3/4, shape (2,).

    The step is 1 over the root of the sum of squared norms.

    Parameters
    ----------
    data : Dataset
        Records.
    sign : float
        Sign of the step: -1 as printed, 1 as it must be, since the gradients are proportional to y - fit.
    steps : int
        Number of steps.
    clip : float
        Bound of a record's gradient, along each axis.
    """
    weights = np.stack([0.75 - data.x, data.x - 0.25])
    p, squares, path = np.array([0.5, 0.5]), 0.0, []
    for _ in range(steps):
        path.append(p)
        residual = data.y - 2 * p @ weights
        gradient = np.clip(2 * residual * weights, -clip, clip).sum(axis=1)
        squares += float(gradient @ gradient)
        p = p + sign * gradient / math.sqrt(squares)
    return np.mean(path[steps // 2 :], axis=0)


def printed_descent_misses() -> float:
    data = line(250, 0.03, 0.01)
    return abs(float(descent(data, sign=-1.0)[0] - data.predict(QUARTERS[0])[0]))


def printed_epsilon(rho: float, delta: float) -> float:
    """Return the epsilon of the lemma on rho-zCDP and (epsilon, delta); NaN if its root is of a negative number."""
    inside = 4 * rho * math.log(math.sqrt(math.pi * rho) / delta)
    return rho + math.sqrt(inside) if inside >= 0 else math.nan


def lognormal_moments() -> tuple[float, float]:
    mean, variance = 68_000.0, 4 * 25_000.0**2
    location = 2 * math.log(mean) - 0.5 * math.log(variance + mean**2)
    spread = -2 * math.log(mean) + math.log(variance + mean**2)
    expectation = math.exp(location + spread / 2)
    return expectation / mean, (math.exp(spread) - 1) * expectation**2 / variance


# Matchings and private medians.


def pairs_in(n: int, matchings: int) -> int:
    """Count the different pairs of n records in the first matchings."""
    first, second = (ends[:matchings].ravel().tolist() for ends in rounds(n))
    return len({frozenset(pair) for pair in zip(first, second, strict=True)})


def matchings_of_all_pairs(n: int) -> int:
    """Return the smallest number of matchings that hold every pair of n records."""
    return next(k for k in range(1, n + 1) if pairs_in(n, k) == pair_count(n, None))


def changed_shares() -> tuple[float, ...]:
    first, second = rounds(50)
    return tuple(
        100 * float(np.count_nonzero((first[:k] == 0) | (second[:k] == 0)) / pair_count(50, k))
        for k in (1, 10, 49)
    )


def utility_sensitivity() -> float:
    r = np.unique([*VALUES, *(np.add(VALUES[:-1], VALUES[1:]) / 2)])
    worst = 0.0
    for rest in combinations_with_replacement(VALUES, 3):
        utilities = [
            np.abs(np.sign(np.array([*rest, value])[:, None] - r).sum(axis=0)) for value in VALUES
        ]
        worst = max(worst, float(np.ptp(utilities, axis=0).max()))
    return worst


def exponential_log_masses(z: Floats, epsilon: float, lower: float, upper: float) -> Floats:
    """Return the scores of Algorithm 3 without their noise: logarithms of interval masses up to one constant.

    Parameters
    ----------
    z : array, shape (N,)
        Sorted estimates inside the range.
    epsilon : float
        Budget of the median.
    lower, upper : float
        Ends of the range.

    Returns
    -------
    array, shape (N + 1,)
        Score of each interval between neighbours.
    """
    edges = np.concatenate([[lower], z, [upper]])
    n = edges.size
    i = np.arange(1, n)
    return np.log(np.diff(edges)) - epsilon / 2 * np.ceil(np.abs(i - n / 2))


def algorithm_three_gap() -> float:
    gaps = []
    for count in (20, 21):
        z = np.sort(np.random.default_rng(SEED).uniform(0, 1, count))
        defined = piece_masses(*medians.exponential_pieces(z, 1.0, *ENDS))
        scores = exponential_log_masses(z, 1.0, *ENDS)
        printed = np.exp(scores - scores.max())
        gaps.append(float(np.abs(defined / defined.sum() - printed / printed.sum()).max()))
    return max(gaps)


def widened_edges(z: Floats, theta: float, lower: float, upper: float) -> Floats:
    """Return the entries of Algorithm 4 after its loop, with the ends of the range, shape (N + 2,).

    The line for the upper half reads z[n - i - 1] = min(z_u, z[i] + theta), where z[i] has just been moved down.

    Parameters
    ----------
    z : array, shape (N,)
        Sorted estimates, N odd.
    theta : float
        Widening.
    lower, upper : float
        Ends of the range, z_l and z_u.
    """
    moved, n = z.copy(), z.size
    for i in range(n // 2 + 1):
        moved[i] = max(lower, moved[i] - theta)
        moved[n - i - 1] = min(upper, moved[i] + theta)
    return np.concatenate([[lower], moved, [upper]])


def coinciding() -> Dataset:
    """Return records on a line without errors: all pairwise estimates are equal."""
    x = np.arange(16, 49) / 64  # x and y lie on the public grid, so that no estimate is rounded
    return Dataset(x, 0.25 + 0.5 * x)


def mass_near_the_median(mechanism: DPExpTheilSen | DPWideTheilSen, distance: float) -> float:
    """Return the probability of a release within a distance of coinciding estimates, in percent, at epsilon 16."""
    data = coinciding()
    law, center = mechanism.law(data, 16.0)[0], data.predict(QUARTERS[0])[0]
    assert law is not None
    return 100 * float(law.cdf(center + distance) - law.cdf(center - distance))


def floor_of_theta() -> float:
    mechanism = DPWideTheilSen(theta=0.05)
    return measure([coinciding()], mechanism, Budget(1000.0), Run())[0][0].c68 / mechanism.theta


# The median by smooth sensitivity.


def main_text_sensitivity(z: Floats, k: int, t: float, lower: float, upper: float) -> float:
    """Return the smooth sensitivity of the median as the main text's lemma has it.

    From l = 1 on a stretch is z[m+s] - z[m-(k(l+1)+s)].

    Parameters
    ----------
    z : array, shape (N,)
        Sorted estimates.
    k : int
        Number of estimates that one record changes.
    t : float
        Smoothness: a stretch after l changed records is multiplied by e^(-l t).
    lower, upper : float
        Ends of the range.
    """
    m = math.ceil(z.size / 2) - 1

    def entry(index: np.ndarray) -> Floats:
        inside = z[np.clip(index, 0, z.size - 1)]
        return np.where(index < 0, lower, np.where(index >= z.size, upper, inside))

    best = float(max(entry(np.array(m + k)) - z[m], z[m] - entry(np.array(m - k))))
    for level in range(1, 2 * z.size + 2):
        width = k * (level + 1)
        s = np.arange(width + 1)
        best = max(best, math.exp(-level * t) * float(np.max(entry(m + s) - entry(m - width - s))))
    return best


def forms_factor() -> float:
    lists = np.clip(np.random.default_rng(SEED).normal(0.5, 0.1, (15, 100)), *ENDS)
    lists.sort(axis=1)
    t = 0.25  # smoothness at epsilon 2 for one point
    main_text = [main_text_sensitivity(z, 1, t, *ENDS) for z in lists]
    return float(np.median(main_text / medians.smooth_sensitivity(lists, 1, t, *ENDS)))


def _neighbouring_lists() -> list[Floats]:
    """Return arrays of sorted lists of four numbers, shape (lists, 4); the lists of an array share three numbers."""
    shared = combinations_with_replacement(VALUES, 3)
    return [np.sort([(*rest, value) for value in VALUES], axis=1) for rest in shared]


def moved_over_sensitivity() -> float:
    worst = 0.0
    for lists in _neighbouring_lists():
        middle, allowed = (
            medians.lower_median(lists),
            medians.smooth_sensitivity(lists, 1, _T, *ENDS),
        )
        moved = np.abs(middle[:, None] - middle).max(axis=1)
        worst = max(worst, float(np.max(moved / allowed)))
    return worst


def sensitivity_change() -> float:
    allowed = [medians.smooth_sensitivity(lists, 1, _T, *ENDS) for lists in _neighbouring_lists()]
    return max(float(s.max() / s.min()) for s in allowed) / math.exp(_T)


def moved_by_the_mean_of_two() -> float:
    far = math.exp(_T)
    # One record changes two entries.
    before, after = np.array([0, 0, 0, 0, 1, far]), np.array([0, 0, 1, far, far, far])
    moved = float(np.median(after) - np.median(before))
    return moved / float(medians.smooth_sensitivity(before, 2, _T, 0.0, far))


def student_law(z: Floats, epsilon: float) -> StudentT:
    """Return the law of DPSSTheilSen's median of sorted estimates z, where one record changes one estimate."""
    mechanism = DPSSTheilSen()
    grid = mechanism.grid(np.array([0.5]))
    (law,) = mechanism.laws_of([with_ends(z, *grid.range)], epsilon, 1, grid)
    assert isinstance(law, StudentT)
    return law


def divisor_at_the_default() -> float:
    z = np.linspace(0.3, 0.7, 21)
    allowed = medians.smooth_sensitivity(z, 1, 2 / (2 * 4), *ENDS)
    return float(allowed) / student_law(z, 2.0).scale


def printed_proof_loss() -> float:
    laws = [student_law(np.array([0.5, 0.5, 0.5, last]), 0.05) for last in (0.5, 1.5)]
    before, after = (StudentT(law.location + law.scale, 1.0, law.df) for law in laws)
    return privacy_loss(before, after)
