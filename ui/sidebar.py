"""The sidebar that all pages share. Every widget is bound to the link."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

import streamlit as st

from dpslr_core.experiments.sweep.ranges import NAMED
from dpslr_core.mechanisms import Mechanism, algorithms
from dpslr_core.scenario import field_type, format_points, mechanism_named, parse_points
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.linear import ERROR_SHAPES, X_SHAPES
from dpslr_core.sources.uci import DataUnavailable
from dpslr_core.text.phrases import bounds_of, in_full

from . import controls
from .controls import BOUND, DEFAULT, EPSILON, USUAL
from .inputs.accounting import accounting_choice
from .inputs.algorithms import algorithm_choice
from .inputs.link_value import PAGE
from .inputs.number import ends, slider_and_number
from .links import refuse_endless_numbers
from .plain import plain
from .settings import axes, current_grouped, hyperparameter_values, ordered_algorithms, points


def draw() -> None:
    """Data, budget, points, algorithms, trials: everything that determines a result."""
    refuse_endless_numbers()
    try:
        algorithms()
    except ValueError as problem:  # of the file with algorithms of the user's own
        st.error(plain(problem))
        st.stop()
    with st.sidebar:
        epsilon = slider_and_number("epsilon", EPSILON, DEFAULT.epsilon, _varied("epsilon"))
        ends("← more private", "more accurate →")
        accounting_choice(epsilon)
        grouped = _data()
        if grouped is not None:
            _points(grouped)
        _algorithms()
        with st.expander("Trials and seed", key="trials_and_seed"):
            _trials()
        st.caption(controls.LOOKING)


def _data() -> GroupedData | None:
    """The choice of data, folded to a line that names them; its numbers stay in sight."""
    named = str(st.session_state.get("data_line", ""))
    with st.expander(f"Data: {named}" if named else "Data", key="data_choice"):
        _source()
    kind = st.session_state["source"]
    if kind == "synthetic":
        for key in ("n", "var_x", "var_e"):
            slider_and_number(key, controls.SLIDERS[key], USUAL["synthetic"][key], _varied(key))
        with st.expander("Line, shapes and seed of the data", key="line_and_seed"):
            for key in ("slope", "intercept"):
                slider_and_number(key, controls.SLIDERS[key], USUAL["synthetic"][key], _varied(key))
            _shapes()
            _data_seed()
    grouped = _grouped_or_sentence()
    if grouped is not None:
        _group(grouped)
    _records_per_person()
    line = _data_line(grouped)
    if line != named:  # the line above was drawn before the data were known
        st.session_state["data_line"] = line
        st.rerun()
    return grouped


def _varied(key: str) -> str:
    """Why a number does nothing now: the Sweep page varies it."""
    name = st.session_state.get("vary", st.query_params.get("vary", "n"))
    varies = st.session_state.get(PAGE) == "sweep" and NAMED.get(str(name)) == key
    return "The Sweep page varies it: its range is set there." if varies else ""


def _data_line(grouped: GroupedData | None) -> str:
    """What the folded choice of data says."""
    if grouped is None:
        return "none yet"
    return plain(grouped.name)


def _source() -> None:
    st.radio(
        "Source", list(controls.SOURCES), captions=list(controls.SOURCES.values()), key="source",
        on_change=_forget_points, **BOUND,
    )  # fmt: skip
    source = st.session_state["source"]
    if source == "state":
        st.select_slider(
            "Tracts", controls.TRACTS, value=USUAL["state"]["tracts"], key="tracts", help="Illinois has 3,108.", **BOUND
        )
        st.select_slider(
            "Income elasticity", controls.ELASTICITIES, value=USUAL["state"]["elasticity"], key="elasticity", **BOUND,
            help="By how many percent children's expected income grows with 1% more of their parents'. 0.0654 fits the "
            "public data of Illinois; the larger it is, the steeper the lines and the less noise about them.",
        )  # fmt: skip
        _data_seed()
    elif source in ("sample", "uci"):
        titles = controls.SAMPLE_TITLES if source == "sample" else controls.UCI_TITLES
        st.selectbox("Data set", list(titles), key=source, on_change=_forget_points, **BOUND)
        st.caption(titles[st.session_state[source]])


def _shapes() -> None:
    """Of x and of the errors of synthetic data: the paper's, and others that are harder for some algorithms."""
    for key, label, shapes in (
        ("x_shape", "Distribution of x", X_SHAPES),
        ("error_shape", "Errors about the line", ERROR_SHAPES),
    ):
        st.selectbox(label, list(shapes), key=key, help="; ".join(shapes.values()).capitalize() + ".", **BOUND)


def _data_seed() -> None:
    st.number_input("Seed of the data", 0, controls.LARGEST_SEED, 0, key="data_seed", **BOUND)


def _forget_points() -> None:
    """Points typed in one data set's units mean nothing in another's."""
    if st.session_state.get("x_new"):
        st.session_state["x_new"] = ""


