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
view = settings(algorithms=True)
scenario, looked = guesses(view)
heading = st.container()
chosen, budget = view.scenario.admitted, view.scenario.budget
none = WEAKER not in {guarantee_class(mechanism, budget.epsilon, budget.accounting) for mechanism in chosen}
weaker = st.toggle(
    "Also recommend algorithms with a weaker guarantee than ε-differential privacy", False, key="weaker", **BOUND,
    disabled=none, help="zCDP and (ε, δ) algorithms add less noise and promise less."
    f"{' None of them is chosen in the sidebar.' if none else ''}",
)  # fmt: skip
try:
    asked = sized_question(scenario, weaker)
except ValueError as problem:
    st.warning(plain(problem))
    end_page()
with heading:
    recommendation = draw_answer(asked, looked)
details(Answered(view, scenario, looked, weaker, recommendation))
