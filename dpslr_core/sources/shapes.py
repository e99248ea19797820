"""Shapes of areas from a GeoJSON file, matched with the areas' labels."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..support.readable import one_name, visible

MAX_BYTES = 30 * 2**20
_POLYGONS = ("Polygon", "MultiPolygon")


@dataclass(frozen=True)
class Shapes:
    """The polygons of some areas: features of GeoJSON by label, the property that told the labels, and areas without.

    Of several features with one label all are kept.
    """

    features: tuple[tuple[str, dict[str, Any]], ...]
    named_by: str
    missing: tuple[str, ...]


def read_shapes(content: bytes, areas: Collection[str]) -> Shapes:
    """The polygons of these areas in the bytes of a GeoJSON file, by the property that names most of them.

    ValueError, a sentence, where the file is too large, no collection of features, or names none of the areas. What is
    no polygon and what belongs to no area is left out.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"The file has {len(content) / 2**20:.0f} MB; at most {MAX_BYTES // 2**20} MB can be "
            "drawn."
        )
    try:
        read = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("The file is no GeoJSON: it cannot be read as JSON.") from None
    features = read.get("features") if isinstance(read, dict) else None
    if not isinstance(features, list):
        raise ValueError('The file is no GeoJSON with areas: it has no list "features".')
    wanted, named = set(areas), list[tuple[dict[str, Any], dict[str, str]]]()
    for feature in features:
        shape = feature.get("geometry") if isinstance(feature, dict) else None
        if (
            isinstance(shape, dict)
            and shape.get("type") in _POLYGONS
            and isinstance(shape.get("coordinates"), list)
        ):
            names = feature.get("properties")
            labels = (
                {str(key): _label(value) for key, value in names.items()}
                if isinstance(names, dict)
                else {}
            )
            named.append((shape, labels | {"id": _label(feature.get("id"))}))
    keys = dict.fromkeys(key for _, labels in named for key in labels)
    found = {key: {labels[key] for _, labels in named if key in labels} & wanted for key in keys}
    best = max(found, key=lambda key: len(found[key]), default=None)
    if best is None or not found[best]:
        raise ValueError(
            "No property of the shapes names an area. The areas are called "
            f"{', '.join(map(visible, sorted(wanted)[:3]))} and so on."
        )
    try:
        kept = tuple(
            (labels[best], _wound(shape)) for shape, labels in named if labels.get(best) in wanted
        )
    except (TypeError, ValueError, IndexError, KeyError):
        raise ValueError(
            "A shape in the file has coordinates that are no rings of pairs of numbers."
        ) from None
    return Shapes(kept, best, tuple(sorted(wanted - found[best])))


def _wound(shape: dict[str, Any]) -> dict[str, Any]:
    """A polygon whose outer rings run clockwise and holes the other way, as the picture's projection takes them.

    A ring that runs the other way would be all of the earth but the area. Files have both.
    """
    polygons = shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
    wound = [
        [_ring(ring, clockwise=place == 0) for place, ring in enumerate(polygon)]
        for polygon in polygons
    ]
    return {
        "type": shape["type"],
        "coordinates": wound if shape["type"] == "MultiPolygon" else wound[0],
    }


def _ring(ring: Any, clockwise: bool) -> list[list[float]]:
    points = [[float(point[0]), float(point[1])] for point in ring]
    area = sum(
        x * other_y - other_x * y for (x, y), (other_x, other_y) in pairwise([*points, points[0]])
    )
    return points if (area < 0) == clockwise else points[::-1]


def _label(value: Any) -> str:
    """A label as areas of a table have it: visible text, whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None or isinstance(value, dict | list) else one_name(str(value))
