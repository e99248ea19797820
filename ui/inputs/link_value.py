"""A value that several widgets share, and that goes to and from the link here.

Streamlit writes a bound widget's value into the address only where the widget itself was moved, which widgets that
follow each other are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Generic, TypeVar

import streamlit as st

PAGE = "page_now"  # session-state key of the page that is open
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
        texts = self.written(st.session_state[self.key])
        if texts != st.query_params.get_all(self.key):
            if texts:
                st.query_params[self.key] = texts
            else:
                del st.query_params[self.key]
        st.session_state.setdefault(_KNOWN, {})[self.key] = texts, st.session_state.get(PAGE)


def values_in_link() -> dict[str, list[str]]:
    """What st.switch_page must be given: it drops from the address all that no widget is bound to."""
    return {key: st.query_params.get_all(key) for key in st.session_state.get(_KNOWN, {}) if key in st.query_params}


def endless_number() -> tuple[str, dict[str, list[str]]] | None:
    """The first parameter of the link that is a number without end, and the query without all of them; None: no such.

    Streamlit cannot make a whole number of one. Texts, such as a list of points, are left to their pages.
    """
    texts = {key: st.query_params.get_all(key) for key in st.query_params}
    endless = [key for key, values in texts.items() if not _is_text(key) and any(map(_endless, values))]
    return (endless[0], {key: values for key, values in texts.items() if key not in endless}) if endless else None


def _is_text(key: str) -> bool:
    return key == "x_new" or key.endswith("_list")


def _endless(text: str) -> bool:
    try:
        return isinf(float(text))
    except ValueError:
        return False
