"""The law of the depth score at the true line: all sign sequences, known probabilities, and the scores themselves."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from dpslr_core.depth import DepthScores, LineGrid
from dpslr_core.intervals.own_budget import at_most, depth_bound


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_it_counts_all_sequences_of_signs(n):
    counts = Counter()
    for signs in product((-1, 1), repeat=n):
        sums = np.append(0, np.cumsum(signs))
        counts[int(np.abs(2 * sums - sums[-1]).max())] += 1
    for m in range(-1, n + 2):
        assert at_most(n, m) == pytest.approx(sum(counts[k] for k in counts if k <= m) / 2**n, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "m", "chance"), [(30, 14, 0.9393), (30, 16, 0.9801), (100, 28, 0.9482), (100, 30, 0.9707)]
)
def test_known_probabilities(n, m, chance):
    assert at_most(n, m) == pytest.approx(chance, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30, 101, 2_000, 100_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_bound_is_the_least_score_that_holds_the_level(n, level):
    bound = depth_bound(n, level)
    assert (bound - n) % 2 == 0 and at_most(n, bound) >= level > at_most(n, bound - 2)


def test_near_three_root_n_for_95_percent():
    assert all(abs(depth_bound(n, 0.95) / np.sqrt(n) - 3) < 0.15 for n in (100, 1_000, 10_000))


def test_scores_at_the_true_line_have_this_law():
    rng, n, grid = np.random.default_rng(1), 31, LineGrid(3, -1.0, 2.0)  # the cell in the middle is the line 1/2
    scores = []
    for _ in range(1_500):
        x, y = rng.random(n), 0.5 + rng.choice([-1, 1], n) * rng.exponential(size=n) * 0.05
        scores.append(DepthScores(x, y, 0.0, grid).of_cells(np.array([4]))[0])
    for m in (9, 13, 17):
        assert np.mean(np.array(scores) <= m) == pytest.approx(at_most(n, m), abs=4 * 0.5 / np.sqrt(1_500))
