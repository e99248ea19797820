"""The Guidance page: the core's numbers, guesses that leave the data alone, the map's point, required values."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from opened import app, fine, words
from streamlit.testing.v1 import AppTest

from dpslr_core import recommend
from dpslr_core.datasets import load_sample
from dpslr_core.guidance import advice, switch_points, winner_map
from dpslr_core.guidance.required_values import required_epsilon, required_n
from dpslr_core.mechanisms import ChooseByNoisyVariance, DPExpTheilSen, NoisyIntercept, NoisyStats, NoisyStatsGaussian
from dpslr_core.run import Run
from dpslr_core.scenario import Scenario
from ui import guidance_runs

ROOT = Path(__file__).parents[2]
THREE = ["NoisyStats", "NoisyStatsGaussian", "DPExpTheilSen"]
MECHANISMS = [NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen()]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(switch_points, "_LADDER", (2.0,))  # looking further is a matter of time alone
    monkeypatch.setattr(guidance_runs, "RECORDS", 0)  # and so are more data sets for required values


def page(**query: str | list[str]) -> AppTest:
    return app("guidance", **{"n": "50", "algorithms": THREE} | query)


def frame_with(test: AppTest, column: str) -> pd.DataFrame:
    return next(frame.value for frame in test.dataframe if column in frame.value)


def given(**changes):
    return recommend(**{"n": 50, "var_x": 0.03, "var_e": 0.01, "epsilon": 2.0, "mechanisms": MECHANISMS} | changes)


def test_the_answer_is_that_of_the_core():
    test, recommendation = page(), given()
    text = words(test)
    assert f"Use {recommendation.algorithm}" in text
    for sentence in (advice.answer(recommendation), advice.reason(recommendation), advice.agreement(recommendation)):
        assert sentence in text
    pd.testing.assert_frame_equal(frame_with(test, "behind"), recommendation.evidence)


def test_hyperparameters_of_the_sidebar_count():
    recommendation = given(mechanisms=[*MECHANISMS[:2], DPExpTheilSen(lower=-9, upper=9)], lower=-9, upper=9)
    text = words(page(**{"DPExpTheilSen.lower": "-9", "DPExpTheilSen.upper": "9"}))
    assert advice.answer(recommendation) in text


def test_a_weaker_guarantee_on_request():
    test = page(n="75", epsilon="8", algorithms=THREE[:2])
    strict = words(test)
    test.toggle(key="weaker").set_value(True).run()
    assert "Use NoisyStatsGaussian" in words(fine(test))
    assert "Use NoisyStatsGaussian" not in strict


def test_no_algorithm_may_be_recommended():
    test = page(algorithms=["NoisyStatsGaussian"])
    assert "mechanisms must hold at least one" in test.warning[0].value


def test_nothing_answers():
    test = page(algorithms=["NoisyStats"], n="10", epsilon="0.01")
    assert "Nothing answers often enough" in words(test)


def test_guesses_leave_loaded_data_alone():
    """Another data set of the same n gives the same answer, unless the user asks for guesses from the data."""
    data = load_sample("bikes").dataset("month 1, hour 3")
    test = page(source="sample", sample="bikes", group="month 1, hour 3")
    assert advice.answer(given(n=data.n)) in words(test)
    test.number_input(key="guess_var_e").set_value(0.02).run()
    assert advice.answer(given(n=data.n, var_e=0.02)) in words(fine(test))
    test.toggle(key="guess_from_data").set_value(True).run()
    text = words(fine(test))
    assert f"σₓ² = {data.var_x:.4g}" in text
    assert "the choice itself would leak" in text
    for said in (text, test.code[0].value):
        assert advice.LOOKED in said
    assert "without looking" not in test.code[0].value
    assert "as above" not in text
    assert "without looking" in fine(test.toggle(key="guess_from_data").set_value(False).run()).code[0].value


def test_data_drawn_with_the_sliders_are_not_looked_at():
    """Even where the switch was on for a file that was shown before."""
    test = page(source="sample", sample="bikes", guess_from_data="true")
    assert "by looking" in test.code[0].value
    fine(test.sidebar.radio(key="source").set_value("synthetic").run())
    assert "without looking" in test.code[0].value


def test_two_controls_move_the_point_on_the_map():
    test = page()
    stored = winner_map.load()

    def dot() -> dict:
        specs = [json.loads(chart.proto.spec)["data"] for chart in test.get("plotly_chart")]
        return next(trace for spec in specs for trace in spec if trace.get("name") == "you are here")

    assert dot()["x"][0] == pytest.approx(2 * 50 * 0.03)
    assert dot()["y"][0] == 0.01
    test.select_slider(key="map_product").set_value("480").run()
    test.select_slider(key="map_var_e").set_value("0.02").run()
    fine(test)
    assert (dot()["x"][0], dot()["y"][0]) == (480.0, 0.02)
    cell = stored.nearest(480.0, 0.02)
    assert f"is won by {cell['winner']} with an error of {cell['error']:.2f}" in words(test)


def test_the_map_says_how_it_agrees_with_the_paper():
    assert winner_map.against_the_paper(winner_map.load()) in words(page())


def test_a_map_that_cannot_be_read_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(winner_map, "load", lambda: (_ for _ in ()).throw(ValueError("winner_map.json is no map")))
    assert any("is no map" in warning.value for warning in page().warning)


def test_required_values():
    test = page(r="2")
    table = frame_with(test, "smallest ε, the data set").set_index("algorithm")
    data = Scenario(n=50).family().dataset()
    assert table.loc["DPExpTheilSen", "smallest ε, the data set"] == required_epsilon(data, DPExpTheilSen(), 2.0).text
    test.segmented_control(key="solve_for").set_value("n").run()
    table = frame_with(fine(test), "smallest n, simulated data sets").set_index("algorithm")
    base = Scenario(n=50)
    expected = required_n(base.linear_model, base.budget, DPExpTheilSen(), 2.0, run=Run(50)).text
    assert table.loc["DPExpTheilSen", "smallest n, simulated data sets"] == expected


def test_the_price_of_a_private_look():
    chosen = [*THREE, "ChooseByNoisyVariance"]
    recommendation = given(mechanisms=[*MECHANISMS, ChooseByNoisyVariance()])
    text = words(page(algorithms=chosen))
    assert f"its error is {recommendation.error('ChooseByNoisyVariance'):.2f} standard errors" in text
    assert "Add ChooseByNoisyVariance" in words(page())


def test_the_memo_can_be_copied():
    test = page()
    text = test.code[0].value
    assert "n = 50" in text
    assert f"{given().error(str(given().algorithm)):.2f} standard deviations" in text


@pytest.mark.parametrize(
    "query",
    [
        {"guess_var_x": "-1", "guess_slope": "1e99", "source": "sample"},
        {"r": "0", "solve_for": "x", "map_var_e": "?"},
        {"x_new": "0.5"},
        {"epsilon": "0.01", "n": "10"},
        {"source": "state", "tracts": "50"},
    ],
)
def test_absurd_links_are_no_crash(query):
    page(**query)


def test_a_flat_line_may_win():
    test = page(algorithms=["NoisyIntercept", "NoisyStats"], epsilon="0.1")
    assert given(mechanisms=[NoisyIntercept(), NoisyStats()], epsilon=0.1).algorithm == "NoisyIntercept"
    assert "flat line" in words(test)
    other = "That is not the answer above, which is the one that counts: the map is made for ε = 8"
    assert other in words(test)
    assert other not in words(fine(test.select_slider(key="map_product").set_value("480").run()))
