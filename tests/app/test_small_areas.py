"""The Small areas page: the numbers of by_group, brushed or not, and what it says where it cannot work."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from opened import app, words
from streamlit.testing.v1 import AppTest

from dpslr_core import by_group, simulate_tracts
from dpslr_core.datasets import load_sample
from dpslr_core.mechanisms import DPExpTheilSen, DPWideTheilSen, MaximumObservedSensitivity, NoisyStats
from ui.area_words import BELOW, RATIO

ROOT = Path(__file__).parents[2]
FOUR = ["DPExpTheilSen", "DPWideTheilSen", "NoisyStats", "MaximumObservedSensitivity"]


def page(**query: str | list[str]) -> AppTest:
    return app("small_areas", **query)


def tracts(**query: str | list[str]) -> AppTest:
    return page(source="sample", sample="tracts", epsilon="16", algorithms=FOUR, **query)


def shares(test: AppTest):
    return next(frame.value for frame in test.dataframe if BELOW in frame.value).set_index("algorithm")


def test_the_table_is_by_groups():
    measured = by_group(
        load_sample("tracts").frame,
        [NoisyStats(), DPExpTheilSen(), DPWideTheilSen(), MaximumObservedSensitivity()],
        16.0,
    )
    here = measured[measured["at"] == 0.25].groupby("mechanism")["ratio"]
    table = shares(tracts())
    np.testing.assert_allclose(table[BELOW], here.apply(lambda r: np.mean(r < 1)).loc[table.index])
    np.testing.assert_allclose(table[RATIO], here.median().loc[table.index])
    assert table.loc["MaximumObservedSensitivity", "guarantee"] == "not differentially private"
    assert table.index[-1] == "MaximumObservedSensitivity"


def test_chi_is_that_of_all_areas_whatever_the_chunks(monkeypatch):
    """The page measures in chunks; the method that looks at all areas must still see all of them."""
    whole = shares(tracts()).loc["MaximumObservedSensitivity", RATIO]
    monkeypatch.setattr("ui.area_runs.CHUNK", 7)
    st.cache_resource.clear()
    assert shares(tracts()).loc["MaximumObservedSensitivity", RATIO] == whole


def test_the_slider_keeps_the_areas_with_the_smallest_standard_errors():
    test = tracts()
    test.slider(key="se_range").set_value((0, 25)).run()
    measured = by_group(load_sample("tracts").frame, [DPExpTheilSen()], 16.0)
    here = measured[measured["at"] == 0.25].sort_values("standard_error", kind="stable").head(10)
    assert shares(test).loc["DPExpTheilSen", BELOW] == pytest.approx(np.mean(here["ratio"] < 1))


def test_every_chart_says_what_it_shows_in_its_accessible_name():
    alts = [chart.proto.alt for chart in tracts().get("plotly_chart")]
    assert len(alts) == 3
    assert "below the sampling error" in alts[0]
    assert "DPExpTheilSen has the smaller C(68)" in alts[1]
    assert "known exactly" in alts[2]


def test_all_dots_of_an_area_stand_on_one_line():
    figure = json.loads(tracts().get("plotly_chart")[1].proto.spec)
    dots = {trace["name"]: trace for trace in figure["data"]}
    assert list(dots) == ["standard error", "DPExpTheilSen", "DPWideTheilSen"]


def test_an_area_opens_on_compare():
    test = tracts()
    test.selectbox(key="open_area").set_value("T09").run()
    assert any("compare?" in m.value and "group=T09" in m.value for m in test.markdown)


def test_one_data_set_is_no_family():
    shown = page(source="synthetic")
    assert "this data set is only one" in shown.main.markdown[0].value


def test_the_whole_release_costs_no_more_than_one_area():
    said = words(tracts())
    assert "(parallel composition). That needs group labels and group sizes that are public and fixed." in said
    assert "computed from the true data: they are **not private**" in said


def test_a_weaker_guarantee_in_front_is_said():
    def lead(*algorithms: str) -> str:
        test = page(source="state", tracts="50", epsilon="16", algorithms=list(algorithms))
        return next(one.value for one in test.main.markdown if "is below the sampling error" in one.value)

    both = lead("NoisyStatsGaussian", "NoisyStats")
    share = re.search(r"\(NoisyStats (\d+%)\)", both)[1]
    assert both.endswith(f"than pure ε-differential privacy; of the pure ones NoisyStats is first, {share}.")
    assert "noise of NoisyStatsGaussian is" in both and "(ρ = 128 zCDP) is weaker" in both
    assert lead("NoisyStatsGaussian").endswith("is weaker than pure ε-differential privacy.")
    assert "weaker" not in lead("NoisyStats", "DPExpTheilSen")


def test_a_simulated_state():
    test = page(source="state", tracts="50", algorithms=["DPExpTheilSen", "NoisyStats"])
    assert any("50 areas" in caption.value for caption in test.caption)
    assert set(shares(test).index) == {"DPExpTheilSen", "NoisyStats"}


def test_the_elasticity_of_the_state_turns_the_answer():
    """The flat, noisy lines of Illinois suit NoisyStats; where children follow their parents, DPExpTheilSen."""
    ahead = []
    for elasticity in ("0.0654", "0.6"):
        test = page(
            source="state", tracts="50", epsilon="16", elasticity=elasticity, algorithms=["DPExpTheilSen", "NoisyStats"]
        )
        frame = simulate_tracts(tracts=50, elasticity=float(elasticity), rng=np.random.default_rng(0))
        measured = by_group(frame, [DPExpTheilSen(), NoisyStats()], 16.0)
        here = measured[measured["at"] == 0.25].groupby("mechanism")["ratio"].median()
        table = shares(test)
        np.testing.assert_allclose(table[RATIO], here.loc[table.index])
        ahead.append(table[RATIO].idxmin())
    assert ahead == ["NoisyStats", "DPExpTheilSen"]


def test_groups_that_cannot_be_used_are_listed():
    rows = ["g,x,y", *(f"good{i % 3},{(i * 7) % 10},{i % 10}" for i in range(90)), *["flat,5,1"] * 5, "tiny,1,2"]
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["source"] = "upload"
    test.run()
    test.switch_page("pages/data.py").run()
    test.file_uploader(key="upload_file").set_value(("areas.csv", "\n".join(rows).encode(), "text/csv")).run()
    test.selectbox(key="upload_x").set_value("x").run()
    test.selectbox(key="upload_y").set_value("y").run()
    test.selectbox(key="upload_group").set_value("g").run()
    test.button(key="upload_fill").click().run()
    assert "2 groups left out" in "\n".join(expander.label for expander in test.expander)
    test.switch_page("pages/small_areas.py").run()
    assert not test.exception
    assert any("3 areas" in caption.value for caption in test.caption)
