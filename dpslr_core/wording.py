"""Turns of phrase that several sentences share."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

SEEDED = (
    "Draws from a seed illustrate and may not be published as a release: whoever knows the seed can subtract the noise."
)


def more(share: float) -> str:
    """By how much one error is larger than another."""
    if not isfinite(share):
        return "without bound"
    return f"{share:.0%} larger" if share < 1 else f"{share + 1:.1f} times as large"


def listed(names: Iterable[str]) -> str:
    """Names as text: "a", "a and b", "a, b and c"."""
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def weaker(guarantee: str) -> str:
    """That a guarantee promises less than the others' epsilon; the sentence may go on."""
    return f"Its guarantee ({guarantee}) is weaker than pure ε-differential privacy"
