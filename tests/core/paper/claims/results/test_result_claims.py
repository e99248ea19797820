"""Claims about results: what is read off panels and rankings, on small ones made by hand."""

import pandas as pd
import pytest

from dpslr_core.paper.claims import measured
from dpslr_core.paper.claims.results import non_robust, real_data, roles, takeover

SETTINGS = pd.DataFrame(
    {"NoisyStats": [4.0, 1.0, 3.0], "DPGDzCDP": [2.0, 0.9, 3.5], "DPGDPure": [9.0, 8.0, 2.0]}, index=[1, 2, 3]
)


def test_shares_of_settings_count_those_in_order(monkeypatch):
    monkeypatch.setattr(non_robust, "every_setting", lambda: SETTINGS)
    assert non_robust.in_order("DPGDzCDP", "NoisyStats") == pytest.approx(200 / 3)
    assert non_robust.in_order("DPGDzCDP", "NoisyStats", "DPGDPure") == pytest.approx(200 / 3)
    monkeypatch.setattr(takeover, "every_setting", lambda: SETTINGS)
    assert takeover.led_by("DPGDPure", []) == pytest.approx(100 / 3)
    assert takeover.led_by("NoisyStats", ["DPGDzCDP"]) == pytest.approx(200 / 3)


def test_errors_by_point_are_in_units_of_y(monkeypatch):
    ratios = pd.DataFrame({"NoisyStats": [2.0, 1.0, 2.0], "DPExpTheilSen10Match": [1.0] * 3}, index=[0.0, 0.5, 1.0])
    monkeypatch.setattr(measured, "means", lambda key: ratios)
    errors = roles.errors_by_point(40)
    assert errors["NoisyStats"].loc[0.5] == pytest.approx((0.01 / 250) ** 0.5)  # sigma_e over the root of n
    assert roles.growth(40, "NoisyStats") == pytest.approx(2 * (1 + 0.25 / 0.02) ** 0.5)
    assert roles.best_points() == (0.5,) * 6


def test_rankings_count_the_leader_and_the_printed_order(monkeypatch):
    printed = ["DPExpTheilSen", "DPWideTheilSen", "DPSSTheilSen", "NoisyStats"]
    other = ["DPExpTheilSen", "DPSSTheilSen", "DPWideTheilSen", "NoisyStats"]
    monkeypatch.setattr(real_data, "_four_rankings", lambda: [other, printed, printed, other[::-1]])
    assert real_data.led_by_theil_sen() == 3 and real_data.in_the_printed_order() == 2
    monkeypatch.setattr(real_data, "_four_rankings", lambda: [printed, other, other, other])  # the tracts do not count
    assert real_data.in_the_printed_order() == 0
