"""The Small areas page: the numbers of by_group and of required_epsilon, and what it says where it cannot work."""

from __future__ import annotations

import re
from functools import partial
from types import SimpleNamespace
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpslr_core import by_group, decide
from dpslr_core.charts.areas import PICKED
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.coverage import load
from dpslr_core.experiments.released_intervals import area_widths, free_of_charge
from dpslr_core.guidance.area_epsilons import passing_epsilons, smallest_epsilons
from dpslr_core.guidance.decision import drawn_areas, guessed_areas, pooled_below, pooled_curve
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPWideTheilSen,
    MaximumObservedSensitivity,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.samples import load_sample
from dpslr_core.sources.tracts import NORTH_CAROLINA
from dpslr_core.text import decision
from dpslr_core.text.intervals import area_widths_sentence, coverage_sentence
from tests.cases.opened import app, fine, frame_with, heading, seen, typed, upload, words
from ui import areas
from ui import decision as ui_decision
from ui.areas import BELOW, PASSES_FROM, PASSES_WITH, RATIO
from ui.how_sure import NONE
from ui.pooling import POOLED_AT
from ui.settings import SIMULATED_AREAS

FOUR = ["DPExpTheilSen", "DPWideTheilSen", "NoisyStats", "MaximumObservedSensitivity"]


page = partial(app, "small_areas")
TRACTS = {"source": "sample", "sample": "tracts", "epsilon": "16"}


def tracts(**query: str | list[str]) -> AppTest:
    return seen("small_areas", **TRACTS | {"algorithms": FOUR}, **query)


def shares(test: AppTest) -> pd.DataFrame:
    return frame_with(test, BELOW).set_index("algorithm")


def distributions(**query: str | list[str]) -> AppTest:
    return tracts(area_details="Distribution over areas", **query)


def measured_at(mechanisms: list, at: float = 0.25, epsilon: float = 16.0) -> pd.DataFrame:
    measured = by_group(load_sample("tracts").frame, mechanisms, epsilon)
    return measured[measured["at"] == at]


def test_the_headline_counts_the_areas_of_the_best_pure_algorithm():
    here = measured_at([NoisyStats(), DPExpTheilSen(), DPWideTheilSen()])
    counts = (here["ratio"] < 1).groupby(here["mechanism"]).sum()
    best = counts.drop("NoisyStats").idxmax()
    assert counts[best] > counts["NoisyStats"]
    twice = (measured_at([DPExpTheilSen()], epsilon=32.0)["ratio"] < 1).sum()
    gain = f"gains {twice - counts[best]} more" if twice > counts[best] else "gains none"
    assert best == "DPExpTheilSen" and heading(tracts()) == (
        f"Publish with {best}: {counts[best]} of 40 areas have an error below the standard error. That is at ε = 16. "
        f"ε = 32 {gain}."
    )


def test_the_context_says_data_budget_and_point_in_the_users_units():
    test = tracts(x_new="0.4,0.6", look_at="0.6")
    assert "40 areas, 3,541 records; ε = 16 in each, at parent income rank = 0.6." in words(test)
    bikes = page(source="sample", sample="bikes", algorithms=["NoisyStats", "NoisyIntercept"])
    assert re.search(r"at temperature = [\d.]+ °C", words(bikes))
    table = frame_with(bikes, "best algorithm")
    column = next(name for name in table if name.startswith("C(68) in"))
    grouped = load_sample("bikes")
    measured = by_group(grouped.frame, [NoisyStats(), NoisyIntercept()], 2.0)
    smallest = measured[measured["at"] == 0.25].groupby("group")["c68"].min() * grouped.y.scale
    shown = table.set_index("area")[column].dropna()
    np.testing.assert_allclose(shown, smallest.loc[shown.index])


def smallest(mechanisms: list, flat_lines: bool = False) -> pd.DataFrame:
    """smallest_epsilons of the sample, by area."""
    data = split_groups(load_sample("tracts").frame).datasets
    return smallest_epsilons(passing_epsilons(data, mechanisms, Budget(1.0)), flat_lines).set_index("group")


def test_the_table_has_the_smallest_epsilon_of_each_area_and_its_best_algorithm_here():
    mechanisms = [NoisyStats(), DPExpTheilSen(), DPWideTheilSen()]
    here = measured_at(mechanisms)
    table = frame_with(tracts(), PASSES_FROM).set_index("area")
    assert len(table) == 40 and "MaximumObservedSensitivity" not in set(table["best algorithm"])
    best = here.loc[here.groupby("group")["c68"].idxmin()].set_index("group")
    assert (table["best algorithm"] == best["mechanism"].loc[table.index]).all()
    assert (table["verdict"] == np.where(best["ratio"].loc[table.index] < 1, "pass", "fail")).all()
    assert ((table[PASSES_FROM] <= 16) == (table["verdict"] == "pass")).all()
    expected = smallest(mechanisms).loc[table.index]
    np.testing.assert_array_equal(table[PASSES_FROM], expected["passes_from"].replace(np.inf, np.nan))
    assert (table[PASSES_WITH] == expected["passes_with"]).all()


