"""From the sidebar's values to a Scenario and its data: what every page asks for first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import Field, fields
from math import inf
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from dpslr_core.mechanisms import Mechanism, algorithms
from dpslr_core.privacy.accounting import APPROX, Accounting, per_person
from dpslr_core.scenario import MAX_POINTS, Scenario, field_type, link_names, mechanism_named
from dpslr_core.sources.axis import LOGARITHM, NO_TABLE, UNIT_X, UNIT_Y, Axis
from dpslr_core.sources.choices import KINDS, SimulatedState, Source, Synthetic, UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.numbers import STYLES, format_points, parse_points, read_list
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.support.readable import all_in_full
from dpslr_core.text.data import View, shown_group, upload_warnings

from . import takeaway
from .cache import kept
from .controls import ALGORITHMS, DEFAULT, SETTINGS, SOURCES, TITLES, USUAL, USUAL_SETTINGS, options_text
from .inputs import Allowed
from .link import allow, bound, is_new, note, opened_with, put, refuse, said_in_link
from .plain import plain
from .private_names import end_page
from .takeaway import page_query

# Session-state keys: the uploaded file as it was read, the grouped data built from it, and how it was built.
UPLOADED, UPLOAD, UPLOAD_CHOICE = "upload_read", "upload_grouped", "upload_choice"

SCENARIO, X_NEW = "scenario", "x_new"  # the part of the link that says a scenario; the points are read with the data
SMALL = 500  # records, whose pairs take about a megabyte for each point
SIMULATED_AREAS = 40


def follow_link() -> None:
    """Take the scenario of a new link; what the link does not say, or says in vain, is usual."""
    names = link_names() - {X_NEW}
    said = said_in_link(names)
    if not is_new(SCENARIO, said):
        return
    query = {key: texts if key == "algorithms" else texts[-1] for key, texts in said.items()}
    scenario, refused = Scenario.from_opened(query)
    offered = {f"{algorithm.__name__}.{f.name}": f for algorithm in algorithms() for f in fields(algorithm)}
    usual = USUAL_SETTINGS | {key: f.default for key, f in offered.items()}
    values = usual | scenario.settings()
    limits = {key: (setting.least, setting.most) for key, setting in SETTINGS.items()}
    limits |= {key: hyperparameter_limits(f) for key, f in offered.items()}
    for key in names - USUAL["upload"].keys():
        value = values[key]
        if isinstance(value, int | float):
            least, most = limits.get(key, (-inf, inf))
            if not least <= value <= most:
                value = usual[key]
                refused.append(key)
        if key in offered and key not in said and value == usual[key]:  # Streamlit walks all keys for each widget
            st.session_state.pop(key, None)
            continue
        st.session_state[key] = format_points(value) if isinstance(value, tuple) else value
    if isinstance(scenario.source, UploadedFile) and UPLOAD not in st.session_state:
        st.session_state[UPLOAD_CHOICE] = scenario.source
    for key in {*refused, *(key for key, texts in said.items() if len(texts) > 1)}:
        allow(key, _allowed(key))
    refuse(refused)
    note(SCENARIO, said)  # last: a run that is stopped before has not taken all of it


def _allowed(key: str) -> str:
    """Say what a link may say of a setting of a scenario."""
    named = {
        "source": options_text(SOURCES), "accounting": f"{options_text(Accounting)}, {APPROX}:DELTA",
        "algorithms": f"names as in the sidebar, such as {ALGORITHMS[0]}", "also_k": str(Allowed(1, whole=True)),
        "x_numbers": options_text(STYLES), "y_numbers": options_text(STYLES),
        **dict.fromkeys(("x_transform", "y_transform"), f"{LOGARITHM}; {NO_TABLE}"),
    } | dict.fromkeys(("x_bounds", "y_bounds", "x_most"), "two numbers, the smaller one first")  # fmt: skip
    named |= {kind: options_text(titles) for kind, titles in TITLES.items()}
    if key in named:
        return named[key]
    if key in SETTINGS:
        setting = SETTINGS[key]
        if setting.stops and isinstance(setting.stops[0], str):
            return options_text(setting.stops)
        return str(Allowed(setting.least, setting.most, whole=isinstance(USUAL_SETTINGS[key], int)))
    if "." not in key:
        return "the name of a column" if key.endswith("_column") else "one of the names in the sidebar"
    algorithm, _, name = key.partition(".")
    kind, optional = field_type(mechanism_named(algorithm), name)
    field = next(each for each in fields(mechanism_named(algorithm)) if each.name == name)
    if kind is tuple:
        return "numbers with semicolons between"
    return str(Allowed(*hyperparameter_limits(field), kind is int)) + (", or nothing" if optional else "")


def hyperparameter_limits(field: Field[Any]) -> tuple[float, float]:
    """The least and the largest value that a form offers."""
    low, high = field.metadata["low"], field.metadata["high"]
    return -inf if low is None else low, inf if high is None else high


def put_in_link(grouped: GroupedData | None) -> None:
    """Let the link say the scenario; grouped: its data, where they can be had, whose first group is usual."""
    query = current_scenario(grouped).to_query()
    texts = {key: [text] if isinstance(text, str) else text or [""] for key, text in query.items() if key != X_NEW}
    if grouped is not None and query.get("group") == next(iter(grouped.usable), None):
        del texts["group"]
    put(SCENARIO, link_names() - {X_NEW}, texts)


def settings(algorithms: bool = False) -> View:
    """The view the sidebar describes; the page ends here, with a sentence, where there are no data to show.

    algorithms: whether the page needs at least one of them, too.
    """
    try:
        grouped = current_grouped()
    except (DataUnavailable, ValueError) as problem:
        st.warning(plain(problem))
        end_page()
    scenario = current_scenario(grouped)
    group = shown_group(scenario.group, grouped)
    data = _small(grouped, group) if grouped.sizes[group] <= SMALL else grouped.dataset(group)
    view = View(scenario, grouped, group, data, *axes(grouped))
    takeaway.declare(view, link(view))
    if said := [takeaway.warned(each) for each in upload_warnings(grouped, scenario.records_per_person)]:
        st.warning("\n\n".join(said))
    if algorithms and not scenario.admitted:
        st.info("Choose at least one algorithm in the sidebar.")
        end_page()
    return view


def simulated_areas(view: View) -> View:
    """The same settings for the areas of a small simulated state, where the data are one area alone."""
    source = SimulatedState(tracts=SIMULATED_AREAS)
    grouped = _loaded(source)
    scenario = view.scenario.model_copy(update={"source": source, "group": ""})
    group = shown_group("", grouped)
    areas = View(scenario, grouped, group, grouped.dataset(group), *axes(grouped))
    takeaway.declare(areas, link(areas))
    return areas


_small = kept(2)(GroupedData.dataset)  # a small data set stays in the session with its sorted pairs


def value(key: str, default: Any = None) -> Any:
    """A widget's value, or its default before it is drawn."""
    found = st.session_state.get(key)
    return default if found is None else found


