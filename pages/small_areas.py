"""Small areas: the same question in every one of many small data sets."""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.charts.areas import area_ratios
from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.guidance.decision import Decision
from dpslr_core.text import areas as text
from dpslr_core.text.data import BEYOND_GUESSES, beyond_sentence
from dpslr_core.text.phrases import joined
from ui import decision, show
from ui.areas import VIEWS, Areas
from ui.ends import end_page
from ui.link import LINK, same_tab
from ui.page import answer, begin, chosen_view, who_chooses
from ui.plain import plain
from ui.planned import plan_link
from ui.pooling import HELP_HELP, pooled_shares
from ui.settings import point_choice, settings, simulated_areas

FLAT_HELP = "A flat line has no slope, as NoisyIntercept's. It counts as passing only where this is on."
STATE: dict[str, Any] = {"source": "state", "epsilon": 16}
EXAMPLES: dict[str, dict[str, Any]] = {
    "a simulated state of 300 census tracts": STATE,
    "one where children follow their parents closely": STATE | {"elasticity": 0.6},
    "the sample of tracts": {"source": "sample", "sample": "tracts", "epsilon": 16},
    "bike share, 288 sets by month and hour": {"source": "uci", "uci": "bikes"},
}

begin("Small areas")
view = settings()
alone = len(view.grouped.groups) < 2  # an answer on simulated areas stands in
if alone:
    view = simulated_areas(view)
heading, s = st.empty(), view.scenario
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    at = point_choice(view)
    question, target = decision.question_choice(), decision.target_choice()
picture, below = st.empty(), st.empty()
with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    flat = st.toggle("Count flat lines", key="flat_lines", help=FLAT_HELP, **LINK)
    helped = st.toggle("Let areas help each other", key="help_each_other", help=HELP_HELP, **LINK)
    guessed = not alone and st.toggle("On public guesses", key="area_guesses", help=decision.GUESSES_HELP, **LINK)
    every = decision.every_area(len(view.grouped.planned_sizes if guessed else view.grouped.usable))
if alone:
    links = ", ".join(same_tab("small_areas", query, label) for label, query in EXAMPLES.items())
    st.markdown(
        "Your data set is only one area, so these areas are simulated. Open "
        f"{links}, or upload a table with a group column on {same_tab('data', {'source': 'upload'}, 'Data')}.",
        unsafe_allow_html=True,
    )
view = decision.on_guesses(view) if guessed else view
areas = Areas(view, at, flat, every)
groups, stages, measured = areas.groups, areas.stages(), pd.DataFrame()
beyond = beyond_sentence(groups.datasets.values(), view.x, at, simulated=guessed)
of_all = beyond.endswith("records.")  # then it is part of the answer
about = text.context(view, at)
for number, stage in enumerate(stages, 1):
    measured = pd.concat([measured, areas.measured(stage)])
    pending = [mechanism.name for later in stages[number:] for mechanism in later]
    ranked = ranked_shares(measured, s.admitted, s.epsilon, s.accounting, areas.flat)
    warned = BEYOND_GUESSES if guessed and beyond else ""
    notes = joined(text.notes(ranked, len(groups.rejected), pending, areas.flat), "" if of_all else beyond, warned)
    with heading.container():
        answer(joined(text.headline(ranked, areas.count), beyond if of_all else ""), about)
    below.caption(plain(notes))
nothing = stages and text.nothing_passes(ranked, areas.count)


def decide(decided: Decision, early: bool = False) -> None:
    """The decision in the place of what was there before; early: as more areas are to come."""
    if not decided.count or nothing:
        return
    with heading.container():
        said = joined(decision.text.headline(decided), beyond if of_all else "")
        answer(said, f"{about} {decision.text.target_sentence(decided)}")
    with picture.container():
        decision.picture(decided, None if early else pooled, early)


decided = decision.decision_of(areas, question, target, partial(decide, early=True)) if stages else None
pooled = pooled_shares(areas, question) if helped and stages else None
if decided is not None and decided.count and not nothing:
    decide(decided)
    below.caption(plain(f"{decision.text.question_sentence(decided)} {notes}"))
    decision.tables(areas, decided)
elif stages and (measured["standard_error"] > 0).any():
    names = text.beside_each_other(ranked)
    with picture.container():
        show.vega(area_ratios(measured, names, view.y), text.picture_sentence(measured, names), "areas")
if not stages:
    with heading.container():
        answer("No differentially private algorithm is chosen.", "Choose at least one in the sidebar.")

private = decision.text.ON_GUESSES if guessed else f"All numbers on this page are {areas.view.computed}."
st.caption(f"{private} {plain(text.cost_sentence(view, areas.trials))}")
plan_link("Small areas", decided.mechanism if decided else None, view.scenario.source if guessed else None)
if guessed or alone:
    end_page()
chosen_view("area_details", VIEWS)(areas, measured, decided, pooled)
who_chooses("Small areas")

if len(groups.rejected):
    with st.expander(f"{len(groups.rejected):,} groups are left out"):
        show.numbers(groups.rejected, "rejected")
