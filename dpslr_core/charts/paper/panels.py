"""Panels drawn with altair, the same for the page and for files, alone or together in one figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ..styles import dash_lengths, style
from . import diagrams, records
from .axes import GREY, across, up
from .look import EXACT, GAUSSIAN, HEIGHT, Curves, Density, Dots, Look, Panel, Path, Ratio, Records, Stretches, Table

_AXIS, _LEGEND_LINE, _LEGEND_COLUMNS = 60, 20, 2  # pixels below a plot, and of a line of its legend; names in it
_SHAPES = ("circle", "diamond", "square", "triangle-up")


def for_page(panel: Panel, across: int = 1) -> Any:
    """The panel as a chart for a page that is as wide as so many of them; where it is narrow, so is its legend."""
    columns = _LEGEND_COLUMNS if across < 3 else 1
    names = panel.frame["algorithm"].nunique() if isinstance(panel, Curves | Dots | Density | Path) else columns
    height = HEIGHT + _AXIS + _LEGEND_LINE * -(-names // columns)  # Streamlit fits axes and legend into it
    return draw(panel).properties(height=height).configure_legend(columns=columns)


def draw(panel: Panel) -> Any:
    """The panel as a chart of altair's."""
    match panel:
        case Curves():
            return _curves(panel.frame, panel.look, panel.open_dots)
        case Dots():
            return _dots(panel.frame, panel.look, panel.size)
        case Records():
            return records.scatter(panel)
        case Table():
            return records.table(panel)
        case Density():
            look = diagrams.density_look(panel)
            return diagrams.with_estimates(panel, look, _curves(panel.frame, look))
        case Stretches():
            return diagrams.stretches(panel, color_of("DPSSTheilSen"))
        case Path():
            return diagrams.path(panel, color_of("DPGDPure"))
        case Ratio():
            return diagrams.ratio(panel, color_of("NoisyStats"))


def together(panels: Mapping[str, Panel], columns: int = 2, width: int = 380) -> Any:
    """All panels as one figure for a file: each with its title, on white."""
    parts = [draw(panel).properties(width=width, title=title) for title, panel in panels.items()]
    whole = alt.concat(*parts, columns=columns) if len(parts) > 1 else parts[0]
    return whole.properties(background="white", padding=12).configure_legend(columns=_LEGEND_COLUMNS)


def color_of(name: str) -> str:
    """The colour of an algorithm, or grey."""
    return GREY if name in (GAUSSIAN, EXACT) else style(name)["color"]


def _curves(frame: pd.DataFrame, look: Look, open_dots: pd.DataFrame | None = None) -> Any:
    """A curve for each algorithm, with its colour and dash."""
    names = list(dict.fromkeys(frame["algorithm"]))
    line: dict[str, Any] = {"interpolate": "step-after"} if look.step else {}
    drawn = alt.Chart(_small(frame)).mark_line(clip=True, strokeWidth=2, **line)
    layers = [
        *_behind(look),
        drawn.encode(x=across(look), y=up(look), color=_colors(names), strokeDash=_dashes(names),
                     tooltip=[alt.Tooltip("algorithm:N"), *_numbers(look)]),
    ]  # fmt: skip
    if open_dots is not None and len(open_dots):
        circles = alt.Chart(_small(open_dots)).mark_point(clip=True, filled=False, size=40)
        layers.append(circles.encode(x=across(look), y=up(look), color=_colors(names, named=False)))
    return alt.layer(*layers, height=HEIGHT)


def _dots(frame: pd.DataFrame, look: Look, size: int) -> Any:
    """A dot for each row, with colour and shape by algorithm."""
    names = list(dict.fromkeys(frame["algorithm"]))
    shape = alt.Shape("algorithm:N", legend=_legend(), scale=alt.Scale(domain=names, range=_cycled(names)))
    points = alt.Chart(_small(frame)).mark_point(clip=True, filled=True, size=size, opacity=0.75)
    drawn = points.encode(
        x=across(look), y=up(look), color=_colors(names), shape=shape,
        tooltip=[alt.Tooltip("algorithm:N"), *_numbers(look)],
    )  # fmt: skip
    return alt.layer(*_behind(look), drawn, height=HEIGHT)


def _behind(look: Look) -> list[Any]:
    """The band and the dotted lines."""
    layers: list[Any] = []
    if look.band is not None:
        band = alt.Chart(pd.DataFrame({"x": [look.band[0]], "to": [look.band[1]]}))
        shaded = band.mark_rect(color=GREY, opacity=0.18, clip=True)
        layers.append(shaded.encode(x=across(look), x2=alt.X2("to:Q")))
    for field, channel, place in (("x", across(look), look.at_x), ("y", up(look), look.at_y)):
        if place is not None:
            rule = alt.Chart(pd.DataFrame({field: [place]})).mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=2)
            layers.append(rule.encode(**{field: channel}))
    return layers


def _small(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that are drawn, what is not finite as NaN."""
    numbers = {name: frame[name].where(np.isfinite(frame[name])).round(12) for name in ("x", "y")}
    return pd.DataFrame({"algorithm": frame["algorithm"].astype(str), **numbers})


def _numbers(look: Look) -> list[alt.Tooltip]:
    scales = {"x": look.x, "y": look.y}
    return [alt.Tooltip(f"{name}:Q", title=scale.title, format=".4~g") for name, scale in scales.items()]


def _legend() -> alt.Legend:
    return alt.Legend(orient="bottom", title=None, labelLimit=260, symbolStrokeWidth=2.5)


def _colors(names: Sequence[str], named: bool = True) -> alt.Color:
    """The colour of each algorithm; named: whether the legend says so."""
    colors = alt.Scale(domain=list(names), range=[color_of(name) for name in names])
    return alt.Color("algorithm:N", legend=_legend() if named else None, scale=colors)


def _dashes(names: Sequence[str]) -> alt.StrokeDash:
    dashes = [[1, 0] if name in (GAUSSIAN, EXACT) else dash_lengths(name) for name in names]
    return alt.StrokeDash("algorithm:N", legend=_legend(), scale=alt.Scale(domain=list(names), range=dashes))


def _cycled(names: Sequence[str]) -> list[str]:
    return [_SHAPES[place % len(_SHAPES)] for place in range(len(names))]
