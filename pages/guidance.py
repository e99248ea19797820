"""Guidance: what should I use, why, by what margin, and when would that change?"""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial

import streamlit as st

from dpslr_core.charts.recommended import error_parts, first_names
from dpslr_core.guidance.recommendation import sized_question
from dpslr_core.report.document import Report
from dpslr_core.report.guidance import report_on_guidance
from dpslr_core.report.scripts import guidance_command, guidance_script
from dpslr_core.text import guidance as text
from ui import show
from ui.ends import end_page
from ui.guidance import COLUMNS, USUAL_CHOICES, VIEWS, GuidanceAnswer, computed, guesses, is_decided
from ui.link import set_to, unused_of_link
from ui.page import answer, begin, chosen_view
from ui.plain import bullets, plain
from ui.planned import note_answer, steps
from ui.settings import link, settings, warn_of_file
from ui.takeaway import of_report, page_query, report_buttons, take_away, warnings

begin()
view = settings(algorithms=True, warned=False)
heading = st.container()
scenario, looked = guesses(view)
if looked:
    with heading:
        warn_of_file(view)
decided = is_decided(scenario)
try:
    question = sized_question(scenario, decided)
except ValueError as problem:
    st.warning(plain(f"Guidance has no answer: {problem}."))
    end_page()

picture, answer_place = st.container(), heading.container()
with heading:  # its bar stands where the earlier answer does
    recommendation = computed(question, looked)
with answer_place:
    answer(
        text.headline(recommendation),
        text.context(recommendation),
        text.basis(recommendation, looked),
    )
with picture:
    names = first_names(recommendation)
    show.vega(
        error_parts(recommendation, names), text.picture_sentence(recommendation, names), "evidence"
    )
with st.container(horizontal=True, vertical_alignment="center"):
    if recommendation.open and not decided:
        st.button(
            "Decide between them",
            key="decide_button",
            on_click=set_to,
            args=("decide", "true"),
            help=text.DECIDE,
        )
    with st.popover("Why Compare shows another number", type="tertiary"):
        st.markdown(bullets(text.why_another(recommendation)))
    note_answer("Guidance", recommendation.algorithm, None if looked else scenario.source)
    steps("guidance")

chosen_view("guidance", VIEWS)(GuidanceAnswer(view, scenario, looked, recommendation))
query = page_query(link(view), USUAL_CHOICES)
needs_file, warned = not view.grouped.reproducible, (*unused_of_link()(), *warnings())


def report() -> Report:
    axes, address = (view.x, view.y), f"/guidance?{query}"
    return report_on_guidance(recommendation, scenario, looked, address, axes, needs_file, warned)


report_buttons(
    "A page to hand on: answer, picture, evidence, what was guessed, what comes next.",
    query,
    report,
)
take_away(
    page="guidance",
    scenario=scenario,
    query=query,
    table=recommendation.evidence.rename(columns=COLUMNS),
    script=partial(guidance_script, scenario, decided, looked),
    command=guidance_command(decided),
    picture=lambda: of_report(report()),
)
