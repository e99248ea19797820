"""Figures over many data sets against by_group and the law of failures, and verdicts on made-up numbers."""

import numpy as np
import pandas as pd
import pytest
from paper_cases import few, uci_or_skip

from dpslr_core import by_group
from dpslr_core.mechanisms import DPExpTheilSen, DPWideTheilSen
from dpslr_core.paper.areas import EPSILONS, HIGH, LOW, PURE, bikes, data_with, tracts
from dpslr_core.paper.figure import Verdict
from dpslr_core.paper.figures import figure_named
from dpslr_core.sources.samples import load_uci
from dpslr_core.sources.tracts import NORTH_CAROLINA


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
    assert {*PURE, "DPGDApprox", "DPGDzCDP", "MaximumObservedSensitivity"} == set(
        panels["Illinois"]["datasets"]["curves"]["algorithm"]
    )


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


def test_the_tracts_of_a_state_are_simulated_once_for_each_seed():
    simulated = tracts(NORTH_CAROLINA, 3)
    assert len(simulated) == 2156
    assert tracts(NORTH_CAROLINA, 3) is simulated and tracts(NORTH_CAROLINA, 4) is not simulated


@pytest.mark.parametrize(("n", "nvar"), [(39, 0.0245), (381, 28.002), (433, 31.154), (4, 0.5)])
def test_the_data_have_the_n_var_x_in_print(n, nvar):
    data = data_with(n, nvar)
    assert data.n == n and data.nvar == pytest.approx(nvar, rel=1e-12)


def test_more_n_var_x_than_there_is_room_for_is_refused():
    with pytest.raises(ValueError, match="x must lie in"):
        data_with(10, 2.6)


@pytest.mark.parametrize("name", ["failures-illinois", "failures-north-carolina"])
def test_counted_rates_follow_the_laplace_tail(name):
    figure = figure_named(name)
    frame = figure.compute(few(figure, 2, trials=4000))
    exact = 0.5 * np.exp(-frame["nvar"] * frame["epsilon"] / (3 * (1 - 1 / frame["n"])))
    np.testing.assert_allclose(frame["exact"], exact, rtol=1e-9)
    assert (np.abs(frame["failed"] - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 4000) + 1e-3).all()
    assert sorted(set(frame["epsilon"])) == list(EPSILONS) and EPSILONS[0] == 2**-7 and EPSILONS[-1] == 8
    assert figure.agrees(frame, figure.settings()).verdict is Verdict.DIFFERS


def two(low: float, high: float) -> pd.DataFrame:
    return pd.DataFrame({"group": [LOW, HIGH], "exact": [low, high], "failed": [low, high]})


def test_the_figure_would_agree_with_the_rates_in_print():
    figure = figure_named("failures-illinois")
    assert figure.agrees(two(0.40, 0.01), figure.settings()).verdict is Verdict.AGREES
    assert figure.agrees(two(0.40, 0.2), figure.settings()).verdict is Verdict.PARTLY


def test_over_all_tracts_the_worst_decides():
    figure = figure_named("failures-all-tracts")

    def frame(worst: float) -> pd.DataFrame:
        return pd.DataFrame({"failed": [0, 0, worst], "exact": [0, 0, worst], "nvar": [9.0, 8, 1]})

    assert figure.agrees(frame(0.12), figure.settings()).verdict is Verdict.AGREES
    partly = figure.agrees(frame(0.3), figure.settings())
    assert partly.verdict is Verdict.PARTLY and "in the worst tract 30% fail" in partly.sentence


def test_all_tracts_of_the_simulated_state_are_there_at_epsilon_8():
    figure = figure_named("failures-all-tracts")
    tasks = figure.tasks(few(figure, 0, trials=5))
    assert len({failures.group for task in tasks for failures in task}) == 3108
    frame = figure.measure(tasks[0])
    assert len(frame) == len(tasks[0]) and set(frame["epsilon"]) == {8.0} and (frame["exact"] < 0.01).mean() > 0.5
