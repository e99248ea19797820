"""Guidance: what should I use, why, by what margin, and where would it flip?"""

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
    found = guidance_runs.recommendation(base, weaker)
except ValueError as problem:
    st.warning(plain(problem))
    st.stop()

st.subheader(f"Use {found.algorithm}" if found.algorithm else "Nothing answers often enough")
st.markdown(advice.answer(found))

st.subheader("Why")
st.markdown(f"{advice.reason(found)} {advice.agreement(found)}")
table = pd.DataFrame(factors(found.circumstances), columns=["quantity", "value", "what it means"])
st.table(table.set_index("quantity"))

st.subheader("Where it would flip")
places = st.container()  # filled last: it takes longest

st.subheader("Evidence")
guidance_sections.evidence(found)
guidance_sections.map_section(found, base, weaker)
guidance_sections.backwards_section(found, view)
guidance_sections.private_choice(found, looked)

with places:
    flips = guidance_runs.flips(found)
    st.markdown("\n".join(f"- {advice.flip_sentence(found, flip)}" for flip in flips))
st.subheader("For the memo")
st.code(advice.methods_text(found, flips, looked), language=None, wrap_lines=True)
