"""The link: names of its settings, values that go to and from it, and what it says in vain."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from html import escape
from math import isclose, isinf
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpslr_core.experiments.ranges import RANGES
from dpslr_core.lesson.settings import Lesson
from dpslr_core.lesson.settings import says as lesson_says
from dpslr_core.paper.figures import FIGURES
from dpslr_core.scenario import link_names as scenario_names
from dpslr_core.sources.numbers import read_number
from dpslr_core.support.readable import in_full

from .controls import BOUND, options_text
from .ends import end_page
from .plain import bullets, plain
from .private_names import gone_back_or_forward, start_from_address
from .sessions import queries

DISPLAY = ("unit_square", "larger_text")  # of every page, and of no scenario
# Of one page alone, by page.
PAGES = {
    "data": ("moving", "record", "record_x", "record_y", "moved_algorithm", "zoom"),
    "compare": (
        "details", "look_at", "show_trials", "interval_release", "width", "residuals", "dots_of", "draw", "hundred_of",
        "release_a", "release_b",
    ),
    "sweep": ("vary", "values", "datasets", "sweep_trials", "shows", "crossing_first", "crossing_second"),
    "small_areas": (
        "area_details", "area_intervals_of", "area_name", "se_range", "all_areas", "help_each_other", "flat_lines",
        "passes_with", "question", "target", "area_guesses", "guess_low", "guess_high", "guess_sd_x", "guess_sd_e",
    ),
    "guidance": (
        "guidance", "guesses", "guesses_public_data", "guess_low", "guess_high", "guess_sd_x", "guess_sd_e", "weaker",
        "solve_for", "power_slope", "r",
    ),
    "findings": ("verdict", "any"),
    "release": ("release_of",),
    "privacy": ("privacy_view", "privacy_of", "privacy_at", "prior", "staircase_epsilon"),
    "paper": ("figure", "full_figure"),
    "lesson": tuple(f.name for f in fields(Lesson)),
}  # fmt: skip


def link_names() -> frozenset[str]:
    """The names of all settings that can stand in a link, those of figures and swept parameters among them."""
    figures = (f"{figure.name}.{parameter.name}" for figure in FIGURES for parameter in figure.parameters)
    swept = (f"{name}_{word}" for name in RANGES for word in ("from", "to", "list"))
    return frozenset(
        [*scenario_names(), *DISPLAY, *(name for names in PAGES.values() for name in names), *figures, *swept]
    )


PAGE = "page_now"  # session-state key of the page that is open
_OPENED, READ = "opened_address", "settings_read"  # those of what the session began with, and whether it was read
_KEPT = "link_kept"  # that of what the address says for all pages, in its order
_WRITTEN = "link_written"  # that of what was written into the link: a Written for each part
_STEPS = 20  # that a browser may be behind
Query = dict[str, list[str]]
T = TypeVar("T")


@dataclass
class Written:
    """What a part of the link says, on which page it was written, and what the part said before."""

    last: Query
    page: str | None
    before: deque[Query] = field(default_factory=lambda: deque(maxlen=_STEPS))


def said_in_link(keys: Collection[str]) -> Query:
    """What the link says of these keys."""
    return {key: st.query_params.get_all(key) for key in st.query_params if key in keys}


def is_new(part: str, said: Query) -> bool:
    """Whether the link is to be followed: opened, or gone back or forward to. A page just turned to has none yet.

    A link that said this before is late, unless the browser went back to it: it was sent before the browser heard what
    the last step made of it.
    """
    written, page = _written().get(part), st.session_state.get(PAGE)
    if written is None:
        return True
    turned = written.page is not None and page != written.page and not said
    late = page == written.page and said in written.before and not gone_back_or_forward()
    return said != written.last and not turned and not late


def put(part: str, keys: Collection[str], query: Query) -> None:
    """Let the link say this of the keys, and keep it there on every page."""
    said = said_in_link(keys)
    for key in said.keys() - query.keys():
        del st.query_params[key]
    if changed := {key: texts for key, texts in query.items() if texts != said.get(key)}:
        st.query_params.update(changed)
    note(part, query)
    st.session_state[_KEPT] = values_in_link()


def say_again(key: str, usual: Any) -> None:
    """Let a widget that is drawn next write its value into an address that has lost it.

    A page that is turned to before the browser has drawn the widget has an address without it.
    """
    value = st.session_state.get(key, usual)
    if value != usual and key not in st.query_params and not gone_back_or_forward():
        st.session_state[key] = value


def note(part: str, query: Query) -> None:
    """A part of the link is known to say this."""
    written = _written().setdefault(part, Written(query, None))
    if query != written.last:
        written.before.append(written.last)
    written.last, written.page = query, st.session_state.get(PAGE)


def _written() -> dict[str, Written]:
    parts: dict[str, Written] = st.session_state.setdefault(_WRITTEN, {})
    return parts


@dataclass(frozen=True)
class LinkValue(Generic[T]):
    """What st.session_state holds under this key, and how it is written in the link.

    It stands for widgets that follow each other, of which none alone is bound to the link.

    read: the value that the texts of the link mean, the usual one where there is none of use. written: the texts of
    a value, none for the usual one. allowed: what a link may say, for a sentence.
    """

    key: str
    read: Callable[[Sequence[str]], T]
    written: Callable[[T], list[str]]
    allowed: str = ""

    def take(self) -> T:
        """The value, after the link where that is new."""
        allow(self.key, self.allowed)
        said = said_in_link([self.key])
        if self.key not in st.session_state or is_new(self.key, said):
            st.session_state[self.key] = self.read(said.get(self.key, []))
            note(self.key, said)
        value: T = st.session_state[self.key]
        return value

    def put(self) -> None:
        """Write the value into the link; the usual one vanishes from it."""
        texts = self.written(st.session_state[self.key])
        put(self.key, [self.key], {self.key: texts} if texts else {})


@dataclass(frozen=True)
class SharedWidget:
    """One of several widgets that set the same value. name: its key as long as nothing else has set the value.

    A browser sends the state of all widgets with each step, and what it has not drawn yet as it was before: an earlier
    value of this widget would look like a step of its own. So a widget whose value something else has changed gets
    another key, and what the browser says of the one before is nobody's.
    """

    name: str

    def key(self, value: Any) -> str:
        """The key of the widget that is to show this value."""
        shown, number = st.session_state.get(self._shown, (value, 0))
        if not _same(shown, value):
            number += 1
        st.session_state[self._shown] = value, number
        key = self._numbered(number)
        if not _same(st.session_state.get(key), value):  # what is being typed is left alone
            st.session_state[key] = value
        return key

    def chosen(self) -> Any:
        """What the user has just set the widget to."""
        number = st.session_state[self._shown][1]
        value = st.session_state[self._numbered(number)]
        st.session_state[self._shown] = value, number
        return value

    def show(self, value: Any) -> None:
        """Let the same widget show the value in other words."""
        st.session_state[self._shown] = value, st.session_state[self._shown][1]

    @property
    def _shown(self) -> str:
        return f"{self.name}_shown"

    def _numbered(self, number: int) -> str:
        return f"{self.name}_{number}" if number else self.name


def _same(one: Any, other: Any) -> bool:
    """Whether two values of a widget are equal, up to the rounding of a change of units."""
    return isclose(one, other) if isinstance(one, float) and isinstance(other, float) else bool(one == other)


def address_is_kept() -> None:
    """The first line of a run: a session starts from the address that it was opened with.

    A run may end before it has read its settings, where another page is turned to, whose address has none of them:
    then that page is given them.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    texts = parse_qs(context.query_string, keep_blank_values=True)
    opened = parse_qs(queries.get(context.session_id, context.query_string), keep_blank_values=True)
    left_out = {*_endless_keys(opened), *(name for names in PAGES.values() for name in names)}
    said = {key: values for key, values in opened.items() if key not in left_out}
    if not st.session_state.get(READ):
        st.session_state[_OPENED] = said
        for key, values in said.items():
            if key not in texts:
                with suppress(StreamlitAPIException):  # of a widget that has its value from the address already
                    st.query_params[key] = values
        start_from_address(context)
        return
    kept: Query = st.session_state.get(_KEPT, {})
    if kept and not kept.keys() & texts.keys() and not gone_back_or_forward():  # another page was turned to
        with suppress(StreamlitAPIException):
            st.query_params.update(kept)  # before the page is known: its address then has them from the beginning


