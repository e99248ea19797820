"""Ranked pictures: errors on the first screen, rows under headings, and the evidence of a recommendation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, compare, simulate_linear
from dpslr_core.charts.compared import error_bars, first_rows, release_dots
from dpslr_core.charts.styles import style
from dpslr_core.charts.vega import GREY
from dpslr_core.experiments.ranking import lead_among, ranking
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyIntercept, NoisyStats, NoisyStatsGaussian
from dpslr_core.sources.axis import Axis
from tests.cases.scenes import check_specification, texts

MECHANISMS = [OLS(), NoisyStats(), NoisyStatsGaussian(), NoisyIntercept(), DPExpTheilSen()]
RIDES = Axis("rides", "rides", 0, 977)


def compared(data, epsilon=2.0):
    """A comparison, and its ranking."""
    comparison = compare(data, MECHANISMS, epsilon, at=0.25, trials=50, seed=0)
    return comparison, ranking(comparison.summary, MECHANISMS, 0.25, epsilon)


@pytest.fixture(scope="module")
def data():
    return Dataset(*simulate_linear(100, 0.03, 0.01, rng=np.random.default_rng(0)))


def test_the_first_screen_has_the_strongest_guarantee_and_the_best_in_its_colour(data):
    _, ranked = compared(data)
    rows = first_rows(ranked)
    assert set(rows["algorithm"]) == {"NoisyStats", "NoisyIntercept", "DPExpTheilSen"}
    weak = ranked[ranked["guarantee_class"] != "pure ε-differential privacy"]
    assert first_rows(weak) is weak
    picture = error_bars(rows)
    check_specification(picture)
    shown = picture["datasets"]["rows"].set_index("algorithm")
    best = lead_among(rows).mechanism
    assert (
        shown["color"].drop(best).unique().tolist() == [GREY]
        and shown["color"][best] == style(best)["color"]
    )
    for _, row in rows.iterrows():
        assert shown.loc[row["algorithm"], "end"] == row["c68"] / row["standard_error"]
    assert {*shown.index, *shown["said"], "below the sampling error"} <= set(texts(picture))


def test_releases_are_dots_in_cells_of_the_sampling_error_and_none_is_lost():
    place = pd.Series({"center": 0.5, "standard_error": 0.1})
    near = pd.DataFrame({"estimate": [0.5, 0.5, 0.51, 0.601, np.nan]})
    far = pd.DataFrame({"estimate": [0.0, 0.5, 0.99, 1.5]})
    picture = release_dots({"DeepestLine": near, "NoisyStats": far}, place, "DeepestLine", RIDES)
    check_specification(picture)
    dots = picture["datasets"]["dots"]
    assert dots["x"].tolist() == pytest.approx([1 / 6, 1 / 6, 1 / 6, 7 / 6, 0])
    assert dots["y"].tolist() == pytest.approx(
        [1 + 0.5 / 11, 1 + 1.5 / 11, 1 + 2.5 / 11, 1 + 0.5 / 11, 0.5 / 11]
    )
    assert {
        "3 of 5 inside",
        "1 without answer",
        "1 of 4 inside",
        "◂ 1 more",
        "2 more ▸",
        "sampling error: ±97.7 rides",
    } <= set(texts(picture))
    check_specification(release_dots({"NoisyStats": far}, place * [1, 0], None, RIDES))


def test_all_algorithms_stand_under_the_headings_of_their_guarantees(data):
    _, ranked = compared(data)
    picture = error_bars(ranked)
    check_specification(picture)
    rows, names = picture["datasets"]["rows"], ranked["algorithm"].tolist()
    kinds = ranked["guarantee_class"].unique().tolist()
    assert [name for name in rows["algorithm"] if name not in kinds] == names
    place = rows["algorithm"].tolist().index
    for kind, members in ranked.groupby("guarantee_class")["algorithm"]:
        assert {place(name) - place(kind) for name in members} == {*range(1, 1 + len(members))}
    written = [text for text in texts(picture) if text in {*kinds, *names}]
    assert written == rows["algorithm"].tolist()
