"""A value that several widgets share, and that goes to and from the link here.

Streamlit writes a bound widget's value into the address only where the widget itself was moved, which widgets that
follow each other are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isinf
from typing import Generic, TypeVar
from urllib.parse import parse_qs

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ..sessions.ended import watch_session
from .link_names import PAGES

PAGE = "page_now"  # session-state key of the page that is open
_OPENED, _READ = "opened_address", "settings_read"  # those of what the session began with, and whether it was read
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
        """Follow the link where it is new: opened, or gone back or forward to. A page just turned to has none yet."""
        texts, page = st.query_params.get_all(self.key), st.session_state.get(PAGE)
        known_texts, known_page = st.session_state.get(_KNOWN, {}).get(self.key, (None, None))
        turned = known_page is not None and page != known_page and not texts
        if self.key not in st.session_state or (texts != known_texts and not turned):
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
    st.session_state.setdefault(_KNOWN, {})[key] = texts, st.session_state.get(PAGE)


def address_is_kept() -> None:
    """The first line of a run: a session starts from the address that it was opened with.

    A run may end before it has read its settings, where another page is turned to, whose address has none of them:
    then that page is given them. What ends a run ends it at st.session_state, too, so that the server's watch keeps
    them.
    """
    context, watched = get_script_run_ctx(suppress_warning=True), watch_session()
    if context is None:
        return
    texts = parse_qs(context.query_string, keep_blank_values=True)
    left_out = {*_endless_keys(texts), *(name for names in PAGES.values() for name in names)}
    said = {key: values for key, values in texts.items() if key not in left_out}
    if watched is not None:
        watch, session = watched
        said = watch.opened.setdefault(session, said)
    if not st.session_state.get(_READ):
        st.session_state[_OPENED] = said
        for key, values in said.items():
            if key not in texts:
                with suppress(StreamlitAPIException):  # of a widget that has its value from the address already
                    st.query_params[key] = values


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
