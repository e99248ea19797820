"""The sidebar that all pages share: everything that determines a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields
from functools import lru_cache
from math import sqrt
from typing import Any

import streamlit as st

from dpslr_core.mechanisms import REPLACED, Mechanism, algorithms
from dpslr_core.privacy import rho_of
from dpslr_core.privacy.accounting import APPROX, Accounting, OneDelta
from dpslr_core.scenario import FOR_PERSON, MAX_POINTS, Scenario, field_limits, field_type, mechanism_named
from dpslr_core.sources.choices import SimulatedState, Synthetic
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.linear import ERROR_SHAPES, X_SHAPES
from dpslr_core.sources.numbers import format_points, read_list
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.sources.tracts import STATES
from dpslr_core.text.phrases import bounds_of, in_full
from dpslr_core.text.privacy import best_guess_sentence

from . import controls
from .controls import ALGORITHMS, BOUND, DEFAULT, EPSILON, FEW, KEEP
from .inputs import Allowed, ends, number_box, slider_and_number
from .link import PAGE, SharedWidget, refuse, refuse_endless_numbers
from .plain import plain
from .private_names import end_page
from .settings import (
    axes,
    current_grouped,
    follow_link,
    hyperparameter_limits,
    hyperparameter_values,
    ordered_algorithms,
    points,
    put_in_link,
)
from .takeaway import nothing_warned, warned


def draw() -> None:
    """Data, budget, points, algorithms, trials: everything that determines a result."""
    nothing_warned()
    refuse_endless_numbers()
    try:
        algorithms()
    except ValueError as problem:  # of the file with algorithms of the user's own
        st.error(plain(problem))
        end_page()
    follow_link()
    with st.sidebar:
        epsilon = slider_and_number("epsilon", EPSILON, False, _varied("epsilon"))
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
    put_in_link(grouped)


def _data() -> GroupedData | None:
    """The choice of data, folded to a line that names them; its numbers stay in sight."""
    named = str(st.session_state.get("data_line", ""))
    with st.expander(f"Data: {named}" if named else "Data", key="data_choice"):
        source_choice()
    kind = st.session_state["source"]
    if kind == "synthetic":
        for key in ("n", "var_x", "var_e"):
            slider_and_number(key, controls.SLIDERS[key], key == "n", _varied(key))
        with st.expander("Line, shapes and seed of the data", key="line_and_seed"):
            for key in ("slope", "intercept"):
                slider_and_number(key, controls.SLIDERS[key], False, _varied(key))
            shapes()
            data_seed()
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
    from dpslr_core.experiments.ranges import NAMED  # the first page of a server need not wait for it

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
        if st.session_state["group"] not in usable:
            refuse(["group"] if st.session_state["group"] else [])
            st.session_state["group"] = usable[0]
        st.selectbox(f"Group ({len(usable):,})", usable, key="group", **KEEP)
    else:
        st.session_state["group"] = ""


def _records_per_person() -> None:
    """The unit of privacy: how many records of one person the guarantee covers."""
    st.number_input(
        "Records per person, at most", 1, controls.MOST_RECORDS, key="records_per_person",
        help=f"{FOR_PERSON} n counts records.", **KEEP,
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
    stops = _with_chosen("trials", controls.TRIALS)
    st.select_slider(str(trials.title), stops, key="trials", help=trials.description, **KEEP)
    st.number_input(str(seed.title), 0, controls.LARGEST_SEED, key="seed", help=seed.description, **KEEP)


def _with_chosen(key: str, stops: Sequence[float]) -> list[float]:
    """The stops of a slider, and the number that a link has chosen."""
    return sorted({*stops, st.session_state[key]})


def source_choice() -> None:
    """Where the data come from; a state and its tracts, or a data set, where there are several."""
    st.radio(
        "Source", list(controls.SOURCES), captions=list(controls.SOURCES.values()), key="source",
        on_change=_forget_points, **KEEP,
    )  # fmt: skip
    source = st.session_state["source"]
    if source == "state":
        _state()
    elif source in ("sample", "uci"):
        titles = controls.SAMPLE_TITLES if source == "sample" else controls.UCI_TITLES
        st.selectbox("Data set", list(titles), key=source, on_change=_forget_points, **KEEP)
        st.caption(titles[st.session_state[source]])


def _state() -> None:
    """The state that the tracts are like, how many there are, and how income is passed on."""
    st.selectbox("Like", list(STATES), key="state", on_change=_take_elasticity, **KEEP)
    counts = "; ".join(f"{name} has {state.tracts:,}" for name, state in STATES.items())
    tracts = _with_chosen("tracts", controls.TRACTS)
    st.select_slider("Tracts", tracts, key="tracts", help=f"{counts}.", **KEEP)
    fits = "; ".join(f"{name} {state.beta}" for name, state in STATES.items())
    elasticity = SimulatedState.model_fields["elasticity"]
    st.select_slider(
        str(elasticity.title), _with_chosen("elasticity", controls.ELASTICITIES), key="elasticity", **KEEP,
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
        st.selectbox(label, list(shapes), key=key, help="; ".join(shapes.values()).capitalize() + ".", **KEEP)


def data_seed() -> None:
    """Of simulated data."""
    seed = Synthetic.model_fields["data_seed"]
    st.number_input(str(seed.title), 0, controls.LARGEST_SEED, key="data_seed", **KEEP)


def _forget_points() -> None:
    """Points typed in one data set's units mean nothing in another's."""
    if st.session_state.get("x_new"):
        st.session_state["x_new"] = ""


ACCOUNTING = "accounting"
_RULE_LIST, _DELTA, _RHO = "accounting_list", "accounting_delta", "accounting_rho"  # keys of the widgets
_Rule = Accounting | OneDelta
_RULES: dict[str, _Rule] = {**{rule.value: rule for rule in Accounting}, APPROX: OneDelta()}


def accounting_choice(epsilon: float) -> None:
    """The rules, each with a sentence, and the numbers that belong to the chosen one."""
    rule: _Rule = st.session_state[ACCOUNTING]
    st.session_state[_RULE_LIST] = APPROX if isinstance(rule, OneDelta) else rule.value
    st.selectbox(
        "What each algorithm may spend", list(_RULES), key=_RULE_LIST, on_change=_follow_list, format_func=_label,
        help="\n".join(f"- **{_label(name)}**: {rule.explanation}" for name, rule in _RULES.items()),
    )  # fmt: skip
    if isinstance(rule, OneDelta):
        st.session_state[_DELTA] = rule.delta
        number_box(
            "δ", _DELTA, Allowed(1e-18, 0.5), _follow_delta,
            help="With this probability the promise of ε may fail. It is usually far below 1/n.",
        )  # fmt: skip
    elif rule is Accounting.CONCENTRATED:
        st.session_state[_RHO] = rho_of(epsilon)
        number_box(
            "ρ = ε²/2", _RHO, Allowed(rho_of(EPSILON.least), rho_of(EPSILON.most)), _follow_rho,
            help="Another ρ is another ε.",
        )  # fmt: skip
    elif rule is Accounting.ATTACK:
        st.caption(plain(best_guess_sentence(epsilon)))


def _label(name: str) -> str:
    """Of a rule in the list, where δ is not yet chosen."""
    return "one (ε, δ) for all" if name == APPROX else _RULES[name].label


def _follow_list() -> None:
    st.session_state[ACCOUNTING] = _RULES[st.session_state[_RULE_LIST]]


def _follow_delta() -> None:
    st.session_state[ACCOUNTING] = OneDelta(st.session_state[_DELTA])


def _follow_rho() -> None:
    st.session_state["epsilon"] = sqrt(2 * st.session_state[_RHO])


CHOSEN = "algorithms"
_MISSED = "algorithms_missed"  # session-state key: algorithms of an old link, until others are chosen
LISTS = {True: "From the paper", False: "Newer"}  # of Mechanism.in_paper


def algorithm_choice() -> None:
    """The choices of one click, then the lists; a name is chosen and left out by a click on it."""
    if replaced := [name for name in st.query_params.get_all(CHOSEN) if name in REPLACED]:
        st.session_state[_MISSED] = replaced
    chosen = st.session_state[CHOSEN]
    st.markdown("**Algorithms**")
    for name in st.session_state.get(_MISSED, []):
        st.info(warned(f"{name} is no longer offered: {REPLACED[name]} has taken its place."))
    with st.container(horizontal=True, gap="small"):
        for label, names in _choices().items():
            st.button(label, key=f"choose_{label}", on_click=_choose, args=(names,), type="tertiary")
    for in_paper, heading in LISTS.items():
        names = _names(in_paper)
        key = _list(in_paper).key([name for name in names if name in chosen])
        st.pills(heading, names, selection_mode="multi", key=key, on_change=_join)


def _list(in_paper: bool) -> SharedWidget:
    return SharedWidget(f"{CHOSEN}_{'paper' if in_paper else 'newer'}")


def _names(in_paper: bool) -> list[str]:
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.in_paper == in_paper]


def _choices() -> dict[str, list[str]]:
    everyone = [*_names(True), *_names(False)]
    return {"Usual": list(ALGORITHMS), "All": everyone, "The paper's": _names(True), "A few": list(FEW)}


def _choose(names: list[str]) -> None:
    st.session_state[CHOSEN] = _ordered(names)
    st.session_state.pop(_MISSED, None)


def _join() -> None:
    chosen = [name for in_paper in LISTS for name in _list(in_paper).chosen()]
    _choose(chosen)
    for in_paper in LISTS:
        _list(in_paper).show([name for name in _names(in_paper) if name in chosen])


def _ordered(names: Sequence[str]) -> list[str]:
    """The algorithms of these names in the order of algorithms(), so that equal choices have equal links."""
    return [algorithm.__name__ for algorithm in algorithms() if algorithm.__name__ in names]


def hyperparameters() -> None:
    """The widgets of all chosen algorithms, folded; as long as all say what is usual they are not even drawn."""
    folded = st.expander("Hyperparameters", key="hyperparameters", on_change="rerun")
    if not folded.open and not _any_hyperparameter():
        return  # each step of a slider would wait for fifty widgets
    with folded:
        also_k = Scenario.model_fields["also_k"]
        allowed = Allowed(*field_limits(Scenario, "also_k"), whole=True, optional=True)
        number_box(str(also_k.title), "also_k", allowed, placeholder="no", help=also_k.description)
        for name in ordered_algorithms():
            algorithm = mechanism_named(name)
            if fields(algorithm):
                st.markdown(f"*{name}*")
                for f in fields(algorithm):
                    _hyperparameter(algorithm, f)
                _refusal(algorithm)


def _any_hyperparameter() -> bool:
    """Whether a hyperparameter, by the link or its widget, is other than usual."""
    usual, state = _usual(tuple(ordered_algorithms())), st.session_state.to_dict()
    return any(state.get(key) not in (None, default) for key, default in usual.items())


@lru_cache(64)
def _usual(names: tuple[str, ...]) -> dict[str, Any]:
    """What the widgets of these algorithms say at first, by key."""
    drawn = {f"{name}.{f.name}": f.default for name in names for f in fields(mechanism_named(name))}
    usual = {key: format_points(default) if isinstance(default, tuple) else default for key, default in drawn.items()}
    return usual | {"also_k": None}


def _hyperparameter(algorithm: type[Mechanism], f: Field[Any]) -> None:
    """The widget of one dataclass field: its type and metadata decide which."""
    key, label, hint = f"{algorithm.__name__}.{f.name}", f.name, dict(f.metadata)
    plain, optional = field_type(algorithm, f.name)
    if plain is tuple:
        st.text_input(label, key=key, help=hint["help"], **KEEP)
        return
    if plain is bool:
        st.toggle(label, key=key, help=hint["help"], **KEEP)
        return
    allowed = Allowed(*hyperparameter_limits(f), plain is int, optional)
    none = "all pairs" if optional else None
    number_box(label, key, allowed, help=hint["help"], placeholder=none)


def _refusal(algorithm: type[Mechanism]) -> None:
    """A sentence where the values do not go together; the defaults are used meanwhile."""
    try:
        algorithm(**hyperparameter_values(algorithm, st.session_state.to_dict()))
    except ValueError as problem:
        st.error(warned(f"{algorithm.__name__}: {problem}. Using the defaults."))