def told_half(test: AppTest) -> float:
    """The epsilon from which half of the areas pass, as the page says it."""
    return float(re.search(r"Half of the areas pass from ε = ([\d.]+)\. ", words(test)).group(1))


def test_the_epsilons_do_not_move_with_the_sidebars_and_the_counts_follow_from_them():
    test = page(**TRACTS, algorithms=FOUR)
    first = frame_with(test, PASSES_FROM).set_index("area")
    half = told_half(test)
    values = np.sort(first[PASSES_FROM].fillna(np.inf))
    assert values[19] <= half <= 1.01 * values[19]
    for epsilon in (*np.geomspace(1, 100, 17).round(3).tolist(), half, 0.99 * values[19], 0.5):
        typed(test, "epsilon", str(float(epsilon)))
        table = frame_with(test, PASSES_FROM).set_index("area")
        count = int((first[PASSES_FROM] <= epsilon).sum())
        assert (table["verdict"] == "pass").sum() == count
        assert f", {count} of 40 areas pass, each with its best algorithm." in words(test)
        assert told_half(test) == half
        columns = [PASSES_FROM, PASSES_WITH]
        pd.testing.assert_frame_equal(table.loc[first.index, columns], first[columns])


def test_one_named_algorithm_has_epsilons_of_its_own():
    test = tracts(passes_with="DPExpTheilSen")
    table, expected = frame_with(test, PASSES_FROM).set_index("area"), smallest([DPExpTheilSen()])
    np.testing.assert_array_equal(table[PASSES_FROM], expected["passes_from"][table.index].replace(np.inf, np.nan))
    assert set(table["best algorithm"]) == {"DPExpTheilSen"}
    passing = int((expected["passes_from"] <= 16).sum())
    assert f"At ε = 16, {passing} of 40 areas pass, with DPExpTheilSen." in words(test)
    assert "No private procedure" not in words(test) and "No private procedure reaches this count" in words(tracts())


@pytest.mark.parametrize(("question", "target"), [("prediction", "80"), ("slope", "95"), ("both", "60")])
def test_the_page_decides_as_the_core_does(question, target):
    mechanisms = [NoisyStats(), DPExpTheilSen(), DPWideTheilSen()]
    expected = decide(load_sample("tracts").frame, mechanisms, 16.0, target=int(target) / 100, question=question)
    test = tracts(question=question, target=f"{target}%")
    assert heading(test) == decision.headline(expected)
    assert decision.question_sentence(expected) in words(test)
    table = frame_with(test, "ε = 16").set_index("algorithm")
    passing = expected.algorithms.set_index("mechanism")["passing"].to_dict()
    assert table["ε = 16"].to_dict() == passing
    left = frame_with(test, "what would help")
    assert left["area"].tolist() == expected.failing()["group"].tolist()
    link = next(code.value for code in test.code if "small_areas?" in code.value)
    assert (f"question={question}" in link) == (question != "prediction") == (f"target={target}%25" in link)


def test_on_public_guesses_no_record_is_looked_at():
    query = {**TRACTS, "algorithms": FOUR, "area_guesses": "true"}
    assert "Type a public guess of both standard deviations" in page(**query).info[0].value
    test = page(**query, guess_sd_x="0.15", guess_sd_e="0.2", guess_low="0.3", guess_high="0.6")
    grouped = load_sample("tracts")
    sizes = pd.DataFrame({"group": list(grouped.sizes), "n": list(grouped.sizes.values())})
    areas = guessed_areas(sizes, LinearModel(3, 0.15**2, 0.2**2, 0.3, 0.3))
    expected = decide(areas, [NoisyStats(), DPExpTheilSen(), DPWideTheilSen()], 16.0)
    assert heading(test) == decision.headline(expected)
    assert decision.ON_GUESSES in words(test) and "computed from the true data" not in words(test)


def test_a_click_in_the_picture_chooses_epsilon(monkeypatch):
    test = page(**TRACTS, algorithms=FOUR)
    picked = SimpleNamespace(selection={PICKED: [{"epsilon": 5.0}]})
    state = {"chart_decision": picked}
    monkeypatch.setattr("ui.decision.st.session_state", state)
    monkeypatch.setattr("ui.inputs.st.session_state", state)
    ui_decision._pick()
    assert state["epsilon"] == 5.0 and "ε = 16" in heading(test)


