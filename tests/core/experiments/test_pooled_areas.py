"""Rehearsed pooling: the error about the truth, everybody in a simulated tract, and the pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import errors_about_truth, rehearse_pooling
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.text import pooling as text

ROOT = Path(__file__).parents[3]
HERE = pd.DataFrame({
    "group": ["a", "b", "c"], "at": 0.5, "released": [0.1, 5.0, 0.6], "pooled": [0.2, 0.5, 0.5],
})  # fmt: skip


def test_errors_about_the_truth_by_hand():
    data = Dataset([0.0, 0.5, 1.0], [0.3, 0.3, 0.3])
    errors = errors_about_truth(
        HERE, dict.fromkeys("abc", data), {"a": 0.3, "b": 0.4, "c": 0.6}
    ).set_index("way")
    assert errors["rms"].tolist() == pytest.approx(
        [np.sqrt(0.1 / 3), np.sqrt(21.2 / 3), np.sqrt(0.03 / 3)]
    )
    assert errors["median"].tolist() == pytest.approx([0.1, 0.2, 0.1])


def test_the_true_lines_are_those_that_the_records_scatter_about():
    source = SimulatedState(tracts=60, data_seed=3, elasticity=0.6)
    grouped = source.load()
    lines, sample = source.true_lines(grouped.sizes), split_groups(grouped.frame).datasets
    assert sorted(lines.index) == sorted(sample)
    away = [
        (data.predict([0.5])[0] - lines.at[area, "intercept"] - lines.at[area, "slope"] * 0.5)
        / data.standard_error([0.5])[0]
        for area, data in sample.items()
    ]
    assert 0.8 < np.sqrt(np.mean(np.square(away))) < 1.25


def test_the_worked_example_of_the_docs():
    source = SimulatedState()
    grouped = source.load()
    datasets, lines = split_groups(grouped.frame).datasets, source.true_lines(grouped.sizes)
    pooled = rehearse_pooling(datasets, CenteredStats(), Budget(2.0))
    truth = lines["intercept"] + 0.25 * lines["slope"]
    said = text.truth_sentence(errors_about_truth(pooled[pooled["at"] == 0.25], datasets, truth))
    assert f"> {said}\n" in (ROOT / "docs" / "deciding.md").read_text(encoding="utf-8")
