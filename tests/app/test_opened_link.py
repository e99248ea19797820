"""What a link says in vain is said on the page, and nothing is said of a link that can be used."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core.mechanisms import DPGDPure, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X
from dpslr_core.sources.choices import SampleData, Synthetic
from tests.cases.opened import app, read, typed
from ui.presets import PRESETS

SEEDS = "whole numbers from 0 to 2,147,483,647"  # what its box takes
FEW = {"n": "30", "algorithms": "NoisyStats", "trials": "20"}


def said(test: AppTest) -> list[str]:
    return [read(warning.value) for warning in test.main.warning if "The link says" in warning.value]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            {"epsilon": "-3"},
            "epsilon = -3, which cannot be used. Allowed: numbers from 1 × 10⁻⁶ to 1,000,000,000. Shown: 2.",
        ),
        ({"n": "2.5"}, "n = 2.5, which cannot be used. Allowed: whole numbers from 3 to 1,000,000. Shown: 250."),
        (
            {"source": "tracts"},
            "source = tracts, which cannot be used. Allowed: synthetic, sample, state, uci, upload.",
        ),
        (
            {"algorithms": ["OLS", "Ols"]},
            "algorithms = OLS and Ols, which cannot be used. Allowed: names as in the sidebar, such as OLS. "
            "Shown: OLS.",
        ),
        ({"seed": "-1"}, f"seed = -1, which cannot be used. Allowed: {SEEDS}. Shown: 0."),
        ({"seed": "9999999999"}, f"seed = 9999999999, which cannot be used. Allowed: {SEEDS}. Shown: 0."),
        ({"trials": "7"}, "trials = 7, which cannot be used. Allowed: whole numbers from 10 to 100,000. Shown: 1,000."),
        (
            {"unit_square": "yes"},
            "unit_square = yes, which cannot be used. Allowed: true for yes, false for no. Shown: no.",
        ),
        (
            {"accounting": "mine"},
            "accounting = mine, which cannot be used. Allowed: paper, implied, attack, pure, zcdp, approx:DELTA. "
            "Shown: paper.",
        ),
        (
            {"epsilon": ["3", "4"]},
            "epsilon = 3 and 4, where one value is allowed. Allowed: numbers from 1 × 10⁻⁶ to 1,000,000,000. Shown: 4.",
        ),
        ({"n": ""}, "nothing after n =, which cannot be used. Allowed: whole numbers from 3 to 1,000,000. Shown: 250."),
        ({"eps": "8"}, "eps = 8, but no setting has this name. Did you mean epsilon?"),
        ({"NoisyStats.b": "3"}, "NoisyStats.b = 3, but no setting has this name."),
        ({"details": "a" * 100}, f"details = {'a' * 40} …, which cannot be used."),
        (
            {"sample": "tracts", "source": "sample", "group": "Mars"},
            "group = Mars, which cannot be used. Allowed: T01, T02, T03, … T40 (40 values). Shown: T01.",
        ),
    ],
)
def test_what_cannot_be_used_is_said_with_what_is_shown(query: dict, sentence: str):
    (warning,) = said(app("compare", **FEW | query))
    assert f"The link says {sentence}" in warning


def test_several_are_listed_and_the_rest_counted():
    bad = dict.fromkeys(("epsilon", "seed", "data_seed", "var_x", "var_e", "slope", "intercept"), "abc")
    (warning,) = said(app("compare", **FEW | bad))
    assert warning.count("The link says") == 5
    assert warning.endswith("- 2 more cannot be used.")


def test_the_sentence_goes_when_another_value_is_chosen():
    test = app("compare", **FEW | {"epsilon": "abc"})
    assert said(test.run())
    assert not said(typed(test, "epsilon", "5"))
    assert not said(typed(test, "epsilon", "2"))


def test_the_sentence_goes_with_the_page():
    test = app("data", **FEW | {"eps": "8"})
    assert said(test.run())
    assert not said(test.switch_page("pages/methods.py").run())


def test_a_number_that_is_usual_is_no_mistake():
    usual = {"epsilon": "2.0", "source": "synthetic", "seed": "0", "unit_square": "false", "var_x": "3e-2"}
    assert not said(app("compare", **FEW | usual))


@pytest.mark.parametrize(
    "scenario",
    [
        *(preset.scenario for preset in PRESETS if preset.scenario.source.kind in ("sample", "upload")),
        Scenario(
            source=Synthetic(n=40, var_x=0.0123, slope=-0.5, x_shape="normal", error_shape="heavy tails", data_seed=3),
            epsilon=1 / 3, at=(0.1, 0.5, 2 / 3), trials=50, seed=8, also_k=3, accounting="zcdp",
            mechanisms=(NoisyStats(), DPGDPure(clip=0.5, start=(0.1, 0.3))),
        ),
        Scenario(source=SampleData(sample="tracts"), group="T02", mechanisms=(), trials=20),
    ],
)  # fmt: skip
@pytest.mark.parametrize("page", ["data", "compare", "privacy"])
def test_a_link_of_ours_is_used_whole(page: str, scenario: Scenario):
    query = scenario.to_query(UNIT_X if scenario.source.kind == "upload" else scenario.source.load().x)
    assert not said(app(page, **query))


def test_what_only_other_pages_use_is_no_mistake():
    assert not said(app("compare", **FEW | {"vary": "n", "figure": "descent", "descent.steps": "50", "step": "2"}))
    assert not said(app("privacy", **FEW | {"prior": "50%"}))
    assert not said(app("privacy", **FEW | {"prior": "10%", "details": "Private lines"}))
    assert said(app("privacy", **FEW | {"prior": "11%"}))


def test_the_report_carries_all_warnings_of_the_page(monkeypatch: pytest.MonkeyPatch):
    """Of the link, of the sidebar and of the data: a point beyond all records, and one that cannot be used."""
    made_by = {}
    monkeypatch.setattr("ui.takeaway.report_buttons", lambda _, make: made_by.update(make=make))
    test = app("compare", **FEW | {"source": "sample", "sample": "bikes", "seed": "-1", "x_new": "39"})
    warnings = made_by["make"]().warnings
    (of_link,) = said(test)
    assert of_link in warnings
    (beyond,) = [warning for warning in warnings if "lies beyond the records, which end at" in warning]
    assert any(beyond in read(caption.value) for caption in test.caption)
    test.text_input(key="x_new").set_value("3000").run()
    (problem,) = test.error
    assert "instead" in problem.value and read(problem.value) in made_by["make"]().warnings
    test.text_input(key="x_new").set_value("5").run()
    assert made_by["make"]().warnings == (of_link,)


def test_a_session_keeps_the_address_that_it_was_opened_with():
    test = app("methods", epsilon="8", source="upload")
    test.query_params["epsilon"] = ["3"]
    del test.query_params["source"]
    assert test.run().session_state["opened_address"] == {"epsilon": ["8"], "source": ["upload"]}


def test_a_page_that_ends_early_says_it_too():
    test = app("small_areas", **{"source": "tracts"})
    assert [read(text.value) for text in test.main.markdown if "Your data set is only one area" in text.value]
    assert len(said(test)) == 1 and said(test)[0].startswith("The link says source = tracts, which cannot be used.")
