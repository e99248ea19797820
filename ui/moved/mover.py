"""Choosing a record, by a list or a click, and moving it with two sliders."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10

import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.sources.axis import Axis
from dpslr_core.text.lesson.words import place_of

from ..inputs.link_value import SharedWidget
from ..plain import plain

LISTED = 50  # records up to which a list shows where they are
STOPS = 200  # of a slider


@dataclass(frozen=True)
class Mover:
    """The record that st.session_state[key] numbers, from 1, and where [key_x] and [key_y] put it.

    The places are in the units of the axes; None: as in the data. unmoved: the places while both are None.
    """

    key: str
    data: Dataset
    x: Axis
    y: Axis
    unmoved: tuple[float | None, float | None] = (None, None)

    @property
    def place(self) -> int:
        """Of the record, from 0."""
        return min(int(st.session_state.get(self.key) or 1), self.data.n) - 1

    @property
    def moved(self) -> MovedRecord:
        """The data and the move."""
        own = self.data.x[self.place], self.data.y[self.place]
        x, y = (
            float(value) if number is None else min(max(float(axis.to_unit(number)), 0.0), 1.0)
            for number, value, axis in zip(self._chosen, own, (self.x, self.y), strict=True)
        )
        return MovedRecord(self.data, self.place, x, y)

    @property
    def _chosen(self) -> tuple[float | None, float | None]:
        """Where the record is put, in the units of the axes; None: as in the data."""
        x, y = (st.session_state.get(f"{self.key}_{side}") for side in "xy")
        return self.unmoved if x is None and y is None else (x, y)

    def choice(self, noun: str) -> None:
        """The list of records, or a box for their number where there are many."""
        widget = self._choice.key(self.place + 1)
        if self.data.n > LISTED:
            st.number_input(
                f"{noun}, 1 to {self.data.n:,}", 1, self.data.n, key=widget, on_change=self._take_choice,
                help="Or click on one in the picture.",
            )  # fmt: skip
            return
        st.selectbox(
            noun, range(1, self.data.n + 1), key=widget, on_change=self._take_choice, format_func=self._named,
            help="Or click on one in the picture.",
        )  # fmt: skip

    def sliders(self) -> None:
        """Where the record is put, between the public bounds."""
        moved = self.moved
        for side, axis, value in (("x", self.x, moved.x), ("y", self.y, moved.y)):
            step, lower, upper = axis.scale / STOPS, float(axis.lower), float(axis.upper)
            widget = self._slider(side).key(min(max(float(axis.from_unit(value)), lower), upper))
            digits = max(0, ceil(-log10(step)))
            st.slider(
                plain(axis.label), lower, upper, step=step, format=f"%.{digits}f", key=widget,
                on_change=self._take_slider, args=(side,),
            )  # fmt: skip

    def put_back(self) -> None:
        """A button that puts the record back."""
        st.button("Put it back", key=f"{self.key}_back", on_click=self._forget, disabled=not self.moved.moved)

    def clicked(self, chart: str) -> None:
        """Choose the record that was clicked on in a chart whose first trace holds the records in their order."""
        for point in st.session_state[chart].selection.points:
            if point.get("curve_number") == 0:
                self._choose(int(point["point_index"]) + 1)

    @property
    def _choice(self) -> SharedWidget:
        return SharedWidget(f"{self.key}_choice")

    def _slider(self, side: str) -> SharedWidget:
        return SharedWidget(f"{self.key}_{side}_slider")

    def _named(self, number: int) -> str:
        return f"{number}: {place_of((self.data.x[number - 1], self.data.y[number - 1]), self.x, self.y)}"

    def _take_choice(self) -> None:
        self._choose(int(self._choice.chosen()))

    def _take_slider(self, side: str) -> None:
        for each, value in zip("xy", self._chosen, strict=True):
            st.session_state[f"{self.key}_{each}"] = value
        st.session_state[f"{self.key}_{side}"] = float(self._slider(side).chosen())

    def _choose(self, number: int) -> None:
        """Another record, which is as in the data."""
        if number != self.place + 1:
            self._forget()
        st.session_state[self.key] = number

    def _forget(self) -> None:
        for side in "xy":
            st.session_state[f"{self.key}_{side}"] = None
