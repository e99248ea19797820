"""First pictures of Compare, in Altair: errors beside the sampling error, and twenty releases of two algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd

from ..experiments.ranking import NOT_PRIVATE, WEAKER, lead_among
from ..sources.axis import UNIT_Y, Axis
from ..support.types import Floats
from ..text.compare import beside_sampling, inside_sampling
from ..text.phrases import size_of
from .curves import error_range
from .styles import style
from .vega import GREEN, GREY, Ends, Spec, chart_of, round_ticks, shape_of, with_data

PICKED = "picked"  # name of the selection: the row that was clicked
STEP, HEIGHT = 30, 320  # pixels of a row, and of the releases
ROOM = 60  # pixels for the number at the end of the longest bar
CELL = 1 / 3  # width of a column of dots, in sampling errors; none lies across the edge of the band
EDGE = 4.5  # half width of the picture of dots, in sampling errors
STACK = 11  # dots that fit above each other
BELOW = "below the sampling error"


def first_rows(ranked: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first screen: algorithms with the strongest guarantee, or all rows if there are none.

    Parameters
    ----------
    ranked : DataFrame
        Ranking of ``experiments.ranking`` at one point.
    """
    strongest = ranked[[kind not in (WEAKER, NOT_PRIVATE) for kind in ranked["guarantee_class"]]]
    return strongest if len(strongest) else ranked


def error_bars(ranked: pd.DataFrame) -> Spec:
    """Draw the error of each algorithm as a bar in sampling errors, and the region below one.

    Parameters
    ----------
    ranked : DataFrame
        Ranking at one point, or rows of `first_rows`; guarantees of several classes are headings.
    """
    best, ratios = lead_among(ranked).mechanism, ranked["ratio"].to_numpy()
    names = ranked["algorithm"].tolist()
    span = error_range(ratios)
    rows = pd.DataFrame({
        "algorithm": names,
        "start": span[0],
        "error": np.where(np.isfinite(ratios) & (ratios > 0), ratios, np.nan),
        "end": np.where(np.isfinite(ratios) & (ratios > 0), ratios, span[0]),
        "said_at": np.where(np.isfinite(ratios), np.maximum(ratios, 1.0), 1.0),  # right of the band
        "said": [beside_sampling(row) for _, row in ranked.iterrows()],
        "color": [style(name)["color"] if name == best else GREY for name in names],
    })  # fmt: skip
    if ranked["guarantee_class"].nunique() > 1:
        groups = []
        for kind, members in rows.groupby(ranked["guarantee_class"].to_numpy(), sort=False):
            heading = {"algorithm": str(kind), "said": "", "color": "transparent"}
            groups += [pd.DataFrame([heading | {"start": span[0], "end": span[0]}]), members]
        rows = pd.concat(groups, ignore_index=True)
    below = pd.DataFrame({"low": [span[0]], "high": [1.0], "name": [BELOW]})
    return with_data(_error_shape(span), rows=rows, below=below)


@cache
def _error_shape(span: Ends) -> Spec:
    """Return the chart of `error_bars` without its rows."""
    import altair as alt  # commands without a picture need no Altair

    room = alt.ExprRef(f"width - {ROOM}")
    scale = alt.Scale(type="log", domain=list(span), range=[0, room], nice=False, clamp=True)
    marks = "datum.value == 0.5 ? 'half' : format(datum.value, ',~r') + '×'"
    ticks = alt.Axis(
        values=round_ticks(span),
        labelExpr=marks,
        grid=False,
        domain=False,
        title="error, in sampling errors (log scale)",
    )
    first = "datum.value == data('rows')[0].algorithm"
    heading = "indexof(datum.value, ' ') >= 0"  # no name of an algorithm has a space
    bold = alt.ExprRef(f"{first} || {heading} ? 'bold' : 'normal'")
    names = alt.Axis(
        domain=False,
        ticks=False,
        labelLimit=190,
        labelFontSize=13,
        labelFontWeight=bold,
        labelFlush=False,
        title=None,
    )
    below = chart_of("below")
    rows = chart_of("rows").encode(y=alt.Y("algorithm:N", sort=None, axis=names))
    bars = rows.encode(color=alt.Color("color:N", scale=None))
    chart = alt.layer(
        below.mark_rect(color=GREEN, opacity=0.16).encode(
            x=alt.X("low:Q", scale=scale, axis=ticks), x2="high:Q"
        ),
        below.mark_rule(color=GREEN, strokeWidth=2).encode(x=alt.X("high:Q", scale=scale)),
        below.mark_text(align="right", dx=-4, dy=-9, fontSize=13).encode(
            x=alt.X("high:Q", scale=scale), y=alt.value(0), text="name:N"
        ),
        bars.mark_rule(strokeWidth=6, opacity=0.6).encode(
            x=alt.X("start:Q", scale=scale), x2="end:Q"
        ),
        bars.mark_circle(size=140, opacity=1).encode(x=alt.X("error:Q", scale=scale)),
        rows.mark_text(align="left", dx=12, fontSize=13).encode(
            x=alt.X("said_at:Q", scale=scale), text="said:N"
        ),
        rows.mark_bar(opacity=0)
        .encode(x=alt.value(0), x2=alt.value("width"))
        .properties(name="rows")
        .add_params(
            alt.selection_point(name=PICKED, fields=["algorithm"], on="click", empty=False)
        ),
    )
    return shape_of(chart.properties(height=alt.Step(STEP)))


