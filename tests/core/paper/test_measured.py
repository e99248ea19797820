"""Numbers behind claims: errors are those that compare gives; what is read off tables, on small ones made by hand."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.mechanisms import NoisyStats
from dpslr_core.paper import claims, measured

CLAIM = {claim.key: claim for claim in claims.CLAIMS}
SETTINGS = pd.DataFrame(
    {"NoisyStats": [4.0, 1.0, 3.0], "DPGDzCDP": [2.0, 0.9, 3.5], "DPGDPure": [9.0, 8.0, 2.0]},
    index=[1, 2, 3],
)


def test_shares_count_the_rows_in_order_and_ratios_are_of_the_smallest():
    assert measured.share_in_order(SETTINGS, "DPGDzCDP", "NoisyStats") == pytest.approx(200 / 3)
    assert measured.share_in_order(
        SETTINGS, "DPGDPure", ("NoisyStats", "DPGDzCDP")
    ) == pytest.approx(100 / 3)
    assert measured.ratios(
        SETTINGS, "NoisyStats", ("DPGDzCDP", "DPGDPure")
    ).tolist() == pytest.approx([2, 10 / 9, 1.5])
    assert measured.over_the_best(SETTINGS, "DPGDzCDP", "NoisyStats").tolist() == pytest.approx(
        [1, 1, 1.5]
    )
    assert (
        measured.worst_over_best(
            SETTINGS.loc[1], ["DPGDPure", "NoisyStats"], ["DPGDzCDP", "NoisyStats"]
        )
        == 4.5
    )


def test_claims_about_all_settings_count_the_settings_that_agree(monkeypatch):
    named = SETTINGS.rename(columns={"DPGDPure": "DPExpTheilSen10Match"})
    monkeypatch.setattr(claims, "every_setting", lambda: named)
    assert CLAIM["panels-pure-best"].compute() == pytest.approx(100 / 3)
    assert CLAIM["descent-ahead"].compute() == pytest.approx(200 / 3)


def test_errors_by_point_are_in_units_of_y(monkeypatch):
    errors = pd.DataFrame(
        {"NoisyStats": [2.0, 1.0, 2.0], "DPExpTheilSen10Match": [1.0] * 3}, index=[0.0, 0.5, 1.0]
    )
    monkeypatch.setattr(measured, "means", lambda sweep: errors)
    monkeypatch.setattr(measured, "panel", lambda key: None)
    in_units = measured.errors_by_point(40)
    assert in_units["NoisyStats"].loc[0.5] == pytest.approx(
        (0.01 / 250) ** 0.5
    )  # sigma_e over the root of n
    assert measured.growth(40, "NoisyStats") == pytest.approx(2 * (1 + 0.25 / 0.02) ** 0.5)
    assert CLAIM["point-best"].compute() == [0.5] * 6


def test_rankings_count_the_leader_and_the_printed_order(monkeypatch):
    printed = ["DPExpTheilSen", "DPWideTheilSen", "DPSSTheilSen", "NoisyStats"]
    monkeypatch.setattr(claims, "rankings", lambda: [printed, printed, printed, printed[::-1]])
    assert CLAIM["real-best"].compute() == 3 and CLAIM["real-order"].compute() == 2


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_the_failure_rate_is_that_of_the_law(epsilon):
    data = measured.line(39, 0.001, 0.01)
    law = NoisyStats().law(data, epsilon)[0]
    assert measured.failure(data.nvar, data.n, epsilon) == pytest.approx(100 * law.failure)
    both = [measured.failure(data.nvar, data.n, each) for each in (epsilon, 1.0)]
    assert measured.failure(data.nvar, data.n, np.array([epsilon, 1.0])) == pytest.approx(
        np.mean(both)
    )


def test_equal_x_are_counted_pair_by_pair():
    share = measured.pairs_with_a_slope()
    different = [
        sum(a != b for a, b in combinations(data.x.tolist(), 2)) for data in measured.tracts(100)
    ]
    possible = [data.n * (data.n - 1) // 2 for data in measured.tracts(100)]
    assert share == pytest.approx(100 * sum(different) / sum(possible), abs=0.2)
