"""The Sweep page: its controls as one value, the measuring batch by batch, and the crossings of curves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.experiments import ranges
from dpslr_core.experiments.memory import megabytes
from dpslr_core.experiments.sweep import WHOLE, BatchKey
from dpslr_core.mechanisms.pairwise import plain_name
from dpslr_core.report.scripts import sweep_command
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.numbers import parse_points
from dpslr_core.support.run import Run
from dpslr_core.sweeps import (
    BLOCK,
    Sweep,
    SweepBatch,
    SweepPlan,
    batch_ranges,
    combine,
    plan_sweep,
    sweep_batches,
)
from dpslr_core.text import sweep as text
from dpslr_core.text.phrases import in_full

from .cache import kept_by_origin, key_of
from .ends import Container
from .inputs import Allowed, number_box
from .link import LINK, bound
from .plain import bullets, plain
from .settings import View, link, point_choice
from .takeaway import page_query
from .work import Work, current_run, is_granted, offer, on_all_cores, progress

CHANGE_WIDTH = 240  # pixels of the choice of the parameter
LARGE = 1500  # records from which a batch is one data set
REFUSED = "This sweep cannot be measured: {}."
# Session-state key: the sweep whose time was over, and the seconds of its rest.
PAUSED = "sweep_paused"
REDUCE = "the largest n, the values, the data sets, the trials or the matchings k, or choose fewer algorithms"


class PageSweep(text.SweepDescription):
    """Sweep to be measured, as the controls describe it."""

    @property
    def run(self) -> Run:
        """Trials and seed."""
        return Run(self.trials, self.base.seed)

    def planned(self) -> SweepPlan:
        """Return the plan of the core; ValueError names what cannot be measured."""
        source = self.base.linear_model if self.data is None else self.data
        return plan_sweep(self.parameter, self.values, source, self.base.budget, self.mechanisms)

    def drawn_values(self, x: Axis) -> tuple[float, ...]:
        """Return the values in the units of the picture."""
        return (
            tuple(float(v) for v in x.from_unit(self.values))
            if self.parameter == "x_new"
            else self.values
        )

    def axis_label(self, x: Axis) -> str:
        """Return the title of the parameter's axis."""
        if self.parameter == "x_new":
            return x.label
        name, symbol = ranges.RANGES[self.parameter].name, text.symbol_of(self.parameter)
        return name if symbol == name else f"{symbol}, {name}"


def controls(view: View, row: Container) -> PageSweep:
    """Draw the choices above the picture and in the row of links; return the sweep that they describe."""
    data = None if view.scenario.source.kind == "synthetic" else view.data
    choices = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    names = [
        ranges.RANGES[parameter].name
        for parameter in ranges.offered(view.scenario.admitted, data is not None)
    ]
    more = "With the hyperparameters of the algorithms."
    chosen = choices.selectbox(
        "Change", names, help=more, width=CHANGE_WIDTH, **bound("vary", names)
    )
    parameter = ranges.NAMED.get(str(chosen), ranges.NAMED[names[0]])
    panel = row.popover("From, to, values", type="tertiary")
    ends = panel.columns(3)
    with panel:
        listed = st.text_input(
            "Exactly these values",
            key=f"{parameter}_list",
            placeholder="numbers with semicolons between",
            **LINK,
        )
        count, trials, base = 1, min(view.scenario.trials, ranges.LOADED_TRIALS), view.scenario
        if data is None:
            count = int(
                st.select_slider(
                    "Simulated data sets",
                    ranges.DATASETS,
                    ranges.USUAL_DATASETS,
                    **bound("datasets", ranges.DATASETS),
                )
            )
            most = st.select_slider(
                "Trials at most",
                ranges.TRIALS,
                ranges.USUAL_TRIALS,
                **bound("sweep_trials", ranges.TRIALS),
                help="For algorithms without an exact law, on each data set; never more than the sidebar's.",
            )
            trials = min(base.trials, int(most))
        else:
            st.caption("n, variance and slope can be varied only for synthetic data.")
    values = _values(ends, listed, parameter, view.x)
    if parameter == "x_new":
        values = tuple(float(value) for value in view.x.to_unit(values))
    else:
        with choices:
            first = point_choice(view)
        base = base.model_copy(
            update={"at": (first, *(point for point in base.at if point != first))}
        )
    return PageSweep(
        parameter,
        values,
        base,
        ranges.swept_mechanisms(view.scenario, parameter),
        count,
        trials,
        data,
    )


