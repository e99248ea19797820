"""The sidebar that all pages share: everything that determines a result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import Field, fields
from typing import Any

import streamlit as st

from dpslr_core.mechanisms import Mechanism, algorithms
from dpslr_core.privacy import rho_of
from dpslr_core.privacy.accounting import RULES, Accounting
from dpslr_core.scenario import MAX_POINTS, Scenario, field_limits, field_type, mechanism_named
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.numbers import format_points, read_list, read_number
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.sources.tracts import STATES
from dpslr_core.support.readable import all_in_full, in_full, of_column
from dpslr_core.text.data import delta_sentence
from dpslr_core.text.phrases import bounds_of
from dpslr_core.text.privacy import best_guess_sentence, large_epsilon_sentence

from . import settings
from .ends import Container, end_page
from .inputs import (
    Allowed,
    chosen_text,
    ends,
    follows,
    number_box,
    number_text,
    text_setting,
)
from .link import (
    CHOSEN_NAMES,
    LINK,
    PAGE,
    bound,
    opened_with,
    options_text,
    set_to,
    settings_are_drawn,
    takes,
)
from .plain import plain
from .settings import (
    ALGORITHMS,
    LOOKING,
    SOURCES,
    TITLES,
    UPLOAD_CHOICE,
    draw_setting,
)
from .takeaway import begin_anew, warned
from .upload import upload_form

# Epsilon beyond which the sidebar says how little it promises; the paper's own case is 16.
PROMISES_LITTLE = 20.0
Values = dict[str, Any]  # values of widgets by key


def draw(form: Container) -> None:
    """Draw data, budget, points, algorithms and trials, and make the scenario of this run.

    Parameters
    ----------
    form : container
        Container of the form of an uploaded file, on the Data page.
    """
    begin_anew()
    try:
        algorithms()
    except ValueError as problem:  # raised by the user's own file of algorithms
        st.error(plain(problem))
        end_page()
    values: Values = {}
    with st.sidebar:
        values["epsilon"] = draw_setting("epsilon", _idle("epsilon"))
        ends("← more private", "more accurate →")
        if values["epsilon"] > PROMISES_LITTLE:
            st.caption(warned(large_epsilon_sentence(values["epsilon"])))
        _source(values, form)
        group = st.container()
        with st.expander("More settings", key="more_settings"):
            grouped, why = _more_settings(values, group)
        if why:
            st.caption(plain(why))
        st.caption(LOOKING)
    settings.choose(values, grouped, why)
    settings_are_drawn()


def _source(values: Values, form: Container) -> None:
    """Draw the choice of data, and the numbers that matter most."""
    source = values["source"] = chosen_text(
        "source", tuple(SOURCES), "synthetic", allowed=options_text(SOURCES)
    )
    st.selectbox(
        "Data",
        list(SOURCES),
        list(SOURCES).index(source),
        format_func=lambda name: SOURCES[name],
        **follows("source_list", source, _take_source),
    )
    if source == "synthetic":
        values |= {key: draw_setting(key, _idle(key)) for key in ("n", "var_x", "var_e")}
    elif source == "state":
        values["state"] = draw_setting("state", on_change=_take_elasticity)
        values |= {key: draw_setting(key) for key in ("tracts", "elasticity")}
    elif source == "upload":
        _upload(form)
    else:
        titles, usual = TITLES[source], next(iter(TITLES[source]))
        values[source] = st.selectbox(
            "Data set", list(titles), on_change=_forget, **bound(source, titles, usual)
        )
        st.caption(titles[values[source]])


def _more_settings(values: Values, above: Container) -> tuple[GroupedData | None, str]:
    """Draw the settings that are seldom changed, and load the data.

    Parameters
    ----------
    values : dict
        Values of the widgets, to which those of this function are added.
    above : container
        Container of the choice of a group and of messages, visible while the settings are folded.

    Returns
    -------
    grouped : GroupedData or None
        The data; None if they cannot be had.
    why : str
        Why the data cannot be had.
    """
    accounting = values["accounting"] = _accounting(values["epsilon"])
    values["records_per_person"] = draw_setting("records_per_person")
    points = st.container()
    if values["source"] == "synthetic":
        values |= {key: draw_setting(key, _idle(key)) for key in ("slope", "intercept")}
        values |= {key: draw_setting(key) for key in ("x_mean", "x_shape", "error_shape")}
    if values["source"] in ("synthetic", "state"):
        values["data_seed"] = draw_setting("data_seed")
    grouped, why = None, ""
    try:
        grouped = settings.grouped_of(settings.source_of(values))
    except (DataUnavailable, ValueError) as problem:
        why = str(problem)
    if grouped is not None:
        usable = list(grouped.usable)
        if values["source"] == "upload":
            above.caption(plain(grouped.name))
        if len(usable) > 1:
            values["group"] = above.selectbox("Group", usable, **bound("group", usable, usable[0]))
        if beyond := delta_sentence(accounting, grouped):
            above.caption(warned(beyond))
        with points:
            values["at"] = _points(grouped, above)
    values["algorithms"] = _algorithms()
    values |= _hyperparameters(values["algorithms"], above)
    values |= {key: draw_setting(key) for key in ("trials", "seed")}
    return grouped, why


def _idle(key: str) -> str:
    """Return why a number of synthetic data, or the budget, does nothing on this page; empty if it does something."""
    page = st.session_state.get(PAGE)
    if page == "small_areas" and key != "epsilon" and not st.session_state.get("area_guesses"):
        return f"Small areas shows a simulated state of {settings.SIMULATED_AREAS} areas instead."
    if page != "sweep":
        return ""
    from dpslr_core.experiments.ranges import NAMED  # a server's first page need not wait for it

    name = st.session_state.get("vary", st.query_params.get("vary", "n"))
    varied = NAMED.get(str(name)) == key
    return "The Sweep page varies it: its range is set there." if varied else ""


def _take_source(source: str) -> None:
    """Take another source of data."""
    set_to("source", source)
    _forget()


def _take_elasticity() -> None:
    """Set the elasticity to the one of the chosen state."""
    set_to("elasticity", number_text(STATES[st.session_state["state"]].beta))


def _forget() -> None:
    """Clear points and group: neither means anything in another data set."""
    set_to("x_new", "")
    set_to("group", None)


def _upload(form: Container) -> None:
    """Draw the form on the Data page; keep the choices about the file in the link."""
    keys = [key for key in UploadedFile.model_fields if key != "kind"]
    linked = {key: texts[-1] for key in keys if (texts := opened_with(key))}
    if UPLOAD_CHOICE not in st.session_state:
        scenario, refused = Scenario.from_opened({"source": "upload", **linked})
        st.session_state[UPLOAD_CHOICE] = scenario.source
        st.session_state[f"{UPLOAD_CHOICE}_refused"] = refused
    if st.session_state.get(PAGE) == "data":
        with form:
            upload_form()
    written = Scenario(source=settings.upload_choice()).to_query()
    refused = st.session_state[f"{UPLOAD_CHOICE}_refused"]
    for key in keys:
        text = str(written.get(key, ""))
        if st.session_state.get(key, "") != text:
            st.session_state[key] = text
        text_setting(key, str)
        takes(key, "as the form on Data writes it", "", "none" if key in refused else None)


def _points(grouped: GroupedData, above: Container) -> tuple[float, ...]:
    """Draw the box of the points and the switch of their units; return the points in the unit square.

    Problems with the text stand in `above`, which is visible while the settings are folded.
    """
    slot = st.container()  # the box is drawn above the switch, once its units are known
    st.toggle(
        "Show the unit square",
        on_change=set_to,
        args=("x_new", ""),
        **bound("unit_square", (), False),
        help=plain(
            f"The algorithms work on [0, 1]: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."
        ),
    )
    x, _ = settings.axes(grouped)
    usual = _as_typed(x.from_unit(grouped.usual_at).tolist())
    takes("x_new", "numbers with semicolons between", "")
    text = slot.text_input(
        f"Predict y at {plain(x.label)}",
        key="x_new",
        placeholder=usual,
        **LINK,
        help=f"Up to {MAX_POINTS} numbers with semicolons between, inside the public bounds "
        f"{' to '.join(x.written((x.lower, x.upper)))}. The budget covers all of them together.",
    )
    used, problems = settings.points(grouped, text or "")
    if problems:
        sentences = " ".join(f"{problem}." for problem in problems)
        above.error(warned(f"{sentences} Showing {_as_typed(x.from_unit(used).tolist())} instead."))
    return used


def _as_typed(points: Sequence[float]) -> str:
    """Write points as pages print numbers and as they can be typed: with semicolons where a number has a comma."""
    texts = [of_column(text, max(map(abs, points), default=0.0)) for text in all_in_full(points)]
    return ("; " if any("," in text for text in texts) else ", ").join(texts)


ACCOUNTING = "accounting"


def _accounting(epsilon: float) -> Accounting:
    """Draw the rules, each with a sentence, and the numbers that belong to the chosen rule; return the accounting."""
    accounting = text_setting(ACCOUNTING, _for_one_record, "paper", f"{options_text(RULES)}:DELTA")
    st.selectbox(
        "What each algorithm may spend",
        list(RULES),
        list(RULES).index(str(accounting.rule)),
        format_func=lambda name: RULES[name].label,
        help="\n".join(f"- **{rule.label}**: {rule.explanation}" for rule in RULES.values()),
        **follows(
            "accounting_list",
            accounting.rule,
            lambda name: set_to(ACCOUNTING, str(Accounting(name))),
        ),
    )
    if accounting.rule == "approx":
        st.text_input(
            "δ",
            help="With this probability the promise of ε may fail. It is usually far below 1/n. "
            "A number between 0 and 1.",
            **follows("accounting_delta", number_text(accounting.delta), _take_delta),
        )
    elif accounting.rule == "zcdp":
        st.caption(f"ρ = ε²/2 = {in_full(rho_of(epsilon))}")
    elif accounting.rule == "attack":
        st.caption(plain(best_guess_sentence(epsilon)))
    return accounting


def _take_delta(text: str) -> None:
    """Take the typed δ; a text that cannot be used leaves the old δ."""
    with suppress(ValueError):
        set_to(ACCOUNTING, str(Accounting("approx", read_number(text))))


def _for_one_record(text: str) -> Accounting:
    """Read a rule; ValueError for more than one record per person, which has a setting of its own."""
    accounting = Accounting.parse(text)
    if accounting.records > 1:
        raise ValueError(text)
    return accounting


def _algorithms() -> list[str]:
    """Draw buttons for usual sets of algorithms and the list of all; return the chosen names in order."""
    paper, newer = _names(True), _names(False)
    everything = [*paper, *newer]
    st.markdown("**Algorithms**")
    choices = {"Usual": ALGORITHMS, "All": everything, "The paper's": paper}
    with st.container(horizontal=True, gap="small"):
        for label, names in choices.items():
            listed = [name for name in everything if name in names]
            st.button(
                label,
                key=f"choose_{label}",
                on_click=set_to,
                args=(CHOSEN_NAMES, listed),
                type="tertiary",
            )
    usual = [name for name in everything if name in ALGORITHMS]
    takes(CHOSEN_NAMES, f"names as under More settings, such as {ALGORITHMS[0]}", usual)
    names = st.pills(
        "The paper's algorithms come first, then newer ones",
        everything,
        selection_mode="multi",
        default=usual,
        key=CHOSEN_NAMES,
        label_visibility="collapsed",
        **LINK,
    )
    return settings.ordered(names or [])


def _names(in_paper: bool) -> list[str]:
    """Return the names of the paper's algorithms, or of the newer ones."""
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.in_paper == in_paper]