@kept(8, scope="global", spinner="Loading the data …")
def _loaded(source: Source) -> GroupedData:
    return source.load()


@kept(100, scope="global")
def _simulated(source: Synthetic) -> GroupedData:
    """Small data, of which a whole class has its own: twenty kilobytes each at most."""
    return source.load()


def current_grouped() -> GroupedData:
    """The data the sidebar names. DataUnavailable or ValueError, with a sentence, where they cannot be had."""
    source = current_source()
    if isinstance(source, UploadedFile):
        if UPLOAD not in st.session_state:
            raise ValueError(
                "The uploaded file cannot be used yet: choose columns and bounds on the Data page."
                if UPLOADED in st.session_state
                else f"{missing_upload()} Upload on the Data page, or choose another source."
            )
        grouped: GroupedData = st.session_state[UPLOAD]
        return grouped
    loaded = _simulated(source) if isinstance(source, Synthetic) and source.n <= SMALL else _loaded(source)
    if not loaded.usable:
        raise ValueError(f"No line can be fitted to {loaded.name}: {next(iter(loaded.unusable.values()))}.")
    return loaded


def missing_upload() -> str:
    """Why there is no file: one whose columns the address names was there, in another session."""
    if any(opened_with(key) for key in USUAL["upload"]):
        return "The address is that of an uploaded file, which is not here: a file ends with its session."
    return "No file is here yet. A file stays for one session: upload an earlier one again."


def current_source() -> Any:
    """The source that the sidebar names."""
    kind = value("source", DEFAULT.source.kind)
    if kind == "upload":
        return upload_choice()
    return KINDS[kind](**{key: value(key, usual) for key, usual in USUAL[kind].items()})


def upload_choice() -> UploadedFile:
    """Columns, bounds and writing of the uploaded file: of the data last built, before that those of the link."""
    choice: UploadedFile = st.session_state.get(UPLOAD_CHOICE, UploadedFile())
    return choice


def axes(grouped: GroupedData) -> tuple[Axis, Axis]:
    """The data's own axes, or those of the unit square where the switch says so."""
    return (UNIT_X, UNIT_Y) if shows_unit_square() else (grouped.x, grouped.y)


