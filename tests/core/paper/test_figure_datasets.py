"""Records against those in print, output distributions against compare, and verdicts on made-up errors."""

import numpy as np
import pandas as pd
import pytest
from paper_cases import few, uci_or_skip

from dpslr_core import compare
from dpslr_core.mechanisms import DPExpTheilSen
from dpslr_core.paper.figure import Verdict
from dpslr_core.paper.figures import figure_named
from dpslr_core.sources.samples import load_uci


def test_stock_curves_are_the_output_distributions_of_compare(monkeypatch):
    uci_or_skip(monkeypatch, "stocks")
    figure = figure_named("stocks")
    settings = few(figure, 1)
    frame = figure.compute(settings)
    mine = frame[frame["algorithm"] == "DPExpTheilSen"]
    data = load_uci("stocks").dataset()
    result = compare(data, [DPExpTheilSen()], 2.0, (0.25, 0.75), trials=1)
    np.testing.assert_allclose(mine["cdf"], result.laws["DPExpTheilSen", 0.25].cdf(mine["estimate"]), atol=1e-12)
    row = result.summary.iloc[0]
    assert set(mine["ratio"]) == {row["ratio"]} and set(mine["center"]) == {row["center"]}
    ends = figure.panels(frame, settings)["Stock exchange"]["layer"][0]["encoding"]
    band = ends["x"]["datum"], ends["x2"]["datum"]
    np.testing.assert_allclose(band, (row["center"] - row["standard_error"], row["center"] + row["standard_error"]))


def test_nanotubes_have_two_panels_with_the_budgets_and_ranges_in_print():
    figure = figure_named("nanotubes")
    settings = figure.settings()
    assert (settings["epsilon"], settings["lower"], settings["upper"]) == (1, -0.5, 1.5)
    assert (settings["epsilon_b"], settings["lower_b"], settings["upper_b"]) == (0.01, -50, 50)
    assert settings["k"] == 1


def test_the_second_setting_changes_budget_and_range_and_nothing_else(monkeypatch):
    uci_or_skip(monkeypatch, "nanotubes")
    figure = figure_named("nanotubes")
    tasks = figure.tasks(figure.settings())
    first, second = (
        {task.mechanism.name: task for task in tasks if task.epsilon == epsilon} for epsilon in (1.0, 0.01)
    )
    assert list(first) == list(second) and "DPExpTheilSen1Match" in first
    mine, theirs = first["DPExpTheilSen1Match"].mechanism, second["DPExpTheilSen1Match"].mechanism
    assert (mine.lower, mine.upper, theirs.lower, theirs.upper) == (-0.5, 1.5, -50, 50)
    assert first["NoisyStats"].mechanism == second["NoisyStats"].mechanism
    assert first["DPGDPure"].mechanism == second["DPGDPure"].mechanism == first["DPGDPure"].mechanism.as_in_paper()


def errors(**panels: dict[str, float]) -> pd.DataFrame:
    rows = [(panel, name, ratio) for panel, ratios in panels.items() for name, ratio in ratios.items()]
    return pd.DataFrame(rows, columns=["panel", "algorithm", "ratio"])


def verdict(name: str, frame: pd.DataFrame) -> Verdict:
    figure = figure_named(name)
    return figure.agrees(frame, figure.settings()).verdict


def test_stocks_agree_where_dpexptheilsen_is_below_one_standard_error():
    assert verdict("stocks", errors(p={"DPExpTheilSen": 0.9, "NoisyStats": 3})) is Verdict.AGREES
    assert verdict("stocks", errors(p={"DPExpTheilSen": 1.1, "NoisyStats": 0.3})) is Verdict.DIFFERS


def test_nanotubes_agree_where_theil_sen_leads_first_and_all_others_lead_then():
    robust = {"DPExpTheilSen1Match": 0.5, "DPWideTheilSen1Match": 90, "DPSSTheilSen1Match": 2}
    others = {"NoisyStats": 50, "DPGDPure": 60, "DPGDApprox": 60, "DPGDzCDP": 60}
    wide = {name: 500 for name in robust}
    assert verdict("nanotubes", errors(a=robust | others, b=wide | others)) is Verdict.AGREES
    assert verdict("nanotubes", errors(a=robust | others, b=wide | others | {"DPGDPure": 900})) is Verdict.PARTLY
    lost = robust | {"DPExpTheilSen1Match": 3}
    assert verdict("nanotubes", errors(a=lost | others, b=robust | others)) is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("name", "key", "told"),
    [
        ("bike-records", "bikes", "the 288 data sets have 45 to 62 records and standard errors of 0.0003 to 0.32."),
        ("nanotube-records", "nanotubes", "there are 10,683 records, with n var(x) = 889.2228."),
        ("stock-records", "stocks", "there are 250 records"),
    ],
)
def test_the_records_are_those_in_print(monkeypatch, name, key, told):
    uci_or_skip(monkeypatch, key)
    figure = figure_named(name)
    settings = figure.settings()
    frame = figure.compute(settings)
    verdict = figure.agrees(frame, settings)
    assert verdict.verdict is Verdict.AGREES and told in verdict.sentence
    (drawn,) = figure.panels(frame, settings).values()
    assert 0 < len(drawn["datasets"]["records"]) <= 2000


def test_other_records_are_told_apart():
    figure = figure_named("nanotube-records")
    frame = pd.DataFrame({"n": [10_682], "nvar": [889.2]})
    assert figure.agrees(frame, figure.settings()).verdict is Verdict.DIFFERS


def test_another_month_is_another_data_set(monkeypatch):
    uci_or_skip(monkeypatch, "bikes")
    figure = figure_named("bike-records")
    titles = [figure.tasks(figure.settings({"month": month}))[0].panel for month in (3, 7)]
    assert titles == ["month 3, hour 15", "month 7, hour 15"]
