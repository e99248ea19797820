"""The Small areas page: the core's decision and epsilons, what is kept and sampled, and what cannot be answered."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpslr_core import by_group, decide
from dpslr_core.guidance.decision import drawn_areas
from dpslr_core.mechanisms import (
    DPExpTheilSen,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.public_areas import guessed_areas
from dpslr_core.sources.samples import load_sample
from dpslr_core.text import decision
from tests.cases.opened import (
    app,
    changed,
    frame_with,
    heading,
    pressed,
    read,
    seen,
    turned,
    typed,
    upload,
    words,
)
from ui import areas
from ui.areas import PASSES_FROM, PASSES_WITH
from ui.settings import SIMULATED_AREAS

FOUR = ["DPExpTheilSen", "DPWideTheilSen", "NoisyStats", "MaximumObservedSensitivity"]
PRIVATE = [NoisyStats(), DPExpTheilSen(), DPWideTheilSen()]
SAMPLE = {"source": "sample", "sample": "tracts"}
TRACTS = SAMPLE | {"epsilon": "16", "algorithms": FOUR}
FRAME = load_sample("tracts").frame
ALL, MEMO = {"area_details": "All areas"}, {"area_details": "Memo and files"}
page = partial(app, "small_areas")


def tracts(**query: str | list[str]) -> AppTest:
    """The page on the sample, for reading alone."""
    return seen("small_areas", **TRACTS | query)


def table(test: AppTest) -> pd.DataFrame:
    """The table of all areas, on its view."""
    return frame_with(test, PASSES_FROM).set_index("area")


def link(test: AppTest) -> str:
    return next(code.value for code in test.code if "small_areas?" in code.value)


def measured(mechanism) -> pd.DataFrame:
    rows = by_group(FRAME, [mechanism], 16.0)
    return rows[rows["at"] == 0.25]


def test_the_page_decides_as_the_core_does():
    expected = decide(FRAME, PRIVATE, 16.0, target=0.95, question="slope")
    test = tracts(question="slope", target="95%")
    assert heading(test) == decision.headline(expected)
    for sentence in (decision.best_sentence(expected), *decision.about(expected)):
        assert sentence in words(test)
    passing = frame_with(test, "ε = 16").set_index("algorithm")["ε = 16"]
    assert passing.to_dict() == expected.algorithms.set_index("mechanism")["passing"].to_dict()
    assert (
        frame_with(test, "what would help")["area"].tolist() == expected.failing()["group"].tolist()
    )


def test_a_click_says_what_everything_else_would_need():
    test = page(**TRACTS, question="at 0.75")
    asked = {"parent income rank = 0.25": (0.25,), "the slope": "slope", "the whole line": "line"}
    others = {
        name: decide(
            FRAME,
            PRIVATE,
            16.0,
            **({"question": each} if isinstance(each, str) else {"at": (*each, 0.75)}),
        )
        for name, each in asked.items()
    }
    expected = decide(FRAME, PRIVATE, 16.0, at=(0.75, 0.25))
    assert heading(test) == decision.headline(expected)
    sentence = decision.others_sentence(expected, others).replace(
        "parent income rank", load_sample("tracts").x.name
    )
    assert sentence not in words(test)
    pressed(test, "what_else")
    assert sentence in words(test)


def test_the_epsilons_do_not_move_with_the_sidebars_and_the_counts_follow_from_them():
    test = page(**TRACTS, **ALL)
    first = table(test)
    values = np.sort(first[PASSES_FROM].fillna(np.inf))

    def half() -> float:
        """The epsilon from which half of the areas pass, as the page says it."""
        return float(
            re.search(r"Half of the areas pass from ε = ([\d.]+)\. ", words(test)).group(1)
        )

    from_half = half()
    assert values[19] <= from_half <= 1.01 * values[19]
    for epsilon in (from_half, 0.99 * values[19], 0.5):
        typed(test, "epsilon", str(float(epsilon)))
        count = int((first[PASSES_FROM] <= epsilon).sum())
        assert (table(test)["verdict"] == "pass").sum() == count
        assert f", {count} of 40 areas pass, each with its best algorithm." in words(test)
        assert half() == from_half
        columns = [PASSES_FROM, PASSES_WITH]
        pd.testing.assert_frame_equal(table(test).loc[first.index, columns], first[columns])


def test_on_public_guesses_no_record_is_looked_at():
    query = TRACTS | {"area_guesses": "true", "guess_shape_x": "normal"}
    assert "Type a public guess of both standard deviations" in page(**query).info[0].value
    test = page(
        **query,
        guess_sd_x="0.15",
        guess_sd_e="0.2",
        guess_low="0.3",
        guess_high="0.6",
        guess_mean_x="0.4",
    )
    sizes = pd.Series(load_sample("tracts").sizes, name="n").rename_axis("group").reset_index()
    model = LinearModel(3, 0.15**2, 0.2**2, 0.3, 0.3, 0.4, "normal")
    expected = decide(guessed_areas(sizes, model), PRIVATE, 16.0)
    assert heading(test) == decision.headline(expected)
    assert decision.STANDS_ON["guesses"] in words(
        test
    ) and "computed from the true data" not in words(test)
    pressed(test, "what_else")
    best = [mechanism for mechanism in PRIVATE if mechanism.name == expected.mechanism]
    skewed = decide(guessed_areas(sizes, replace(model, x_shape="skewed")), best, 16.0)
    assert decision.shape_sentence(expected, skewed, "x skewed to the right") in words(test)


def test_the_memo_of_public_guesses_stands_on_them_and_its_scenario_gives_its_answer(saved_files):
    query = TRACTS | MEMO | {"area_guesses": "true", "guess_sd_x": "0.15", "guess_sd_e": "0.2"}
    test = page(**query)
    memo = saved_files["report.html"]().decode()
    assert (
        decision.ON_GUESSES in memo
        and "Guessed of 40 areas in " in memo
        and "true data" not in memo
    )
    assert "area_guesses=true" in link(test) and "guess_sd_x=0.15" in link(test)
    again = Scenario.model_validate_json(saved_files["scenario.json"]())
    assert heading(test) == decision.headline(decide(again.source.load().frame, PRIVATE, 16.0))


def test_a_flat_line_is_no_pass():
    test = page(**TRACTS | ALL | {"algorithms": ["NoisyIntercept"]})
    below = int((measured(NoisyIntercept())["ratio"] < 1).sum())
    assert below and (table(test)["verdict"] == "flat: no slope").sum() == below
    assert heading(test) == "At ε = 16 none of 40 areas passes."
    assert "Flat lines have no slope and are not counted: NoisyIntercept" in words(test)


def test_at_another_epsilon_nothing_is_sought_again(monkeypatch):
    asked, search = [], areas.passing_epsilons

    def counted(datasets, *rest, **more):
        asked.append(len(datasets))
        return search(datasets, *rest, **more)

    monkeypatch.setattr(areas, "passing_epsilons", counted)
    test = page(**TRACTS, x_new="0.31, 0.77")
    assert sum(asked) == 40
    pressed(test, "what_else")
    assert sum(asked) == 3 * 40  # two points and the slope
    typed(test, "epsilon", "1")
    changed(test, "seed", "77")
    changed(test, "question", "line")
    assert sum(asked) == 3 * 40


def test_an_area_that_never_passes_and_an_algorithm_without_a_search_are_named():
    test = page(**TRACTS | ALL | {"algorithms": ["DPExpTheilSen", "DPGDPure"]})
    never = table(test)[table(test)[PASSES_FROM].isna()]
    assert len(never) > 1
    assert f"{len(never)} areas do not pass up to ε = 1,000." in words(test)
    assert "No passing ε is computed for DPGDPure: there is no exact output distribution." in words(
        test
    )
    assert set(table(test)["best algorithm"]) == {"DPExpTheilSen"}
    assert heading(page(**TRACTS | {"algorithms": ["OLS"]})).startswith(
        "No differentially private algorithm is"
    )


def test_of_very_many_areas_a_random_sample_decides_until_all_are_asked_for(monkeypatch):
    for module in ("areas", "decision"):
        monkeypatch.setattr(f"ui.{module}.MANY", 20)
        monkeypatch.setattr(f"ui.{module}.SAMPLE", 12)
    test = page(**TRACTS, **ALL)
    expected = decide(FRAME, PRIVATE, 16.0, sample=12)
    assert heading(test) == decision.headline(expected) and "of 12 sampled areas" in heading(test)
    assert decision.best_sentence(expected) in words(test)
    assert (
        {*table(test).index}
        == {*expected.areas["group"]}
        == {*drawn_areas(FRAME["group"].unique(), 12)}
    )
    changed(test, "all_areas", True)
    assert (
        heading(test) == decision.headline(decide(FRAME, PRIVATE, 16.0)) and len(table(test)) == 40
    )


def test_what_was_reached_in_time_is_shown_and_a_button_goes_on(monkeypatch):
    """The time is up after one chunk; it is a random sample, and the button goes on to exact counts."""

    def out_of_time(chunks, *rest, **more):
        areas.work.current_run().left = 30.0
        return iter(chunks[:1])

    with monkeypatch.context() as patched:
        patched.setattr(areas.work, "progress", out_of_time)
        test = page(
            **TRACTS | {"algorithms": ["DPExpTheilSen", "NoisyStats"], "x_new": "0.37"} | ALL
        )
    assert heading(test) == decision.headline(
        decide(FRAME, PRIVATE[:2], 16.0, at=0.37, sample=areas.FEW)
    )
    assert (
        "Measured so far: 8 of 40 areas, in random order. The others take about 30 s."
        in test.info[0].value
    )
    assert len(table(test)) == areas.FEW
    kinds = [element.type for element in test.main]  # progress stands at the answer, in sight
    assert kinds.index("header") < kinds.index("info") < kinds.index("button_group")
    pressed(test, "work_run")
    assert heading(test) == decision.headline(decide(FRAME, PRIVATE[:2], 16.0, at=0.37))


def test_where_areas_cannot_help_each_other_the_answer_stays():
    none = page(**TRACTS | {"area_details": "Help each other", "algorithms": ["NoisyStats"]})
    assert "Pooling needs CenteredStats" in none.info[0].value
    assert heading(none).startswith("At ε = 16")


def test_an_earlier_link_of_a_view_that_left_opens_the_first_one():
    for view in ("When NoisyStats has no answer", "No answer", "How sure"):
        test = page(**TRACTS | {"area_details": view, "algorithms": ["NoisyStats"]})
        assert not test.exception and frame_with(test, "what would help") is not None
        assert f"area_details = {view}" in read(" ".join(box.value for box in test.warning))


def test_the_distribution_holds_all_areas_whatever_the_size_of_a_chunk(monkeypatch):
    """The page measures in chunks; the method that looks at all areas must still see all of them."""
    monkeypatch.setattr("ui.areas.CHUNK", 40)
    view = TRACTS | {"area_details": "Distribution over areas"}

    def shares(test: AppTest) -> pd.DataFrame:
        return frame_with(test, "share").set_index("mechanism")

    at_once = shares(page(**view))
    monkeypatch.setattr("ui.areas.CHUNK", 7)
    st.cache_resource.clear()
    test = page(**view)
    pd.testing.assert_frame_equal(shares(test), at_once)
    here = measured(DPExpTheilSen())["ratio"]
    assert at_once.loc["DPExpTheilSen", "ratio"].tolist() == pytest.approx(sorted(here))
    assert at_once.index[-1] == "MaximumObservedSensitivity"


def test_one_area_alone_is_answered_on_simulated_areas():
    """As many as the page says, at the budget that is set; the data themselves are not looked at."""
    query = {"algorithms": FOUR, "epsilon": "8"}
    test = page(**query, n="40")
    expected = decide(SimulatedState(tracts=SIMULATED_AREAS).load().frame, PRIVATE, 8.0)
    assert (
        heading(test) == decision.headline(expected) == heading(page(**query, n="400", var_e="0.1"))
    )
    assert "Your data set is only one area, so these areas are simulated." in words(test)
    assert "computed from simulated data" in words(test) and "the true data" not in words(test)


def test_areas_of_a_file_without_a_line_are_left_out():
    some = FRAME[FRAME["group"].isin(FRAME["group"].unique()[:12])]
    some = some.rename(columns={"group": "g"})
    rows = (
        some.to_csv(index=False, columns=["g", "x", "y"]) + "flat,0.5,0.1\n" * 5 + "tiny,0.1,0.2\n"
    )
    test = upload(app("data", source="upload", epsilon="9", algorithms=["DPExpTheilSen"]), rows)
    for key, column in (("x", "x"), ("y", "y"), ("group", "g")):
        changed(test, f"upload_{key}", column)
    pressed(test, "upload_fill")
    assert "2 groups left out" in "\n".join(expander.label for expander in test.expander)
    pressed(turned(test, "small_areas"), "true_file")
    expected = decide(some.rename(columns={"g": "group"}), [DPExpTheilSen()], 9.0)
    assert heading(test) == decision.headline(expected) and "of 12 areas" in heading(test)
