"""One record that is moved, on the pages Privacy and Lesson: by a list, a click, two sliders or the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, log10
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.audit.moved import MovedRecord
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.memory import megabytes
from dpslr_core.mechanisms import Mechanism
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.numbers import format_points
from dpslr_core.text.data import coordinates

from .cache import kept, key_of
from .inputs import Allowed, follows, number_setting, number_text
from .link import bound, set_to
from .plain import plain
from .settings import View
from .work import Work, refuse_too_large

LISTED = 50  # records up to which a list shows where they are
STOPS = 200  # of a slider
KEY, OF = (
    "record",
    "record_of",
)  # session-state keys: of the pages' mover, and of the data that its record is in
KEYS = (KEY, f"{KEY}_x", f"{KEY}_y")


@dataclass(frozen=True)
class Mover:
    """The record that the setting `key` numbers, from 1, and where `key`_x and `key`_y put it, in units of the axes.

    Attributes
    ----------
    key : str
        Name of the setting of the record, from which those of the place begin.
    data : Dataset
        The data before the move.
    x, y : Axis
        Their axes.
    number : int
        The record, from 1.
    put : tuple of float or None
        Where the record is put; None as in the data.
    """

    key: str
    data: Dataset
    x: Axis
    y: Axis
    number: int
    put: tuple[float | None, float | None]

    @property
    def row(self) -> int:
        """The record's row in the data, from 0."""
        return min(self.number, self.data.n) - 1

    @property
    def moved(self) -> MovedRecord:
        """The data and the move."""
        own = self.data.x[self.row], self.data.y[self.row]
        x, y = (
            float(value) if number is None else min(max(float(axis.to_unit(number)), 0.0), 1.0)
            for number, value, axis in zip(self.put, own, (self.x, self.y), strict=True)
        )
        return MovedRecord(self.data, self.row, x, y)

    def choice(self, noun: str, width: int | Literal["stretch"] = "stretch") -> None:
        """The list of records, or a box for their number where there are many."""
        count = self.data.n

        def named(number: int) -> str:
            place = self.data.x[number - 1], self.data.y[number - 1]
            return f"{number}: {coordinates(place, self.x, self.y)}"

        options: Any = {"help": "Or click on one in the picture.", "width": width}
        options |= follows(
            f"{self.key}_choice", self.row + 1, lambda number: self.choose(int(number))
        )
        if count > LISTED:
            st.number_input(f"{noun}, 1 to {count:,}", 1, count, self.row + 1, **options)
        else:
            st.selectbox(noun, range(1, count + 1), self.row, format_func=named, **options)

    def sliders(self, beside: bool = False) -> None:
        """Where the record is put, between the public bounds; beside: one slider beside the other."""
        moved, places = self.moved, st.columns(2) if beside else [st.container()] * 2
        for place, side, axis, value in zip(
            places, "xy", (self.x, self.y), (moved.x, moved.y), strict=True
        ):
            step, lower, upper = axis.scale / STOPS, float(axis.lower), float(axis.upper)
            digits, shown = (
                max(0, ceil(-log10(step))),
                min(max(float(axis.from_unit(value)), lower), upper),
            )
            place.slider(
                plain(axis.label),
                lower,
                upper,
                shown,
                step,
                format=f"%.{digits}f",
                **follows(f"{self.key}_{side}_slider", shown, partial(self._take_slider, side)),
            )

    def put_back(self) -> None:
        """A button that puts the record back."""
        st.button(
            "Put it back",
            key=f"{self.key}_back",
            on_click=self.put_to,
            args=(self.row, None, None),
            disabled=not self.moved.moved,
        )

    def clicked(self, chart: str) -> None:
        """Choose the record that was clicked on in a chart whose first trace holds the records in their order."""
        for point in st.session_state[chart].selection.points:
            if point.get("curve_number") == 0:
                self.choose(int(point["point_index"]) + 1)

    def _take_slider(self, side: str, value: float) -> None:
        x, y = self.put
        self.put_to(
            self.row, float(value) if side == "x" else x, float(value) if side == "y" else y
        )

    def choose(self, number: int) -> None:
        """Another record, which is as in the data."""
        if number != self.row + 1:
            self.put_to(number - 1, None, None)

    def put_to(self, row: int, x: float | None, y: float | None) -> None:
        """Move the record of a row; None as in the data. For callbacks."""
        set_to(self.key, str(row + 1))
        set_to(f"{self.key}_x", number_text(x))
        set_to(f"{self.key}_y", number_text(y))


def linked_mover(view: View, example: tuple[int, float, float] | None = None) -> Mover:
    """Return the mover of the view's data, after the link; one record for all pages with settings.

    In other data, or other units, no record has been moved yet.

    Parameters
    ----------
    view : View
        The data.
    example : tuple of int and two floats, optional
        Row and place in the unit square of a record that is moved as long as nothing is said of any.
    """
    shown = (view.data.digest, view.x, view.y)
    if st.session_state.get(OF, shown) != shown:
        st.session_state.update(dict.fromkeys(KEYS, ""))
    st.session_state[OF] = shown
    number = number_setting(KEY, Allowed(1, view.data.n, whole=True, optional=True))
    x, y = (
        number_setting(f"{KEY}_{side}", Allowed(axis.lower, axis.upper, optional=True))
        for side, axis in (("x", view.x), ("y", view.y))
    )
    if example is not None and not any(st.session_state[key] for key in KEYS):
        row, x_moved, y_moved = example
        number, x, y = row + 1, float(view.x.from_unit(x_moved)), float(view.y.from_unit(y_moved))
    return Mover(KEY, _known(view.data), view.x, view.y, int(number or 1), (x, y))


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
    refuse_too_large(
        Work(f"{page} {key_of((view.data, mechanism, s.at))}", reduce, memory), st.empty()
    )


def moved_query() -> str:
    """The part of a link that holds the record and its move."""
    return urlencode({key: text for key in KEYS if (text := st.session_state.get(key))})


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