def release_dots(
    releases: Mapping[str, pd.DataFrame], place: pd.Series, best: str | None, y: Axis = UNIT_Y
) -> Spec:
    """Draw equally likely releases as dots in the sampling-error band, each algorithm above a line of its own.

    Parameters
    ----------
    releases : mapping
        Releases of each algorithm, as ``quantile_dots`` returns them.
    place : Series
        ``center`` and ``standard_error`` of OLS at the point.
    best : str or None
        Algorithm that is drawn in its own colour.
    y : Axis
        Units of the sentences.
    """
    center, error = float(place["center"]), float(place["standard_error"])
    unit = error if error > 0 else 0.1
    cells = {
        name: _cells((frame["estimate"].dropna().to_numpy() - center) / unit)
        for name, frame in releases.items()
    }
    tallest = max([STACK, *(dots["height"].max() + 1 for dots in cells.values() if len(dots))])
    drawn, labels = [], []
    for base, (name, dots) in zip(reversed(range(len(cells))), cells.items(), strict=True):
        inside = dots[dots["x"].abs() <= EDGE]
        color = style(name)["color"] if name == best else GREY
        drawn.append(inside.assign(y=base + (inside["height"] + 0.5) / tallest, color=color))
        lines = inside_sampling(releases[name]["estimate"], center, error)
        for line, text in enumerate((name, *lines)):
            labels.append((EDGE, base + 0.85 - 0.12 * line, text, "right"))
        beyond_left, beyond_right = int((dots["x"] < -EDGE).sum()), int((dots["x"] > EDGE).sum())
        labels.append((-EDGE, base + 0.22, f"◂ {beyond_left} more" if beyond_left else "", "left"))
        labels.append(
            (EDGE, base + 0.22, f"{beyond_right} more ▸" if beyond_right else "", "right")
        )
    labels.append((0.0, len(cells) + 0.07, "without privacy", "center"))
    band = size_of(error, y) if error > 0 else "none"
    labels.append((0.0, -0.1, f"sampling error: {band}", "center"))
    columns = ["x", "y", "said", "side"]
    return with_data(
        _release_shape(len(cells)),
        dots=pd.concat(drawn),
        labels=pd.DataFrame(labels, columns=columns),
        grounds=pd.DataFrame({"y": range(len(cells))}),
        band=pd.DataFrame(
            {"low": [-1.0], "high": [1.0], "x": [0.0], "y": [0.0], "top": [len(cells)]}
        ),
    )


def _cells(distances: Floats) -> pd.DataFrame:
    """Return for each dot its position ``x``, in sampling errors, and ``height``, the number of dots below it.

    Values with wide gaps between them, as from a law of cells, are columns of their own.

    Parameters
    ----------
    distances : array, shape (dots,)
        Estimates less OLS, in sampling errors, ascending.
    """
    x = distances.round(6)
    if not (np.diff(np.unique(x), append=np.inf) >= CELL).all():
        x = (np.floor(distances / CELL) + 0.5) * CELL
    return pd.DataFrame({"x": x, "height": np.arange(x.size) - np.searchsorted(x, x)})


@cache
def _release_shape(algorithms: int) -> Spec:
    """Return the chart of `release_dots` for a number of algorithms, without its data."""
    import altair as alt  # commands without a picture need no Altair

    across = alt.Scale(domain=[-EDGE - CELL, EDGE + CELL], nice=False)
    up = alt.Scale(domain=[-0.18, algorithms + 0.14], nice=False)
    x, low = alt.X("x:Q", scale=across, axis=None), alt.X("low:Q", scale=across, axis=None)
    y = alt.Y("y:Q", scale=up, axis=None)
    band = chart_of("band")
    grounds = chart_of("grounds")
    dots = chart_of("dots").encode(x=x, y=y, color=alt.Color("color:N", scale=None))
    labels = chart_of("labels").encode(x=x, y=y, text="said:N")
    layers = [
        band.mark_rect(color=GREEN, opacity=0.16).encode(x=low, x2="high:Q", y=y, y2="top:Q"),
        band.mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=2).encode(x=x, y=y, y2="top:Q"),
        grounds.mark_rule(color=GREY, opacity=0.5).encode(y=y),
        dots.mark_circle(size=110, opacity=1),
        labels.mark_text(align=alt.ExprRef("datum.side"), fontSize=13),
    ]
    title = alt.TitleParams("20 equally likely releases", fontSize=13, anchor="middle")
    return shape_of(
        alt.layer(*layers).properties(height=HEIGHT * (algorithms + 1) / 3, title=title)
    )
