"""What Guidance says below its answer: evidence, map, required values, a private look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from readable import check_readable

from dpslr_core import recommend
from dpslr_core.guidance import maps
from dpslr_core.guidance.required_values import RequiredValue
from dpslr_core.mechanisms import CenteredStats, ChooseByCenteredStats, DeepestLine, DPExpTheilSen, NoisyStats
from dpslr_core.text.guidance import (
    columns_sentence,
    evidence_sentence,
    looking_sentence,
    map_caption,
    map_sentence,
    own_map_caption,
    private_choice_sentence,
    required_sentence,
)
from dpslr_core.text.phrases import format_amount, more

TWO = (NoisyStats(), DPExpTheilSen())
MAP = maps.load()


def recommended(mechanisms=TWO, **changes):
    settings = {"n": 100, "var_x": 0.03, "var_e": 0.01, "epsilon": 4.0, "datasets": 8}
    return recommend(**settings | changes, mechanisms=mechanisms)


def test_the_evidence_has_the_errors():
    here = recommended()
    text = evidence_sentence(here)
    best, ols = format_amount(here.error("DPExpTheilSen")), format_amount(here.error("OLS"))
    assert f"DPExpTheilSen {best}, OLS without privacy {ols}. 8 simulated data sets" in text
    check_readable(text)


def test_close_races_have_more_data_sets_and_nobody_has_no_error():
    close = recommended(var_e=0.02, epsilon=60.0, datasets=4)
    assert "4 (of the closest algorithms up to 32) simulated data sets" in evidence_sentence(close)
    none = recommended([NoisyStats()], epsilon=0.001)
    assert evidence_sentence(none).startswith(
        "Expected error, sampling and noise together, in standard errors: OLS without privacy"
    )
    check_readable(evidence_sentence(none))


def won(recommendation, winners, about_ols=0.5):
    """A map whose cells, of different n, have these winners; the first has the n of the recommendation."""
    model = recommendation.model
    cells = [
        {"winner": name, "n": model.n * 2**place, "var_e": model.var_e, "about_ols": about_ols * 2**place}
        for place, name in enumerate(winners)
    ]
    return pd.DataFrame(cells)


def test_the_map_counts_its_winners():
    here = recommended()
    text = map_sentence(here, won(here, ["DPExpTheilSen", "DPExpTheilSen", "NoisyStats"]))
    assert text == (
        "Best of 3 cells: DPExpTheilSen in 2 and NoisyStats in 1. In 2 of them the winner's error about OLS is at most "
        "the standard error."
    )
    check_readable(text)


def test_a_cell_that_contradicts_the_answer_is_said_to():
    here = recommended()
    text = map_sentence(here, won(here, ["NoisyStats", "DPExpTheilSen"]))
    assert "The outlined cell says NoisyStats, on fewer data sets: DPExpTheilSen, the answer above, is the one" in text
    check_readable(text)


def test_a_map_without_the_answer_says_why():
    here = recommended((*TWO, ChooseByCenteredStats()), n=60)
    text = map_sentence(here, won(here, ["NoisyStats", "DPExpTheilSen"]))
    assert here.algorithm == "ChooseByCenteredStats"
    assert "The map leaves out ChooseByCenteredStats, the answer above" in text and "outlined" not in text
    check_readable(text)


def test_how_to_read_the_map():
    here = recommended()
    coarse, fine = own_map_caption(here, 2, True), own_map_caption(here, 6, False)
    assert coarse.startswith("Provisional: ") and "Provisional" not in fine
    assert "ε = 4 and σₓ² = 0.03 as above, in the unit square; 6 simulated data sets per cell" in fine
    check_readable(coarse)


def test_the_settings_of_the_map():
    text = map_caption(replace(MAP.settings, epsilon=0.125))
    assert text.startswith(f"Map: ε = 0.125, σₓ² = {MAP.settings.var_x:g}, n from ")
    assert f"{MAP.settings.datasets} simulated data sets per cell, seed {MAP.settings.seed}." in text
    check_readable(text)


VALUES = [RequiredValue("A", 2.5, 1e-3, 1e3), RequiredValue("B", None, 1e-3, 1e3), RequiredValue("C", 7.0, 1e-3, 1e3)]


@pytest.mark.parametrize(
    ("solve_for", "r", "text"),
    [
        (
            "ε",
            1,
            "ε = 2.5 is enough for A, which needs the least for an error about OLS of at most 1 standard "
            "error. 2 of 3 algorithms get there on simulated data sets, with everything else as guessed.",
        ),
        (
            "n",
            0.25,
            "n = 2.5 is enough for A, which needs the least for an error about OLS of at most 0.25 standard "
            "errors. 2 of 3 algorithms get there on simulated data sets, with ε = 1,500.",
        ),
    ],
)
def test_who_needs_the_least(solve_for, r, text):
    assert required_sentence(VALUES, solve_for, r, 1500.0, "A") == text
    check_readable(text)


def test_the_answer_may_need_more_than_the_least():
    text = required_sentence(VALUES, "ε", 1, 2.0, "C")
    assert text.startswith("ε = 7 is enough for C, the answer above. ε = 2.5 is enough for A, which needs the least")
    check_readable(text)


def test_nobody_gets_there():
    text = required_sentence(VALUES[1:2], "n", 2, 4.0, "B")
    assert text == (
        "No algorithm's error about OLS comes down to 2 standard errors on simulated data sets, with ε = 4."
    )


def test_the_columns_say_whether_they_look_at_the_data():
    assert "looks at the data" in columns_sentence(own_data=True, loaded=True)
    assert "own OLS line" in columns_sentence(own_data=True, loaded=False)
    assert "looks at the data" not in columns_sentence(own_data=True, loaded=False)
    assert columns_sentence(own_data=False, loaded=True).endswith("on average over them.")
    check_readable(columns_sentence(own_data=True, loaded=True))


def test_looking_is_not_free():
    assert "Choose on public guesses, as above, or pay" in looking_sentence(looked=False)
    assert "were read off the data: choose on public ones" in looking_sentence(looked=True)
    check_readable(looking_sentence(looked=True))


def test_the_price_of_a_private_look():
    here = recommended((*TWO, CenteredStats(), DeepestLine(), ChooseByCenteredStats()))
    text = private_choice_sentence(here)
    error = here.error("ChooseByCenteredStats")
    behind = more(error / here.error(str(here.algorithm)) - 1)
    assert f"its error is {format_amount(error)} standard errors, {behind} than that of {here.algorithm} chosen" in text
    assert ("CenteredStats, chosen in advance, has " in text) == (error < here.error("CenteredStats"))
    assert "goes to CenteredStats again or to DeepestLine" in text
    check_readable(text)
    assert private_choice_sentence(recommended()).startswith("Add ChooseByCenteredStats")


def test_a_private_look_that_fails():
    here = recommended((*TWO, DeepestLine(), ChooseByCenteredStats()))
    failing = here.evidence.copy()
    failing.loc[failing["mechanism"] == "ChooseByCenteredStats", "error"] = np.inf
    text = private_choice_sentence(replace(here, evidence=failing))
    assert "answers in fewer than 68% of its releases" in text
    check_readable(text)


def test_the_private_look_may_itself_be_the_best():
    here = recommended((ChooseByCenteredStats(),))
    assert "standard errors. It looks at n var(x), σₑ and the line" in private_choice_sentence(here)
