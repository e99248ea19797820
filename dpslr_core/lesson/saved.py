"""The picture of each step as a figure of altair's, which is saved as SVG without a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ..charts.compare import OLS_LINE
from ..charts.styles import style
from .settings import HOURS, POINT, SCORE, Lesson, class_of
from .steps import Leaving

WIDTH = 420  # pixels of a panel
RECORD, GREY, CHOSEN = "#3fa0dc", "#808080", "#c2185b"
_BIN, _REACH, _NOISE = 4.0, 10.0, (0.1, 100.0)  # points; points on either side of OLS; ends of an axis of ratios


def saved_picture(lesson: Lesson, table: pd.DataFrame) -> Any:
    """The picture of the lesson's step, on white. table: of step_table."""
    drawn = _PICTURES[lesson.step - 1](lesson, table.replace([np.inf, -np.inf], np.nan))
    return drawn.properties(background="white", padding=12)


def _leaving(lesson: Lesson, table: pd.DataFrame) -> Any:
    """The ten people with the line of those who stay, and dashed that of all where one leaves."""
    leaving = Leaving(lesson.leaver)
    people = alt.Chart(table).encode(x=_x("hours", HOURS.label), y=_y("points", SCORE.label))
    layers = [people.mark_point(filled=True, size=60, color=RECORD), people.mark_text(dy=-11).encode(text="person:N")]
    if lesson.leaver:
        one = people.transform_filter(alt.datum.person == lesson.leaver)
        layers += [_line(leaving.everyone, [5, 4]), one.mark_point(size=220, color=CHOSEN, strokeWidth=3)]
    return alt.layer(*layers, _line(leaving.remaining, [1, 0])).properties(width=WIDTH)


def _line(data: Any, dash: list[int]) -> Any:
    """OLS from end to end."""
    ends = np.array([0.0, 1.0])
    line = pd.DataFrame({"hours": HOURS.from_unit(ends), "points": SCORE.from_unit(data.predict(ends))})
    drawn = alt.Chart(line).mark_line(color=OLS_LINE["color"], strokeDash=dash, clip=True)
    return drawn.encode(x="hours:Q", y="points:Q")


def _pairs(lesson: Lesson, table: pd.DataFrame) -> Any:
    """The pairwise estimates after the move as bars, outlined before it, and both medians, dashed before."""
    across = alt.X("estimate:Q", bin=alt.Bin(step=_BIN), title="pairwise estimates at 15 hours (points)")
    parts = [
        alt.Chart(table[[when]].dropna().rename(columns={when: "estimate"}).clip(-20, 139)) for when in table.columns
    ]
    before, after = (part.encode(x=across, y=alt.Y("count()", title="pairs")) for part in parts)
    looks = {"before": (GREY, [5, 4]), "after": (CHOSEN, [1, 0])}
    medians = [
        alt.Chart(pd.DataFrame({"estimate": [table[when].median()]})).mark_rule(color=color, strokeDash=dash, size=2.5)
        for when, (color, dash) in looks.items()
    ]
    bars = after.mark_bar(color="#e76d44", opacity=0.5), before.mark_bar(filled=False, color=GREY)
    return alt.layer(*bars, *(median.encode(x="estimate:Q") for median in medians)).properties(width=WIDTH)


def _lines(lesson: Lesson, table: pd.DataFrame) -> Any:
    """Private lines of each algorithm over the class, side by side."""
    data, names = class_of(lesson), list(dict.fromkeys(table["mechanism"].astype(str)))
    records = pd.DataFrame({"x": HOURS.from_unit(data.x), "y": SCORE.from_unit(data.y)}).round(3)
    panels = []
    for name in names:
        drawn = alt.Chart(table[table["mechanism"] == name].astype({"mechanism": str}))
        lines = drawn.mark_line(color=style(name)["color"], opacity=0.5, clip=True)
        dots = alt.Chart(records).mark_point(filled=True, size=8, opacity=0.4, color=RECORD)
        axes = {"x": _x("x", HOURS.label), "y": _y("y", SCORE.label)}
        panels.append(alt.layer(dots.encode(**axes), lines.encode(**axes, detail="trial:N")).properties(title=name))
    return alt.hconcat(*panels)


