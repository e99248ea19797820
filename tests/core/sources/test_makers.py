"""What each maker of a stored table writes on a small grid is what its reader reads, to the digits that are kept."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import coverage, lesson_classes, pooling
from dpslr_core.experiments import coverage as coverage_table
from dpslr_core.experiments import pooling_worlds
from dpslr_core.lesson import classes


def equal(read: pd.DataFrame, made: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(read[made.columns], made.reset_index(drop=True), rtol=1e-3)


@pytest.mark.parametrize(
    ("maker", "make", "load"),
    [
        (coverage, lambda: coverage.coverage(coverage.SETTINGS[0], 20), coverage_table.load),
        (pooling, lambda: pooling.world_rows("normal effects", 50, 1), pooling_worlds.load),
        (lesson_classes, lambda: lesson_classes.errors_in_classes(10.0, 50, 2), classes.load),
    ],
)
def test_a_table_is_read_as_it_was_made(maker, make, load, tmp_path: Path):
    made = make()
    maker.save(made, tmp_path / "table.json")
    equal(load(tmp_path / "table.json"), made)
