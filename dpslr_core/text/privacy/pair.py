"""What moving one record changes in the odds of an answer, and what may change at most."""

from __future__ import annotations

from math import exp, inf, isinf, isnan

from ...audit.loss import Loss
from ...promise.losses import FALLBACK, NEGLIGIBLE, NO_ANSWER
from ...promise.pair import Pair
from ...promise.search import Replacement, Searched
from ...promise.tradeoff import share_beyond
from ..data import unit_sentence
from ..lesson.words import place_of
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
    """By how much one record may change the odds of an answer, and by how much it does here; epsilon: of the budget."""
    here = f"; here by {_here(pair)}" if moved else ""
    if not pair.guarantee.private:
        return f"{pair.name} promises nothing: one record may change the odds of an answer by any factor{here}"
    power = "ε" if pair.bound == epsilon else format_amount(pair.bound)
    told = f"One record changes the odds of any answer by at most e^{power} = {factor(pair.bound)} times"
    return f"{told}, up to a probability of {format_amount(pair.slack, 2)}{here}" if pair.slack else f"{told}{here}"


def _here(pair: Pair) -> str:
    loss = pair.largest.loss
    most = "at most" if pair.largest.complete else "at least"
    return "any factor" if isinf(loss) else f"{most} {factor(loss)}"


def headline_without_law(mechanism: str, loss: Loss) -> str:
    """What an algorithm without a known output distribution loses on this move, all that it publishes together."""
    promised = f"{mechanism} promises a privacy loss of {loss.unit} = {format_amount(loss.promised)} at most"
    if isnan(loss.measured):
        return f"{promised}; that of this move is not known"
    return f"{promised}; this move loses {format_amount(loss.measured)}"


def context(pair: Pair, view: View) -> str:
    """Which algorithm, point and guarantee, what all points lose together, and whose privacy it is."""
    points, epsilon = len(view.scenario.at), view.scenario.epsilon
    first = f"{pair.name} at {place_on(view.x, pair.change.point)}, {view.data_name}. "
    who = "Both" if points == 2 else f"All {points}"
    together = "" if points == 1 else f" {who} points together: {_joint(pair)}."
    records = view.scenario.records_per_person
    unit = f" {unit_sentence(epsilon, records)}" if records > 1 else ""
    return f"{first}{_guarantee(pair)}{together}{unit}"


def _guarantee(pair: Pair) -> str:
    if not pair.guarantee.private:
        return f"Its noise would be scaled for ε = {format_amount(pair.epsilon)}."
    if pair.slack:
        return f"Its guarantee for one record is {pair.guarantee}."
    return f"Its guarantee for one record is ε = {format_amount(pair.epsilon, 4)}."


def _joint(pair: Pair) -> str:
    loss = pair.change.loss
    if isnan(loss.measured):
        return "the loss of this move is not known"
    if isinf(loss.promised):
        return f"the loss is {format_amount(loss.measured)}"
    return f"the loss is {loss.unit} = {format_amount(loss.measured)}, of {format_amount(loss.promised)} at most"


def picture_sentence(pair: Pair) -> str:
    """Where the loss is in the band, and how likely the outcomes are that are no numbers."""
    largest = pair.largest
    but = "" if largest.of_all else f" but for a probability of {format_amount(NEGLIGIBLE, 2)}"
    most = "at most" if largest.complete else "at least"
    if isinf(pair.bound):
        inside = "stays within" if largest.loss <= pair.epsilon else "leaves"
        size = "It has no bound" if isinf(largest.loss) else f"It reaches {format_amount(largest.loss)}{but}"
        return (
            f"The privacy loss of {pair.name} {inside} the band that ε = {format_amount(pair.epsilon)} would allow. "
            f"{size}. It is outside in {_often(pair)} after the move."
        )
    return (
        f"The privacy loss of this one number is {most} {format_amount(largest.loss)}{but}. The band allows "
        f"±{format_amount(pair.bound)}.{_atoms(pair)}"
    )


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
    return f"record {worst.row + 1:,} moved to {place_of((worst.x, worst.y), view.x, view.y)}"


def _of_promised(worst: Replacement) -> str:
    loss = worst.loss
    size = f"loss {loss.unit} = {format_amount(loss.measured)}"
    return size if loss.promised == inf else f"{size} of {format_amount(loss.promised)}"
