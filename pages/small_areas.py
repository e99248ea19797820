"""Small areas: the same question in every one of many small data sets."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import pandas as pd
import streamlit as st

from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.text.areas import NOT_PRIVATE, context, cost_sentence, headline
from ui import show
from ui.areas import VIEWS, Areas, draw_picture, nothing_to_compare, wanted
from ui.controls import BOUND
from ui.page import answer, begin, chosen_view
from ui.plain import plain
from ui.settings import point_choice, settings

FLAT_HELP = "A flat line has no slope, as NoisyIntercept's. It counts as passing only where this is on."

begin("Small areas")
view = settings()
if len(view.grouped.groups) < 2:
    nothing_to_compare()

heading, s = st.empty(), view.scenario
at = point_choice(view)
areas = Areas(view, at, st.toggle("Count flat lines", key="flat_lines", help=FLAT_HELP, **BOUND))
picture, drawn = st.empty(), None
groups, stages, measured = areas.groups, areas.stages(), pd.DataFrame()
complete, seek = wanted(areas)
for number, stage in enumerate(stages if complete else stages[:1], 1):
    measured = pd.concat([measured, areas.measured(stage)])
    pending = [mechanism.name for later in stages[number:] for mechanism in later]
    ranked = ranked_shares(measured, s.admitted, s.epsilon, s.accounting, areas.flat)
    with heading.container():
        about = context(view, at, ranked, len(groups.rejected), pending, areas.flat)
        answer(headline(ranked, len(groups.datasets)), about)
    drawn = draw_picture(picture, view, measured, ranked, drawn)
if not stages:
    with heading.container():
        answer("No differentially private algorithm is chosen.", "Choose at least one in the sidebar.")

st.caption(f"{NOT_PRIVATE} {plain(cost_sentence(view, areas.trials))}")
chosen_view("area_details", VIEWS)(areas, measured, seek)

if len(groups.rejected):
    with st.expander(f"{len(groups.rejected):,} groups are left out"):
        show.numbers(groups.rejected, "rejected")
