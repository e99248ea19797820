"""The cards of the Methods page: everything on them is read off the algorithm's dataclass."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pandas as pd
import streamlit as st

from dpslr_core.guidance.winner_map import against_the_paper
from dpslr_core.mechanisms import Mechanism

from .guidance_runs import stored_map
from .plain import plain
from .settings import value


def conventions() -> None:
    """What holds for all algorithms."""
    st.markdown(
        "All work on records in the unit square and release predictions at one or more points. Neighbouring data "
        "sets differ by **replacing one record**; n is public; **ε is the total** for all points released together. "
        "The error is $C(68)$: 68% of the releases are within it of the OLS prediction, compared with the standard "
        r"error $\hat\sigma = \frac{\|y-\hat\alpha x-\hat\beta\|}{\sqrt{n-2}}\sqrt{\frac1n+\frac{(x_{new}-\bar x)^2}"
        r"{n\,\mathrm{var}(x)}}$."
    )
    st.caption(
        "Noise is drawn with floating-point numbers by numpy; a release of real secrets also needs a sampler hardened "
        "against floating-point attacks and a source of cryptographic randomness."
    )


def findings() -> None:
    """Where what is measured here differs from what the paper concludes."""
    with st.expander("Where the evidence differs from the paper's guidance"):
        try:
            st.markdown(against_the_paper(stored_map()))
        except (OSError, ValueError) as problem:
            st.warning(plain(problem))
        st.markdown(
            "The paper's rule of thumb does not know NoisyIntercept, a flat line: where ε n var(x) is small and the "
            "points are near the mean of x it can be the best of all. Nor does it know DPExpTheilSen over all pairs "
            "for thousands of records, which stays ahead of NoisyStats for longer than ten matchings do. In units of "
            "the standard error DPExpTheilSen hardly depends on σₑ²; NoisyStats does, and DPWideTheilSen by its θ."
        )


def card(algorithm: type[Mechanism]) -> None:
    """Docstring, guarantee, ledger, hyperparameters, corrections."""
    epsilon = float(value("epsilon", 2))
    mechanism = algorithm()
    guarantee = mechanism.guarantee(epsilon)
    with st.container(border=True):
        left, right = st.columns([4, 1])
        left.subheader(mechanism.name, anchor=mechanism.name)
        right.badge(str(guarantee), color="blue" if guarantee.private else "orange")
        st.markdown(inspect.getdoc(algorithm) or "")
        if reason := getattr(guarantee, "reason", ""):
            st.markdown(f"No guarantee: {reason}.")
        if spends := mechanism.ledger(epsilon):
            st.markdown(
                "Budget: " + "; ".join(f"{s.what} **{s.share:.3g}**" for s in spends) + f" — in all {epsilon:g}."
            )
        if fields(algorithm):
            st.dataframe(_hyperparameters(algorithm), hide_index=True, width="stretch")
        for correction in algorithm.corrections:
            st.markdown(f"*Corrected from print.* {correction}")
        if algorithm.source:
            st.caption(f"Source: {algorithm.source}.")


def _hyperparameters(algorithm: type[Mechanism]) -> pd.DataFrame:
    rows = [
        {"name": f.name, "default": "all pairs" if f.default is None else str(f.default), "meaning": f.metadata["help"]}
        for f in fields(algorithm)
    ]
    return pd.DataFrame(rows).rename(columns={"name": "hyperparameter"})
