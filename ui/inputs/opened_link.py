"""What the opened link says that cannot be used: pages show their usual values there, and say so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from math import nan
from typing import Any, NamedTuple

import streamlit as st

from dpslr_core.mechanisms import REPLACED
from dpslr_core.sources.files.typed import read_number
from dpslr_core.support.readable import in_full

from ..controls import EPSILON, SAMPLE_TITLES, SLIDERS, SOURCES, UCI_TITLES
from ..plain import bullets, plain
from .link_names import link_names
from .link_value import PAGE

_OPENED, _UNUSED = "opened_link", "unused_of_link"  # session-state keys: what is still to be looked at; what was unused
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
    opened_page, opened = st.session_state.setdefault(_OPENED, (page, said))
    if page != opened_page:  # what was said has been read
        opened.clear()
        st.session_state.pop(_UNUSED, None)
    place = st.container()
    try:
        yield
    finally:
        _say(place, opened)


def unused_of_link() -> Callable[[], list[str]]:
    """Says what the opened link asked in vain, also what is noticed only at the end of the run that asks for it."""
    unused: list[_Unused] = st.session_state.setdefault(_UNUSED, [])
    return lambda: [each.sentence for each in unused]


def _say(place: Any, opened: dict[str, list[str]]) -> None:
    """Look at what has been drawn since, and say what is still not as the link asked."""
    unused: list[_Unused] = st.session_state.setdefault(_UNUSED, [])
    unused += [found for key in [*opened] if (found := _looked_at(key, opened))]
    unused[:] = [each for each in unused if not each.key or st.session_state.get(each.key) == each.shown]
    if unused:
        more = len(unused) - _LISTED
        said = [each.sentence for each in unused[:_LISTED]] + ([f"{more} more cannot be used."] if more > 0 else [])
        place.warning(bullets(said) if len(said) > 1 else plain(said[0]))


def _looked_at(key: str, opened: dict[str, list[str]]) -> _Unused | None:
    """What cannot be used of a key that has been drawn, or that nothing has; each is looked at once."""
    if not _NAME.fullmatch(key) or key not in st.session_state:
        return _Unused("", None, _unknown(key, opened.pop(key))) if key not in link_names() else None
    texts, value = opened.pop(key), st.session_state[key]
    if _says(texts, value) or st.query_params.get_all(key) == texts:  # an option may be written in other words
        return None
    return _Unused(key, value, f"{_quoted(key, texts)}, which cannot be used.{_allowed(key)} Shown: {_written(value)}.")


def _allowed(key: str) -> str:
    """What a key of the sidebar may be; nothing of the others."""
    limits = EPSILON if key == "epsilon" else SLIDERS.get(key)
    if limits is not None:
        return f" Allowed: {in_full(limits.least)} to {in_full(limits.most)}."
    options = {"source": SOURCES, "sample": SAMPLE_TITLES, "uci": UCI_TITLES}.get(key)
    return f" Allowed: {', '.join(options)}." if options else ""


def _unknown(key: str, texts: Sequence[str]) -> str:
    near = get_close_matches(key, link_names(), 1)
    return f"{_quoted(key, texts)}, but no setting has this name.{f' Did you mean {near[0]}?' if near else ''}"


def _quoted(key: str, texts: Sequence[str]) -> str:
    return f"The link says {cut(key)} = {cut(', '.join(texts))}"


def cut(text: str) -> str:
    """A text of the link, cut where it is long."""
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]} …"


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else in_full(value) if isinstance(value, float) else str(value)


def _says(texts: Sequence[str], value: Any) -> bool:
    """Whether a value is what the texts of a link say."""
    if isinstance(value, list | tuple):
        return {text for text in texts if text and text not in REPLACED} <= {str(each) for each in value}
    text = texts[-1] if texts else ""
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        return _number(text) == value
    return text == ("" if value is None else str(value))


def _number(text: str) -> float:
    """The number that a text says, a share as 10% too; NaN where it is none."""
    try:
        return float(f"{read_number(text[:-1])!r}e-2") if text.endswith("%") else read_number(text)
    except ValueError:
        return nan