def test_a_flat_line_is_no_pass_unless_it_is_asked_for():
    test = page(**TRACTS, algorithms=["NoisyIntercept"])
    table = frame_with(test, PASSES_FROM)
    below = int((measured_at([NoisyIntercept()])["ratio"] < 1).sum())
    assert below and (table["verdict"] == "flat: no slope").sum() == below and "pass" not in set(table["verdict"])
    assert heading(test) == "Only flat lines, which have no slope, are released: none of 40 areas passes."
    assert f"{below} areas would pass by a flat line alone, which has no slope: not counted." in words(test)
    fine(test.toggle(key="flat_lines").set_value(True).run())
    table = frame_with(test, PASSES_FROM)
    assert (table["verdict"] == "pass, flat: no slope").sum() == below == (table[PASSES_FROM] <= 16).sum()
    assert f"{below} of 40 areas have an error below the standard error" in heading(test)
    query = {"source": "sample", "sample": "tracts", "epsilon": "16", "flat_lines": "true"}
    assert heading(page(**query, algorithms=["NoisyIntercept"])) == heading(test)
    link = next(code.value for code in test.code if "small_areas?" in code.value)
    assert "flat_lines=true" in link and any("--flat-lines" in code.value for code in test.code)


def test_the_table_is_filtered_by_name_and_verdict():
    everything = frame_with(tracts(), PASSES_FROM)
    some = frame_with(tracts(area_name="t1", verdict="fail"), PASSES_FROM)
    expected = everything[everything["area"].str.startswith("T1") & (everything["verdict"] == "fail")]
    assert list(some["area"]) == list(expected["area"])
    assert "No area matches." in words(tracts(area_name="nowhere"))


def test_at_another_epsilon_nothing_is_sought_again(monkeypatch):
    asked, search = [], areas.passing_epsilons

    def counted(datasets, *rest, **more):
        asked.append(len(datasets))
        return search(datasets, *rest, **more)

    monkeypatch.setattr(areas, "passing_epsilons", counted)
    test = page(**TRACTS, algorithms=FOUR, x_new="0.31, 0.77")
    assert sum(asked) == 40
    typed(test, "epsilon", "1")
    fine(test.sidebar.number_input(key="seed").set_value(77).run())
    assert sum(asked) == 40


def test_an_area_that_never_passes_and_what_is_not_sought_are_said():
    test = page(**TRACTS, algorithms=["DPExpTheilSen", "DPGDPure"])
    table = frame_with(test, PASSES_FROM)
    never = table[table[PASSES_FROM].isna()]
    assert len(never) > 1 and set(never["remark"]) == {"does not pass up to ε = 1,000"}
    assert f"{len(never)} areas do not pass up to ε = 1,000." in words(test)
    assert "No ε is sought for DPGDPure: no exact output distribution." in words(test)
    assert set(table["best algorithm"]) == {"DPExpTheilSen"}


def test_of_very_many_areas_a_random_sample_decides_until_all_are_asked_for(monkeypatch):
    for module in ("areas", "decision"):
        monkeypatch.setattr(f"ui.{module}.MANY", 20)
        monkeypatch.setattr(f"ui.{module}.SAMPLE", 12)
    monkeypatch.setattr("ui.areas.EARLY", -1.0)  # what is there is shown before
    test = page(**TRACTS, algorithms=FOUR)
    frame, three = load_sample("tracts").frame, [NoisyStats(), DPExpTheilSen(), DPWideTheilSen()]
    expected = decide(frame, three, 16.0, sample=12)
    assert heading(test) == decision.headline(expected) and "of 12 sampled areas" in heading(test)
    assert decision.target_sentence(expected) in words(test)
    table = frame_with(test, PASSES_FROM)
    assert set(table["area"]) == set(expected.areas["group"]) == set(drawn_areas(frame["group"].unique(), 12))
    test.toggle(key="all_areas").set_value(True).run()
    assert heading(test) == decision.headline(decide(frame, three, 16.0))
    assert len(frame_with(test, PASSES_FROM)) == 40