def _values(columns: Any, listed: str, parameter: str, x: Axis) -> tuple[float, ...]:
    """Draw the boxes of the values and return the values in the user's units; with an error the usual ones."""
    limits, along_x, is_whole = ranges.RANGES[parameter], parameter == "x_new", parameter in WHOLE
    usual = (x.lower, x.upper) if along_x else (limits.first, limits.last)
    idle, style = bool(listed.strip()), x.numbers if along_x else "point"
    allowed, ends = Allowed(whole=is_whole, optional=along_x, style=style), []
    for column, word, end in zip(columns, ("from", "to"), usual, strict=False):
        # The units of x_new change with the data: its boxes are empty at first.
        own = None if along_x else int(end) if is_whole else float(end)
        with column:
            typed = number_box(
                word.capitalize(),
                f"{parameter}_{word}",
                own,
                allowed,
                disabled=idle,
                placeholder=in_full(end),
            )
        ends.append(end if typed is None else float(typed))
    hint = "Exact values are given below." if idle else None
    between = Allowed(2, ranges.MOST_VALUES, whole=True)
    with columns[2]:
        count = number_box(
            "Values", "values", ranges.USUAL_VALUES, between, disabled=idle, help=hint
        )
    try:
        if idle:
            return ranges.listed_values(parameter, parse_points(listed, "values", style), x)
        return ranges.values_between(parameter, (ends[0], ends[1]), int(count or 2), x)
    except ValueError as problem:
        low, high = (in_full(end) for end in usual)
        st.error(plain(f"{problem}. Showing {low} to {high} instead."))
        return ranges.spaced(parameter, *usual, ranges.USUAL_VALUES)


def frame_in_units(frame: pd.DataFrame, x: Axis) -> pd.DataFrame:
    """Return a copy whose values of x_new are in the user's units."""
    along_x = len(frame) and frame["parameter"].iloc[0] == "x_new"
    return frame.assign(value=x.from_unit(frame["value"])) if along_x else frame


def sweep_query(view: View, plan: PageSweep) -> str:
    """Return the query of the link, with this page's controls that differ from their defaults."""
    limits, name = ranges.RANGES[plan.parameter], plan.parameter
    usual: dict[str, Any] = {
        "vary": "n" if plan.data is None else "epsilon", "values": ranges.USUAL_VALUES,
        "datasets": ranges.USUAL_DATASETS, "sweep_trials": ranges.USUAL_TRIALS, f"{name}_list": "",
        f"{name}_from": limits.first, f"{name}_to": limits.last,
    }  # fmt: skip
    if name != "x_new" and len(plan.base.at) > 1:
        usual["look_at"] = None
    return page_query(link(view), usual, {"vary": limits.name})


BatchShelf = dict[BatchKey, SweepBatch]


@dataclass(frozen=True)
class Progress:
    """Measured part of a sweep.

    Attributes
    ----------
    batches : tuple of SweepBatch
        Measured batches.
    wanted : int
        Number of batches of the whole sweep.
    datasets : int
        Number of data sets that are measured at every value.
    """

    batches: tuple[SweepBatch, ...]
    wanted: int
    datasets: int

    @property
    def done(self) -> bool:
        """Whether all batches are measured."""
        return len(self.batches) == self.wanted

    @cached_property
    def sweep(self) -> Sweep:
        """Sweep as far as it is measured."""
        return combine(self.batches)


