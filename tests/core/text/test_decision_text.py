"""Sentences and tables of a decision, by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import pandas as pd
import pytest

from dpslr_core.charts.areas import passing_curves
from dpslr_core.charts.vega import written
from dpslr_core.guidance.decision import Decision
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import GuessedAreas
from dpslr_core.text import decision as text
from dpslr_core.text import memo

ROWS = [
    ("a", "A", 0.1, 1.0, inf), ("b", "A", 0.1, 2.0, inf), ("c", "A", 0.1, 6.0, inf),
    ("d", "A", 0.1, inf, inf), ("e", "A", 0.0, nan, inf), ("a", "B", 0.1, 3.0, inf),
    ("b", "B", 0.1, 3.0, inf), ("c", "B", 0.1, 3.001, 7.0), ("d", "B", 0.1, 3.0, inf),
    ("e", "B", 0.0, nan, inf),
]  # fmt: skip


def decision(**settings: Any) -> Decision:
    rows = pd.DataFrame(
        ROWS,
        columns=["group", "mechanism", "standard_error", "passes_from", "passes_to"],
    )
    areas = pd.DataFrame({"group": list("abcde"), "n": [10, 20, 30, 40, 50], "nvar": 1.5})
    return Decision(rows, areas, **{"epsilon": 4.0, "target": 0.75} | settings)


@pytest.mark.parametrize(
    ("settings", "sentence", "target"),
    [
        ({}, "At ε = 4, 4 of 4 areas pass.", "together: B. Other points and the slope may fail."),
        ({"epsilon": 2.0, "target": 0.5}, "At ε = 2, 2 of 4 areas pass.", "Other points and the slope may fail."),
        ({"epsilon": 8.0, "question": "line", "target": 0.7}, "At ε = 8, 3 of 4 areas pass.", "all together: B."),
        ({"epsilon": 2.0, "question": "slope"}, "At ε = 2 only 2 of 4 areas pass.",
         "80% of them pass from ε = 3.01, with B. Predictions may fail."),
        ({"epsilon": 1.0, "question": "line"}, "At ε = 1 only 1 of 4 areas passes.", "from ε = 3.01, with B."),
        ({"epsilon": 0.5, "target": 1.0, "question": "line"}, "At ε = 0.5 none of 4 areas passes.",
         "below their sampling errors. 100% of them pass from ε = 3.01, with B."),
    ],
)  # fmt: skip
def test_the_answer(settings, sentence, target):
    made = decision(**{"target": 0.8} | settings)
    assert text.headline(made) == sentence
    assert text.answer(made).startswith(f"{sentence} An area passes when ") and text.answer(
        made
    ).endswith(target)


def test_a_target_that_no_algorithm_reaches():
    alone = decision(epsilon=2.0, target=0.9, question="line")
    alone = replace(alone, passing=alone.passing[alone.passing["mechanism"] == "A"])
    assert text.answer(alone).endswith("No ε up to 1,000 lets 90% of them pass with one algorithm.")
    assert text.picture_sentence(alone).endswith("None reaches the target.")
    said = text.others_sentence(
        decision(epsilon=2.0), {"the slope": decision(), "the whole line": alone}
    )
    assert said == "75% pass for the slope from ε = 3 and never for the whole line."


def test_guesses_are_said_in_units_and_what_another_shape_would_bring():
    hours, score = Axis("hours", "", 0.0, 8.0), Axis("score", "", 20.0, 120.0)
    source = GuessedAreas(
        name="sizes.csv",
        x=hours,
        y=score,
        areas=("a", "b", "c"),
        n=(40, 90, 2),
        var_x=0.0625,
        x_mean=(0.25, 0.5, 0.5),
        var_e=0.01,
        slope=0.4,
        x_shape="skewed",
    )
    assert text.guesses_sentence(source) == (
        "Guessed of 3 areas in sizes.csv: x skewed to the right about hours = 2 to 4; standard "
        "deviations: 2 of hours "
        "and 10 of score about the line; slope 5. 1 area has fewer than 3 records, and no line."
    )
    alone = replace(decision(), passing=decision().passing.assign(passes_from=5.0))
    assert (
        text.shape_sentence(decision(), alone, "normal x")
        == "With normal x, 0 of 4 would pass in place of 4."
    )


def test_a_random_sample_is_said_everywhere():
    """Of four sampled areas of 40, four pass: at least 12% + of all, by the limits of another test."""
    made, few = decision(of=40), decision(of=40, epsilon=2.0)
    low, high = (f"{share:.0%}" for share in made.limits(4))
    assert text.headline(made) == "At ε = 4, 4 of 4 sampled areas pass."
    assert text.best_sentence(made).endswith(
        f"Of all 40, {low} to {high} pass (95% interval for sampling)."
    )
    assert "sampling error. Of all 40, 0% to " in text.best_sentence(decision(of=40, epsilon=0.5))
    sample = "a random 4 of 40 areas"
    said = " ".join(text.about(made)), text.picture_sentence(made), text.counts_sentence(made)
    assert all(
        sample in each for each in (*said, text.failing_sentence(few), memo.not_passing(few)[1])
    )
    assert text.sample_words(decision(of=4)) == "4 areas"


def test_the_picture_has_the_interval_for_sampling():
    made = decision(of=40)
    band = passing_curves(made)["datasets"]["bands"]
    at = band[band["x"] <= 5.0].iloc[-1]
    assert (at["low"] / 4, at["high"] / 4) == made.limits(4)
    assert written(passing_curves(made), ".svg", "text")


def test_now_and_the_target_are_marked_on_the_curves_of_their_algorithms():
    marks = passing_curves(decision(epsilon=2.0))["datasets"]["marks"].set_index("mark")
    assert marks[["algorithm", "x", "y", "said"]].to_dict("index") == {
        "now": {"algorithm": "A", "x": 2.0, "y": 2, "said": "now: 2"},
        "target": {"algorithm": "B", "x": 3.0, "y": 3, "said": "3 at ε = 3"},
    }
    assert passing_curves(decision(epsilon=3.0))["datasets"]["marks"]["mark"].tolist() == ["now"]
