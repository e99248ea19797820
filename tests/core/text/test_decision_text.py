"""Sentences and tables of a decision, by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import pandas as pd
import pytest

from dpslr_core.charts.areas import passing_curves
from dpslr_core.charts.vega import written
from dpslr_core.guidance.decision import Decision, pooled_curve
from dpslr_core.text import decision as text
from dpslr_core.text import memo
from tests.cases.tables import table as cases

ROWS = [
    ("a", "A", 0.1, 1.0, 1.0, inf), ("b", "A", 0.1, 2.0, 2.0, inf), ("c", "A", 0.1, 6.0, 6.0, inf),
    ("d", "A", 0.1, inf, inf, inf), ("e", "A", 0.0, nan, nan, inf), ("a", "B", 0.1, 3.0, 3.0, inf),
    ("b", "B", 0.1, 3.0, 3.0, inf), ("c", "B", 0.1, 3.001, 3.001, 7.0), ("d", "B", 0.1, 3.0, 3.0, inf),
    ("e", "B", 0.0, nan, nan, inf),
]  # fmt: skip


def decision(**settings: Any) -> Decision:
    rows = pd.DataFrame(ROWS, columns=["group", "mechanism", "standard_error", "passes_from", "flat_from", "passes_to"])
    areas = pd.DataFrame({"group": list("abcde"), "n": [10, 20, 30, 40, 50], "nvar": 1.5})
    return Decision(rows, areas, **{"epsilon": 4.0, "target": 0.75} | settings)


# Settings of the decision, and what its headline holds, parts of it.
HEADLINES = cases("""
    {} | Publish with B: 4 of 4 areas have an error below the standard error. That is at ε = 4.
    {"epsilon": 2.0, "target": 0.5} | Publish with A: 2 of 4 / That is at ε = 2. ε = 4 gains none.
    {"epsilon": 3.0, "target": 0.5} | Publish with B: 3 of 4 / That is at ε = 3. ε = 6 gains 1 more.
    {"epsilon": 8.0, "question": "both"} | 3 of 4 areas have both errors below the standard errors. / ε = 16 gains none.
    {"epsilon": 2.0} | Only 2 of 4 areas / That is with A, at ε = 2. 75% of them pass from ε = 3, with B.
    {"epsilon": 1.0} | Only 1 of 4 areas has an error / 75% of them pass from ε = 3, with B.
    {"epsilon": 0.5, "target": 1, "question": "slope"} | No algorithm passes in any of 4 / 100% of them pass from ε = 3
""")


@pytest.mark.parametrize(("settings", "parts"), HEADLINES)
def test_the_headline_counts_the_areas_of_the_best_and_says_from_where_more_pass(settings, parts):
    assert all(part in text.headline(decision(**settings)) for part in parts.split(" / "))


def test_a_target_that_no_algorithm_reaches():
    alone = decision(epsilon=2.0, target=0.9)
    alone = replace(alone, passing=alone.passing[alone.passing["mechanism"] == "A"])
    assert text.headline(alone).endswith("with A, at ε = 2. No ε up to 1,000 lets 90% of them pass with one algorithm.")
    assert text.picture_sentence(alone).endswith("None reaches the target.")


def test_a_larger_budget_may_lose_areas():
    assert text.headline(decision(epsilon=4.0, target=0.5)).endswith("That is at ε = 4.")
    lost = decision(epsilon=3.0, target=0.5)
    rows = lost.passing.assign(passes_to=[5.0 if name == "B" else inf for name in lost.passing["mechanism"]])
    assert text.headline(replace(lost, passing=rows)).endswith("ε = 6 loses 3.")


def test_the_smallest_epsilon_for_the_target_is_offered_where_it_is_another():
    offered = text.smallest_label(decision(epsilon=2.0))
    assert offered == "Set ε = 3, the smallest at which 75% of the areas pass, with B"
    assert text.smallest_label(decision(epsilon=3.0)) == ""


def test_a_random_sample_is_said_everywhere():
    """Of four sampled areas of 40, four pass: at least 12% + of all, by the limits of another test."""
    made, few = decision(of=40), decision(of=40, epsilon=2.0)
    low, high = (f"{share:.0%}" for share in made.limits(4))
    assert text.headline(made) == (
        "Publish with B: 4 of 4 sampled areas have an error below the standard error. That is at ε = 4. "
        f"Of all 40, {low} to {high} pass (95% interval for sampling)."
    )
    assert text.headline(decision(of=40, epsilon=0.5)).startswith(
        "No algorithm passes in any of 4 sampled areas. That is at ε = 0.5. Of all 40, 0% to "
    )
    sample = "a random 4 of 40 areas"
    said = text.target_sentence(made), text.picture_sentence(made), text.counts_sentence(made)
    assert all(sample in each for each in (*said, text.failing_sentence(few), memo.not_passing(few)[1]))
    assert text.sample_words(decision(of=4)) == "4 areas"


def test_the_picture_has_the_interval_for_sampling_and_the_line_of_pooling():
    made = decision(of=40)
    pooled = pooled_curve({1.0: 1, 4.0: 3, 900.0: 4}, 4)
    data = passing_curves(made, pooled=pooled)["datasets"]
    band = data["bands"]
    at = band[band["x"] <= 5.0].iloc[-1]
    assert (at["low"], at["high"]) == made.limits(4)
    assert data["pooled"]["y"].tolist() == [0.25, 0.75]  # what is outside of the picture is not drawn
    assert written(passing_curves(made, pooled=pooled), ".svg", "text")
    said = text.pooled_sentence(pooled, 4.0, 0.75)
    assert "3 of 4 lines" in said and said.endswith("Of the ε tried, 4 is the smallest with 75%.")
    assert text.pooled_sentence(pooled[:2], 4.0, 0.8).endswith("None of the ε tried reaches 80%.")


def test_the_tables():
    table = text.algorithms_table(decision())
    assert table["algorithm"].tolist() == ["B", "A"] and table["ε = 4"].tolist() == [4, 2]
    assert table["smallest ε for 75%"].tolist() == [3.0, 6.0]
    epsilons = [column.removeprefix("ε = ") for column in table if column.startswith("ε")]
    assert epsilons == ["0.5", "1", "2", "4", "8", "16", "32"]
    left = text.failing_table(decision(epsilon=3.0, target=0.5), scale=100.0, unit=" (kWh)")
    assert left["area"].tolist() == ["c", "e"] and left["standard error (kWh)"].tolist() == [10.0, 0.0]
    assert left["what would help"].tolist() == ["a larger ε: 3.01", "suppression: no sampling error to compare with"]


def test_the_picture_has_a_place_to_click_for_each_epsilon():
    stops = passing_curves(decision(), (0.001, 1.0, 4.0, 16.0))["datasets"]["stops"]
    assert stops["epsilon"].tolist() == [1.0, 4.0, 16.0] and stops["A"].tolist() == [0.25, 0.5, 0.75]
    assert (stops["low"] < stops["epsilon"]).all() and (stops["epsilon"] < stops["high"]).all()
    assert stops["high"].tolist()[:2] == pytest.approx([2.0, 8.0]) == stops["low"].tolist()[1:]
