"""Sweep: how does the error change with one parameter, and where do the curves cross?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.charts.curves import TOP, USUAL, error_curves
from dpslr_core.report.scripts import sweep_command, sweep_script
from dpslr_core.text import sweep as text
from dpslr_core.text.phrases import first_and_rest
from ui import show, takeaway
from ui.page import answer, begin
from ui.plain import plain
from ui.private_names import end_page
from ui.runs import sweep as sweep_runs
from ui.settings import link, settings
from ui.show import room
from ui.sweep import (
    axis_label,
    controls,
    draw_widths,
    drawn_values,
    frame_in_units,
    read_crossings,
    sweep_query,
    sweep_work,
)
from ui.takeaway import Shown, drawn, take_away

begin("Sweep")
view = settings()
if not view.scenario.admitted:
    st.info("Choose at least one algorithm in the sidebar.")
    end_page()
heading = st.empty()
plan, of_widths = controls(view)
if plan.data is None:
    takeaway.declare(plan.base, link(view))
if of_widths:
    draw_widths(view, plan, heading)
    end_page()
run, picture = st.container(), st.empty()


def figure(frame, room):
    values = drawn_values(plan, view.x)
    titles = axis_label(plan.parameter, view.x), text.error_label(plan)
    return error_curves(frame_in_units(frame, view.x), (values[0], values[-1]), *titles, room)


def draw(progress):
    words = text.sweep_sentence(progress.sweep, plan, view, TOP)
    with heading.container():
        answer(*first_and_rest(words))
    with picture.container():
        show.vega(figure(progress.sweep.frame, room()), words, f"sweep_{len(progress.batches)}")


with run:
    progress = sweep_runs.measure(plan, sweep_work(plan, view), draw)
    if not progress.done:
        values = len({batch.value for batch in progress.batches})
        st.caption(text.state_sentence(plan, values, progress.datasets))
if not progress.batches:
    st.info("Nothing has been measured yet.")
    end_page()
sweep = progress.sweep
words = text.sweep_sentence(sweep, plan, view, TOP)
with heading.container():
    answer(*first_and_rest(words))
with picture.container():
    show.chart(figure(sweep.frame, room()), words, frame_in_units(sweep.frame, view.x), "sweep", told=False)
st.caption(plain(text.pinned_sentence(plan, view)))
read_crossings(sweep, plan, view)

frame = frame_in_units(sweep.frame, view.x)
take_away(Shown(
    page="sweep", scenario=plan.base, query=sweep_query(view, plan), table=frame,
    script=partial(sweep_script, plan, view), command=sweep_command(plan, view),
    reproducible=view.grouped.reproducible,
    more={"varied": plan.parameter, "data sets": plan.datasets, "trials": plan.trials},
    picture=lambda: drawn(figure(sweep.frame, USUAL), words),
))  # fmt: skip
