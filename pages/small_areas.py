"""Small areas: the same question in every one of many small data sets."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.charts.areas import area_ratios
from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.text import areas as text
from dpslr_core.text.data import beyond_sentence
from dpslr_core.text.phrases import joined
from ui import decision, show
from ui.areas import ALL_ON_REQUEST, ON_REQUEST, VIEWS, Areas
from ui.controls import BOUND
from ui.link import same_tab
from ui.page import answer, begin, chosen_view, who_chooses
from ui.plain import plain
from ui.private_names import end_page
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
if alone:
    links = ", ".join(same_tab("small_areas", query, label) for label, query in EXAMPLES.items())
    st.markdown(
        "Your data set is only one area, so these areas are simulated. Open "
        f"{links}, or upload a table with a group column on {same_tab('data', {'source': 'upload'}, 'Data')}.",
        unsafe_allow_html=True,
    )
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    at = point_choice(view)
    question, target = decision.question_choice(), decision.target_choice()
    flat = st.toggle("Count flat lines", key="flat_lines", help=FLAT_HELP, **BOUND)
    if alone:
        guessed = False
    else:
        guessed = st.toggle("On public guesses", key="area_guesses", help=decision.GUESSES_HELP, **BOUND)
view = decision.on_guesses(view) if guessed else view
areas = Areas(view, at, flat)
picture, drawn = st.empty(), None
groups, stages, measured = areas.groups, areas.stages(), pd.DataFrame()
count = len(groups.datasets)
beyond = beyond_sentence(groups.datasets.values(), view.x, at)
of_all = beyond.endswith("all records.")  # then it is part of the answer
complete = seek = count < ON_REQUEST  # algorithms without an exact law are measured, the epsilons are sought
if not seek:
    everything = "Measure all algorithms, and find" if count >= ALL_ON_REQUEST else "Find"
    label = f"{everything} the smallest ε at which each of the {count:,} areas passes (this takes a while)"
    seek = st.toggle(label, key="find_epsilons", **BOUND)
    complete = seek or count < ALL_ON_REQUEST
for number, stage in enumerate(stages if complete else stages[:1], 1):
    measured = pd.concat([measured, areas.measured(stage)])
    pending = [mechanism.name for later in stages[number:] for mechanism in later]
    ranked = ranked_shares(measured, s.admitted, s.epsilon, s.accounting, areas.flat)
    with heading.container():
        about = joined(text.context(view, at, ranked, len(groups.rejected), pending, areas.flat), beyond)
        answer(joined(text.headline(ranked, count), beyond if of_all else ""), about)
    names = text.beside_each_other(ranked)
    above = not seek or text.nothing_passes(ranked, count)  # else the picture is that of the decision
    if above and names != drawn and (measured["standard_error"] > 0).any():
        with picture.container():
            key = "areas" if drawn is None else "areas_again"
            show.vega(area_ratios(measured, names, view.y), text.picture_sentence(measured, names), key)
    drawn = names
decided = decision.decision_of(areas, question, target) if seek and stages else None
if decided is not None and decided.count and not text.nothing_passes(ranked, count):
    with heading.container():
        said = joined(decision.text.headline(decided), beyond if of_all else "")
        answer(said, f"{decision.text.question_sentence(decided)} {about}")
    with picture.container():
        decision.picture(decided)
    decision.tables(areas, decided)
if not stages:
    with heading.container():
        answer("No differentially private algorithm is chosen.", "Choose at least one in the sidebar.")

private = decision.text.ON_GUESSES if guessed else text.SIMULATED if alone else text.NOT_PRIVATE
st.caption(f"{private} {plain(text.cost_sentence(view, areas.trials))}")
if guessed or alone:
    end_page()
chosen_view("area_details", VIEWS)(areas, measured, decided)
who_chooses("Small areas")

if len(groups.rejected):
    with st.expander(f"{len(groups.rejected):,} groups are left out"):
        show.numbers(groups.rejected, "rejected")
