"""Methods: a card per algorithm, from its dataclass."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.mechanisms import algorithms
from dpslr_core.text.methods import CONVENTIONS, FLOATING_POINT, NOT_BUILT
from ui.methods import card
from ui.page import answer, begin

begin("Methods", settings="none")
count = sum(algorithm().guarantee(1.0).private for algorithm in algorithms())
others = len(algorithms()) - count
said = f"{count} private algorithms, each with its formula and its guarantee."
answer(f"{said} {others} more are not private, to compare with.")
st.markdown(CONVENTIONS)
st.caption(FLOATING_POINT)
for algorithm in algorithms():
    card(algorithm)
st.subheader("Not here, and why", anchor="not-here")
for name, why in NOT_BUILT.items():
    st.markdown(f"- **{name}.** {why}")
