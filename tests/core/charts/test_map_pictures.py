"""The best newer algorithm against the best of the paper's in the cells of a winner map."""

import re

import numpy as np
import pytest

from benchmarks.findings import newer_against_paper
from dpslr_core.charts.maps import ratio_map, winner_map
from dpslr_core.guidance.maps import load
from dpslr_core.mechanisms import MECHANISMS
from tests.cases.scenes import check_specification, marks

STORED = load()


def test_the_ratio_is_of_the_smallest_errors_of_either_kind():
    errors = STORED.rows.set_index(["epsilon_nvar", "var_e", "mechanism"])["error"]
    private = [m for m in MECHANISMS if m().guarantee(1.0).private]
    for weaker in (False, True):
        table = newer_against_paper(STORED, weaker)
        assert len(table) == len(STORED.winners())
        allowed = [m for m in private if weaker or m().guarantee(1.0).pure]
        for row in table.iloc[::17].itertuples():
            here = errors.loc[row.epsilon_nvar, row.var_e]
            paper, newer = (
                here[[m.__name__ for m in allowed if m.in_paper is kind]] for kind in (True, False)
            )
            assert (row.paper, row.newer) == (paper.idxmin(), newer.idxmin())
            assert row.ratio == pytest.approx(newer.min() / paper.min())


def test_the_map_colours_better_ratios_on_one_side():
    table = newer_against_paper(STORED)
    picture = ratio_map(table, STORED.settings.var_x)
    check_specification(picture)
    cells = picture["datasets"]["cells"]
    drawn = [
        mark.color for mark in marks(picture) if mark.kind == "rect" and mark.more["role"] == "mark"
    ]
    assert len(drawn) == len(cells)
    for ratio, color in zip(cells["ratio"], drawn, strict=True):
        red, _, blue = map(int, re.findall(r"\d+", color))
        assert 0.9 < ratio < 1.1 or (blue > red) == (ratio < 1), (ratio, color)


def test_the_map_of_winners_surrounds_what_is_below_the_sampling_error():
    won = STORED.winners().assign(about_ols=lambda cells: np.where(cells["var_e"] > 0.01, 0.5, 2.0))
    picture = winner_map(won, (1e-9, 1e9))
    check_specification(picture)
    cells, border = picture["datasets"]["cells"], picture["datasets"]["border"]
    (edge,) = border["y"].unique()
    assert won["var_e"][won["var_e"] > 0.01].min() > edge > won["var_e"][won["var_e"] <= 0.01].max()
    assert border["x"].min() == cells["x"].min() and border["x2"].max() == cells["x2"].max()
    (here,) = picture["datasets"]["here"].to_dict("records")
    assert (here["x"], here["y2"]) == (cells["x"].min(), cells["y2"].max())
