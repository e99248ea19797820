"""What each algorithm may spend under a rule of accounting, and the guarantee that is shown for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from functools import lru_cache
from typing import cast

from ..privacy import (
    ZCDP,
    ApproxDP,
    ForPerson,
    GaussianDP,
    Guarantee,
    ReleaseKind,
    known_guarantee,
    losses,
    pure_mu,
    pure_rho,
    rho_of,
)
from ..support.accounting import Accounting, OneDelta, accounting_of, for_one_record
from ..support.run import Budget
from ..support.types import Promise
from .base import Mechanism

Rule = str | Promise  # a rule of spending, its text, or a guarantee that every private algorithm is to satisfy


def guarantee(mechanism: Mechanism, epsilon: float, accounting: Rule = Accounting.PAPER) -> Guarantee | ForPerson:
    """The guarantee that is shown for a mechanism: what it is run for; a person's where people have several records.

    epsilon: of the budget. accounting: as in Budget, else ValueError. What is not private stays so under every rule.
    """
    rule, records = for_one_record(accounting_of(accounting))
    shown = _target(mechanism, epsilon, rule) or mechanism.guarantee(epsilon)
    return shown if records == 1 or not shown.private else ForPerson(shown, records)


def spent(
    mechanism: Mechanism,
    epsilon: float,
    points: int,
    accounting: Rule = Accounting.PAPER,
    released: ReleaseKind = ReleaseKind.PREDICTIONS,
) -> float | None:
    """The epsilon with which a mechanism is run for so many points; None where the rule leaves it out.

    epsilon: of the budget. accounting: as in Budget, else ValueError. released: what is released with it; predictions
    and intervals consist of different draws, so that one promise may allow them different epsilons.

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
        """The largest epsilon with which what is promised holds where so many records are replaced."""
        if target is None:
            return epsilon if among == 1 else _calibrated(mechanism, own, points, among, released)
        largest = _calibrated(mechanism, target, points, among, released)
        if rule == Accounting.ATTACK and own.pure and largest is not None:
            return max(largest, epsilon if among == 1 else _calibrated(mechanism, own, points, among, released) or 0.0)
        return largest

    alone, together = most(1), most(records)
    return None if alone is None or together is None else min(alone, together)


def guarantee_of_record(
    mechanism: Mechanism, budget: Budget, released: ReleaseKind = ReleaseKind.PREDICTIONS
) -> Guarantee:
    """What protects a single record, computed from what is spent, in the unit of the guarantee that is shown.

    Where people have several records the guarantee that is shown is a person's, and this one is stronger. ValueError
    where the rule of the budget leaves the mechanism out.

    >>> from dpslr_core.mechanisms import NoisyStats
    >>> from dpslr_core.support.accounting import PerPerson
    >>> str(guarantee_of_record(NoisyStats(), Budget(6.0, accounting=PerPerson(3))))
    'ε = 2'
    """
    rule, records = for_one_record(budget.accounting)
    shown = guarantee(mechanism, budget.epsilon, rule)
    assert not isinstance(shown, ForPerson)
    if records == 1 or not shown.private:
        return shown
    epsilon = paid(mechanism, budget, released).epsilon
    known = known_guarantee(losses(mechanism.draws(epsilon, len(budget.at), released)), shown)
    own = mechanism.guarantee(epsilon)
    return own if type(own) is type(known) and astuple(own) < astuple(known) else known


def comparable(mechanism: Mechanism, epsilon: float, accounting: Rule = Accounting.PAPER) -> bool:
    """Whether a mechanism is private and no other one, run under this rule, promises more."""
    if for_one_record(accounting_of(accounting))[0] in (Accounting.PAPER, Accounting.IMPLIED, Accounting.PURE):
        return mechanism.guarantee(epsilon).pure
    return mechanism.guarantee(epsilon).private


def paid(mechanism: Mechanism, budget: Budget, released: ReleaseKind = ReleaseKind.PREDICTIONS) -> Budget:
    """The budget that a mechanism is called with for this release, its own epsilon in place of the common one.

    ValueError where the rule leaves the mechanism out.
    """
    if budget.accounting == Accounting.PAPER:
        return budget
    epsilon = spent(mechanism, budget.epsilon, len(budget.at), budget.accounting, released)
    if epsilon is None:
        raise ValueError(f"mechanisms must be run under the accounting {budget.accounting}, got {mechanism.name}")
    return Budget(epsilon, budget.at)


def admitted(mechanisms: Sequence[Mechanism], budget: Budget) -> list[Mechanism]:
    """The mechanisms that the rule of the budget does not leave out."""
    points = len(budget.at)
    return [m for m in mechanisms if spent(m, budget.epsilon, points, budget.accounting) is not None]


def _target(mechanism: Mechanism, epsilon: float, accounting: Rule) -> Guarantee | None:
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
    return None if isinstance(rule, Accounting) else cast(Guarantee, rule)


@lru_cache(maxsize=4096)
def _calibrated(
    mechanism: Mechanism, target: Guarantee, points: int, records: int, released: ReleaseKind
) -> float | None:
    """mechanism.largest_epsilon, once for thousands of data sets."""
    return mechanism.largest_epsilon(target, points, records, released)
