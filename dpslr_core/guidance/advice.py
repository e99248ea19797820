"""What was found, in sentences: the answer, the paper's rule beside it, the flips, a paragraph for a memo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..mechanisms.base import Mechanism
from ..privacy import ApproxDP, PureDP
from ..sweeps.crossings import LABELS
from ..wording import listed, more
from .flips import Flip
from .recommendation import Recommendation

UNSTEADY = 0.1  # of the noise on n var(x), relative
_SIGMA = "standard errors"
_BLIND = "without looking at the data, from public guesses"
_LOOKING = "by looking at the data, from values read off them"
LOOKED = (
    "The choices of algorithm, ε and n then depend on the data and are not covered by ε. For private data use a public "
    "or simulated stand-in, or ChooseByNoisyVariance, which pays for its look."
)


def answer(found: Recommendation) -> str:
    """Which algorithm, how large its error is, and whether its noise hides below the sampling error."""
    name = found.algorithm
    if name is None:
        return "No algorithm answers often enough at this budget: more records or a larger ε are needed."
    ols = found.error("OLS")
    below = "smaller" if found.noise <= 1 else "larger"
    same = found.twins == found.twins_of_best
    again = "On the same average" if same else f"On average over {_over(found, found.twins)}"
    close = ""
    if found.too_close:
        close = (
            f" Too close to call against {listed(found.rivals)}: {found.twins_of_best} twins do not tell them apart."
        )
    elif found.second:
        close = f" Next is {found.second}, {more(found.margin)}."
    return (
        f"Use {name}. On average over {_over(found, found.twins_of_best)}, its error is {found.error(name):.2f} "
        f"{_SIGMA}, sampling and privacy together; without privacy (OLS) it would be {ols:.2f}. {again}, 68% of the "
        f"noise alone stays within {found.noise:.2f} {_SIGMA}: {below} than the sampling error. A single data set at a "
        f"single point may have more noise or less.{close}"
    )


def _over(found: Recommendation, datasets: int) -> str:
    """What an average is taken over."""
    points = len(found.base.at)
    return f"{datasets} simulated data sets{f' and {points} points' if points > 1 else ''}"


def agreement(found: Recommendation) -> str:
    """The paper's rule of thumb, and whether the evidence agrees with it."""
    named = " or ".join(found.rule.algorithms)
    rule = f"The paper's rule of thumb says {named}, because {found.rule.because}."
    if found.algorithm is None:
        return rule
    if found.agrees:
        return f"{rule} The evidence agrees."
    errors = [found.error(name) for name in found.rule.algorithms]
    if np.isnan(errors).all():
        return f"{rule} It is not among the algorithms compared."
    least = float(np.nanmin(errors))
    if not np.isfinite(least):
        return f"{rule} The evidence does not agree: it has no answer in too many releases."
    return f"{rule} The evidence does not agree: its error here is {more(least / found.error(found.algorithm) - 1)}."


