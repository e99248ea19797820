"""From the sidebar's values to a Scenario and its data: what every page asks for first."""

from __future__ import annotations

import runpy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import streamlit as st
from pydantic import ValidationError

from dpslr_core.dataset import Dataset
from dpslr_core.datasets import UNIT_X, UNIT_Y, Axis, Family, load_sample
from dpslr_core.datasets.uci import DataUnavailable, load_uci
from dpslr_core.mechanisms import Mechanism, algorithms
from dpslr_core.scenario import UPLOAD_FIELDS, Scenario, field_type, mechanism_named, parse_points, simulated_state

from .controls import ALGORITHMS, DEFAULT, MAX_POINTS, SLIDERS
from .plain import plain

# Session-state keys: the uploaded file as it was read, the family built from it, and how it was built.
UPLOADED, UPLOAD, UPLOAD_CHOICE = "upload_read", "upload_family", "upload_choice"
APP = Path(__file__).parent.parent / "app.py"


@dataclass(frozen=True)
class View:
    """What a page shows: the scenario, its family of data sets, the one chosen, and the axes to speak in."""

    scenario: Scenario
    family: Family
    group: str
    data: Dataset
    x: Axis
    y: Axis


def settings() -> View:
    """The view the sidebar describes; the page stops here, with a sentence, where there are no data to show."""
    scenario, family = chosen()
    return View(scenario, family, group_of(scenario, family), family.dataset(group_of(scenario, family)), *axes(family))


def chosen() -> tuple[Scenario, Family]:
    """The scenario and its family, or a sentence and the end of the page."""
    try:
        family = current_family()
    except (DataUnavailable, ValueError) as problem:
        st.warning(plain(problem))
        st.stop()
    return current_scenario(family), family


def begin(title: str) -> None:
    """The first line of every page: its title, below the sidebar.

    Starts app.py where Streamlit's own discovery of pages/ started a page without it (a cold deep link).

    Where a page is run on its own there is no app.py either; then the page draws the sidebar itself.
    """
    from streamlit.runtime.pages_manager import PagesManager

    if getattr(PagesManager, "uses_pages_directory", False):
        runpy.run_path(str(APP), run_name="__main__")
        st.stop()
    if not st.session_state.get("under_app"):
        from .sidebar import draw

        draw()
    st.title(title)


def value(key: str, default: Any = None) -> Any:
    """A widget's value, or its default before it is drawn."""
    found = st.session_state.get(key)
    return default if found is None else found


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def _named_family(source: str, key: str) -> Family:
    return load_sample(key) if source == "sample" else load_uci(key)


@st.cache_resource(max_entries=4, show_spinner="Simulating the state …")
def _state(tracts: int, elasticity: float, seed: int) -> Family:
    return simulated_state(tracts, elasticity, seed)


def current_family() -> Family:
    """The family the sidebar names. DataUnavailable or ValueError, with a sentence, where it cannot be had."""
    source = value("source", DEFAULT.source)
    if source in ("sample", "uci"):
        return _named_family(source, value(source, getattr(DEFAULT, source)))
    if source == "state":
        return _state(*(value(key, getattr(DEFAULT, key)) for key in ("tracts", "elasticity", "data_seed")))
    if source == "upload" and UPLOAD not in st.session_state:
        upload_choice()
        if UPLOADED in st.session_state:
            raise ValueError("The uploaded file cannot be used yet: choose columns and bounds on the Data page.")
        raise ValueError("No file has been loaded yet: upload a CSV on the Data page, or choose another source.")
    return source_scenario().family(st.session_state.get(UPLOAD))


def source_scenario() -> Scenario:
    """The part of the scenario that needs no data: where they come from."""
    keys = ("source", "sample", "uci", "tracts", "elasticity", "data_seed", *SLIDERS)
    chosen = {key: value(key, getattr(DEFAULT, key)) for key in keys}
    return Scenario(**chosen, **(upload_choice() if chosen["source"] == "upload" else {}))


