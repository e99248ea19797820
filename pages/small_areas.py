"""Small areas: the same question in every one of many small data sets."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import pandas as pd
import streamlit as st

from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.text.areas import NOT_PRIVATE, context, cost_sentence, headline
from ui import show
from ui.areas import VIEWS, draw_picture, flat_lines, nothing_to_compare, wanted
from ui.page import answer, begin, chosen_view
from ui.plain import plain
from ui.runs import areas as runs
from ui.settings import point_choice, settings

begin("Small areas")
view = settings()
if len(view.grouped.groups) < 2:
    nothing_to_compare()

heading = st.empty()
at, flat = point_choice(view), flat_lines()
picture, drawn = st.empty(), None
groups, stages, measured = runs.groups_of(view.grouped), runs.stages(view), pd.DataFrame()
complete, seek = wanted(view)
for number, stage in enumerate(stages if complete else stages[:1], 1):
    measured = pd.concat([measured, runs.measured_at(view, at, stage)])
    s, pending = view.scenario, [mechanism.name for later in stages[number:] for mechanism in later]
    ranked = ranked_shares(measured, s.admitted, s.epsilon, s.accounting, flat)
    told = context(view, at, ranked, len(groups.rejected), pending, flat)
    with heading.container():
        answer(headline(ranked, len(groups.datasets)), told)
    drawn = draw_picture(picture, view, measured, ranked, drawn)
if not stages:
    with heading.container():
        answer("No differentially private algorithm is chosen.", "Choose at least one in the sidebar.")

st.caption(f"{NOT_PRIVATE} {plain(cost_sentence(view, runs.area_trials(view)))}")
chosen_view("area_details", VIEWS)(view, at, measured, seek, flat)

if len(groups.rejected):
    with st.expander(f"{len(groups.rejected):,} groups are left out"):
        show.numbers(groups.rejected, "rejected")
