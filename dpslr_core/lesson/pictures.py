"""Pictures of the lesson. The first five show people and, beside them, predictions at 15 hours.

Both halves are plots of one view with common axes, which stay while a person or a setting changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np
import pandas as pd

from ..audit.moved import AFTER, BEFORE, MovedRecord
from ..charts.curves import USUAL, Room, named_curves
from ..charts.records import CHOSEN, LINE, RECORD, THEIL_SEN
from ..charts.styles import style
from ..charts.vega import (
    GREEN,
    GREY,
    LEGEND,
    Spec,
    axis,
    band,
    layer,
    looks,
    nominal,
    quantitative,
    rule,
    with_data,
    xy,
)
from ..support.readable import at_most
from ..support.types import Floats
from .classes import median_class
from .settings import HOURS, POINT, SCORE, TEN, Lesson, class_of
from .steps import (
    ALGORITHM,
    NOISY,
    VIEW,
    change_map,
    change_of,
    changes,
    game_of,
    median_bounds,
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

PERSON, PLACE = "person", "place"  # names of selections: a person, and the position to move to
HEIGHT = 430  # pixels
MOST_ERROR = 8.0  # end of the axis of errors, in points
OVER = {"students": "students", "scatter": "scatter of the scores about the line (points)"}
BIN = 4.0  # height of a bin of pairwise estimates or releases, in points
MOST_PAIRS = 22  # count of a bar of pairwise estimates that is as wide as its axis
# Horizontal ends of the plots beside the people, on the axis of hours.
BESIDE = (22.0, 31.0)
ODDS = (32.5, 41.5)
SAMPLING = "sampling error"
_LINE = {"type": "line", "strokeWidth": 3, "clip": True}
_LEGEND = LEGEND | {"columns": 1, "orient": "top-left", "offset": 4}
_ENDS = np.array([0.0, 1.0])


def step_picture(
    lesson: Lesson,
    answered: bool = False,
    guesses: Sequence[bool] | None = None,
    room: Room = USUAL,
) -> Spec:
    """Draw the picture of the lesson's step.

    Parameters
    ----------
    lesson : Lesson
        Step and settings.
    answered : bool
        Whether the answer is drawn, too.
    guesses : sequence of bool, optional
        Guesses of the game so far in step "promise"; None before the game begins.
    room : Room
        Width and text size of the screen.
    """
    match lesson.step:
        case "leaves":
            return people_with_lines(lesson.leaver, answered)
        case "worst":
            return anywhere(person_moved(lesson), answered)
        case "median":
            return pairs_beside(person_moved(lesson), answered)
        case "noise":
            return releases_beside(lesson, answered)
        case "promise":
            return odds_beside(lesson, answered, guesses)
        case "people":
            return error_curves(
                median_class(lesson, over="students"), "students", lesson.students, answered, room
            )
        case _:
            return error_curves(
                median_class(lesson, over="scatter"), "scatter", lesson.scatter, answered, room
            )


# Layers of several steps.


def _plane(right: float = 20.5) -> tuple[Spec, Spec, Spec]:
    """Return the axes of hours, up to `right` beyond the people, and of points, and both as channels x and y."""
    ticks = [value for value in (0, 5, 10, 15, 20) if value <= right]
    x = axis(HOURS.label, (-0.5, right), format="d", values=ticks, grid=False, titleAnchor="start")
    y = axis(SCORE.label, VIEW, format="d", values=[0, 20, 40, 60, 80, 100], titleAnchor="start")
    return x, y, xy(x, y)


def _upright(x: Spec) -> Spec:
    """Return the layer of a vertical line at 15 hours."""
    return rule("x", x, float(HOURS.from_unit(POINT)), strokeWidth=1)


def _people(
    channels: Spec, chosen: int, ring: tuple[float, float] | None = None
) -> tuple[list[Spec], pd.DataFrame]:
    """Return the layers of the ten people by their numbers, and their data; a click on a person selects PERSON.

    Parameters
    ----------
    channels : dict
        Channels x and y.
    chosen : int
        Person with a ring, 0 for nobody.
    ring : tuple of float, optional
        Hours and points of the ring, by default the person's own.
    """
    hours, scores = np.array(TEN, dtype=float).T
    people = pd.DataFrame({"person": range(1, len(TEN) + 1), "x": hours, "y": scores})
    people["now_x"], people["now_y"] = people["x"], people["y"]
    if ring is not None:
        people.loc[people["person"] == chosen, ["now_x", "now_y"]] = ring
    people["chosen"] = people["person"] == chosen
    now = channels | {
        "x": channels["x"] | {"field": "now_x"},
        "y": channels["y"] | {"field": "now_y"},
    }
    shift = channels | {"x2": {"field": "now_x"}, "y2": {"field": "now_y"}}
    click: Spec = {
        "name": PERSON,
        "select": {"type": "point", "fields": ["person"], "on": "@people_marks:click"},
    }
    layers = [
        layer(
            "people",
            {"type": "rule", "color": CHOSEN, "strokeWidth": 2, "strokeDash": [4, 3]},
            shift,
        ),
        {"name": "people", "params": [click]}
        | layer(
            "people",
            {"type": "circle", "size": 150, "opacity": 1, "color": RECORD, "cursor": "pointer"},
            now,
        ),
        layer(
            "people", {"type": "text", "dy": -15, "fontSize": 14}, now | {"text": nominal("person")}
        ),
        layer("people", {"type": "point", "size": 330, "strokeWidth": 3, "color": CHOSEN}, now)
        | {"transform": [{"filter": "datum.chosen"}]},
    ]
    return layers, people


def _line(name: str, heights: Floats) -> pd.DataFrame:
    """Return the ends of a line from its heights at 0 and 20 hours, in the unit square: line, hours x, points y."""
    return pd.DataFrame({"line": name, "x": HOURS.from_unit(_ENDS), "y": SCORE.from_unit(heights)})


def _lines(channels: Spec, named: Mapping[str, Mapping[str, object]]) -> Spec:
    """Return the layer of named lines with their legend; `named` has the colour, dash and width of each line."""
    colors, dashes, widths = zip(
        *((look["color"], look["dash"], look["width"]) for look in named.values()), strict=True
    )
    look = looks("line", list(named), _LEGEND, color=colors, strokeDash=dashes, strokeWidth=widths)
    return layer("lines", dict(_LINE), channels | look)


def _look(color: str, dash: Sequence[int] = (1, 0), width: float = 3.0) -> dict[str, object]:
    return {"color": color, "dash": list(dash), "width": width}


_OLS, _MEDIAN = _look(LINE), _look(THEIL_SEN, (7, 4))


def _before(look: Mapping[str, object]) -> dict[str, object]:
    return {**look, "dash": [2, 3], "width": 1.5}


def _where(answered: bool, answer: Spec) -> Spec:
    """Return a layer that is visible only if `answered`; its data are the same in either case."""
    return answer | {"transform": [{"filter": "true" if answered else "false"}]}


def _caption(x: Spec, at: float, words: str) -> Spec:
    """Return the layer of a short text above the picture, at hours `at`."""
    mark = {
        "type": "text",
        "align": "left",
        "baseline": "bottom",
        "fontSize": 13,
        "dx": 2,
        "text": words,
    }
    return {
        "data": {"values": [{}]},
        "mark": mark,
        "encoding": {"x": x | {"datum": at}, "y": {"value": -3}},
    }


# Steps.


def people_with_lines(leaver: int, answered: bool = False) -> Spec:
    """Draw step "leaves": the ten people, the line of those who stay and, dotted, the line of all ten.

    Parameters
    ----------
    leaver : int
        Person who leaves, 0 for nobody.
    answered : bool
        Whether the answer is drawn: a ring at the person who moves the prediction most, the line without this person
        and the distance.
    """
    x, _, channels = _plane()
    people, rows = _people(channels, leaver)
    named, heights = {"line of all ten": _OLS}, [remaining(0).predict(_ENDS)]
    if leaver:
        named = {"line of all ten": _before(_OLS), f"line without person {leaver}": _OLS}
        heights.append(remaining(leaver).predict(_ENDS))
    answer, answer_data = _who_moves_most(channels, answered)
    lines = pd.concat([_line(name, height) for name, height in zip(named, heights, strict=True)])
    layers = [_upright(x), _lines(channels, named), *people, *answer]
    return with_data({"layer": layers, "height": HEIGHT}, people=rows, lines=lines, **answer_data)


def _who_moves_most(channels: Spec, answered: bool) -> tuple[list[Spec], dict[str, pd.DataFrame]]:
    """Return the layers of the answer of step "leaves" and their data: a ring, a line and the distance."""
    most = int(np.argmax(np.abs(changes()))) + 1
    before, after = (
        float(SCORE.from_unit(remaining(gone).predict(POINT)[0])) for gone in (0, most)
    )
    hours, score = TEN[most - 1]
    line = _line(f"without person {most}", remaining(most).predict(_ENDS))
    row = {
        "x": float(HOURS.from_unit(POINT)),
        "y": before,
        "to": after,
        "said": in_points(abs(after - before)),
    }
    words = {"type": "text", "fontSize": 16, "fontWeight": "bold"}
    ring = {"type": "point", "size": 330, "strokeWidth": 3, "color": CHOSEN}
    layers = [
        layer("answer_line", {"type": "line", "color": CHOSEN, "strokeWidth": 3, "clip": True}, channels),
        layer("answer", {"type": "rule", "color": CHOSEN, "strokeWidth": 7}, channels | {"y2": {"field": "to"}}),
        layer("answer", words | {"align": "right", "dx": -9, "dy": -24},
              channels | {"y": channels["y"] | {"field": "to"}, "text": nominal("said")}),
        layer("answer_person", ring, channels),
        layer("answer_person", words | {"dy": 28, "align": "right"}, channels | {"text": nominal("said")}),
    ]  # fmt: skip
    person = pd.DataFrame(
        {"x": [float(hours)], "y": [float(score)], "said": f"without person {most}"}
    )
    data = {"answer_line": line[["x", "y"]], "answer": pd.DataFrame([row]), "answer_person": person}
    return [_where(answered, answer) for answer in layers], data


def anywhere(move: MovedRecord, answered: bool = False) -> Spec:
    """Draw step "worst": a click chooses a person, or moves the chosen person.

    Parameters
    ----------
    move : MovedRecord
        Present move.
    answered : bool
        Whether cells are darker the further OLS moves with the person in them; invisible cells take the clicks, too.
    """
    x, _, channels = _plane()
    people, rows = _people(channels, move.place + 1, _in_units(move))
    cells = change_map(move.place + 1)
    select = {"type": "point", "fields": ["hours", "points"], "on": "@places_marks:click"}
    click: Spec = {"name": PLACE, "select": select}
    to = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    mark: Spec = {"type": "rect", "color": CHOSEN, "cursor": "crosshair"}
    darkest = {"domain": [0, SCORE.scale * worst_of_ten().change], "range": [0, 0.6]}
    dark = quantitative("change", scale=darkest, legend=None) if answered else {"value": 0}
    targets = {"name": "places", "params": [click]} | layer(
        "cells", mark, channels | to | {"opacity": dark}
    )
    named = {"OLS, before": _before(_OLS), "OLS": _OLS}
    both = (move.before, move.after)
    lines = pd.concat(
        [_line(name, data.predict(_ENDS)) for name, data in zip(named, both, strict=True)]
    )
    layers = [targets, _upright(x), _lines(channels, named), *people]
    return with_data({"layer": layers, "height": HEIGHT}, people=rows, lines=lines, cells=cells)


def _in_units(move: MovedRecord) -> tuple[float, float]:
    """Return hours and points of the moved person."""
    return float(HOURS.from_unit(move.x)), float(SCORE.from_unit(move.y))


def pairs_beside(move: MovedRecord, answered: bool = False) -> Spec:
    """Draw step "median": people with OLS and the median line, before and after; beside them the pairwise estimates.

    Parameters
    ----------
    move : MovedRecord
        Present move.
    answered : bool
        Whether the range that the median cannot leave is drawn.
    """
    x, _, channels = _plane(BESIDE[1])
    people, rows = _people(channels, move.place + 1, _in_units(move))
    named = {
        "OLS, before": _before(_OLS),
        "OLS": _OLS,
        "median, before": _before(_MEDIAN),
        "median": _MEDIAN,
    }
    both = (move.before, move.after)
    heights = [data.predict(_ENDS) for data in both] + [data.theil_sen(_ENDS) for data in both]
    lines = pd.concat([_line(name, height) for name, height in zip(named, heights, strict=True)])
    at_point = [float(data.predict(POINT)[0]) for data in both] + [
        float(data.theil_sen(POINT)[0]) for data in both
    ]
    ticks = pd.DataFrame(
        {"line": list(named), "x": BESIDE[0], "x2": BESIDE[1], "y": SCORE.from_unit(at_point)}
    )
    counts = _bars(SCORE.from_unit(pairwise(move.after)), MOST_PAIRS)
    before = _bars(SCORE.from_unit(pairwise(move.before)), MOST_PAIRS)
    to = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    look = _lines(channels, named)["encoding"]
    above = {"x": channels["x"] | {"field": "x2"}, "y": channels["y"] | {"field": "y2"}}
    words = {
        "type": "text",
        "color": CHOSEN,
        "fontSize": 16,
        "fontWeight": "bold",
        "align": "right",
        "dx": -2,
        "dy": -12,
    }
    layers = [
        _upright(x),
        _caption(x, BESIDE[0], "pairs at 15 hours"),
        layer(
            "bars",
            {"type": "rect", "color": style(ALGORITHM.name)["color"], "opacity": 0.5},
            channels | to,
        ),
        layer(
            "outline",
            {"type": "rect", "filled": False, "stroke": GREY, "strokeWidth": 1},
            channels | to,
        ),
        layer("ticks", {"type": "rule"}, look | {"x2": {"field": "x2"}}),
        _lines(channels, named),
        *people,
        _where(
            answered,
            layer("range", {"type": "rect", "color": CHOSEN, "opacity": 0.35}, channels | to),
        ),
        _where(answered, layer("range", words, above | {"text": nominal("said")})),
    ]
    low, high = (float(SCORE.from_unit(end)) for end in median_bounds(move))
    stays = pd.DataFrame({
        "x": [float(HOURS.from_unit(POINT))], "x2": BESIDE[1], "y": low, "y2": high,
        "said": f"the median: {in_points(high - low)}",
    })  # fmt: skip
    data = {"bars": counts, "outline": before, "ticks": ticks, "range": stays}
    return with_data({"layer": layers, "height": HEIGHT}, people=rows, lines=lines, **data)


def _bars(heights: Floats, most: float) -> pd.DataFrame:
    """Return bins of heights as bars to the right: x to x2, y to y2 (points), and count.

    The first and the last bin hold the heights outside the picture, too.

    Parameters
    ----------
    heights : array
        Heights in points, binned if finite.
    most : float
        Count of a bar that is as wide as the axis.
    """
    inside = np.clip(heights[np.isfinite(heights)], VIEW[0], VIEW[1] - 1e-9)
    counts, edges = np.histogram(inside, np.arange(VIEW[0], VIEW[1] + BIN / 2, BIN))
    ends = BESIDE[0] + (BESIDE[1] - BESIDE[0]) * np.minimum(counts / most, 1)
    return pd.DataFrame(
        {"x": BESIDE[0], "x2": ends, "y": edges[:-1], "y2": edges[1:], "count": counts}
    )


def releases_beside(lesson: Lesson, answered: bool = False) -> Spec:
    """Draw step "noise": the class, its line and a line for each release; beside them the releases at 15 hours.

    A bar of all releases that TOTAL pays for would fill the width.

    Parameters
    ----------
    lesson : Lesson
        Settings.
    answered : bool
        Whether the numbers expected by the exact output distribution are drawn, too.
    """
    x, y, channels = _plane(BESIDE[1])
    data, drawn = class_of(lesson), releases(lesson)
    every = max(1, data.n // 300)
    dots = pd.DataFrame(
        {"x": HOURS.from_unit(data.x[::every]), "y": SCORE.from_unit(data.y[::every])}
    )
    lines = pd.concat(
        [
            _line("a release", _heights_at_ends(pair)).assign(number=number)
            for number, pair in enumerate(drawn)
            if np.isfinite(pair).all()
        ]
        or [pd.DataFrame(columns=["line", "x", "y", "number"])]
    )
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
        band(y, (low, high), "y", GREEN, 0.4) | {"encoding": band(y, (low, high), "y")["encoding"]
                                     | {"x": x | {"datum": BESIDE[0]}, "x2": {"datum": BESIDE[1]}}},
        layer("students", {"type": "circle", "size": 14, "color": GREY, "opacity": 0.5}, channels),
        layer("bars", {"type": "rect", "color": color, "opacity": 0.6}, channels | to),
        layer("law", {"type": "rect", "filled": False, "stroke": GREY, "strokeWidth": 1.5,
                      "opacity": 1 if answered else 0}, channels | to),
        _lines(channels, named) | {"encoding": _lines(channels, named)["encoding"] | {"detail": nominal("number")}},
    ]  # fmt: skip
    sets = {
        "students": dots,
        "bars": bars,
        "law": curve,
        "lines": pd.concat([lines, ols] if len(lines) else [ols]),
    }
    return with_data({"layer": layers, "height": HEIGHT}, **sets)


def _heights_at_ends(pair: Floats) -> Floats:
    """Return the heights at 0 and 20 hours of a line from its heights at 15 and 5 hours."""
    slope = (pair[0] - pair[1]) / (POINT - 0.25)
    return np.asarray(pair[1] + slope * (_ENDS - 0.25))


def odds_beside(
    lesson: Lesson, answered: bool = False, guesses: Sequence[bool] | None = None
) -> Spec:
    """Draw step "promise": people and the move; beside them the densities of a release, and its odds.

    Parameters
    ----------
    lesson : Lesson
        Settings.
    answered : bool
        Whether the largest odds of this move are marked, too; a band is what epsilon allows.
    guesses : sequence of bool, optional
        Guesses of the game; the releases that were guessed at are dots, the next release is a line.
    """
    x, _, channels = _plane(ODDS[1])
    move, change = somebody_moved(lesson), change_of(lesson)
    people, rows = _people(channels, move.place + 1, _in_units(move))
    table, allowed = odds_table(change), change.loss.promised
    top = float(np.nanmax(table[[BEFORE, AFTER]].to_numpy()))
    wide = BESIDE[1] - BESIDE[0]
    densities = pd.concat(
        [
            pd.DataFrame(
                {
                    "when": when,
                    "y": table["estimate"],
                    "x": BESIDE[0],
                    "x2": BESIDE[0] + wide * np.nan_to_num(table[when].to_numpy()) / top,
                }
            )
            for when in (BEFORE, AFTER)
        ]
    )
    middle, half = sum(ODDS) / 2, (ODDS[1] - ODDS[0]) / 2 / 1.25
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(table["odds"].to_numpy(float))
    odds = pd.DataFrame(
        {"y": table["estimate"], "x": middle + half * np.clip(losses / allowed, -1.25, 1.25)}
    )
    color = style(change.mechanism.name)["color"]
    looks_of = looks("when", [BEFORE, AFTER], _LEGEND, color=[GREY, color], strokeWidth=[1.5, 3])
    along = {"type": "line", "orient": "horizontal", "clip": True}
    upright = {"y": channels["y"], "x": channels["x"] | {"field": "x2"}}
    order = {"order": {"field": "y", "type": "quantitative"}}
    edge = band(x, (middle - half, middle + half))
    playing, guesses = guesses is not None, guesses or ()
    game = game_of(lesson).rows
    dots = game[: len(guesses)].assign(
        right=[guess == true for guess, true in zip(guesses, game["moved"], strict=False)]
    )
    spots = pd.DataFrame({
        "y": dots["release"].clip(*VIEW), "x": BESIDE[1] + 0.7,
        "when": np.where(dots["moved"], AFTER, BEFORE), "shape": np.where(dots["right"], "right", "wrong"),
    })  # fmt: skip
    coming = game[len(guesses) : len(guesses) + playing]
    next_one = pd.DataFrame({"y": coming["release"].clip(*VIEW), "x": BESIDE[0], "x2": ODDS[1]})
    of_data = {"color": looks_of["color"]}
    of_guess = looks("shape", ["right", "wrong"], shape=["circle", "cross"])
    seen = {"type": "point", "filled": True, "size": 110, "opacity": 1}
    farthest = float(losses[np.nanargmax(np.abs(losses))])
    many = at_most(exp(allowed))
    marks = pd.DataFrame(
        {"x": [middle - half, middle, middle + half], "said": [f"1/{many}", "1", many]}
    )
    largest_odds = pd.DataFrame(
        {"x": [middle + half * farthest / allowed], "said": at_most(exp(change.loss.measured))}
    )
    number = {"type": "text", "fontSize": 13, "baseline": "bottom"}
    strong = {"fontWeight": "bold", "align": "left", "dx": 4}
    at_foot = {
        "x": x | {"field": "x"},
        "text": nominal("said"),
        "y": {"value": {"expr": "height - 4"}},
    }
    above_foot = at_foot | {"y": {"value": {"expr": "height - 30"}}}
    layers = [
        _upright(x),
        layer("marks", number, at_foot),
        _where(answered, layer("here", {"type": "rule", "color": CHOSEN, "strokeWidth": 3}, {"x": at_foot["x"]})),
        _where(answered, layer("here", number | strong, above_foot)),
        _caption(x, BESIDE[0], "one release"),
        _caption(x, ODDS[0], "after : before"),
        edge,
        rule("x", x, middle, strokeWidth=1),
        layer("densities", {"type": "area", "orient": "horizontal", "opacity": 0.25, "clip": True, "color": GREY},
              {"y": channels["y"], "x": channels["x"], "x2": {"field": "x2"}})
        | {"transform": [{"filter": f"datum.when == '{BEFORE}'"}]},
        layer("densities", along, upright | looks_of | order),
        layer("odds", along | {"color": color, "strokeWidth": 3}, channels | order),
        layer("next", {"type": "rule", "color": CHOSEN, "strokeWidth": 3}, channels | {"x2": {"field": "x2"}}),
        layer("spots", seen, channels | of_data | of_guess),
        *people,
    ]  # fmt: skip
    return with_data(
        {"layer": layers, "height": HEIGHT},
        people=rows,
        densities=densities,
        odds=odds,
        spots=spots,
        next=next_one,
        marks=marks,
        here=largest_odds,
    )


def error_curves(
    errors: pd.DataFrame, over: str, here: float, answered: bool = True, room: Room = USUAL
) -> Spec:
    """Draw steps "people" and "choice": the 68% error of each algorithm in points, beside the sampling error.

    Parameters
    ----------
    errors : DataFrame
        Rows of `median_class`.
    over : str
        Column that varies: "students" or "scatter".
    here : float
        The lesson's value of that column, which is marked.
    answered : bool
        Whether whole curves are drawn; otherwise the errors of the lesson's class alone.
    room : Room
        Width and text size of the screen.
    """
    ends = float(errors[over].min()) / 1.1, float(errors[over].max()) * 1.1
    x = axis(OVER[over], ends, log=True, format="~r", grid=False)
    y = axis("error (points)", (0.0, MOST_ERROR), format="~r")
    sampling = errors.drop_duplicates(over).assign(
        algorithm=SAMPLING, c68=lambda rows: rows["standard_error"]
    )
    rows = pd.concat([errors, sampling])
    frame = rows[["algorithm"]].assign(
        x=rows[over], y=(SCORE.scale * rows["c68"]).clip(upper=2 * MOST_ERROR)
    )
    shown = frame if answered else frame[np.isclose(frame["x"], here)]
    dots = {"strokeWidth": 3, "point": {"size": 90, "filled": True, "strokeDash": [1, 0]}}
    behind = [
        layer("here", {"type": "rule", "color": GREY, "strokeWidth": 3}, {"x": x | {"field": "x"}})
    ]
    styles = {SAMPLING: {"color": GREEN, "dash": "solid"}}
    picture = named_curves(
        {"curves": (shown, dots)}, x, y, HEIGHT, room, behind=behind, styles=styles
    )
    return picture | {"datasets": picture["datasets"] | {"here": pd.DataFrame({"x": [here]})}}
