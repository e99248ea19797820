"""Winner maps: cells are those of the sweep's measure, the file round-trips, the stored one is what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.winner_map import ABOUT, cell, measured
from dpslr_core import recommend
from dpslr_core.guidance.maps import (
    MapSettings,
    load,
    own_cells,
    winner,
)
from dpslr_core.mechanisms import (
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
)
from dpslr_core.sources.stored import write_tables

SMALL = MapSettings(products=(4.0, 30.0), var_es=(1e-3, 0.02), datasets=2, trials=10)


@pytest.fixture(scope="module")
def small():
    return measured(SMALL)


def test_winners_have_the_least_error_of_the_pure(small):
    won = small.winners()
    assert len(won) == 4
    pure = [m.name for m in SMALL.mechanisms if m.guarantee(1.0).pure]
    for row in won.itertuples():
        rows = small.rows[
            (small.rows["epsilon_nvar"] == row.epsilon_nvar) & (small.rows["var_e"] == row.var_e)
        ]
        errors = rows.set_index("mechanism")["error"][pure]
        assert row.error == errors.min()
        assert row.winner == errors.idxmin()
        assert row.margin == pytest.approx(np.sort(errors)[1] / errors.min() - 1)
    assert (small.winners(weaker=True)["error"] <= won["error"]).all()
    assert (small.behind("NoisyStats")["behind"] >= 0).all()


def test_a_map_without_one_of_the_algorithms_is_refused(small, tmp_path):
    rows = small.rows[small.rows["mechanism"] != "NoisyStats"]
    write_tables({"errors": rows}, tmp_path / "map.json", **ABOUT)
    with pytest.raises(ValueError, match=r"lacks \['NoisyStats'\]"):
        load(tmp_path / "map.json")


def test_a_cell_of_the_stored_map_is_the_same_when_measured_anew():
    stored = load()
    assert stored.settings == MapSettings()
    assert len(stored.winners()) == len(stored.settings.products) * len(stored.settings.var_es)
    anew = cell(stored.settings, 4.0, 1e-5).set_index("mechanism")["error"]
    kept = stored.rows[(stored.rows["epsilon_nvar"] == 4.0) & (stored.rows["var_e"] == 1e-5)]
    np.testing.assert_allclose(kept.set_index("mechanism")["error"][anew.index], anew, rtol=1e-4)


def test_noisy_stats_is_near_the_best_on_the_stored_map_where_the_paper_says():
    """NoisyStats close to the best where epsilon n var(x) > 400 and var_e >= 0.01."""
    stored = load()
    won = stored.winners()
    where = won[(won["epsilon_nvar"] > 400) & (won["var_e"] >= 0.01)][["epsilon_nvar", "var_e"]]
    behind = stored.behind("NoisyStats").merge(where)["behind"]
    tens = stored.behind("DPExpTheilSen10Match").merge(where)["behind"]
    assert behind.max() < 0.3
    assert (behind < tens).mean() > 0.8


def test_a_cell_holds_the_numbers_of_recommend():
    mechanisms = [DeepestLine(), DPExpTheilSen(), DPGDPure()]
    here = recommend(80, 0.03, 0.01, 1.0, mechanisms=mechanisms, datasets=2, trials=20)
    cell = next(c for c in own_cells(here, 1, 2) if (c.model.n, c.model.var_e) == (80, 0.01))
    assert winner(cell).iloc[0]["about_ols"] == pytest.approx(here.about_ols, rel=1e-12)
    row = winner(replace(cell, datasets=here.datasets_of_best)).iloc[0]
    assert row["winner"] == here.algorithm
    assert row["error"] == pytest.approx(here.error(here.algorithm), rel=1e-12)
    assert row["second"] == "DPExpTheilSen" and row["margin"] > 1
