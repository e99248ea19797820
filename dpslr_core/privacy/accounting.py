"""Rules by which the algorithms of a comparison are made comparable, and what each algorithm may spend under a rule."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from numpy.typing import ArrayLike

from ..support import validate
from ..support.columns import shown
from ..support.readable import format_amount
from ..support.run import QUARTERS
from .composition import Draw, known_guarantee, losses
from .conversions import pure_mu, pure_rho, rho_of
from .guarantees import ZCDP, ApproxDP, ForPerson, GaussianDP, Guarantee


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

    With probability delta the promise of epsilon may fail: delta above 1/n allows a release to publish a record, so
    that it should be far below 1/n. ValueError unless 0 < delta < 1.

    >>> OneDelta(1e-9)
    'approx:1e-09'
    """

    delta: float
    label: str
    explanation = "Every private algorithm satisfies (ε, δ)-differential privacy, at its best parameter."

    def __new__(cls, delta: float = 1e-6) -> OneDelta:
        validate.inside(0, 1, closed="neither", delta=delta)
        delta = float(delta)
        rule = str.__new__(cls, f"{APPROX}:{delta!r}")
        rule.delta, rule.label = delta, f"one (ε, δ) for all, δ = {format_amount(delta, 2)}"
        return rule

    def __getnewargs__(self) -> tuple[float]:  # type: ignore[override]
        return (self.delta,)


class PerPerson(str):
    """A rule, or a guarantee, that holds for people with several records each.

    What is promised is promised to the person; a single record has more. records: the most that a person has. rule:
    that of one record each. ValueError where records is not a whole number, 2 or more, or there is no such rule.

    >>> PerPerson(3, "implied")
    'implied, 3 records per person'
    """

    records: int
    rule: Accounting | OneDelta | Guarantee
    label: str
    explanation: str

    def __new__(cls, records: int, rule: Any = Accounting.PAPER) -> PerPerson:
        validate.integer(2, records=records)
        one = accounting_of(rule)
        if isinstance(one, PerPerson):
            raise ValueError(f"rule must be one for a single record, got {rule!r}")
        written = str.__new__(cls, f"{one}, {int(records)} records per person")
        written.records, written.rule = int(records), one
        label, more = (one.promise, "") if isinstance(one, Guarantee) else (one.label, f"{one.explanation} ")
        written.label = f"{label}, for people with up to {records} records each"
        written.explanation = (
            f"{more}The guarantee is for a person with up to {records} records; for one record it is stronger."
        )
        return written

    def __getnewargs__(self) -> tuple[int, Any]:  # type: ignore[override]
        return self.records, self.rule


APPROX = "approx"
LEAST_EPSILON, MOST_EPSILON = 1e-12, 1e12  # beyond them numbers of intervals and laws overflow
Rule = str | Guarantee  # a rule of spending, its text, or a guarantee that every private algorithm is to satisfy
SpendingRule = Accounting | OneDelta | PerPerson
_LONGEST = 4000  # digits that Python reads
_PER_PERSON = re.compile(r"(.+), (\d{1,9}) records per person")


def per_person(rule: Any, records: int) -> Any:
    """The rule for people with up to ``records`` records each: itself for one. ValueError as PerPerson."""
    return rule if records == 1 else PerPerson(records, rule)


def number_of_records(value: Any) -> int:
    """A whole number, 1 or more, from itself or its text; ValueError where it is none."""
    if isinstance(value, str) and value.isdecimal() and len(value) < _LONGEST:
        value = int(value)
    validate.integer(1, records_per_person=value)
    return int(value)


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
        name, colon, delta = written.partition(":")
        if name == APPROX:
            try:
                return OneDelta(float(delta)) if colon else OneDelta()
            except ValueError:
                example = f", as in {APPROX}:1e-6" if not delta.strip() else ""
                raise ValueError(f"delta must be a number between 0 and 1, got {shown(delta)}{example}") from None
    known = [*(str(rule) for rule in Accounting), f"{APPROX}:DELTA"]
    raise ValueError(f"accounting must be one of {known}, got {shown(written)}")


