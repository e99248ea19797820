"""Sentences of the Privacy page: how far one record moves the odds of an answer, and other views of a promise."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from math import ceil, exp, floor, isinf, isnan, log10

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
from ..privacy import NoiseKind, gaussian_epsilon, gaussian_mu, pure_mu, pure_rho, rho_of
from ..privacy.accounting import guarantee
from ..support.readable import at_least, at_most
from .data import View
from .phrases import format_amount, format_share, in_full, place_on, points_together

FALSE_ALARMS = 0.05  # false alarms for which the sentence gives the misses
NOISE = {NoiseKind.LAPLACE: "Laplace noise", NoiseKind.BOUNDED_RANGE: "the exponential mechanism"}
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


def headline(pair: Pair, moved: bool) -> str:
    """State by which factor this move shifts the odds of the prediction, and which factor the guarantee allows."""
    if not pair.guarantee.private:
        return f"{pair.name} promises nothing: one record may shift the odds by any factor."
    if not moved:
        return f"No move shifts the odds of any release more than {factor(pair.bound)} times."
    if isinf(pair.largest.loss):
        return f"This move can shift the odds by any factor, but rarely. The promise allows {factor(pair.bound)}."
    most = "up to" if pair.largest.complete else "at least"
    shift = f"{most} {factor(pair.largest.loss, pair.largest.complete)} times"
    return f"This move shifts the odds {shift}. The promise allows {factor(pair.bound)}."


def context(pair: Pair, moved: MovedRecord) -> str:
    """State the beliefs after this prediction and after the whole release, and how often the promise may fail."""
    largest, together, sentences = pair.largest, pair.change.loss, []
    if moved.moved and largest.complete and not isinf(largest.loss):
        sure = f"{_surest(largest.loss)} sure after this prediction"
        if pair.points > 1 and _known_odds(together):
            count = "both" if pair.points == 2 else f"all {pair.points}"
            sure += f", {_surest(together.measured)} after {count} points"
        sentences.append(
            f"Somebody who gives even odds that record {moved.place + 1:,} was moved is at most "
            f"{sure}."
        )
    if pair.slack:
        sentences.append(
            f"The promise may fail with a probability of {format_amount(pair.slack, 2)}."
        )
    return " ".join(sentences)


def _surest(loss: float) -> str:
    """Write how sure anybody may become, from even odds, after an outcome with this loss."""
    return probability(beliefs(0.5, loss).largest, at_most)


def crumb(pair: Pair, view: View) -> str:
    """Name data, algorithm and point in one line, and the guarantee of a person and of a record."""
    s, of_record = view.scenario, f"ε = {at_most(pair.epsilon, 4)}"
    if pair.slack:
        of_record = str(pair.guarantee)
    if not pair.guarantee.private:
        promise = "not private"
    elif s.records_per_person == 1:
        promise = f"each record {of_record}"
    else:
        promise = f"each person {guarantee(pair.change.mechanism, s.budget).bare}, each record {of_record}"
    return f"{view.data_name} · {pair.name} at {place_on(view.x, pair.change.point)} · {promise}"


def _known_odds(loss: Loss) -> bool:
    """Whether a loss is finite and known, and is a logarithm of odds."""
    return loss.unit == "ε" and not isnan(loss.measured) and not isinf(loss.measured)


def headline_without_law(mechanism: str, loss: Loss) -> str:
    """State the loss on this move of everything an algorithm without a known output distribution publishes."""
    promised = f"{mechanism} promises a privacy loss of {loss.unit} = {format_amount(loss.promised)} at most."
    if isnan(loss.measured):
        return f"{promised} That of this move is not known."
    return f"{promised} This move loses {format_amount(loss.measured)}."


def picture_sentence(pair: Pair) -> str:
    """State the largest loss of the prediction, of all points together and allowed; then outcomes without an answer."""
    largest, joint = pair.largest, pair.change.loss
    but = (
        f", but for a probability of {format_amount(largest.left_out, 2)}"
        if largest.left_out
        else ""
    )
    if isinf(pair.bound):
        share = share_beyond(pair.change.before, pair.change.after, pair.epsilon)
        often = f"{format_amount(100 * share, 2)}% of releases"
        if share < NEGLIGIBLE:
            often = "fewer than one release in a million"
        size = (
            "It has no bound"
            if isinf(largest.loss)
            else f"It reaches {format_amount(largest.loss)}{but}"
        )
        return (
            f"The privacy loss of {pair.name} "
            f"{'stays within' if largest.loss <= pair.epsilon else 'leaves'} the band "
            f"that ε = {format_amount(pair.epsilon)} would allow. {size}. It is outside in "
            f"{often} after the move."
        )
    most = "at most" if largest.complete else "at least"
    sentences = [
        f"This number alone: the odds change by {most} {factor(largest.loss, largest.complete)} "
        f"times{but}."
    ]
    if pair.points > 1 and not isnan(joint.measured):
        unit = "" if _known_odds(joint) else f"{joint.unit} = "
        size = factor(joint.measured) if _known_odds(joint) else format_amount(joint.measured)
        sentences.append(f"{points_together(pair.points).capitalize()}: {unit}{size}.")
    sentences.append(f"Allowed: {factor(pair.bound)}.")
    words = {NO_ANSWER: "No answer", FALLBACK: "A fallback"}
    for row in pair.likely_atoms[pair.likely_atoms["outcome"].isin(words)].itertuples():
        before, after = format_share(row.before), format_share(row.after)
        both = ", before and after" if before == after else f" before, {after} after"
        sentences.append(f"{words[row.outcome]} in {before} of releases{both}.")
    return " ".join(sentences)


def belief_sentence(pair: Pair, prior: float, moved: bool) -> str:
    """State which beliefs are possible afterwards, by the guarantee and by this move.

    Parameters
    ----------
    pair : Pair
        The release on both data sets.
    prior : float
        Belief before the release that the record was moved.
    moved : bool
        Whether a record is moved.
    """

    def between(reached: Beliefs) -> str:
        return f"between {probability(reached.least, at_least)} and {probability(reached.largest, at_most)}"

    allowed = between(beliefs(prior, pair.bound))
    if isinf(pair.bound):
        promised = "After a release nothing is promised: they may be certain."
    elif pair.slack:
        promised = f"After a release it is {allowed}, up to a probability of {format_amount(pair.slack, 2)}."
    else:
        promised = f"After any release it is {allowed}."
    beginning = (
        f"Somebody thinks: {probability(prior)} chance that the record was moved. {promised}"
    )
    return (
        f"{beginning} Here: {between(beliefs(prior, pair.largest.rise, pair.largest.fall))}."
        if moved
        else beginning
    )


def attack_sentence(pair: Pair) -> str:
    """State how often the best test tells the two data sets apart, and how often the guarantee allows it."""
    noise = NOISE.get(pair.change.mechanism.noise_kind)
    if not pair.guarantee.private:
        allowed = "No guarantee limits it"
    elif not pair.guarantee.pure:
        allowed = (
            f"The guarantee allows {_allowed(largest_success(pair.guarantee, pair.noise_losses))}"
        )
    else:
        alone = _allowed(beliefs(0.5, pair.bound).largest)
        with_noise = _allowed(
            largest_success(pair.guarantee, pair.noise_losses)
        )  # less where the kind is known
        allowed = f"ε = {in_full(pair.bound)} allows {alone}"
        if noise and with_noise != alone:
            allowed = f"{allowed}, with {noise} {with_noise}"
    return (
        "The best guess at which of the two data sets it was is right in "
        f"{format_share(attack_success(pair.tests))} of releases. {allowed}; blind guessing has "
        "50%. With "
        f"{FALSE_ALARMS:.0%} false alarms it misses "
        f"{format_share(float(misses_at(pair.tests, FALSE_ALARMS)))}."
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
        return "None of the chosen algorithms spends anything."
    parts = rows.groupby("algorithm", sort=False).size()
    person = f", for a person with up to {records} records," if records > 1 else ""
    beginning = f"What ε = {in_full(epsilon)}{person} pays for"
    fewest, most = (
        f"{count} noisy releases" if count > 1 else "one noisy release"
        for count in parts.agg([min, max])
    )
    if fewest == most:
        return f"{beginning}: every algorithm makes {most}."
    return f"{beginning}: {parts.idxmin()} makes {fewest}, {parts.idxmax()} {most}, each with less of the budget."


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
