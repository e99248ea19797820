"""Numbers typed into boxes are read by the project's one parser; what cannot be used is said below, and not used."""

from __future__ import annotations

import pytest
from opened import app, read, shared, typed
from streamlit.testing.v1 import AppTest

from ui.inputs import Allowed

FEW = {"n": "30", "algorithms": "NoisyStats", "trials": "20"}
ALLOWED = "Allowed: numbers from 1 × 10⁻⁶ to 1,000,000,000. Shown: 4."


def box(test: AppTest, key: str) -> str:
    return str(shared(test.text_input, f"{key}_box").value)


def linked(test: AppTest, key: str) -> str:
    return "".join(test.query_params[key])


def said(test: AppTest) -> list[str]:
    return [read(error.value) for error in test.error]


@pytest.fixture(scope="module")
def page() -> AppTest:
    return app("methods", epsilon="4", **FEW)


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("0,5", 0.5), ("1,5", 1.5), ("1.234,5", 1234.5), ("60,000", 60_000), ("$60,000", 60_000), ("60000", 60_000),
        ("1e-3", 0.001), ("1 × 10⁻⁶", 1e-6), (" .25 ", 0.25), ("4", 4),
    ],
)  # fmt: skip
def test_epsilon_is_what_was_typed(page: AppTest, text: str, epsilon: float):
    typed(page, "epsilon", text)
    assert page.session_state["epsilon"] == epsilon and not page.error
    assert float(box(page, "epsilon")) == epsilon == shared(page.select_slider, "epsilon_slider").value
    assert float(linked(page, "epsilon")) == epsilon


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a number is needed"),
        ("  ", "a number is needed"),
        ("a lot", "'a lot' is no number"),
        ("10%", "'10%' could mean 10, or 0.1: write 10 or 0.1"),
        ("1, 2", "'1, 2' is no number"),
        ("0", "'0' is too small"),
        ("-0,5", "'-0,5' is too small"),
        ("1e12", "'1e12' is too large"),
        ("1e400", "'1e400' is not finite"),
        ("nan", "'nan' is no number"),
    ],
)
def test_what_cannot_be_used_is_said_and_the_number_stays(page: AppTest, text: str, problem: str):
    typed(typed(page, "epsilon", "4"), "epsilon", text)
    assert said(page) == [f"Privacy budget ε: {problem}. {ALLOWED}"]
    assert page.session_state["epsilon"] == 4 and linked(page, "epsilon") == "4"
    assert box(page, "epsilon") == text
    assert not typed(page, "epsilon", "2").error


def test_the_sentence_goes_with_a_step_of_the_slider():
    test = typed(app("methods", **FEW), "epsilon", "abc")
    assert said(test.run())
    shared(test.select_slider, "epsilon_slider").set_value(8).run()
    assert not test.error and box(test, "epsilon") == "8"


def test_records_are_whole():
    test = typed(app("methods", **FEW), "n", "2,5")
    allowed = "Allowed: whole numbers from 3 to 1,000,000. Shown: 30."
    assert said(test) == [f"Records, n: '2,5' is no whole number. {allowed}"]
    assert typed(test, "n", "1,000").session_state["n"] == 1000 and not test.error


def test_a_hyperparameter_with_a_decimal_comma_and_an_empty_one():
    test = typed(app("methods", algorithms="DPExpTheilSen", DPExpTheilSen__lower="-2"), "DPExpTheilSen.lower", "-0,25")
    assert test.session_state["DPExpTheilSen.lower"] == -0.25 and not test.error
    assert linked(test, "DPExpTheilSen.lower") == "-0.25"
    assert said(typed(test, "DPExpTheilSen.lower", ""))[0].endswith("Allowed: all numbers. Shown: -0.25.")
    typed(test, "DPExpTheilSen.k", "3")
    assert test.session_state["DPExpTheilSen.k"] == 3 and linked(test, "DPExpTheilSen.k") == "3"
    assert typed(test, "DPExpTheilSen.k", "").session_state["DPExpTheilSen.k"] is None


def test_the_ends_of_a_sweep():
    test = app("sweep", **FEW, n_to="60", datasets="20", values="2", sweep_trials="20")
    assert box(test, "n_to") == "60"
    typed(test, "n_to", "1,000")
    assert test.session_state["n_to"] == 1000 and linked(test, "n_to") == "1000"


def test_a_guess_is_forgotten_with_the_units_that_it_was_typed_in():
    query = {"source": "sample", "sample": "tracts", "guesses_public_data": "public knowledge"}
    test = typed(app("guidance", **FEW, **query), "guess_low", "0,5")
    assert test.session_state["guess_low"] == 0.5 and linked(test, "guess_low") == "0.5"
    test.selectbox(key="sample").set_value("bikes").run()
    assert test.session_state["guess_low"] != 0.5 and "guess_low" not in test.query_params


@pytest.mark.parametrize(
    ("allowed", "sentence"),
    [
        (Allowed(), "all numbers"),
        (Allowed(whole=True), "all whole numbers"),
        (Allowed(0.5), "numbers from 0.5"),
        (Allowed(most=2), "numbers up to 2"),
        (Allowed(0, 1e6), "numbers from 0 to 1,000,000"),
    ],
)
def test_limits_are_said_in_words(allowed: Allowed, sentence: str):
    assert str(allowed) == sentence


def test_a_column_decides_what_its_bounds_mean():
    assert Allowed(style="comma").read("1.234,5") == Allowed().read("1.234,5") == 1234.5
    assert Allowed().read("60,000") == 60_000
    with pytest.raises(ValueError, match="could mean 60, or 60000"):
        Allowed(style="comma").read("60,000")
