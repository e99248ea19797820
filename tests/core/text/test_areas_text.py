"""What is said of many areas, on frames made by hand: who is first, how many pass, what is left out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpslr_core.text.areas import (
    no_smaller,
    passing_sentence,
    verdicts,
)
from tests.golden.sentences import AREAS


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
    table = AREAS["a flat line"].assign(passes=[False, False, True, False])
    assert verdicts(table) == ["flat: no slope"] * 2 + ["pass", "fail"]