def opened_with(key: str) -> list[str]:
    """What the address said of a key when the session began."""
    opened: dict[str, list[str]] = st.session_state.get(_OPENED, {})
    return opened.get(key, [])


def values_in_link() -> Query:
    """What st.switch_page must be given: it drops from the address all that no widget is bound to."""
    return said_in_link([key for written in _written().values() for key in written.last])


def refuse_endless_numbers() -> None:
    """A sentence, and the end of the page, where the link holds one: Streamlit cannot make a whole number of it."""
    texts = {key: st.query_params.get_all(key) for key in st.query_params}
    if endless := _endless_keys(texts):
        said = f"{_quoted(endless[0], texts[endless[0]][-1:])}, which is no number that can be used."
        st.warning(plain(said))
        rest = {key: values for key, values in texts.items() if key not in endless}
        link = same_tab(str(st.session_state.get(PAGE, "")), rest, "Open the page without it")
        st.markdown(link, unsafe_allow_html=True)
        end_page()


def _endless_keys(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """The parameters that are a number without end. Texts, such as a list of points, are left to their pages."""

    def endless(text: str) -> bool:
        try:
            return isinf(float(text))
        except ValueError:
            return False

    return [k for k, values in texts.items() if k != "x_new" and not k.endswith("_list") and any(map(endless, values))]


# Session-state keys: what is still to be looked at; what was unused; settings of a scenario that are said in vain; what
# a link may say of each key, and how its value is written.
_CHECKED, _UNUSED, _REFUSED, _ALLOWED = "opened_link", "unused_of_link", "refused_of_link", "allowed_in_link"
_NAME = re.compile(r"\w[\w.-]*")  # what Streamlit takes as a key, and more
_LISTED, _LETTERS = 5, 40  # sentences at most, and letters of a value


class _Unused(NamedTuple):
    """A sentence about a key of the link, and the value that stands in until another is chosen; no key: no setting."""

    key: str
    shown: Any
    sentence: str


@contextmanager
def link_is_checked() -> Iterator[None]:
    """Around a page: above it stands what the link said in vain, once its settings have been drawn."""
    page = st.session_state.get(PAGE)
    said = {key: st.query_params.get_all(key) for key in st.query_params}
    opened_page, opened = st.session_state.setdefault(_CHECKED, (page, said))
    if page != opened_page:  # what was said has been read
        opened.clear()
        st.session_state.pop(_UNUSED, None)
    place = st.container()
    try:
        yield
    finally:
        unused: list[_Unused] = st.session_state.setdefault(_UNUSED, [])
        unused += [found for key in [*opened] if (found := _looked_at(key, opened))]
        unused[:] = [each for each in unused if not each.key or st.session_state.get(each.key) == each.shown]
        if unused:
            more = len(unused) - _LISTED
            sentences = [each.sentence for each in unused[:_LISTED]]
            sentences += [f"{more} more cannot be used."] if more > 0 else []
            place.warning(bullets(sentences) if len(sentences) > 1 else plain(sentences[0]))


def unused_of_link() -> Callable[[], list[str]]:
    """Says what the opened link asked in vain, also what is noticed only at the end of the run that asks for it."""
    unused: list[_Unused] = st.session_state.setdefault(_UNUSED, [])
    return lambda: [each.sentence for each in unused]


def bound(key: str, options: Iterable[Any], written: Callable[[Any], str] = str) -> dict[str, Any]:
    """Return the arguments of a widget whose value stands in the link under this key.

    Parameters
    ----------
    key
        Key of the widget.
    options
        Values that it offers.
    written
        Writes a value as the widget and the link show it.
    """
    allow(key, options_text(written(option) for option in options), written)
    return {"key": key, **BOUND}


def allow(key: str, allowed: str, written: Callable[[Any], str] = str) -> None:
    """Note what a link may say of a key, for the sentence about a link that says something else."""
    st.session_state.setdefault(_ALLOWED, {})[key] = allowed, written


def refuse(keys: Collection[str]) -> None:
    """Note settings of a scenario that the link says in vain."""
    st.session_state[_REFUSED] = {*st.session_state.get(_REFUSED, ()), *keys}


def _looked_at(key: str, opened: dict[str, list[str]]) -> _Unused | None:
    """What cannot be used of a key that has been drawn, or that nothing has; each is looked at once."""
    refused = st.session_state.get(_REFUSED, ())
    if not _NAME.fullmatch(key) or (key not in st.session_state and key not in refused):
        if key in link_names():
            return None
        names = {name.lower(): name for name in link_names()}
        near = get_close_matches(key.lower(), names, 1)
        meant = f" Did you mean {names[near[0]]}?" if near else ""
        return _Unused("", None, f"{_quoted(key, opened.pop(key))}, but no setting has this name.{meant}")
    texts, value = opened.pop(key), st.session_state.get(key)
    if key in scenario_names() - {"x_new"}:
        used = key not in refused and (not isinstance(value, bool) or _says(texts, value))
    else:  # an option may be written in other words, a step of the lesson by its earlier number
        used = _says(texts, value) or st.query_params.get_all(key) == texts
        used = used or (key in PAGES["lesson"] and lesson_says(key, texts, value))
    several = len({*texts}) > 1 and not isinstance(value, list | tuple)
    if used and not several:
        return None
    allowed, written = st.session_state.get(_ALLOWED, {}).get(key, ("", str))
    if isinstance(value, bool):
        allowed = "true for yes, false for no"
    problem = "where one value is allowed" if several else "which cannot be used"
    allowed = f" Allowed: {allowed}." if allowed else ""
    return _Unused(key, value, f"{_quoted(key, texts)}, {problem}.{allowed} Shown: {_in_words(value, written)}.")


def _in_words(value: Any, written: Callable[[Any], str]) -> str:
    """A value of a setting as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(_in_words(each, written) for each in value) or "none"
    if value in (None, ""):
        return "none"
    return in_full(value) if isinstance(value, int | float) and written is str else written(value)


def _quoted(key: str, texts: Sequence[str]) -> str:
    """What the link says of a key, long texts cut."""
    key, said = (text if len(text) <= _LETTERS else f"{text[:_LETTERS]} …" for text in (key, " and ".join(texts)))
    return f"The link says {key} = {said}" if said.strip() else f"The link says nothing after {key} ="


def _says(texts: Sequence[str], value: Any) -> bool:
    """Whether a value is what the texts of a link say; of several texts for one value the last."""
    if isinstance(value, list | tuple):
        return {*texts} <= {str(each) for each in value}
    text = texts[-1] if texts else ""
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        try:  # a share as 10%, too
            return value == (float(f"{read_number(text[:-1])!r}e-2") if text.endswith("%") else read_number(text))
        except ValueError:
            return False
    return text == ("" if value is None else str(value))


def same_tab(page: str, query: Mapping[str, Any], label: str) -> str:
    """An anchor for st.markdown(..., unsafe_allow_html=True); relative, so that it works below any base path."""
    return f'<a href="{escape(f"{page}?{urlencode(query, doseq=True)}")}" target="_self">{plain(label)}</a>'
