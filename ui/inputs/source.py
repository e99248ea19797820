"""The choice of where data come from, in the sidebar. Every widget is bound to the link."""

from __future__ import annotations

import streamlit as st

from dpslr_core.sources.choices import SimulatedState, Synthetic
from dpslr_core.sources.linear import ERROR_SHAPES, X_SHAPES
from dpslr_core.sources.tract_models import STATES

from .. import controls
from ..controls import BOUND, USUAL


def source_choice() -> None:
    """Where the data come from; a state and its tracts, or a data set, where there are several."""
    st.radio(
        "Source", list(controls.SOURCES), captions=list(controls.SOURCES.values()), key="source",
        on_change=_forget_points, **BOUND,
    )  # fmt: skip
    source = st.session_state["source"]
    if source == "state":
        _state()
    elif source in ("sample", "uci"):
        titles = controls.SAMPLE_TITLES if source == "sample" else controls.UCI_TITLES
        st.selectbox("Data set", list(titles), key=source, on_change=_forget_points, **BOUND)
        st.caption(titles[st.session_state[source]])


def _state() -> None:
    """The state that the tracts are like, how many there are, and how income is passed on."""
    st.selectbox("Like", list(STATES), key="state", on_change=_take_elasticity, **BOUND)
    counts = "; ".join(f"{name} has {state.tracts:,}" for name, state in STATES.items())
    st.select_slider(
        "Tracts", controls.TRACTS, value=USUAL["state"]["tracts"], key="tracts", help=f"{counts}.", **BOUND
    )
    fits = "; ".join(f"{name} {state.beta}" for name, state in STATES.items())
    elasticity = SimulatedState.model_fields["elasticity"]
    st.select_slider(
        str(elasticity.title), controls.ELASTICITIES, value=elasticity.default, key="elasticity", **BOUND,
        help=f"{elasticity.description} What fits the public data: {fits}.",
    )  # fmt: skip
    data_seed()


def _take_elasticity() -> None:
    """That of the state that was chosen."""
    st.session_state["elasticity"] = STATES[st.session_state["state"]].beta


def shapes() -> None:
    """Of x and of the errors of synthetic data: the paper's, and others that are harder for some algorithms."""
    for key, shapes in (("x_shape", X_SHAPES), ("error_shape", ERROR_SHAPES)):
        label = str(Synthetic.model_fields[key].title)
        st.selectbox(label, list(shapes), key=key, help="; ".join(shapes.values()).capitalize() + ".", **BOUND)


def data_seed() -> None:
    """Of simulated data."""
    seed = Synthetic.model_fields["data_seed"]
    st.number_input(str(seed.title), 0, controls.LARGEST_SEED, seed.default, key="data_seed", **BOUND)


def _forget_points() -> None:
    """Points typed in one data set's units mean nothing in another's."""
    if st.session_state.get("x_new"):
        st.session_state["x_new"] = ""
