"""Findings: the best newer algorithm against the best of the paper's, over shapes of data and over areas."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group, simulate_linear
from dpslr_core.guidance import findings
from dpslr_core.mechanisms import MECHANISMS, DPExpTheilSen, DPGDzCDP
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Run

PAPER, NEWER = ([m.name for m in findings.pure_mechanisms(kind)] for kind in (True, False))


def test_both_kinds_are_pure_and_hold_no_private_choice():
    assert {"NoisyStats", "DPExpTheilSen", "DPGDPure"} <= set(PAPER) and "DPGDzCDP" not in PAPER
    assert {"CenteredStats", "DeepestLine", "JointTheilSen"} == set(NEWER)
    assert not any(isinstance(m, DPGDzCDP) for kind in (True, False) for m in findings.pure_mechanisms(kind))


def test_a_shape_has_the_best_of_either_kind_and_their_ratio():
    row = next(findings.shape_rows(2, Run(20)))
    assert list(row) == findings.SHAPE_COLUMNS
    assert row["paper"] in PAPER and row["newer"] in NEWER
    assert row["ratio"] == row["newer_error"] / row["paper_error"]
    assert (row["x_shape"], row["error_shape"], row["n"]) == ("uniform", "normal", 60)


def test_held_out_settings_are_none_on_which_a_default_was_chosen():
    """No uniform x, no normal errors, no slope of 1/2, no size of the other tables, and seeds that are others."""
    chosen = [(x, e) for x, e in findings.SHAPES if x == "uniform" or e == "normal"]
    assert not {(x, e) for x, e, _ in findings.HELD_OUT} & set(chosen)
    assert {slope for *_, slope in findings.HELD_OUT} == {0.0, 1.0}
    assert not {n for n, _ in findings.HELD_OUT_SIZES} & {n for n, _ in findings.SIZES}
    assert findings.HELD_OUT_SEED > 1_000


def test_a_held_out_row_is_measured_on_the_new_seed(monkeypatch):
    monkeypatch.setattr(findings, "HELD_OUT", (("normal", "growing", 1.0),))
    monkeypatch.setattr(findings, "HELD_OUT_SIZES", ((30, 2.0),))
    row, other = (next(findings.held_out_rows(2, Run(20, seed))) for seed in (0, 1))
    assert list(row) == findings.HELD_OUT_COLUMNS and row["newer_error"] != other["newer_error"]
    model = LinearModel(30, 0.03, 0.01, 1.0, 0.0, x_shape="normal", error_shape="growing")
    newer = next(m for m in findings.pure_mechanisms(False) if m.name == row["newer"])
    within = []
    for number in range(2):
        data = model.replicate(findings.HELD_OUT_SEED, number)
        reach = row["newer_error"] * model.standard_error((0.25, 0.75), data)
        for law, at, c in zip(newer.law(data, 2.0), (0.25, 0.75), reach, strict=True):
            within.append(law.cdf(at + c) - law.cdf(at - c))
    assert np.mean(within) == pytest.approx(0.68, abs=5e-3)  # the truth at x is x
    assert row["ratio"] <= row["with_slope"] or row["paper"] == "NoisyIntercept"


def areas(count=4):
    rng = np.random.default_rng(5)
    return {f"area {i}": Dataset(*simulate_linear(40, 0.05, 0.01, rng=rng)) for i in range(count)}


@pytest.mark.parametrize("epsilon", [1.0, 6.0])
def test_areas_are_counted_as_a_loop_over_them_does(epsilon):
    datasets = areas()
    row = findings.area_row("some", datasets, epsilon, Run(20, 0))
    groups = pd.concat([pd.DataFrame({"group": name, "x": d.x, "y": d.y}) for name, d in datasets.items()])
    smallest = []
    for in_paper, name in ((True, "paper_passes"), (False, "newer_passes")):
        mechanisms = findings.pure_mechanisms(in_paper)
        rows = by_group(groups, mechanisms, epsilon, trials=20, seed=0).query("at == 0.25")
        smallest.append(rows.groupby("group")["c68"].min())
        passing = rows[~rows["flat"].astype(bool) & (rows["ratio"] < 1)]
        assert row[name] == passing["group"].nunique() / 4
    paper, newer = smallest
    assert row["areas"] == 4 and row["newer_better"] == (newer < paper).mean()
    assert row["median_ratio"] == pytest.approx((newer / paper).median())


def test_tables_survive_their_file(tmp_path):
    stored = findings.load()
    findings.save(stored, tmp_path / "findings.json")
    again = findings.load(tmp_path / "findings.json")
    for name in findings.COLUMNS:
        pd.testing.assert_frame_equal(again[name], stored[name])


def test_the_stored_tables_name_algorithms_that_there_are():
    names, stored = {cls.__name__ for cls in MECHANISMS}, findings.load()
    assert set(stored["map"]["newer"]) | set(stored["shapes"]["paper"]) | set(stored["areas"]["newer"]) <= names
    assert len(stored["map"]) == 2 * len(findings.MAP.products) * len(findings.MAP.var_es)
    assert DPExpTheilSen().name in set(stored["map"]["paper"])
