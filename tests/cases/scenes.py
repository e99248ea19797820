"""What is drawn where: the marks of a Vega-Lite picture as vl-convert lays them out, with their places in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from dpslr_core.charts.vega import PRINT, WIDE, Spec, as_json


@dataclass(frozen=True)
class Mark:
    """A mark of a kind ("symbol", "rect", "text", ...) with its place, and what else Vega says of it."""

    kind: str
    x: float
    y: float
    more: dict[str, Any]

    @property
    def color(self) -> str:
        return str(self.more.get("fill") or self.more.get("stroke"))

    @property
    def text(self) -> str:
        return str(self.more.get("text", ""))


def marks(picture: Spec, width: int = WIDE) -> list[Mark]:
    """All marks that are seen, in the order they are drawn in."""
    scene = vl_convert.vegalite_to_scenegraph(as_json(picture, width), config=PRINT)["scenegraph"]
    return [mark for mark in _inside(scene, 0.0, 0.0) if mark.more.get("opacity", 1) > 0.01]


def _inside(part: dict[str, Any], x: float, y: float) -> list[Mark]:
    found = []
    for item in part["items"]:
        here = x + (item.get("x") or 0.0), y + (item.get("y") or 0.0)
        if part["marktype"] == "group":
            for inner in item["items"]:
                found += _inside(inner, *here)
        else:
            found.append(Mark(part["marktype"], *here, item | {"role": part.get("role")}))
    return found


def dots(picture: Spec, width: int = WIDE) -> list[Mark]:
    """The filled symbols of the plots, from the top down."""
    found = [
        mark
        for mark in marks(picture, width)
        if mark.kind == "symbol" and mark.color != "transparent"
    ]
    return sorted((mark for mark in found if mark.more["role"] == "mark"), key=lambda mark: mark.y)


def texts(picture: Spec, width: int = WIDE) -> list[str]:
    """All that is written in a picture."""
    return [mark.text for mark in marks(picture, width) if mark.kind == "text" and mark.text]


def check_specification(picture: Spec) -> None:
    """ValidationError where a picture is no valid Vega-Lite."""
    datasets = {
        name: pd.DataFrame(rows).to_dict("records") for name, rows in picture["datasets"].items()
    }
    kind = alt.VConcatChart if "vconcat" in picture else alt.LayerChart
    kind.from_dict(picture | {"datasets": datasets}, validate=True).to_dict()
    used = {layer.get("data", picture.get("data", {})).get("name") for layer in layers(picture)}
    assert used - {None} == set(datasets)


def layers(part: Spec) -> list[Spec]:
    """The innermost layers."""
    inner = [*part.get("vconcat", []), *part.get("hconcat", []), *part.get("layer", [])]
    return [each for one in inner for each in layers(one)] if inner else [part]
