"""Sentences on intervals, on tables made by hand: who is narrowest, what has no end, how often they are right."""

import numpy as np
import pandas as pd
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core.experiments.released_intervals import POWER_COLUMNS
from dpslr_core.text import intervals as text
from dpslr_core.text.sweep import SweepDescription
from tests.golden.sentences import view


def test_a_hundred_intervals_are_counted():
    for held, missed in ((96, "4 miss it"), (99, "1 misses it"), (100, "0 miss it")):
        table = pd.DataFrame({"low": 0.0, "high": 1.0, "held": [i < held for i in range(100)]})
        words = text.hundred_sentence(table, "CenteredStats", 0.95)
        assert (
            words.startswith(f"{held} of 100 intervals by CenteredStats hold") and missed in words
        )
        assert words.endswith("At 95%, 95 should.")
    assert text.hundred_sentence(table.assign(high=np.inf), "CenteredStats", 0.95).endswith(
        "100 have no end."
    )


def stored(*shares):
    """A table of coverage with normal errors for all shares of 2,000 but the last, beside OLS at 70%."""
    settings = [f"setting {i}, normal errors" for i in range(len(shares) - 1)] + ["the last"]
    made = [("CenteredStats", "fieller", *row) for row in zip(settings, shares, strict=True)]
    made += [("OLS", "t", setting, 0.7) for setting in settings]
    table = pd.DataFrame(made, columns=["algorithm", "method", "setting", "coverage"])
    return table.assign(target="true line", datasets=2_000, high=table["coverage"] + 0.01)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((0.95, 0.97, 0.83), "held the line in 95% to 97% of simulated data sets with normal errors. At worst it was "
         "83% of 2,000, where OLS had 70%. That was at the last."),
        ((0.95, 0.945), "94.5% or more of 2,000 simulated data sets, in each of 2 settings"),
        ((1.0, 1.0), "line in nearly all of 2,000"),
    ],
)  # fmt: skip
def test_coverage_is_told_with_its_worst_number_and_setting(shares, said):
    assert said in text.coverage_sentence(stored(*shares), "CenteredStats", "fieller")
    assert text.coverage_sentence(stored(*shares), "NoisyStats", "fieller") == ""


def test_power_now_and_from_where_it_is_enough():
    for powers, end in (
        ((0.3, 0.6, 0.95), "80% is reached between n = 200 and 400."),
        ((0.9, 0.95, 1.0), "Every n from 100 on reaches 80%."),
        ((0.9, 0.95, 0.7), "No n up to 400 reaches 80% at this ε."),
    ):
        rows = [
            (100 * 2**i, 0.5, 2.0, power, power - 0.05, power + 0.05)
            for i, power in enumerate(powers)
        ]
        rows += [(100 * 2**i, 0.5, 4.0, 1.0, 1.0, 1.0) for i in range(3)]
        words = text.power_sentence(
            pd.DataFrame(rows, columns=POWER_COLUMNS), 200, 2.0, "CenteredStats", "0.5"
        )
        assert (
            f"in {powers[1]:.0%} of simulated data sets at n = 200, ε = 2." in words
            and words.endswith(end)
        )
        assert (
            f"limits of that share are {powers[1] - 0.05:.0%} and {powers[1] + 0.05:.0%}." in words
        )


SWEPT = (
    dp.OLS(),
    dp.CenteredStats(),
    dp.CenteredStatsGaussian(),
    dp.NoisyStats(),
    dp.NoisyIntercept(),
)
FIRST = (
    (30, "OLS", 0.1),
    (30, "NoisyStats", np.inf),
    (30, "CenteredStats", 0.5),
    (30, "CenteredStatsGaussian", 0.2),
)
LAST = ((1200, "OLS", 0.02), (1200, "NoisyStats", 0.5), (1200, "CenteredStats", 0.03))


def along(*rows: tuple[float, str, float], mechanisms=SWEPT) -> str:
    frame = pd.DataFrame(rows, columns=["value", "mechanism", "width"]).assign(
        parameter="n", two_ends=1.0
    )
    shown = view()
    described = SweepDescription("n", (30, 1200), shown.scenario, mechanisms, 20, 50, None)
    return text.sweep_widths_sentence(frame, described, shown)


def test_the_narrowest_at_both_ends_of_a_sweep_stands_beside_ols():
    said = along(*FIRST, *LAST, (30, "NoisyIntercept", 0.01), (1200, "NoisyIntercept", 0.01))
    assert said.startswith(
        "As n grows, the narrowest private interval ends 1.5 times as wide as OLS’s. "
    )
    assert (
        "At n = 30 the narrowest private 95% interval is CenteredStats's, 5 times as wide as "
        "that of OLS (" in said
    )
    assert (
        "With a weaker guarantee it is CenteredStatsGaussian's, 2 times as wide as that of OLS."
        in said
    )
    assert (
        "At n = 1,200 the narrowest private 95% interval is CenteredStats's, 1.5 times as wide"
        in said
    )
    assert "Where the line of NoisyStats stops, most intervals lack an end." in said
    assert said.endswith(dp.NoisyIntercept.interval_remark)
