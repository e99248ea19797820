"""Results kept in the session, under everything that determines them.

A key is made of the digest of data and the repr of frozen values, which holds their type and every field to the
last bit; the values themselves are never hashed or copied. A kept result must not be changed; a table may be filled in.
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
    """Decorate a function so that its last results are kept.

    Parameters
    ----------
    max_entries : int
        Number of results that are kept.
    scope : str, optional
        "session", or "global" for results that all sessions share.
    spinner : bool or str, optional
        Words shown while the function computes.

    Returns
    -------
    callable
        Decorator of a function of data, frozen values, numbers, texts and tuples, all given by position.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        def by_key(key: str, _args: tuple[Any, ...]) -> R:
            return cast(Callable[..., R], function)(*_args)

        by_key.__module__ = function.__module__  # Streamlit names a store after both
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
    """Decorate as `kept` does; the function then takes `private` as a further first argument.

    If private data go into the result it stays in the session; otherwise all sessions share the result.
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
    """Collect garbage that sessions left in reference cycles: once in five seconds for all sessions.

    Streamlit would collect after each run. Objects from before the first page, mostly modules, are skipped:
    ``benchmarks load``, CPU of a step.
    """
    if not gc.get_freeze_count():
        gc.freeze()
    return gc.collect()


def key_of(value: Any) -> str:
    """Return the key of a value: values that give different results have different keys."""
    if isinstance(value, tuple) and type(value) is tuple:
        return f"({', '.join(map(key_of, value))},)"
    digest = getattr(value, "digest", None)
    return f"{type(value).__name__}:{digest}" if digest is not None else repr(value)
