"""Claims about private Theil-Sen: matchings, the exponential mechanism, widening."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np

from ....audit import worst_loss
from ....dataset import Dataset
from ....experiments.errors import measure
from ....laws import medians
from ....laws.piecewise import piece_masses
from ....mechanisms import DPExpTheilSen, DPWideTheilSen
from ....pairs import pair_count, rounds
from ....support.run import QUARTERS, Budget, Run
from .. import measured, printed
from ..claim import Claim, Kind, above, at_least, at_most, equal
from ..settings import SEED

MATCHED, EXPONENTIAL, WIDENED = (
    "Algorithms, DP TheilSen", "Algorithms, exponential mechanism", "Algorithms, widened mechanism"
)  # fmt: skip
ENDS = (-0.5, 1.5)
VALUES = (-0.5, 0.0, 0.5, 0.6, 1.5)


def pairs_in(n: int, matchings: int) -> int:
    """How many different pairs of n records the first so many rounds hold."""
    first, second = (ends[:matchings].ravel().tolist() for ends in rounds(n))
    return len({frozenset(pair) for pair in zip(first, second, strict=True)})


def matchings_of_all_pairs(n: int) -> int:
    """The smallest number of rounds that hold every pair of n records."""
    return next(k for k in range(1, n + 1) if pairs_in(n, k) == pair_count(n, None))


def changed_shares() -> tuple[float, ...]:
    """The share of the estimates that record 0 of 50 takes part in, for 1, 10 and 49 matchings, in percent."""
    first, second = rounds(50)
    return tuple(
        100 * float(np.count_nonzero((first[:k] == 0) | (second[:k] == 0)) / pair_count(50, k)) for k in (1, 10, 49)
    )


def pairs_with_a_slope() -> float:
    """The share of all pairs within the tracts of the simulated state that have different x, in percent."""
    all_pairs = equal_x = 0
    for data in measured.state().datasets.values():
        counts = np.unique(data.x, return_counts=True)[1]
        all_pairs += pair_count(data.n, None)
        equal_x += int((counts * (counts - 1) // 2).sum())
    return 100 * (1 - equal_x / all_pairs)


def utility_sensitivity() -> float:
    """The largest change of |#above - #below| at any r as one of four numbers is replaced."""
    tried, worst = np.unique([*VALUES, *(np.add(VALUES[:-1], VALUES[1:]) / 2)]), 0.0
    for rest in combinations_with_replacement(VALUES, 3):
        for one, other in product(VALUES, repeat=2):
            utilities = [
                np.abs(np.sign(np.array([*rest, value])[:, None] - tried).sum(axis=0)) for value in (one, other)
            ]
            worst = max(worst, float(np.abs(utilities[0] - utilities[1]).max()))
    return worst


def algorithm_three_gap() -> float:
    """The largest difference of an interval's probability between Algorithm 3 and the definition, N odd and even."""
    gaps = []
    for count in (20, 21):
        z = np.sort(np.random.default_rng(SEED).uniform(0, 1, count))
        edges, log_density = medians.exponential_pieces(z, 1.0, *ENDS)
        scores = printed.exponential_log_masses(z, 1.0, *ENDS)
        mine, theirs = piece_masses(edges, log_density), np.exp(scores - scores.max())
        gaps.append(float(np.abs(mine / mine.sum() - theirs / theirs.sum()).max()))
    return max(gaps)


def _coinciding() -> Dataset:
    """Records on a line without errors: all pairwise estimates are equal."""
    x = np.arange(16, 49) / 64  # on the public grid, as y is, so that no estimate is rounded
    return Dataset(x, 0.25 + 0.5 * x)


def mass_near_the_median(mechanism: DPExpTheilSen | DPWideTheilSen, distance: float) -> float:
    """The probability of a release so near to coinciding estimates, in percent, at epsilon 16."""
    data = _coinciding()
    law, center = mechanism.law(data, 16.0)[0], data.predict(QUARTERS[0])[0]
    assert law is not None
    return 100 * float(law.cdf(center + distance) - law.cdf(center - distance))


def floor_of_theta() -> float:
    """C(68) about coinciding estimates over theta, at epsilon 1,000."""
    data, mechanism = _coinciding(), DPWideTheilSen(theta=0.05)
    return measure(data, mechanism, Budget(1000.0), Run())[0].c68 / mechanism.theta


def without_widening() -> float:
    """C(68) of DPWideTheilSen with theta 0 over that of DPExpTheilSen."""
    data = measured.line(60, 0.03, 0.01)
    return measured.ratio(data, DPWideTheilSen(theta=0.0), 2.0) / measured.ratio(data, DPExpTheilSen(), 2.0)


