"""Values as Python writes them. Texts of files and links become string literals, so that none of them is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from pydantic import BaseModel

from ...mechanisms import MECHANISMS
from ...mechanisms.base import Mechanism, hyperparameters
from ...support.accounting import Accounting
from ...support.run import Budget


def literal(value: Any) -> str:
    """A number, text, tuple or None; what is none of these as the text it stands for in a link."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    if isinstance(value, tuple):
        inside = ", ".join(map(literal, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value if value is None or type(value) in (bool, int, float, str) else str(value))


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call with these arguments by name."""
    return f"{name}({', '.join(f'{key}={literal(value)}' for key, value in arguments.items())})"


def source_call(source: BaseModel) -> str:
    """A source as a call, its fields where they differ from their defaults."""
    fields = type(source).model_fields
    given = {name: getattr(source, name) for name, info in fields.items() if name != "kind"}
    return call(type(source).__name__, {name: v for name, v in given.items() if v != fields[name].default})


def is_own(mechanism: Mechanism) -> bool:
    """Whether the algorithm is from a file of the user's own."""
    return type(mechanism) not in MECHANISMS


def mechanism_call(mechanism: Mechanism) -> str:
    """A mechanism as a call, its hyperparameters where they differ from their defaults."""
    name = type(mechanism).__name__
    return call(f"mechanism_named({name!r})" if is_own(mechanism) else name, hyperparameters(mechanism))


def mechanism_list(mechanisms: Sequence[Mechanism]) -> str:
    """A list of mechanisms, one in a line."""
    return "\n".join(["[", *(f"    {mechanism_call(mechanism)}," for mechanism in mechanisms), "]"])


def accounting_argument(accounting: Any) -> str:
    """What a call says of the rule, nothing where it is the usual one."""
    return "" if accounting == Accounting.PAPER else f", accounting={str(accounting)!r}"


def budget_call(budget: Budget) -> str:
    """A budget as a call."""
    return f"Budget({literal(budget.epsilon)}, {literal(budget.at)}{accounting_argument(budget.accounting)})"
