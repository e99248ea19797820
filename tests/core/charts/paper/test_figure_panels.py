"""Every kind of panel is a valid chart with the rows it was given, alone and together."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.paper.look import (
    EXACT,
    GAUSSIAN,
    Curves,
    Density,
    Dots,
    Look,
    Path,
    Ratio,
    Records,
    Scale,
    Stretches,
    Table,
)
from dpslr_core.charts.paper.panels import color_of, draw, for_page, together
from dpslr_core.charts.styles import style

LOOK = Look(Scale("ε", (0.1, 10.0), log=True), Scale("share", (0.0, 1.0)), at_x=1.0, at_y=0.5, band=(0.5, 2.0))
ROWS = pd.DataFrame(
    {"algorithm": ["NoisyStats", "NoisyStats", GAUSSIAN], "x": [0.2, 2.0, 1.0], "y": [0.1, np.inf, 0.3]}
)
TICKS = pd.DataFrame({"x": [0.2, 0.5]})
PANELS = {
    "curves": Curves(ROWS, LOOK, ROWS.iloc[:1]),
    "dots": Dots(ROWS, LOOK),
    "records": Records(pd.DataFrame({"x": [0.0, 0.5, 1.0], "y": [0.2, 0.4, 0.6], "slope": 0.4})),
    "table": Table(pd.DataFrame({"algorithm": ["A", "B"], "in print": ["θ = 1", "none"]})),
    "density": Density(ROWS, TICKS, (0.0, 1.0)),
    "stretches": Stretches(
        pd.DataFrame({"records": [0, 1], "low": [0.2, 0.1], "high": [0.5, 0.5], "value": [0.3, 0.2],
                      "decides": [True, False]}), TICKS, (0.0, 1.0)),
    "path": Path(
        pd.DataFrame({"algorithm": "DPGDPure", "step": [0, 1], "x": [0.5, 0.4], "y": [0.5, 0.7]}),
        pd.DataFrame({"name": ["OLS"], "x": [0.3], "y": [0.6]})),
    "ratio": Ratio(pd.DataFrame({"x": [-1.0, 2.0], "y": [0.5, 1.0], "outcome": ["no answer", "answer"]}), 0.5),
}  # fmt: skip


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_a_valid_chart(name):
    drawn = draw(PANELS[name]).to_dict()
    assert drawn["datasets"] and "$schema" in drawn


def layers(chart: dict) -> list[dict]:
    """All layers of a chart, those of a layer of layers too."""
    return [each for layer in chart["layer"] for each in (layers(layer) if "layer" in layer else [layer])]


def test_curves_have_the_colours_and_dashes_of_their_algorithms_and_gaps_where_there_is_no_number():
    chart = draw(PANELS["curves"]).to_dict()
    lines = next(layer for layer in layers(chart) if layer["mark"]["type"] == "line")
    scale = lines["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["NoisyStats"] == style("NoisyStats")["color"]
    rows = chart["datasets"][lines["data"]["name"]]
    assert [row["y"] for row in rows] == [0.1, None, 0.3]


def test_steps_are_steps_and_marks_stand_where_they_should():
    chart = draw(Curves(ROWS, Look(LOOK.x, LOOK.y, at_x=1.0, step=True))).to_dict()
    marks = {layer["mark"]["type"]: layer for layer in layers(chart)}
    assert marks["line"]["mark"]["interpolate"] == "step-after"
    assert chart["datasets"][marks["rule"]["data"]["name"]] == [{"x": 1.0}]
    assert marks["line"]["encoding"]["x"]["scale"]["type"] == "log"


def test_the_stretch_that_decides_stands_out():
    chart = draw(PANELS["stretches"]).to_dict()
    bars = next(layer for layer in layers(chart) if layer["mark"]["type"] == "bar")
    scale = bars["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))[True] == style("DPSSTheilSen")["color"]


def test_panels_together_keep_their_titles_and_order():
    whole = together({name: PANELS[name] for name in ("dots", "curves")}, columns=2).to_dict()
    assert [part["title"] for part in whole["concat"]] == ["dots", "curves"] and whole["columns"] == 2
    assert together({"dots": PANELS["dots"]}).to_dict()["title"] == "dots"


def test_what_is_no_algorithm_is_grey_and_a_longer_legend_has_more_room():
    assert color_of(GAUSSIAN) == color_of(EXACT) != color_of("NoisyStats")
    many = pd.DataFrame({"algorithm": [f"A{i}" for i in range(9)], "x": 1.0, "y": 1.0})
    height = for_page(PANELS["dots"]).to_dict()["height"]
    assert for_page(Dots(many, LOOK)).to_dict()["height"] == height + 4 * 20
    narrow = for_page(Dots(many, LOOK), across=3).to_dict()
    assert narrow["height"] == height + 8 * 20 and narrow["config"]["legend"]["columns"] == 1
