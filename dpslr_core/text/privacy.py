"""Sentences of the Privacy page: how far one record moves the odds of an answer, and other views of a promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, exp, floor, isfinite, isinf, isnan, log10

import pandas as pd
from scipy.special import ndtr

from ..audit.loss import Loss
from ..audit.moved import MovedRecord
from ..audit.pair import (
    FALLBACK,
    NEGLIGIBLE,
    NO_ANSWER,
    Beliefs,
    Pair,
    approximate_curve,
    attack_success,
    beliefs,
    gaussian_curve,
    largest_success,
    misses_at,
    share_beyond,
)
from ..privacy import gaussian_epsilon, gaussian_mu, pure_mu, pure_rho, rho_of
from ..privacy.accounting import guarantee
from ..support.readable import at_least, at_most
from .data import View
from .phrases import counted, format_amount, format_share, in_full, place_on, points_together

FALSE_ALARMS = 0.05  # false alarms for which the sentence gives the misses
NO_NUMBER = {NO_ANSWER: "give no answer", FALLBACK: "fall back"}
LARGE = 8.0  # epsilon from which the promise alone protects hardly anybody
DELTA = 1e-6
RARE = 0.001  # false alarms at which the powers under ε and μ are compared
_WRITTEN_OUT = 34.0  # loss from which a factor is written as a power
_NEARLY_ONE = 0.005  # loss below which a factor is written with more digits


def factor(loss: float, complete: bool = True) -> str:
    """Write e^loss as a bound that is never rounded to the wrong side: "7.39"; long numbers as a power: "e^40".

    Parameters
    ----------
    loss : float
        Privacy loss, the logarithm of the factor.
    complete : bool
        Whether the loss is the largest of all outcomes. If not, the bound is from below.
    """
    rounded = at_most if complete else at_least
    if isinf(loss):
        return "∞"
    if loss >= _WRITTEN_OUT:
        return f"e^{rounded(loss)}"
    digits = 3
    if loss < _NEARLY_ONE:
        digits = next((more for more in range(3, 8) if format_amount(exp(loss), more) != "1"), 8)
    return rounded(exp(loss), digits)


def probability(share: float, written: Callable[..., str] = format_amount) -> str:
    """Write a belief in per cent, "63%"; above 99% to the first digit that is not 9, "99.97%".

    Parameters
    ----------
    share : float
        The belief, between 0 and 1.
    written : callable
        ``at_most`` for a bound from above, ``at_least`` for one from below.
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if share <= 0.99:
        return f"{written(100 * share, 2)}%"
    missing = 100 * (1 - share)
    if missing <= 1e-10:
        return "nearly 100%"
    exponent = floor(log10(missing))
    digits = round(missing / 10.0**exponent, 6)  # removes the rounding error of floats
    digit = round(digits)
    if written is at_most:
        digit = floor(digits)
    elif written is at_least:
        digit = ceil(digits)
    return f"{100 - Decimal(digit).scaleb(exponent):f}%"


# ---------------------------------------------------------------- one record moved


@dataclass(frozen=True)
class PairFacts:
    """Facts of a release when one record is moved, of which page and pictures make their sentences.

    Attributes
    ----------
    pair : Pair
        The release on both data sets, with its largest loss and the loss that the guarantee allows.
    record : int or None
        Number of the moved record, from 1; None where no record is moved.
    together : float or None
        Loss of all points together; None where it is not known, or for a single point.
    """

    pair: Pair
    record: int | None
    together: float | None

    @classmethod
    def of(cls, pair: Pair, moved: MovedRecord) -> PairFacts:
        """Read the facts off a release on both data sets."""
        loss = pair.change.loss
        known = pair.points > 1 and loss.unit == "ε" and isfinite(loss.measured)
        record = moved.place + 1 if moved.moved else None
        return cls(pair, record, loss.measured if known else None)


def headline(facts: PairFacts) -> str:
    """State by which factor this move shifts the odds of the prediction, and which factor the guarantee allows."""
    pair, largest, allowed = facts.pair, facts.pair.largest, factor(facts.pair.bound)
    if not pair.guarantee.private:
        return f"{pair.name} promises nothing: one record may shift the odds by any factor."
    if facts.record is None:
        return f"No move shifts the odds of any release more than {allowed} times."
    shift = f"{'up to' if largest.complete else 'at least'} {factor(largest.loss, largest.complete)} times"
    if isinf(largest.loss):
        shift = "by any factor, but rarely"
    return f"This move shifts the odds {shift}. The promise allows {allowed} times."


