"""Methods: a card per algorithm, from its dataclass."""

from ui.first import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.mechanisms import algorithms
from dpslr_core.text.methods import CONVENTIONS, FLOATING_POINT, NOT_BUILT
from ui.methods import NOT_HERE, card, contents, kinds_of_guarantee
from ui.page import answer, begin

begin("Methods", settings="none")
count = sum(algorithm().guarantee(1.0).private for algorithm in algorithms())
others = len(algorithms()) - count
counted = f"{count} private algorithms, each with its formula and its guarantee."
answer(f"{counted} {others} more are not private, to compare with.")
contents(algorithms())
st.markdown(CONVENTIONS)
kinds_of_guarantee()
st.caption(FLOATING_POINT)
said: dict[str, str] = {}
for algorithm in algorithms():
    card(algorithm, said)
st.subheader("Not here, and why", anchor=NOT_HERE)
for name, why in NOT_BUILT.items():
    st.markdown(f"- **{name}.** {why}")
