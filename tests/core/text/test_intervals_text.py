"""Sentences on intervals, on tables made by hand: who is narrowest, what has no end, how often they are right."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.text import intervals as text


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
    """A table of coverage with these shares of 2,000."""
    settings = [f"setting {i}, normal errors" for i in range(len(shares) - 1)] + ["the last"]
    made = [("CenteredStats", "fieller", *row) for row in zip(settings, shares, strict=True)]
    table = pd.DataFrame(made, columns=["algorithm", "method", "setting", "coverage"])
    return table.assign(target="true line", datasets=2_000, high=table["coverage"] + 0.01)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((0.95, 0.97, 0.83), "in 83.0% or more of 2,000 simulated data sets, least often at the last."),
        ((0.95, 0.945), "94.5% or more of 2,000 simulated data sets, in each of 2 settings"),
        ((1.0, 1.0), "line in nearly all of 2,000"),
    ],
)  # fmt: skip
def test_coverage_is_told_with_its_worst_number_and_setting(shares, said):
    assert said in text.coverage_sentence(stored(*shares), "CenteredStats", "fieller")
    assert text.coverage_sentence(stored(*shares), "NoisyStats", "fieller") == ""
