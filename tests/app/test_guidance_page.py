"""The Guidance page: stages of its answer, guesses that leave the data alone, the map, required values, intervals."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core import recommend
from dpslr_core.guidance import maps, required_values
from dpslr_core.guidance import recommendation as core_answer
from dpslr_core.guidance.required_values import noise_curve
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.samples import load_sample
from dpslr_core.support.run import Run
from dpslr_core.text import guidance as advice
from dpslr_core.text.guidance import headline, required_text
from tests.cases.opened import app, changed, fine, frame_with, heading, pressed, words
from ui import guidance as map_page
from ui.work import current_run

THREE = ["NoisyStats", "NoisyStatsGaussian", "DPExpTheilSen"]
MECHANISMS = [NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen()]
MODEL = LinearModel(50, 0.03, 0.01)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(
        required_values, "_LADDER", (2.0,)
    )  # looking further is a matter of time alone
    monkeypatch.setattr(required_values, "DATASETS_OF_OTHERS", 3)  # and so are more data sets
    monkeypatch.setattr(core_answer, "RECORDS", 12 * 50)
    monkeypatch.setattr(maps.own_cells, "__defaults__", (1, 2))


def page(**query: str | list[str]) -> AppTest:
    return app("guidance", **{"n": "50", "algorithms": THREE} | query)


def bikes(**query: str | list[str]) -> AppTest:
    return page(source="sample", sample="bikes", group="month 1, hour 3", **query)


def given(**changes):
    settings = {
        "n": 50,
        "var_x": 0.03,
        "var_e": 0.01,
        "epsilon": 2.0,
        "mechanisms": MECHANISMS,
        "decide": False,
    }
    return recommend(**settings | {"datasets": 12} | changes)


def test_answer_reason_and_report_are_those_of_the_core(monkeypatch):
    made = {}
    monkeypatch.setattr(
        "ui.takeaway.report_buttons", lambda _, query, make: made.update(report=make())
    )
    test, recommendation = page(guidance="Why"), given()
    assert heading(test) == headline(recommendation) and made["report"].answer.startswith(
        heading(test)
    )
    for sentence in (
        advice.context(recommendation),
        advice.reason(recommendation),
        made["report"].context,
    ):
        assert sentence in words(test)
    changed = given(
        mechanisms=[*MECHANISMS[:2], DPExpTheilSen(lower=-9, upper=9)], lower=-9, upper=9
    )
    assert heading(page(**{"DPExpTheilSen.lower": "-9", "DPExpTheilSen.upper": "9"})) == headline(
        changed
    )
    page(source="sample", sample="bikes", algorithms=THREE)
    assert "temperature" in " ".join(made["report"].memo[1].sentences)
    assert made["report"].warning.startswith("The guesses were read off the data.")


def test_an_answer_is_computed_once_for_a_question(monkeypatch):
    questions, answered = [], map_page.answered

    def counted(asked, *measures):
        questions.append(asked)
        return answered(asked, *measures)

    monkeypatch.setattr(map_page, "answered", counted)
    test = page()
    answer = heading(test)
    changed(test, "guidance", "All algorithms")
    assert heading(fine(test)) == answer and len(questions) == 1
    changed(test, "epsilon", "3")
    assert heading(test) != answer and len(questions) == 2


def test_more_data_sets_decide_a_tie_on_request_for_these_settings_alone(monkeypatch):
    monkeypatch.setattr(core_answer, "SIZED", (4, 4))
    tie = {
        "n": "100",
        "var_e": "0.02",
        "epsilon": "150",
        "algorithms": ["NoisyStats", "DPExpTheilSen"],
    }
    test = page(**tie)
    assert " or " in heading(test).split(":")[0] and "4 simulated data sets" in words(test)
    pressed(test, "decide_button")
    assert " or " not in heading(test).split(":")[0] and "8 simulated data sets" in words(test)
    assert not [each for each in test.button if each.key == "decide_button"]
    link, command = (code.value for code in test.code[:2])
    assert command.endswith("--decide") and "decide=true" in link
    assert heading(page(**tie, decide="true")) == heading(test)
    changed(test, "epsilon", "151")
    assert "4 simulated data sets" in words(test) and "--decide" not in test.code[1].value


def test_what_cannot_be_answered_is_said():
    for query, sentence in (
        ({"algorithms": ["OLS"]}, "mechanisms must hold at least one"),
        (
            {"algorithms": ["NoisyStats"], "n": "10", "epsilon": "0.01"},
            "No algorithm answers often enough",
        ),
        (
            {"algorithms": ["DPExpTheilSen"], "guidance": "When it changes"},
            "two or more algorithms",
        ),
        (
            {"algorithms": ["NoisyStats", "NoisyIntercept"], "n": "700"},
            "Use ",
        ),  # chunks of one data set
    ):
        test = page(**query)
        shown = (heading(test), *(box.value for box in (*test.warning, *test.info)))
        assert any(sentence in text for text in shown), query


def test_public_guesses_leave_loaded_data_alone():
    """The spreads are asked for and never assumed; the answer is that of the guesses, in the user's units."""
    data = load_sample("bikes")
    test = bikes(guesses_public_data="public knowledge")
    assert "Type a public guess of both standard deviations" in test.info[0].value
    assert not test.main.header
    changed(test, "guess_sd_x", str(0.2 * data.x.scale))
    changed(test, "guess_sd_e", str(0.1 * data.y.scale))
    guesses = {"n": data.dataset("month 1, hour 3").n, "var_x": 0.2**2, "var_e": 0.1**2}
    datasets = max(10, min(20, 600 // guesses["n"]))
    assert heading(test) == headline(given(**guesses, datasets=datasets))
    assert "read off these data" not in words(test)


def test_an_uploaded_file_is_asked_about_first():
    """Neither var(x) = 0.03 nor the file's own is assumed before somebody has said which."""
    test = bikes()
    test.session_state["upload_grouped"] = load_sample("bikes")
    changed(test, "source", "upload")
    assert "Choose where they come from" in test.info[0].value and not test.main.header
    changed(test, "guesses", "read off these data")
    assert heading(test).startswith("Use ") and "read off these data · " in words(test)


def test_a_search_that_was_stopped_goes_on_from_there(monkeypatch):
    """Solved algorithms are shown; the button solves the rest."""

    def stopped(parts, *rest, **options):
        if not options.get("partial"):
            return progress(parts, *rest, **options)
        current_run().left = 8.0
        return iter(parts[:1])

    progress = map_page.progress
    with monkeypatch.context() as patched:
        patched.setattr(map_page, "progress", stopped)
        test = page(n="53", guidance="Smallest ε or n")
    best = heading(test).split()[1].rstrip(":")
    assert frame_with(test, "data sets")["algorithm"].tolist() == [best]
    sentence = "1 of 3 algorithms are solved. The others take about 8 s more."
    assert sentence in test.info[0].value and "not solved yet" in words(test)
    pressed(test, "work_run")
    assert not test.info and "not solved yet" not in words(test)
    table = frame_with(test, "smallest ε")
    model = Scenario(n=53).linear_model
    for mechanism, row in zip(MECHANISMS, table.to_dict("records"), strict=True):
        alone = noise_curve(model, Budget(2.0), mechanism, 1.0, row["data sets"], Run(50))
        assert row["smallest ε"] == required_text(alone.required)
