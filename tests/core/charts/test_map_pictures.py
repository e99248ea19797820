"""The best newer algorithm against the best of the paper's in the cells of a winner map."""

import re

import numpy as np
import pytest

from dpslr_core.charts.maps import depth_example, depth_surface, ratio_map
from dpslr_core.charts.vega import written
from dpslr_core.guidance.maps import load
from dpslr_core.mechanisms import MECHANISMS, DeepestLine
from dpslr_core.sources.linear import LinearModel
from dpslr_core.text.methods import depth_sentence
from dpslr_core.text.phrases import format_amount
from tests.cases.readable import check_readable
from tests.cases.scenes import check_specification, marks

STORED = load()


def test_the_ratio_is_of_the_smallest_errors_of_either_kind():
    errors = STORED.rows.set_index(["epsilon_nvar", "var_e", "mechanism"])["error"]
    private = [m for m in MECHANISMS if m().guarantee(1.0).private]
    for weaker in (False, True):
        table = STORED.newer_against_paper(weaker)
        assert len(table) == len(STORED.winners())
        allowed = [m for m in private if weaker or m().guarantee(1.0).pure]
        for row in table.iloc[::17].itertuples():
            here = errors.loc[row.epsilon_nvar, row.var_e]
            paper, newer = (here[[m.__name__ for m in allowed if m.in_paper is kind]] for kind in (True, False))
            assert (row.paper, row.newer) == (paper.idxmin(), newer.idxmin())
            assert row.ratio == pytest.approx(newer.min() / paper.min())


def test_the_map_shows_every_ratio_and_colours_better_ones_on_one_side():
    table = STORED.newer_against_paper()
    picture = ratio_map(table, STORED.settings.var_x)
    check_specification(picture)
    cells = picture["datasets"]["cells"]
    assert np.isfinite(cells["better"]).all() and len(cells) == len(table)
    first, shown = table.sort_values(["epsilon_nvar", "var_e"]).iloc[0], cells.iloc[0]
    assert shown["better"] == pytest.approx(-np.log(first["ratio"]))
    drawn = [mark.color for mark in marks(picture) if mark.kind == "rect" and mark.more["role"] == "mark"]
    assert len(drawn) == len(cells)
    for better, color in zip(cells["better"], drawn, strict=True):
        red, _, blue = map(int, re.findall(r"\d+", color))
        assert abs(better) < 0.1 or (blue > red) == (better > 0), (better, color)


def test_a_cell_without_a_ratio_is_empty_and_a_file_holds_every_other_as_it_is_shown():
    table = STORED.newer_against_paper()
    table.loc[0, "ratio"] = np.nan
    table.loc[1, "ratio"] = 1.7  # the paper's is better
    picture = ratio_map(table, STORED.settings.var_x)
    cells = picture["datasets"]["cells"]
    assert cells["better"].isna().sum() == cells["words"].eq("").sum() == 1
    assert sum(m.kind == "rect" and m.more["role"] == "mark" for m in marks(picture)) == len(table) - 1
    drawn, shown = written(picture, ".svg").decode(), [format_amount(ratio, 2) for ratio in table["ratio"].dropna()]
    signs = ["" if words == "1" else " ✓" if float(words) < 1 else " ✗" for words in shown]  # without colour
    assert all(f">{words}{sign}</text>" in drawn for words, sign in zip(shown, signs, strict=True))


def test_the_deepest_line_is_at_the_top_and_the_likeliest():
    lines = depth_example(12, 9)
    surface, deepest = depth_surface(lines, 2.0).data
    assert deepest.z[0] == lines["score"].min() == surface.z.min()
    mechanism, data = DeepestLine(grid=9), LinearModel(12, 0.05, 0.01).replicate(0, 0)
    row = lines.iloc[30]
    assert row["score"] == mechanism.scores(data).of_cells(np.array([30]))[0]
    assert surface.z[30 % 9, 30 // 9] == row["score"]
    probable = np.exp(-(lines["score"] - lines["score"].min()) / 2).sort_values(ascending=False).cumsum()
    half = int((probable < probable.iloc[-1] / 2).sum()) + 1
    said = depth_sentence(lines, 2.0)
    check_readable(said)
    assert f"the {half} deepest lines" in said and "148 times" in said
