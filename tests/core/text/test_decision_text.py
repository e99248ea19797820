"""Sentences and tables of a decision, by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from dpslr_core.guidance.decision import Decision
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import GuessedAreas
from dpslr_core.text import decision as text
from dpslr_core.text import memo
from tests.cases.decisions import by_hand

ROWS = [
    ("a", "A", 0.1, 1.0, inf), ("b", "A", 0.1, 2.0, inf), ("c", "A", 0.1, 6.0, inf),
    ("d", "A", 0.1, inf, inf), ("e", "A", 0.0, nan, inf), ("a", "B", 0.1, 3.0, inf),
    ("b", "B", 0.1, 3.0, inf), ("c", "B", 0.1, 3.001, 7.0), ("d", "B", 0.1, 3.0, inf),
    ("e", "B", 0.0, nan, inf),
]  # fmt: skip


def decision(**settings: Any) -> Decision:
    return by_hand(ROWS, **{"epsilon": 4.0, "target": 0.75} | settings)


@pytest.mark.parametrize(
    ("settings", "sentence", "target"),
    [
        ({}, "At ε = 4, 4 of 4 areas pass.", "for all is B. Other points and the slope may fail."),
        ({"epsilon": 8.0, "question": "line", "target": 0.7}, "At ε = 8, 3 of 4 areas pass.", "for all is B."),
        ({"epsilon": 2.0, "question": "slope"}, "At ε = 2 only 2 of 4 areas pass.",
         "80% of them pass from ε = 3.01, with B. Predictions may fail."),
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
    sample = "a random 4 of 40 areas"
    said = " ".join(text.about(made)), text.picture_sentence(made), text.counts_sentence(made)
    assert all(
        sample in each for each in (*said, text.failing_sentence(few), memo.not_passing(few)[1])
    )
    assert text.sample_words(decision(of=4)) == "4 areas"
