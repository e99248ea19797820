"""The paper's diagrams as live pictures: densities over estimates, stretches, a noisy path, a ratio that can fail."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from .axes import GREY, across, scale_of, up
from .look import HEIGHT, Density, Look, Path, Ratio, Scale, Stretches

_RED = "#e0566a"
_TICK = 12  # pixels: the height of the mark of an estimate


def density_look(panel: Density) -> Look:
    """The axes of a density."""
    return Look(Scale("released value", panel.ends), Scale("density, largest = 1", (0.0, 1.05)), step=True)


def with_estimates(panel: Density, look: Look, curves: Any) -> Any:
    """The curves of a density with a tick for each estimate."""
    ticks = alt.Chart(panel.estimates).mark_tick(color=GREY, size=_TICK, thickness=2, yOffset=-_TICK / 2)
    return alt.layer(curves, ticks.encode(x=across(look), y=alt.YDatum(0)), height=HEIGHT)


def stretches(panel: Stretches, color: str) -> Any:
    """The widest stretch for each number of changed records, the one that decides in this colour."""
    look = Look(Scale("estimates", panel.ends), Scale(""))
    scale = scale_of(look.x)
    order = alt.Y("records:O", title="records changed before", sort="ascending")
    decides = alt.Color("decides:N", legend=None, scale=alt.Scale(domain=[True, False], range=[color, GREY]))
    bars = alt.Chart(panel.frame).mark_bar(height=8)
    drawn = bars.encode(x=across(look, "low"), x2=alt.X2("high:Q"), y=order, color=decides)
    words = alt.Chart(panel.frame).mark_text(align="left", dx=6, color=GREY, fontSize=11)
    named = words.encode(x=alt.X("high:Q", scale=scale), y=order, text=alt.Text("value:Q", format=".3f"))
    ticks = alt.Chart(panel.estimates).mark_rule(color=GREY, opacity=0.35).encode(x=alt.X("x:Q", scale=scale))
    return alt.layer(ticks, drawn, named, height=HEIGHT)


def path(panel: Path, color: str) -> Any:
    """The way of a descent in the plane of both predictions, in this colour, and without noise."""
    frame, answers = panel.frame, panel.answers
    ends = [(float(min(f.min(), 0.0)), float(max(f.max(), 1.0))) for f in (frame["x"], frame["y"])]
    look = Look(Scale("prediction at x = 0.25", ends[0]), Scale("prediction at x = 0.75", ends[1]))
    names = list(dict.fromkeys(frame["algorithm"]))
    colors = alt.Color(
        "algorithm:N", legend=alt.Legend(orient="bottom", title=None),
        scale=alt.Scale(domain=names, range=[GREY if "without" in name else color for name in names]),
    )  # fmt: skip
    way = alt.Chart(frame).mark_line(strokeWidth=1.2, point=alt.OverlayMarkDef(size=12), clip=True)
    drawn = way.encode(x=across(look), y=up(look), color=colors, order=alt.Order("step:Q"))
    marks = alt.Chart(answers).mark_point(filled=True, size=110, shape="cross", color=_RED)
    names_of = alt.Chart(answers).mark_text(align="left", dx=9, dy=-7, color=_RED, fontSize=12)
    place = {"x": across(look), "y": up(look)}
    return alt.layer(drawn, marks.encode(**place), names_of.encode(**place, text=alt.Text("name:N")), height=HEIGHT)


def ratio(panel: Ratio, color: str) -> Any:
    """Noisy numerators over noisy denominators; where the denominator is not positive there is no answer."""
    frame = panel.frame
    ends = (float(min(frame["x"].min(), 0.0)), float(frame["x"].max()))
    most = float(frame["y"].abs().max())
    look = Look(Scale("n var(x) with noise", ends), Scale("n cov(x, y) with noise", (-most, most)))
    colors = alt.Color(
        "outcome:N", legend=alt.Legend(orient="bottom", title=None),
        scale=alt.Scale(domain=["answer", "no answer"], range=[color, _RED]),
    )  # fmt: skip
    region = alt.Chart(pd.DataFrame({"x": [ends[0]], "to": [0.0]})).mark_rect(color=_RED, opacity=0.12)
    line = alt.Chart(pd.DataFrame({"x": [0.0, ends[1]], "y": [0.0, panel.slope * ends[1]]}))
    points = alt.Chart(frame).mark_point(filled=True, size=14, opacity=0.6)
    return alt.layer(
        region.encode(x=across(look), x2=alt.X2("to:Q")),
        line.mark_line(color=GREY, strokeDash=[4, 3], clip=True).encode(x=across(look), y=up(look)),
        points.encode(x=across(look), y=up(look), color=colors),
        height=HEIGHT,
    )