def _odds(lesson: Lesson, table: pd.DataFrame) -> Any:
    """Both densities, and below them the odds."""
    across = alt.X("estimate:Q", title=f"released prediction: {SCORE.label}", scale=alt.Scale(nice=False))
    rows = table.melt("estimate", ["before", "after"], "data", "density")
    densities = alt.Chart(rows).mark_line().encode(
        x=across, y=alt.Y("density:Q", title="density"),
        color=alt.Color("data:N", title=None, scale=alt.Scale(domain=["before", "after"], range=[GREY, CHOSEN])),
    )  # fmt: skip
    log = alt.Scale(type="log", nice=False)
    odds = alt.Chart(table[table["odds"] > 0]).mark_line(color=CHOSEN)
    odds = odds.encode(x=across, y=alt.Y("odds:Q", title="after : before", scale=log))
    return alt.vconcat(densities.properties(width=WIDTH, height=180), odds.properties(width=WIDTH, height=140))


def _sizes(lesson: Lesson, table: pd.DataFrame) -> Any:
    """The error of each algorithm in the median class over the band of one standard error, with its two quartiles."""
    rows = table.assign(
        full=table[["noise", "c68"]].min(axis=1).clip(upper=_REACH), end=table["c68"].clip(upper=_REACH)
    )
    rows = rows.assign(low=table["c68_low"], high=table["c68_high"].clip(upper=_REACH)).dropna(subset=["end"])
    error = float(table["standard_error"].iloc[0])
    band = alt.Chart(pd.DataFrame({"low": [0.0], "high": [error]})).mark_rect(color=GREY, opacity=0.22)
    across = alt.Scale(domain=[0, _REACH])
    title = "points from OLS, at 15 hours"
    up = alt.Y("algorithm:N", sort=list(table["algorithm"]), title=None)
    base = alt.Chart(rows).encode(y=up)
    layers = [
        band.encode(x=alt.X("low:Q", title=title, scale=across), x2="high:Q"),
        base.mark_bar(height=14, filled=False).encode(x=alt.X("end:Q", title=title), color=_color(table)),
        base.mark_bar(height=14).encode(x=alt.X("full:Q", title=title), color=_color(table)),
        base.mark_rule(color=GREY, size=2, clip=True).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=150)


def _choice(lesson: Lesson, table: pd.DataFrame) -> Any:
    """Error over sampling error along the scatter of the scores; a line at 1, and one at the chosen scatter."""
    log = {"x": alt.Scale(type="log", nice=False), "y": alt.Scale(type="log", domain=list(_NOISE), nice=False)}
    across = alt.X("scatter:Q", title="scatter of the scores about the line (points)", scale=log["x"])
    up = alt.Y("ratio:Q", title="error / sampling error", scale=log["y"])
    curves = alt.Chart(table).mark_line(clip=True, point=True).encode(x=across, y=up, color=_color(table))
    marks = [pd.DataFrame({"ratio": [1.0]}), pd.DataFrame({"scatter": [lesson.scatter]})]
    rules = [alt.Chart(mark).mark_rule(color=GREY) for mark in marks]
    return alt.layer(rules[0].encode(y=up), rules[1].encode(x=across), curves).properties(width=WIDTH)


def _color(table: pd.DataFrame) -> alt.Color:
    names = list(dict.fromkeys(table["algorithm"]))
    return alt.Color(
        "algorithm:N", title=None, scale=alt.Scale(domain=names, range=[style(name)["color"] for name in names])
    )


def _x(field: str, title: str) -> alt.X:
    """Hours, with a tick at the point that is predicted."""
    ticks = [0, 5, 10, float(HOURS.from_unit(POINT)), 20]
    return alt.X(f"{field}:Q", title=title, axis=alt.Axis(values=ticks), scale=alt.Scale(domain=[0, 20]))


def _y(field: str, title: str) -> alt.Y:
    return alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 100]))


_PICTURES: tuple[Callable[[Lesson, pd.DataFrame], Any], ...] = (_leaving, _pairs, _lines, _odds, _sizes, _choice)
