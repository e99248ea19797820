"""A value that several widgets share, and that goes to and from the link here.

Streamlit writes a bound widget's value into the address only where the widget itself was moved, which widgets that
follow each other are not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isclose, isinf
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qs

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ..sessions.ended import watch_session
from ..sessions.opened import queries
from ..sessions.private_names import gone_back_or_forward, start_from_address
from .link_names import PAGES

PAGE = "page_now"  # session-state key of the page that is open
_OPENED, _READ = "opened_address", "settings_read"  # those of what the session began with, and whether it was read
_BEFORE = "link_values_before"  # that of what the link said before, for each key
_STEPS = 20  # of one key that a browser may be behind
_KNOWN = "link_values"  # that of what the link said last: for each key its texts, and the page they stood on
T = TypeVar("T")


@dataclass(frozen=True)
class LinkValue(Generic[T]):
    """What st.session_state holds under this key, and how it is written in the link.

    read: the value that the texts of the link mean, the usual one where there is none of use. written: the texts of
    a value, none for the usual one.
    """

    key: str
    read: Callable[[Sequence[str]], T]
    written: Callable[[T], list[str]]

    def take(self) -> T:
        """Follow the link where it is new: opened, or gone back or forward to. A page just turned to has none yet.

        A link that said this before is late, unless the browser went back to it: it was sent before the browser heard
        what the last step made of it.
        """
        texts, page = st.query_params.get_all(self.key), st.session_state.get(PAGE)
        known_texts, known_page = st.session_state.get(_KNOWN, {}).get(self.key, (None, None))
        turned = known_page is not None and page != known_page and not texts
        late = page == known_page and texts in _said_before(self.key) and not gone_back_or_forward()
        if self.key not in st.session_state or (texts != known_texts and not turned and not late):
            st.session_state[self.key] = self.read(texts)
        value: T = st.session_state[self.key]
        return value

    def put(self) -> None:
        """Write the value into the link; the usual one vanishes from it."""
        put_texts(self.key, self.written(st.session_state[self.key]))


def put_texts(key: str, texts: list[str]) -> None:
    """Write the texts of a key into the link, and keep them there on every page; none takes the key out."""
    if texts != st.query_params.get_all(key):
        if texts:
            st.query_params[key] = texts
        else:
            del st.query_params[key]
    known = st.session_state.setdefault(_KNOWN, {})
    if key in known and texts != known[key][0]:
        _said_before(key).append(known[key][0])
    known[key] = texts, st.session_state.get(PAGE)


def _said_before(key: str) -> deque[list[str]]:
    """The texts of a key that the link had last, before those of now."""
    lately: deque[list[str]] = st.session_state.setdefault(_BEFORE, {}).setdefault(key, deque(maxlen=_STEPS))
    return lately


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
    then that page is given them. What ends a run ends it at st.session_state, too, so that the server's watch keeps
    them.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    watch_session()  # with which the noted address is forgotten, also where this run is stopped early
    texts = parse_qs(context.query_string, keep_blank_values=True)
    opened = parse_qs(queries.get(context.session_id, context.query_string), keep_blank_values=True)
    left_out = {*_endless_keys(opened), *(name for names in PAGES.values() for name in names)}
    said = {key: values for key, values in opened.items() if key not in left_out}
    if not st.session_state.get(_READ):
        st.session_state[_OPENED] = said
        for key, values in said.items():
            if key not in texts:
                with suppress(StreamlitAPIException):  # of a widget that has its value from the address already
                    st.query_params[key] = values
        start_from_address(context)


def settings_are_read() -> None:
    """The sidebar has been drawn: from here on the session holds the settings."""
    st.session_state[_READ] = True


def opened_with(key: str) -> list[str]:
    """What the address said of a key when the session began."""
    opened: dict[str, list[str]] = st.session_state.get(_OPENED, {})
    return opened.get(key, [])


def values_in_link() -> dict[str, list[str]]:
    """What st.switch_page must be given: it drops from the address all that no widget is bound to."""
    return {key: st.query_params.get_all(key) for key in st.session_state.get(_KNOWN, {}) if key in st.query_params}


def endless_number() -> tuple[str, dict[str, list[str]]] | None:
    """The first parameter of the link that is a number without end, and the query without all of them; None: no such.

    Streamlit cannot make a whole number of one. Texts, such as a list of points, are left to their pages.
    """
    texts = {key: st.query_params.get_all(key) for key in st.query_params}
    endless = _endless_keys(texts)
    return (endless[0], {key: values for key, values in texts.items() if key not in endless}) if endless else None


def _endless_keys(texts: Mapping[str, Sequence[str]]) -> list[str]:
    return [key for key, values in texts.items() if not _is_text(key) and any(map(_endless, values))]


def _is_text(key: str) -> bool:
    return key == "x_new" or key.endswith("_list")


def _endless(text: str) -> bool:
    try:
        return isinf(float(text))
    except ValueError:
        return False
