"""The verdict: who wins, by how much, and when nobody can say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.datasets import Axis
from dpslr_core.experiments.verdict import format_amount, verdict
from dpslr_core.mechanisms import OLS, DPExpTheilSen, DPGDzCDP, NoisyStats


def summary(**c68: tuple[float, float, float]) -> pd.DataFrame:
    """Rows with C(68) and its interval; an interval of one value is an exact law."""
    rows = [
        {
            "mechanism": name,
            "at": 0.25,
            "c68": c,
            "c68_low": low,
            "c68_high": high,
            "ratio": c / 0.1,
            "exact": low == high,
        }
        for name, (c, low, high) in c68.items()
    ]
    return pd.DataFrame(rows)


THREE = [OLS(), NoisyStats(), DPExpTheilSen(), DPGDzCDP()]


def test_the_smallest_private_error_wins_and_the_margin_is_said():
    found = verdict(
        summary(OLS=(0, 0, 0), NoisyStats=(0.2, 0.2, 0.2), DPExpTheilSen=(0.05, 0.05, 0.05)), THREE, 0.25, 2.0
    )
    assert found.winner == "DPExpTheilSen"
    assert not found.too_close
    text = found.sentence(Axis("rides", "", 0, 1000))
    assert text.startswith("On this data set, at x = 0.25, DPExpTheilSen has the smallest error: 68% of its releases")
    assert "are within ±50 in rides of OLS" in text
    assert "0.50 standard errors — less than the sampling error" in text
    assert "Next is NoisyStats, 4.0 times as large" in text


def test_the_point_is_in_the_units_of_x():
    rows = summary(DPExpTheilSen=(0.05, 0.05, 0.05))
    text = verdict(rows, THREE, 0.25, 2.0).sentence(x=Axis("age", "years", 20, 100))
    assert text.startswith("On this data set, at age = 40 years, DPExpTheilSen")


def test_overlapping_intervals_are_too_close_to_call():
    rows = summary(NoisyStats=(0.20, 0.18, 0.22), DPGDzCDP=(0.21, 0.19, 0.23), DPExpTheilSen=(0.5, 0.5, 0.5))
    found = verdict(rows, THREE, 0.25, 2.0)
    assert found.too_close
    assert "Too close to call: NoisyStats and DPGDzCDP" in found.sentence()


def test_exact_values_are_never_too_close():
    rows = summary(NoisyStats=(0.2, 0.2, 0.2), DPExpTheilSen=(0.2000001, 0.2000001, 0.2000001))
    assert not verdict(rows, THREE, 0.25, 2.0).too_close


def test_a_weaker_guarantee_is_said():
    rows = summary(NoisyStats=(0.2, 0.2, 0.2), DPGDzCDP=(0.1, 0.09, 0.11))
    assert "weaker than pure" in verdict(rows, THREE, 0.25, 2.0).sentence()
    rows = summary(NoisyStats=(0.1, 0.1, 0.1), DPGDzCDP=(0.2, 0.19, 0.21))
    assert "weaker" not in verdict(rows, THREE, 0.25, 2.0).sentence()


def test_nobody_wins_where_nobody_answers():
    found = verdict(summary(NoisyStats=(np.inf, np.inf, np.inf)), THREE, 0.25, 2.0)
    assert found.winner is None
    assert "No private algorithm answers" in found.sentence()
    assert (
        "No differentially private algorithm is chosen" in verdict(summary(OLS=(0, 0, 0)), THREE, 0.25, 2.0).sentence()
    )


@pytest.mark.parametrize(
    ("value", "text"), [(0.012345, "0.0123"), (12345.6, "12,346"), (999.4, "999"), (np.inf, "∞"), (0, "0")]
)
def test_amounts_have_three_digits(value, text):
    assert format_amount(value) == text
