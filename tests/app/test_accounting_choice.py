"""What each algorithm may spend: the list in the sidebar, and the numbers that some rules need."""

from __future__ import annotations

import pytest
from opened import app, fine, typed

from dpslr_core.privacy.accounting import Accounting, OneDelta


def test_the_rules_are_a_list_and_the_papers_leaves_the_link_silent():
    test = app("methods")
    listed = test.sidebar.selectbox(key="accounting_list")
    assert len(listed.options) == len(Accounting) + 1 and listed.value == Accounting.PAPER
    fine(listed.select("attack").run())
    assert test.session_state["accounting"] is Accounting.ATTACK and "attack" in test.query_params["accounting"]


def test_one_delta_for_all_asks_for_the_delta():
    test = app("methods", accounting="approx:1e-9")
    assert test.sidebar.text_input(key="accounting_delta_box").value == "1e-09"
    typed(test, "accounting_delta", "0,0001")
    assert test.session_state["accounting"] == OneDelta(1e-4)
    assert str(OneDelta(1e-4)) in test.query_params["accounting"]


def test_one_rho_for_all_moves_epsilon():
    test = app("methods", accounting="zcdp", epsilon="2")
    assert test.sidebar.text_input(key="accounting_rho_box").value == "2"
    typed(test, "accounting_rho", "0,5")
    assert test.session_state["epsilon"] == 1.0 and "1" in test.query_params["epsilon"]


@pytest.mark.parametrize("linked", ["approx:5", "approx:x", "fair"])
def test_a_rule_that_is_none_is_the_papers(linked):
    assert app("methods", accounting=linked).session_state["accounting"] is Accounting.PAPER
