"""The other ways to look at a promise: odds, tests, the method that is not private, ledgers, staircase noise."""

from __future__ import annotations

from math import isinf

import pandas as pd

from ...audit.pair import (
    Beliefs,
    Pair,
    attack_success,
    beliefs,
    laplace_law,
    largest_success,
    misses_at,
    noise_ratio,
    staircase_law,
)
from ...privacy import NoiseKind
from ..phrases import format_amount, format_share, in_full
from .pair import factor

FALSE_ALARMS = 0.05  # of the test that the sentence tells
NOISE = {NoiseKind.LAPLACE: "Laplace noise", NoiseKind.BOUNDED_RANGE: "the exponential mechanism"}
LARGE = 8.0  # an epsilon from which on the promise alone protects hardly anybody


def probability(share: float) -> str:
    """A belief: per cent between 1% and 99%, otherwise to two digits beyond the nines."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if share < 0.01:
        return f"{format_amount(100 * share, 2)}%"
    if share > 0.99:
        digits = next((d for d in range(1, 13) if round(share * 100, d) < 100), None)
        return "nearly 100%" if digits is None else f"{share * 100:.{digits}f}%"
    return f"{100 * share:.2g}%"


def belief_sentence(pair: Pair, prior: float, moved: bool) -> str:
    """What somebody may believe afterwards at most, by the guarantee and by what can be seen here."""
    allowed, here = beliefs(prior, pair.bound), beliefs(prior, pair.largest.rise, pair.largest.fall)
    seen = f" Here: between {_between(here)}." if moved else ""
    if isinf(pair.bound):
        promised = "After a release nothing is promised: they may be certain."
    elif pair.slack:
        promised = (
            f"After a release it is between {_between(allowed)}, up to a probability of {format_amount(pair.slack, 2)}."
        )
    else:
        promised = f"After any release it is between {_between(allowed)}."
    return f"Somebody thinks: {probability(prior)} chance that the record was moved. {promised}{seen}"


def _between(told: Beliefs) -> str:
    return f"{probability(told.least)} and {probability(told.largest)}"


def attack_sentence(pair: Pair) -> str:
    """How well the best test tells the two data sets apart, and how well any may by the guarantee."""
    missed = float(misses_at(pair.tests, FALSE_ALARMS))
    success = attack_success(pair.tests)
    return (
        f"The best guess at which of the two data sets it was is right in {format_share(success)} of releases. "
        f"{_allowed_success(pair)}; blind guessing has 50%. With {FALSE_ALARMS:.0%} false alarms it misses "
        f"{format_share(missed)}."
    )


def _allowed_success(pair: Pair) -> str:
    """How often the best guess may be right: by the guarantee alone, and less where the kind of noise is known."""
    if not pair.guarantee.private:
        return "No guarantee limits it"
    most = largest_success(pair.guarantee, pair.known)
    if not pair.guarantee.pure:
        return f"The guarantee allows {format_share(most)}"
    alone = beliefs(0.5, pair.bound).largest
    by_guarantee = f"ε = {in_full(pair.bound)} allows {format_share(alone)}"
    noise = NOISE.get(pair.change.mechanism.noise_kind)
    told = f", with {noise} {format_share(most)}"
    return by_guarantee + (told if noise and format_share(most) != format_share(alone) else "")


def ledger_sentence(rows: pd.DataFrame, epsilon: float, records: int) -> str:
    """How many parts the algorithms split their budget into."""
    if rows.empty:
        return "None of the chosen algorithms spends anything."
    parts = rows.groupby("algorithm", sort=False).size()
    most, least = str(parts.idxmax()), str(parts.idxmin())
    person = f", for a person with up to {records} records," if records > 1 else ""
    told = f"What ε = {in_full(epsilon)}{person} pays for"
    if parts.max() == parts.min():
        return f"{told}: every algorithm makes {_releases(int(parts.max()))}."
    return (
        f"{told}: {least} makes {_releases(int(parts.min()))}, {most} {_releases(int(parts.max()))}, each with less of "
        "the budget."
    )


def _releases(count: int) -> str:
    return "one noisy release" if count == 1 else f"{count} noisy releases"


def staircase_sentence(epsilon: float) -> str:
    """How small noise may be at this epsilon."""
    ratio = noise_ratio(epsilon)
    least, laplace = (law(epsilon).error_bound(68, 0.0) for law in (staircase_law, laplace_law))
    return (
        f"One record moves a number by up to 1. At ε = {in_full(epsilon)}, staircase noise is within ±"
        f"{format_amount(least, 2)} in 68% of releases. Laplace noise is within ±{format_amount(laplace, 2)}, "
        f"{format_amount(1 / ratio, 2)} times as far. Both keep the same promise."
    )


def large_epsilon_sentence(epsilon: float) -> str:
    """What the odds may become at this epsilon."""
    told = f"ε = {in_full(epsilon)} lets the odds of an answer change by a factor of {factor(epsilon)}."
    if epsilon < LARGE:
        return f"{told} A belief of 10% may become {probability(beliefs(0.1, epsilon).largest)}."
    after = probability(beliefs(1e-6, epsilon).largest)
    return (
        f"{told} A belief of one in a million may become {after}. What protects people then is the noise of the "
        "algorithm chosen, not the promise."
    )