def test_what_was_reached_in_time_is_shown_and_a_button_goes_on(monkeypatch):
    """The time is up after one chunk; it is a random sample, and the button goes on to exact counts."""
    frame, two = load_sample("tracts").frame, [NoisyStats(), DPExpTheilSen()]

    def out_of_time(chunks, *rest, **more):
        areas.work.current_run().turn.left = 30.0
        return iter(chunks[:1])

    with monkeypatch.context() as patched:
        patched.setattr(areas.work, "progress", out_of_time)
        test = page(**TRACTS, algorithms=["DPExpTheilSen", "NoisyStats"], x_new="0.37")
    expected = decide(frame, two, 16.0, at=0.37, sample=areas.FEW)
    assert heading(test) == decision.headline(expected) and f"of {areas.FEW} sampled areas" in heading(test)
    assert "Measured so far: 8 of 40 areas, in random order. The others take about 30 s." in test.info[0].value
    assert len(frame_with(test, PASSES_FROM)) == areas.FEW
    test.button(key="work_run").click().run()
    assert heading(test) == decision.headline(decide(frame, two, 16.0, at=0.37))


def test_areas_that_help_each_other_have_a_line_in_the_picture():
    test = page(**TRACTS, algorithms=["CenteredStats", "NoisyStats"], help_each_other="true")
    areas = split_groups(load_sample("tracts").frame).datasets
    counts = {e: pooled_below(areas, CenteredStats(), Budget(e)) for e in POOLED_AT}
    assert decision.pooled_sentence(pooled_curve(counts, 40), 16.0, 0.8) in words(test)
    link = next(code.value for code in test.code if "small_areas?" in code.value)
    assert "help_each_other=true" in link
    none = page(**TRACTS, algorithms=["NoisyStats"], help_each_other="true")
    assert "Pooling needs CenteredStats" in none.info[0].value and heading(none).startswith(("Publish", "Only"))


def test_the_shares_are_by_groups():
    here = measured_at([NoisyStats(), DPExpTheilSen(), DPWideTheilSen(), MaximumObservedSensitivity()])
    here = here.groupby("mechanism")["ratio"]
    table = shares(distributions())
    np.testing.assert_allclose(table[BELOW], here.apply(lambda r: np.mean(r < 1)).loc[table.index])
    np.testing.assert_allclose(table[RATIO], here.median().loc[table.index])
    assert table.loc["MaximumObservedSensitivity", "guarantee"] == "not differentially private"
    assert table.index[-1] == "MaximumObservedSensitivity"


def test_chi_is_that_of_all_areas_whatever_the_chunks(monkeypatch):
    """The page measures in chunks; the method that looks at all areas must still see all of them."""
    whole = shares(distributions()).loc["MaximumObservedSensitivity", RATIO]
    monkeypatch.setattr("ui.areas.CHUNK", 7)
    st.cache_resource.clear()
    test = page(**TRACTS, algorithms=FOUR, area_details="Distribution over areas")
    assert shares(test).loc["MaximumObservedSensitivity", RATIO] == whole


def test_the_slider_keeps_the_areas_with_the_smallest_standard_errors():
    test = page(**TRACTS, algorithms=FOUR, area_details="Distribution over areas")
    test.slider(key="se_range").set_value((0, 25)).run()
    here = measured_at([DPExpTheilSen()]).sort_values("standard_error", kind="stable").head(10)
    assert shares(test).loc["DPExpTheilSen", BELOW] == pytest.approx(np.mean(here["ratio"] < 1))


def test_an_area_opens_on_compare():
    test = page(**TRACTS, algorithms=FOUR)
    test.selectbox(key="open_area").set_value("T09").run()
    assert test.button(key="open_on_compare").label == "Open T09 on Compare"
    test.button(key="open_on_compare").click().run()
    assert not test.exception
    assert test.session_state["group"] == "T09"


def test_what_cannot_be_compared_is_said():
    for algorithms in (["OLS"], ["MaximumObservedSensitivity", "TheilSen"]):
        test = page(source="sample", sample="tracts", algorithms=algorithms)
        assert heading(test) == "No differentially private algorithm is chosen."


def test_one_area_alone_is_answered_on_simulated_areas():
    """As many as the page says, at the budget that is set; the data themselves are not looked at."""
    test = page(source="synthetic", algorithms=FOUR, epsilon="8", n="40")
    simulated = SimulatedState(tracts=SIMULATED_AREAS).load().frame
    expected = decide(simulated, [NoisyStats(), DPExpTheilSen(), DPWideTheilSen()], 8.0)
    assert heading(test) == decision.headline(expected)
    said = words(test)
    assert "Your data set is only one area, so these areas are simulated." in said
    assert "computed from simulated data" in said and "the true data" not in said and f"{SIMULATED_AREAS} areas" in said
    again = page(source="synthetic", algorithms=FOUR, epsilon="8", n="400", var_e="0.1")
    assert heading(again) == heading(test)


