"""The record that is moved on pages with settings: one for all of them, and in the link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.sources.files.typed import read_number
from dpslr_core.support.amounts import in_full

from ..cache import kept
from ..inputs.link_value import LinkValue
from ..settings import View
from .mover import Mover

KEY, OF = "record", "record_of"  # session-state keys: the mover's, and of which data the record is


def linked_mover(view: View) -> Mover:
    """The mover of the view's data, after the link."""
    _follow_link(view)
    return Mover(KEY, _known(view.data), view.x, view.y)


@kept(4)
def _known(data: Dataset) -> Dataset:
    """The same data with what is cached with them."""
    return data


def _follow_link(view: View) -> None:
    """Take the record and its place from the link; in other data, or other units, no record has been moved yet."""
    shown = (view.data.digest, view.x, view.y)
    if st.session_state.get(OF, shown) != shown:
        st.session_state.update({KEY: 1, f"{KEY}_x": None, f"{KEY}_y": None})
    else:
        for linked in LINKED:
            linked.take()
    st.session_state[OF] = shown
    for linked in LINKED:
        linked.put()


def moved_query() -> str:
    """The part of a link that says the record and its place."""
    texts = {linked.key: linked.written(st.session_state[linked.key]) for linked in LINKED}
    return urlencode(texts, doseq=True)


def moved_settings(mover: Mover) -> dict[str, object]:
    """The record and where it is put, for what a saved table says of itself; not a place that is the record's own."""
    moved = mover.moved
    if not moved.moved:
        return {}
    places = [
        f"{axis.name} = {in_full(float(axis.from_unit(value)))}"
        for axis, value, old in zip((mover.x, mover.y), (moved.x, moved.y), moved.old, strict=True)
        if value != old
    ]
    return {"moved": f"record {moved.place + 1} to {', '.join(places)}"}


def _number(texts: Sequence[str]) -> float | None:
    try:
        return read_number(texts[-1])
    except (IndexError, ValueError):
        return None


def _written(value: float | None) -> list[str]:
    return [] if value is None else [repr(value).removesuffix(".0")]


LINKED: tuple[LinkValue[Any], ...] = (
    LinkValue(KEY, lambda texts: max(1, int(_number(texts) or 1)), lambda number: [] if number == 1 else [str(number)]),
    LinkValue(f"{KEY}_x", _number, _written),
    LinkValue(f"{KEY}_y", _number, _written),
)
