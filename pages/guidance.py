"""Guidance: what should I use, why, by what margin, and when would that change?"""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.experiments.ranking import WEAKER, guarantee_class
from dpslr_core.guidance.recommendation import sized_question
from ui.controls import BOUND
from ui.guidance import Answered, details, draw_answer, guesses
from ui.page import begin
from ui.plain import plain
from ui.private_names import end_page
from ui.settings import settings

begin("Guidance")
view = settings()
if not view.scenario.admitted:
    st.info("Choose at least one algorithm in the sidebar.")
    end_page()

guessed = guesses(view)
heading = st.container()
scenario = view.scenario
classes = {guarantee_class(mechanism, scenario.epsilon, scenario.accounting) for mechanism in scenario.admitted}
weaker = st.toggle(
    "Also recommend algorithms with a weaker guarantee than ε-differential privacy", False, key="weaker", **BOUND,
    disabled=WEAKER not in classes, help="zCDP and (ε, δ) algorithms add less noise and promise less. None of them "
    "is chosen in the sidebar." if WEAKER not in classes else "zCDP and (ε, δ) algorithms add less noise and promise "
    "less.",
)  # fmt: skip
try:
    asked = sized_question(guessed.scenario, weaker)
except ValueError as problem:
    st.warning(plain(problem))
    end_page()

with heading:
    recommendation = draw_answer(asked, guessed.looked)
details(Answered(view, guessed, weaker, recommendation))