def accounting_of(accounting: Any) -> SpendingRule | Guarantee:
    """The rule of rule_of, or a guarantee that every algorithm is to satisfy.

    ValueError where it is neither, or the guarantee is not one of differential privacy.

    >>> accounting_of("implied").label
    'what ε implies'
    """
    if isinstance(accounting, Guarantee) and accounting.private:
        numbers = {f.name: getattr(accounting, f.name) for f in fields(accounting) if f.type == "float"}
        return replace(accounting, **{name: validate.number(name, number) for name, number in numbers.items()})
    try:
        return rule_of(accounting)
    except ValueError as problem:
        raise ValueError(f"{problem}; in Python also a guarantee") from None


@dataclass(frozen=True)
class Budget:
    """epsilon, the total for all the points of at, which are released together.

    accounting: by which rule each algorithm spends it, or the guarantee that all are to satisfy in its place.
    ValueError where epsilon does not lie between LEAST_EPSILON and MOST_EPSILON, at is not one or more finite numbers,
    or there is no such rule.
    """

    epsilon: float
    at: tuple[float, ...]
    accounting: SpendingRule | Guarantee = Accounting.PAPER

    def __init__(self, epsilon: float, at: ArrayLike = QUARTERS, accounting: Rule = Accounting.PAPER) -> None:
        validate.positive(epsilon=epsilon)
        validate.inside(LEAST_EPSILON, MOST_EPSILON, epsilon=epsilon)
        object.__setattr__(self, "epsilon", float(epsilon))
        object.__setattr__(self, "at", tuple(validate.points(at=at).tolist()))
        object.__setattr__(self, "accounting", accounting_of(accounting))


# ---------------------------------------------------------------- what an algorithm may spend


class Spender(Hashable, Protocol):
    """The part of an algorithm that accounting asks for its guarantee and its draws."""

    @property
    def name(self) -> str: ...

    def guarantee(self, epsilon: float) -> Guarantee: ...

    def draws(self, epsilon: float, points: int) -> tuple[Draw, ...]: ...

    def largest_epsilon(self, guarantee: Guarantee, points: int, records: int) -> float | None: ...


Algorithm = TypeVar("Algorithm", bound=Spender)


def guarantee(mechanism: Spender, epsilon: float, accounting: Rule = Accounting.PAPER) -> Guarantee:
    """The guarantee that is shown for a mechanism: what it is run for; a person's where people have several records.

    epsilon: of the budget. accounting: as in Budget, else ValueError. What is not private stays so under every rule.
    """
    rule, records = for_one_record(accounting_of(accounting))
    shown = _target(mechanism, epsilon, rule) or mechanism.guarantee(epsilon)
    return shown if records == 1 or not shown.private else ForPerson(shown, records)


def spent(mechanism: Spender, epsilon: float, points: int, accounting: Rule = Accounting.PAPER) -> float | None:
    """The epsilon with which a mechanism is run under a rule; None where the rule leaves it out.

    epsilon: of the budget. points: their number. accounting: as in Budget, else ValueError.

    Where people have K records each it is the largest epsilon with which the guarantee that is shown holds for K
    records, and at most what is spent where they have one. For a single record the guarantee is stronger: see
    ``guarantee_of_record``. Under "attack" mu is the least that every epsilon-DP release satisfies, so that purely
    private algorithms never spend less than their epsilon.

    >>> from dpslr_core.mechanisms import DPGDzCDP
    >>> spent(DPGDzCDP(), 16.0, 2), spent(DPGDzCDP(), 16.0, 2, "pure"), round(spent(DPGDzCDP(), 16.0, 2, "implied"), 3)
    (16.0, None, 5.657)
    """
    rule, records = for_one_record(accounting_of(accounting))
    own, target = mechanism.guarantee(epsilon), _target(mechanism, epsilon, rule)
    if rule == Accounting.PURE and own.private and not own.pure:
        return None
    if not own.private:
        return epsilon / records

    def most(among: int) -> float | None:
        """The largest epsilon with which what is promised holds where ``among`` records are replaced."""
        if target is None:
            return epsilon if among == 1 else _calibrated(mechanism, own, points, among)
        largest = _calibrated(mechanism, target, points, among)
        if rule == Accounting.ATTACK and own.pure and largest is not None:
            return max(largest, epsilon if among == 1 else _calibrated(mechanism, own, points, among) or 0.0)
        return largest

    alone, together = most(1), most(records)
    return None if alone is None or together is None else min(alone, together)