CLAIMS = (
    Claim(
        "matchings-even",
        MATCHED,
        "n − 1 matchings hold every pair of n records once: at n = 50 they hold {} pairs.",
        equal(1225),
        lambda: pairs_in(50, 49),
        "By the circle method.",
    ),
    Claim(
        "matchings-odd",
        "Appendix, lemma on k-Lipschitz transformations",
        "The complete graph on n records splits into n − 1 matchings, for every n: at n = 51 that is {}.",
        equal(50),
        lambda: matchings_of_all_pairs(51),
        "A matching of 51 records holds at most 25 of the 1,275 pairs, so that an odd n takes n matchings. Each leaves "
        "one record out.",
    ),
    Claim(
        "changed-share",
        MATCHED,
        "One record affects k of k n/2 estimates: for n = 50 and k = 1, 10 and 49 that is {}.",
        equal(4, 4, 4, within=1e-9, unit="%"),
        changed_shares,
        "Whatever k is, as the paper says.",
    ),
    Claim(
        "all-pairs-count",
        "Introduction, Robustness and DP Algorithm Design",
        "DPTheilSen takes the median over all pairs of records: {} of them give an estimate.",
        equal(100, within=1e-9, unit="%"),
        pairs_with_a_slope,
        "Ranks with two decimals are often equal within a tract, and Algorithm 2 drops pairs with equal x. "
        "Here such pairs are kept, one at each end of the range in turn.",
        otherwise=Kind.NOT_PUBLIC,
    ),
    Claim(
        "two-medians",
        f"{MATCHED}, Algorithm 2 and lemma",
        "Algorithm 2 is ε-differentially private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPExpTheilSen(), 2.0, n=4).loss.measured,
        "As printed each of the two medians gets all of ε: the pair is 2ε-private, and here is a loss above ε.",
    ),
    Claim(
        "exponential-loss",
        f"{EXPONENTIAL}, lemma",
        "DPExpTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPExpTheilSen(), 1.0, n=4).loss.measured,
        "With ε/2 for each of two predictions, over all neighbours of four records on a grid.",
    ),
    Claim(
        "matching-loss",
        f"{MATCHED}, lemma on k matchings",
        "With one random matching DPExpTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPExpTheilSen(k=1), 1.0, grid=(0.0, 1.0), n=4).loss.measured,
        "Over all neighbours of four records at the corners, averaged over the matchings.",
    ),
    Claim(
        "utility-sensitivity",
        f"{EXPONENTIAL}, Algorithm 3",
        "One changed estimate moves the utility |#above − #below| by {}, as the factor ε/2 needs.",
        equal(2),
        utility_sensitivity,
        "Over all lists of four numbers from five values.",
    ),
    Claim(
        "algorithm-three",
        f"{EXPONENTIAL}, Algorithm 3",
        "Algorithm 3 draws from the density of the definition: the largest difference of a probability is {}.",
        equal(0, within=1e-9),
        algorithm_three_gap,
        "Its distance from the median is rounded up, which changes all scores alike.",
    ),
    Claim(
        "uniform-where-equal",
        WIDENED,
        "Where all estimates coincide, DPExpTheilSen is uniform on [−0.5, 1.5]: {} of the releases are within 0.1.",
        equal(10, within=0.01, unit="%"),
        lambda: mass_near_the_median(DPExpTheilSen(), 0.1),
        "Whatever ε is; here 16.",
    ),
    Claim(
        "widening-helps",
        WIDENED,
        "Widening puts more mass around the median: {} of the releases are within θ = 0.01.",
        above(1, unit="%"),
        lambda: mass_near_the_median(DPWideTheilSen(), 0.01),
        "On coinciding estimates at ε = 16, where DPExpTheilSen has 1%.",
    ),
    Claim(
        "theta-floor",
        WIDENED,
        "θ is a lower bound on the error: C(68) over θ is {}.",
        at_least(1),
        floor_of_theta,
        "All within θ of the median is equally likely, so that C(68) falls to 0.68 θ. θ bounds C(100).",
    ),
    Claim(
        "theta-zero",
        "Algorithms, A Note on Hyperparameters",
        "DPExpTheilSen is DPWideTheilSen with θ = 0: the ratio of their errors is {}.",
        equal(1, within=1e-9),
        without_widening,
    ),
    Claim(
        "widened-loss",
        f"{WIDENED}, lemma",
        "DPWideTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPWideTheilSen(), 1.0).loss.measured,
        "With the density of the definition, over all neighbours of three records on a grid.",
    ),
    Claim(
        "algorithm-four",
        f"{WIDENED}, Algorithm 4",
        "The intervals of Algorithm 4 are lengths: the smallest is {}.",
        at_least(0),
        lambda: float(np.diff(printed.widened_edges(np.linspace(0.2, 0.8, 7), 0.05, *ENDS)).min()),
        "The line for the upper half uses z[i] in the place of z[n − i − 1]. Here the definition is computed.",
    ),
)
