"""Guidance: what should I use, why, by what margin, and when would that change?"""

import pandas as pd
import streamlit as st

from dpslr_core.guidance import advice
from dpslr_core.guidance.rules import factors
from ui import guidance_runs, guidance_sections
from ui.guesses import guesses
from ui.plain import plain
from ui.settings import begin, settings

begin("Guidance")
view = settings()
if not view.scenario.compared:
    st.info("Choose at least one algorithm in the sidebar.")
    st.stop()
base, looked = guesses(view)
weaker = st.toggle(
    "Also recommend algorithms with a weaker guarantee than ε-differential privacy", False, key="weaker",
    bind="query-params", help="zCDP and (ε, δ) algorithms add less noise and promise less.",
)  # fmt: skip
try:
    recommendation = guidance_runs.recommendation(base, weaker)
except ValueError as problem:
    st.warning(plain(problem))
    st.stop()

st.subheader(f"Use {recommendation.algorithm}" if recommendation.algorithm else "Nothing answers often enough")
st.markdown(advice.answer(recommendation))

st.subheader("Why")
st.markdown(f"{advice.reason(recommendation)} {advice.agreement(recommendation)}")
table = pd.DataFrame(factors(recommendation.circumstances), columns=["quantity", "value", "what it means"])
st.table(table.set_index("quantity"))

st.subheader("When the recommendation changes")
places = st.container()  # filled last: it takes longest

st.subheader("Evidence")
guidance_sections.evidence(recommendation)
guidance_sections.map_section(recommendation, base, weaker)
guidance_sections.required_section(recommendation, view)
guidance_sections.private_choice(recommendation, looked)

with places:
    points = guidance_runs.switch_points(recommendation)
    st.markdown("\n".join(f"- {advice.switch_sentence(recommendation, point)}" for point in points))
st.subheader("For the memo")
st.code(advice.methods_text(recommendation, points, looked), language=None, wrap_lines=True)
