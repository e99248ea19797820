"""Coverage: three settings are certified, and the stored table holds what pages say of it."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.coverage import CoverageSetting, coverage
from dpslr_core.audit.scores import clopper_pearson
from dpslr_core.experiments.coverage import hypergeometric_limits
from dpslr_core.sources.linear import LinearModel

CERTIFIED = [
    CoverageSetting(LinearModel(60, 0.03, 0.01), 8.0),
    CoverageSetting(LinearModel(300, 0.03, 0.01), 2.0),
    CoverageSetting(
        LinearModel(1_000, 0.03, 0.01, error_shape="heavy tails"), 1.0, "errors with heavy tails"
    ),
]


@pytest.mark.parametrize("setting", CERTIFIED, ids=lambda setting: setting.name)
def test_intervals_hold_their_target_as_often_as_they_say(setting):
    """At least 95%, but for the chance of a sample; of the true line and of OLS."""
    table = coverage(setting, 600, seed=1)
    table = table[
        table["algorithm"].isin(["OLS", "CenteredStats", "CenteredStatsGaussian", "NoisyStats"])
    ]
    assert len(table) == 1 + 2 * 3
    for row in table.itertuples():
        assert clopper_pearson(row.held, row.datasets, 0.002)[1] >= 0.95, row
        if row.algorithm == "CenteredStatsGaussian":  # nor far more often: its noise is normal
            assert clopper_pearson(row.held, row.datasets, 0.002)[0] <= 0.955, row


@pytest.mark.parametrize(
    ("held", "drawn", "of"),
    [(0, 7, 30), (7, 7, 30), (9, 9, 9), (171, 200, 3108)],
)
def test_hypergeometric_limits_are_those_of_the_distribution(held, drawn, of):
    """Inside are the numbers at which neither tail, with what was seen, is as rare as 2.5%."""
    low, high = hypergeometric_limits(held, drawn, of)
    having = np.arange(held, of - drawn + held + 1)
    law = stats.hypergeom(of, having, drawn)
    inside = having[(law.cdf(held) > 0.025) & (law.sf(held - 1) > 0.025)]
    assert inside.tolist() == list(range(low, high + 1))
