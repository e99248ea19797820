"""The best newer algorithm against the best of the paper's in the cells of a winner map."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.files import written
from dpslr_core.charts.maps.ratios import ratio_map, written_ratio
from dpslr_core.charts.maps.saved import saved_ratio_map
from dpslr_core.guidance.maps.winner_map import load
from dpslr_core.mechanisms import MECHANISMS

STORED = load()


@pytest.mark.parametrize("weaker", [False, True])
def test_the_ratio_is_of_the_smallest_errors_of_either_kind(weaker):
    table = STORED.newer_against_paper(weaker)
    assert len(table) == len(STORED.winners())
    allowed = [m for m in MECHANISMS if m().guarantee(1.0).private and m.__name__ != "ChooseByCenteredStats"]
    allowed = [m for m in allowed if weaker or m().guarantee(1.0).pure]
    errors = STORED.rows.set_index(["epsilon_nvar", "var_e", "mechanism"])["error"]
    for row in table.iloc[::17].itertuples():
        here = errors.loc[row.epsilon_nvar, row.var_e]
        paper, newer = (here[[m.__name__ for m in allowed if m.in_paper is kind]] for kind in (True, False))
        assert (row.paper, row.newer) == (paper.idxmin(), newer.idxmin())
        assert row.ratio == pytest.approx(newer.min() / paper.min())


def test_the_map_shows_every_ratio_and_colours_better_ones_on_one_side():
    table = STORED.newer_against_paper()
    [cells] = ratio_map(table, STORED.settings.var_x).data
    assert np.isfinite(cells.z).all() and cells.z.size == len(table)
    first = table.sort_values(["var_e", "epsilon_nvar"]).iloc[0]
    assert cells.z[0][0] == pytest.approx(-np.log(first["ratio"]))
    assert first["newer"] in cells.customdata[0][0] and f"n = {first['n']:,}" in cells.customdata[0][0]


def test_a_cell_without_a_ratio_is_empty():
    table = STORED.newer_against_paper()
    table.loc[0, "ratio"] = np.nan
    [cells] = ratio_map(table, STORED.settings.var_x).data
    assert np.isnan(cells.z).sum() == 1
    assert pd.Series(cells.text.ravel()).eq("").sum() == 1


def test_the_map_as_a_file_holds_every_ratio_as_it_is_shown():
    table = STORED.newer_against_paper()
    table.loc[0, "ratio"] = np.nan
    drawn = written(saved_ratio_map(table, STORED.settings.var_x), ".svg").decode()
    shown = [written_ratio(ratio) for ratio in table["ratio"].dropna()]
    assert all(f">{words}</text>" in drawn for words in shown) and "nan" not in drawn.lower()
