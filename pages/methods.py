"""Methods: six ideas, and behind each name the card of an algorithm."""

from ui.first import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.mechanisms import algorithms
from dpslr_core.text.methods import (
    CLICK,
    CONVENTIONS,
    FLOATING_POINT,
    NOT_BUILT,
    headline,
    measured_on,
)
from ui.methods import all_ranked, ideas, kinds_of_guarantee, open_card, tiles
from ui.page import answer, begin
from ui.settings import DEFAULT

begin(settings="none")
groups = ideas(all_ranked(algorithms()))
answer(headline(groups), measured_on(DEFAULT), CLICK)
tiles(groups)
with st.container(horizontal=True):
    with st.popover("Not built, and why", type="tertiary"):
        for name, why in NOT_BUILT.items():
            st.markdown(f"- **{name}.** {why}")
    with st.popover("How error is measured", type="tertiary"):
        st.markdown(CONVENTIONS)
    kinds_of_guarantee()
    with st.popover("What digits and time can tell", type="tertiary"):
        st.markdown(FLOATING_POINT)
open_card(algorithms())
