"""Rules that make the algorithms of a comparison comparable, and the epsilon of each algorithm under a rule."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar

from numpy.typing import ArrayLike

from ..support import validate
from ..support.columns import shown
from ..support.readable import format_amount
from ..support.run import QUARTERS
from .composition import Draw, known_guarantee, losses
from .conversions import pure_mu, pure_rho, rho_of
from .guarantees import ZCDP, ApproxDP, ForPerson, GaussianDP, Guarantee

LEAST_EPSILON, MOST_EPSILON = 1e-12, 1e12  # beyond these, intervals and laws overflow


class Rule(NamedTuple):
    """Label and explanation of a rule in a form."""

    label: str
    explanation: str


RULES = {
    "paper": Rule(
        "as in the paper",
        "Each algorithm has its own guarantee at ε; those with zero-concentrated privacy take ρ "
        "= ε²/2.",
    ),
    "implied": Rule(
        "what ε implies",
        "As in the paper, but zero-concentrated privacy takes ρ = ε tanh(ε/2), which is what "
        "ε-differential privacy implies.",
    ),
    "attack": Rule(
        "same best guess",
        "Every algorithm takes all that leaves the best guess at even odds as often right as "
        "ε-differential privacy "
        "may: μ-Gaussian privacy. At few false alarms μ allows more. At ε = 2 and 0.1% false "
        "alarms a test detects 0.74% of changes under ε-differential privacy, 23% under its μ.",
    ),
    "pure": Rule("pure only", "Only algorithms with pure ε-differential privacy are run."),
    "zcdp": Rule(
        "one ρ for all",
        "Every private algorithm satisfies zero-concentrated privacy with ρ = ε²/2, at its best "
        "parameter.",
    ),
    "approx": Rule(
        "one (ε, δ) for all",
        "Every private algorithm satisfies (ε, δ)-differential privacy, at its best parameter.",
    ),
}
_FOR_PERSON = " records per person"


@dataclass(frozen=True)
class Accounting:
    """Rule for each algorithm's budget at an epsilon, written as "implied" or "approx:1e-09, 3 records per person".

    Parameters
    ----------
    rule : str or Guarantee
        Key of RULES, or the guarantee that every private algorithm has to satisfy.
    delta : float
        Delta of the rule "approx". With this probability the promise of epsilon may fail: a delta above 1/n allows a
        release to publish a record, so that it should be far below 1/n.
    records : int
        Largest number of records of a person. The promise is for the person; for a single record it is stronger.

    Raises
    ------
    ValueError
        There is no such rule, delta is not inside (0, 1), or records is not a whole number, 1 or more.

    Examples
    --------
    >>> str(Accounting("implied", records=3))
    'implied, 3 records per person'
    """

    rule: str | Guarantee = "paper"
    delta: float = 1e-6
    records: int = 1

    def __post_init__(self) -> None:
        validate.integer(1, records_per_person=self.records)
        validate.inside(0, 1, closed="neither", delta=self.delta)
        rule = self.rule
        if isinstance(rule, Guarantee) and rule.private:
            numbers = {f.name: getattr(rule, f.name) for f in fields(rule) if f.type == "float"}
            rule = replace(
                rule, **{name: validate.number(name, number) for name, number in numbers.items()}
            )
        else:
            validate.one_of(RULES, accounting=rule)
        for name, value in (
            ("rule", rule),
            ("delta", float(self.delta)),
            ("records", int(self.records)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def parse(cls, written: Accounting | Guarantee | str) -> Accounting:
        """Read an accounting from its text or from the guarantee that all algorithms have to satisfy.

        An accounting is returned unchanged. ValueError names the rules that there are.

        >>> Accounting.parse("approx:1e-9").delta
        1e-09
        """
        if isinstance(written, Accounting):
            return written
        if not isinstance(written, str):
            return cls(written)
        records = 1
        if written.endswith(_FOR_PERSON):
            written, _, count = written.removesuffix(_FOR_PERSON).rpartition(", ")
            records = int(count) if count.isdecimal() and len(count) < 10 else 0
        name, colon, delta = written.partition(":")
        if name != "approx" or not colon:
            return cls(written, records=records)
        try:
            return cls(name, float(delta), records)
        except ValueError:
            example = ", as in approx:1e-6" if not delta.strip() else ""
            raise ValueError(
                f"delta must be a number between 0 and 1, got {shown(delta)}{example}"
            ) from None

    def __str__(self) -> str:
        rule = f"approx:{self.delta!r}" if self.rule == "approx" else str(self.rule)
        return rule if self.records == 1 else f"{rule}, {self.records}{_FOR_PERSON}"

    @property
    def label(self) -> str:
        """Name of the rule in a form."""
        label = self.rule.promise if isinstance(self.rule, Guarantee) else RULES[self.rule].label
        if self.rule == "approx":
            label = f"{label}, δ = {format_amount(self.delta, 2)}"
        return (
            label
            if self.records == 1
            else f"{label}, for people with up to {self.records} records each"
        )

    @property
    def explanation(self) -> str:
        """Meaning of the rule, in sentences."""
        rule = "" if isinstance(self.rule, Guarantee) else RULES[self.rule].explanation
        if self.records == 1:
            return rule
        person = f"The guarantee is for a person with up to {self.records} records; for one record it is stronger."
        return f"{rule} {person}".lstrip()


PAPER = Accounting()
AccountingLike = Accounting | Guarantee | str  # accepted by Accounting.parse


@dataclass(frozen=True)
class Budget:
    """Total budget of one release at all its points, with the rule by which each algorithm spends it.

    Parameters
    ----------
    epsilon : float
        Total for all points together, from LEAST_EPSILON to MOST_EPSILON.
    at : array_like, shape (m,)
        Points of the release, in the unit square.
    accounting : Accounting, Guarantee or str
        Rule of spending, or the guarantee that all algorithms have to satisfy.

    Raises
    ------
    ValueError
        epsilon is out of range, at is not one or more finite numbers, or there is no such rule.
    """

    epsilon: float
    at: tuple[float, ...]
    accounting: Accounting

    def __init__(
        self, epsilon: float, at: ArrayLike = QUARTERS, accounting: AccountingLike = PAPER
    ) -> None:
        validate.positive(epsilon=epsilon)
        validate.inside(LEAST_EPSILON, MOST_EPSILON, epsilon=epsilon)
        object.__setattr__(self, "epsilon", float(epsilon))
        object.__setattr__(self, "at", tuple(validate.points(at=at).tolist()))
        object.__setattr__(self, "accounting", Accounting.parse(accounting))


# ---------------------------------------------------------------- the epsilon of an algorithm


class Spender(Hashable, Protocol):
    """Interface of an algorithm as far as accounting needs it: a name, a guarantee and draws at every epsilon."""

    @property
    def name(self) -> str: ...

    def guarantee(self, epsilon: float) -> Guarantee: ...

    def draws(self, epsilon: float, points: int) -> tuple[Draw, ...]: ...

    def largest_epsilon(self, guarantee: Guarantee, points: int, records: int) -> float | None: ...


Algorithm = TypeVar("Algorithm", bound=Spender)


def guarantee(mechanism: Spender, budget: Budget) -> Guarantee:
    """State the guarantee that is shown for a mechanism: a person's guarantee if people have several records.

    A mechanism that is not private stays so under every rule.
    """
    shown = _target(mechanism, budget) or mechanism.guarantee(budget.epsilon)
    records = budget.accounting.records
    return shown if records == 1 or not shown.private else ForPerson(shown, records)


def spent(mechanism: Spender, budget: Budget) -> float | None:
    """Compute the epsilon with which a mechanism is run; None if the rule of the budget leaves it out.

    If people have K records each, it is the largest epsilon with which the shown guarantee holds for K records, and at
    most the epsilon for people with one record. For a single record the guarantee is stronger: see
    ``guarantee_of_record``. Under "attack" mu is the least that every epsilon-DP release satisfies, so that purely
    private algorithms never spend less than their epsilon.

    >>> from dpslr_core.mechanisms import DPGDzCDP
    >>> [spent(DPGDzCDP(), Budget(16.0, accounting=rule)) for rule in ("paper", "pure")]
    [16.0, None]
    """
    epsilon, points, accounting = budget.epsilon, len(budget.at), budget.accounting
    own, target = mechanism.guarantee(epsilon), _target(mechanism, budget)
    if accounting.rule == "pure" and own.private and not own.pure:
        return None
    if not own.private:
        return epsilon / accounting.records

    def most(records: int) -> float | None:
        """Compute the largest epsilon with which the promise holds for ``records`` replaced records."""
        if target is None:
            return epsilon if records == 1 else _calibrated(mechanism, own, points, records)
        largest = _calibrated(mechanism, target, points, records)
        if accounting.rule == "attack" and own.pure and largest is not None:
            return max(
                largest,
                epsilon if records == 1 else _calibrated(mechanism, own, points, records) or 0.0,
            )
        return largest

    alone, together = most(1), most(accounting.records)
    return None if alone is None or together is None else min(alone, together)


def guarantee_of_record(mechanism: Spender, budget: Budget) -> Guarantee:
    """Compute the guarantee for a single record at the epsilon spent, of the same kind as the guarantee that is shown.

    If people have several records, the shown guarantee is for a person and this one is stronger. ValueError if the rule
    of the budget leaves the mechanism out.

    >>> from dpslr_core.mechanisms import NoisyStats
    >>> from dpslr_core.privacy import Accounting, Budget
    >>> str(guarantee_of_record(NoisyStats(), Budget(6.0, accounting=Accounting(records=3))))
    'ε = 2'
    """
    shown = guarantee(mechanism, budget).bare
    if budget.accounting.records == 1 or not shown.private:
        return shown
    epsilon = paid(mechanism, budget).epsilon
    derived = known_guarantee(losses(mechanism.draws(epsilon, len(budget.at))), shown)
    own = mechanism.guarantee(epsilon)
    return own if type(own) is type(derived) and astuple(own) < astuple(derived) else derived


def comparable(mechanism: Spender, budget: Budget) -> bool:
    """Whether a mechanism is private and no mechanism, run under the rule of the budget, promises more."""
    own = mechanism.guarantee(budget.epsilon)
    return own.pure if budget.accounting.rule in ("paper", "implied", "pure") else own.private


def paid(mechanism: Spender, budget: Budget) -> Budget:
    """Return the budget that a mechanism is called with: its own epsilon in place of the common one.

    ValueError if the rule leaves the mechanism out.
    """
    if budget.accounting == PAPER:
        return budget
    epsilon = spent(mechanism, budget)
    if epsilon is None:
        raise ValueError(
            f"mechanisms must be run under the accounting {budget.accounting}, got {mechanism.name}"
        )
    return Budget(epsilon, budget.at)


def admitted(mechanisms: Sequence[Algorithm], budget: Budget) -> list[Algorithm]:
    """List the mechanisms that the rule of the budget does not leave out."""
    return [mechanism for mechanism in mechanisms if spent(mechanism, budget) is not None]


def _target(mechanism: Spender, budget: Budget) -> Guarantee | None:
    """Return the guarantee for one record that the rule demands; None if the mechanism keeps its own or is left out."""
    epsilon, accounting, own = (
        budget.epsilon,
        budget.accounting,
        mechanism.guarantee(budget.epsilon),
    )
    if not own.private:
        return None
    if isinstance(accounting.rule, Guarantee):
        return accounting.rule
    match accounting.rule:
        case "attack":
            return GaussianDP(pure_mu(epsilon))
        case "zcdp":
            return ZCDP(rho_of(epsilon))
        case "approx":
            return ApproxDP(epsilon, accounting.delta)
        case "implied" if isinstance(own, ZCDP):
            return ZCDP(pure_rho(epsilon))
    return None


@lru_cache(maxsize=4096)
def _calibrated(mechanism: Spender, target: Guarantee, points: int, records: int) -> float | None:
    """Compute mechanism.largest_epsilon; cached, as thousands of data sets share it."""
    return mechanism.largest_epsilon(target, points, records)
