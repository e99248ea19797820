"""The Lesson page: its settings in the link, the row of steps, and each step's picture, controls, guess and answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from dpslr_core.charts.curves import Room
from dpslr_core.charts.vega import with_text_of
from dpslr_core.lesson import settings, text
from dpslr_core.lesson.guesses import Guess, score
from dpslr_core.lesson.pictures import PERSON, PLACE, step_picture
from dpslr_core.lesson.settings import HOURS, SCORE, STEPS, TEN, Lesson
from dpslr_core.lesson.steps import TEN_RELEASES, game_of
from dpslr_core.report.lesson_sheet import sheet
from dpslr_core.support.readable import in_full

from . import show
from .cache import kept
from .ends import Container
from .inputs import Allowed, ends, follows, number_text, text_setting
from .link import options_text, same_tab, set_to
from .moved import Mover
from .plain import plain
from .show import on_a_phone
from .takeaway import address, make_and_save

ALLOWED = {name: options_text(map(in_full, choices)) for name, choices in settings.CHOICES.items()}
ALLOWED |= {name: str(Allowed(axis.lower, axis.upper)) for name, axis in settings.AXES.items()}
ALLOWED["step"] = options_text(STEPS)
# Themes by name, as Streamlit's addresses say them.
THEMES = {"light": "light_theme", "dark": "dark_theme"}
# Session-state keys: guesses by step; guesses of the game.
GUESSED, GAME = "lesson_guessed", "lesson_game"
PROJECTED = 24  # pixels of type on a projector
OWN = ("localhost", "127.0.0.1", "::1")  # names of a computer for itself
ONLY_HERE = (
    "A class cannot open localhost: this address works on this computer only. Start the app with "
    "make serve "
    "ADDRESS=0.0.0.0, and type the address that this computer has in your network. Link and QR "
    "code then have it."
)
_TEXT = 1.25  # size of text, relative, on pages that are shown to a class
# The picture takes its share of the window's height; the controls beside the picture take the rest.
STYLE = """
:has(> .st-key-lesson_picture) { flex: 0 0 auto !important; height: max(430px, 56vh); }
.st-key-lesson_picture { overflow: hidden; }
.st-key-lesson_picture [data-testid="stElementToolbar"] { display: none; }
.st-key-lesson_steps [role="radiogroup"] { gap: 0.2rem 0.7rem; }
.st-key-lesson_steps label { margin: 0; padding: 0; }
.stMainBlockContainer [data-testid="stHeading"] { margin-bottom: 0.4rem; }
.st-key-lesson_qr img { background: #fff; width: min(70vh, 26rem); max-width: 100%; }
.streamlit-embedded :has(> .st-key-lesson_picture) { height: 61vh; }
.streamlit-embedded .stMainBlockContainer [data-testid="stVerticalBlock"] { gap: 0.4rem; }
.streamlit-embedded h2 { font-size: 1.6rem; line-height: 1.3; }
.streamlit-embedded [data-testid="stCaptionContainer"] p { font-size: 18px; }
.streamlit-embedded :is(.st-key-lesson_side, .st-key-lesson_steps, .st-key-lesson_below) :is(p, label, button, input) {
    font-size: 24px;
}
.streamlit-embedded .st-key-lesson_answer { padding: 0.3rem 0.8rem; }
.streamlit-embedded :is(.st-key-lesson_side, .st-key-lesson_below) p { line-height: 1.2; }
@media (min-width: 769px) and (max-height: 799px) {
    .stMainBlockContainer { padding-top: 3.4rem; }
    .st-key-lesson_side, .st-key-lesson_side [data-testid="stVerticalBlock"] { gap: 0.2rem; }
}
@media (max-width: 768px) {
    .stMainBlockContainer { padding: 3.2rem 0.8rem 1rem; }
    .stMainBlockContainer h1 { font-size: 1.1rem; }
    .stMainBlockContainer h2 { font-size: 1.15rem; line-height: 1.3; }
    :has(> .st-key-lesson_picture) { height: 38vh; }
    .stMainBlockContainer [data-testid="stVerticalBlock"] { gap: 0.5rem; }
    .stMain :is(button, input, [data-baseweb="select"], summary) { min-height: 44px; }
    .stMain .st-key-lesson_turns button { min-height: 48px; }
}
"""
_kept = kept(64, scope="global", spinner=False)  # shared by all: the people are simulated
step_words = _kept(text.step_text)


def lesson_now() -> Lesson:
    """Return the lesson that link and controls describe."""
    return Lesson(**{name: _setting(name, allowed) for name, allowed in ALLOWED.items()})


def _setting(name: str, allowed: str) -> Any:
    """Return a setting of the lesson."""

    def read(text: str) -> Any:
        return settings.allowed(name, text) if text else getattr(Lesson, name)

    return text_setting(name, read, "", allowed, _in_words)


def _in_words(value: Any) -> str:
    return "none" if value is None else value if isinstance(value, str) else in_full(value)


def _choose(name: str, value: Any) -> None:
    """Set a setting to the value of a widget; where nothing is chosen the setting stays."""
    if value is not None:
        set_to(name, settings.written(name, value))


def step_row(lesson: Lesson) -> None:
    """Draw the list of steps with Back and Next, and what a class needs; on a phone only the progress."""
    if on_a_phone():
        st.progress(lesson.number / len(STEPS))
        return

    def named(step: str) -> str:
        number = STEPS.index(step) + 1
        return str(number) if st.context.is_embedded else f"{number} {text.TITLES[number - 1]}"

    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="lesson_steps"
    ):
        st.radio(
            "Step",
            STEPS,
            lesson.number - 1,
            format_func=named,
            label_visibility="collapsed",
            horizontal=True,
            width="content",
            **follows("step_choice", lesson.step, partial(_choose, "step")),
        )
        if st.context.is_embedded:
            st.markdown(f"**{plain(title(lesson))}**", width="content")
        turns(lesson)
        for_a_class(lesson)


def title(lesson: Lesson) -> str:
    """Return the title of the lesson's step."""
    return text.TITLES[lesson.number - 1]


def turns(lesson: Lesson) -> None:
    """Draw Back and Next, which wrap together."""
    wide: Any = "stretch" if on_a_phone() else "content"
    with st.container(horizontal=True, width=wide, gap="small", key="lesson_turns"):
        for label, key, to in (
            ("◀ Back", "step_back", lesson.number - 2),
            ("Next ▶", "step_next", lesson.number),
        ):
            inside = 0 <= to < len(STEPS)
            step = STEPS[to] if inside else None
            st.button(
                label,
                key=key,
                width=wide,
                disabled=not inside,
                on_click=_choose,
                args=("step", step),
            )


def for_a_class(lesson: Lesson) -> None:
    """Draw the link as text and as a QR code, the presenter view, and sheets to print."""
    with st.popover("Show to a class", type="tertiary"):
        _for_a_class(lesson)


def _for_a_class(lesson: Lesson) -> None:
    """Draw the contents of the popover "Show to a class": presenter view, sheets to print, link and QR code."""
    query = lesson.to_query()
    link = address(urlencode(query), "lesson")
    st.markdown("These links open the view without menus, for a projector:")
    for name, theme in THEMES.items():
        shown = query | {"embed": "true", "embed_options": theme}
        st.markdown(same_tab("lesson", shown, f"Presenter view, {name}"), unsafe_allow_html=True)
    if st.context.is_embedded:
        st.markdown(same_tab("lesson", query, "Leave the presenter view"), unsafe_allow_html=True)
    if urlsplit(link).hostname in OWN:
        st.warning(plain(ONLY_HERE))
        typed = str(
            st.text_input("Address of this computer in your network", placeholder="192.168.1.20")
        )
        link = link.replace(urlsplit(link).hostname or "", typed, 1) if typed else ""
    st.markdown("These buttons make a sheet to print, with all steps as set now:")
    with st.container(horizontal=True, gap="small"):
        for label, solved in (
            ("the sheet for students", False),
            ("the sheet with solutions", True),
        ):
            name = "lesson_solutions.html" if solved else "lesson_sheet.html"
            make_and_save(
                label, partial(_sheet, lesson, link, solved), name, "text/html", (query, link)
            )
    if link:
        st.markdown("Whoever opens this link sees the same numbers:")
        st.code(link, language=None, wrap_lines=True)
        with st.container(key="lesson_qr"):
            st.html(f'<img src="{_qr(link)}" alt="QR code of the link above">')


def _sheet(lesson: Lesson, link: str, solved: bool) -> bytes:
    return sheet(lesson, link, solved, _qr(link) if link else "").encode()


@kept(64, scope="global", spinner=False)
def _qr(link: str) -> str:
    """Return the QR code of a link as the address of a picture."""
    return str(segno.make(link, error="m", micro=False).svg_data_uri(scale=4, border=3))


# The picture.


def draw(lesson: Lesson, sentence: str) -> None:
    """Draw the picture of the step, as large as its container; a click in the picture chooses."""
    answered, clicks = lesson.step in guessed(), CLICKS.get(lesson.step)
    guesses = tuple(_game_guesses(lesson)) if answered else None
    room = Room(on_a_phone(), PROJECTED / 12 if st.context.is_embedded else _TEXT)
    spec = step_picture(lesson, answered, guesses, room)
    if st.context.is_embedded:
        spec = with_text_of(spec, PROJECTED)
    spec = {key: value for key, value in spec.items() if key != "height"}
    selection: dict[str, Any] = {"on_select": clicks} if clicks else {}
    with st.container(key="lesson_picture", height=430, border=False):
        show.vega(spec, sentence, f"lesson_{lesson.step}", height="stretch", **selection)


def _clicked(step: str, name: str) -> list[Any]:
    """Return the points that the selection `name` has chosen in the step's picture."""
    chosen: list[Any] = st.session_state[f"chart_lesson_{step}"].selection.get(name) or []
    return chosen


def _leave() -> None:
    """Take a click on a dot: the person leaves."""
    for chosen in _clicked("leaves", PERSON):
        _choose("leaver", int(chosen["person"]))


def _move(step: str) -> None:
    """Take a click in the picture of a step: another person, or another place of the person."""
    for chosen in _clicked(step, PERSON):
        _choose("person", int(chosen["person"]))
        _choose_place("", "")
    for chosen in _clicked(step, PLACE):
        _choose_place(number_text(float(chosen["hours"])), number_text(float(chosen["points"])))


CLICKS: dict[str, Callable[[], None]] = {
    "leaves": _leave, "worst": partial(_move, "worst"), "median": partial(_move, "median"),
}  # fmt: skip


def _choose_place(x: str, y: str) -> None:
    """Set the position of the person; empty texts for their own."""
    set_to("person_x", x)
    set_to("person_y", y)


# The controls.


def control(lesson: Lesson) -> None:
    """Draw the controls of the step."""
    match lesson.step:
        case "leaves":
            who = range(len(TEN) + 1)
            _stops(
                lesson,
                "leaver",
                "Who leaves? Or click on a dot.",
                who,
                lambda who: str(who) if who else "nobody",
            )
        case "worst" | "median":
            put = lesson.person_x, lesson.person_y
            _person(Mover("person", settings.ten_people(), HOURS, SCORE, lesson.person, put))
        case "noise":
            _epsilon(lesson)
            _presses(lesson)
        case "promise":
            _epsilon(lesson)
        case "people":
            _stops(lesson, "students", "Students", settings.SIZES, "{:,}".format)
        case _:
            _stops(
                lesson, "scatter", "Scatter of the scores, points", settings.SCATTERS, "{:g}".format
            )


def _person(mover: Mover) -> None:
    mover.choice("Person")
    mover.sliders(beside=True)
    mover.put_back()


def _epsilon(lesson: Lesson) -> None:
    _stops(
        lesson, "class_epsilon", "Privacy budget ε of one release", settings.EPSILONS, "{:g}".format
    )
    ends("← more private", "more accurate →")


def _stops(
    lesson: Lesson, name: str, label: str, stops: Sequence[float], words: Callable[[Any], str]
) -> None:
    """Draw a slider over the stops of one setting."""
    value = getattr(lesson, name)
    st.select_slider(
        label,
        stops,
        value,
        format_func=words,
        **follows(f"{name}_choice", value, partial(_choose, name)),
    )


def _presses(lesson: Lesson) -> None:
    """Draw the buttons that release once more, as long as the budget lasts."""
    spent = lesson.drawn == lesson.affordable
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Release once more",
            key="release_once",
            type="primary",
            disabled=spent,
            on_click=_choose,
            args=("released", lesson.drawn + 1),
        )
        st.button(
            "Spend the rest",
            key="release_rest",
            disabled=spent,
            on_click=_choose,
            args=("released", lesson.affordable),
        )
        st.button(
            "Start again",
            key="release_none",
            disabled=not lesson.drawn,
            on_click=_choose,
            args=("released", 0),
        )
    st.progress(
        1 - lesson.drawn * lesson.class_epsilon / settings.TOTAL, text="Budget that is left"
    )


