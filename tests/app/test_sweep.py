"""The Sweep page: the core's numbers, parameters, absurd links, loaded data, the paper's panels, stop and go on."""

from __future__ import annotations

import json
from functools import partial
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpslr_core import sweep
from dpslr_core.experiments.ranges import RANGES, spaced
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyStats, TheilSen
from dpslr_core.paper.synthetic import PAPER_PANELS
from dpslr_core.scenario import Scenario
from dpslr_core.sources.samples import load_sample
from dpslr_core.sweeps import sweep_batches
from dpslr_core.text.sweep import symbol_of
from tests.cases.opened import app, fine, read, words
from ui.sweep import panel_query

TWO = ["NoisyStats", "DPExpTheilSen"]
SMALL = {"n": "30", "datasets": "20", "values": "3", "algorithms": TWO}


opened = partial(app, "sweep")


def table(test: AppTest) -> pd.DataFrame:
    return test.dataframe[0].value


def picture(test: AppTest) -> dict:
    return json.loads(test.get("vega_lite_chart")[0].proto.spec)


def test_the_numbers_are_those_of_the_core():
    test = opened(**SMALL, vary="epsilon", epsilon_from="1", epsilon_to="9", seed="5")
    mechanisms = [OLS(), TheilSen(), NoisyStats(), DPExpTheilSen()]
    expected = sweep("epsilon", [1, 3, 9], Scenario(n=30), mechanisms, datasets=20, trials=50, seed=5)
    pd.testing.assert_frame_equal(table(test), expected, check_exact=False, rtol=1e-12)
    curve = next(layer for layer in picture(test)["layer"] if layer["data"].get("name") == "curves")
    assert {m.name for m in mechanisms} <= set(curve["encoding"]["color"]["scale"]["domain"])


def test_the_point_looked_at_is_where_the_error_is():
    test = opened(**SMALL, look_at="0.75")
    base = Scenario(n=30, at=(0.75, 0.25))
    expected = sweep("n", spaced("n", 30, 500, 3), base, [NoisyStats()], datasets=20)
    found = table(test)[table(test)["mechanism"] == "NoisyStats"]
    np.testing.assert_allclose(found["error"], expected["error"], rtol=1e-12)
    assert "look_at=0.75" in test.code[0].value


