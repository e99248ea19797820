"""Methods: a card per algorithm, from its dataclass."""

import streamlit as st

from dpslr_core.mechanisms import MECHANISMS
from ui.cards import card, conventions
from ui.settings import run_under_app

run_under_app()
st.title("Methods")
conventions()
for algorithm in MECHANISMS:
    card(algorithm)
