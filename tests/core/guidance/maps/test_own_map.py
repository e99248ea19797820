"""A map about the guesses: its own_cells, and what one of them says."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import recommend
from dpslr_core.charts.maps.winners import winner_map as picture
from dpslr_core.guidance import maps
from dpslr_core.guidance.maps import COARSE, FINE, mechanisms_of, own_cells, winner, won_of
from dpslr_core.mechanisms import (
    ChooseByCenteredStats,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    NoisyStats,
    NoisyStatsGaussian,
)


@pytest.fixture(scope="module")
def here():
    mechanisms = [DeepestLine(), DPExpTheilSen(), ChooseByCenteredStats(), DPGDPure()]
    return recommend(80, 0.03, 0.01, 2.0, mechanisms=mechanisms, datasets=2, trials=20)


def test_the_answers_cell_is_among_the_cells_and_the_fine_map_holds_the_coarse_one(here):
    coarse, fine = ({(c.model.n, c.model.var_e) for c in own_cells(here, r)} for r in (COARSE, FINE))
    assert (80, 0.01) in coarse < fine
    assert all(c.model.var_x == 0.03 and c.budget == here.budget for c in own_cells(here, FINE))
    assert len(coarse) == 16


def test_limits_of_the_map():
    small = recommend(12, 0.03, 0.2, 2.0, mechanisms=[DPExpTheilSen()], datasets=2)
    assert {c.model.n for c in own_cells(small, COARSE)} == {12, 34}
    assert max(c.model.var_e for c in own_cells(small, COARSE)) == 0.2


def test_what_can_only_tie_and_what_is_slow_and_far_behind_is_left_out(here):
    assert [m.name for m in mechanisms_of(here)] == ["DeepestLine", "DPExpTheilSen"]


def test_a_cell_holds_the_numbers_of_recommend(here):
    cell = next(c for c in own_cells(here, COARSE) if (c.model.n, c.model.var_e) == (80, 0.01))
    row = winner(cell).iloc[0]
    assert row["winner"] == here.algorithm
    assert row["error"] == pytest.approx(here.error(here.algorithm), rel=1e-12)
    assert row["about_ols"] == pytest.approx(here.about_ols, rel=1e-12)
    assert row["margin"] == pytest.approx(here.error("DPExpTheilSen") / row["error"] - 1, rel=1e-9)


def test_the_line_of_the_picture_is_where_the_error_about_ols_is_one(here):
    chosen = [c for c in own_cells(here, COARSE) if c.model.n < 200]
    rows = won_of([winner(c) for c in chosen])
    figure = picture(rows, (here.circumstances.epsilon_nvar, 0.01))
    [line] = [trace for trace in figure.data if trace.type == "contour"]
    assert line.name == "error about OLS = one standard error"
    products = np.sort(rows["epsilon_nvar"].unique())
    size = np.exp(line.z[list(line.y).index(0.01)][np.argmin(abs(products - here.circumstances.epsilon_nvar))])
    assert size == pytest.approx(here.about_ols)
    [outline] = figure.layout.shapes
    assert outline.x0 < here.circumstances.epsilon_nvar < outline.x1 and outline.y0 < 0.01 < outline.y1


def test_a_cell_where_nobody_answers(here):
    cell = maps.Cell(here.model, type(here.budget)(0.001), (NoisyStats(), NoisyStatsGaussian()), here.run, 2)
    row = winner(cell).iloc[0]
    assert np.isinf(row["error"]) and row["margin"] == 0