@pytest.mark.parametrize("parameter", RANGES)
def test_every_parameter_can_be_varied(parameter):
    algorithms = ["DPWideTheilSen", "DPSSTheilSen", "DPGDApprox"]
    query = {"n": "20", "datasets": "20", "values": "2", "algorithms": algorithms, "vary": RANGES[parameter].name}
    test = opened(**query, **({"n_to": "50"} if parameter == "n" else {}))
    assert set(table(test)["parameter"]) == {parameter}
    assert len(set(table(test)["value"])) == 2
    assert not test.warning and not test.error
    pinned = next(c.value for c in test.caption if c.value.startswith("Pinned"))
    assert f" {symbol_of(parameter)} = " not in pinned
    assert (f"vary={RANGES[parameter].name.split()[0]}" in test.code[0].value) == (parameter != "n")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"n_from": "-5"}, "n must lie between 3 and 100,000, got -5"),
        ({"n_from": "500", "n_to": "40"}, "'from' must be below 'to', got 500 and 40"),
        ({"n_list": "30, many"}, "values must be numbers with commas between, got 'many'"),
        ({"n_list": "40"}, "there must be 2 to 25 different values of n, got 1"),
        ({"vary": "epsilon", "epsilon_to": "1e308"}, "epsilon must lie between 0.0001 and 10,000, got 1 × 10³⁰⁸"),
        ({"vary": "x_new", "x_new_to": "7"}, "x_new must lie between 0 and 1, got 7"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_an_absurd_link_is_a_sentence_and_the_usual_values(query, sentence):
    test = opened(**SMALL | {"algorithms": ["NoisyStats"]}, **query)
    assert sentence in read(test.error[0].value)
    assert len(set(table(test)["value"])) > 2


def test_no_private_algorithm_is_no_crash():
    test = opened(**SMALL | {"algorithms": ["OLS"]})
    assert "No differentially private algorithm" in test.get("vega_lite_chart")[0].proto.alt


def test_a_loaded_data_set_is_swept_about_its_ols_line_in_its_units():
    test = opened(source="sample", sample="bikes", vary="x_new", values="3", algorithms=TWO)
    grouped = load_sample("bikes")
    base = Scenario(source="sample", sample="bikes")
    expected = sweep("x_new", [0, 0.5, 1], base, [TheilSen(), NoisyStats(), DPExpTheilSen()], data=grouped.dataset())
    np.testing.assert_allclose(table(test)["error"], expected["error"], rtol=1e-12)
    assert sorted(set(table(test)["value"])) == [grouped.x.lower, grouped.x.from_unit(0.5), grouped.x.upper]
    curve = next(layer for layer in picture(test)["layer"] if layer["data"].get("name") == "curves")
    assert "temperature (°C)" in curve["encoding"]["x"]["axis"]["title"]
    ends = [grouped.x.lower, grouped.x.upper]
    np.testing.assert_allclose(curve["encoding"]["x"]["scale"]["domain"], ends, atol=0.05 * grouped.x.scale)
    assert not {"n", "slope"} & set(test.selectbox(key="vary").options)
    assert "can be varied only for synthetic data" in words(test)
    assert "OLS" not in set(table(test)["mechanism"])
    unused = opened(source="sample", sample="bikes", vary="slope", values="2", algorithms=TWO)
    assert "vary" not in unused.code[0].value


def test_crossings_are_read_out_in_words():
    two = ["NoisyStats", "NoisyIntercept"]
    test = opened(vary="epsilon", epsilon_list="0.5; 2; 8; 32", algorithms=two, datasets="20")
    assert words(test).count("NoisyStats overtakes NoisyIntercept at ε = 1.2, between 1.17 and 1.23.") == 2
    test.selectbox(key="crossing_second").set_value("OLS").run()
    assert "OLS has the smaller error throughout." in words(fine(test))
    test.selectbox(key="crossing_second").set_value("NoisyStats").run()
    assert "Choose two different algorithms." in words(fine(test))


@pytest.mark.parametrize("panel", PAPER_PANELS.values(), ids=list(PAPER_PANELS))
def test_a_papers_panel_opens_with_all_its_settings(panel, monkeypatch):
    asked = []
    monkeypatch.setattr("ui.sweep.sweep_batches", lambda *plan, **more: asked.append(plan) or iter(()))
    query: dict[str, list[str]] = {}
    for key, value in parse_qsl(urlencode(panel_query(panel), doseq=True)):
        query.setdefault(key, []).append(value)
    opened(**query)
    planned, run = asked[0][:2]
    assert planned == panel.plan and run.trials == panel.trials


def interrupted_after(count: int, asked: list[tuple[float, int, int]]):
    """sweep_batches whose reader is interrupted, as by a click, after so many batches."""

    def batches(*plan, **more):
        for number, batch in enumerate(sweep_batches(*plan, **more)):
            if number == count:
                st.stop()
            asked.append(batch.key)
            yield batch

    return batches


def test_what_was_measured_is_kept_and_the_rest_follows(monkeypatch):
    asked: list[tuple[float, int, int]] = []
    monkeypatch.setattr("ui.sweep.sweep_batches", interrupted_after(7, asked))
    monkeypatch.setattr("ui.sweep.time", SimpleNamespace(monotonic=lambda: 0.0))  # nothing is drawn in between
    test = opened(**SMALL, n_to="60")
    assert len(asked) == 7 and not test.get("vega_lite_chart")
    test.button(key="sweep_stop").click().run()
    assert "10 of 20 data sets measured." in words(fine(test))
    assert set(table(test)["datasets"]) == {10, 15}
    assert len(asked) == 7
    monkeypatch.setattr("ui.sweep.sweep_batches", interrupted_after(1000, asked))
    test.button(key="sweep_go").click().run()
    assert len(asked) == len(set(asked)) == 12
    assert set(table(fine(test))["datasets"]) == {20}
    assert "data sets measured." not in words(test)


def test_more_data_sets_find_the_first_ones_again(monkeypatch):
    asked: list[tuple[float, int, int]] = []
    monkeypatch.setattr("ui.sweep.sweep_batches", interrupted_after(1000, asked))
    test = opened(**SMALL, n_to="60")
    test.select_slider(key="datasets").set_value(50).run()
    assert len(asked) == len(set(asked)) == 30
    test.select_slider(key="datasets").set_value(20).run()
    assert len(asked) == 30 and set(table(fine(test))["datasets"]) == {20}


def test_what_the_core_refuses_is_a_sentence(monkeypatch):
    def refuse(*plan, **more):
        raise ValueError("values must be kinder")

    monkeypatch.setattr("ui.sweep.sweep_batches", refuse)
    assert "This sweep cannot be measured: values must be kinder." in opened(**SMALL).warning[0].value


def test_the_link_shows_the_same_numbers():
    test = opened(**SMALL, vary="variance of x", var_x_to="0.05", sweep_trials="20")
    query: dict[str, list[str]] = {}
    for key, value in parse_qsl(test.code[0].value.partition("?")[2]):
        query.setdefault(key, []).append(value)
    st.cache_resource.clear()
    pd.testing.assert_frame_equal(table(opened(**query)), table(test))


def test_values_are_inside_their_ends_and_different():
    for parameter, limits in RANGES.items():
        for low, high in ((limits.first, limits.last), (limits.lowest or 1e-9, limits.highest)):
            values = spaced(parameter, low, high, 25)
            assert values[0] == low and values[-1] == high
            assert list(values) == sorted(set(values))
