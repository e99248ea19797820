"""The lesson without a server: sheets to print, and a folder whose page has all steps and works from a file.

The sliders of the page move over states that were computed before. A state is what one setting of the sliders shows:
headline, answer, and the data of the picture where they differ from those of the first state. The page changes data in
a picture that stays, so that it answers within a frame.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite
from pathlib import Path
from shutil import rmtree
from typing import Any

import pandas as pd

from ..charts.curves import Room
from ..charts.vega import PRINT, Spec, as_json, javascript, svg_element, with_text_of
from ..lesson.guesses import NEVER, guess_of
from ..lesson.pictures import step_picture
from ..lesson.settings import EPSILONS, HOURS, SCATTERS, SCORE, SIZES, STEPS, TEN, Lesson
from ..lesson.steps import EVEN, TEN_RELEASES, VIEW, Game, change_of
from ..lesson.text import TITLES, step_text
from ..sources.stored import unwritable
from ..support import VERSION
from ..support.readable import legible
from .document import TEMPLATES, environment

FILES = ("index.html", "lesson.js", "steps.js", "vega.js")
HOUR_STOPS, POINT_STOPS = tuple(range(0, 21, 2)), tuple(range(0, 101, 20))  # and everybody's own
PRESSES = 12  # that are shown one by one; after them all that the budget pays for
PAPER = 640  # pixels of a picture
PRINTED = 20  # pixels of type in pictures, which are printed at half their size
ABOUT = {
    False: "Write down a guess before you see the answer. Everything is invented or simulated.",
    True: "For the teacher: the answers are computed for the settings of the link.",
}
_PLACED, _DIGITS = 4, 5  # decimals of places in pictures, and significant digits of other numbers


@dataclass(frozen=True)
class Control:
    """A slider or, with kind "choice", a list; stops: its settings, words: what the page says at each.

    by: the control that has other stops for each of its own; stops and words then are lists of lists.
    """

    name: str
    label: str
    stops: Sequence[Any]
    words: Sequence[Any]
    start: int = 0
    kind: str = "slider"
    by: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For the page."""
        return {
            "name": self.name,
            "label": self.label,
            "words": self.words,
            "start": self.start,
            "kind": self.kind,
            "by": self.by,
        }


def write_folder(lesson: Lesson, folder: Path) -> dict[str, int]:
    """Write the pages, all or none; bytes by file.

    A new folder is written under another name; the files of one that is there are replaced when all are written.
    lesson: the settings that no slider of a step moves. Damaged where stored errors cannot be read, Unwritable where a
    file cannot be. ImportError without vl-convert.
    """
    target, name = Path(os.path.realpath(folder)), f"{os.getpid()}.unfinished"
    unfinished = target / name if target.is_dir() else target.with_name(f"{target.name}.{name}")
    try:
        unfinished.mkdir(parents=True)  # before what takes minutes
        texts = _pages(lesson)
        for file, text in texts.items():
            (unfinished / file).write_text(text, encoding="utf-8")
        if not target.exists():
            os.replace(unfinished, target)
        else:
            for file in texts:
                os.replace(unfinished / file, target / file)
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        rmtree(unfinished, ignore_errors=True)
    return {file: len(text.encode()) for file, text in texts.items()}


def _pages(lesson: Lesson) -> dict[str, str]:
    """The texts of the files."""
    steps = [step_data(replace(lesson, step=step)) for step in STEPS]
    page = environment(autoescape=True).get_template("lesson_static.html.j2")
    about = {"titles": TITLES, "never": NEVER, "view": VIEW, "releases": TEN_RELEASES}
    return {
        "index.html": page.render(version=VERSION, titles=TITLES),
        "lesson.js": (TEMPLATES / "lesson_static.js").read_text(encoding="utf-8"),
        "steps.js": f"const LESSON = {_compact({**about, 'config': PRINT, 'steps': steps})};\n",
        "vega.js": javascript(),
    }


# Controls of each step, and the lesson that they set.


def controls_of(lesson: Lesson) -> list[Control]:
    """The controls of the lesson's step, the first one first."""
    match lesson.step:
        case "leaves":
            who = range(len(TEN) + 1)
            return [
                Control(
                    "leaver",
                    "Who leaves? Or tap on one.",
                    who,
                    [str(one or "nobody") for one in who],
                    lesson.leaver,
                )
            ]
        case "worst" | "median":
            return _person()
        case "noise":
            most = [Lesson(class_epsilon=epsilon).affordable for epsilon in EPSILONS]
            presses = [
                [*range(min(number, PRESSES) + 1), *([number] if number > PRESSES else [])]
                for number in most
            ]
            return [
                _epsilon(lesson),
                Control(
                    "released", "Releases so far", presses, presses, 0, "presses", "class_epsilon"
                ),
            ]
        case "promise":
            return [_epsilon(lesson)]
        case "people":
            return [
                Control(
                    "students",
                    "Students",
                    SIZES,
                    [f"{size:,}" for size in SIZES],
                    SIZES.index(lesson.students),
                )
            ]
        case _:
            words = [f"{scatter:g}" for scatter in SCATTERS]
            return [
                Control(
                    "scatter",
                    "Scatter of the scores, points",
                    SCATTERS,
                    words,
                    SCATTERS.index(lesson.scatter),
                )
            ]


