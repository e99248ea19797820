"""The table of claims on a page: the headline, the choice, and the numbers of the core."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from dpslr_core.paper import results
from dpslr_core.paper.claim import Kind
from dpslr_core.paper.results import frame, load


def page() -> None:
    from ui.paper import claims

    claims()


def opened() -> AppTest:
    test = AppTest.from_function(page, default_timeout=60).run()
    assert not test.exception
    return test


def test_errors_in_print_come_first_and_every_kind_is_one_click_away():
    table, test = frame(load()), opened()
    assert test.subheader[0].value == results.headline(table)
    assert results.others(table) in [element.value for element in test.markdown]
    assert test.dataframe[0].value["kind"].unique().tolist() == ["error in print"]
    assert test.segmented_control(key="claims").options[1:] == list(dict.fromkeys(kind.value for kind in Kind))[:-1]
    test.segmented_control(key="claims").set_value("all").run()
    shown = test.dataframe[0].value
    assert len(shown) == len(table)
    assert shown["here"].tolist() == table["ours"].tolist()


def test_a_missing_file_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(results, "load", lambda: load(tmp_path / "none.json"))
    test = opened()
    assert "none.json" in test.warning[0].value and not test.dataframe