# The game of the promise.


def _playing(lesson: Lesson) -> tuple[object, ...]:
    """Return the settings that identify a game: other settings begin another game."""
    who = lesson.person, lesson.person_x, lesson.person_y
    return lesson.class_epsilon, lesson.ten_number, *who


def _game_guesses(lesson: Lesson) -> list[bool]:
    """Return the guesses of the game so far; empty if the settings have begun another game."""
    playing, guesses = st.session_state.get(GAME, (None, []))
    return list(guesses) if playing == _playing(lesson) else []


def _add_guess(lesson: Lesson, moved: bool) -> None:
    """Add a guess to the game: whether the data had been moved."""
    st.session_state[GAME] = _playing(lesson), [*_game_guesses(lesson), moved]


def game(lesson: Lesson) -> None:
    """Draw ten releases one by one, once the promise is answered: is each from the data before or after the move?"""
    if lesson.step != "promise" or lesson.step not in guessed():
        return
    guesses = _game_guesses(lesson)
    st.markdown(plain(text.game_text(lesson, guesses)))
    with st.container(horizontal=True, gap="small"):
        if len(guesses) < TEN_RELEASES:
            st.button("Moved", key="game_moved", on_click=_add_guess, args=(lesson, True))
            st.button("Not moved", key="game_not_moved", on_click=_add_guess, args=(lesson, False))
        else:
            after = lesson.ten_number % settings.CHOICES["ten_number"][-1] + 1
            st.button("Ten more", key="game_more", on_click=_choose, args=("ten_number", after))
    if guesses and len(guesses) < TEN_RELEASES + 1:
        last = game_of(lesson).rows["moved"].iloc[len(guesses) - 1]
        st.caption(
            f"The last one: {'moved' if last else 'not moved'}. You said "
            f"{'moved' if guesses[-1] else 'not moved'}."
        )


