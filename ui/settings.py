"""The settings: a table of them, the Scenario that they make, and its data, which every page asks for first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import Field, fields, replace
from itertools import product
from math import inf
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from dpslr_core.mechanisms import USUAL as USUAL_ALGORITHMS
from dpslr_core.mechanisms import Mechanism, algorithms
from dpslr_core.scenario import (
    FOR_PERSON,
    MAX_POINTS,
    Scenario,
    field_limits,
    field_type,
    mechanism_named,
)
from dpslr_core.sources.axis import UNIT_X, UNIT_Y, Axis
from dpslr_core.sources.choices import KINDS, SimulatedState, Source, Synthetic, UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.linear import ERROR_SHAPES, X_SHAPES
from dpslr_core.sources.numbers import parse_points, read_list
from dpslr_core.sources.samples import SAMPLES, UCI
from dpslr_core.sources.tracts import STATES
from dpslr_core.support.readable import all_in_full
from dpslr_core.text.data import View, shown_group, upload_warnings

from . import takeaway
from .cache import kept
from .ends import end_page
from .inputs import Allowed, Setting, number_box, slider_and_box
from .link import bound
from .plain import plain
from .takeaway import page_query

# Session-state keys: the scenario of this run; the uploaded file as read, the grouped data built from it, and how.
CHOSEN, UPLOADED, UPLOAD, UPLOAD_CHOICE = (
    "chosen_settings",
    "upload_read",
    "upload_grouped",
    "upload_choice",
)
SMALL = 500  # records: the pairs of as many take about a megabyte per point
SIMULATED_AREAS = 40
LARGEST_SEED = 2**31 - 1
MOST_RECORDS = 1000  # records of one person
DEFAULT = Scenario()
SOURCES = {
    "synthetic": "Synthetic data",
    "sample": "A file of this project",
    "state": "A simulated state",
    "uci": "A data set of the paper",
    "upload": "My own file",
}
TITLES = {
    "sample": {sample.key: sample.title for sample in SAMPLES},
    "uci": {dataset.key: dataset.title for dataset in UCI},
}
ALGORITHMS = tuple(
    algorithm.__name__ for algorithm in USUAL_ALGORITHMS
)  # algorithms chosen at first
MISSING_UPLOAD = "No file is here yet. A file stays for one session: upload an earlier one again."
LOOKING = (
    "Looking at the true data is not private, and neither is choosing an algorithm by looking: "
    "use public or synthetic data that resemble yours."
)


class Choice(NamedTuple):
    """Setting that is one of several texts.

    Attributes
    ----------
    key, label : str
        Name in the link, and label.
    help : str or None
        Tooltip.
    usual : str
        Text at first, which does not stand in the link.
    options : tuple of str
        All texts.
    """

    key: str
    label: str
    help: str | None
    usual: str
    options: tuple[str, ...]


def _steps(low: float, high: float, step: float) -> tuple[float, ...]:
    """Return the stops from `low` to `high`, both included."""
    return tuple(round(low + step * i, 6) for i in range(round((high - low) / step) + 1))


def _decades(low: float, high: float) -> tuple[float, ...]:
    """Return the numbers from `low` to `high` whose only digit is 1, 2, 3 or 5."""
    numbers = [float(f"{digit}e{power}") for power, digit in product(range(-6, 5), (1, 2, 3, 5))]
    return tuple(number for number in numbers if low <= number <= high)


def _number(key: str, stops: tuple[float, ...] = (), **changes: Any) -> Setting:
    """Return the setting of a number that is a field of Scenario or of a source.

    Parameters
    ----------
    key : str
        Name of the field.
    stops : tuple of float, optional
        Stops of a slider.
    **changes
        Values of label, help, least and most that replace those of the field.
    """
    model = next(
        candidate
        for candidate in (Scenario, Synthetic, SimulatedState)
        if key in candidate.model_fields
    )
    info, limits = model.model_fields[key], field_limits(model, key)
    least, most = changes.get("least", limits[0]), changes.get("most", limits[1])
    label, hint = str(changes.get("label", info.title)), changes.get("help", info.description)
    return Setting(
        key, label, hint, info.default, stops, Allowed(least, most, info.annotation is int)
    )


def _shape(key: str, shapes: Mapping[Any, str]) -> Choice:
    """Return the setting of a field of Synthetic that is one of `shapes`."""
    info = Synthetic.model_fields[key]
    return Choice(
        key,
        str(info.title),
        f"{'; '.join(shapes.values()).capitalize()}.",
        info.default,
        tuple(shapes),
    )


_FITS = "; ".join(f"{name} {state.beta}" for name, state in STATES.items())
EPSILON = _number(  # a scenario allows more
    "epsilon", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 8, 10, 16, 32), least=1e-6, most=1e9
)
RECORDS = Setting(
    "records_per_person",
    "How many rows can one person have?",
    f"{FOR_PERSON} n counts records. It is public: say it without looking at the data.",
    1,
    (),
    Allowed(1, MOST_RECORDS, whole=True),
)
SETTINGS: dict[str, Setting | Choice] = {
    setting.key: setting
    for setting in (
        EPSILON,
        _number("n", _decades(10, 10_000)),
        _number("var_x", _decades(1e-4, 0.08)),
        _number("var_e", _decades(1e-6, 0.1)),
        _number("slope", _steps(-1, 1, 0.1)),
        _number("intercept", _steps(0, 1, 0.05)),
        _number("x_mean", _steps(0.1, 0.9, 0.05)),
        _shape("x_shape", X_SHAPES),
        _shape("error_shape", ERROR_SHAPES),
        _number("data_seed", most=LARGEST_SEED),
        Choice("state", "Like", None, SimulatedState().state, tuple(STATES)),
        _number(
            "tracts",
            (*_decades(50, 1000), *(state.tracts for state in STATES.values())),
            label="Tracts",
            help="; ".join(f"{name} has {state.tracts:,}" for name, state in STATES.items()) + ".",
        ),
        _number(
            "elasticity",
            (*_steps(0, 0.8, 0.1), *(state.beta for state in STATES.values())),
            help=f"{SimulatedState.model_fields['elasticity'].description} What fits the public data: {_FITS}.",
        ),
        RECORDS,
        _number("trials", _decades(20, 5000)),
        _number("seed", most=LARGEST_SEED),
    )
}


def draw_setting(key: str, idle: str = "", **options: Any) -> Any:
    """Draw the widget of a setting and return its value.

    Parameters
    ----------
    key : str
        Name of the setting in SETTINGS.
    idle : str, optional
        Reason why a number does nothing now.
    **options
        Arguments of the list of a Choice.

    Returns
    -------
    float, int or str
        Value of the widget.
    """
    setting = SETTINGS[key]
    if isinstance(setting, Choice):
        index = setting.options.index(setting.usual)
        linked = bound(key, setting.options, setting.usual)
        return st.selectbox(
            setting.label, setting.options, index, help=setting.help, **linked, **options
        )
    if setting.stops:
        return slider_and_box(setting, idle)
    value = number_box(setting.label, key, setting.usual, setting.allowed, help=setting.help)
    return int(value) if setting.allowed.whole and value is not None else value


def hyperparameter_limits(field: Field[Any]) -> tuple[float, float]:
    """Return the least and the largest value that a form offers."""
    low, high = field.metadata["low"], field.metadata["high"]
    return -inf if low is None else low, inf if high is None else high


def source_of(values: Mapping[str, Any]) -> Any:
    """Return the source of data that the drawn widgets name.

    Parameters
    ----------
    values : mapping
        Values of the widgets by key; a field that is not drawn has its usual value.
    """
    kind = values["source"]
    if kind == "upload":
        return upload_choice()
    return KINDS[kind](
        **{key: values[key] for key in KINDS[kind].model_fields if key != "kind" and key in values}
    )


def choose(values: Mapping[str, Any], grouped: GroupedData | None, problem: str) -> None:
    """Make the scenario of this run, and keep it in the session.

    Parameters
    ----------
    values : mapping
        Values of all drawn widgets of the sidebar by key.
    grouped : GroupedData or None
        Data that the widgets name; None if they cannot be had.
    problem : str
        Why the data cannot be had.
    """
    scenario = Scenario(
        source=source_of(values),
        group=values.get("group") or "",
        at=values.get("at", DEFAULT.at),
        mechanisms=tuple(built(mechanism_named(name), values)[0] for name in values["algorithms"]),
        also_k=values.get("also_k"),
        accounting=replace(values["accounting"], records=values["records_per_person"]),
        **{key: values[key] for key in ("epsilon", "trials", "seed")},
    )
    st.session_state[CHOSEN] = scenario, grouped, problem


def settings(algorithms: bool = False, warned: bool = True) -> View:
    """Return the view that the sidebar describes; end the page with a sentence if there are no data to show.

    Parameters
    ----------
    algorithms : bool, optional
        Whether the page also ends if no algorithm is chosen.
    warned : bool, optional
        Whether the losses of an uploaded file are said here; else the page calls `warn_of_file`, if it uses the file.
    """
    scenario, grouped, problem = st.session_state[CHOSEN]
    if grouped is None:
        st.warning(plain(problem))
        end_page()
    group = shown_group(scenario.group, grouped)
    data = _small(grouped, group) if grouped.sizes[group] <= SMALL else grouped.dataset(group)
    view = View(scenario, grouped, group, data, *axes(grouped))
    takeaway.declare(view, link(view))
    if warned:
        warn_of_file(view)
    if algorithms and not scenario.admitted:
        st.info("Choose at least one algorithm under More settings.")
        end_page()
    return view


def warn_of_file(view: View) -> None:
    """Draw what was lost of an uploaded file; never beside what is called public, as it was read off the file."""
    sentences = upload_warnings(view.grouped, view.scenario.records_per_person)
    if said := [takeaway.warned(each) for each in sentences]:
        st.warning(" ".join(said))


def simulated_areas(view: View) -> View:
    """Return the view's settings for the areas of a small simulated state, if the data are one area alone."""
    source = SimulatedState(tracts=SIMULATED_AREAS)
    grouped = _loaded(source)
    scenario = view.scenario.model_copy(update={"source": source, "group": ""})
    group = shown_group("", grouped)
    areas = View(scenario, grouped, group, grouped.dataset(group), *axes(grouped))
    takeaway.declare(areas, link(areas))
    return areas


