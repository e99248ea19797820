"""The link: a widget's key is its name there, and Streamlit keeps both alike; unusable parts of a link are reported.

Callbacks never touch the address: they set st.session_state with set_to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from difflib import get_close_matches
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dpslr_core.experiments.ranges import RANGES
from dpslr_core.lesson.settings import Lesson
from dpslr_core.paper.figures import FIGURES
from dpslr_core.scenario import link_names as scenario_names
from dpslr_core.sources.numbers import read_number
from dpslr_core.support.readable import in_full

from .first import OPENED
from .plain import bullets, plain

# Arguments of widgets whose value stands in the link.
LINK: Any = {"bind": "query-params", "persist_state": "session"}
KEEP: Any = {"persist_state": "session"}  # of widgets whose value counts while they are not drawn
# Session-state keys: the page that is open; names of chosen algorithms.
PAGE, CHOSEN_NAMES = "page_now", "algorithms"
DISPLAY = ("unit_square",)  # settings of every page that no scenario has
# Settings of one page each.
OF_PAGES = frozenset({
    "record", "record_x", "record_y", "zoom", "theil_sen",
    "details", "look_at",
    "release_a", "release_b",
    "vary", "values", "datasets", "sweep_trials", "crossing_first", "crossing_second",
    "area_details", "all_areas",
    "question", "target", "area_guesses",
    "guidance", "guesses", "guesses_public_data", "guess_low", "guess_high", "guess_sd_x", "guess_sd_e", "decide",
    "guess_mean_x", "guess_shape_x", "r", "smallest",
    "any", "findings", "release_of", "release_areas",
    "privacy_view", "privacy_of", "privacy_at", "prior",
    "figure", "full_figure", "claim", "card",
    *(f.name for f in fields(Lesson)),
    *(f"{figure.name}.{parameter.name}" for figure in FIGURES for parameter in figure.parameters),
    *(f"{name}_{word}" for name in RANGES for word in ("from", "to")),
})  # fmt: skip


def link_names() -> frozenset[str]:
    """Return the names of all settings that can stand in a link."""
    return OF_PAGES.union(scenario_names(), DISPLAY)


# Session-state keys: values that callbacks have set; whether all settings have been drawn once; the page that the
# session began on; the connections of this run and of the last complete run; whether the last run was complete;
# unusable parts of the link; values that widgets take.
_SET, _DRAWN, _FIRST_PAGE = "set_by_callbacks", "settings_drawn", "first_page"
_RUNS_ON, _SEEN, _ENDED = "run_connection", "seen_connection", "run_ended"
_UNUSABLE, _TAKES = "said_unusable", "takes"
_NAME = re.compile(r"\w[\w.-]*")  # every key of Streamlit's matches, and more
_LISTED, _LETTERS = 5, 40  # limits: sentences, and letters of a value


def set_to(key: str, value: Any) -> None:
    """Set a value of the session: for callbacks, and before st.rerun.

    A browser that has not drawn the new value of a widget yet sends the old value with the next step of any other
    widget, and that step would undo this one: settle sets the value again until the browser has drawn a whole run.
    """
    if key in _takes():
        _unseen()[key] = st.session_state.get(key), value
    else:
        st.session_state[key] = value


def show(key: str, value: Any) -> None:
    """Let a widget show a value that another setting holds: before the widget is drawn."""
    if key in st.session_state and st.session_state[key] != value:
        _unseen()[key] = st.session_state[key], value
    st.session_state[key] = value


def is_late(key: str) -> bool:
    """Return whether a browser sends the old value of a widget because it has not drawn the value of `show` yet."""
    unseen = _unseen()
    return key in unseen and st.session_state[key] == unseen[key][0]


def _unseen() -> dict[str, tuple[Any, Any]]:
    """Return, by key, the old and new values that were set since the browser has drawn a whole run."""
    if st.session_state.pop(_ENDED, False) and st.session_state[_SEEN] == _connection():
        st.session_state[_SET] = {}
    unseen: dict[str, tuple[Any, Any]] = st.session_state.setdefault(_SET, {})
    return unseen


def _connection() -> str | None:
    """Return the id of the connection to the browser: another one after a cut, when drawings may have been lost."""
    return st.context.headers.get("Sec-WebSocket-Key")


def settle() -> None:
    """Give widgets the values that set_to was called with: at the beginning of a run."""
    for key, (before, value) in _unseen().items():
        if st.session_state.get(key) == before:
            st.session_state[key] = value


def keep_the_link() -> None:
    """Restore settings that the address has lost: at the beginning of a run, before the page is known.

    A page that is opened before the browser has drawn a setting has an address without the setting. A widget's value
    that is set to itself counts, whatever the address says; all are written at once, for each writing is a step of the
    browser's history. After a cut the browser may have dropped widgets and would draw them with their usual values: a
    value that is set to itself is sent again.
    """
    lost: dict[str, list[str]] = {}
    runs_on = st.session_state[_RUNS_ON] = _connection()
    was_cut = st.session_state.get(_SEEN) != runs_on
    for key, takes in _takes().items():
        if key in st.session_state:
            missing = key not in st.query_params and st.session_state[key] != takes.usual
            if missing or was_cut:
                st.session_state[key] = st.session_state[key]
            if missing and key not in OF_PAGES:
                lost[key] = _texts(st.session_state[key])
    if lost:
        # Raised for a widget that has been drawn: Streamlit writes its value itself.
        with suppress(StreamlitAPIException):
            st.query_params.update(lost)


def _texts(value: Any) -> list[str]:
    """Write a value as the address holds it."""
    if isinstance(value, list):
        return value
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def open_the_link() -> None:
    """Apply the settings that the session was opened with, until all are drawn once: after the page is known."""
    if _DRAWN in st.session_state:
        return
    opened: dict[str, list[str]] = st.session_state[OPENED]
    # Widgets that were drawn just before the run was ended.
    for key in (opened.keys() & link_names()) - _takes().keys():
        if key in st.session_state and key not in st.query_params:
            st.session_state[key] = st.session_state[key]
    wanted = link_names() - OF_PAGES - {*st.query_params, *st.session_state}
    if lost := {key: texts for key, texts in opened.items() if key in wanted}:
        st.query_params.update(lost)
        st.rerun()  # a widget takes the address that its run began with


def settings_are_drawn() -> None:
    """Note that the session holds all settings."""
    st.session_state[_DRAWN] = True


class _Takes(NamedTuple):
    """Values that a widget takes.

    Attributes
    ----------
    allowed : str
        Allowed values, in words.
    usual : object
        Value that does not stand in the link.
    written : callable
        Writes a value in words.
    instead : str or None
        Value, in words, that stands in for a text that cannot be used.
    """

    allowed: str
    usual: Any
    written: Callable[[Any], str]
    instead: str | None


def _takes() -> dict[str, _Takes]:
    """Return, by key, what the drawn widgets take."""
    by_key: dict[str, _Takes] = st.session_state.setdefault(_TAKES, {})
    return by_key


def bound(
    key: str, options: Iterable[Any], usual: Any = None, written: Callable[[Any], str] = str
) -> dict[str, Any]:
    """Return the arguments of a widget that offers these options and stands in the link under this key.

    Parameters
    ----------
    key : str
        Key of the widget, and its name in the link.
    options : iterable
        Values that the widget offers.
    usual : optional
        Value that does not stand in the link.
    written : callable, optional
        Writes a value as the widget and the link show it.
    """
    takes(key, options_text(written(option) for option in options), usual, written=written)
    return {"key": key, **LINK}


def takes(
    key: str,
    allowed: str,
    usual: Any = None,
    instead: str | None = None,
    written: Callable[[Any], str] = str,
) -> None:
    """Note the values that a link may give a key.

    Parameters
    ----------
    key : str
        Key of the widget.
    allowed : str
        Allowed values, in words.
    usual : optional
        Value that does not stand in the link.
    instead : str, optional
        Value that stands in for the widget's text, which cannot be used.
    written : callable, optional
        Writes a value of the widget in words.
    """
    _takes()[key] = _Takes(allowed, usual, written, instead)


def options_text(options: Iterable[str], most: int = 12) -> str:
    """Return the options as a list for a sentence; of more than `most` the first three, the last and the number."""
    texts = [text for text in options if text]
    if len(texts) <= most:
        return ", ".join(texts)
    return f"{', '.join(texts[:3])}, … {texts[-1]} ({len(texts):,} values)"


def opened_with(key: str) -> list[str]:
    """Return the texts that the address gave a key when the session began."""
    opened: dict[str, list[str]] = st.session_state[OPENED]
    return opened.get(key, [])


class _Unused(NamedTuple):
    """Part of the link that cannot be used.

    Attributes
    ----------
    key : str
        Name in the link; "" if no setting has the name.
    value : object
        Value of the widget when the part was refused.
    sentence : str
        Sentence for the user.
    """

    key: str
    value: Any
    sentence: str


@contextmanager
def link_is_checked() -> Iterator[None]:
    """Show above a page which parts of its link cannot be used, once the settings have been drawn."""
    page = st.session_state.get(PAGE)
    # On another page the sentences have been read.
    if page != st.session_state.setdefault(_FIRST_PAGE, page):
        st.session_state[_UNUSABLE] = {}, []
    slot = st.container()
    yield
    st.session_state.update({_ENDED: True, _SEEN: st.session_state[_RUNS_ON]})
    unchecked, unused = _unusable()
    drawn = [*unchecked] if _DRAWN in st.session_state else []
    unused += [refusal for key in drawn if (refusal := _refusal(key, unchecked))]
    unused[:] = [
        refusal
        for refusal in unused
        if not refusal.key or st.session_state.get(refusal.key) == refusal.value
    ]
    if unused:
        more = len(unused) - _LISTED
        sentences = [refusal.sentence for refusal in unused[:_LISTED]]
        sentences += [f"{more} more cannot be used."] if more > 0 else []
        slot.warning(bullets(sentences) if len(sentences) > 1 else plain(sentences[0]))


def _unusable() -> tuple[dict[str, list[str]], list[_Unused]]:
    """Return the parts of the link that are not checked yet, by key, and the parts that cannot be used."""
    if _UNUSABLE not in st.session_state:
        st.session_state[_UNUSABLE] = dict(st.session_state[OPENED]), []
    in_vain: tuple[dict[str, list[str]], list[_Unused]] = st.session_state[_UNUSABLE]
    return in_vain


def unused_of_link() -> Callable[[], list[str]]:
    """Return a function that lists the sentences on unusable parts of the link, also those found at a run's end."""
    _, unused = _unusable()
    return lambda: [refusal.sentence for refusal in unused]


