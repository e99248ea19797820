"""Crossings in words: how sure they are, in the user's units, and what is said where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from readable import check_readable
from sweep_cases import made

from dpslr_core.experiments.crossings import Crossing
from dpslr_core.sources.axis import Axis
from dpslr_core.sweeps import combine
from dpslr_core.text.sweep import crossing_sentence, lead_sentences, pair_sentences, symbol_of

X = Axis("n", "°C", -10, 30)  # a column may be called as a parameter is


def sweep_of(a, b, parameter="epsilon"):
    return combine(
        [made([[left, right]], float(i + 1), parameter) for i, (left, right) in enumerate(zip(a, b, strict=True))]
    )


@pytest.mark.parametrize(
    ("numbers", "parameter", "words"),
    [
        ((1241.3, 1152.0, 1338.0), "n", "A overtakes B at n = 1,240, between 1,150 and 1,340."),
        ((0.004132, 0.00225, 0.0106), "var_e", "A overtakes B at σₑ² = 0.00413, between 0.00225 and 0.0106."),
        ((3e-9, 3e-9, 3e-9), "delta", "A overtakes B at δ = 3 × 10⁻⁹."),
        ((9.6, 9.6, 9.6), "k", "A overtakes B at k = 10."),
        ((2.0, -np.inf, 3.0), "epsilon", "Below ε = 3 A and B cannot be told apart; A may overtake from about 2."),
        ((2.0, 1.0, np.inf), "epsilon", "Above ε = 1 A and B cannot be told apart; A may overtake from about 2."),
        ((2.0, -np.inf, np.inf), "slope", "A and B cannot be told apart; A may overtake from about slope = 2."),
        ((0.26, 0.25, 0.5), "x_new", "A overtakes B at n = 0.4 °C, between 0 °C and 10 °C."),
    ],
)
def test_a_crossing_in_words(numbers, parameter, words):
    assert crossing_sentence(Crossing(*numbers, parameter, "A", "B"), X) == words
    check_readable(words)


def test_a_crossing_without_units_is_in_the_unit_square():
    assert "at x = 0.26," in crossing_sentence(Crossing(0.26, 0.25, 0.5, "x_new", "A", "B"))


def test_the_width_of_the_range_has_a_symbol():
    assert [symbol_of(name) for name in ("width", "steps", "var_x")] == ["upper − lower", "steps", "σₓ²"]


def test_where_the_lead_changes():
    crossed = sweep_of([2, 1.5, 0.4], [1, 1, 1])
    (sentence,) = lead_sentences(crossed, ["A", "B"], X)
    assert sentence == pair_sentences(crossed, "A", "B", X)[0]
    assert "A may overtake from about ε = " in sentence
    steady = combine([made([[1, 2], [1, 2.1]], value) for value in (1.0, 2.0, 4.0)])
    assert lead_sentences(steady, ["A", "B"], X) == ["A has the smallest error of all private algorithms throughout."]
    partly = combine([made([[1, 1.1], [1, 4.1]], 1.0), made([[1, 2], [1, 2.1]], 2.0)])
    assert lead_sentences(partly, ["A", "B"], X) == [
        "A has the smallest error of all private algorithms throughout, but at 1 of 2 values it is too close to "
        "another to call."
    ]
    close = lead_sentences(sweep_of([1, 2, 1], [2, 1, 2]), ["A", "B"], X)
    assert close == ["A and B have the smallest errors and cannot be told apart."]
    assert lead_sentences(steady, ["A"], X) == []


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([1, 1], [2, 2], "A has the smaller error throughout."),
        ([2, 2], [1, 2], "B has the smaller error throughout."),
        ([1, 1], [1, 1], "These two have the same error."),
    ],
)
def test_curves_that_do_not_cross(a, b, said):
    assert pair_sentences(sweep_of(a, b), "A", "B", X) == [said]


def test_curves_that_cross_and_cross_back_within_their_noise():
    assert pair_sentences(sweep_of([1, 2, 1], [2, 1, 2]), "A", "B", X) == ["These two cannot be told apart."]
