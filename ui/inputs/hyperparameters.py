"""The hyperparameters of the chosen algorithms: a widget for each field of their classes."""

from __future__ import annotations

from dataclasses import Field, fields
from functools import lru_cache
from math import inf
from typing import Any

import streamlit as st

from dpslr_core.mechanisms import Mechanism
from dpslr_core.scenario import Scenario, field_limits, field_type, mechanism_named
from dpslr_core.sources.files.typed import format_points

from ..controls import BOUND
from ..settings import hyperparameter_values, ordered_algorithms
from ..takeaway.saved_as import warned
from .number import Allowed, linked_number


def hyperparameters() -> None:
    """The widgets of all chosen algorithms, folded; as long as all say what is usual they are not even drawn."""
    folded = st.expander("Hyperparameters", key="hyperparameters", on_change="rerun")
    if not folded.open and not _any_hyperparameter():
        return  # each step of a slider would wait for fifty widgets
    with folded:
        also_k = Scenario.model_fields["also_k"]
        linked_number(
            str(also_k.title), key="also_k", usual=None, placeholder="no", help=also_k.description,
            allowed=Allowed(*field_limits(Scenario, "also_k"), whole=True, optional=True),
        )  # fmt: skip
        for name in ordered_algorithms():
            algorithm = mechanism_named(name)
            if fields(algorithm):
                st.markdown(f"*{name}*")
                for f in fields(algorithm):
                    _hyperparameter(algorithm, f)
                _refusal(algorithm)


def _any_hyperparameter() -> bool:
    """Whether a hyperparameter, by the link or a widget drawn before, is other than usual."""
    usual, state = _usual(tuple(ordered_algorithms())), st.session_state.to_dict()
    if not usual.keys().isdisjoint(st.query_params.to_dict()):
        return True
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
    default: Any = f.default
    if plain is tuple:
        st.text_input(label, format_points(default), key=key, help=hint["help"], **BOUND)
        return
    if plain is bool:
        st.toggle(label, default, key=key, help=hint["help"], **BOUND)
        return
    least, most = (end if hint[name] is None else hint[name] for name, end in (("low", -inf), ("high", inf)))
    allowed = Allowed(least, most, plain is int, optional)
    none = "all pairs" if optional else None
    linked_number(label, key=key, usual=default, allowed=allowed, help=hint["help"], placeholder=none)


def _refusal(algorithm: type[Mechanism]) -> None:
    """A sentence where the values do not go together; the defaults are used meanwhile."""
    try:
        algorithm(**hyperparameter_values(algorithm, st.session_state.to_dict()))
    except ValueError as problem:
        st.error(warned(f"{algorithm.__name__}: {problem}. Using the defaults."))
