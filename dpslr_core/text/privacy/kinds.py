"""The kinds of guarantee, in two sentences each, with their numbers at one epsilon."""

from __future__ import annotations

from typing import NamedTuple

from scipy.special import ndtr

from ...audit.pair import approximate_curve, gaussian_curve
from ...privacy import gaussian_epsilon, gaussian_mu, pure_mu, pure_rho, rho_of
from ..phrases import format_amount, in_full
from .pair import factor
from .views import probability

DELTA = 1e-6
RARE = 0.001  # false alarms at which both powers are shown


class Kind(NamedTuple):
    """A kind of guarantee, its value at the current epsilon, and what it says."""

    name: str
    value: str
    sentences: str


def best_guess_sentence(epsilon: float) -> str:
    """What the rule "attack" makes equal at this epsilon, and what it does not; ValueError unless epsilon > 0.

    >>> best_guess_sentence(2.0).split(". ")[1]
    'With 0.1% false alarms a test detects at most 0.74% of changes under ε, 23% under μ.'
    """
    mu = pure_mu(epsilon)
    right = probability(float(ndtr(mu / 2)))
    curves = approximate_curve(epsilon, 0.0, RARE), gaussian_curve(mu, RARE)
    pure, gaussian = (probability(float(1 - misses)) for misses in curves)
    return (
        f"At even odds the best guess at a record is right in at most {right}, under ε and under μ alike. With "
        f"{probability(RARE)} false alarms a test detects at most {pure} of changes under ε, {gaussian} under μ."
    )


def kinds(epsilon: float) -> list[Kind]:
    """Every kind at this epsilon, the strongest first; ValueError unless epsilon > 0."""
    rho, implied, mu = rho_of(epsilon), pure_rho(epsilon), pure_mu(epsilon)
    own_mu = gaussian_mu(epsilon, DELTA)
    eps, delta = in_full(epsilon), f"δ = {format_amount(DELTA, 2)}"
    return [
        Kind(
            "Pure, one record replaced",
            f"ε = {eps}",
            f"No outcome becomes more than {factor(epsilon)} times as likely when one record is replaced. This is what "
            "ε means everywhere here; n is public.",
        ),
        Kind(
            "Pure, one record added or removed",
            f"ε = {format_amount(epsilon / 2)}",
            f"Replacing is removing and adding, so ε = {format_amount(epsilon / 2)} under this rule gives {eps} under "
            "ours. Our guarantee gives none under this rule, which hides n too.",
        ),
        Kind(
            "Zero-concentrated (zCDP)",
            f"ρ = {format_amount(rho)}",
            f"The loss is like that of Gaussian noise: large losses are rare, but none is impossible. The paper takes "
            f"ρ = ε²/2; ε = {eps} implies ρ = {format_amount(implied)}.",
        ),
        Kind(
            "Approximate (ε, δ)",
            f"ε = {eps}, {delta}",
            f"The factor {factor(epsilon)} holds but for a probability of {format_amount(DELTA, 2)}, in which anything "
            f"may happen. Gaussian noise has this guarantee up to μ = {format_amount(own_mu)}.",
        ),
        Kind(
            "Gaussian privacy",
            f"μ = {format_amount(mu)}",
            f"Neighbours are no easier to tell apart than two normal distributions {format_amount(mu)} standard "
            f"deviations apart. Every algorithm with pure ε = {eps} has this; conversely, it gives ε = "
            f"{format_amount(gaussian_epsilon(mu, DELTA))} with {delta}.",
        ),
    ]
