"""By which rule the algorithms of a comparison are made comparable; what that means for one is in mechanisms."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar


class Promise:
    """What all guarantees tell about themselves; they are in ``privacy``."""

    private: ClassVar[bool] = True  # whether it is a form of differential privacy at all
    pure: ClassVar[bool] = False  # whether it is pure epsilon-differential privacy

    @property
    def promise(self) -> str:
        """What a release satisfies, for a sentence."""
        return str(self)


class Accounting(StrEnum):
    """What each algorithm may spend at a given epsilon; label and explanation are for a form."""

    label: str
    explanation: str

    PAPER = (
        "paper",
        "as in the paper",
        "Each algorithm has its own guarantee at ε; those with zero-concentrated privacy take ρ = ε²/2.",
    )
    IMPLIED = (
        "implied",
        "what ε implies",
        "As in the paper, but zero-concentrated privacy takes ρ = ε tanh(ε/2), which is what ε-differential privacy "
        "implies.",
    )
    ATTACK = (
        "attack",
        "same attack",
        "Every algorithm takes all that keeps it as hard to attack as ε-differential privacy: μ-Gaussian privacy.",
    )
    PURE = ("pure", "pure only", "Only algorithms with pure ε-differential privacy are run.")

    def __new__(cls, value: str, label: str, explanation: str) -> Accounting:
        member = str.__new__(cls, value)
        member._value_, member.label, member.explanation = value, label, explanation
        return member


def accounting_of(accounting: Any) -> Accounting | Promise:
    """The rule from itself, from its value, or a guarantee that every algorithm is to satisfy.

    ValueError where it is neither, or the guarantee is not one of differential privacy.

    >>> accounting_of("implied").label
    'what ε implies'
    """
    if isinstance(accounting, Promise) and accounting.private:
        return accounting
    for rule in Accounting:
        if isinstance(accounting, str) and accounting == rule:
            return rule
    raise ValueError(f"accounting must be one of {[str(a) for a in Accounting]} or a guarantee, got {accounting!r}")
