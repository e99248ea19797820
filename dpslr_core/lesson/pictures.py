"""Pictures of the lesson: people with lines, pairwise estimates, errors beside the sampling error."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..charts.curves import BOTTOM, TOP, USUAL, Room, named_curves
from ..charts.privacy import odds_chart
from ..charts.records import CHOSEN, HEIGHT, OLS_LINE, RECORD, THEIL_SEN_LINE, spaghetti
from ..charts.styles import style
from ..charts.vega import GREY, LEGEND, Spec, axis, band, layer, looks, nominal, rule, together, with_data, xy
from ..experiments.moved import MovedRecord
from ..support.types import Floats
from .classes import class_lines, median_class
from .settings import HOURS, POINT, SCORE, TEN, Lesson, class_of
from .steps import change_of, odds_table, pairwise, person_moved, remaining
from .text import points

LEAVER = "leaver"  # the selection of step 1
LOW, HIGH, WIDTH = -20.0, 140.0, 4.0  # points; pairwise estimates beyond are counted in the bins at the ends
MOST = 22  # pairs in a bin: the height of the picture
REACH = 10.0  # points from OLS in the picture of errors
PANEL = 260  # pixels of a panel in a file
_LEGEND = LEGEND | {"columns": 2}


def people_with_lines(leaver: int) -> Spec:
    """Step 1: the ten people by their numbers, the line of those who stay and, dotted, the line of all ten.

    A click on a person selects the number in LEAVER.
    """
    ends, (hours, scores) = np.array([0.0, 1.0]), np.array(TEN, dtype=float).T
    people = pd.DataFrame({"person": range(1, len(TEN) + 1), "x": hours, "y": scores})
    drawn = {"OLS, all ten": remaining(0)}
    if leaver:
        drawn[f"OLS without person {leaver}"] = remaining(leaver)
    lines = pd.concat([
        pd.DataFrame({"line": name, "x": HOURS.from_unit(ends), "y": SCORE.from_unit(data.predict(ends))})
        for name, data in drawn.items()
    ])  # fmt: skip
    x = axis(HOURS.label, (-0.4, 20.4), format="~r", tickCount=5)
    place = xy(x, axis(SCORE.label, (-5.0, 105.0), format="~r", tickCount=5))
    dashes = {"domain": list(drawn), "range": [[2, 3], [1, 0]][-len(drawn) :]}
    dash = {"strokeDash": nominal("line", scale=dashes, legend=_LEGEND)}
    dot = {"type": "circle", "size": 130, "opacity": 1, "color": RECORD, "cursor": "pointer"}
    words = {"type": "text", "dy": -16, "fontSize": 15}
    chosen: Spec = {"name": LEAVER, "select": {"type": "point", "fields": ["person"], "on": "@people_marks:click"}}
    ring = {"type": "point", "size": 330, "strokeWidth": 3, "color": CHOSEN}
    layers = [
        rule("x", x, float(HOURS.from_unit(POINT)), strokeWidth=1),
        layer("lines", {"type": "line", "color": OLS_LINE["color"], "strokeWidth": 3, "clip": True}, place | dash),
        {"name": "people", "params": [chosen]} | layer("people", dot, place),
        layer("people", words, place | {"text": nominal("person")}),
        layer("people", ring, place) | {"transform": [{"filter": f"datum.person == {leaver}"}]},
    ]
    return with_data({"layer": layers, "height": HEIGHT}, people=people, lines=lines)


def histogram(move: MovedRecord) -> Spec:
    """Step 2: bars of the pairwise estimates now, an outline of those before, and lines at the median and at OLS."""
    moved, rows = move.moved, move.predictions([POINT])
    x = axis("pairwise estimates at 15 hours (points)", (LOW, HIGH), format="~r", tickCount=8, grid=False)
    place = xy(x, axis("pairs", (0.0, float(MOST)), format="d"))
    lines = []  # name, height, colour, width, dash
    for name, column, look in (("median", "theil_sen", THEIL_SEN_LINE), ("OLS", "ols", OLS_LINE)):
        before, after = (float(SCORE.from_unit(value)) for value in rows[column])
        lines += [(f"{name}, before", before, look["color"], 1.2, [3, 3])] if moved else []
        lines += [(name, after, look["color"], 3.5, [7, 4] if column == "theil_sen" else [1, 0])]
    heights = pd.DataFrame({"line": [line[0] for line in lines], "x": [line[1] for line in lines]})
    bars = _counts(pairwise(move.after))
    outline = _counts(pairwise(move.before) if moved else np.empty(0))
    named = [*lines, ("pairs", 0.0, style("DPExpTheilSen")["color"], 6.0, [1, 0])]
    named += [("pairs, before", 0.0, GREY, 1.5, [1, 0])] if moved else []
    names, _, colors, widths, dashes = zip(*named, strict=True)
    look = looks("line", names, _LEGEND, color=colors, strokeWidth=widths, strokeDash=dashes)
    color = {"color": look["color"]}
    bar, to = {"type": "rect", "opacity": 0.5}, {"x2": {"field": "to"}, "y2": {"datum": 0}}
    layers = [
        layer("bars", bar, place | to | color),
        layer("outline", {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5}, place | color),
        layer("heights", {"type": "rule"}, {"x": place["x"]} | look),
    ]
    data = {"bars": bars.assign(line="pairs"), "outline": outline.assign(line="pairs, before"), "heights": heights}
    return with_data({"layer": layers, "height": HEIGHT}, **data)


def _counts(estimates: Floats) -> pd.DataFrame:
    """Bins with the number of estimates in each: x, to, y; the last bins hold those beyond the ends."""
    inside = np.clip(SCORE.from_unit(estimates), LOW, HIGH - 1e-9)
    counts, edges = np.histogram(inside, np.arange(LOW, HIGH + WIDTH, WIDTH))
    return pd.DataFrame({"x": edges[:-1], "to": edges[1:], "y": counts})[: counts.size if estimates.size else 0]


def error_bars(errors: pd.DataFrame) -> Spec:
    """Step 5: the 68% error of each algorithm in the median class, beside the sampling error.

    errors: of median_class. A bar is filled as far as noise alone goes; what the gap to OLS adds is hollow. Whiskers
    hold the middle half of the classes. A bar that leaves the picture ends in an arrow; the name says its size.
    """
    error = float(errors["standard_error"].iloc[0]) * SCORE.scale
    rows = errors[["c68", "c68_low", "c68_high", "noise"]] * SCORE.scale
    rows = rows.assign(noise=rows[["noise", "c68"]].min(axis=1).clip(upper=REACH), beyond=rows["c68"] > REACH)
    rows = rows.assign(c68=rows["c68"].clip(upper=REACH), c68_high=rows["c68_high"].clip(upper=REACH), start=0.0)
    rows["color"] = [style(str(name))["color"] for name in errors["algorithm"]]
    rows["label"] = [
        f"{name}|±{points(size)}" if np.isfinite(size) else name
        for name, size in zip(errors["algorithm"], errors["c68"], strict=True)
    ]
    sampling = f"sampling error|±{points(error / SCORE.scale)}"
    label = {"labelExpr": "split(datum.label, '|')", "labelFontSize": 13, "title": None, "labelLimit": 300}
    up = {"y": nominal("label", axis=label, scale={"domain": [sampling, *rows["label"]], "paddingInner": 0.6})}
    x = axis("points from OLS, at 15 hours", (0.0, 1.05 * REACH), format="~r")
    color = {"color": nominal("color", scale=None)}

    def along(start: str, end: str) -> Spec:
        return up | {"x": x | {"field": start}, "x2": {"field": end}}

    whisker = {"type": "rule", "color": GREY, "strokeWidth": 3}
    inside = {"transform": [{"filter": f"datum.c68_low < {REACH}"}]}
    arrow = {"type": "point", "shape": "triangle-right", "filled": True, "size": 350, "opacity": 1}
    layers = [
        band(x, (0.0, error), opacity=0.22),
        layer("sampling", {"type": "bar", "color": GREY}, along("start", "end")),
        layer("rows", {"type": "bar"}, along("start", "noise") | color),
        layer("rows", {"type": "bar", "filled": False, "strokeWidth": 2}, along("start", "c68") | color),
        layer("rows", whisker, along("c68_low", "c68_high")) | inside,
        *(
            layer("rows", {"type": "tick", "color": GREY, "size": 16, "thickness": 3}, up | {"x": x | {"field": end}})
            | inside
            for end in ("c68_low", "c68_high")
        ),
        layer("rows", arrow, up | {"x": x | {"datum": 1.015 * REACH}} | color)
        | {"transform": [{"filter": "datum.beyond"}]},
    ]
    bar = pd.DataFrame({"label": [sampling], "start": [0.0], "end": [min(error, REACH)]})
    return with_data({"layer": layers, "height": HEIGHT}, rows=rows, sampling=bar)


def ratio_curves(errors: pd.DataFrame, scatter: float, room: Room = USUAL) -> Spec:
    """Step 6: the ratio of each algorithm's error to the sampling error over the scatter; a line at the chosen one.

    errors: of median_class, over scatter. Ratios beyond the picture's range leave it.
    """
    ends = float(errors["scatter"].min()) / 1.1, float(errors["scatter"].max()) * 1.1
    x = axis("scatter of the scores about the line (points)", ends, log=True, format="~r", grid=False)
    y = axis("error / sampling error", (0.1, 100.0), log=True, format=",~r")
    frame = errors[["algorithm"]].assign(x=errors["scatter"], y=errors["ratio"].clip(BOTTOM, TOP))
    look = {"strokeWidth": 3, "point": {"size": 60, "filled": True, "strokeDash": [1, 0]}}
    behind = [rule("y", y, 1.0), rule("x", x, scatter, strokeDash=[1, 0], strokeWidth=3)]
    return named_curves({"curves": (frame, look)}, x, y, HEIGHT, room, behind=behind)


def step_picture(lesson: Lesson) -> Spec:
    """The picture of the lesson's step in a file."""
    match lesson.step:
        case 1:
            return people_with_lines(lesson.leaver)
        case 2:
            return histogram(person_moved(lesson))
        case 3:
            data = class_of(lesson)
            panels = spaghetti(data, class_lines(data, lesson.class_epsilon), HOURS, SCORE, height=PANEL)
            return together(panels, 3, PANEL)
        case 4:
            change = change_of(lesson)
            return odds_chart(change, odds_table(change), SCORE)
        case 5:
            return error_bars(median_class(lesson))
        case _:
            return ratio_curves(median_class(lesson, over="scatter"), lesson.scatter)