_small = kept(2)(GroupedData.dataset)  # a small data set stays in the session with its sorted pairs


@kept(16, scope="global", spinner="Loading the data …")
def _loaded(source: Source) -> GroupedData:
    return source.load()


def grouped_of(source: Any) -> GroupedData:
    """Load the data of a source.

    Raises
    ------
    DataUnavailable, ValueError
        If the data cannot be had; the message is a sentence.
    """
    if isinstance(source, UploadedFile):
        if UPLOAD not in st.session_state:
            raise ValueError(
                "The uploaded file cannot be used yet: choose columns and bounds on the Data page."
                if UPLOADED in st.session_state
                else f"{MISSING_UPLOAD} Upload on the Data page, or choose another source."
            )
        grouped: GroupedData = st.session_state[UPLOAD]
        return grouped
    loaded = _loaded(source)
    if not loaded.usable:
        raise ValueError(
            f"No line can be fitted to {loaded.name}: {next(iter(loaded.unusable.values()))}."
        )
    return loaded


def upload_choice() -> UploadedFile:
    """Return columns, bounds and writing of the uploaded file, as last built; before that as the link says."""
    choice: UploadedFile = st.session_state.get(UPLOAD_CHOICE, UploadedFile())
    return choice


def axes(grouped: GroupedData) -> tuple[Axis, Axis]:
    """Return the axes of x and y: in the unit square where pages show numbers there, else in the units of the data."""
    return (UNIT_X, UNIT_Y) if shows_unit_square() else (grouped.x, grouped.y)


