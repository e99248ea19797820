"""By which rule the algorithms of a comparison are made comparable; what that means for one is in mechanisms."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from . import validate
from .amounts import format_amount
from .types import Promise


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
        "same best guess",
        "Every algorithm takes all that leaves the best guess at even odds as often right as ε-differential privacy "
        "may: μ-Gaussian privacy. At few false alarms μ allows more. At ε = 2 and 0.1% false alarms a test detects "
        "0.74% of changes under ε-differential privacy, 23% under its μ.",
    )
    PURE = ("pure", "pure only", "Only algorithms with pure ε-differential privacy are run.")
    CONCENTRATED = (
        "zcdp",
        "one ρ for all",
        "Every private algorithm satisfies zero-concentrated privacy with ρ = ε²/2, at its best parameter.",
    )

    def __new__(cls, value: str, label: str, explanation: str) -> Accounting:
        member = str.__new__(cls, value)
        member._value_, member.label, member.explanation = value, label, explanation
        return member


class OneDelta(str):
    """The rule that every private algorithm satisfies (epsilon, delta)-differential privacy; written "approx:delta".

    ValueError unless 0 < delta < 1.

    >>> OneDelta(1e-9)
    'approx:1e-09'
    """

    delta: float
    explanation = "Every private algorithm satisfies (ε, δ)-differential privacy, at its best parameter."

    def __new__(cls, delta: float = 1e-6) -> OneDelta:
        validate.inside(0, 1, closed="neither", delta=delta)
        rule = str.__new__(cls, f"{APPROX}:{float(delta)!r}")
        rule.delta = float(delta)
        return rule

    @property
    def label(self) -> str:
        """For a form and a sentence."""
        return f"one (ε, δ) for all, δ = {format_amount(self.delta, 2)}"


class PerPerson(str):
    """A rule, or a guarantee, that holds for people with up to so many records each.

    What is promised is promised to the person; a single record has more. rule: that of one record each. ValueError
    where records is not a whole number, 2 or more, or there is no such rule.

    >>> PerPerson(3, "implied")
    'implied, 3 records per person'
    """

    records: int
    rule: Accounting | OneDelta | Promise

    def __new__(cls, records: int, rule: Any = Accounting.PAPER) -> PerPerson:
        validate.integer(2, records=records)
        one = accounting_of(rule)
        if isinstance(one, PerPerson):
            raise ValueError(f"rule must be one for a single record, got {rule!r}")
        written = str.__new__(cls, f"{one}, {int(records)} records per person")
        written.records, written.rule = int(records), one
        return written

    @property
    def label(self) -> str:
        """For a form and a sentence."""
        rule = self.rule.promise if isinstance(self.rule, Promise) else self.rule.label
        return f"{rule}, for people with up to {self.records} records each"

    @property
    def explanation(self) -> str:
        rule = "" if isinstance(self.rule, Promise) else f"{self.rule.explanation} "
        return f"{rule}The guarantee is for a person with up to {self.records} records; for one record it is stronger."


APPROX = "approx"
SpendingRule = Accounting | OneDelta | PerPerson
_PER_PERSON = re.compile(r"(.+), (\d+) records per person")


def per_person(rule: Any, records: int) -> Any:
    """The rule for people with up to so many records each: itself for one. ValueError as PerPerson."""
    return rule if records == 1 else PerPerson(records, rule)


def number_of_records(value: Any) -> int:
    """A whole number, 1 or more, from itself or its text; ValueError where it is none."""
    text = str(value)
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"records_per_person must be a whole number, 1 or more, got {value!r}")
    return int(text)


def for_one_record(rule: Any) -> tuple[Any, int]:
    """The rule without its number of records per person, and that number."""
    return (rule.rule, rule.records) if isinstance(rule, PerPerson) else (rule, 1)


def rule_of(written: Any) -> SpendingRule:
    """The rule from itself or from its text, such as "implied" or "approx:1e-9"; ValueError names those there are."""
    if isinstance(written, PerPerson | Accounting):
        return written
    if isinstance(written, str):
        if parts := _PER_PERSON.fullmatch(written):
            return PerPerson(int(parts[2]), parts[1])
        for rule in Accounting:
            if written == rule:
                return rule
        name, _, delta = written.partition(":")
        if name == APPROX:
            try:
                return OneDelta(float(delta)) if delta else OneDelta()
            except ValueError:
                raise ValueError(f"delta must be a number between 0 and 1, got {delta!r}") from None
    known = [*(str(rule) for rule in Accounting), f"{APPROX}:DELTA"]
    raise ValueError(f"accounting must be one of {known}, got {written!r}")


def accounting_of(accounting: Any) -> SpendingRule | Promise:
    """The rule of rule_of, or a guarantee that every algorithm is to satisfy.

    ValueError where it is neither, or the guarantee is not one of differential privacy.

    >>> accounting_of("implied").label
    'what ε implies'
    """
    if isinstance(accounting, Promise) and accounting.private:
        return accounting
    try:
        return rule_of(accounting)
    except ValueError as problem:
        raise ValueError(f"{problem}; in Python also a guarantee") from None
