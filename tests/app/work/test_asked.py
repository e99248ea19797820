"""Pages ask before a long run, refuse what is beyond the server, and stop what takes longer than expected."""

from __future__ import annotations

import time

import pytest
from opened import app, fine, words

from dpslr_core.experiments.cost.of_runs import sweep_cost
from dpslr_core.experiments.ranges import (
    RANGES,
    USUAL_DATASETS,
    USUAL_TRIALS,
    USUAL_VALUES,
    spaced,
    swept_mechanisms,
)
from dpslr_core.scenario import Scenario
from dpslr_core.support.run import checkpoint
from dpslr_core.support.work.limits import AT_ONCE, MEGABYTES, SECONDS, Cost
from dpslr_core.sweeps import plan_sweep
from ui.cache import kept
from ui.runs import compare as runs

BAD = {"n": "10000", "trials": "5000", "also_k": "1000", "x_new": "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8"}
LARGE = {"n": "300000", "algorithms": ["OLS", "DPExpTheilSen", "DPSSTheilSen", "DPGDPure"]}


def said(test) -> str:
    return " ".join(element.value for element in (*test.info, *test.warning))


def labels(test) -> list[str]:
    return [button.label for button in test.main.button]


@pytest.mark.parametrize("page", ["compare", "guidance", "sweep"])
def test_a_bad_link_says_what_to_reduce_and_offers_the_command_line(page):
    test = app(page, **BAD, n_to="100000")
    assert "Too large for this page" in said(test)
    assert "Reduce" in said(test)
    assert any(code.value.startswith("dpslr ") for code in test.code)
    assert not [label for label in labels(test) if label.startswith("Run it")]


@pytest.mark.parametrize("page", ["compare", "privacy"])
def test_a_long_run_is_asked_about(page):
    test = app(page, **LARGE, privacy_of="DPSSTheilSen")
    assert "of computing" in said(test)
    assert any(label.startswith("Run it: about") for label in labels(test))
    assert not test.header


@pytest.fixture
def costly(monkeypatch):
    """Compare at its defaults, estimated at a minute."""
    monkeypatch.setattr("ui.runs.compare.compare_cost", lambda *args: Cost(60, 10))


def test_a_click_runs_it_and_holds_for_another_epsilon(costly):
    test = app("compare", n="30", algorithms=["OLS", "NoisyStats"])
    assert "about 60 s" in said(test)
    fine(test.main.button(key="work_run").click().run())
    assert "Best here" in words(test)
    fine(test.sidebar.number_input(key="seed").set_value(3).run())
    assert "Best here" in words(test)


def test_a_click_holds_for_no_other_data(costly):
    test = app("compare", n="30", algorithms=["OLS", "NoisyStats"])
    fine(test.main.button(key="work_run").click().run())
    fine(test.sidebar.number_input(key="data_seed").set_value(3).run())
    assert "about 60 s" in said(test)


def test_a_server_sets_its_own_limits(costly, monkeypatch):
    monkeypatch.setenv(SECONDS, "30")
    test = app("compare", n="30", algorithms=["OLS", "NoisyStats"])
    assert "this server allows 30 s" in said(test)
    monkeypatch.setenv(SECONDS, "0")
    monkeypatch.setenv(MEGABYTES, "5")
    test = app("compare", n="30", algorithms=["OLS", "NoisyStats"])
    assert "this server allows 5 MB" in said(test)


@pytest.mark.parametrize("page", ["start", "data", "compare", "guidance", "privacy", "paper", "lesson", "findings"])
def test_the_first_visit_of_a_page_asks_for_nothing(page):
    test = app(page)
    assert not [label for label in labels(test) if label.startswith(("Run it", "Go on"))]


def test_the_sweep_that_a_page_starts_with_asks_for_nothing():
    """Its estimate alone: to measure it takes seconds."""
    base = Scenario()
    values = spaced("n", RANGES["n"].first, RANGES["n"].last, USUAL_VALUES)
    planned = plan_sweep("n", values, base.linear_model, base.budget, swept_mechanisms(base, "n"))
    assert sweep_cost(planned, USUAL_TRIALS).times(USUAL_DATASETS).within(AT_ONCE)


def test_part_of_a_sweep_is_measured_where_all_would_take_long(monkeypatch):
    monkeypatch.setattr("ui.sweep.sweep_cost", lambda plan, trials: Cost(1.0, 1))
    test = app("sweep", algorithms=["OLS", "NoisyStats"], values="2", n_to="60", datasets="20")
    assert "10 of 20 data sets measured" in words(test)
    assert "10 s of computing" in said(test)
    assert test.header
    fine(test.main.button(key="work_run").click().run())
    assert "of 20 data sets measured" not in words(test)
    assert not test.info


def test_what_takes_longer_than_expected_is_stopped_and_goes_on_with_a_click(monkeypatch):
    def slow(data):
        """A second of computing, with checkpoints, in a function that is kept."""
        end = time.thread_time() + 1.0
        while time.thread_time() < end:
            checkpoint()
        return real(data)

    real = runs.lines
    monkeypatch.setattr("ui.work.run.AT_ONCE", Cost(0.5, 500))
    monkeypatch.setattr(runs, "lines", kept(8)(slow))
    test = app("data", n="30")
    assert "it takes longer than expected" in said(test)
    fine(test.main.button(key="work_go_on").click().run())
    assert "it takes longer than expected" not in said(test)
