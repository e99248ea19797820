"""Every kind of panel is a specification that can be drawn, with the rows it was given, alone and together."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.styles import style
from dpslr_core.charts.vega import rule, written
from dpslr_core.paper import pictures
from dpslr_core.paper.pictures import EXACT, GAUSSIAN, axis, for_page, together

X, Y = axis("ε", (0.1, 10.0), log=True), axis("share", (0.0, 1.0))
ROWS = pd.DataFrame(
    {"algorithm": ["NoisyStats", "NoisyStats", GAUSSIAN], "x": [0.2, 2.0, 1.0], "y": [0.1, np.inf, 0.3]}
)
STRETCHES = pd.DataFrame(
    {"records": [0, 1], "low": [0.2, 0.1], "high": [0.5, 0.5], "value": [0.3, 0.2], "decides": [True, False]}
)
PATH = pd.DataFrame({"algorithm": "DPGDPure", "step": [0, 1], "x": [0.5, 0.4], "y": [0.5, 0.7]})
PANELS = {
    "curves": pictures.curves(ROWS, X, Y, pictures.band(X, (0.5, 2.0)), rule("x", X, 1.0), open_dots=ROWS.iloc[:1]),
    "dots": pictures.dots(ROWS, X, Y, rule("y", Y, 0.5)),
    "records": pictures.scatter(pd.DataFrame({"x": [0.0, 0.5, 1.0], "y": [0.2, 0.4, 0.6], "slope": 0.4})),
    "table": pictures.table(pd.DataFrame({"algorithm": ["A", "B"], "in print": ["θ = 1", "none"]})),
    "density": pictures.density(ROWS, [0.2, 0.5], (0.0, 1.0)),
    "stretches": pictures.stretches(STRETCHES, [0.2, 0.5], (0.0, 1.0)),
    "path": pictures.descent(PATH, pd.DataFrame({"name": ["OLS"], "x": [0.3], "y": [0.6]})),
    "ratio": pictures.noisy_ratio(
        pd.DataFrame({"x": [-1.0, 2.0], "y": [0.5, 1.0], "outcome": ["no answer", "answer"]}), 0.5
    ),
}


def layer(panel: dict, mark: str) -> dict:
    return next(each for each in panel["layer"] if each["mark"]["type"] == mark)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_drawn_with_every_mark(name):
    drawn = written(for_page(PANELS[name]), ".svg").decode()
    shapes = {"point": "symbol", "bar": "rect", "tick": "rect"}
    for mark in (each["mark"]["type"] for each in PANELS[name]["layer"]):
        assert f"mark-{shapes.get(mark, mark)} " in drawn


def test_curves_have_the_colours_and_dashes_of_their_algorithms_and_gaps_where_there_is_no_number():
    scale = layer(PANELS["curves"], "line")["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["NoisyStats"] == style("NoisyStats")["color"]
    np.testing.assert_array_equal(PANELS["curves"]["datasets"]["curves"]["y"], [0.1, np.nan, 0.3])


def test_steps_are_steps_and_marks_stand_where_they_should():
    panel = pictures.curves(ROWS, X, Y, rule("x", X, 1.0), step=True)
    assert layer(panel, "line")["mark"]["interpolate"] == "step-after"
    assert layer(panel, "rule")["encoding"]["x"]["datum"] == 1.0
    assert layer(panel, "line")["encoding"]["x"]["scale"]["type"] == "log"


def test_the_stretch_that_decides_stands_out():
    scale = layer(PANELS["stretches"], "bar")["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))[True] == style("DPSSTheilSen")["color"]


def test_panels_together_keep_their_titles_order_and_rows():
    whole = together({name: PANELS[name] for name in ("dots", "curves")}, columns=2)
    assert [part["title"] for part in whole["concat"]] == ["dots", "curves"] and whole["columns"] == 2
    names = {each["data"]["name"] for part in whole["concat"] for each in part["layer"] if "name" in each["data"]}
    assert names == set(whole["datasets"]) == {"dots: dots", "curves: curves", "curves: open dots"}
    assert together({"dots": PANELS["dots"]})["title"] == "dots"


def test_what_is_no_algorithm_is_grey_and_a_longer_legend_has_more_room():
    names = pd.DataFrame({"algorithm": [GAUSSIAN, EXACT, "NoisyStats"], "x": 1.0, "y": 1.0})
    colors = layer(pictures.dots(names, X, Y), "point")["encoding"]["color"]["scale"]["range"]
    assert colors[0] == colors[1] != colors[2]
    many = pictures.dots(pd.DataFrame({"algorithm": [f"A{i}" for i in range(9)], "x": 1.0, "y": 1.0}), X, Y)
    height = for_page(PANELS["dots"])["height"]
    assert for_page(many)["height"] == height + 4 * 20
    narrow = for_page(many, across=3)
    assert narrow["height"] == height + 8 * 20 and narrow["config"]["legend"]["columns"] == 1
