"""What moving one record changes in the odds of an answer, and what may change at most."""

from __future__ import annotations

from math import exp, inf, isinf, isnan

from ...audit.loss import Loss, Replacement, Searched
from ...audit.pair import FALLBACK, NEGLIGIBLE, NO_ANSWER, Pair, share_beyond
from ..data import unit_sentence
from ..moved import coordinates
from ..phrases import both_sides_of_one, format_amount, format_share, place_on
from ..view import View

_WRITTEN_OUT, _NEARLY_ONE = 34.0, 0.005  # logarithms of factors: the largest written as a number; with more digits
_SAID = {NO_ANSWER: "No answer", FALLBACK: "A fallback"}


def factor(loss: float) -> str:
    """e^loss: "7.39"; as a power where it is too long for a number."""
    if isinf(loss):
        return "∞"
    if loss >= _WRITTEN_OUT:
        return f"e^{format_amount(loss)}"
    return both_sides_of_one(exp(loss)) if loss < _NEARLY_ONE else format_amount(float(f"{exp(loss):.3g}"))


def headline(pair: Pair, moved: bool, epsilon: float) -> str:
    """By how much one record may change the odds of an answer, and by how much it does here; epsilon: of the budget.

    What the record changes here is said of the number in the picture, and of all points together where there are more.
    """
    here = f"; here {_here(pair)}" if moved else ""
    if not pair.guarantee.private:
        return f"{pair.name} promises nothing: one record may change the odds of an answer by any factor{here}"
    power = "ε" if pair.bound == epsilon else format_amount(pair.bound)
    told = f"One record changes the odds of any answer by at most e^{power} = {factor(pair.bound)} times"
    return f"{told}, up to a probability of {format_amount(pair.slack, 2)}{here}" if pair.slack else f"{told}{here}"


def _here(pair: Pair) -> str:
    alone, points = _times(pair), pair.points
    together = pair.change.loss
    if points == 1:
        return f"by {alone}"
    both = f", {together_of(points)} by {factor(together.measured)}" if _known_odds(together) else ""
    return f"this one number by {alone}{both}"


def _times(pair: Pair) -> str:
    """The largest factor by which the odds of this number change: "3.1"; "at least 3.1" where not all are known."""
    loss = pair.largest.loss
    if isinf(loss):
        return "any factor"
    return factor(loss) if pair.largest.complete else f"at least {factor(loss)}"


def _known_odds(loss: Loss) -> bool:
    """Whether a loss is that of all outcomes, as a logarithm of odds."""
    return loss.unit == "ε" and not isnan(loss.measured) and not isinf(loss.measured)


def together_of(points: int) -> str:
    """The name of all released numbers: "both points together"."""
    return f"{'both' if points == 2 else f'all {points}'} points together"


def headline_without_law(mechanism: str, loss: Loss) -> str:
    """What an algorithm without a known output distribution loses on this move, all that it publishes together."""
    promised = f"{mechanism} promises a privacy loss of {loss.unit} = {format_amount(loss.promised)} at most"
    if isnan(loss.measured):
        return f"{promised}; that of this move is not known"
    return f"{promised}; this move loses {format_amount(loss.measured)}"


def context(pair: Pair, view: View) -> str:
    """Which algorithm, point and guarantee, and whose privacy it is."""
    several = view.scenario.records_per_person > 1
    unit = f" {unit_sentence([pair.change.mechanism], view.scenario.budget)}" if several else ""
    return f"{pair.name} at {place_on(view.x, pair.change.point)}, {view.data_name}. {_guarantee(pair)}{unit}"


def _guarantee(pair: Pair) -> str:
    if not pair.guarantee.private:
        return f"Its noise would be scaled for ε = {format_amount(pair.epsilon)}."
    if pair.slack:
        return f"Its guarantee for one record is {pair.guarantee}."
    return f"Its guarantee for one record is ε = {format_amount(pair.epsilon, 4)}."


def picture_sentence(pair: Pair) -> str:
    """How far the loss of this number goes, beside that of all points and what is allowed; and outcomes without one."""
    largest = pair.largest
    but = f", but for a probability of {format_amount(largest.left_out, 2)}" if largest.left_out else ""
    if isinf(pair.bound):
        inside = "stays within" if largest.loss <= pair.epsilon else "leaves"
        size = "It has no bound" if isinf(largest.loss) else f"It reaches {format_amount(largest.loss)}{but}"
        return (
            f"The privacy loss of {pair.name} {inside} the band that ε = {format_amount(pair.epsilon)} would allow. "
            f"{size}. It is outside in {_often(pair)} after the move."
        )
    most = "at most" if largest.complete else "at least"
    return (
        f"This number alone: the odds change by {most} {factor(largest.loss)} times{but}.{_joint(pair)} Allowed: "
        f"{factor(pair.bound)}, where the band ends.{_atoms(pair)}"
    )


def _joint(pair: Pair) -> str:
    """What all points together lose, where they are more than one and it is known."""
    loss, points = pair.change.loss, pair.points
    if points == 1 or isnan(loss.measured):
        return ""
    size = factor(loss.measured) if _known_odds(loss) else f"{loss.unit} = {format_amount(loss.measured)}"
    return f" {together_of(points).capitalize()}: {size}."


def _often(pair: Pair) -> str:
    """How many releases after the move have a loss beyond epsilon, to two digits."""
    share = share_beyond(pair.change.before, pair.change.after, pair.epsilon)
    if share < NEGLIGIBLE:
        return "fewer than one release in a million"
    return f"{format_amount(100 * share, 2)}% of releases"


def _atoms(pair: Pair) -> str:
    """How likely failure and fallback are on both data sets."""
    said = []
    for row in pair.atoms[pair.atoms["outcome"].isin(_SAID)].itertuples():
        before, after = format_share(row.before), format_share(row.after)
        both = ", before and after" if before == after else f" before, {after} after"
        said.append(f" {_SAID[row.outcome]} in {before} of releases{both}.")
    return "".join(said)


def search_sentence(searched: Searched, mechanism: str, view: View) -> str:
    """The worst replacement that a search has come upon."""
    worst = searched.worst
    if worst is None:
        return f"No loss of {mechanism} can be computed on these data."
    return (
        f"Worst of {searched.tried:,} replacements tried: {_replacement(worst, view)}, {_of_promised(worst)}. "
        "Others may be worse."
    )


def _replacement(worst: Replacement, view: View) -> str:
    return f"record {worst.row + 1:,} moved to {coordinates((worst.x, worst.y), view.x, view.y)}"


def _of_promised(worst: Replacement) -> str:
    loss = worst.loss
    size = f"loss {loss.unit} = {format_amount(loss.measured)}"
    return size if loss.promised == inf else f"{size} of {format_amount(loss.promised)}"
