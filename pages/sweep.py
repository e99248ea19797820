"""Sweep: how does the error change with one parameter, and where do the curves cross?"""

from urllib.parse import urlencode

import streamlit as st

from dpslr_core.charts.sweeps import error_curves
from ui import present, sweep_runs, sweep_words
from ui.paper_panels import paper_panels
from ui.plain import plain
from ui.settings import begin, link, settings
from ui.sweep_controls import controls, drawn_values, sweep_query
from ui.sweep_crossings import read_crossings

begin("Sweep")
view = settings()
if not view.scenario.compared:
    st.info("Choose at least one algorithm in the sidebar.")
    st.stop()
paper_panels()
plan = controls(view)
run, picture = st.container(), st.empty()


def figure(frame):
    values = drawn_values(plan, view.x)
    titles = sweep_words.axis_label(plan, view), sweep_words.error_label(plan)
    return error_curves(sweep_words.frame_in_units(frame, view), (values[0], values[-1]), *titles)


def show(progress):
    with picture.container():
        words = sweep_words.sentence(progress.sweep, plan, view)
        present.picture(figure(progress.sweep.frame), words, f"sweep_{len(progress.batches)}")


with run:
    progress = sweep_runs.measure(plan, show)
    if not progress.done:
        st.caption(sweep_words.state_sentence(plan, progress))
if not progress.batches:
    st.info("Nothing has been measured yet.")
    st.stop()
sweep = progress.sweep
with picture.container():
    numbers = sweep_words.frame_in_units(sweep.frame, view)
    present.chart(figure(sweep.frame), sweep_words.sentence(sweep, plan, view), numbers, "sweep")
st.caption(plain(sweep_words.pinned(plan, view)))
read_crossings(sweep, plan, view)

with st.expander("Cite this view"):
    st.caption("The same numbers, in any browser." if view.family.reproducible else "All but the uploaded file itself.")
    st.code("/sweep?" + "&".join(part for part in (link(view), urlencode(sweep_query(plan))) if part), language=None)