def _epsilon(lesson: Lesson) -> Control:
    words = [f"{epsilon:g}" for epsilon in EPSILONS]
    return Control(
        "class_epsilon",
        "Privacy budget ε of one release",
        EPSILONS,
        words,
        EPSILONS.index(lesson.class_epsilon),
    )


def _person() -> list[Control]:
    """Who, and where to: every other hour, every twentieth point, and the own place of each, at which they begin."""
    who = range(1, len(TEN) + 1)
    hours = [sorted({*HOUR_STOPS, own}) for own, _ in TEN]
    points = [sorted({*POINT_STOPS, own}) for _, own in TEN]
    own = len(TEN)
    return [
        Control("person", "Who? Or tap on one.", who, [str(person) for person in who], own - 1),
        Control(
            "person_x",
            HOURS.label,
            hours,
            hours,
            hours[own - 1].index(TEN[own - 1][0]),
            by="person",
        ),
        Control(
            "person_y",
            SCORE.label,
            points,
            points,
            points[own - 1].index(TEN[own - 1][1]),
            by="person",
        ),
    ]


def _settings(controls: Sequence[Control]) -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    """Places of all controls, and what they set; where a person is at the own place nothing is set."""
    first, *rest = controls
    for place, value in enumerate(first.stops):
        stops = [control.stops[place] if control.by else control.stops for control in rest]
        for places in product(*map(range, map(len, stops))):
            chosen = {
                control.name: each[at]
                for control, each, at in zip(rest, stops, places, strict=True)
            }
            yield (place, *places), {first.name: value, **chosen}


def _set(lesson: Lesson, chosen: Mapping[str, Any]) -> Lesson:
    """The lesson with what is chosen; a person at the own place is not moved."""
    values = dict(chosen)
    if "person" in values:
        own = TEN[values["person"] - 1]
        x, y = values["person_x"], values["person_y"]
        values |= (
            {"person_x": None, "person_y": None}
            if (x, y) == own
            else {"person_x": float(x), "person_y": float(y)}
        )
    return replace(lesson, **values)


# States.


def step_data(lesson: Lesson) -> dict[str, Any]:
    """What the page knows of the lesson's step: its pictures with and without the answer, its controls, all states."""
    controls = controls_of(lesson)
    start = [control.start for control in controls]
    every = [(places, _set(lesson, chosen)) for places, chosen in _settings(controls)]
    [first] = [here for places, here in every if list(places) == start]
    pictures = {answered: _picture(first, answered) for answered in (False, True)}
    base = {name: _columns(frame) for name, frame in pictures[True]["datasets"].items()}
    hidden = {name: _columns(frame) for name, frame in pictures[False]["datasets"].items()}
    states = {}
    for places, here in every:
        words, guess = step_text(here), guess_of(here)
        states[",".join(map(str, places))] = {
            "h": words.headline, "p": words.picture, "q": words.question, "a": words.answer,
            "y": words.why, "c": words.context,
            "t": guess.said(guess.truth), "v": guess.truth if isinstance(guess.truth, str) else _number(guess.truth),
            "w": _number(guess.within), "n": guess.counts,
            "d": _changed(_picture(here, True), base), "s": _shown_before(here, hidden, lesson.step),
            **_game(here),
        }  # fmt: skip
    guess, kept = guess_of(first), _Kept()
    for state in states.values():
        for part in ("d", "s"):
            if state[part] is not None:
                state[part] = {
                    name: {key: kept.number(column) for key, column in columns.items()}
                    for name, columns in state[part].items()
                }
    texts = _shared({name: [state[name] for state in states.values()] for name in "hpqaycn"})
    for name, (known, numbers) in texts.items():
        for state, number in zip(states.values(), numbers, strict=True):
            state[name] = number
        texts[name] = known
    return {
        "name": lesson.step,
        "controls": [control.as_dict() for control in controls],
        "start": start,
        "unit": guess.unit,
        "choices": list(guess.choices),
        "most": guess.most,
        "wrong": guess.wrong,
        "texts": texts,
        "states": states,
        "columns": kept.columns,
        "shape": _shape(pictures[False]),
        "answered": _shape(pictures[True]),
        "base": base,
        "hidden": hidden,
    }