def _hyperparameters(names: Sequence[str], below: Container) -> Values:
    """Draw the widgets of the chosen algorithms if their folder is open or a value is changed; return the values."""
    folded = st.expander("Hyperparameters", key="hyperparameters", on_change="rerun")
    chosen = list(map(mechanism_named, names))
    usual = {"also_k": ""} | {
        f"{algorithm.__name__}.{f.name}": _usual(f.default)
        for algorithm in chosen
        for f in fields(algorithm)
    }
    changed = any(
        key in st.query_params or st.session_state.get(key, value) != value
        for key, value in usual.items()
    )
    if not folded.open and not changed:
        return {}  # each step of a slider would wait for fifty widgets
    values: Values = {}
    with folded:
        also_k = Scenario.model_fields["also_k"]
        allowed = Allowed(*field_limits(Scenario, "also_k"), whole=True, optional=True)
        values["also_k"] = number_box(
            str(also_k.title),
            "also_k",
            None,
            allowed,
            below=below,
            placeholder="no",
            help=also_k.description,
        )
        for algorithm in chosen:
            if fields(algorithm):
                st.markdown(f"*{algorithm.__name__}*")
                for f in fields(algorithm):
                    values[f"{algorithm.__name__}.{f.name}"] = _hyperparameter(algorithm, f, below)
                _, problem = settings.built(algorithm, values)
                if problem:
                    below.error(warned(f"{algorithm.__name__}: {problem}. Using the defaults."))
    return values


def _usual(default: Any) -> str | bool:
    """Return the default of a hyperparameter as its widget shows it."""
    if isinstance(default, bool):
        return default
    return format_points(default) if isinstance(default, tuple) else number_text(default)


def _hyperparameter(algorithm: type[Mechanism], f: Field[Any], below: Container) -> Any:
    """Draw the widget of one dataclass field: its type and metadata decide which."""
    key, hint = f"{algorithm.__name__}.{f.name}", f.metadata["help"]
    kind, optional = field_type(algorithm, f.name)
    usual: Any = f.default
    if kind is tuple:
        usual = _usual(usual)
        text = st.text_input(f.name, usual, key=key, help=hint, **LINK)
        takes(
            key,
            "numbers with semicolons between",
            usual,
            usual if read_list(text or "").problems else None,
        )
        return text
    if kind is bool:
        return st.toggle(f.name, usual, help=hint, **bound(key, (), usual))
    allowed = Allowed(*settings.hyperparameter_limits(f), kind is int, optional)
    return number_box(
        f.name,
        key,
        usual,
        allowed,
        below=below,
        help=hint,
        placeholder="all pairs" if optional else None,
    )
