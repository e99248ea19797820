"""Releases on integers, with the operating system's randomness and a checked guarantee: plan, release once, verify."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .once import release
    from .plans import plan
    from .verification import verify

_HOMES = {
    "plan": "plans",
    "release": "once",
    "verify": "verification",
}  # of each name, the module that it is in


def __getattr__(name: str) -> Any:
    """A name of __all__ at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


__all__ = ["plan", "release", "verify"]
