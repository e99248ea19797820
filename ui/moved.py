"""Moved record on the pages Privacy and Lesson: chosen from a list or by a click, moved by two sliders or the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, log10
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.audit.moved import MovedRecord
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.memory import megabytes
from dpslr_core.mechanisms import Mechanism
from dpslr_core.sources.axis import Axis

from .cache import kept, key_of
from .inputs import Allowed, follows, number_setting, number_text
from .link import bound, set_to
from .plain import plain
from .settings import View
from .work import Work, refuse_too_large

STOPS = 200  # of a slider between the bounds
# Session-state keys: the record of the pages' mover, and the data that it belongs to.
KEY, OF = "record", "record_of"
KEYS = (KEY, f"{KEY}_x", f"{KEY}_y")


@dataclass(frozen=True)
class Mover:
    """Record that is moved, and where to; the settings are `key`, `key`_x and `key`_y.

    Attributes
    ----------
    key : str
        Name of the setting that holds the number of the record.
    data : Dataset
        Data before the move.
    x, y : Axis
        Axes of the data.
    number : int
        Number of the record, from 1.
    put : tuple of float or None
        Position x, y of the moved record, in units of the axes; None for the record's own.
    """

    key: str
    data: Dataset
    x: Axis
    y: Axis
    number: int
    put: tuple[float | None, float | None]

    @property
    def row(self) -> int:
        """Row of the record in the data, from 0."""
        return min(self.number, self.data.n) - 1

    @property
    def moved(self) -> MovedRecord:
        """Data before and after the move."""
        own = self.data.x[self.row], self.data.y[self.row]
        x, y = (
            float(value) if number is None else min(max(float(axis.to_unit(number)), 0.0), 1.0)
            for number, value, axis in zip(self.put, own, (self.x, self.y), strict=True)
        )
        return MovedRecord(self.data, self.row, x, y)

    def choice(self, noun: str, width: int | Literal["stretch"] = "stretch") -> None:
        """Draw the box for the number of the record."""
        st.number_input(
            f"{noun}, 1 to {self.data.n:,}",
            1,
            self.data.n,
            self.row + 1,
            help="Or click on one in the picture.",
            width=width,
            **follows(f"{self.key}_choice", self.row + 1, lambda number: self.choose(int(number))),
        )

    def sliders(self, beside: bool = False) -> None:
        """Draw two sliders that put the record anywhere between the public bounds.

        Parameters
        ----------
        beside : bool, optional
            Whether the sliders stand beside each other.
        """
        moved, slots = self.moved, st.columns(2) if beside else [st.container()] * 2
        for slot, side, axis, value in zip(
            slots, "xy", (self.x, self.y), (moved.x, moved.y), strict=True
        ):
            step, lower, upper = axis.scale / STOPS, float(axis.lower), float(axis.upper)
            digits, shown = (
                max(0, ceil(-log10(step))),
                min(max(float(axis.from_unit(value)), lower), upper),
            )
            slot.slider(
                plain(axis.label),
                lower,
                upper,
                shown,
                step,
                format=f"%.{digits}f",
                **follows(f"{self.key}_{side}_slider", shown, partial(self._take_slider, side)),
            )

    def put_back(self) -> None:
        """Draw a button that puts the record back."""
        st.button(
            "Put it back",
            key=f"{self.key}_back",
            on_click=self.put_to,
            args=(self.row, None, None),
            disabled=not self.moved.moved,
        )

    def clicked(self, chart: str) -> None:
        """Choose the record that was clicked in a chart whose first trace holds the records in their order."""
        for point in st.session_state[chart].selection.points:
            if point.get("curve_number") == 0:
                self.choose(int(point["point_index"]) + 1)

    def _take_slider(self, side: str, value: float) -> None:
        x, y = self.put
        self.put_to(
            self.row, float(value) if side == "x" else x, float(value) if side == "y" else y
        )

    def choose(self, number: int) -> None:
        """Choose another record, at its own position."""
        if number != self.row + 1:
            self.put_to(number - 1, None, None)

    def put_to(self, row: int, x: float | None, y: float | None) -> None:
        """Set record and position, None for the record's own coordinate. For callbacks."""
        set_to(self.key, str(row + 1))
        set_to(f"{self.key}_x", number_text(x))
        set_to(f"{self.key}_y", number_text(y))


def linked_mover(view: View, example: tuple[int, float, float] | None = None) -> Mover:
    """Return the mover of the view's data, as the link describes it: one record for all pages with settings.

    In other data, or other units, no record has been moved yet.

    Parameters
    ----------
    view : View
        The data.
    example : tuple of int and two floats, optional
        Row and position, in the unit square, of the record that is moved as long as the link names none.
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
    return Mover(KEY, _with_caches(view.data), view.x, view.y, int(number or 1), (x, y))


@kept(4)
def _with_caches(data: Dataset) -> Dataset:
    """Return the same data, kept with their cached properties."""
    return data


def private_algorithms(view: View) -> list[Mechanism]:
    """Return the private algorithms out of those that the sidebar chooses."""
    s = view.scenario
    return [mechanism for mechanism in s.admitted if mechanism.guarantee(s.epsilon).private]


def algorithm_choice(offered: Sequence[Mechanism], label: str, key: str, usual: str) -> Mechanism:
    """Draw the choice of an algorithm and return it.

    Parameters
    ----------
    offered : sequence of Mechanism
        Algorithms, at least one.
    label, key : str
        Label of the list, and its name in the link.
    usual : str
        Name that is chosen at first, if it is offered; otherwise the first.
    """
    named = {mechanism.name: mechanism for mechanism in offered}
    names = list(named)
    first = names.index(usual) if usual in names else 0
    return named.get(str(st.selectbox(label, names, first, **bound(key, names))), offered[first])


def ask_for_laws(page: str, view: View, mechanism: Mechanism) -> None:
    """End the page with a refusal where two output distributions need more memory than the server allows."""
    s = view.scenario
    memory = megabytes([mechanism], view.data.n, len(s.at))
    reduce = "the records n, the points x_new or the matchings k"
    refuse_too_large(
        Work(f"{page} {key_of((view.data, mechanism, s.at))}", reduce, memory), st.empty()
    )


def moved_query() -> str:
    """Return the part of a link that holds the record and its move."""
    return urlencode({key: text for key in KEYS if (text := st.session_state.get(key))})
