"""One record that is moved, on the pages Data, Privacy and Lesson: by a list, a click, two sliders or the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.audit.moved import MovedRecord
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.memory import megabytes
from dpslr_core.mechanisms import Mechanism
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.numbers import format_points, read_number
from dpslr_core.text.data import coordinates

from .cache import kept, key_of
from .link import LinkValue, SharedWidget, allow, bound
from .plain import plain
from .settings import View
from .work import Work, current_run

LISTED = 50  # records up to which a list shows where they are
STOPS = 200  # of a slider
KEY, OF = "record", "record_of"  # session-state keys: of the pages' mover, and of the data that its record is in


@dataclass(frozen=True)
class Mover:
    """The record that st.session_state[key] numbers, from 1, and where [key_x] and [key_y] put it.

    key_x and key_y are in the units of the axes; None: as in the data. unmoved: what stands for them while both are
    None.
    """

    key: str
    data: Dataset
    x: Axis
    y: Axis
    unmoved: tuple[float | None, float | None] = (None, None)

    @property
    def row(self) -> int:
        """The record's row in the data, from 0."""
        return min(int(st.session_state.get(self.key) or 1), self.data.n) - 1

    @property
    def moved(self) -> MovedRecord:
        """The data and the move."""
        own = self.data.x[self.row], self.data.y[self.row]
        x, y = (
            float(value) if number is None else min(max(float(axis.to_unit(number)), 0.0), 1.0)
            for number, value, axis in zip(self._chosen, own, (self.x, self.y), strict=True)
        )
        return MovedRecord(self.data, self.row, x, y)

    @property
    def _chosen(self) -> tuple[float | None, float | None]:
        """Where the record is put, in the units of the axes; None: as in the data."""
        x, y = (st.session_state.get(f"{self.key}_{side}") for side in "xy")
        return self.unmoved if x is None and y is None else (x, y)

    def choice(self, noun: str) -> None:
        """The list of records, or a box for their number where there are many."""
        widget, count = SharedWidget(f"{self.key}_choice"), self.data.n

        def take() -> None:
            self.choose(int(widget.chosen()))

        def named(number: int) -> str:
            place = self.data.x[number - 1], self.data.y[number - 1]
            return f"{number}: {coordinates(place, self.x, self.y)}"

        options: Any = {"key": widget.key(self.row + 1), "on_change": take, "help": "Or click on one in the picture."}
        if count > LISTED:
            st.number_input(f"{noun}, 1 to {count:,}", 1, count, **options)
        else:
            st.selectbox(noun, range(1, count + 1), format_func=named, **options)

    def sliders(self, beside: bool = False) -> None:
        """Where the record is put, between the public bounds; beside: one slider beside the other."""
        moved, places = self.moved, st.columns(2) if beside else [st.container()] * 2
        for place, side, axis, value in zip(places, "xy", (self.x, self.y), (moved.x, moved.y), strict=True):
            step, lower, upper = axis.scale / STOPS, float(axis.lower), float(axis.upper)
            widget, digits = SharedWidget(f"{self.key}_{side}_slider"), max(0, ceil(-log10(step)))
            key = widget.key(min(max(float(axis.from_unit(value)), lower), upper))
            place.slider(
                plain(axis.label), lower, upper, step=step, format=f"%.{digits}f", key=key,
                on_change=self._take_slider, args=(side, widget),
            )  # fmt: skip

    def put_back(self) -> None:
        """A button that puts the record back."""
        st.button("Put it back", key=f"{self.key}_back", on_click=self._forget, disabled=not self.moved.moved)

    def clicked(self, chart: str) -> None:
        """Choose the record that was clicked on in a chart whose first trace holds the records in their order."""
        for point in st.session_state[chart].selection.points:
            if point.get("curve_number") == 0:
                self.choose(int(point["point_index"]) + 1)

    def _take_slider(self, side: str, widget: SharedWidget) -> None:
        for each, value in zip("xy", self._chosen, strict=True):
            st.session_state[f"{self.key}_{each}"] = value
        st.session_state[f"{self.key}_{side}"] = float(widget.chosen())

    def choose(self, number: int) -> None:
        """Another record, which is as in the data."""
        if number != self.row + 1:
            self._forget()
        st.session_state[self.key] = number

    def _forget(self) -> None:
        for side in "xy":
            st.session_state[f"{self.key}_{side}"] = None


def linked_mover(view: View) -> Mover:
    """The mover of the view's data, after the link; one record for all pages with settings.

    In other data, or other units, no record has been moved yet.
    """
    shown = (view.data.digest, view.x, view.y)
    if st.session_state.get(OF, shown) != shown:
        st.session_state.update({KEY: 1, f"{KEY}_x": None, f"{KEY}_y": None})
    else:
        for linked in LINKED:
            linked.take()
    allow(KEY, f"whole numbers from 1 to {view.data.n:,}")
    for side, axis in (("x", view.x), ("y", view.y)):
        lower, upper = axis.written([axis.lower, axis.upper])
        allow(f"{KEY}_{side}", f"numbers from {lower} to {upper}")
    st.session_state[OF] = shown
    for linked in LINKED:
        linked.put()
    return Mover(KEY, _known(view.data), view.x, view.y)


@kept(4)
def _known(data: Dataset) -> Dataset:
    """The same data with what is cached with them."""
    return data


def private_algorithms(view: View) -> list[Mechanism]:
    """The private ones of the algorithms that the sidebar chooses."""
    s = view.scenario
    return [mechanism for mechanism in s.admitted if mechanism.guarantee(s.epsilon).private]


def algorithm_choice(offered: Sequence[Mechanism], label: str, key: str, usual: str) -> Mechanism:
    """One of these algorithms, of which there is at least one; usual: the name of the first shown, if it is there."""
    named = {mechanism.name: mechanism for mechanism in offered}
    names = list(named)
    first = names.index(usual) if usual in names else 0
    return named.get(str(st.selectbox(label, names, first, **bound(key, names))), offered[first])


def ask_for_laws(page: str, view: View, mechanism: Mechanism) -> None:
    """Begin the work of both output distributions, which asks where it takes long."""
    s = view.scenario
    memory = megabytes([mechanism], view.data.n, len(s.at))
    reduce = "the records n, the points x_new or the matchings k"
    current_run().begin(Work(f"{page} {key_of((view.data, mechanism, s.at))}", reduce, memory), st.empty())


def moved_query() -> str:
    """The part of a link that holds the record and its move."""
    texts = {linked.key: linked.written(st.session_state[linked.key]) for linked in LINKED}
    return urlencode(texts, doseq=True)


def moved_settings(mover: Mover) -> dict[str, object]:
    """The record and its move as metadata of a saved table; a coordinate that is the record's own is left out."""
    moved = mover.moved
    if not moved.moved:
        return {}
    coordinates_moved = [
        f"{axis.name} = {format_points([axis.nearest(value)])}"
        for axis, value, old in zip((mover.x, mover.y), (moved.x, moved.y), moved.old, strict=True)
        if value != old
    ]
    return {"moved": f"record {moved.place + 1} to {', '.join(coordinates_moved)}"}


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
