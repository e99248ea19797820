"""Start: what is this, in one screen."""

import streamlit as st

from ui.presets import PRESETS, story
from ui.settings import begin

begin("Which private regression line?")
st.markdown(
    "**For data like mine, at this privacy budget, which differentially private simple-linear-regression algorithm "
    "should I use, and is its noise smaller than the sampling error I already live with?**"
)
st.markdown(
    "A regression on few people can reveal information about one of them. Differentially private algorithms add noise, "
    "and more noise where there are fewer records. Whether that matters depends on the algorithm: the best algorithm's "
    "noise may be below the standard error, while the worst swamps the estimate. Choose data and a budget in the "
    "sidebar, then see **Data** for what you have, **Compare** for what each "
    "algorithm makes of it, **Sweep** for how that changes with one parameter, **Small areas** for many data sets at "
    "once, and **Guidance** for which algorithm to use without looking at the data."
)
st.subheader("Stories to start from")
for start in range(0, len(PRESETS), 3):
    for column, preset in zip(st.columns(3), PRESETS[start : start + 3], strict=False):
        with column:
            story(preset)
st.caption(
    "The method follows Alabi, McMillan, Sarathy, Smith and Vadhan, *Differentially Private Simple Linear "
    "Regression*; where the paper is wrong in print, **Methods** says so and what is done instead."
)
