"""Pictures of the lesson. The first five show people and, beside them, predictions at 15 hours.

Both halves are plots of one view with common axes, which stay while a person or a setting changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, isfinite
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..audit.moved import AFTER, BEFORE, MovedRecord
from ..charts.curves import USUAL, Room, named_curves
from ..charts.records import CHOSEN, RECORD, THEIL_SEN
from ..charts.styles import style
from ..charts.vega import (
    GREEN,
    GREY,
    INK,
    LEGEND,
    Spec,
    axis,
    band,
    layer,
    looks,
    nominal,
    once,
    quantitative,
    rule,
    with_data,
    xy,
)
from ..support.readable import at_most
from ..support.types import Floats
from .classes import class_errors, median_class
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
BESIDE = (22.0, 31.0)  # horizontal ends of the plot beside the people, on the axis of hours
SAMPLING = "sampling error"
_LEGEND = LEGEND | {"columns": 1, "orient": "top-left", "offset": 4}
_ENDS = np.array([0.0, 1.0])
_TO = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}  # other corners of rectangles
_WORDS = {
    "type": "text",
    "fontSize": 16,
    "fontWeight": "bold",
    "align": "right",
    "dx": -2,
    "dy": -24,
}


class Look(NamedTuple):
    """Colour, dash and width of a line."""

    color: object
    dash: Sequence[int] = [1, 0]
    width: float = 3.0


OLS, MEDIAN = Look({"expr": INK}), Look(THEIL_SEN, [7, 4])


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
            return densities_beside(lesson, answered, guesses)
        case "people":
            return error_curves(lesson, "students", answered, room)
        case _:
            return error_curves(lesson, "scatter", answered, room)


# Layers of several steps.


def _plane(right: float = 20.5) -> tuple[Spec, Spec, Spec]:
    """Return the axes of hours, up to `right` beyond the people, and of points, and both as channels x and y."""
    ticks = [0, 5, 10, 15, 20]
    x = axis(HOURS.label, (-0.5, right), values=ticks, grid=False, titleAnchor="start")
    y = axis(SCORE.label, VIEW, values=[0, 20, 40, 60, 80, 100], titleAnchor="start")
    return x, y, xy(x, y)


def _picture(layers: Sequence[Spec], **datasets: pd.DataFrame) -> Spec:
    return with_data({"layer": layers, "height": HEIGHT}, **datasets)


def _upright(x: Spec) -> Spec:
    """Return the layer of a vertical line at 15 hours."""
    return rule("x", x, float(HOURS.from_unit(POINT)), strokeWidth=1)


def _people(
    channels: Spec, places: Mapping[int, tuple[float, float]]
) -> tuple[list[Spec], pd.DataFrame]:
    """Return the layers of the ten people by their numbers, and their data; a click on a person selects PERSON.

    Parameters
    ----------
    channels : dict
        Channels x and y.
    places : mapping of int to (float, float)
        Hours and points of the people with a ring, by number.
    """
    hours, scores = np.array(TEN, dtype=float).T
    people = pd.DataFrame({"person": range(1, len(TEN) + 1), "x": hours, "y": scores})
    now = [places.get(person, TEN[person - 1]) for person in people["person"]]
    people[["now_x", "now_y"]] = np.array(now, dtype=float)
    people["chosen"] = people["person"].isin(list(places))
    here = {name: channels[name] | {"field": f"now_{name}"} for name in ("x", "y")}
    click = {"type": "point", "fields": ["person"], "on": "@people_marks:click"}
    dot = {"type": "circle", "size": 150, "opacity": 1, "color": RECORD, "cursor": "pointer"}
    ring = {"type": "point", "size": 330, "strokeWidth": 3, "color": CHOSEN}
    shift = {"type": "rule", "color": CHOSEN, "strokeWidth": 2, "strokeDash": [4, 3]}
    number = {"type": "text", "dy": -15, "fontSize": 14}
    ground = {"expr": "background"}  # keeps a line from cutting a number
    named = here | {"text": nominal("person")}
    layers = [
        layer("people", shift, channels | {"x2": {"field": "now_x"}, "y2": {"field": "now_y"}}),
        {"name": "people", "params": [{"name": PERSON, "select": click}]}
        | layer("people", dot, here),
        layer("people", number | {"stroke": ground, "strokeWidth": 5}, named),
        layer("people", number, named),
        layer("people", ring, here) | {"transform": [{"filter": "datum.chosen"}]},
    ]
    return layers, people


def _moved(channels: Spec, move: MovedRecord) -> tuple[list[Spec], pd.DataFrame]:
    """Return the layers that show the ten people, and the table of the people with one record moved."""
    place = float(HOURS.from_unit(move.x)), float(SCORE.from_unit(move.y))
    return _people(channels, {move.place + 1: place})


def _line(name: str, heights: Floats, part: int = 0) -> pd.DataFrame:
    """Tabulate the two ends of a line, in hours and points: columns line, part, x, y.

    Parameters
    ----------
    name : str
        Name of the line in the legend.
    heights : array, shape (2,)
        Heights of the line at 0 and at 20 hours, in the unit square.
    part : int
        Number that tells lines of the same name apart.
    """
    ends = {"x": HOURS.from_unit(_ENDS), "y": SCORE.from_unit(heights)}
    return pd.DataFrame({"line": name, "part": part, **ends})


def _lines(channels: Spec, named: Mapping[str, Look]) -> Spec:
    """Return the layer of named lines with their legend."""
    colors, dashes, widths = zip(*named.values(), strict=True)
    look = looks("line", list(named), _LEGEND, color=colors, strokeDash=dashes, strokeWidth=widths)
    return layer(
        "lines", {"type": "line", "clip": True}, channels | look | {"detail": nominal("part")}
    )


def _before(look: Look) -> Look:
    return Look(look.color, [2, 3], 1.5)


def _answer(channels: Spec) -> list[Spec]:
    """Return the layers that show the answer: a range of points as a bar, and the size of the range in words."""
    corner = {name: channels[name] | {"field": f"{name}2"} for name in ("x", "y")}
    return [
        layer("answer", {"type": "rect", "color": CHOSEN, "opacity": 0.4}, channels | _TO),
        layer("answer", _WORDS, corner | {"text": nominal("said")}),
    ]


def _range(ends: tuple[float, float], low: float, high: float, said: str) -> pd.DataFrame:
    """Return the data of an answer between two heights of the unit square."""
    points = {"y": [float(SCORE.from_unit(low))], "y2": [float(SCORE.from_unit(high))]}
    return pd.DataFrame({"x": [ends[0]], "x2": [ends[1]], **points, "said": [said]})


def _caption(x: Spec, words: str) -> Spec:
    """Return the layer of a short text above the plot beside the people."""
    mark = {
        "type": "text",
        "align": "left",
        "baseline": "bottom",
        "fontSize": 13,
        "dx": 2,
        "text": words,
    }
    position = {"x": x | {"datum": BESIDE[0]}, "y": {"value": -3}}
    return once(mark, position)


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


# Steps.


def people_with_lines(leaver: int, answered: bool = False) -> Spec:
    """Draw step "leaves": the ten people, the line of those who stay and, dotted, the line of all ten.

    Parameters
    ----------
    leaver : int
        Person who leaves, 0 for nobody.
    answered : bool
        Whether the answer is drawn: the person who moves the prediction most, the line without this person and the
        distance.
    """
    x, _, channels = _plane()
    most = int(np.argmax(np.abs(changes()))) + 1
    named, gone = {"line of all ten": _before(OLS) if leaver else OLS}, [0]
    if answered and most != leaver:
        named[f"line without person {most}"] = Look(CHOSEN)
        gone.append(most)
    if leaver:
        named[f"line without person {leaver}"] = OLS
        gone.append(leaver)
    ends = zip(named, gone, strict=True)
    lines = pd.concat([_line(name, remaining(person).predict(_ENDS)) for name, person in ends])
    people, rows = _people(channels, {person: TEN[person - 1] for person in gone[1:]})
    layers = [_upright(x), _lines(channels, named), *people]
    if not answered:
        return _picture(layers, people=rows, lines=lines)
    low, high = sorted(float(remaining(person).predict(POINT)[0]) for person in (0, most))
    middle = float(HOURS.from_unit(POINT))
    answer = _range(
        (middle - 0.15, middle + 0.15), low, high, in_points(SCORE.scale * (high - low))
    )
    return _picture([*layers, *_answer(channels)], people=rows, lines=lines, answer=answer)


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
    people, rows = _moved(channels, move)
    select = {"type": "point", "fields": ["hours", "points"], "on": "@places_marks:click"}
    mark: Spec = {"type": "rect", "color": CHOSEN, "cursor": "crosshair"}
    darkest = {"domain": [0, SCORE.scale * worst_of_ten().change], "range": [0, 0.6]}
    dark = quantitative("change", scale=darkest, legend=None) if answered else {"value": 0}
    cells = layer("cells", mark, channels | _TO | {"opacity": dark})
    targets = {"name": "places", "params": [{"name": PLACE, "select": select}]} | cells
    named = {"OLS, before": _before(OLS), "OLS": OLS}
    both = zip(named, (move.before, move.after), strict=True)
    lines = pd.concat([_line(name, data.predict(_ENDS)) for name, data in both])
    layers = [targets, _upright(x), _lines(channels, named), *people]
    return _picture(layers, people=rows, lines=lines, cells=change_map(move.place + 1))


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
    people, rows = _moved(channels, move)
    named = {
        "OLS, before": _before(OLS),
        "OLS": OLS,
        "median, before": _before(MEDIAN),
        "median": MEDIAN,
    }
    before, after = move.before, move.after
    fits = (before.predict, after.predict, before.theil_sen, after.theil_sen)
    lines = []
    for name, fit in zip(named, fits, strict=True):
        height = float(SCORE.from_unit(fit(POINT)[0]))
        beside = pd.DataFrame({"line": name, "part": 1, "x": BESIDE, "y": height})
        lines += [_line(name, fit(_ENDS)), beside]
    bars = {"type": "rect", "color": style(ALGORITHM.name)["color"], "opacity": 0.5}
    layers = [
        _upright(x),
        _caption(x, "pairs at 15 hours"),
        layer("bars", bars, channels | _TO),
        _lines(channels, named),
        *people,
        *(_answer(channels) if answered else ()),
    ]
    low, high = median_bounds(move)
    said = f"the median: {in_points(SCORE.scale * (high - low))}"
    data = {"bars": _bars(SCORE.from_unit(pairwise(after)), MOST_PAIRS), "lines": pd.concat(lines)}
    ends = float(HOURS.from_unit(POINT)), BESIDE[1]
    return _picture(layers, people=rows, answer=_range(ends, low, high, said), **data)


def releases_beside(lesson: Lesson, answered: bool = False) -> Spec:
    """Draw step "noise": the class, its line and a line for each release; beside them the releases at 15 hours.

    Parameters
    ----------
    lesson : Lesson
        Settings.
    answered : bool
        Whether the range that holds 68% of the releases is drawn, too.
    """
    x, y, channels = _plane(BESIDE[1])
    data, drawn = class_of(lesson), releases(lesson)
    every = max(1, data.n // 300)
    students = pd.DataFrame(
        {"x": HOURS.from_unit(data.x[::every]), "y": SCORE.from_unit(data.y[::every])}
    )
    lines = [_line("OLS, not released", data.predict(_ENDS), -1)]
    for number, (late, early) in enumerate(drawn):  # at 15 and 5 hours; NaN without an answer
        lines.append(_line("a release", early + (late - early) * (2 * _ENDS - 0.5), number))
    color = style(NOISY.name)["color"]
    named = {"OLS, not released": Look(GREY), "a release": Look(color, width=1.6)}
    middle, error = float(data.predict(POINT)[0]), float(data.standard_error(POINT)[0])
    low, high = (float(SCORE.from_unit(middle + side * error)) for side in (-1, 1))
    sampling = band(y, (low, high), "y", GREEN, 0.4)
    sampling["encoding"] |= {"x": x | {"datum": BESIDE[0]}, "x2": {"datum": BESIDE[1]}}
    layers = [
        _upright(x),
        _caption(x, "at 15 hours"),
        sampling,
        layer("students", {"type": "circle", "size": 14, "color": GREY, "opacity": 0.5}, channels),
        layer("bars", {"type": "rect", "color": color, "opacity": 0.6}, channels | _TO),
        _lines(channels, named),
    ]
    sets = {
        "students": students,
        "bars": _bars(SCORE.from_unit(drawn[:, 0]), lesson.affordable / 2),
        "lines": pd.concat(lines).dropna(),
    }
    c68 = float(class_errors(data, lesson.class_epsilon, (NOISY,))["c68"].iloc[0])
    if answered and isfinite(c68):
        layers += _answer(channels)
        said = f"±{in_points(SCORE.scale * c68)}"
        sets["answer"] = _range(BESIDE, middle - c68, middle + c68, said)
    return _picture(layers, **sets)


def densities_beside(
    lesson: Lesson, answered: bool = False, guesses: Sequence[bool] | None = None
) -> Spec:
    """Draw step "promise": people and the move; beside them the densities of a release before and after the move.

    Parameters
    ----------
    lesson : Lesson
        Settings.
    answered : bool
        Whether the outcome whose odds shift most is marked, too.
    guesses : sequence of bool, optional
        Guesses of the game; the releases that were guessed at are dots, the next release is a line.
    """
    x, _, channels = _plane(BESIDE[1] + 1.5)
    change = change_of(lesson)
    people, rows = _moved(channels, somebody_moved(lesson))
    table = odds_table(change)
    heights = table[[BEFORE, AFTER]].fillna(0.0)
    widths = BESIDE[0] + (BESIDE[1] - BESIDE[0]) * heights / heights.max(axis=None)
    densities = widths.assign(y=table["estimate"], x=BESIDE[0]).melt(["x", "y"], None, "when", "x2")
    with np.errstate(divide="ignore"):
        losses = np.log(table["odds"].to_numpy(float))
    farthest = int(np.nanargmax(np.abs(losses)))
    words = f"{at_most(exp(change.loss.measured))} times {'as' if losses[farthest] > 0 else 'less'} likely"
    far = pd.DataFrame(
        {"x": [BESIDE[0]], "x2": BESIDE[1], "y": table["estimate"].iloc[[farthest]], "said": words}
    )

    game, answers = game_of(lesson).rows, list(guesses or ())
    played = game[: len(answers)]
    spots = pd.DataFrame({
        "x": BESIDE[1] + 0.8,
        "y": played["release"].clip(*VIEW),
        "when": np.where(played["moved"], AFTER, BEFORE),
        "shape": np.where(played["moved"] == answers, "right", "wrong"),
    })  # fmt: skip
    coming = game[len(answers) : len(answers) + 1] if guesses is not None else game[:0]
    following = pd.DataFrame({"y": coming["release"].clip(*VIEW), "x": BESIDE[0], "x2": BESIDE[1]})

    color = style(change.mechanism.name)["color"]
    look = looks("when", [BEFORE, AFTER], _LEGEND, color=[GREY, color], strokeWidth=[1.5, 3])
    end = {"y": channels["y"], "x": channels["x"] | {"field": "x2"}}
    to = channels | {"x2": {"field": "x2"}}
    area = {"type": "area", "orient": "horizontal", "opacity": 0.25, "clip": True, "color": GREY}
    before = {"transform": [{"filter": f"datum.when == '{BEFORE}'"}]}
    edge = {"type": "line", "orient": "horizontal", "clip": True}
    mark = {"type": "rule", "color": CHOSEN, "strokeWidth": 3}
    dot = {"type": "point", "filled": True, "size": 110, "opacity": 1}
    of_guess = looks("shape", ["right", "wrong"], shape=["circle", "cross"])
    answer = [layer("far", mark, to), layer("far", _WORDS, end | {"text": nominal("said")})]
    layers = [
        _upright(x),
        _caption(x, "one release"),
        layer("densities", area, to) | before,
        layer("densities", edge, end | look | {"order": quantitative("y")}),
        *(answer if answered else ()),
        layer("next", mark | {"strokeDash": [4, 3]}, to),
        layer("spots", dot, channels | {"color": look["color"]} | of_guess),
        *people,
    ]
    return _picture(layers, people=rows, densities=densities, far=far, spots=spots, next=following)


def error_curves(lesson: Lesson, over: str, answered: bool = True, room: Room = USUAL) -> Spec:
    """Draw steps "people" and "choice": the 68% error of each algorithm in points, beside the sampling error.

    Parameters
    ----------
    lesson : Lesson
        Settings; the lesson's own value is marked.
    over : str
        Setting that varies: "students" or "scatter".
    answered : bool
        Whether whole curves are drawn; otherwise the errors of the lesson's class alone.
    room : Room
        Width and text size of the screen.
    """
    errors, here = median_class(lesson, over), getattr(lesson, over)
    ends = float(errors[over].min()) / 1.1, float(errors[over].max()) * 1.1
    x = axis(OVER[over], ends, log=True, grid=False)
    y = axis("error (points)", (0.0, MOST_ERROR))
    sampling = errors.drop_duplicates(over)
    sampling = sampling.assign(algorithm=SAMPLING, c68=sampling["standard_error"])
    rows = pd.concat([errors, sampling])
    heights = (SCORE.scale * rows["c68"]).clip(upper=2 * MOST_ERROR)
    frame = rows[["algorithm"]].assign(x=rows[over], y=heights)
    shown = frame if answered else frame[np.isclose(frame["x"], here)]
    dots = {"strokeWidth": 3, "point": {"size": 90, "filled": True, "strokeDash": [1, 0]}}
    behind = [rule("x", x, here, strokeWidth=3, strokeDash=[1, 0])]
    styles = {SAMPLING: {"color": GREEN, "dash": "solid"}}
    return named_curves({"curves": (shown, dots)}, x, y, HEIGHT, room, behind=behind, styles=styles)
