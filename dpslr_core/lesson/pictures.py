"""Pictures of the lesson. The first five have people at the left and, at 15 hours, what may come out beside them.

All are plots of one view, whose axes stay while one thing moves, so that each fills the room it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..audit.moved import AFTER, BEFORE, MovedRecord
from ..charts.curves import USUAL, Room, named_curves
from ..charts.records import CHOSEN, LINE, RECORD, THEIL_SEN
from ..charts.styles import style
from ..charts.vega import GREY, LEGEND, Spec, axis, band, layer, looks, nominal, quantitative, rule, with_data, xy
from ..support.types import Floats
from .classes import median_class
from .settings import ALGORITHMS, HOURS, POINT, SCORE, TEN, Lesson, class_of
from .steps import (
    ALGORITHM,
    NOISY,
    VIEW,
    change_map,
    change_of,
    game_of,
    odds_table,
    pairwise,
    person_moved,
    release_law,
    releases,
    remaining,
    somebody_moved,
    worst_of_ten,
)
from .text import in_points

PERSON, PLACE = "person", "place"  # selections: a person, and where somebody goes
HEIGHT = 430  # pixels
REACH = 10.0  # points from OLS in the picture of errors
MOST_ERROR = 8.0  # points in the picture of errors by scatter
BIN = 4.0  # points
MOST_PAIRS = 22  # in a bin: the end of the axis of pairwise estimates
# Hours at which what stands beside the people begins and ends: the picture has one axis for both.
BESIDE = (22.0, 31.0)
ODDS = (32.5, 41.5)
SAMPLING = "sampling error"
_LINE = {"type": "line", "strokeWidth": 3, "clip": True}
_CHANNELS = {"color": "color", "strokeDash": "dash", "strokeWidth": "width"}
_LEGEND = LEGEND | {"columns": 1, "orient": "top-left", "offset": 4}
_ENDS = np.array([0.0, 1.0])


def step_picture(
    lesson: Lesson, answered: bool = False, told: Sequence[bool] | None = None, room: Room = USUAL
) -> Spec:
    """The picture of the lesson's step.

    answered: with what the answer adds. told: the guesses of the game so far, None where it is not played.
    """
    match lesson.step:
        case "leaves":
            return people_with_lines(lesson.leaver)
        case "worst":
            return anywhere(person_moved(lesson), answered)
        case "median":
            return pairs_beside(person_moved(lesson))
        case "noise":
            return releases_beside(lesson, answered)
        case "promise":
            return odds_beside(lesson, told)
        case "people":
            return error_bars(median_class(lesson))
        case _:
            return error_curves(median_class(lesson, over="scatter"), lesson.scatter, answered, room)


# People, and their parts.


def _plane(right: float = 20.5) -> tuple[Spec, Spec, Spec]:
    """The axes of hours, up to a place beyond the people, and of points; both with their fields."""
    ticks = [value for value in (0, 5, 10, 15, 20) if value <= right]
    x = axis(HOURS.label, (-0.5, right), format="d", values=ticks, grid=False, titleAnchor="start")
    y = axis(SCORE.label, VIEW, format="d", values=[0, 20, 40, 60, 80, 100], titleAnchor="start")
    return x, y, xy(x, y)


def _upright(x: Spec) -> Spec:
    """A line at 15 hours."""
    return rule("x", x, float(HOURS.from_unit(POINT)), strokeWidth=1)


def _people(place: Spec, chosen: int, ring: tuple[float, float] | None = None) -> tuple[list[Spec], pd.DataFrame]:
    """Layers of the ten people by their numbers, and their data; a click on one selects PERSON.

    chosen: the person with a ring, 0 for none. ring: where the ring is, in hours and points, None for their own place.
    """
    hours, scores = np.array(TEN, dtype=float).T
    people = pd.DataFrame({"person": range(1, len(TEN) + 1), "x": hours, "y": scores})
    people["now_x"], people["now_y"] = people["x"], people["y"]
    if ring is not None:
        people.loc[people["person"] == chosen, ["now_x", "now_y"]] = ring
    people["chosen"] = people["person"] == chosen
    now = place | {"x": place["x"] | {"field": "now_x"}, "y": place["y"] | {"field": "now_y"}}
    shift = place | {"x2": {"field": "now_x"}, "y2": {"field": "now_y"}}
    click: Spec = {"name": PERSON, "select": {"type": "point", "fields": ["person"], "on": "@people_marks:click"}}
    layers = [
        layer("people", {"type": "rule", "color": CHOSEN, "strokeWidth": 2, "strokeDash": [4, 3]}, shift),
        {"name": "people", "params": [click]}
        | layer("people", {"type": "circle", "size": 150, "opacity": 1, "color": RECORD, "cursor": "pointer"}, now),
        layer("people", {"type": "text", "dy": -15, "fontSize": 14}, now | {"text": nominal("person")}),
        layer("people", {"type": "point", "size": 330, "strokeWidth": 3, "color": CHOSEN}, now)
        | {"transform": [{"filter": "datum.chosen"}]},
    ]
    return layers, people


def _line(name: str, heights: Floats) -> pd.DataFrame:
    """A line by its heights at 0 and 20 hours, in the unit square."""
    return pd.DataFrame({"line": name, "x": HOURS.from_unit(_ENDS), "y": SCORE.from_unit(heights)})


def _lines(place: Spec, named: Mapping[str, Mapping[str, object]]) -> Spec:
    """The layer of lines by name, with their legend; named: colour, dash and width of each."""
    colors, dashes, widths = zip(
        *((look["color"], look["dash"], look["width"]) for look in named.values()), strict=True
    )
    look = looks("line", list(named), _LEGEND, color=colors, strokeDash=dashes, strokeWidth=widths)
    return layer("lines", dict(_LINE), place | look)


def _look(color: str, dash: Sequence[int] = (1, 0), width: float = 3.0) -> dict[str, object]:
    return {"color": color, "dash": list(dash), "width": width}


_OLS, _MEDIAN = _look(LINE), _look(THEIL_SEN, (7, 4))


def _before(look: Mapping[str, object]) -> dict[str, object]:
    return {**look, "dash": [2, 3], "width": 1.5}


def _caption(x: Spec, at: float, words: str) -> Spec:
    """A short text above a part of the picture."""
    mark = {"type": "text", "align": "left", "baseline": "bottom", "fontSize": 13, "dx": 2, "text": words}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {"x": x | {"datum": at}, "y": {"value": -3}}}


# Steps.


def people_with_lines(leaver: int, fixed: bool = False) -> Spec:
    """Step "leaves": the ten people, the line of those who stay and, dotted, the line of all ten.

    All lines are in the picture: a click on a person shows theirs at once. fixed: only those of the leaver are.
    """
    x, _, place = _plane()
    people, rows = _people(place, leaver)
    named = {"OLS, all ten": _before(_OLS), "OLS without the person": _OLS}
    every = pd.concat([
        _line("OLS, all ten" if gone == 0 else "OLS without the person", remaining(gone).predict(_ENDS))
        .assign(person=gone)
        for gone in ({0: "", leaver: ""} if fixed else range(len(TEN) + 1))
    ])  # fmt: skip
    if fixed:
        del people[1]["params"]
        return with_data(
            {"layer": [_upright(x), _lines(place, named), *people], "height": HEIGHT}, people=rows, lines=every
        )
    people[1]["params"][0]["value"] = [{"person": leaver}]
    shown = {"or": [{"field": "person", "equal": 0}, {"param": PERSON, "empty": False}]}
    people[3]["transform"] = [{"filter": {"param": PERSON, "empty": False}}]
    lines = _lines(place, named) | {"transform": [{"filter": shown}]}
    return with_data({"layer": [_upright(x), lines, *people], "height": HEIGHT}, people=rows, lines=every)


def anywhere(move: MovedRecord, answered: bool = False) -> Spec:
    """Step "worst": a click chooses a person, or where that person goes; answered: how far OLS moves from everywhere.

    The cells of the map are the places of the click in either case.
    """
    x, _, place = _plane()
    people, rows = _people(place, move.place + 1, _in_units(move))
    cells = change_map(move.place + 1)
    select = {"type": "point", "fields": ["hours", "points"], "on": "@places_marks:click"}
    click: Spec = {"name": PLACE, "select": select}
    to = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    mark: Spec = {"type": "rect", "color": CHOSEN, "cursor": "crosshair"}
    darkest = {"domain": [0, SCORE.scale * worst_of_ten().change], "range": [0, 0.6]}
    dark = quantitative("change", scale=darkest, legend=None) if answered else {"value": 0}
    places = {"name": "places", "params": [click]} | layer("cells", mark, place | to | {"opacity": dark})
    named = {"OLS, before": _before(_OLS), "OLS": _OLS}
    both = (move.before, move.after)
    lines = pd.concat([_line(name, data.predict(_ENDS)) for name, data in zip(named, both, strict=True)])
    layers = [places, _upright(x), _lines(place, named), *people]
    return with_data({"layer": layers, "height": HEIGHT}, people=rows, lines=lines, cells=cells)


def _in_units(move: MovedRecord) -> tuple[float, float]:
    """Where the person is now, in hours and points."""
    return float(HOURS.from_unit(move.x)), float(SCORE.from_unit(move.y))


def pairs_beside(move: MovedRecord) -> Spec:
    """Step "median": people with OLS and the median line, before and after; beside them the pairwise estimates."""
    x, _, place = _plane(BESIDE[1])
    people, rows = _people(place, move.place + 1, _in_units(move))
    named = {"OLS, before": _before(_OLS), "OLS": _OLS, "median, before": _before(_MEDIAN), "median": _MEDIAN}
    both = (move.before, move.after)
    heights = [data.predict(_ENDS) for data in both] + [data.theil_sen(_ENDS) for data in both]
    lines = pd.concat([_line(name, height) for name, height in zip(named, heights, strict=True)])
    at_point = [float(data.predict(POINT)[0]) for data in both] + [float(data.theil_sen(POINT)[0]) for data in both]
    ticks = pd.DataFrame({"line": list(named), "x": BESIDE[0], "x2": BESIDE[1], "y": SCORE.from_unit(at_point)})
    counts = _bars(SCORE.from_unit(pairwise(move.after)), MOST_PAIRS)
    before = _bars(SCORE.from_unit(pairwise(move.before)), MOST_PAIRS)
    to = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    look = _lines(place, named)["encoding"]
    layers = [
        _upright(x),
        _caption(x, BESIDE[0], "pairs at 15 hours"),
        layer("bars", {"type": "rect", "color": style(ALGORITHM.name)["color"], "opacity": 0.5}, place | to),
        layer("outline", {"type": "rect", "filled": False, "stroke": GREY, "strokeWidth": 1}, place | to),
        layer("ticks", {"type": "rule"}, look | {"x2": {"field": "x2"}}),
        _lines(place, named),
        *people,
    ]
    data = {"bars": counts, "outline": before, "ticks": ticks}
    return with_data({"layer": layers, "height": HEIGHT}, people=rows, lines=lines, **data)


def _bars(heights: Floats, most: float) -> pd.DataFrame:
    """Bins of heights in points as bars to the right, x to x2 and y to y2; the last bins hold those beyond the picture.

    count: how many are in each, along an axis that ends at most.
    """
    inside = np.clip(heights[np.isfinite(heights)], VIEW[0], VIEW[1] - 1e-9)
    counts, edges = np.histogram(inside, np.arange(VIEW[0], VIEW[1] + BIN / 2, BIN))
    ends = BESIDE[0] + (BESIDE[1] - BESIDE[0]) * np.minimum(counts / most, 1)
    return pd.DataFrame({"x": BESIDE[0], "x2": ends, "y": edges[:-1], "y2": edges[1:], "count": counts})


def releases_beside(lesson: Lesson, answered: bool = False) -> Spec:
    """Step "noise": the class, its line and a line for each release; beside them the releases at 15 hours.

    All that the budget pays for would fill the width. answered: with what the exact output distribution expects.
    """
    x, y, place = _plane(BESIDE[1])
    data, drawn = class_of(lesson), releases(lesson)
    every = max(1, data.n // 300)
    dots = pd.DataFrame({"x": HOURS.from_unit(data.x[::every]), "y": SCORE.from_unit(data.y[::every])})
    lines = pd.concat([
        _line("a release", _heights_at_ends(pair)).assign(number=number)
        for number, pair in enumerate(drawn) if np.isfinite(pair).all()
    ] or [pd.DataFrame(columns=["line", "x", "y", "number"])])  # fmt: skip
    ols = _line("OLS, not released", data.predict(_ENDS)).assign(number=-1)
    color = style(NOISY.name)["color"]
    bars = _bars(SCORE.from_unit(drawn[:, 0]), lesson.affordable)
    edges = np.append(bars["y"], bars["y2"].iloc[-1])
    law, tall = release_law(lesson), SCORE.to_unit(edges)
    shares = np.diff(law.cdf(np.concatenate([[-np.inf], tall[1:-1], [np.inf]])))
    answers = max(1 - law.failure, 1e-12)
    curve = bars.assign(x2=BESIDE[0] + (BESIDE[1] - BESIDE[0]) * shares / answers)
    error = float(data.standard_error(POINT)[0])
    middle = float(data.predict(POINT)[0])
    low, high = (float(SCORE.from_unit(middle + side * error)) for side in (-1, 1))
    to = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    named = {"OLS, not released": _look(GREY), "a release": _look(color, width=1.6)}
    layers = [
        _upright(x),
        _caption(x, BESIDE[0], "at 15 hours"),
        band(y, (low, high), "y") | {"encoding": band(y, (low, high), "y")["encoding"]
                                     | {"x": x | {"datum": BESIDE[0]}, "x2": {"datum": BESIDE[1]}}},
        layer("students", {"type": "circle", "size": 14, "color": GREY, "opacity": 0.5}, place),
        layer("bars", {"type": "rect", "color": color, "opacity": 0.6}, place | to),
        layer("law", {"type": "rect", "filled": False, "stroke": GREY, "strokeWidth": 1.5,
                      "opacity": 1 if answered else 0}, place | to),
        _lines(place, named) | {"encoding": _lines(place, named)["encoding"] | {"detail": nominal("number")}},
    ]  # fmt: skip
    sets = {"students": dots, "bars": bars, "law": curve, "lines": pd.concat([lines, ols] if len(lines) else [ols])}
    return with_data({"layer": layers, "height": HEIGHT}, **sets)


def _heights_at_ends(pair: Floats) -> Floats:
    """Heights at 0 and 20 hours of a line by its heights at 15 and at 5 hours."""
    slope = (pair[0] - pair[1]) / (POINT - 0.25)
    return np.asarray(pair[1] + slope * (_ENDS - 0.25))


def odds_beside(lesson: Lesson, told: Sequence[bool] | None = None) -> Spec:
    """Step "promise": people and the move; beside them both densities of a release, and its odds in the allowed band.

    told: the guesses of the game; the releases that were guessed at are dots, the next one is a line.
    """
    x, _, place = _plane(ODDS[1])
    move, change = somebody_moved(lesson), change_of(lesson)
    people, rows = _people(place, move.place + 1, _in_units(move))
    table, allowed = odds_table(change), change.loss.promised
    top = float(np.nanmax(table[[BEFORE, AFTER]].to_numpy()))
    wide = BESIDE[1] - BESIDE[0]
    densities = pd.concat([
        pd.DataFrame({"when": when, "y": table["estimate"], "x": BESIDE[0],
                      "x2": BESIDE[0] + wide * np.nan_to_num(table[when].to_numpy()) / top})
        for when in (BEFORE, AFTER)
    ])  # fmt: skip
    middle, half = sum(ODDS) / 2, (ODDS[1] - ODDS[0]) / 2 / 1.25
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(table["odds"].to_numpy(float))
    odds = pd.DataFrame({"y": table["estimate"], "x": middle + half * np.clip(losses / allowed, -1.25, 1.25)})
    color = style(change.mechanism.name)["color"]
    looks_of = looks("when", [BEFORE, AFTER], _LEGEND, color=[GREY, color], strokeWidth=[1.5, 3])
    along = {"type": "line", "orient": "horizontal", "clip": True}
    upright = {"y": place["y"], "x": place["x"] | {"field": "x2"}}
    order = {"order": {"field": "y", "type": "quantitative"}}
    edge = band(x, (middle - half, middle + half))
    playing, told = told is not None, told or ()
    game = game_of(lesson).rows
    dots = game[: len(told)].assign(right=[guess == true for guess, true in zip(told, game["moved"], strict=False)])
    spots = pd.DataFrame({
        "y": dots["release"].clip(*VIEW), "x": BESIDE[1] + 0.7,
        "when": np.where(dots["moved"], AFTER, BEFORE), "shape": np.where(dots["right"], "right", "wrong"),
    })  # fmt: skip
    coming = game[len(told) : len(told) + playing]
    next_one = pd.DataFrame({"y": coming["release"].clip(*VIEW), "x": BESIDE[0], "x2": ODDS[1]})
    of_data = {"color": looks_of["color"]}
    of_guess = looks("shape", ["right", "wrong"], shape=["circle", "cross"])
    seen = {"type": "point", "filled": True, "size": 110, "opacity": 1}
    layers = [
        _upright(x),
        _caption(x, BESIDE[0], "one release"),
        _caption(x, ODDS[0], "after : before"),
        edge,
        rule("x", x, middle, strokeWidth=1),
        layer("densities", {"type": "area", "orient": "horizontal", "opacity": 0.25, "clip": True, "color": GREY},
              {"y": place["y"], "x": place["x"], "x2": {"field": "x2"}})
        | {"transform": [{"filter": f"datum.when == '{BEFORE}'"}]},
        layer("densities", along, upright | looks_of | order),
        layer("odds", along | {"color": color, "strokeWidth": 3}, place | order),
        layer("next", {"type": "rule", "color": CHOSEN, "strokeWidth": 3}, place | {"x2": {"field": "x2"}}),
        layer("spots", seen, place | of_data | of_guess),
        *people,
    ]  # fmt: skip
    return with_data({"layer": layers, "height": HEIGHT}, people=rows, densities=densities, odds=odds, spots=spots,
                     next=next_one)  # fmt: skip


def error_bars(errors: pd.DataFrame) -> Spec:
    """Step "people": the 68% error of each algorithm in the median class, beside the sampling error.

    errors: of median_class. A bar is filled as far as noise alone goes; what the gap to OLS adds is hollow. Whiskers
    hold the middle half of the classes. A bar that leaves the picture ends in an arrow; its size stands at the right.
    """
    names = [mechanism.name for mechanism in ALGORITHMS]
    error = float(errors["standard_error"].iloc[0]) * SCORE.scale
    rows = errors[["algorithm", "c68", "c68_low", "c68_high", "noise"]].reset_index(drop=True)
    rows[["c68", "c68_low", "c68_high", "noise"]] *= SCORE.scale
    rows["size"] = [f"±{in_points(size)}" if np.isfinite(size) else "no limit" for size in rows["c68"]]
    rows = rows.assign(noise=rows[["noise", "c68"]].min(axis=1).clip(upper=REACH), beyond=rows["c68"] > REACH)
    rows["whiskers"] = rows["c68_low"] < REACH
    for end in ("c68", "c68_low", "c68_high"):
        rows[end] = rows[end].clip(upper=REACH)
    rows["color"] = [style(str(name))["color"] for name in rows["algorithm"]]
    label = {"labelFontSize": 13, "title": None, "labelLimit": 300}
    domain = {"domain": [SAMPLING, *names], "paddingInner": 0.6}
    up = {"y": nominal("algorithm", axis=label, scale=domain)}
    ticks = np.arange(0, REACH + 1, 2).tolist()
    x = axis("points from OLS, at 15 hours", (0.0, 1.35 * REACH), format="d", values=ticks, titleAnchor="start")
    color = {"color": nominal("color", scale=None)}
    bar = pd.DataFrame({"algorithm": [SAMPLING], "end": [min(error, REACH)], "size": [f"±{in_points(error)}"]})

    def along(end: str, start: Spec | None = None) -> Spec:
        return up | {"x": x | {"field": end}, "x2": start or {"datum": 0}}

    def only(part: Spec, field: str) -> Spec:
        return part | {"transform": [{"filter": f"datum.{field}"}]}

    whisker = {"type": "rule", "color": GREY, "strokeWidth": 3}
    tick = {"type": "tick", "color": GREY, "size": 16, "thickness": 3}
    arrow = {"type": "point", "shape": "triangle-right", "filled": True, "size": 350, "opacity": 1}
    size = {"type": "text", "align": "right", "fontSize": 13}
    at_right = up | {"x": x | {"datum": 1.35 * REACH}, "text": nominal("size")}
    layers = [
        layer("sampling", {"type": "rect", "color": GREY, "opacity": 0.22},
              {"x": x | {"field": "end"}, "x2": {"datum": 0}}),
        layer("sampling", {"type": "bar", "color": GREY}, along("end")),
        layer("rows", {"type": "bar"}, along("noise") | color),
        layer("rows", {"type": "bar", "filled": False, "strokeWidth": 2}, along("c68") | color),
        only(layer("rows", whisker, along("c68_low", {"field": "c68_high"})), "whiskers"),
        *(only(layer("rows", tick, up | {"x": x | {"field": end}}), "whiskers") for end in ("c68_low", "c68_high")),
        only(layer("rows", arrow, up | {"x": x | {"datum": 1.015 * REACH}} | color), "beyond"),
        layer("rows", size, at_right),
        layer("sampling", size, at_right),
    ]  # fmt: skip
    return with_data({"layer": layers, "height": HEIGHT}, rows=rows, sampling=bar)


def error_curves(errors: pd.DataFrame, scatter: float, answered: bool = True, room: Room = USUAL) -> Spec:
    """Step "choice": each algorithm's 68% error in points over the scatter, beside the sampling error.

    errors: of median_class, over scatter. answered: the whole curves; otherwise those at this scatter. What is
    larger leaves the picture.
    """
    ends = float(errors["scatter"].min()) / 1.1, float(errors["scatter"].max()) * 1.1
    x = axis("scatter of the scores about the line (points)", ends, log=True, format="~r", grid=False)
    y = axis("error (points)", (0.0, MOST_ERROR), format="~r")
    sampling = errors.drop_duplicates("scatter").assign(algorithm=SAMPLING, c68=lambda rows: rows["standard_error"])
    rows = pd.concat([errors, sampling])
    frame = rows[["algorithm"]].assign(x=rows["scatter"], y=(SCORE.scale * rows["c68"]).clip(upper=2 * MOST_ERROR))
    here = frame[np.isclose(frame["x"], scatter)]
    dots = {"strokeWidth": 3, "point": {"size": 90, "filled": True, "strokeDash": [1, 0]}}
    behind = [layer("here", {"type": "rule", "color": GREY, "strokeWidth": 3}, {"x": x | {"field": "x"}})]
    styles = {SAMPLING: {"color": GREY, "dash": "solid"}}
    lines = {"curves": (frame if answered else here, dots)}
    picture = named_curves(lines, x, y, HEIGHT, room, behind=behind, styles=styles)
    return picture | {"datasets": picture["datasets"] | {"here": pd.DataFrame({"x": [scatter]})}}
