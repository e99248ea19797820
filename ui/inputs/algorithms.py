"""The choice of algorithms: two lists, from the paper and newer, and choices of one click above them.

Both lists are one value, ``algorithms``, in the session and in the link.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpslr_core.mechanisms import REPLACED, algorithms

from ..controls import ALGORITHMS, FEW
from ..takeaway.saved_as import warned
from .link_value import LinkValue, SharedWidget

KEY = "algorithms"
_MISSED = "algorithms_missed"  # session-state key: algorithms of an old link, until others are chosen
LISTS = {True: "From the paper", False: "Newer"}  # of Mechanism.in_paper


def algorithm_choice() -> None:
    """The choices of one click, then the lists; a name is chosen and left out by a click on it."""
    if replaced := [name for name in st.query_params.get_all(KEY) if name in REPLACED]:
        st.session_state[_MISSED] = replaced
    chosen = LINKED.take()
    st.markdown("**Algorithms**")
    for name in st.session_state.get(_MISSED, []):
        st.info(warned(f"{name} is no longer offered: {REPLACED[name]} has taken its place."))
    with st.container(horizontal=True, gap="small"):
        for label, names in _choices().items():
            st.button(label, key=f"choose_{label}", on_click=_choose, args=(names,), type="tertiary")
    for in_paper, heading in LISTS.items():
        names = _names(in_paper)
        key = _list(in_paper).key([name for name in names if name in chosen])
        st.pills(heading, names, selection_mode="multi", key=key, on_change=_join)
    LINKED.put()


def _list(in_paper: bool) -> SharedWidget:
    return SharedWidget(f"{KEY}_{'paper' if in_paper else 'newer'}")


def _names(in_paper: bool) -> list[str]:
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.in_paper == in_paper]


def _choices() -> dict[str, list[str]]:
    everyone = [*_names(True), *_names(False)]
    return {"Usual": list(ALGORITHMS), "All": everyone, "The paper's": _names(True), "A few": list(FEW)}


def _choose(names: list[str]) -> None:
    st.session_state[KEY] = _ordered(names)
    st.session_state.pop(_MISSED, None)


def _join() -> None:
    chosen = [name for in_paper in LISTS for name in _list(in_paper).chosen()]
    _choose(chosen)
    for in_paper in LISTS:
        _list(in_paper).show([name for name in _names(in_paper) if name in chosen])


def _ordered(names: Sequence[str]) -> list[str]:
    """The algorithms of these names in the order of algorithms(), so that equal choices have equal links."""
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.__name__ in names]


def _read(texts: Sequence[str]) -> list[str]:
    """The algorithms that the link names; an empty name alone chooses none, names of none are left out."""
    known = _ordered(texts)
    return known if known or list(texts) == [""] else list(ALGORITHMS)


def _written(names: list[str]) -> list[str]:
    return [] if names == list(ALGORITHMS) else names or [""]


LINKED = LinkValue(KEY, _read, _written)