def _picture(lesson: Lesson, answered: bool) -> Spec:
    """Return the picture of the lesson's step; the page changes its data and no selection."""
    return step_picture(lesson, answered, room=Room(narrow=True))


def _shown_before(lesson: Lesson, hidden: dict[str, Any], step: str) -> dict[str, Any] | None:
    """The data of the picture before the answer, where they are others than with it: of the last two steps."""
    return _changed(_picture(lesson, False), hidden) if step in STEPS[-2:] else None


def _game(lesson: Lesson) -> dict[str, Any]:
    """The ten releases of the promise, which are the same for everybody, with what the best rule says."""
    if lesson.step != "promise":
        return {}
    game = Game(change_of(lesson), EVEN, 1)
    rows = game.rows
    return {
        "g": [[_number(row.release), int(row.moved)] for row in rows.itertuples()],
        "b": [game.best_hits, _number(100 * game.best_rate)],
    }


def _shape(picture: Spec) -> Spec:
    """A specification without data, as large as its place."""
    shape = {key: part for key, part in picture.items() if key not in ("datasets", "height")}
    plain: Spec = json.loads(as_json(shape))
    room = {
        "left": 5,
        "top": 5,
        "right": 12,
        "bottom": 5,
    }  # words above the rightmost part end beyond it on a phone
    fit = {"type": "fit", "contains": "padding"}
    return plain | {"width": "container", "height": "container", "autosize": fit, "padding": room}


def _columns(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The columns of a data set, numbers as short as the picture allows."""
    return {name: [_cell(value) for value in column.tolist()] for name, column in frame.items()}


def _changed(picture: Spec, base: dict[str, Any]) -> dict[str, Any]:
    """The columns of each data set that differ from those of the first state; all where the rows are more or fewer."""
    changed = {}
    for name, frame in picture["datasets"].items():
        columns, known = _columns(frame), base[name]
        differing = {key: values for key, values in columns.items() if values != known.get(key)}
        rows, first = (len(next(iter(each.values()), [])) for each in (columns, known))
        if differing:
            changed[name] = differing if rows == first else columns
    return changed


class _Kept:
    """Columns, each once, and the number of each."""

    def __init__(self) -> None:
        self.columns: list[list[Any]] = []
        self._known: dict[str, int] = {}

    def number(self, column: list[Any]) -> int:
        number = self._known.setdefault(_compact(column), len(self.columns))
        if number == len(self.columns):
            self.columns.append(column)
        return number


def _shared(texts: dict[str, list[str]]) -> dict[str, Any]:
    """By name the different texts, and the number of each state's among them."""
    shared = {}
    for name, every in texts.items():
        known = {text: number for number, text in enumerate(dict.fromkeys(every))}
        shared[name] = (list(known), [known[text] for text in every])
    return shared


def _cell(value: Any) -> Any:
    return _number(value, _PLACED) if isinstance(value, float) else value


def _number(value: Any, decimals: int | None = None) -> Any:
    """A number with few digits; null where it is not finite."""
    value = float(value)
    if not isfinite(value):
        return None
    short = round(value, decimals) if decimals is not None else float(f"{value:.{_DIGITS}g}")
    return int(short) if short == int(short) else short


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


# Sheets.


def sheet(lesson: Lesson, link: str, solved: bool, code: str = "") -> str:
    """A page of HTML with all steps as the lesson sets them, to print.

    link: of the lesson. solved: with the answers, and with what they add to the pictures. code: the address of a
    picture of the link, such as a QR code. Damaged where the stored errors of classes cannot be read.
    """
    from markupsafe import Markup

    def steps() -> Iterator[dict[str, Any]]:
        for step, title in zip(STEPS, TITLES, strict=True):
            here = replace(lesson, step=step)
            words = step_text(here)
            drawn = svg_element(
                with_text_of(
                    step_picture(here, solved, room=Room(text_size=PRINTED / 12)), PRINTED
                ),
                words.picture,
                PAPER,
                f"step step-{step}",
            )
            yield {
                "title": title,
                "words": words,
                "picture": Markup(drawn),
                "guess": guess_of(here),
            }

    def escaped(text: Any) -> Markup:
        return text if isinstance(text, Markup) else Markup(html.escape(legible(str(text))))

    template = environment(autoescape=True, finalize=escaped).get_template("lesson_sheet.html.j2")
    title = "One line, ten people: solutions" if solved else "One line, ten people"
    return template.render(
        title=title, about=ABOUT[solved], link=link, code=code, steps=list(steps()), solved=solved
    )
