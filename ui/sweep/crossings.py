"""The crossings of a sweep, read out in words."""

from __future__ import annotations

import streamlit as st

from dpslr_core.mechanisms.theil_sen.matchings import plain_name
from dpslr_core.sweeps import Sweep
from dpslr_core.text.crossings import lead_sentences, pair_sentences

from ..controls import BOUND
from ..plain import bullets
from ..settings import View
from .controls import Plan


def read_crossings(sweep: Sweep, plan: Plan, view: View) -> None:
    """Where the lead changes among the private algorithms, then the crossings of any pair."""
    st.subheader("Where the curves cross")
    if changes := lead_sentences(sweep, plan.private, view.x):
        st.markdown(bullets(changes))
    names = plan.names
    if len(names) < 2:
        return
    left, right = st.columns(2)
    first = left.selectbox("Crossings of", names, 0, key="crossing_first", **BOUND)
    second = right.selectbox("and", names, _usual_second(names), key="crossing_second", **BOUND)
    if first == second:
        st.caption("Choose two different algorithms.")
        return
    st.markdown(bullets(pair_sentences(sweep, first, second, view.x)))


def _usual_second(names: list[str]) -> int:
    """The place of DPExpTheilSen, which the paper compares with NoisyStats, or of the second algorithm."""
    return next((i for i, name in enumerate(names) if i and plain_name(name) == "DPExpTheilSen"), 1)