def _refusal(key: str, unchecked: dict[str, list[str]]) -> _Unused | None:
    """Return why a part of the link cannot be used, None if it can; check only drawn or unknown keys, each once."""
    widget = _takes().get(key)
    if not _NAME.fullmatch(key) or (key not in st.session_state and widget is None):
        if key in link_names():
            return None
        names = {name.lower(): name for name in link_names()}
        near = get_close_matches(key.lower(), names, 1)
        meant = f" Did you mean {names[near[0]]}?" if near else ""
        return _Unused(
            "", None, f"{_quoted(key, unchecked.pop(key))}, but no setting has this name.{meant}"
        )
    texts, value = unchecked.pop(key), st.session_state.get(key)
    several = len({*texts}) > 1 and not isinstance(value, list | tuple)
    if widget is not None and widget.instead is not None:
        used, shown = False, widget.instead
    else:
        used, shown = (
            _means(texts, value),
            _in_words(value, str if widget is None else widget.written),
        )
    if used and not several:
        return None
    allowed = "" if widget is None else widget.allowed
    if isinstance(value, bool):
        allowed = "true for yes, false for no"
    problem = "where one value is allowed" if several else "which cannot be used"
    allowed = f" Allowed: {allowed}." if allowed else ""
    return _Unused(key, value, f"{_quoted(key, texts)}, {problem}.{allowed} Shown: {shown}.")