def reason(found: Recommendation) -> str:
    """Why the recommended algorithm wins, in the paper's terms."""
    c, name = found.circumstances, str(found.algorithm)
    product = f"ε n σₓ² = {c.epsilon_nvar:,.3g}"
    if found.algorithm is None:
        return f"{product} is too small for any of them."
    if name.startswith(("NoisyStats", "DPGD")):
        return (
            f"{product} is large: the noise on n var(x) is only {c.denominator_noise:.0%} of it, so the answers stay "
            f"near OLS, which has a smaller sampling error than Theil–Sen; and σₑ² = {c.var_e:.2g} leaves room for "
            "noise that does not adapt to the data."
        )
    if name.startswith("NoisyIntercept"):
        return (
            f"{product} is so small that any private slope is mostly noise: a flat line, off by at most "
            f"{abs(c.slope) * c.distance:.2g} here if the slope is as guessed, does better."
        )
    if name.startswith("Choose"):
        return f"At {product} its choice is nearly always the better of the two, for a tenth of the budget or so."
    crowded = f"the standard error, {c.standard_error:.2g}, is below θ = {c.theta:g}"
    small = f"the budget is small (ε n = {c.epsilon * found.base.n:,.3g})"
    why = {
        "DPWide": f"{crowded if c.standard_error < c.theta else small}, and widening makes room of 2 θ at the median "
        "where its density is highest",
        "DPSS": "the estimates crowd around the median, to which its noise adapts",
    }
    special = next((f"; {text}" for start, text in why.items() if name.startswith(start)), "")
    fails = f" (no answer in {c.failure:.0%} of releases)" if c.failure >= 0.005 else ""
    unsteady = (
        f"the noise on n var(x) would be {c.denominator_noise:.0%} of it, which makes NoisyStats unsteady{fails}"
        if c.denominator_noise >= UNSTEADY
        else f"though the noise on n var(x) is only {c.denominator_noise:.0%} of it, NoisyStats adds as much to data "
        "close to a line as to others"
    )
    return (
        f"{product}: {unsteady}, while a private median of pairwise lines adapts to the data's own noise, "
        f"σₑ² = {c.var_e:.2g}{special}."
    )


def flip_sentence(found: Recommendation, flip: Flip) -> str:
    """Where the answer would change on one side."""
    here = float(getattr(found.base, flip.parameter))
    label = LABELS.get(flip.parameter, flip.parameter)
    if flip.crossing is None:
        direction = "down" if flip.end < here else "up"
        if flip.end == here:
            return f"{label} is at the end of what is looked at."
        return f"No change {direction} to {label} = {flip.end:,.4g}."
    return f"{flip.crossing.sentence}."


def methods_text(found: Recommendation, flips: Sequence[Flip] = (), looked: bool = False) -> str:
    """One paragraph for a memo, with the numbers filled in.

    looked: whether the guesses were read off the data. If not, every number of it is public.
    """
    b, c, name = found.base, found.circumstances, found.algorithm
    if name is None:
        return answer(found)
    points = ", ".join(f"{point:g}" for point in b.at)
    changes = " ".join(flip_sentence(found, flip) for flip in flips if flip.crossing is not None)
    return (
        f"Predictions at x = {points} (x and y scaled to [0, 1]) are to be released with {name}"
        f"{_with(found.mechanism)}, which satisfies {_guarantee(found)} for neighbouring data sets that differ in one "
        f"record, n being public; the budget covers all {len(b.at)} predictions together. The algorithm was chosen "
        f"{_LOOKING if looked else _BLIND}: n = {b.n:,}, var(x) = {b.var_x:g}, residual variance {b.var_e:g}, "
        f"slope {b.slope:g} (ε n var(x) = {c.epsilon_nvar:,.4g}). {f'{LOOKED} ' if looked else ''}"
        f"On {found.twins_of_best} simulated data sets like these its 68% error, sampling and privacy noise together, "
        f"averaged {found.error(name):.2f} standard deviations of the OLS prediction ({found.error('OLS'):.2f} for OLS "
        f"without privacy), and its noise alone {found.noise:.2f}. {_next(found)} {agreement(found)}"
        f"{f' {changes}' if changes else ''} Seed {found.seed}."
    )


def _next(found: Recommendation) -> str:
    if found.too_close:
        return f"It could not be told apart from {listed(found.rivals)}."
    return f"The next best, {found.second}, had an error {more(found.margin)}." if found.second else ""


def _guarantee(found: Recommendation) -> str:
    kept = found.mechanism.guarantee(found.base.epsilon)
    if isinstance(kept, PureDP):
        return f"{found.base.epsilon:g}-differential privacy"
    return f"({kept})-differential privacy" if isinstance(kept, ApproxDP) else str(kept)


def _with(mechanism: Mechanism) -> str:
    """The range that predictions are searched in, where the mechanism has one."""
    lower, upper = getattr(mechanism, "lower", None), getattr(mechanism, "upper", None)
    return f" on the range [{lower:g}, {upper:g}]" if lower is not None else ""
