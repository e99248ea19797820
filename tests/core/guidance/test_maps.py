"""Winner maps: cells are those of the sweep's measure, the file round-trips, the stored one is what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.winner_map import ABOUT, cell, measured
from dpslr_core import recommend
from dpslr_core.charts.maps import winner_map as picture
from dpslr_core.guidance import maps
from dpslr_core.guidance.maps import (
    MapSettings,
    load,
    mechanisms_of,
    own_cells,
    winner,
    won_of,
)
from dpslr_core.mechanisms import (
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.stored import write_tables

SMALL = MapSettings(products=(4.0, 30.0), var_es=(1e-3, 0.02), datasets=2, trials=10)


@pytest.fixture(scope="module")
def small():
    return measured(SMALL)


def test_the_cells_are_those_of_the_settings(small):
    located = small.rows[["epsilon_nvar", "var_e", "n"]].drop_duplicates().to_numpy().tolist()
    assert located == [[4.0, 1e-3, 25], [4.0, 0.02, 25], [30.0, 1e-3, 188], [30.0, 0.02, 188]]
    sloped = replace(SMALL, slope=0.3, intercept=0.1)
    assert sloped.model(30.0, 0.02) == LinearModel(188, 0.02, 0.02, slope=0.3, intercept=0.1)


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


def test_the_stored_map_is_the_one_its_settings_make():
    stored = load()
    assert stored.settings == MapSettings()
    assert len(stored.winners()) == len(stored.settings.products) * len(stored.settings.var_es)
    anew = cell(stored.settings, 4.0, 1e-5).set_index("mechanism")["error"]
    kept = stored.rows[(stored.rows["epsilon_nvar"] == 4.0) & (stored.rows["var_e"] == 1e-5)]
    np.testing.assert_allclose(kept.set_index("mechanism")["error"][anew.index], anew, rtol=1e-4)


def test_var_e_is_the_axis_of_noisy_stats():
    """What the Methods page says: DPExpTheilSen's error, in standard errors, hardly depends on var_e."""
    rows = load().rows.pivot(index=["epsilon_nvar", "var_e"], columns="mechanism", values="error")
    most, least = (rows.groupby("epsilon_nvar").agg(end) for end in ("max", "min"))
    assert (most["DPExpTheilSen"] / least["DPExpTheilSen"]).max() < 1.05
    assert (most["NoisyStats"] / least["NoisyStats"]).min() > 5


def test_the_stored_map_shows_what_the_paper_found():
    """NoisyStats close to the best where epsilon n var(x) > 400 and var_e >= 0.01."""
    stored = load()
    won = stored.winners()
    where = won[(won["epsilon_nvar"] > 400) & (won["var_e"] >= 0.01)][["epsilon_nvar", "var_e"]]
    behind = stored.behind("NoisyStats").merge(where)["behind"]
    tens = stored.behind("DPExpTheilSen10Match").merge(where)["behind"]
    assert behind.max() < 0.3
    assert (behind < tens).mean() > 0.8


def test_widening_does_not_help_where_estimates_do_not_crowd():
    """What the page says of the standard error against theta, in all cells with standard errors above it."""
    stored = load()
    s = stored.settings
    errors = stored.rows.pivot_table(
        index=["n", "var_e"], columns="mechanism", values="error"
    ).reset_index()
    away = np.mean((np.array(s.at) - 0.5) ** 2)
    standard_error = np.sqrt(errors["var_e"] / errors["n"] * (1 + away / s.var_x))
    apart = errors[standard_error >= s.theta]
    assert len(apart) >= 20
    assert (apart["DPExpTheilSen"] < apart["DPWideTheilSen"]).all()


@pytest.fixture(scope="module")
def here():
    mechanisms = [DeepestLine(), DPExpTheilSen(), DPGDPure()]
    return recommend(80, 0.03, 0.01, 1.0, mechanisms=mechanisms, datasets=2, trials=20)


def test_the_answers_cell_is_among_the_cells(here):
    cells = own_cells(here)
    assert (80, 0.01) in {(c.model.n, c.model.var_e) for c in cells} and len(cells) == 49
    assert all(c.model.var_x == 0.03 and c.budget == here.budget for c in cells)


def test_limits_of_the_map():
    small = recommend(12, 0.03, 0.2, 2.0, mechanisms=[DPExpTheilSen()], datasets=2)
    assert {c.model.n for c in own_cells(small, 1, 2)} == {12, 34}
    assert max(c.model.var_e for c in own_cells(small, 1, 2)) == 0.2


def test_what_can_only_tie_and_what_is_slow_and_far_behind_is_left_out(here):
    assert [m.name for m in mechanisms_of(here)] == ["DeepestLine", "DPExpTheilSen"]


def test_a_cell_holds_the_numbers_of_recommend(here):
    cell = next(c for c in own_cells(here, 1, 2) if (c.model.n, c.model.var_e) == (80, 0.01))
    assert winner(cell).iloc[0]["about_ols"] == pytest.approx(here.about_ols, rel=1e-12)
    row = winner(replace(cell, datasets=here.datasets_of_best)).iloc[0]
    assert row["winner"] == here.algorithm
    assert row["error"] == pytest.approx(here.error(here.algorithm), rel=1e-12)
    assert row["second"] == "DPExpTheilSen" and row["margin"] > 1


def test_the_line_of_the_picture_parts_cells_above_and_below_the_sampling_error(here):
    chosen = [c for c in own_cells(here, 1, 2) if c.model.n < 200]
    rows = won_of([winner(c) for c in chosen])
    rows["about_ols"] = [0.5 if i in (0, 1, 4) else 2.0 for i in range(len(rows))]
    own = here.circumstances.epsilon_nvar, 0.01
    figure = picture(rows, own)
    below = rows["about_ols"].to_numpy() <= 1
    assert 0 < below.sum() < below.size
    cells, border = figure["datasets"]["cells"], figure["datasets"]["border"]
    beside = 0  # pairs of neighbouring cells of which one is below
    for i, left in cells.iterrows():
        for j, right in cells.iterrows():
            row = left["x2"] == right["x"] and left["y"] == right["y"]
            column = left["y2"] == right["y"] and left["x"] == right["x"]
            beside += int((row or column) and below[i] != below[j])
    assert len(border) == beside
    (outline,) = figure["datasets"]["here"].itertuples()
    assert outline.x < own[0] < outline.x2 and outline.y < own[1] < outline.y2


def test_a_cell_where_nobody_answers(here):
    cell = maps.Cell(
        here.model, type(here.budget)(0.001), (NoisyStats(), NoisyStatsGaussian()), here.run, 2
    )
    row = winner(cell).iloc[0]
    assert np.isinf(row["error"]) and row["margin"] == 0
