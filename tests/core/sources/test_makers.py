"""What each maker of a stored table writes on a small grid is what its reader reads, to the digits that are kept."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import coverage, lesson_classes, pooling
from dpslr_core.experiments import coverage as coverage_table
from dpslr_core.experiments import pooling_worlds
from dpslr_core.lesson import classes
from dpslr_core.sources.stored import write_tables


def equal(read: pd.DataFrame, made: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(read[made.columns], made.reset_index(drop=True), rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "make", "load", "about"),
    [
        (
            "coverage",
            lambda: coverage.coverage(coverage.SETTINGS[0], 20),
            coverage_table.load,
            coverage.ABOUT,
        ),
        (
            "worlds",
            lambda: pooling.world_rows("normal effects", 50, 1),
            pooling_worlds.load,
            pooling.ABOUT,
        ),
        (
            "classes",
            lambda: lesson_classes.errors_in_classes(10.0, 50, 2),
            classes.load,
            lesson_classes.ABOUT,
        ),
    ],
)
def test_a_table_is_read_as_it_was_made(name, make, load, about, tmp_path: Path):
    made = make()
    write_tables({name: made}, tmp_path / "table.json", **about)
    equal(load(tmp_path / "table.json"), made)