def measure(
    plan: PageSweep, view: View, draw: Callable[[Progress], None], every: float = 1.0
) -> Progress:
    """Measure the batches of a sweep and return those that are there.

    If all would take long these are the first data sets, and a button asks for the rest.

    Parameters
    ----------
    plan : Plan
        The sweep.
    view : View
        Data and settings.
    draw : callable
        Draws the Progress, about every `every` seconds while batches arrive.
    every : float, optional
        Seconds between two drawings.

    Raises
    ------
    ValueError
        If the core refuses the sweep.
    """
    where, planned, loaded = st.empty(), plan.planned(), plan.data is not None
    # A key holds what determines the numbers at one value: not the other values, nor the number of data sets.
    digest = plan.data and plan.data.digest
    keys = {
        setting.value: repr((planned.parameter, planned.names, setting, plan.run, digest))
        for setting in planned.settings
    }
    shelves = {
        value: _shelf(loaded, key) for value, key in keys.items()
    }  # loaded data may be private: shelves stay in the session
    largest = max(plan.values) if plan.parameter == "n" else (plan.data or plan.base.linear_model).n
    block = (
        1 if largest >= LARGE else BLOCK
    )  # small enough that batches arrive within about a second
    what = key_of(
        (plan.parameter, plan.values, plan.base.at, plan.datasets, plan.trials, plan.base.also_k)
    )
    memory = max(
        megabytes(setting.mechanisms, setting.source.n, len(setting.budget.at))
        for setting in planned.settings
    )
    work = Work(  # without seed and budget, so that a click holds for other values of them too
        f"sweep {what} {plan.base.source} {digest}",
        REDUCE,
        memory,
        sweep_command(plan, view),
        plan.base,
    )

    def measured_so_far() -> Progress:
        ranges = batch_ranges(plan.datasets, block)
        measured = [
            [
                shelf[value, first, count]
                for first, count in ranges
                if (value, first, count) in shelf
            ]
            for value, shelf in shelves.items()
        ]
        fewest = min(sum(len(batch.ratios) for batch in batches) for batches in measured)
        return Progress(
            tuple(batch for batches in measured for batch in batches),
            len(ranges) * len(measured),
            fewest,
        )

    def missing(workers: int) -> Iterator[SweepBatch]:
        # Other sessions may have measured some of the batches.
        done = [key for shelf in shelves.values() for key in tuple(shelf)]
        return sweep_batches(
            planned, replace(plan.run, workers=workers), plan.datasets, done=done, block=block
        )

    def label(batch: SweepBatch) -> str:
        value_words = (
            f"{text.symbol_of(plan.parameter)} = {text.value_text(plan.parameter, batch.value)}"
        )
        first, last = batch.first + 1, batch.first + len(batch.ratios)
        return f"{value_words}: data set {first if first == last else f'{first} to {last}'} of {plan.datasets}"

    name, measured, drawn = repr((keys, plan.datasets)), measured_so_far(), time.monotonic()
    paused, seconds = st.session_state.get(PAUSED, ("", None))
    if not measured.done and (paused != name or is_granted(work)):
        if measured.batches:
            draw(measured)
        count = measured.wanted - len(measured.batches)
        with closing(on_all_cores(missing, count)) as arriving:
            for batch in progress(arriving, work, label, count, partial=True):
                shelves[batch.value][batch.key] = batch
                if time.monotonic() > drawn + every:
                    draw(measured_so_far())
                    drawn = time.monotonic()
        measured, seconds = measured_so_far(), current_run().left
        st.session_state[PAUSED] = name, seconds
    if not measured.done and seconds is not None:
        offer(where, work, seconds)
    return measured


@kept_by_origin(200)
def _shelf(key: str) -> BatchShelf:
    """Return the batches measured at one value of a sweep; the dict fills as they arrive, in whatever session."""
    return {}


def read_crossings(sweep: Sweep, plan: PageSweep, view: View) -> None:
    """Draw where the lead changes among the private algorithms, then the crossings of a chosen pair."""
    st.subheader("Where the curves cross")
    if changes := text.lead_sentences(sweep, plan.private, view.x):
        st.markdown(bullets(changes))
    names = plan.names
    if len(names) < 2:
        return
    left, right = st.columns(2)
    first = left.selectbox("Crossings of", names, 0, **bound("crossing_first", names))
    # DPExpTheilSen, which the paper compares with NoisyStats, or the second algorithm
    usual = next(
        (i for i, name in enumerate(names) if i and plain_name(name) == "DPExpTheilSen"), 1
    )
    second = right.selectbox("and", names, usual, **bound("crossing_second", names))
    if first == second:
        st.caption("Choose two different algorithms.")
        return
    st.markdown(bullets(text.lead_sentences(sweep, [first, second], view.x)))
