"""What each maker of a stored table writes on a small grid is what its reader reads, to the digits that are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage, findings, lesson_classes, pooling, winner_map
from dpslr_core.experiments import coverage as coverage_table
from dpslr_core.experiments import pooling_worlds
from dpslr_core.guidance import findings as findings_table
from dpslr_core.guidance import maps
from dpslr_core.lesson import classes
from dpslr_core.sources.tracts import simulate_tracts
from dpslr_core.support.run import Run

SMALL = maps.MapSettings(products=(4.0,), var_es=(1e-3, 0.02), datasets=2, trials=10)


def made_findings() -> dict[str, pd.DataFrame]:
    """One row of each table but the map, which has two cells for each kind of guarantee."""
    run = Run(10)
    areas = findings.split_groups(simulate_tracts(tracts=3, rng=np.random.default_rng(0))).datasets
    return {
        "map": findings.map_rows(),
        "shapes": pd.DataFrame([next(findings.shape_rows(2, run))]),
        "held_out": pd.DataFrame([next(findings.held_out_rows(2, run))]),
        "areas": pd.DataFrame([findings.area_row("three tracts", areas, 16.0, run)]),
    }


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


def test_a_map_and_the_findings_are_read_as_they_were_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = winner_map.measured(SMALL)
    winner_map.save(made, tmp_path / "map.json")
    again = maps.load(tmp_path / "map.json")
    assert again.settings == SMALL
    equal(again.rows, made.rows)
    monkeypatch.setattr(findings, "MAP", SMALL)
    tables = made_findings()
    findings.save(tables, tmp_path / "findings.json")
    for name, table in findings_table.load(tmp_path / "findings.json").items():
        equal(table, tables[name])
    assert set(tables["areas"]["areas"]) == {3} and len(tables["map"]) == 4
