"""The one way in which results are kept: in the session, under everything that determines them.

A key is made of the digest of data and the repr of frozen values, which holds their type and every field to the
last bit; the values themselves are never hashed or copied. What is kept must not be changed; a table may be filled in.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import streamlit as st

P = ParamSpec("P")
R = TypeVar("R")


def kept(
    max_entries: int, *, scope: str = "session", spinner: bool | str = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function of data, frozen values, numbers, texts and tuples: its last results are kept."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        def by_key(key: str, _args: tuple[Any, ...]) -> R:
            return cast(Callable[..., R], function)(*_args)

        by_key.__module__ = function.__module__  # the name of the store is of both
        by_key.__qualname__ = f"{function.__qualname__}, {scope}"
        store = st.cache_resource(
            max_entries=max_entries, show_spinner=spinner, scope=cast(Any, scope)
        )
        stored = store(by_key)

        @wraps(function)
        def call(*args: Any) -> R:
            return stored(key_of(args), args)

        return cast(Callable[P, R], call)

    return decorate


def kept_by_origin(max_entries: int) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """Decorate as kept does; an argument before the others says whether private data go in.

    If so results stay in the session; if not, all sessions share them.
    """

    def decorate(function: Callable[P, R]) -> Callable[..., R]:
        shared, private_ones = (
            kept(max_entries, scope="global")(function),
            kept(max_entries)(function),
        )

        def call(private: bool, *args: Any) -> R:
            chosen: Callable[..., R] = private_ones if private else shared
            return chosen(*args)

        return call

    return decorate


@st.cache_resource(ttl=5, show_spinner=False)
def collect_garbage() -> int:
    """Collect what sessions left in circles: once in five seconds for all, where Streamlit would after each run.

    What is there before the first page, mostly modules, is not looked at: ``benchmarks load``, CPU of a step.
    """
    if not gc.get_freeze_count():
        gc.freeze()
    return gc.collect()


def key_of(value: Any) -> str:
    """What tells a value from every other that gives another result; unequal values have unequal keys."""
    if isinstance(value, tuple) and type(value) is tuple:
        return f"({', '.join(map(key_of, value))},)"
    digest = getattr(value, "digest", None)
    return f"{type(value).__name__}:{digest}" if digest is not None else repr(value)