def _grouped_or_sentence() -> GroupedData | None:
    try:
        return current_grouped()
    except (DataUnavailable, ValueError) as problem:
        st.caption(plain(problem))
        return None


def _group(grouped: GroupedData) -> None:
    """The choice of a group; one that a link names and the data lack is said."""
    usable = list(grouped.usable)
    linked = st.query_params.get("group", "")
    if "group" not in st.session_state and linked and linked not in usable:
        st.session_state["unknown_group"] = linked
    if len(usable) > 1:
        st.selectbox(f"Group ({len(usable):,})", usable, key="group", **BOUND)
    unknown = st.session_state.get("unknown_group")
    if unknown and st.session_state.get("group", usable[0]) == usable[0]:
        st.warning(plain(f"The link names the group {unknown!r}, which is not in these data. Showing {usable[0]}."))


def _records_per_person() -> None:
    """The unit of privacy: how many records of one person the guarantee covers."""
    st.number_input(
        "Records per person, at most", 1, controls.MOST_RECORDS, DEFAULT.records_per_person, key="records_per_person",
        help="The guarantee is for a person. One with K records needs ε/K for each of them. n counts records.", **BOUND,
    )  # fmt: skip


def _points(grouped: GroupedData) -> None:
    x, _ = axes(grouped)
    usual = ", ".join(_typed(float(point)) for point in x.from_unit(DEFAULT.at))
    st.text_input(
        f"Predict y at {plain(x.label)}", key="x_new", placeholder=usual, **BOUND,
        help=f"Up to {controls.MAX_POINTS} numbers with commas between, inside the public bounds "
        f"{_typed(x.lower)} to {_typed(x.upper)}. The budget covers all of them together.",
    )  # fmt: skip
    _, problem = points(grouped)
    if problem:
        st.error(plain(f"{problem}. Showing {usual} instead."))
    st.toggle(
        "Show the unit square", key="unit_square", on_change=_convert_points, args=(grouped,), **BOUND,
        help=plain(f"The algorithms work on [0, 1]: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."),
    )  # fmt: skip


def _typed(value: float) -> str:
    """A number as it can be typed where commas part numbers."""
    return in_full(value).replace(",", "")


def _convert_points(grouped: GroupedData) -> None:
    """Keep the same points when the switch changes the units they are typed in."""
    text = str(st.session_state.get("x_new") or "")
    if not text.strip():
        return
    to_unit_square = bool(st.session_state["unit_square"])
    try:
        typed = parse_points(text)
    except ValueError:
        return
    st.session_state["x_new"] = format_points(
        grouped.x.to_unit(typed) if to_unit_square else grouped.x.from_unit(typed)
    )


def _algorithms() -> None:
    algorithm_choice()
    with st.expander("Hyperparameters", key="hyperparameters"):
        st.number_input(
            "Theil–Sen also with k matchings", value=None, min_value=1, step=1, key="also_k", placeholder="no", **BOUND,
            help="Adds every chosen Theil–Sen algorithm a second time, with this many random matchings.",
        )  # fmt: skip
        for name in ordered_algorithms():
            algorithm = mechanism_named(name)
            if fields(algorithm):
                st.markdown(f"*{name}*")
                for f in fields(algorithm):
                    _hyperparameter(algorithm, f)
                _refusal(algorithm)


def _hyperparameter(algorithm: type[Mechanism], f: Field[Any]) -> None:
    """The widget of one dataclass field: its type and metadata decide which."""
    key, label, hint = f"{algorithm.__name__}.{f.name}", f.name, dict(f.metadata)
    plain, optional = field_type(algorithm, f.name)
    default: Any = f.default
    if plain is tuple:
        st.text_input(label, format_points(default), key=key, help=hint["help"], **BOUND)
        return
    if plain is bool:
        st.toggle(label, default, key=key, help=hint["help"], **BOUND)
        return
    number = int if plain is int else float
    ends = {"min_value": hint["low"], "max_value": hint["high"], "step": hint["step"]}
    options: Any = {name: None if end is None else number(end) for name, end in ends.items()}
    if default is not None and 0 < abs(default) < 1e-4:
        options["format"] = "%.3e"
    if optional:
        options["placeholder"] = "all pairs"
    st.number_input(label, value=default, key=key, help=hint["help"], **options, **BOUND)


def _refusal(algorithm: type[Mechanism]) -> None:
    """A sentence where the values do not go together; the defaults are used meanwhile."""
    try:
        algorithm(**hyperparameter_values(algorithm))
    except ValueError as problem:
        st.error(plain(f"{algorithm.__name__}: {problem}. Using the defaults."))


def _trials() -> None:
    st.select_slider(
        "Trials", controls.TRIALS, value=DEFAULT.trials, key="trials", **BOUND,
        help="How often every algorithm is run. Exact laws do not depend on it.",
    )  # fmt: skip
    st.number_input("Seed of the noise", 0, controls.LARGEST_SEED, DEFAULT.seed, key="seed", **BOUND)
