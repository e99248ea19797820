"""The paper's rule of thumb and its reasons, in words."""

from __future__ import annotations

from collections.abc import Sequence

from ...guidance.recommendation import LARGE, NOISY, Circumstances, RuleOfThumb
from ...mechanisms.base import Mechanism
from ..phrases import format_amount, format_share, in_full, of_it

OFTEN = 0.005  # a failure rate that is worth saying
NEAR = 1e-3  # a weight at the end of the range, relative to the median's, that matters


def because(rule: RuleOfThumb, c: Circumstances) -> str:
    """Why the rule of thumb names what it names, in the numbers of the setting."""
    product, noise, large = product_text(c), f"σₑ² = {format_amount(c.var_e)}", in_full(LARGE)
    match rule:
        case RuleOfThumb.WIDE_RANGE:
            return f"the range is {format_amount(c.width)} wide and ε = {format_amount(c.epsilon)} far below 1"
        case RuleOfThumb.BELOW_THETA:
            return f"the standard error, {format_amount(c.standard_error, 2)}, is below θ = {in_full(c.theta)}"
        case RuleOfThumb.LARGE_PRODUCT:
            return f"{product} is above {large} and {noise} at least {in_full(NOISY)}"
        case RuleOfThumb.LITTLE_NOISE:
            return f"{noise} is below {in_full(NOISY)}, though {product} is above {large}"
        case RuleOfThumb.SMALL_PRODUCT:
            return f"{product} is not above {large}"


def product_text(c: Circumstances) -> str:
    """ε n σₓ², the quantity that the rule goes by first."""
    return f"ε n σₓ² = {format_amount(c.epsilon_nvar)}"


def factors(c: Circumstances, mechanisms: Sequence[Mechanism]) -> list[tuple[str, str, str]]:
    """(quantity, value, meaning) for the factors in the paper's Section "Robustness vs. Non-robustness".

    Only those that matter to one of the mechanisms, and said of no other.
    """
    names = {type(mechanism).__name__ for mechanism in mechanisms}
    rows = [
        ("ε n σₓ²", format_amount(c.epsilon_nvar), _of_product(c, "NoisyStats" in names)),
        ("σₑ²", format_amount(c.var_e), _of_noise(c, {"NoisyStats", "DPExpTheilSen"} <= names)),
        ("largest |x_new − mean x|", format_amount(c.distance), _of_distance(c)),
    ]
    if any(hasattr(mechanism, "theta") for mechanism in mechanisms):
        errors = f"{format_amount(c.standard_error)} against {in_full(c.theta)}"
        rows.append(("standard error against θ", errors, _of_theta(c)))
    if "DPExpTheilSen" in names:
        width = f"{format_amount(c.width)}, ε = {format_amount(c.epsilon)}"
        rows.append(("width of [lower, upper] against ε", width, _of_range(c)))
    return rows


def _of_product(c: Circumstances, noisy_stats: bool) -> str:
    if not noisy_stats:
        return "How much the data tell about the slope, times the budget."
    fails = f"; it has no answer in {format_share(c.failure)} of its releases" if c.failure >= OFTEN else ""
    return f"NoisyStats divides by n var(x) with noise of {of_it(c.denominator_noise)}{fails}."


def _of_noise(c: Circumstances, both: bool) -> str:
    if c.var_e >= NOISY:
        who = "NoisyStats' fixed noise" if both else "noise of a fixed size"
        return f"Residual variance is large, so {who} matters less."
    if both:
        return "Little noise about the line: DPExpTheilSen adapts to it, the noise of NoisyStats does not."
    return "Little noise about the line: noise that adapts to it gains most."


def _of_distance(c: Circumstances) -> str:
    off = format_amount(abs(c.slope) * c.distance)
    return f"An error of the slope is multiplied by this; a flat line would be off by {off}."


def _of_theta(c: Circumstances) -> str:
    if c.standard_error < c.theta:
        return "Pairwise estimates almost coincide, so widening by θ helps, at the price of an error up to θ."
    return "Pairwise estimates are spread out, so θ helps only at small ε."


def _of_range(c: Circumstances) -> str:
    if c.edge <= NEAR:
        return "The output range barely matters here."
    return (
        f"At the end of the range DPExpTheilSen's density is still {format_amount(c.edge, 2)} of that at the median: "
        "the range matters, and a narrower one would help."
    )
