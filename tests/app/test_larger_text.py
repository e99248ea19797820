"""Text a third larger: on every page, in the link, and in charts of both kinds."""

from __future__ import annotations

import json
import re

import pytest
from opened import app, fine

FEW = {"n": "30", "algorithms": ["NoisyStats", "DPExpTheilSen"]}


def sizes(test) -> list[float]:
    """The sizes of fonts that charts of altair's set."""
    charts = [chart.proto.spec for chart in test.get("vega_lite_chart")]
    return [float(size) for spec in charts for size in re.findall(r'"\w*[fF]ontSize": ?([\d.]+)', spec)]


def style(test) -> bool:
    return any("html { font-size: 130%" in element.proto.body for element in test.get("html"))


def test_the_switch_enlarges_pages_and_charts_and_stands_in_the_link():
    usual = app("compare", **FEW)
    assert not style(usual)
    before = sizes(usual)
    larger = fine(usual.toggle(key="larger_text_switch").set_value(True).run())
    assert style(larger) and larger.query_params["larger_text"] in ("true", ["true"])
    after = sizes(larger)
    assert before and sorted(after)[0] > sorted(before)[0] and max(after) <= 15
    larger.switch_page("pages/methods.py")
    assert style(fine(larger.run()))
    back = fine(larger.toggle(key="larger_text_switch").set_value(False).run())
    assert not style(back) and "larger_text" not in back.query_params


@pytest.mark.parametrize("page", ["data", "small_areas", "guidance"])
def test_every_page_follows_the_link(page):
    data = {"source": "sample", "sample": "tracts"} if page == "small_areas" else {}
    test = app(page, larger_text="true", **FEW, **data)
    assert style(test) and test.toggle(key="larger_text_switch").value


def test_names_at_the_ends_of_curves_have_more_room():
    def margin(**query: str) -> float:
        test = app("sweep", n="30", n_to="60", values="2", datasets="20", algorithms="NoisyStats", **query)
        spec = json.loads(test.get("vega_lite_chart")[0].proto.spec)
        edge = next(
            layer["encoding"]["x"]["scale"]["range"][1] for layer in spec["layer"] if "names" in str(layer["data"])
        )
        return float(edge["expr"].removeprefix("width - "))

    assert margin(larger_text="true") > margin() > 8 * 5
