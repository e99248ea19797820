"""Guidance: what should I use, why, by what margin, and when would that change?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.charts.ranked import ranked_evidence
from dpslr_core.experiments.ranking import WEAKER, guarantee_class
from dpslr_core.guidance.recommendation import sized_question
from dpslr_core.report.document import Report
from dpslr_core.report.guidance import report_on_guidance
from dpslr_core.report.scripts import guidance_command, guidance_script
from dpslr_core.text import guidance as text
from ui import show
from ui.ends import end_page
from ui.guidance import COLUMNS, USUAL_CHOICES, VIEWS, Answered, guesses, stages
from ui.link import LINK, unused_of_link
from ui.moved import NAMED
from ui.page import answer, begin, chosen_view, who_chooses
from ui.plain import plain
from ui.settings import link, settings
from ui.takeaway import drawn, page_query, report_buttons, take_away, warnings

begin("Guidance")
view = settings(algorithms=True)
scenario, looked = guesses(view)
heading = st.container()
chosen, budget = view.scenario.admitted, view.scenario.budget
none = WEAKER not in {guarantee_class(mechanism, budget) for mechanism in chosen}
weaker = st.toggle(
    "Also recommend algorithms with a weaker guarantee than ε-differential privacy", False, key="weaker", **LINK,
    disabled=none, help="zCDP and (ε, δ) algorithms add less noise and promise less."
    f"{' None of them is chosen in the sidebar.' if none else ''}",
)  # fmt: skip
try:
    asked = sized_question(scenario, weaker)
except ValueError as problem:
    st.warning(plain(f"Guidance has no answer: {problem}."))
    end_page()

with heading:
    place, working = st.empty(), st.empty()
    with working:
        for stage, (first, recommendation) in enumerate(stages(asked, looked)):
            told = text.evidence_sentence(recommendation)
            with place.container():  # each answer in the place of the one before
                answer(text.headline(recommendation), text.context(recommendation, looked, first))
                show.vega(ranked_evidence(recommendation), told, f"evidence_{stage}")
                st.caption(plain(text.ERROR_CAPTION))

st.session_state[NAMED] = recommendation.algorithm, "Guidance"
chosen_view("guidance", VIEWS)(Answered(view, scenario, looked, recommendation))
who_chooses("Guidance")
query = page_query(link(view), USUAL_CHOICES)
needs_file, warned = not view.grouped.reproducible, (*unused_of_link()(), *warnings())


def report() -> Report:
    axes, address = (view.x, view.y), f"/guidance?{query}"
    return report_on_guidance(recommendation, scenario, looked, address, axes, needs_file, warned)


report_buttons("A page to hand on: answer, picture, evidence, what was guessed, what comes next.", query, report)
take_away(
    page="guidance", scenario=scenario, query=query,
    table=recommendation.evidence.rename(columns=COLUMNS),
    script=partial(guidance_script, scenario, weaker, looked), command=guidance_command(weaker),
    picture=lambda: drawn(ranked_evidence(recommendation), told),
)  # fmt: skip
