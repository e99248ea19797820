"""What is said of many areas, on frames made by hand: who is first, how many pass, what is left out."""

from __future__ import annotations

import numpy as np
import pandas as pd

import dpslr_core.mechanisms as dp
from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.text.areas import (
    compared_with,
    headline,
    no_smaller,
    passing_sentence,
    picture_sentence,
    verdicts,
)
from tests.golden.sentences import AREAS, measured

FIVE = (
    dp.NoisyStats(),
    dp.DPExpTheilSen(),
    dp.NoisyStatsGaussian(),
    dp.MaximumObservedSensitivity(),
    dp.NoisyIntercept(),
)


def shares(frame: pd.DataFrame) -> pd.DataFrame:
    return ranked_shares(frame, FIVE, 16.0)


def test_what_the_first_is_compared_with():
    for names, other in (
        (["DPExpTheilSen", "NoisyStatsGaussian", "NoisyStats"], "NoisyStats"),
        (["NoisyStats", "MaximumObservedSensitivity"], None),
    ):
        ratios = {name: [0.1 * place] for place, name in enumerate(names, 1)}
        assert compared_with(shares(measured(**ratios))) == other


def test_shares_medians_and_failures_are_those_of_the_areas():
    """Of ten areas one algorithm passes in seven, the other in four; the medians are 0.5 and 2, the means are not."""
    frame = measured(
        NoisyStats=[0.5] * 7 + [2.0] * 3, DPExpTheilSen=[0.5] * 4 + [2.0] * 5 + [100.0]
    )
    ranked = shares(frame)
    assert headline(ranked, 10) == (
        "In 7 of 10 areas the error of NoisyStats is below the sampling error. Next: DPExpTheilSen 4."
    )
    assert picture_sentence(frame, ranked["mechanism"]).endswith(
        "over 10 areas: NoisyStats 0.5, DPExpTheilSen 2."
    )


def epsilons(**passes_from: list[float]) -> pd.DataFrame:
    """Rows of passing_epsilons: the smallest epsilons of each algorithm, area by area."""
    rows = [
        {
            "group": f"T{i}",
            "mechanism": name,
            "standard_error": 0.1,
            "passes_to": np.inf,
            "passes_from": value,
        }
        for name, of_areas in passes_from.items()
        for i, value in enumerate(of_areas)
    ]
    return pd.DataFrame(rows)


def test_from_which_epsilon_half_of_the_areas_pass():
    two = epsilons(NoisyStats=[1.0, 7.0, 5.0, np.inf], DPExpTheilSen=[2.0, 3.001, np.inf, np.inf])
    said = passing_sentence(two, 16.0)
    assert said.startswith(
        "At ε = 16, 3 of 4 areas pass, each with its best algorithm. Half of the areas pass from "
    )
    assert "ε = 3.01. 1 area does not pass up to ε = 1,000." in said
    assert passing_sentence(two, 2e4).startswith(
        "Half of the areas pass from ε = 3.01."
    )  # beyond what is looked at
    few = passing_sentence(epsilons(NoisyStats=[1.0, np.inf, np.inf, np.inf]), 16.0)
    assert "Half" not in few and "3 areas do not pass" in few


def test_an_epsilon_is_rounded_up():
    assert [no_smaller(e) for e in (1.0, 2.02, 2.0201, 999.1)] == ["1", "2.02", "2.03", "1,000"]


def test_a_flat_line_is_no_pass():
    frame = AREAS["a flat line"]
    ranked = shares(frame)
    assert ranked[["mechanism", "areas_below", "flat", "counts"]].values.tolist() == [
        ["NoisyStats", 1, 0, True],
        ["NoisyIntercept", 0, 2, False],
    ]
    assert verdicts(frame) == ["flat: no slope"] * 2 + ["pass", "fail"]