def guarantee_of_record(mechanism: Spender, budget: Budget) -> Guarantee:
    """What protects a single record, computed from what is spent, in the unit of the guarantee that is shown.

    Where people have several records the guarantee that is shown is a person's, and this one is stronger. ValueError
    where the rule of the budget leaves the mechanism out.

    >>> from dpslr_core.mechanisms import NoisyStats
    >>> from dpslr_core.privacy import Budget, PerPerson
    >>> str(guarantee_of_record(NoisyStats(), Budget(6.0, accounting=PerPerson(3))))
    'ε = 2'
    """
    rule, records = for_one_record(budget.accounting)
    shown = guarantee(mechanism, budget.epsilon, rule)
    if records == 1 or not shown.private:
        return shown
    epsilon = paid(mechanism, budget).epsilon
    known = known_guarantee(losses(mechanism.draws(epsilon, len(budget.at))), shown)
    own = mechanism.guarantee(epsilon)
    return own if type(own) is type(known) and astuple(own) < astuple(known) else known


def comparable(mechanism: Spender, epsilon: float, accounting: Rule = Accounting.PAPER) -> bool:
    """Whether a mechanism is private and no other one, run under this rule, promises more."""
    if for_one_record(accounting_of(accounting))[0] in (Accounting.PAPER, Accounting.IMPLIED, Accounting.PURE):
        return mechanism.guarantee(epsilon).pure
    return mechanism.guarantee(epsilon).private


def paid(mechanism: Spender, budget: Budget) -> Budget:
    """The budget that a mechanism is called with, its own epsilon in place of the common one.

    ValueError where the rule leaves the mechanism out.
    """
    if budget.accounting == Accounting.PAPER:
        return budget
    epsilon = spent(mechanism, budget.epsilon, len(budget.at), budget.accounting)
    if epsilon is None:
        raise ValueError(f"mechanisms must be run under the accounting {budget.accounting}, got {mechanism.name}")
    return Budget(epsilon, budget.at)


def admitted(mechanisms: Sequence[Algorithm], budget: Budget) -> list[Algorithm]:
    """The mechanisms that the rule of the budget does not leave out."""
    points = len(budget.at)
    return [m for m in mechanisms if spent(m, budget.epsilon, points, budget.accounting) is not None]


def _target(mechanism: Spender, epsilon: float, accounting: Rule) -> Guarantee | None:
    """The guarantee that a mechanism is to be run for; None where it is that of epsilon itself, or it is left out.

    accounting: for people with one record.
    """
    rule, own = accounting, mechanism.guarantee(epsilon)
    if not own.private:
        return None
    if rule == Accounting.ATTACK:
        return GaussianDP(pure_mu(epsilon))
    if rule == Accounting.CONCENTRATED:
        return ZCDP(rho_of(epsilon))
    if isinstance(rule, OneDelta):
        return ApproxDP(epsilon, rule.delta)
    if rule == Accounting.IMPLIED and isinstance(own, ZCDP):
        return ZCDP(pure_rho(epsilon))
    return rule if isinstance(rule, Guarantee) else None


@lru_cache(maxsize=4096)
def _calibrated(mechanism: Spender, target: Guarantee, points: int, records: int) -> float | None:
    """mechanism.largest_epsilon, once for thousands of data sets."""
    return mechanism.largest_epsilon(target, points, records)