def _in_words(value: Any, written: Callable[[Any], str]) -> str:
    """Write a value of a setting as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(_in_words(item, written) for item in value) or "none"
    if value in (None, ""):
        return "none"
    return in_full(value) if isinstance(value, int | float) and written is str else written(value)


def _quoted(key: str, texts: Sequence[str]) -> str:
    """Return the words for a key and its texts in the link, long texts cut."""
    key, words = (
        text if len(text) <= _LETTERS else f"{text[:_LETTERS]} …"
        for text in (key, " and ".join(texts))
    )
    return (
        f"The link says {key} = {words}"
        if words.strip()
        else f"The link says nothing after {key} ="
    )


def _means(texts: Sequence[str], value: Any) -> bool:
    """Return whether the texts of a link mean this value; of several texts for one value the last counts."""
    if isinstance(value, list | tuple):
        return {*texts} <= {str(item) for item in value}
    text = texts[-1] if texts else ""
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        try:  # 10% is read as a share
            return value == (
                float(f"{read_number(text[:-1])!r}e-2") if text.endswith("%") else read_number(text)
            )
        except ValueError:
            return False
    return text == ("" if value is None else str(value))


def same_tab(page: str, query: Mapping[str, Any], label: str) -> str:
    """Return an anchor for st.markdown(..., unsafe_allow_html=True); relative, so that it works below any base path."""
    return f'<a href="{escape(f"{page}?{urlencode(query, doseq=True)}")}" target="_self">{plain(label)}</a>'