def context(facts: PairFacts) -> str:
    """State the beliefs after this prediction and after the whole release, and how often the promise may fail."""
    pair, sentences = facts.pair, []
    if facts.record and pair.largest.complete and isfinite(pair.largest.loss):
        sure = [
            probability(beliefs(0.5, loss).largest, at_most)
            for loss in (pair.largest.loss, facts.together)
            if loss is not None
        ]
        sentences.append(
            f"Somebody 50% sure that record {facts.record:,} was moved is at most {sure[0]} sure after it."
        )
        sentences += [f"After {points_together(pair.points)} it is {share}." for share in sure[1:]]
    if pair.slack:
        often = format_amount(pair.slack, 2)
        sentences.append(f"The promise may fail with a probability of {often}.")
    return " ".join(sentences)


def crumb(pair: Pair, view: View) -> str:
    """Name data, algorithm and point in one line, and the guarantee of a person and of a record."""
    s = view.scenario
    promise = str(pair.guarantee) if pair.slack else f"ε = {at_most(pair.epsilon, 4)}"
    promise = f"each record {promise}" if pair.guarantee.private else "not private"
    if pair.guarantee.private and s.records_per_person > 1:
        promise = f"each person {guarantee(pair.change.mechanism, s.budget).bare}, {promise}"
    return f"{view.data_name} · {pair.name} at {place_on(view.x, pair.change.point)} · {promise}"


def headline_without_law(mechanism: str, loss: Loss) -> str:
    """State the loss on this move of everything an algorithm without a known output distribution publishes."""
    measured = "is not known" if isnan(loss.measured) else f"is {format_amount(loss.measured)}"
    promised = f"{loss.unit} = {format_amount(loss.promised)}"
    return f"{mechanism} allows a privacy loss of {promised}. The loss of this move {measured}."


def picture_sentence(facts: PairFacts) -> str:
    """State the headline, the loss of all points together, the outcomes left out, and those that are no number."""
    pair, sentences = facts.pair, [headline(facts)]
    if facts.together is not None:
        together = points_together(pair.points).capitalize()
        sentences.append(f"{together} shift them up to {factor(facts.together)} times.")
    if isinf(pair.bound):
        share = share_beyond(pair.change.before, pair.change.after, pair.epsilon)
        often = f"{format_amount(100 * share, 2)}%" if share >= NEGLIGIBLE else "less than 0.0001%"
        sentences.append(f"It breaks ε = {format_amount(pair.epsilon)} in {often} of releases.")
    if pair.largest.left_out:
        left_out = format_amount(pair.largest.left_out, 2)
        sentences.append(f"Outcomes with a probability of {left_out} are not counted.")
    for row in pair.likely_atoms[pair.likely_atoms["outcome"].isin(NO_NUMBER)].itertuples():
        before, after = format_share(row.before), format_share(row.after)
        what = NO_NUMBER[row.outcome]
        sentences.append(f"{before} of releases {what} before the move, {after} after.")
    return " ".join(sentences)


def belief_sentence(facts: PairFacts, prior: float) -> str:
    """State which beliefs are possible afterwards, by the guarantee and by this move.

    Parameters
    ----------
    facts : PairFacts
        Facts of the move.
    prior : float
        Belief before the release that the record was moved.
    """
    pair = facts.pair

    def between(reached: Beliefs) -> str:
        return f"between {probability(reached.least, at_least)} and {probability(reached.largest, at_most)}"

    promised = f"After any release it is {between(beliefs(prior, pair.bound))}"
    if pair.slack:
        promised += f", up to a probability of {format_amount(pair.slack, 2)}"
    if isinf(pair.bound):
        promised = "After a release nothing is promised: they may be certain"
    here = between(beliefs(prior, pair.largest.rise, pair.largest.fall))
    return (
        f"Somebody thinks: {probability(prior)} chance that the record was moved. {promised}."
        f"{f' After this move it is {here}.' if facts.record else ''}"
    )


def attack_sentence(pair: Pair) -> str:
    """State how often the best test tells the two data sets apart, and how often the guarantee allows it."""
    right = format_share(attack_success(pair.tests))
    misses = format_share(float(misses_at(pair.tests, FALSE_ALARMS)))
    limit = _allowed(largest_success(pair.guarantee, pair.noise_losses))
    allowed = f"It can never exceed {limit}" if pair.guarantee.private else "No guarantee limits it"
    return (
        f"The best guess at which of the two data sets it was is right in {right} of releases. "
        f"{allowed}; blind guessing has 50%. "
        f"With {FALSE_ALARMS:.0%} false alarms it misses {misses}."
    )


def _allowed(share: float) -> str:
    """Write an allowed share in whole per cent, rounded up."""
    rounded = ceil(100 * share - 1e-9) / 100
    return format_share(rounded if rounded < 1 else share)


