"""The lists of algorithms in the sidebar: two lists and the buttons above them are one value, and one in the link."""

from __future__ import annotations

import pytest
from opened import app, fine, shared
from streamlit.testing.v1 import AppTest

from dpslr_core.mechanisms import MECHANISMS
from ui.controls import ALGORITHMS, FEW
from ui.link import LinkValue
from ui.settings import ordered_algorithms

PAPER = [algorithm.__name__ for algorithm in MECHANISMS if algorithm.in_paper]
NEWER = [algorithm.__name__ for algorithm in MECHANISMS if not algorithm.in_paper]
USUAL = [name for name in NEWER if name in ALGORITHMS]  # of the newer ones


def lists(test: AppTest) -> tuple[list[str], list[str]]:
    """The chosen names of both lists."""
    paper, newer = (shared(test.sidebar.button_group, f"algorithms_{which}").value for which in ("paper", "newer"))
    return paper, newer


def linked(test: AppTest) -> list[str]:
    texts = test.query_params.get("algorithms", [])
    return [texts] if isinstance(texts, str) else texts


def choose(test: AppTest, label: str) -> AppTest:
    return fine(next(button for button in test.sidebar.button if button.label == label).click().run())


def test_the_papers_and_the_purely_private_are_chosen_at_first_and_the_link_is_silent():
    test = app("methods")
    assert lists(test) == (PAPER, USUAL) and not linked(test)
    assert {"CenteredStats", "DeepestLine"} < set(USUAL) and "CenteredStatsGaussian" not in USUAL


def test_one_click_chooses_the_papers_a_few_all_and_the_usual_again():
    test = choose(app("methods"), "The paper's")
    assert lists(test) == (PAPER, []) and linked(test) == PAPER
    choose(test, "A few")
    assert lists(test) == tuple([name for name in kind if name in FEW] for kind in (PAPER, NEWER))
    assert set(linked(test)) == set(FEW)
    choose(test, "All")
    assert lists(test) == (PAPER, NEWER) and set(linked(test)) == {*PAPER, *NEWER}
    choose(test, "Usual")
    assert lists(test) == (PAPER, USUAL) and not linked(test)


def test_a_name_that_is_clicked_is_left_out_of_the_one_value():
    test = app("methods", algorithms=["NoisyStats", "ChooseByCenteredStats", "OLS"])
    fine(shared(test.sidebar.button_group, "algorithms_paper").unselect("NoisyStats").run())
    assert test.session_state["algorithms"] == linked(test) == ["OLS", "ChooseByCenteredStats"]
    fine(shared(test.sidebar.button_group, "algorithms_newer").unselect("ChooseByCenteredStats").run())
    fine(shared(test.sidebar.button_group, "algorithms_paper").unselect("OLS").run())
    assert test.session_state["algorithms"] == []  # "algorithms=" in the link, which AppTest does not show


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["NoisyStats", "OLS"], ["OLS", "NoisyStats"]),
        ("DPGDPure", ["DPGDPure"]),
        (["OLS", "Nothing"], ["OLS"]),
        (["Nothing"], list(ALGORITHMS)),
        ([""], []),
    ],
)
def test_old_links_and_unknown_names(texts, names):
    test = app("methods", algorithms=texts)
    assert test.session_state["algorithms"] == names


def test_a_link_that_names_a_replaced_algorithm_says_what_took_its_place():
    test = app("methods", algorithms=["OLS", "ChooseByNoisyVariance"], **{"ChooseByNoisyVariance.share": "0.2"})
    said = [box.value for box in test.sidebar.info]
    assert said == ["ChooseByNoisyVariance is no longer offered: ChooseByCenteredStats has taken its place."]
    assert test.session_state["algorithms"] == linked(test) == ["OLS"]
    assert not choose(test, "A few").sidebar.info


def test_the_session_follows_a_link_that_is_gone_back_to_and_keeps_its_value_on_a_page_turned_to():
    test = app("methods", algorithms=["OLS"], epsilon="8")
    test.query_params["algorithms"] = ["NoisyStats"]
    del test.query_params["epsilon"]
    assert lists(fine(test.run())) == (["NoisyStats"], [])
    assert test.session_state["epsilon"] == 2
    del test.query_params["algorithms"]
    test.switch_page("pages/data.py")
    assert lists(fine(test.run())) == (["NoisyStats"], []) and linked(test) == ["NoisyStats"]


def test_a_page_reads_the_value_before_the_sidebar_is_drawn():
    assert ordered_algorithms() == list(ALGORITHMS)


def test_a_link_value_reads_its_texts_and_writes_all_but_the_usual_one():
    number = LinkValue("k", lambda texts: int((*texts, "3")[0]), lambda value: [str(value)] if value != 3 else [])
    assert number.written(3) == [] and number.read([]) == 3 and number.read(number.written(5)) == 5
