"""What a link says in vain is said on the page, and nothing is said of a link that can be used."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core.mechanisms import DPGDPure, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X
from dpslr_core.sources.choices import SampleData, Synthetic, UploadedFile
from tests.cases.opened import app, changed, read
from ui.start import EXAMPLES

FEW = {"n": "30", "algorithms": "NoisyStats", "trials": "20"}


def warnings(test: AppTest) -> list[str]:
    return [
        read(warning.value) for warning in test.main.warning if "The link says" in warning.value
    ]


REFUSED = (  # what a link says; the sentence about it; what stands after "Allowed:"
    ({"epsilon": "-3"}, "epsilon = -3, which cannot be used.", "numbers from 1 × 10⁻⁶ to 1,000,000,000. Shown: 2."),
    ({"n": "2.5"}, "n = 2.5, which cannot be used.", "whole numbers from 3 to 1,000,000. Shown: 250."),
    ({"source": "tracts"}, "source = tracts, which cannot be used.", "synthetic, sample, state, uci, upload."),
    ({"algorithms": ["OLS", "Ols"]}, "algorithms = OLS and Ols, which cannot be used.",
     "names as under More settings, such as OLS. Shown: OLS."),
    ({"trials": "7"}, "trials = 7, which cannot be used.", "whole numbers from 10 to 100,000. Shown: 1,000."),
    ({"unit_square": "yes"}, "unit_square = yes, which cannot be used.", "true for yes, false for no. Shown: no."),
    ({"epsilon": ["3", "4"]}, "epsilon = 3 and 4, where one value is allowed.",
     "numbers from 1 × 10⁻⁶ to 1,000,000,000. Shown: 4."),
    ({"n": ""}, "nothing after n =, which cannot be used.", "whole numbers from 3 to 1,000,000. Shown: 250."),
    ({"eps": "8"}, "eps = 8, but no setting has this name. Did you mean epsilon?", ""),
    ({"NoisyStats.b": "3"}, "NoisyStats.b = 3, but no setting has this name.", ""),
    ({"details": "a" * 100}, f"details = {'a' * 40} …, which cannot be used.", ""),
    ({"sample": "tracts", "source": "sample", "group": "Mars"}, "group = Mars, which cannot be used.",
     "T01, T02, T03, … T40 (40 values). Shown: T01."),
)  # fmt: skip


def test_what_cannot_be_used_is_said_with_what_is_shown():
    for query, refused, allowed in REFUSED:
        (warning,) = warnings(app("compare", **FEW | query))
        assert (
            f"The link says {refused}" in warning
            and (f"Allowed: {allowed}" if allowed else "") in warning
        ), query


def test_the_sentence_goes_with_its_value_and_with_the_page():
    test = app("compare", **FEW | {"epsilon": "abc"})
    assert warnings(test.run())
    assert not warnings(changed(test, "epsilon", "5"))
    assert not warnings(changed(test, "epsilon", "2"))
    test = app("data", **FEW | {"eps": "8"})
    assert warnings(test.run())
    assert not warnings(test.switch_page("pages/methods.py").run())


def test_a_number_that_is_usual_is_no_mistake():
    usual = {
        "epsilon": "2.0",
        "source": "synthetic",
        "seed": "0",
        "unit_square": "false",
        "var_x": "3e-2",
    }
    assert not warnings(app("compare", **FEW | usual))


@pytest.mark.parametrize(
    "scenario",
    [
        *(scenario for _, scenario in EXAMPLES.values() if scenario.source.kind == "sample"),
        Scenario(source=UploadedFile()),
        Scenario(
            source=Synthetic(n=40, var_x=0.0123, slope=-0.5, x_shape="normal", error_shape="heavy tails", data_seed=3),
            epsilon=1 / 3, at=(0.1, 0.5, 2 / 3), trials=50, seed=8, also_k=3, accounting="zcdp",
            mechanisms=(NoisyStats(), DPGDPure(clip=0.5, start=(0.1, 0.3))),
        ),
        Scenario(source=SampleData(sample="tracts"), group="T02", mechanisms=(), trials=20),
    ],
)  # fmt: skip
def test_a_link_of_ours_is_used_whole(scenario: Scenario):
    query = scenario.to_query(
        UNIT_X if scenario.source.kind == "upload" else scenario.source.load().x
    )
    test = app("data", **query)
    for page in ("data", "compare", "privacy"):
        assert not warnings(test.switch_page(f"pages/{page}.py").run()), page


def test_what_only_other_pages_use_is_no_mistake():
    assert not warnings(
        app(
            "compare",
            **FEW | {"vary": "n", "figure": "descent", "descent.steps": "50", "step": "2"},
        )
    )
    assert not warnings(app("privacy", **FEW | {"prior": "50%"}))
    assert not warnings(app("privacy", **FEW | {"prior": "10%", "details": "Private lines"}))
    assert warnings(app("privacy", **FEW | {"prior": "11%"}))


def test_the_report_carries_all_warnings_of_the_page(monkeypatch: pytest.MonkeyPatch):
    """Of the link, of the sidebar and of the data: a point beyond all records, and one that cannot be used."""
    made_by = {}
    monkeypatch.setattr(
        "ui.takeaway.report_buttons", lambda _, query, make: made_by.update(make=make)
    )
    test = app(
        "compare", **FEW | {"source": "sample", "sample": "bikes", "seed": "-1", "x_new": "39"}
    )
    reported = made_by["make"]().warnings
    (of_link,) = warnings(test)
    assert of_link in reported
    (beyond,) = [warning for warning in reported if "lies beyond" in warning]
    assert any(beyond in read(caption.value) for caption in test.caption)
    changed(test, "x_new", "3000")
    (problem,) = [each for each in test.error if "instead" in each.value]
    assert "instead" in problem.value and read(problem.value) in made_by["make"]().warnings
    changed(test, "x_new", "5")
    assert [*made_by["make"]().warnings] == [of_link, *(read(error.value) for error in test.error)]


def test_a_session_keeps_the_address_that_it_was_opened_with():
    test = app("methods", epsilon="8", source="upload")
    test.query_params["epsilon"] = ["3"]
    del test.query_params["source"]
    assert test.run().session_state["opened_address"] == {"epsilon": ["8"], "source": ["upload"]}
