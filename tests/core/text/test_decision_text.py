"""Sentences and tables of a decision, by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import pandas as pd
import pytest

from dpslr_core.charts.areas import PICKED, passing_curves
from dpslr_core.charts.vega import written
from dpslr_core.guidance.decision import Decision, pooled_curve
from dpslr_core.text import decision as text
from dpslr_core.text import memo

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


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "Publish with B: 4 of 4 areas have an error below the standard error. That is at ε = 4."),
        ({"epsilon": 2.0, "target": 0.5},
         "Publish with A: 2 of 4 areas have an error below the standard error. That is at ε = 2. ε = 4 gains none."),
        ({"epsilon": 3.0, "target": 0.5},
         "Publish with B: 3 of 4 areas have an error below the standard error. That is at ε = 3. ε = 6 gains 1 more."),
        ({"epsilon": 8.0, "question": "both"},
         "Publish with B: 3 of 4 areas have both errors below the standard errors. That is at ε = 8. "
         "ε = 16 gains none."),
        ({"epsilon": 2.0},
         "Only 2 of 4 areas have an error below the standard error. That is with A, at ε = 2. "
         "75% of them pass from ε = 3, with B."),
        ({"epsilon": 1.0},
         "Only 1 of 4 areas has an error below the standard error. That is with A, at ε = 1. "
         "75% of them pass from ε = 3, with B."),
        ({"epsilon": 0.5, "target": 1.0, "question": "slope"},
         "No algorithm passes in any of 4 areas. That is at ε = 0.5. 100% of them pass from ε = 3.01, with B."),
    ],
)  # fmt: skip
def test_the_headline(settings, sentence):
    assert text.headline(decision(**settings)) == sentence


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


def test_no_area_with_a_sampling_error():
    none = decision()
    none = replace(none, passing=none.passing[none.passing["group"] == "e"])
    assert text.headline(none) == "None of 5 areas has a sampling error to compare with."
    assert text.failing_sentence(replace(none, areas=none.areas[:0])) == ""


def test_what_is_said_of_question_target_and_areas():
    slope = decision(question="slope")
    assert text.question_sentence(slope) == (
        "One algorithm is published in all areas. Question: the slope. Predictions may not pass. 1 area has no "
        "sampling error to compare with."
    )
    assert text.target_sentence(slope) == "Target: 75% of the areas, that is 3 of 4."
    assert text.picture_sentence(decision()) == (
        "Share of 4 areas that pass against ε, a curve for each algorithm. 75% of the areas pass with B from ε = 3, A "
        "from ε = 6."
    )
    assert text.failing_sentence(decision(epsilon=2.0)) == (
        "3 areas do not pass. What would help: 2 by pooling, 1 by leaving them out: they have no sampling error."
    )


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
    assert text.headline(few).startswith("Only 2 of 4 sampled areas")
    sample = "a random 4 of 40 areas"
    assert text.target_sentence(made).endswith(f"Looked at: {sample}, drawn by their labels alone.")
    assert text.picture_sentence(made).startswith(f"Share of {sample} that pass against ε, a curve for each algorithm.")
    assert "The band is the 95% interval" in text.picture_sentence(made)
    assert f"of {sample}, by algorithm" in text.counts_sentence(made)
    assert text.failing_sentence(few).startswith(f"Of {sample}, 3 do not pass.")
    assert memo.not_passing(few)[1].startswith(f"These are of {sample}.")
    assert text.sample_words(decision(of=4)) == "4 areas"


def test_the_picture_has_the_interval_for_sampling_and_the_line_of_pooling():
    made = decision(of=40)
    pooled = pooled_curve({1.0: 1, 4.0: 3, 900.0: 4}, 4)
    data = passing_curves(made, pooled=pooled)["datasets"]
    band = data["bands"]
    assert set(band["algorithm"]) == {"B"}
    at = band[band["x"] <= 5.0].iloc[-1]
    assert (at["low"], at["high"]) == made.limits(4)
    assert (band["x"].diff().dropna() >= 0).all()
    assert data["pooled"]["y"].tolist() == [0.25, 0.75]  # what is outside of the picture is not drawn
    assert "bands" not in passing_curves(decision())["datasets"]
    assert written(passing_curves(made, pooled=pooled), ".svg", "text")
    assert text.pooled_sentence(pooled, 4.0, 0.75) == (
        "If areas help each other, 3 of 4 lines have a standard error below that of OLS at ε = 4. Of the ε tried, 4 "
        "is the smallest with 75%."
    )
    assert text.pooled_sentence(pooled[:2], 4.0, 0.8).endswith("None of the ε tried reaches 80%.")


def test_the_picture_begins_where_a_fiftieth_of_the_areas_pass():
    """One area of a hundred that passes far below the others does not stretch the axis."""
    groups = [f"{number:02}" for number in range(100)]
    rows = pd.DataFrame({"group": groups, "mechanism": "A", "standard_error": 0.1, "passes_to": inf})
    passes = [0.001, *(3.0 + number for number in range(99))]
    made = Decision(
        rows.assign(passes_from=passes, flat_from=passes), pd.DataFrame({"group": groups, "n": 10, "nvar": 1.5}),
        epsilon=8.0, target=0.75,
    )  # fmt: skip
    alone = replace(made, passing=made.passing[:1], areas=made.areas[:1])
    for known, first in ((made, 3.0), (alone, 0.001)):
        upright = next(each for each in passing_curves(known)["layer"] if "datum" in each["encoding"].get("x", {}))
        assert upright["encoding"]["x"]["scale"]["domain"][0] == pytest.approx(first / 1.5)


def test_the_tables():
    table = text.algorithms_table(decision())
    assert table["algorithm"].tolist() == ["B", "A"] and table["ε = 4"].tolist() == [4, 2]
    assert table["smallest ε for 75%"].tolist() == [3.0, 6.0]
    epsilons = [column.removeprefix("ε = ") for column in table if column.startswith("ε")]
    assert epsilons == ["0.5", "1", "2", "4", "8", "16", "32"]
    assert "ε = 5.5" in text.algorithms_table(decision(epsilon=5.5))
    left = text.failing_table(decision(epsilon=3.0, target=0.5), scale=100.0, unit=" (kWh)")
    assert left["area"].tolist() == ["c", "e"] and left["standard error (kWh)"].tolist() == [10.0, 0.0]
    assert left["what would help"].tolist() == ["a larger ε: 3.01", "suppression: no sampling error to compare with"]


def test_the_picture_has_a_place_to_click_for_each_epsilon():
    made = decision()
    picture = passing_curves(made, (0.001, 1.0, 4.0, 16.0))
    stops = picture["datasets"]["stops"]
    assert stops["epsilon"].tolist() == [1.0, 4.0, 16.0] and stops["A"].tolist() == [0.25, 0.5, 0.75]
    assert (stops["low"] < stops["epsilon"]).all() and (stops["epsilon"] < stops["high"]).all()
    assert stops["high"].tolist()[:2] == pytest.approx([2.0, 8.0]) == stops["low"].tolist()[1:]
    assert any(each.get("params", [{}])[0].get("name") == PICKED for each in picture["layer"])
    assert written(picture, ".svg", "text")
    assert written(passing_curves(replace(made, epsilon=0.01)), ".svg", "text")
