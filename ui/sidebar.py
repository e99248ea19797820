"""The sidebar that all pages share: everything that determines a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields
from functools import lru_cache, partial
from math import sqrt
from typing import Any

import streamlit as st

from dpslr_core.mechanisms import REPLACED, Mechanism, algorithms
from dpslr_core.privacy import rho_of
from dpslr_core.privacy.accounting import APPROX, Accounting, OneDelta
from dpslr_core.scenario import MAX_POINTS, Scenario, field_limits, field_type, mechanism_named
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.numbers import format_points, read_list
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.sources.tracts import STATES
from dpslr_core.support.readable import all_in_full, of_column
from dpslr_core.text.data import delta_sentence
from dpslr_core.text.phrases import bounds_of
from dpslr_core.text.privacy import best_guess_sentence, large_epsilon_sentence

from . import settings
from .controls import ALGORITHMS, BOUND, EPSILON, FEW, KEEP, LOOKING, SETTINGS, SOURCES, TITLES, options_text
from .inputs import Allowed, ends, number_box, set_to, slider_and_number
from .link import PAGE, SharedWidget, allow, refuse, refuse_endless_numbers, say_again
from .plain import plain
from .private_names import end_page
from .takeaway import begin_anew, warned

PROMISES_LITTLE = 20.0  # an epsilon beyond which the sidebar says what it promises; the paper's own case is 16


def draw() -> None:
    """Data, budget, points, algorithms, trials: everything that determines a result."""
    begin_anew()
    refuse_endless_numbers()
    try:
        algorithms()
    except ValueError as problem:  # of the file with algorithms of the user's own
        st.error(plain(problem))
        end_page()
    settings.follow_link()
    with st.sidebar:
        epsilon = slider_and_number("epsilon", False, _varied("epsilon"))
        ends("← more private", "more accurate →")
        if epsilon > PROMISES_LITTLE:
            st.caption(warned(large_epsilon_sentence(epsilon)))
        _accounting(epsilon)
        grouped = _data()
        if grouped is not None:
            if beyond := delta_sentence(st.session_state[ACCOUNTING], grouped):
                st.caption(warned(beyond))
            _points(grouped)
        _algorithms()
        _hyperparameters()
        with st.expander("Trials and seed", key="trials_and_seed"):
            _settings("trials", "seed")
        st.caption(LOOKING)
    settings.put_in_link(grouped)


def _settings(*keys: str) -> None:
    """Settings in their widgets: a list of options, a slider to whose stops that of a link is added, or a box."""
    for key in keys:
        label, hint, least, most, stops = SETTINGS[key]
        follow = _take_elasticity if key == "state" else None
        if not stops:
            st.number_input(label, int(least), int(most), key=key, help=hint, **KEEP)
        elif isinstance(stops[0], str):
            st.selectbox(label, stops, key=key, help=hint, on_change=follow, **KEEP)
        else:
            st.select_slider(label, sorted({*stops, st.session_state[key]}), key=key, help=hint, **KEEP)


def _take_elasticity() -> None:
    st.session_state["elasticity"] = STATES[st.session_state["state"]].beta


def _data() -> GroupedData | None:
    """The choice of data, folded to a line that names them; its numbers stay in sight."""
    named = str(st.session_state.get("data_line", ""))
    with st.expander(f"Data: {named}" if named else "Data", key="data_choice"):
        st.radio(
            "Source", list(SOURCES), captions=list(SOURCES.values()), key="source", on_change=_forget_points, **KEEP
        )  # fmt: skip
        source = st.session_state["source"]
        if source == "state":
            _settings("state", "tracts", "elasticity", "data_seed")
        elif source in TITLES:  # several data sets
            st.selectbox("Data set", list(TITLES[source]), key=source, on_change=_forget_points, **KEEP)
            st.caption(TITLES[source][st.session_state[source]])
    if source == "synthetic":
        for key in ("n", "var_x", "var_e"):
            slider_and_number(key, key == "n", _varied(key))
        with st.expander("Line, shapes and seed of the data", key="line_and_seed"):
            for key in ("slope", "intercept"):
                slider_and_number(key, False, _varied(key))
            _settings("x_shape", "error_shape", "data_seed")
    grouped = None
    try:
        grouped = settings.current_grouped()
    except (DataUnavailable, ValueError) as problem:
        st.caption(plain(problem))
    usable = [] if grouped is None else list(grouped.usable)
    if len(usable) > 1:
        if st.session_state["group"] not in usable:
            refuse(["group"] if st.session_state["group"] else [])
            allow("group", options_text(usable))
            st.session_state["group"] = usable[0]
        st.selectbox(f"Group ({len(usable):,})", usable, key="group", **KEEP)
    elif grouped is not None:
        st.session_state["group"] = ""
    _settings("records_per_person")
    line = "none yet" if grouped is None else plain(grouped.name)
    if line != named:  # the line above was drawn before the data were known
        st.session_state["data_line"] = line
        st.rerun()
    return grouped


def _forget_points() -> None:
    """Points typed in one data set's units mean nothing in another's."""
    if st.session_state.get("x_new"):
        st.session_state["x_new"] = ""


def _varied(key: str) -> str:
    """Why a number does nothing now: the Sweep page varies it."""
    if st.session_state.get(PAGE) != "sweep":
        return ""
    from dpslr_core.experiments.ranges import NAMED  # the first page of a server need not wait for it

    name = st.session_state.get("vary", st.query_params.get("vary", "n"))
    return "The Sweep page varies it: its range is set there." if NAMED.get(str(name)) == key else ""


def _points(grouped: GroupedData) -> None:
    x, _ = settings.axes(grouped)
    usual = _as_typed(x.from_unit(grouped.usual_at).tolist())
    say_again("x_new", "")
    say_again("unit_square", False)
    st.text_input(
        f"Predict y at {plain(x.label)}", key="x_new", placeholder=usual, **BOUND,
        help=f"Up to {MAX_POINTS} numbers with semicolons between, inside the public bounds "
        f"{' to '.join(x.written((x.lower, x.upper)))}. The budget covers all of them together.",
    )  # fmt: skip
    used, problems = settings.points(grouped)
    if problems:
        said = " ".join(f"{problem}." for problem in problems)
        st.error(warned(f"{said} Showing {_as_typed(x.from_unit(used).tolist())} instead."))
    st.toggle(
        "Show the unit square", key="unit_square", on_change=_convert_points, args=(grouped,), **BOUND,
        help=plain(f"The algorithms work on [0, 1]: {bounds_of(grouped.x)}, {bounds_of(grouped.y)}."),
    )  # fmt: skip


def _as_typed(points: Sequence[float]) -> str:
    """The points as pages print numbers, and as they can be typed: with semicolons where a number has a comma."""
    texts = [of_column(text, max(map(abs, points), default=0.0)) for text in all_in_full(points)]
    return ("; " if any("," in text for text in texts) else ", ").join(texts)


def _convert_points(grouped: GroupedData) -> None:
    """Keep the same points when the switch changes the units they are typed in."""
    text, x = str(st.session_state.get("x_new") or ""), grouped.x
    if text.strip():  # what could not be read has no place in other units
        if st.session_state["unit_square"]:
            converted = x.to_unit(read_list(text, x.numbers, x.unit).numbers).tolist()
        else:
            converted = [x.nearest(point) for point in read_list(text).numbers]
        st.session_state["x_new"] = format_points(converted)


ACCOUNTING = "accounting"
_LIST, _DELTA, _RHO = "accounting_list", "accounting_delta", "accounting_rho"  # keys of the widgets
_RULES: dict[str, Accounting | OneDelta] = {**{rule.value: rule for rule in Accounting}, APPROX: OneDelta()}


def _accounting(epsilon: float) -> None:
    """The rules, each with a sentence, and the numbers that belong to the chosen one."""
    rule: Accounting | OneDelta = st.session_state[ACCOUNTING]
    labels = {name: "one (ε, δ) for all" if name == APPROX else each.label for name, each in _RULES.items()}
    st.session_state[_LIST] = APPROX if isinstance(rule, OneDelta) else rule.value
    st.selectbox(
        "What each algorithm may spend", list(_RULES), key=_LIST, on_change=_follow, args=(_LIST,),
        format_func=labels.__getitem__,
        help="\n".join(f"- **{labels[name]}**: {each.explanation}" for name, each in _RULES.items()),
    )  # fmt: skip
    if isinstance(rule, OneDelta):
        st.session_state[_DELTA] = rule.delta
        number_box(
            "δ", _DELTA, Allowed(1e-18, 0.5), partial(_follow, _DELTA),
            help="With this probability the promise of ε may fail. It is usually far below 1/n.",
        )  # fmt: skip
    elif rule is Accounting.CONCENTRATED:
        st.session_state[_RHO] = rho_of(epsilon)
        number_box(
            "ρ = ε²/2", _RHO, Allowed(rho_of(EPSILON.least), rho_of(EPSILON.most)), partial(_follow, _RHO),
            help="Another ρ is another ε.",
        )  # fmt: skip
    elif rule is Accounting.ATTACK:
        st.caption(plain(best_guess_sentence(epsilon)))


def _follow(widget: str) -> None:
    """Take what was chosen in one of these widgets."""
    chosen = st.session_state[widget]
    if widget == _RHO:
        set_to("epsilon", sqrt(2 * chosen))
    else:
        set_to(ACCOUNTING, OneDelta(chosen) if widget == _DELTA else _RULES[chosen])


CHOSEN = "algorithms"
_MISSED = "algorithms_missed"  # session-state key: algorithms of an old link, until others are chosen
LISTS = {  # headings, of Mechanism.in_paper, and the widgets
    True: ("From the paper", SharedWidget("algorithms_paper")), False: ("Newer", SharedWidget("algorithms_newer")),
}  # fmt: skip


def _algorithms() -> None:
    """The choices of one click, then the lists; a name is chosen and left out by a click on it."""
    if replaced := [name for name in st.query_params.get_all(CHOSEN) if name in REPLACED]:
        st.session_state[_MISSED] = replaced
    chosen = st.session_state[CHOSEN]
    st.markdown("**Algorithms**")
    for name in st.session_state.get(_MISSED, []):
        st.info(warned(f"{name} is no longer offered: {REPLACED[name]}."))
    paper, newer = _names(True), _names(False)
    choices = {"Usual": ALGORITHMS, "All": [*paper, *newer], "The paper's": paper, "A few": FEW}
    with st.container(horizontal=True, gap="small"):
        for label, names in choices.items():
            st.button(label, key=f"choose_{label}", on_click=_choose, args=(names,), type="tertiary")
    for in_paper, (heading, widget) in LISTS.items():
        names = _names(in_paper)
        key = widget.key([name for name in names if name in chosen])
        st.pills(heading, names, selection_mode="multi", key=key, on_change=_join)


def _names(in_paper: bool) -> list[str]:
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.in_paper == in_paper]


def _choose(names: Sequence[str]) -> None:
    st.session_state[CHOSEN] = settings.ordered(names)
    st.session_state.pop(_MISSED, None)


def _join() -> None:
    chosen = [name for _, widget in LISTS.values() for name in widget.chosen()]
    _choose(chosen)
    for in_paper, (_, widget) in LISTS.items():
        widget.show([name for name in _names(in_paper) if name in chosen])


def _hyperparameters() -> None:
    """The widgets of all chosen algorithms, folded; as long as all say what is usual they are not even drawn."""
    folded = st.expander("Hyperparameters", key="hyperparameters", on_change="rerun")
    names = settings.ordered(st.session_state[CHOSEN])
    usual, state = _usual(tuple(names)), st.session_state.to_dict()
    if not folded.open and all(state.get(key) in (None, default) for key, default in usual.items()):
        return  # each step of a slider would wait for fifty widgets
    with folded:
        also_k = Scenario.model_fields["also_k"]
        allowed = Allowed(*field_limits(Scenario, "also_k"), whole=True, optional=True)
        number_box(str(also_k.title), "also_k", allowed, placeholder="no", help=also_k.description)
        for algorithm in map(mechanism_named, names):
            if fields(algorithm):
                st.markdown(f"*{algorithm.__name__}*")
                for f in fields(algorithm):
                    _hyperparameter(algorithm, f)
                _, problem = settings.built(algorithm, st.session_state.to_dict())
                if problem:
                    st.error(warned(f"{algorithm.__name__}: {problem}. Using the defaults."))


@lru_cache(64)
def _usual(names: tuple[str, ...]) -> dict[str, Any]:
    """What the widgets of these algorithms say at first, by key."""
    drawn = {f"{name}.{f.name}": f.default for name in names for f in fields(mechanism_named(name))}
    usual = {key: format_points(default) if isinstance(default, tuple) else default for key, default in drawn.items()}
    return usual | {"also_k": None}


def _hyperparameter(algorithm: type[Mechanism], f: Field[Any]) -> None:
    """The widget of one dataclass field: its type and metadata decide which."""
    key, hint = f"{algorithm.__name__}.{f.name}", f.metadata["help"]
    plain, optional = field_type(algorithm, f.name)
    st.session_state.setdefault(key, _usual((algorithm.__name__,))[key])
    if plain in (tuple, bool):
        (st.text_input if plain is tuple else st.toggle)(f.name, key=key, help=hint, **KEEP)
        return
    allowed = Allowed(*settings.hyperparameter_limits(f), plain is int, optional)
    number_box(f.name, key, allowed, help=hint, placeholder="all pairs" if optional else None)