def shows_unit_square() -> bool:
    """Return whether pages show numbers in the unit square, and not in the units of the data."""
    return bool(st.session_state.get("unit_square"))


def points(grouped: GroupedData, text: str) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Read the points of a text.

    Returns
    -------
    used : tuple of float
        Points in the unit square; the usual ones if none can be used.
    problems : tuple of str
        Problems with the other points.
    """
    x, _ = axes(grouped)
    typed = read_list(text, x.numbers, x.unit)
    numbers, problems = list(dict.fromkeys(typed.numbers)), list(typed.problems)
    for number in numbers:
        if not x.lower <= number <= x.upper:
            end, side = (
                (x.lower, "below your lower") if number < x.lower else (x.upper, "above your upper")
            )
            beyond, bound = all_in_full((number, end))
            problems.append(f"{x.name} {beyond} is {side} bound of {bound}")
    inside = [number for number in numbers if x.lower <= number <= x.upper]
    if len(inside) > MAX_POINTS:
        problems.append(
            f"At most {MAX_POINTS} points can be used together; {len(inside) - MAX_POINTS} are "
            "left out"
        )
    used = inside[:MAX_POINTS]
    return tuple(float(p) for p in x.to_unit(used)) if used else grouped.usual_at, tuple(problems)


def ordered(names: Collection[str]) -> list[str]:
    """Return these names in the order of algorithms(), so that equal choices have equal links."""
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.__name__ in names]


def built(algorithm: type[Mechanism], values: Mapping[str, Any]) -> tuple[Mechanism, str]:
    """Build an algorithm with the values of its widgets; with its defaults if the values contradict each other.

    Parameters
    ----------
    algorithm : type of Mechanism
        Class of the algorithm.
    values : mapping
        Values of widgets by key, such as "NoisyStats.lower"; a tuple is a text.

    Returns
    -------
    tuple of Mechanism and str
        The algorithm, and why its values cannot be used.
    """
    given: dict[str, Any] = {}
    try:
        for f in fields(algorithm):
            key = f"{algorithm.__name__}.{f.name}"
            kind, optional = field_type(algorithm, f.name)
            if key in values and kind is tuple:
                given[f.name] = parse_points(str(values[key]), f.name)
            elif key in values and (values[key] is not None or optional):
                given[f.name] = values[key]
        return algorithm(**given), ""
    except ValueError as problem:
        return algorithm(), str(problem)


def link(view: View) -> str:
    """Return the query of the link that shows the same numbers, without an uploaded file itself."""
    try:
        query = view.scenario.to_query(view.x)
    except ValidationError:
        return ""
    if shows_unit_square():
        query["unit_square"] = "true"
    return urlencode(query, doseq=True)


def point_choice(view: View, key: str = "look_at") -> float:
    """Draw the choice of the point to look at, in the user's units; return the point in the unit square."""
    labels = dict(zip(point_labels(view), view.scenario.at, strict=True))
    first = next(iter(labels))
    shown = st.segmented_control(
        f"Look at {plain(view.x.label)}",
        labels,
        default=first,
        required=True,
        **bound(key, labels, first),
    )
    return labels.get(str(shown), view.scenario.at[0])


def point_labels(view: View) -> list[str]:
    """Return the points in the user's units, as their choice and the link write them."""
    return view.x.written(view.x.from_unit(view.scenario.at).tolist())


def point_query(view: View) -> str:
    """Return the query of the link, with the point that is looked at."""
    return page_query(link(view), {"look_at": point_labels(view)[0]})


def in_units(frame: pd.DataFrame, view: View) -> pd.DataFrame:
    """Return a copy whose columns of positions are in the user's units."""
    axes = {"x": view.x} | dict.fromkeys(
        ("estimate", "y", "ols", "low", "high", "theil_sen"), view.y
    )
    return frame.assign(
        **{
            name: axes[name].from_unit(frame[name])
            for name in frame.columns.intersection(list(axes))
        }
    )


def unit_of(axis: Axis) -> str:
    """Return the unit of an axis in brackets, as column names end with it; empty without a unit."""
    return f" ({axis.unit})" if axis.unit else ""
