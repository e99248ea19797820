"""``dpslr by-group --pool``: what pool_areas finds from releases of a seed, in the units of the data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import (
    drawn_releases,
    pooled_in_units,
    pooling_mechanism,
    rehearse_pooling,
)
from dpslr_core.experiments.pooling import pool_areas
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian, NoisyStats
from dpslr_core.privacy import Accounting, Budget
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.tracts import simulate_tracts
from dpslr_core.support.run import stream
from dpslr_core.text.pooling import REHEARSAL
from tests.cases.scenario_files import run

TRACTS = simulate_tracts(tracts=14, rng=np.random.default_rng(0))
DATASETS = split_groups(TRACTS).datasets
INCOME = {label: 10.0 + 3 * i % 7 for i, label in enumerate(DATASETS)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with places.csv: age from -10 to 90, rent from 0 to 200, the income of the place."""
    frame = pd.DataFrame(
        {"place": TRACTS["group"], "age": 100 * TRACTS["x"] - 10, "rent": 200 * TRACTS["y"]}
    )
    frame.assign(income=frame["place"].map(INCOME)).to_csv(tmp_path / "places.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pooled(*more: str, epsilon: str = "4"):
    words = "by-group places.csv --group place --x age --y rent --x-bounds -10 90 --y-bounds 0 200 --pool --out p.csv"
    return run(*words.split(), "--epsilon", epsilon, *more)


def test_releases_of_an_area_belong_to_the_seed_and_its_label_and_spend_what_a_person_allows():
    label, data = next(iter(DATASETS.items()))
    found = drawn_releases(
        DATASETS, CenteredStats(), Budget(6.0, accounting=Accounting(records=3)), 5
    )[label]
    rng = stream(5, "pooled areas", label)
    assert found.ncov == CenteredStats().release_statistics(data, 2.0, 1, rng=rng).ncov


def test_the_first_algorithm_that_can_be_pooled_and_is_admitted_is_taken():
    every = [NoisyStats(), CenteredStatsGaussian(), CenteredStats()]
    assert pooling_mechanism(every, Budget(1.0)) == CenteredStatsGaussian()
    assert pooling_mechanism(every, Budget(1.0, accounting="pure")) == CenteredStats()
    with pytest.raises(
        ValueError,
        match="pooling needs CenteredStats or CenteredStatsGaussian among the algorithms",
    ):
        pooling_mechanism(every[:1], Budget(1.0))


def test_the_table_is_that_of_pool_areas_in_the_units_of_the_data(here: Path):
    mechanism = CenteredStatsGaussian()
    done = pooled(
        "--algorithm", mechanism.name, "--at", "15,65", "--seed", "3", "--records-per-person", "2"
    )
    assert done.exit_code == 0, done.output
    found = pd.read_csv("p.csv")
    budget = Budget(4.0, (0.25, 0.75), Accounting(records=2))
    expected = pool_areas(drawn_releases(DATASETS, mechanism, budget, 3), budget.at)
    assert found["group"].tolist() == expected["group"].tolist()
    assert found["at"].tolist() == [15.0, 65.0] * len(DATASETS)
    for name in ("released", "pooled", "standard_error", "low", "high"):
        np.testing.assert_allclose(found[name], 200 * expected[name], rtol=1e-6)
    np.testing.assert_allclose(found["weight"], expected["weight"], rtol=1e-6)
    said = json.loads(Path("p.csv.json").read_text())
    assert said["rehearsal"] == REHEARSAL and said["released with"].startswith(f"{mechanism.name}(")
    assert REHEARSAL in done.stdout


def test_the_common_line_and_the_spreads_are_in_the_units_of_the_data():
    plain = rehearse_pooling(DATASETS, CenteredStats(), Budget(4.0))
    y = Axis("rent", "", 50, 250)
    units = pooled_in_units(plain, Axis("age", "", -10, 90), y).attrs
    assert units["spread_of_height"] == pytest.approx(200 * plain.attrs["spread_of_height"])
    assert units["spread_of_slope"] == pytest.approx(2 * plain.attrs["spread_of_slope"])
    assert units["slope"] == pytest.approx(2 * plain.attrs["slope"])
    assert units["origin"] == pytest.approx(100 * plain.attrs["origin"] - 10)
    assert units["height"] == pytest.approx(50 + 200 * plain.attrs["height"])
