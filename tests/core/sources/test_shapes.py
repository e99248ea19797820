"""Shapes from GeoJSON: matched with areas by whatever property names them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dpslr_core.charts.areas import passing_map
from dpslr_core.charts.vega import written
from dpslr_core.sources import shapes as shapes_module
from dpslr_core.sources.shapes import read_shapes
from tests.cases.tables import check_refused

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]]]}


def feature(number: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "Feature",
        "geometry": SQUARE,
        "properties": {"GEOID": number, "name": "x", "nested": {}},
    } | more


def content(*features: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": list(features)}).encode()


def test_areas_are_found_by_the_property_that_names_most_of_them():
    matched = read_shapes(
        content(feature("a"), feature("b", id="c"), feature(7.0), feature("z")),
        ["a", "b", "7", "d"],
    )
    assert matched.named_by == "GEOID" and [label for label, _ in matched.features] == [
        "a",
        "b",
        "7",
    ]
    assert matched.missing == ("d",)
    by_id = read_shapes(content(feature("q", id="a"), feature("r", id="b")), ["a", "b"])
    assert by_id.named_by == "id" and by_id.missing == ()


def test_outer_rings_run_clockwise_and_holes_the_other_way():
    outer = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
    hole = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
    right, wrong = [outer[::-1], hole[::-1]], [outer, hole]
    for kind, given, expected in (
        ("Polygon", wrong, right),
        ("Polygon", right, right),
        ("MultiPolygon", [wrong, right], [right, right]),
    ):
        shapes = content(feature("a", geometry={"type": kind, "coordinates": given}))
        ((_, shape),) = read_shapes(shapes, ["a"]).features
        assert shape["coordinates"] == expected


def test_coordinates_that_are_no_rings():
    for rings in ([1, 2], [[1, 2]], [[["a", "b"]]], [[[1]]], [[]], [{}]):
        shapes = content(feature("a", geometry={"type": "Polygon", "coordinates": rings}))
        with pytest.raises(ValueError, match="no rings of pairs of numbers"):
            read_shapes(shapes, ["a"])


def test_what_is_no_polygon_is_left_out():
    point = feature("b", geometry={"type": "Point", "coordinates": [0, 0]})
    odd = [
        "text",
        {"geometry": None},
        feature("b", geometry={"type": "Polygon"}),
        feature("b", properties=None),
        point,
    ]
    matched = read_shapes(content(*odd, feature("a")), ["a", "b"])
    assert [label for label, _ in matched.features] == ["a"] and matched.missing == ("b",)


UNUSABLE = """
    "{" | cannot be read as JSON
    "[]" | no list "features"
    "{\\"features\\": 3}" | no list "features"
    "{\\"features\\": []}" | No property of the shapes names an area. The areas are called a, b
"""


def test_a_file_that_cannot_be_used_is_refused_with_a_sentence():
    check_refused(lambda text: read_shapes(text.encode(), ["a", "b"]), UNUSABLE)
    for other in (b"\xff\xfe{", b"[" * 100_000):
        with pytest.raises(ValueError, match="cannot be read as JSON"):
            read_shapes(other, ["a", "b"])
    with pytest.raises(ValueError, match="No property of the shapes names an area"):
        read_shapes(content(feature("z")), ["a", "b"])


def test_a_file_that_is_too_large(monkeypatch):
    monkeypatch.setattr(shapes_module, "MAX_BYTES", 2**20)
    with pytest.raises(ValueError, match="The file has 2 MB; at most 1 MB can be drawn"):
        read_shapes(b" " * 2**21, ["a"])


def test_the_map_has_a_colour_for_each_verdict():
    matched = read_shapes(content(feature("a"), feature("b"), feature("c")), ["a", "b", "c"])
    picture = passing_map(matched.features, {"a": "pass", "b": "fail"})
    drawn = [each["properties"] for each in picture["data"]["values"]]
    assert drawn == [{"area": "a", "verdict": "pass"}, {"area": "b", "verdict": "fail"}]
    svg = written(picture, ".svg", "map").decode()
    assert "#2b8f5f" in svg and "#c8641e" in svg
