"""Sweep: how does the error change with one parameter, and where do the curves cross?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.charts.curves import error_curves
from dpslr_core.report.scripts import sweep_command, sweep_script
from dpslr_core.text import sweep as text
from dpslr_core.text.phrases import joined
from ui import show, takeaway
from ui.ends import end_page
from ui.page import answer, begin
from ui.plain import plain
from ui.settings import link, settings
from ui.sweep import (
    REFUSED,
    controls,
    frame_in_units,
    measure,
    read_crossings,
    sweep_query,
)
from ui.takeaway import drawn, take_away

CURVES = "sweep_curves"  # session-state key: names of the curves that are drawn

begin()
view = settings(algorithms=True)
heading, above, picture = st.empty(), st.container(), st.empty()
row, run = st.container(horizontal=True, vertical_alignment="center", gap="medium"), st.container()
with above:
    plan = controls(view, row)
if plan.data is None:
    takeaway.declare(plan.base, link(view))


def figure(sweep, winner, names):
    values, titles = plan.drawn_values(view.x), (plan.axis_label(view.x), text.ERROR)
    shown = frame_in_units(sweep.frame[sweep.frame["mechanism"].isin(names)], view.x)
    return error_curves(shown, (values[0], values[-1]), *titles, best=winner, here=plan.own_value)


def draw(progress, last=False):
    sweep = progress.sweep
    facts = text.SweepFacts.of(sweep, plan, view.x)
    names = show.chosen_curves(CURVES, plan.names, text.drawn_first(sweep, facts))
    lead, notes = text.headline(facts), text.notes(facts, names)
    words = joined(lead, notes)
    with heading.container():
        answer(lead, crumb=text.crumb(plan, view) if last else "")
    with picture.container():
        show.vega(
            figure(sweep, facts.winner, names),
            words,
            "sweep" if last else f"sweep_{len(progress.batches)}",
        )
    return words, facts.winner, names, notes


with run:
    try:
        progress = measure(plan, view, draw)
    except ValueError as problem:
        st.warning(plain(REFUSED.format(problem)))
        end_page()
    if not progress.done:
        values = len({batch.value for batch in progress.batches})
        st.caption(text.state_sentence(plan, values, progress.datasets))
if not progress.batches:
    st.info("Nothing has been measured yet.")
    end_page()
sweep, (words, winner, names, notes) = progress.sweep, draw(progress, last=True)
show.curve_choice(CURVES, plan.names, row)
frame = frame_in_units(sweep.frame, view.x)
left, right = st.columns(2)
with left, st.expander("The numbers in this picture"):
    show.numbers(frame, "sweep")
with right:
    take_away(
        page="sweep",
        scenario=plan.base,
        query=sweep_query(view, plan),
        table=frame,
        script=partial(sweep_script, plan, view),
        command=sweep_command(plan, view),
        more={"varied": plan.parameter, "data sets": plan.datasets, "trials": plan.trials},
        picture=lambda: drawn(figure(sweep, winner, names), words),
    )
for sentences in filter(None, (notes, text.pinned_sentence(plan, view))):
    st.caption(plain(sentences))
read_crossings(sweep, plan, view)
