"""The app with the algorithm of docs/add_an_algorithm.md in a file of its own."""

from __future__ import annotations

import pandas as pd
import pytest

from dpslr_core import compare
from dpslr_core.mechanisms import FILE_VARIABLE, algorithms
from dpslr_core.scenario import Scenario
from tests.cases import own_algorithm
from tests.cases.opened import app, read, words

BOTH = ["OLS", "CappedMean"]


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    written = own_algorithm.written(tmp_path)
    monkeypatch.setenv(FILE_VARIABLE, str(written))
    return written


def shown(test) -> pd.DataFrame:
    """The table of algorithms on a page."""
    return next(f.value for f in test.dataframe if "algorithm" in f.value.columns).set_index(
        "algorithm"
    )


def test_compare_shows_it_where_the_link_names_it():
    test = app("compare", algorithms=BOTH, CappedMean__cap="0.5", n="50")
    (own,) = (algorithm for algorithm in algorithms() if algorithm.__name__ == "CappedMean")
    expected = (
        compare(Scenario(n=50).source.load().dataset(), [own(cap=0.5)], 2.0).summary["c68"].iloc[0]
    )
    assert shown(test).loc["CappedMean", "C(68)"] == pytest.approx(expected)
    assert shown(test).loc["CappedMean", "guarantee"] == "ε = 2"
    assert "CappedMean is best here:" in test.header[0].value
    assert test.sidebar.text_input(key="CappedMean.cap").value == "0.5"


def test_other_pages_show_it_and_guidance_recommends_it():
    for page, query in (
        ("sweep", {"vary": "epsilon", "values": "3", "datasets": "20"}),
        ("small_areas", {"source": "sample", "sample": "tracts", "area_details": "All areas"}),
    ):
        assert "CappedMean" in words(app(page, algorithms=BOTH, **query)), page
    test = app("guidance", algorithms=["NoisyStats", "CappedMean"], n="50", epsilon="0.2")
    assert "Use CappedMean:" in words(test) and "A flat line" in words(test)


def test_a_file_that_cannot_be_used_is_an_error_on_the_page(file):
    file.write_text("import nothing_of_this_name", encoding="utf-8")
    (error,) = app("compare", epsilon="3", nonsense="4").error
    assert f"mechanisms of {file} cannot be used" in read(
        error.value
    ) and "nothing_of_this_name" in read(error.value)