def shows_unit_square() -> bool:
    """Whether pages show the unit square; before the switch is drawn, whether the link says so."""
    return bool(value("unit_square", st.query_params.get("unit_square") == "true"))


def current_scenario(grouped: GroupedData | None) -> Scenario:
    """Everything the sidebar says, as one value; what cannot be used is replaced by its default."""
    at = DEFAULT.at if grouped is None else points(grouped)[0]
    accounting = per_person(value("accounting", DEFAULT.accounting), int(value("records_per_person", 1)))
    state = st.session_state.to_dict()  # to ask the session itself for each of fifty values takes long
    return Scenario(
        source=current_source(), group=value("group", ""), at=at,
        mechanisms=tuple(built(mechanism_named(name), state)[0] for name in ordered(value("algorithms", ALGORITHMS))),
        also_k=value("also_k"), accounting=accounting,
        **{key: value(key, getattr(DEFAULT, key)) for key in ("epsilon", "trials", "seed")},
    )  # fmt: skip


def points(grouped: GroupedData) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The points of x_new in the unit square, the usual ones where none can be used, and what is wrong with others."""
    x, _ = axes(grouped)
    typed = read_list(str(value("x_new", "")), x.numbers, x.unit)
    numbers, problems = list(dict.fromkeys(typed.numbers)), list(typed.problems)
    for number in numbers:
        if not x.lower <= number <= x.upper:
            end, side = (x.lower, "below your lower") if number < x.lower else (x.upper, "above your upper")
            beyond, bound = all_in_full((number, end))
            problems.append(f"{x.name} {beyond} is {side} bound of {bound}")
    inside = [number for number in numbers if x.lower <= number <= x.upper]
    if len(inside) > MAX_POINTS:
        problems.append(f"At most {MAX_POINTS} points can be used together; {len(inside) - MAX_POINTS} are left out")
    used = inside[:MAX_POINTS]
    return tuple(float(p) for p in x.to_unit(used)) if used else grouped.usual_at, tuple(problems)


def ordered(names: Collection[str]) -> list[str]:
    """The algorithms of these names in the order of algorithms(), so that equal choices have equal links."""
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.__name__ in names]


def built(algorithm: type[Mechanism], state: dict[str, Any]) -> tuple[Mechanism, str]:
    """An algorithm with the values of its widgets; with its own where these do not go together, and why.

    state: of the session, by key. Text is read as numbers, an empty optional one is None.
    """
    values: dict[str, Any] = {}
    try:
        for f in fields(algorithm):
            key = f"{algorithm.__name__}.{f.name}"
            plain, optional = field_type(algorithm, f.name)
            if key in state and plain is tuple:
                values[f.name] = parse_points(str(state[key]), f.name)
            elif key in state and (state[key] is not None or optional):
                values[f.name] = state[key]
        return algorithm(**values), ""
    except ValueError as problem:
        return algorithm(), str(problem)


def link(view: View) -> str:
    """The query of the link that shows the same numbers; an uploaded file itself is not in it."""
    try:
        query = view.scenario.to_query(view.x)
    except ValidationError:
        return ""
    if shows_unit_square():
        query["unit_square"] = "true"
    return urlencode(query, doseq=True)


def point_choice(view: View, key: str = "look_at") -> float:
    """The point of x_new to look at, in the unit square; chosen in the user's units."""
    labels = dict(zip(_point_labels(view), view.scenario.at, strict=True))
    shown = st.segmented_control(
        f"Look at {plain(view.x.label)}",
        list(labels),
        default=next(iter(labels)),
        required=True,
        **bound(key, labels),
    )
    return labels.get(str(shown), view.scenario.at[0])


def _point_labels(view: View) -> list[str]:
    """The points in the user's units, as their choice and the link say them."""
    return view.x.written(view.x.from_unit(view.scenario.at).tolist())


def point_query(view: View) -> str:
    """The query of the link, with the point that is looked at."""
    return page_query(link(view), {"look_at": _point_labels(view)[0]})


def in_units(frame: pd.DataFrame, view: View) -> pd.DataFrame:
    """A copy whose columns of positions are in the user's units."""
    axes = {"x": view.x} | dict.fromkeys(("estimate", "y", "ols", "low", "high", "theil_sen"), view.y)
    return frame.assign(**{name: axes[name].from_unit(frame[name]) for name in frame.columns.intersection(list(axes))})


def unit_of(axis: Axis) -> str:
    """The unit of an axis as column names end with it; nothing where there is none."""
    return f" ({axis.unit})" if axis.unit else ""