def ledger_sentence(rows: pd.DataFrame, epsilon: float, records: int) -> str:
    """State into how many noisy releases the algorithms split their budget.

    Parameters
    ----------
    rows : DataFrame
        A row for each noisy release, with the column ``algorithm``.
    epsilon : float
        Total budget.
    records : int
        Number of records of one person.
    """
    if rows.empty:
        return "None of the chosen algorithms spends any budget."
    parts = rows.groupby("algorithm", sort=False).size()
    person = f" This ε is for a person with up to {records} records." if records > 1 else ""
    fewest, most = (counted(int(count), "noisy release") for count in (parts.min(), parts.max()))
    return (
        f"ε = {in_full(epsilon)} pays for {fewest} in a run of {parts.idxmin()}, "
        f"or for {most} with {parts.idxmax()}.{person}"
    )


def large_epsilon_sentence(epsilon: float) -> str:
    """State by which factor epsilon lets the odds change, and what a belief may become."""
    beginning = f"ε = {in_full(epsilon)} lets the odds of an answer change by a factor of {factor(epsilon)}."
    if epsilon < LARGE:
        return f"{beginning} A belief of 10% may become {probability(beliefs(0.1, epsilon).largest, at_most)}."
    after = probability(beliefs(1e-6, epsilon).largest, at_most)
    return (
        f"{beginning} A belief of one in a million may become {after}. What protects people then is "
        "the noise of the algorithm chosen, not the promise."
    )


# ---------------------------------------------------------------- kinds of guarantee


def kinds(epsilon: float) -> list[tuple[str, str, str]]:
    """Kinds of guarantee, the strongest first.

    Parameters
    ----------
    epsilon : float
        Budget of pure privacy that the kinds are compared with.

    Returns
    -------
    list of (str, str, str)
        Name, parameter at this epsilon, and explanation.

    Raises
    ------
    ValueError
        Unless epsilon > 0.
    """
    eps, half, mu = in_full(epsilon), in_full(epsilon / 2), pure_mu(epsilon)
    delta, gaussian = f"δ = {format_amount(DELTA, 2)}", at_most(mu)
    return [
        (
            "Pure, one record replaced",
            f"ε = {eps}",
            f"No outcome becomes more than {factor(epsilon)} times as likely when one record is "
            "replaced. This is what ε means everywhere here; n is public.",
        ),
        (
            "Pure, one record added or removed",
            f"ε = {half}",
            f"Replacing is removing and adding, so ε = {half} under this rule gives {eps} under "
            "ours. Our guarantee gives none under this rule, which hides n too.",
        ),
        (
            "Zero-concentrated (zCDP)",
            f"ρ = {at_most(rho_of(epsilon))}",
            "The loss is like that of Gaussian noise: large losses are rare, but none is "
            "impossible. The paper takes "
            f"ρ = ε²/2; ε = {eps} implies ρ = {at_most(pure_rho(epsilon))}.",
        ),
        (
            "Approximate (ε, δ)",
            f"ε = {eps}, {delta}",
            f"No set of outcomes gets likelier than {factor(epsilon)} times its probability "
            "before, plus "
            f"{format_amount(DELTA, 2)}. The factor alone may be exceeded with a larger "
            "probability than that. "
            f"Gaussian noise has this guarantee up to μ = {at_least(gaussian_mu(epsilon, DELTA))}.",
        ),
        (
            "Gaussian privacy",
            f"μ = {gaussian}",
            f"Neighbours are no easier to tell apart than two normal distributions {gaussian} "
            "standard deviations "
            f"apart. Every algorithm with pure ε = {eps} has this; conversely, it gives ε = "
            f"{at_most(gaussian_epsilon(mu, DELTA))} with {delta}.",
        ),
    ]


def best_guess_sentence(epsilon: float) -> str:
    """State the chances that the rule "attack" makes equal at this epsilon, and chances that it does not.

    Raises
    ------
    ValueError
        Unless epsilon > 0.

    Examples
    --------
    >>> best_guess_sentence(2.0).split(". ")[1]
    'With 0.1% false alarms a test detects at most 0.74% of changes under ε, 24% under μ.'
    """
    mu = pure_mu(epsilon)
    curves = approximate_curve(epsilon, 0.0, RARE), gaussian_curve(mu, RARE)
    pure, gaussian = (probability(float(1 - misses), at_most) for misses in curves)
    guess = probability(float(ndtr(mu / 2)), at_most)
    return (
        f"At even odds the best guess at a record is right in at most {guess}, under ε and "
        f"under μ alike. With {probability(RARE)} false alarms a test detects at most {pure} of "
        "changes under ε, "
        f"{gaussian} under μ."
    )