def test_areas_of_a_file_are_counted_by_county():
    frame = load_sample("tracts").frame
    some = frame[frame["group"].isin(frame["group"].unique()[:12])]
    some = some.assign(county=some["group"].str[-1].astype(int) % 2).rename(columns={"group": "g"})
    test = app("data", source="upload", epsilon="9", algorithms=["DPExpTheilSen"])
    upload(test, some.to_csv(index=False))
    for key, column in (("x", "x"), ("y", "y"), ("group", "g")):
        test.selectbox(key=f"upload_{key}").set_value(column).run()
    test.button(key="upload_fill").click().run()
    test = test.switch_page("pages/small_areas.py").run()
    assert not test.exception
    table = frame_with(test, "county").set_index("county")
    expected = decide(some.rename(columns={"g": "group"}), [DPExpTheilSen()], 9.0)
    assert table["areas"].sum() == 12 and table["areas that pass"].sum() == expected.algorithms["passing"].iloc[0]
    assert "county: in" in words(test)


def test_groups_that_cannot_be_used_are_listed():
    rows = ["g,x,y", *(f"good{i % 3},{(i * 7) % 10},{i % 10}" for i in range(90)), *["flat,5,1"] * 5, "tiny,1,2"]
    test = app("data", source="upload")
    upload(test, "\n".join(rows))
    test.selectbox(key="upload_x").set_value("x").run()
    test.selectbox(key="upload_y").set_value("y").run()
    test.selectbox(key="upload_group").set_value("g").run()
    test.button(key="upload_fill").click().run()
    assert "2 groups left out" in "\n".join(expander.label for expander in test.expander)
    test.switch_page("pages/small_areas.py").run()
    assert not test.exception
    assert any("3 areas" in caption.value for caption in test.caption)


def test_the_report_holds_the_pages_answer_and_all_areas(monkeypatch):
    made = {}
    monkeypatch.setattr("ui.areas.report_buttons", lambda _, make: made.update(report=make()))
    test = page(**TRACTS, algorithms=FOUR)
    report = made["report"]
    assert report.answer == heading(test) and len(report.table.rows) == 40
    assert "smallest ε that passes" in report.table.columns and report.link.startswith("/small_areas?source=sample")


def test_tracts_like_north_carolinas_come_with_its_elasticity():
    test = page(source="state", tracts="50", epsilon="16", algorithms=["NoisyIntercept"])
    test = fine(test.selectbox(key="state").set_value("North Carolina").run())
    assert test.select_slider(key="elasticity").value == NORTH_CAROLINA.beta
    link = next(code.value for code in test.code if "small_areas?" in code.value)
    assert "state=North+Carolina" in link and f"elasticity={NORTH_CAROLINA.beta}" in link
    again = page(**parse_qs(link.partition("?")[2]))
    assert again.header[0].value == test.header[0].value


def intervals(algorithms: list[str], **query: str) -> AppTest:
    return page(**TRACTS, area_details="How sure", algorithms=algorithms, **query)


def test_widths_of_intervals_are_those_of_the_core():
    test = intervals(["NoisyStats", "CenteredStats"], look_at="0.75")
    sample = load_sample("tracts")
    widths = area_widths(split_groups(sample.frame).datasets, CenteredStats(), Budget(16.0), 1, 0)
    sentence = area_widths_sentence(widths, "CenteredStats")
    assert sentence in words(test) and coverage_sentence(load(), "CenteredStats", "fieller") in words(test)
    (picture,) = test.get("plotly_chart")
    assert picture.proto.alt == sentence
    table = frame_with(test, "two ends").set_index("area")
    first = widths.sort_values("ratio").iloc[0]
    row = table.loc[str(first["group"])]
    assert table.index[0] == str(first["group"]) and row["median width / width of OLS"] == first["ratio"]
    (width,) = (row[name] for name in table.columns if name.startswith("median width") and "/" not in name)
    assert width == pytest.approx(first["width"] * sample.y.scale)


def test_another_algorithm_can_be_chosen_and_its_remark_is_intervals():
    test = intervals(["NoisyStats", "CenteredStats"])
    test.selectbox(key="area_intervals_of").set_value("NoisyStats").run()
    assert not test.exception and "interval of NoisyStats is" in words(test)
    assert NoisyStats.interval_remark in words(test)


def test_without_an_algorithm_that_offers_intervals_it_says_so():
    test = intervals(["DPExpTheilSen"])
    assert [message.value for message in test.info] == [NONE]
    assert free_of_charge([DeepestLine(), DPExpTheilSen(), NoisyStats()]) == [NoisyStats()]
