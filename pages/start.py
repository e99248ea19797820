"""Start: what is this, in one screen."""

from ui.first import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from ui.link import same_tab
from ui.page import TOOL, answer, begin
from ui.presets import PRESETS, balanced_rows

begin(TOOL)
answer("Which private regression line should I use, and is its error below my sampling error?")
st.markdown(
    "A regression on few people can reveal information about one of them. Differentially private algorithms add noise. "
    "The best algorithm's error may be below the standard error; the worst swamps the estimate. Choose a privacy "
    "budget ε and data on the left, or start from an example."
)
for row in balanced_rows(PRESETS):
    for column, preset in zip(st.columns(len(row)), row, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{preset.title}**")
            st.markdown(preset.text)
            query = preset.scenario.to_query()
            st.markdown(same_tab(preset.page, query, f"Open: {preset.title}"), unsafe_allow_html=True)
st.caption(
    "The method follows Alabi, McMillan, Sarathy, Smith and Vadhan, *Differentially Private Simple Linear "
    "Regression*. Where the paper is wrong in print, **Methods** says so and what is done instead."
)
