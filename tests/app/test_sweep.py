"""The Sweep page: parameters, absurd links, loaded data, and what is kept of an interrupted sweep."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpslr_core.experiments.ranges import RANGES, spaced
from dpslr_core.sweeps import sweep_batches
from dpslr_core.text.sweep import symbol_of
from tests.cases.opened import app, changed, fine, read, words

TWO = ["NoisyStats", "DPExpTheilSen"]
SMALL = {"n": "30", "datasets": "20", "values": "3", "algorithms": TWO}
opened = partial(app, "sweep")


def table(test: AppTest) -> pd.DataFrame:
    return test.dataframe[0].value


@pytest.mark.parametrize("parameter", RANGES)
def test_every_parameter_can_be_varied(parameter):
    algorithms, name = ["DPWideTheilSen", "DPSSTheilSen", "DPGDApprox"], RANGES[parameter].name
    query = {"n": "20", "datasets": "20", "values": "2", "algorithms": algorithms, "vary": name}
    test = opened(**query, **({"n_to": "50"} if parameter == "n" else {}))
    assert set(table(test)["parameter"]) == {parameter} and len(set(table(test)["value"])) == 2
    assert not test.warning and not test.error
    pinned = next(c.value for c in test.caption if c.value.startswith("Fixed"))
    assert f" {symbol_of(parameter)} = " not in pinned
    assert (f"vary={name.split()[0]}" in test.code[0].value) == (parameter != "n")


def test_an_absurd_link_is_a_sentence_and_the_usual_values():
    for query, sentence in (
        ({"n_from": "-5"}, "n must lie between 3 and 100,000, got -5"),
        ({"n_from": "500", "n_to": "40"}, "'from' must be below 'to', got 500 and 40"),
        (
            {"vary": "epsilon", "epsilon_to": "1e308"},
            "epsilon must lie between 0.0001 and 10,000, got 1 × 10³⁰⁸",
        ),
    ):
        test = opened(**SMALL | {"algorithms": ["NoisyStats"]}, **query)
        assert sentence in read(test.error[0].value), query
        assert len(set(table(test)["value"])) > 2, query


def test_what_cannot_be_swept_is_a_sentence(monkeypatch):
    test = opened(**SMALL | {"algorithms": ["OLS"]})
    assert "No differentially private algorithm" in test.get("vega_lite_chart")[0].proto.alt

    def refuse(*plan, **more):
        raise ValueError("values must be kinder")

    monkeypatch.setattr("ui.sweep.sweep_batches", refuse)
    assert (
        "This sweep cannot be measured: values must be kinder." in opened(**SMALL).warning[0].value
    )


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
    monkeypatch.setattr(
        "ui.sweep.time", SimpleNamespace(monotonic=lambda: 0.0)
    )  # nothing is drawn in between
    test = opened(**SMALL, n_to="60")
    assert len(asked) == 7 and not test.get("vega_lite_chart")
    monkeypatch.setattr("ui.sweep.sweep_batches", interrupted_after(1000, asked))
    test.run()
    assert len(asked) == len(set(asked)) == 12
    assert set(table(fine(test))["datasets"]) == {20} and "data sets measured." not in words(test)
    for datasets in (50, 20):  # more find the first ones again, and fewer measure none
        changed(test, "datasets", datasets)
        assert (
            set(table(fine(test))["datasets"]) == {datasets} and len(asked) == len(set(asked)) == 30
        )


def test_values_are_inside_their_ends_and_different():
    for parameter, limits in RANGES.items():
        for low, high in ((limits.first, limits.last), (limits.lowest or 1e-9, limits.highest)):
            values = spaced(parameter, low, high, 25)
            assert values[0] == low and values[-1] == high
            assert list(values) == sorted(set(values))
