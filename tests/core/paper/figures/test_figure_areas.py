"""Figures over many data sets against by_group, and verdicts on made-up errors."""

import numpy as np
import pandas as pd
import pytest
from paper_cases import few, uci_or_skip

from dpslr_core import by_group
from dpslr_core.mechanisms import DPExpTheilSen, DPWideTheilSen
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.figures.areas import PURE
from dpslr_core.paper.figures.data import bikes
from dpslr_core.paper.figures.figure import Verdict
from dpslr_core.sources.uci import load_uci


def test_bike_share_errors_are_those_of_by_group(monkeypatch):
    uci_or_skip(monkeypatch, "bikes")
    figure = figure_named("bikes-widened")
    frame = figure.compute(few(figure, 12))
    groups = load_uci("bikes").frame
    some = groups[groups["group"].isin(frame["group"])]
    wanted = by_group(some, [DPExpTheilSen(), DPWideTheilSen()], 2.0)
    wanted = wanted[wanted["at"] == 0.25].set_index(["group", "mechanism"])["c68"].sort_index()
    np.testing.assert_array_equal(frame.set_index(["group", "mechanism"])["c68"].sort_index(), wanted)
    assert len(bikes()) == 288 and frame["group"].nunique() == 12
    assert frame["standard_error"].is_monotonic_increasing


def test_the_oi_method_looks_at_all_tracts_also_where_few_are_measured():
    figure = figure_named("tracts")
    tasks = figure.tasks(few(figure, 30))
    chi = {task.panel: task.mechanisms[-1].chi for task in tasks}
    assert set(chi) == {"Illinois", "North Carolina"}
    assert {panel: sum(len(task.datasets) for task in tasks if task.panel == panel) for panel in chi} == {
        "Illinois": 30, "North Carolina": 30,
    }  # fmt: skip
    more = figure.tasks(few(figure, 60))
    assert {task.panel: task.mechanisms[-1].chi for task in more} == chi


def test_a_panel_for_each_state_with_every_algorithm_of_the_paper():
    figure = figure_named("tracts")
    settings = few(figure, 4)
    frame = figure.compute(settings)
    panels = figure.panels(frame, settings)
    assert list(panels) == ["Illinois", "North Carolina"]
    assert {*PURE, "DPGDApprox", "DPGDzCDP", "MaximumObservedSensitivity"} == set(panels["Illinois"].frame["algorithm"])


def errors(**ratios: list[float]) -> pd.DataFrame:
    """C(68) of some algorithms in areas whose standard error is 1 by position, in hundredths."""
    rows = [
        {"panel": "Illinois", "group": f"g{i:02d}", "mechanism": name, "c68": ratio, "ratio": ratio,
         "standard_error": (i + 1) / 100}
        for name, values in ratios.items()
        for i, ratio in enumerate(values)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def verdict(name: str, frame: pd.DataFrame) -> Verdict:
    figure = figure_named(name)
    return figure.agrees(frame, figure.settings()).verdict


@pytest.mark.parametrize(
    ("mine", "other", "expected"),
    [([0.5, 0.6, 2], [2, 2, 2], Verdict.AGREES), ([0.5, 0.6, 2], [0.1, 0.1, 0.1], Verdict.PARTLY),
     ([2, 2, 2], [0.1, 2, 2], Verdict.DIFFERS)],
)  # fmt: skip
def test_bikes_agree_where_most_errors_are_below_one_and_nobody_has_more(mine, other, expected):
    assert verdict("bikes", errors(DPExpTheilSen=mine, NoisyStats=other)) is expected


def test_tracts_agree_where_dpexptheilsen_beats_the_oi_method_and_all_pure_algorithms():
    def frame(mine: float, oi: float) -> pd.DataFrame:
        others = {name: [1.0, 1.0] for name in PURE if name != "DPExpTheilSen"}
        return errors(DPExpTheilSen=[mine] * 2, MaximumObservedSensitivity=[oi] * 2, **others)

    assert verdict("tracts", frame(0.5, 2)) is Verdict.AGREES
    assert verdict("tracts", frame(1.5, 2)) is Verdict.PARTLY
    assert verdict("tracts", frame(1.5, 1)) is Verdict.DIFFERS


def test_widening_agrees_where_it_helps_at_small_standard_errors_alone():
    def frame(first: float, others: float) -> pd.DataFrame:
        return errors(DPExpTheilSen=[first] * 2 + [others] * 38, DPWideTheilSen=[1.0] * 40)

    assert verdict("bikes-widened", frame(30, 1)) is Verdict.AGREES
    assert verdict("bikes-widened", frame(1, 1)) is Verdict.DIFFERS
    assert verdict("bikes-widened", frame(3, 5)) is Verdict.DIFFERS
