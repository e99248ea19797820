"""Programs of every algorithm that can be released, and small neighbours of whole numbers."""

from itertools import combinations_with_replacement, product

import numpy as np

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.privacy import ZCDP, PureDP
from dpslr_core.release import chosen
from dpslr_core.release.programs import program_of

EPSILON = 2.0

MECHANISMS = (
    dp.NoisyIntercept(),
    dp.CenteredStats(),
    dp.CenteredStatsGaussian(),
    dp.NoisyStats(),
    dp.NoisyStats(fallback=True, split=(0.5, 0.3, 0.2)),
    dp.NoisyStatsGaussian(),
    dp.DPExpTheilSen(),
    dp.DPExpTheilSenZCDP(),
    dp.DPWideTheilSen(theta=0.1),
    dp.DPWideTheilSenZCDP(theta=0.1),
    dp.JointTheilSen(),
    dp.JointTheilSenZCDP(),
    dp.DeepestLine(grid=10),
    dp.DeepestLine(grid=10, c=0.0),
    dp.DeepestLineZCDP(grid=10),
)
CLASSES = {
    type(mechanism).__name__: mechanism for mechanism in reversed(MECHANISMS)
}  # the first of each class
CASES = {repr(mechanism): mechanism for mechanism in MECHANISMS}


def program(case, n, grid=1000, points=(0.25, 0.75), epsilon=EPSILON, level=0.95):
    """The program of a case; guarantees of both kinds with the same epsilon."""
    mechanism = CASES[case] if isinstance(case, str) else case
    guarantee = PureDP(epsilon) if mechanism.guarantee(1.0).pure else ZCDP(epsilon**2 / 2)
    return program_of(mechanism, guarantee, points, n, grid, level)


def smaller(monkeypatch, candidates=40, lines=8):
    """Fewer candidates for medians, so that thousands of draws take seconds."""
    monkeypatch.setattr(chosen, "MEDIANS", candidates)
    monkeypatch.setattr(chosen, "LINES", lines)


def replaced(grid, n):
    """The other n - 1 records, and every record that may stand beside them: all neighbours of whole numbers."""
    every = list(product(range(grid + 1), repeat=2))
    for others in combinations_with_replacement(every, n - 1):
        yield [
            tuple(np.array(column) for column in zip(*others, one, strict=True)) for one in every
        ]


def records(n, seed=0, noise=0.05):
    """Whole numbers around a line, at K = 1000."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 0.9, n)
    y = np.clip(0.2 + 0.5 * x + noise * rng.standard_normal(n), 0, 1)
    return np.rint(1000 * x).astype(int), np.rint(1000 * y).astype(int)


def dataset(x, y, grid=1000):
    return Dataset(np.asarray(x) / grid, np.asarray(y) / grid)


LIMIT = 2.7  # above it with a chance of 1e-6: there is no seed to fix


def kolmogorov(draws, cdf):
    """Kolmogorov's distance of whole numbers from 0 on to their cdf at 0, 1, ..., times the root of their number."""
    shares = np.bincount(draws, minlength=len(cdf)).cumsum() / len(draws)
    return np.abs(shares - cdf).max() * np.sqrt(len(draws))


def follow_no_other_scale(distance):
    """Draws are near their law and far from laws of other scales; distance: by the factor of the scale."""
    for factor, near in [(1, True), (2 / 3, False), (3 / 2, False)]:
        assert (distance(factor) < LIMIT) == near, (factor, distance(factor))
