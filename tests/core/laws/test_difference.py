"""The law of the difference of two released numbers: counted, integrated and drawn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from dpslr_core import Dataset
from dpslr_core.experiments.areas import split_groups
from dpslr_core.laws.difference import difference_cdf
from dpslr_core.laws.joint import JointLaw
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    DPSSTheilSen,
    DPWideTheilSen,
    JointTheilSen,
    JointTheilSenZCDP,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.sources.samples import load_sample
from dpslr_core.support.run import QUARTERS

TRACTS = split_groups(load_sample("tracts").frame).datasets
FIRST = PiecewiseUniform(np.array([0.0, 0.2, 0.2, 0.7, 1.0]), np.log([1.0, 3.0, 0.4, 2.0]))
SECOND = PiecewiseUniform(
    np.array([-0.5, 0.1, 0.3 + 1e-12, 0.30001, 1.5]), np.log([0.5, 2.0, 900.0, 0.2])
)
PLACES = np.array([-1.6, -0.9, -0.31, 0.0, 0.1, 0.27, 0.8, 1.6])
ALL = [
    NoisyStats(), NoisyStats(fallback=True), NoisyStatsGaussian(), CenteredStats(), CenteredStats(ridge=True),
    DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen(), JointTheilSen(), JointTheilSenZCDP(),
    DeepestLine(), DeepestLine(grid=50),
]  # fmt: skip


def integrated(first, second, t: float) -> float:
    ends = [float(edge) for edge in first.edges]
    parts = [
        quad(lambda r: np.exp(first.logpdf(r)) * second.cdf(r + t), a, b, limit=400, points=None)[0]
        for a, b in pairwise(ends)
        if b > a
    ]
    return sum(parts)


def test_of_two_piecewise_uniform_numbers_it_is_the_integral():
    for first, second in [(FIRST, SECOND), (SECOND, FIRST), (FIRST, FIRST)]:
        parts = JointLaw([(0.25, (first, second)), (0.75, (second, first))])
        expected = [
            0.25 * integrated(first, second, t) + 0.75 * integrated(second, first, t)
            for t in PLACES.tolist()
        ]
        assert difference_cdf(parts, PLACES) == pytest.approx(expected, abs=2e-6)


def test_it_is_unknown_where_the_law_is():
    assert difference_cdf(JointLaw(), PLACES) is None
    assert (
        difference_cdf(JointLaw([(1.0, (FIRST, SECOND))], dependence_unknown=True), PLACES) is None
    )


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
def test_the_chance_of_a_slope_is_the_share_of_drawn_ones(mechanism):
    data: Dataset = TRACTS["T04"]
    for epsilon in (1.0, 12.0):
        drawn = mechanism.release(data, epsilon, QUARTERS, 10_000, rng=np.random.default_rng(3))
        slopes = 2 * (drawn[:, 1] - drawn[:, 0])
        slopes[np.abs(slopes) < 1e-12] = np.nan  # a flat line has none
        for low, high in [(data.slope - 0.4, data.slope + 0.2), (0.3, 2.0), (-2.0, -0.01)]:
            share = float(np.mean((low <= slopes) & (slopes <= high)))
            slack = 4 * np.sqrt(share * (1 - share) / slopes.size) + 3e-4
            assert mechanism.slope_within(data, low, high)(epsilon).inside == pytest.approx(
                share, abs=slack
            )


def test_the_chance_of_a_slope_is_unknown_without_a_law_and_takes_no_notice_of_clipped_predictions():
    data = TRACTS["T04"]
    for mechanism in (DPGDPure(), DPExpTheilSen(k=10)):
        assert mechanism.slope_within(data, -1.0, 1.0)(2.0) is None
    chances = [
        each.slope_within(data, -1.0, 1.0)(2.0)
        for each in (CenteredStats(), CenteredStats(clip=True))
    ]
    assert chances[0] == chances[1]
