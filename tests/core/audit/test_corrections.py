"""What is wrong in print: both versions are run."""

import numpy as np
import pytest

from dpslr_core.audit import privacy_loss, worst_loss
from dpslr_core.laws import PointMass, StudentT, medians
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import DPSSTheilSen, DPWideTheilSen
from dpslr_core.pairs import with_ends
from dpslr_core.pairs.matchings import every_estimate
from tests.cases.audit import VALUES, median_of, worst_list_loss
from tests.cases.faults import variant

# ---------------------------------------------------------------- equal x


def dropping_ties(of_nothing):
    """Algorithm 2 as printed: pairs with equal x are dropped. of_nothing: the law where all are equal."""

    def laws(self, inherited, data, epsilon, at):
        grid, changed = self.grid(at), data.n - 1
        lists = every_estimate(grid.positions(data.x), grid.positions(data.y), grid.heights)
        kept = [np.clip(np.sort(z[~np.isnan(z)]), *grid.range) for z in lists]
        part = epsilon / at.size
        return [
            self._median_law(with_ends(z, *grid.range), part, changed, grid)
            if z.size
            else of_nothing(grid)
            for z in kept
        ]

    return laws


def test_smooth_sensitivity_may_not_drop_pairs_with_equal_x():
    failing = dropping_ties(lambda grid: PointMass(np.nan))
    worst = worst_loss(variant(DPSSTheilSen, _laws=failing), 1.0, n=3)
    assert worst.loss.measured == np.inf and not worst.loss.holds
    assert worst_loss(DPSSTheilSen(), 1.0, n=3).loss.holds


# ---------------------------------------------------------------- the lemma on smooth sensitivity


def printed_student_noise(self, inherited, *args):
    """The last line of the proof of the Student-t lemma: median + S/s + N."""
    law = inherited(*args)
    return StudentT(law.location + law.scale, 1.0, self.df)


def test_the_last_line_of_the_student_t_lemma_is_not_private():
    z, other = np.array([0.5, 0.5, 0.5, 0.5]), np.array([0.5, 0.5, 0.5, 1.5])
    mechanisms = (
        variant(DPSSTheilSen, {"beta": 0.9}, _median_law=printed_student_noise),
        DPSSTheilSen(beta=0.9),
    )
    printed, ours = (median_of(mechanism, 0.05, 1) for mechanism in mechanisms)
    assert privacy_loss(printed(z), printed(other)) > 0.05
    assert privacy_loss(ours(z), ours(other)) <= 0.05


# ---------------------------------------------------------------- the widened mechanism


def second_median(self, inherited, edges, epsilon, changed, grid):
    """Algorithm 4 as seen in the wild: the median is inserted, and a copy of it goes with either half.

    The flat part around it is then a whole rank better than its neighbours, where half a rank is paid for.
    """
    z = edges[1:-1]
    if z.size % 2 == 0:
        z = np.sort(np.append(z, np.nanmedian(z)))
    half = z.size // 2
    moved = np.concatenate([z[: half + 1] - self.theta, z[half:] + self.theta])
    moved = np.clip(moved, self.lower, self.upper)
    return PiecewiseUniform(
        *medians.exponential_pieces(moved, epsilon / changed, self.lower, self.upper)
    )


@pytest.mark.parametrize(
    ("theta", "count", "values", "loss"),
    [(0.01, 4, (*VALUES, 1.0), 1.32), (0.01, 2, VALUES, 1.27), (0.1, 2, VALUES, 1.22)],
)
def test_a_second_copy_of_the_median_loses_more_than_epsilon(theta, count, values, loss):
    copied = variant(DPWideTheilSen, {"theta": theta}, _median_law=second_median)
    assert worst_list_loss(median_of(copied, 1.0, 1), count, 1, values) == pytest.approx(
        loss, abs=0.005
    )
    assert worst_list_loss(median_of(DPWideTheilSen(theta=theta), 1.0, 1), count, 1, values) <= 1
