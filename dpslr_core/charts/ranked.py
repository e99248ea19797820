"""The ranked errors of all algorithms above their output distributions, linked: choose a row, see its curve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from scipy.special import ndtr

from ..sources.axis import UNIT_Y, Axis
from ..text.ranked import drawable_rows
from .base import error_range
from .labels import apart
from .rows import BELOW, LEFT, ROW, error_scale, region_below_one, round_ticks, row_axis, unframed
from .styles import dash_lengths, style

CURVES, RIGHT = 260, 180  # pixels of the output distributions, and beside them for their names
WIDE = "width > 640"  # where there is room for names beside the curves
GREY = "#808080"
GAUSSIAN = "standard error"


def ranked_chart(
    ranked: pd.DataFrame,
    curves: pd.DataFrame,
    shown: Sequence[str],
    limits: Sequence[float],
    y: Axis = UNIT_Y,
) -> alt.VConcatChart:
    """One row per algorithm, C(68) as a dot and C(95) as the end of a line; below, output distributions.

    ranked: of experiments.ranking. curves: mechanism, estimate (in the unit square), cdf, of all algorithms; those
    not in shown appear while their row is pointed at. limits: of the estimates, in the unit square. Pointing at a row
    or a curve greys the others in the browser, without a round trip.
    """
    chosen = alt.selection_point(name="chosen", fields=["algorithm"], on="pointerover,click", clear="dblclick")
    rows = drawable_rows(ranked, y).assign(color=[style(name)["color"] for name in ranked["algorithm"]])
    span = error_range(np.append(ranked["ratio"], ranked["ratio95"]))
    standard_error = float(ranked["standard_error"].iloc[0]) * y.scale
    drawn = _drawn(curves, ranked, shown, limits, y)
    below = _curves(drawn, list(y.from_unit(limits)), chosen, y)
    parts = [_rows(rows, span, standard_error, y, chosen), below]
    return alt.VConcatChart(vconcat=parts, spacing=8, config=unframed())


def _drawn(
    curves: pd.DataFrame, ranked: pd.DataFrame, shown: Sequence[str], limits: Sequence[float], y: Axis
) -> pd.DataFrame:
    """The curves in the units of y, with that of the sampling error alone, and whether each is shown at first."""
    exact = curves[["mechanism", "estimate", "cdf"]].rename(columns={"mechanism": "algorithm"})
    center, error = (float(ranked[name].iloc[0]) for name in ("center", "standard_error"))
    if error > 0:
        grid = np.linspace(limits[0], limits[1], 120)
        sampling = pd.DataFrame({"algorithm": GAUSSIAN, "estimate": grid, "cdf": ndtr((grid - center) / error)})
        exact = pd.concat([sampling, exact], ignore_index=True)
    return exact.assign(
        estimate=y.from_unit(exact["estimate"]).astype(np.float32),
        cdf=exact["cdf"].astype(np.float32),
        shown=exact["algorithm"].isin([GAUSSIAN, *shown]),
    )


def _rows(rows: pd.DataFrame, span: tuple[float, float], standard_error: float, y: Axis, chosen: alt.Parameter) -> Any:
    """A row per algorithm; errors in standard errors on the axis below, in the units of y on that above."""
    scale = error_scale(span)
    shared: dict[str, Any] = {"titleLimit": 900, "titlePadding": 4, "domain": False}

    def x(field: str, axis: alt.Axis | None = None) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    below = alt.Axis(values=round_ticks(span), title="error in standard errors", format=",~r", **shared)
    round_errors = round_ticks((span[0] * standard_error, span[1] * standard_error)) if standard_error > 0 else []
    above = alt.Axis(
        values=[error / standard_error for error in round_errors],
        labelExpr=f"'±' + format(datum.value * {standard_error!r}, ',.2~r')",
        title=f"error in {y.unit or y.name}",
        orient="top",
        grid=False,
        **shared,
    )
    base = alt.Chart(rows).encode(
        y=row_axis(rows),
        color=alt.Color("color:N", scale=None),
        opacity=alt.OpacityValue(0.25, condition={"param": chosen.name, "value": 1}),
        tooltip=[
            alt.Tooltip("algorithm:N", title="algorithm"),
            alt.Tooltip("guarantee:N", title="guarantee"),
            alt.Tooltip("size68:N", title="68% of releases within"),
            alt.Tooltip("size95:N", title="95% of releases within"),
            alt.Tooltip("ratio:Q", title="in standard errors", format=",.3~r"),
            alt.Tooltip("failure_rate:Q", title="no answer", format=".1%"),
        ],
    )
    across: dict[str, Any] = {"x": alt.XValue(0), "x2": alt.X2Value("width"), "opacity": alt.OpacityValue(0.001)}
    layers = [
        *region_below_one(partial(x, axis=below), BELOW),
        base.mark_point(opacity=0).encode(x=x("ratio", above)),
        base.mark_bar(height={"band": 1}).encode(**across).add_params(chosen),
        base.mark_rule(strokeWidth=2).encode(x=x("ratio"), x2=alt.X2("ratio95:Q")),
        base.mark_point(filled=True, size=100).encode(x=x("ratio")),
        base.mark_text(align="left", dx=6).encode(x=alt.XValue(LEFT), text=alt.Text("words:N")),
    ]
    two_axes = alt.Resolve(axis=alt.AxisResolveMap(x="independent"))
    return alt.LayerChart(layer=layers, height=alt.Step(ROW), resolve=two_axes)


def _curves(curves: pd.DataFrame, limits: Sequence[float], chosen: alt.Parameter, y: Axis) -> Any:
    """The output distributions, each named at its end where there is room."""
    names = list(dict.fromkeys(curves["algorithm"]))
    right = {"expr": f"{WIDE} ? width - {RIGHT} : width - 12"}
    x = alt.X(
        "estimate:Q",
        scale=alt.Scale(domain=list(limits), nice=False, zero=False, range=[LEFT, right]),
        axis=alt.Axis(title=f"released prediction: {y.label}", tickCount=6, grid=False),
    )
    share = alt.Y(
        "cdf:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(title="share of releases at or below", format="%", offset=-LEFT, tickCount=5),
    )
    nothing_chosen = "!length(data('chosen_store'))"
    conditions = [
        {"param": chosen.name, "empty": False, "value": 1},
        {"test": f"datum.shown && {nothing_chosen}", "value": 1},
        {"test": "datum.shown", "value": 0.2},
    ]
    opacity = alt.OpacityValue(0, condition=conditions)
    colours, widths, dashes = zip(*(_look(str(name)) for name in names), strict=True)

    def by_name(channel: Any, values: Sequence[Any]) -> Any:
        return channel("algorithm:N", legend=None, scale=alt.Scale(domain=names, range=list(values)))

    lines = (
        alt.Chart(curves)
        .mark_line(clip=True)
        .encode(
            x=x,
            y=share,
            opacity=opacity,
            color=by_name(alt.Color, colours),
            strokeWidth=by_name(alt.StrokeWidth, widths),
            strokeDash=by_name(alt.StrokeDash, dashes),
        )
    )
    return alt.layer(lines, _names(curves, names, opacity), height=CURVES)


def _look(name: str) -> tuple[str, float, list[int]]:
    """Colour, width and dash of a curve."""
    return (GREY, 5, [1, 0]) if name == GAUSSIAN else (style(name)["color"], 2.5, dash_lengths(name))


def _names(curves: pd.DataFrame, names: Sequence[str], opacity: Any) -> alt.Chart:
    """The names of the curves beside their right ends; no two that are shown lie on top of each other."""
    ends = curves.groupby("algorithm", sort=False).last().loc[list(names)].reset_index().astype({"cdf": float})
    shown = ends[ends["shown"]].sort_values("cdf")
    ends.loc[shown.index, "cdf"] = apart(shown["cdf"], 0.075, 0.02, 1)
    labels = ends.assign(color=[_look(str(name))[0] for name in ends["algorithm"]])
    text = alt.Chart(labels).mark_text(align="left", fontSize=12)
    return text.encode(
        x=alt.XValue({"expr": f"{WIDE} ? width - {RIGHT - 6} : width + 1000"}),
        y=alt.Y("cdf:Q", scale=alt.Scale(domain=[0, 1])),
        text=alt.Text("algorithm:N"),
        color=alt.Color("color:N", scale=None),
        opacity=opacity,
    )