def upload_choice() -> dict[str, Any]:
    """Columns, bounds and writing of the uploaded file: of the family last built, before that those of the link."""
    if UPLOAD_CHOICE not in st.session_state:
        query = {key: st.query_params[key] for key in UPLOAD_FIELDS if key in st.query_params}
        try:
            linked = Scenario.from_query(query)
        except ValueError:
            linked = DEFAULT
        set_upload_choice(**{key: getattr(linked, key) for key in UPLOAD_FIELDS})
    return dict(st.session_state[UPLOAD_CHOICE])


def set_upload_choice(**choice: Any) -> None:
    """Remember how the uploaded file was made into data: a value for each of UPLOAD_FIELDS."""
    st.session_state[UPLOAD_CHOICE] = choice


def group_of(scenario: Scenario, family: Family) -> str:
    """The chosen group, or the first usable one where the choice belongs to another family."""
    usable = list(family.usable)
    return scenario.group if scenario.group in usable else usable[0]


def axes(family: Family) -> tuple[Axis, Axis]:
    """The family's own axes, or those of the unit square where the switch says so."""
    return (UNIT_X, UNIT_Y) if value("unit_square", False) else (family.x, family.y)


def current_scenario(family: Family) -> Scenario:
    """Everything the sidebar says, as one value; what cannot be used is replaced by its default."""
    plain = {key: value(key, getattr(DEFAULT, key)) for key in ("epsilon", "trials", "seed")}
    group = value("group", "")
    at, _ = points(family)
    chosen = {"group": group, "at": at, "mechanisms": tuple(mechanisms()), "also_k": value("also_k")}
    return source_scenario().model_copy(update=plain | chosen)


def points(family: Family) -> tuple[tuple[float, ...], str | None]:
    """The points of x_new in the unit square, and what is wrong with the text where the defaults stand in."""
    text = str(value("x_new", "")).strip()
    x, _ = axes(family)
    if not text:
        return DEFAULT.at, None
    try:
        typed = parse_points(text)
        if not 1 <= len(set(typed)) <= MAX_POINTS:
            raise ValueError(f"x_new must be 1 to {MAX_POINTS} different numbers, got {len(set(typed))}")
        outside = [p for p in typed if not x.lower <= p <= x.upper]
        if outside:
            raise ValueError(f"x_new must lie in [{x.lower:g}, {x.upper:g}], the public bounds, got {outside[0]:g}")
        return tuple(float(p) for p in x.to_unit(list(dict.fromkeys(typed)))), None
    except ValueError as problem:
        return DEFAULT.at, str(problem)


def mechanisms() -> list[Mechanism]:
    """The chosen algorithms with their hyperparameters; one that refuses its values keeps its defaults."""
    built = []
    for name in ordered_algorithms():
        algorithm = mechanism_named(name)
        try:
            built.append(algorithm(**hyperparameter_values(algorithm)))
        except ValueError:
            built.append(algorithm())
    return built


def ordered_algorithms() -> list[str]:
    """The chosen algorithms in the order of algorithms(), whatever order they were clicked in."""
    picked = value("algorithms", list(ALGORITHMS))
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.__name__ in picked]


def hyperparameter_values(algorithm: type[Mechanism]) -> dict[str, Any]:
    """The values of an algorithm's widgets by field; text is read as numbers, an empty optional one is None."""
    values = {}
    for f in fields(algorithm):
        key = f"{algorithm.__name__}.{f.name}"
        if key not in st.session_state:
            continue
        plain, optional = field_type(algorithm, f.name)
        if plain is tuple:
            values[f.name] = parse_points(str(st.session_state[key]), f.name)
        elif st.session_state[key] is not None or optional:
            values[f.name] = st.session_state[key]
    return values


def link(view: View) -> str:
    """The query of the link that shows the same numbers; an uploaded file itself is not in it."""
    try:
        query = view.scenario.to_query(view.x)
    except ValidationError:
        return ""
    from urllib.parse import urlencode

    if value("unit_square", False):
        query["unit_square"] = "true"
    return urlencode(query, doseq=True)
