"""Mechanisms and neighbouring data sets that the tests of the audit share."""

import itertools

import numpy as np

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import all_neighbours, compare_views
from dpslr_core.support.run import QUARTERS

CHEAP = [
    *(dp.NoisyIntercept(), dp.NoisyStats(), dp.NoisyStatsGaussian()),
    dp.NoisyStatsGaussian(split=(0.4, 0.4, 0.2)),
    *(
        dp.DPGDPure(),
        dp.DPGDPure(steps=5, clip=0.2),
        dp.DPGDApprox(delta=0.01, clip=3.0),
        dp.DPGDzCDP(),
    ),
]
DEAR = [
    *(dp.CenteredStats(b=(4, 4, 2, 1, 1), clip=True, ridge=True), dp.CenteredStatsGaussian()),
    *(
        dp.DPExpTheilSen(),
        dp.DPExpTheilSen(k=2),
        dp.DPExpTheilSenZCDP(),
        dp.DPWideTheilSen(theta=0.3),
    ),
    *(dp.DPSSTheilSen(), dp.JointTheilSen(), dp.JointTheilSenZCDP()),
    *(dp.DeepestLine(grid=10), dp.DeepestLine(c=0.7, grid=7, lower=0.0, upper=1.0)),
    dp.DeepestLineZCDP(c=0.0, grid=5),
]
OTHERS = [  # of three records alone
    *(dp.DPExpTheilSen(lower=0.0, upper=1.0), dp.DPWideTheilSen(k=1, theta=0.2)),
    *(dp.DPWideTheilSenZCDP(theta=0.3), dp.DPSSTheilSen(beta=0.9, df=1.5)),
    dp.DPSSTheilSen(beta=0.0),
    *(dp.DPSSTheilSen(k=1), dp.JointTheilSen(k=2), dp.DeepestLine(c=0.0, grid=10)),
]

# Where four records of the mechanisms in CHEAP tell all that they are allowed to.
CORNERS = (0.0, 1.0)


def worst_of_mirrored(mechanism, epsilon, grid, n):
    """worst_loss(mechanism, epsilon, grid=grid, n=n) at the quarters, of each neighbourhood and its mirror image one.

    From right to left the quarters change places, and with them all that is released.
    """
    at, views, losses = np.array(QUARTERS), {}, []
    for near in all_neighbours(grid, n):
        if sorted(near) > sorted(tuple(sorted((1 - x, y) for x, y in records)) for records in near):
            continue
        for records in near:
            if records not in views:
                views[records] = mechanism.view(Dataset(*np.array(records).T), epsilon, at)
        pairs = itertools.combinations([views[records] for records in near], 2)
        losses += [compare_views(mechanism, *pair, epsilon) for pair in pairs]
    return max(losses, key=lambda loss: loss.measured)


def neighbours(seed, n=6):
    rng = np.random.default_rng(seed)
    data = Dataset(rng.random(n), rng.random(n))
    return data, data.with_record(2, rng.choice([0, 0.25, 1.0]), rng.choice([0, 0.5, 1]))