# The guess and the answer.


def guessed() -> dict[str, tuple[str, bool | None]]:
    """Return the guesses of the session.

    Returns
    -------
    dict of str to tuple
        By step: sentence on guess and truth, and whether the guess was good; ("", None) without a guess.
    """
    guesses: dict[str, tuple[str, bool | None]] = st.session_state.setdefault(GUESSED, {})
    return guesses


def ask(lesson: Lesson, guess: Guess, words: text.StepText, below: Container) -> None:
    """Draw the question with a form for the guess; once a guess is committed or declined, the answer.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    guess : Guess
        What can be guessed in this step.
    words : StepText
        Question, answer and reason.
    below : container
        Container of the answer on a projector, where large type needs the whole width.
    """
    if lesson.step in guessed():
        with below if st.context.is_embedded else st.container(gap="small"):
            _answer(lesson, words)
        return
    st.markdown(f"**{plain(words.question)}**")
    key = f"guess_{lesson.step}"
    # A form: its button sends the typed text along with the click.
    with st.form(f"{key}_form", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            if guess.choices:
                st.selectbox("Your guess", guess.choices, None, key=key, placeholder="choose")
            else:
                st.text_input(f"Your guess ({guess.unit})", key=key)
            clicked: Any = {"on_click": _commit, "args": (lesson.step, guess)}
            st.form_submit_button(
                "Show the answer", key=f"answer_{lesson.step}", type="primary", **clicked
            )
        if problem := st.session_state.pop(f"{key}_refused", ""):
            st.error(plain(problem))


def _answer(lesson: Lesson, words: text.StepText) -> None:
    """Draw the question, the guess beside the truth, and, on request, the reason."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f"**{plain(words.question)}**")
        with st.popover("Why"):
            st.markdown(plain(words.why))
        st.button("Guess again", key=f"again_{lesson.step}", on_click=_forget, args=(lesson.step,))
    verdict, _ = guessed()[lesson.step]
    with st.container(border=True, key="lesson_answer"):
        st.markdown(" ".join([f"**{plain(verdict)}**"] * bool(verdict) + [plain(words.answer)]))
    if lesson.step == STEPS[-1]:
        st.markdown(f"**{plain(score_sentence())}**")


def _commit(step: str, guess: Guess) -> None:
    """Keep the guess that came with the click, or the sentence on why it cannot be used."""
    key, allowed = f"guess_{step}", Allowed(0, guess.most, optional=True)
    value = st.session_state[key]
    try:
        value = value if guess.choices else allowed.read(value)
    except ValueError as problem:
        st.session_state[f"{key}_refused"] = f"Your guess: {problem}. Allowed: {allowed}."
        return
    guessed()[step] = ("", None) if value is None else (guess.beside(value), guess.well(value))


def _forget(step: str) -> None:
    guessed().pop(step, None)


def score_sentence() -> str:
    """Return the sentence on how many steps were guessed well."""
    return score({step: well for step, (_, well) in guessed().items() if well is not None})
