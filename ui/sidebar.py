"""The sidebar that all pages share. Every widget is bound to the link."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpslr_core.mechanisms import algorithms
from dpslr_core.scenario import FOR_PERSON, MAX_POINTS, Scenario
from dpslr_core.sources.files.typed import format_points, read_list
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.uci import DataUnavailable
from dpslr_core.text.phrases import bounds_of, in_full

from . import controls
from .controls import BOUND, DEFAULT, EPSILON, USUAL
from .inputs.accounting import accounting_choice
from .inputs.algorithms import algorithm_choice
from .inputs.hyperparameters import hyperparameters
from .inputs.link_value import PAGE
from .inputs.number import ends, slider_and_number
from .inputs.source import data_seed, shapes, source_choice
from .links import refuse_endless_numbers
from .plain import plain
from .sessions.private_names import end_page
from .settings import axes, current_grouped, points, put_upload_choice
from .takeaway.saved_as import nothing_warned, warned


def draw() -> None:
    """Data, budget, points, algorithms, trials: everything that determines a result."""
    nothing_warned()
    refuse_endless_numbers()
    try:
        algorithms()
    except ValueError as problem:  # of the file with algorithms of the user's own
        st.error(plain(problem))
        end_page()
    with st.sidebar:
        epsilon = slider_and_number("epsilon", EPSILON, DEFAULT.epsilon, _varied("epsilon"))
        ends("← more private", "more accurate →")
        accounting_choice(epsilon)
        grouped = _data()
        if grouped is not None:
            _points(grouped)
        algorithm_choice()
        hyperparameters()
        with st.expander("Trials and seed", key="trials_and_seed"):
            _trials()
        st.caption(controls.LOOKING)


def _data() -> GroupedData | None:
    """The choice of data, folded to a line that names them; its numbers stay in sight."""
    named = str(st.session_state.get("data_line", ""))
    with st.expander(f"Data: {named}" if named else "Data", key="data_choice"):
        source_choice()
    kind = st.session_state["source"]
    if kind == "synthetic":
        for key in ("n", "var_x", "var_e"):
            slider_and_number(key, controls.SLIDERS[key], USUAL["synthetic"][key], _varied(key))
        with st.expander("Line, shapes and seed of the data", key="line_and_seed"):
            for key in ("slope", "intercept"):
                slider_and_number(key, controls.SLIDERS[key], USUAL["synthetic"][key], _varied(key))
            shapes()
            data_seed()
    put_upload_choice()
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
    if st.session_state.get(PAGE) != "sweep":
        return ""
    from dpslr_core.experiments.sweep.ranges import NAMED  # the first page of a server need not wait for it

    name = st.session_state.get("vary", st.query_params.get("vary", "n"))
    return "The Sweep page varies it: its range is set there." if NAMED.get(str(name)) == key else ""


def _data_line(grouped: GroupedData | None) -> str:
    """What the folded choice of data says."""
    if grouped is None:
        return "none yet"
    return plain(grouped.name)


def _grouped_or_sentence() -> GroupedData | None:
    try:
        return current_grouped()
    except (DataUnavailable, ValueError) as problem:
        st.caption(plain(problem))
        return None


def _group(grouped: GroupedData) -> None:
    """The choice of a group, where there are several."""
    usable = list(grouped.usable)
    if len(usable) > 1:
        st.selectbox(f"Group ({len(usable):,})", usable, key="group", **BOUND)


def _records_per_person() -> None:
    """The unit of privacy: how many records of one person the guarantee covers."""
    st.number_input(
        "Records per person, at most", 1, controls.MOST_RECORDS, DEFAULT.records_per_person, key="records_per_person",
        help=f"{FOR_PERSON} n counts records.", **BOUND,
    )  # fmt: skip


def _points(grouped: GroupedData) -> None:
    x, _ = axes(grouped)
    usual = _as_typed(x.from_unit(DEFAULT.at).tolist())
    st.text_input(
        f"Predict y at {plain(x.label)}", key="x_new", placeholder=usual, **BOUND,
        help=f"Up to {MAX_POINTS} numbers with semicolons between, inside the public bounds "
        f"{in_full(x.lower)} to {in_full(x.upper)}. The budget covers all of them together.",
    )  # fmt: skip
    used, problems = points(grouped)
    if problems:
        said = " ".join(f"{problem}." for problem in problems)
        st.error(warned(f"{said} Showing {_as_typed(x.from_unit(used).tolist())} instead."))
    st.toggle(
        "Show the unit square", key="unit_square", on_change=_convert_points, args=(grouped,), **BOUND,
        help=plain(f"The algorithms work on [0, 1]: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."),
    )  # fmt: skip


def _as_typed(points: Sequence[float]) -> str:
    """The points as pages print numbers, and as they can be typed: with semicolons where a number has a comma."""
    texts = [in_full(point) for point in points]
    return ("; " if any("," in text for text in texts) else ", ").join(texts)


def _convert_points(grouped: GroupedData) -> None:
    """Keep the same points when the switch changes the units they are typed in."""
    text = str(st.session_state.get("x_new") or "")
    if not text.strip():
        return
    to_unit_square = bool(st.session_state["unit_square"])
    x = grouped.x
    typed = read_list(text, x.numbers, x.unit) if to_unit_square else read_list(text)
    points = x.to_unit(typed.numbers) if to_unit_square else x.from_unit(typed.numbers)
    st.session_state["x_new"] = format_points(points.tolist())  # what could not be read has no place in other units


def _trials() -> None:
    trials, seed = (Scenario.model_fields[name] for name in ("trials", "seed"))
    st.select_slider(
        str(trials.title), controls.TRIALS, value=DEFAULT.trials, key="trials", help=trials.description, **BOUND
    )
    st.number_input(str(seed.title), 0, controls.LARGEST_SEED, DEFAULT.seed, key="seed", help=seed.description, **BOUND)
