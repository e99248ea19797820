"""The crossings of a sweep, read out in words."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.mechanisms.matchings import plain_name
from dpslr_core.sweeps import Sweep
from dpslr_core.sweeps.crossings import crossings

from .plain import bullets
from .settings import View
from .sweep_controls import Plan
from .sweep_words import changes, in_units, names_of, private_names


def read_crossings(sweep: Sweep, plan: Plan, view: View) -> None:
    """Where the lead changes among the private algorithms, then the crossings of any pair."""
    st.subheader("Where the curves cross")
    if len(private_names(plan)) > 1:
        told = changes(sweep, plan, view)
        st.markdown(bullets(told) or "The same private algorithm leads throughout.")
    names = names_of(plan)
    if len(names) < 2:
        return
    left, right = st.columns(2)
    first = left.selectbox("Crossings of", names, 0, key="crossing_first", bind="query-params")
    second = right.selectbox("and", names, _usual_second(names), key="crossing_second", bind="query-params")
    if first == second:
        st.caption("Choose two different algorithms.")
        return
    told = [in_units(crossing, view).sentence for crossing in crossings(sweep, first, second)]
    st.markdown(bullets(told) or _apart(sweep.frame, first, second))


def _usual_second(names: list[str]) -> int:
    """The place of DPExpTheilSen, which the paper compares with NoisyStats, or of the second algorithm."""
    return next((i for i, name in enumerate(names) if i and plain_name(name) == "DPExpTheilSen"), 1)


def _apart(frame: pd.DataFrame, first: str, second: str) -> str:
    """What two curves without a crossing have to say."""
    wide = frame.pivot(index="value", columns="mechanism", values="mean")[[first, second]]
    below, above = int((wide[first] < wide[second]).sum()), int((wide[second] < wide[first]).sum())
    if below and not above:
        return f"{first} has the smaller error throughout."
    if above and not below:
        return f"{second} has the smaller error throughout."
    return "These two cannot be told apart." if below or above else "These two have the same error."
