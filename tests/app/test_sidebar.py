"""The sidebar: typed numbers, the lists of algorithms, what each algorithm may spend."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core.mechanisms import MECHANISMS, DPExpTheilSen
from dpslr_core.privacy.accounting import RULES, Accounting
from tests.cases.opened import app, changed, fine, in_link, read, scenario
from ui.settings import ALGORITHMS

SMALL = {"n": "30", "algorithms": "NoisyStats", "trials": "20"}
ALLOWED = "Allowed: numbers from 1 × 10⁻⁶ to 1,000,000,000. Shown: 4."
PAPER = [algorithm.__name__ for algorithm in MECHANISMS if algorithm.in_paper]
NEWER = [algorithm.__name__ for algorithm in MECHANISMS if not algorithm.in_paper]


def box(test: AppTest, key: str) -> str:
    return str(test.text_input(key=key).value)


def errors(test: AppTest) -> list[str]:
    return [read(error.value) for error in test.error]


@pytest.fixture(scope="module")
def page() -> AppTest:
    return app("methods", epsilon="4", **SMALL)


TYPED = {
    "0,5": 0.5, "$60,000": 60_000, "1 × 10⁻⁶": 1e-6,
}  # fmt: skip
REFUSED = {
    "  ": "a number is needed",
    "10%": "'10%' could mean 10, or 0.1: write 10 or 0.1",
    "-0,5": "'-0,5' is too small",
    "1e400": "'1e400' is not finite",
}


def test_epsilon_is_what_was_typed_and_what_cannot_be_used_leaves_it(page: AppTest):
    for text, epsilon in TYPED.items():
        changed(page, "epsilon", text)
        assert (
            scenario(page).epsilon == epsilon == page.select_slider(key="epsilon_slider").value
        ), text
        assert box(page, "epsilon") == text and not page.error
    changed(page, "epsilon", "4")
    for text, problem in REFUSED.items():
        changed(page, "epsilon", text)
        assert errors(page) == [f"Privacy budget ε: {problem}. {ALLOWED}"]
        assert scenario(page).epsilon == 4 and box(page, "epsilon") == text
    changed(page, "epsilon_slider", 8)
    assert not page.error and box(page, "epsilon") == "8" and in_link(page, "epsilon") == ["8"]


def test_a_hyperparameter_with_a_decimal_comma_and_an_empty_one():
    test = changed(
        app("methods", algorithms="DPExpTheilSen", DPExpTheilSen__lower="-2"),
        "DPExpTheilSen.lower",
        "-0,25",
    )
    assert scenario(test).mechanisms == (DPExpTheilSen(lower=-0.25),) and not test.error
    assert errors(changed(test, "DPExpTheilSen.lower", ""))[0].endswith(
        "Allowed: all numbers. Shown: -0.25."
    )
    assert scenario(changed(test, "DPExpTheilSen.k", "3")).mechanisms == (
        DPExpTheilSen(lower=-0.25, k=3),
    )
    assert scenario(changed(test, "DPExpTheilSen.k", "")).mechanisms == (
        DPExpTheilSen(lower=-0.25),
    )


def test_a_guess_is_forgotten_with_the_units_that_it_was_typed_in():
    query = {"source": "sample", "sample": "tracts", "guesses_public_data": "public knowledge"}
    test = changed(app("guidance", **SMALL, **query), "guess_low", "0,5")
    assert box(test, "guess_low") == "0,5"
    changed(test, "sample", "bikes")
    assert box(test, "guess_low") != "0,5" and "guess_low" not in test.query_params


def names(test: AppTest) -> list[str]:
    """The chosen names."""
    return sorted(test.sidebar.button_group(key="algorithms").value)


def choose(test: AppTest, label: str) -> AppTest:
    return fine(
        next(button for button in test.sidebar.button if button.label == label).click().run()
    )


def test_one_click_chooses_the_papers_all_and_the_usual_again():
    test = app("methods")
    assert names(test) == sorted(ALGORITHMS) and not in_link(
        test, "algorithms"
    )  # the link is silent
    assert {"CenteredStats", "DeepestLine"} < set(
        ALGORITHMS
    ) and "CenteredStatsGaussian" not in ALGORITHMS
    for label, chosen in (("The paper's", PAPER), ("All", [*PAPER, *NEWER])):
        choose(test, label)
        assert names(test) == sorted(chosen) == sorted(in_link(test, "algorithms"))
    choose(test, "Usual")
    assert names(test) == sorted(ALGORITHMS) and not in_link(test, "algorithms")


def test_names_of_a_link_in_any_order_and_unknown_ones():
    for texts, chosen in (
        (["NoisyStats", "OLS"], ["OLS", "NoisyStats"]),
        (["OLS", "Nothing"], ["OLS"]),
        (["Nothing"], list(ALGORITHMS)),
        ([""], []),
    ):
        test = app("methods", algorithms=texts)
        assert [type(each).__name__ for each in scenario(test).mechanisms] == chosen, texts


def test_a_rule_of_accounting_is_chosen_from_a_list_and_its_number_is_typed():
    test = app("methods", accounting="approx:5")
    listed = test.sidebar.selectbox(key="accounting_list")
    assert len(listed.options) == len(RULES)
    assert listed.value == scenario(test).accounting.rule == "paper"
    fine(listed.select("attack").run())
    assert scenario(test).accounting == Accounting("attack") and in_link(test, "accounting") == [
        "attack"
    ]
    test = app("methods", accounting="approx:1e-9")
    assert box(test, "accounting_delta") == "1e-09"
    assert box(changed(test, "accounting_delta", "2"), "accounting_delta") == "1e-09"
    changed(test, "accounting_delta", "0,0001")
    assert scenario(test).accounting == Accounting("approx", 1e-4) and in_link(
        test, "accounting"
    ) == ["approx:0.0001"]


def test_numbers_that_do_nothing_on_a_page_cannot_be_moved_there():
    idle_on = {"compare": set(), "sweep": {"n"}, "small_areas": {"n", "var_x", "var_e", "slope"}}
    for page, idle in idle_on.items():
        test = app(
            page, algorithms=["NoisyStats"], trials="20", vary="n", values="2", datasets="20"
        )
        boxes = {
            key: test.sidebar.text_input(key=key).disabled
            for key in ("epsilon", "n", "var_x", "var_e", "slope")
        }
        assert {key for key, disabled in boxes.items() if disabled} == idle, page
