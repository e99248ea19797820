"""Sentences on which one algorithm to publish in many areas, at which epsilon, and which areas it does not serve."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..guidance.area_epsilons import not_sought
from ..guidance.decision import ANOTHER, CERTAINTY, MORE_EPSILON, POOLING, SUPPRESSION, Decision
from ..guidance.required_values import EPSILONS
from ..sources.choices import GuessedAreas
from ..sources.grouping import SMALLEST
from ..sources.linear import X_SHAPES
from .areas import no_smaller
from .phrases import counted, format_amount, format_share, in_full, joined, listed

ONE_FOR_ALL = "One algorithm is published in all areas."
ON_GUESSES = (
    "The areas are simulated from public guesses: where these are public, you may act on this plan."
)
LOOKED = {  # by the origin of the data
    "simulated": "These data are simulated: act on this choice only where yours are like them.",
    "public": "These data are public, so that this choice tells nothing new of anybody.",
    "guesses": ON_GUESSES,
    "private": "The true data were looked at: this choice is **not private**. Act on one that was made on public "
    "guesses, and use this one to see what it costs.",
}
STANDS_ON = {  # by the origin of the data
    "guesses": "You may act on this plan where the guesses are public.",
    "private": "It is computed from the true data: do not act on it.",
}
OF_SAMPLE = "Measured: a random {:,} of {:,} areas, drawn by their labels alone."
PASSES = {
    "prediction": "An area passes when its error is below its own sampling error.",
    "slope": "An area passes when the error of its slope is below the slope’s sampling error.",
    "line": "An area passes when the errors at all points and of the slope are below their sampling errors.",
}
UNASKED = {
    "prediction": "Other points and the slope may fail.",
    "slope": "Predictions may fail.",
    "line": "",
}
HELPS = {
    MORE_EPSILON: "a larger ε: {epsilon}",
    ANOTHER: "{instead} passes here",
    POOLING: "pooling with other areas",
    SUPPRESSION: "suppression: no sampling error to compare with",
}


def headline(decision: Decision) -> str:
    """State how many areas pass with the algorithm to publish at epsilon."""
    if not decision.count:
        unsought = listed(not_sought(decision.passing) or ["any algorithm"])
        return f"No passing ε is computed for {unsought}: there is no exact error, or no sampling error."
    passing, beginning = _passing(decision), f"At ε = {in_full(decision.epsilon)}"
    areas = f"{decision.count:,} {'sampled areas' if decision.sampled else 'areas'}"
    if not passing:
        return f"{beginning} none of {areas} passes."
    if passing < decision.needed:
        return f"{beginning} only {passing:,} of {areas} {'passes' if passing == 1 else 'pass'}."
    return f"{beginning}, {passing:,} of {areas} {'passes' if passing == 1 else 'pass'}."


def best_sentence(decision: Decision) -> str:
    """State what passing means, the algorithm to publish, and the share of all areas where a sample was measured."""
    if not decision.count:
        return ""
    best = f"The best algorithm for all is {decision.mechanism}." if decision.mechanism else ""
    return joined(PASSES[decision.question], best, _of_all(decision, _passing(decision)))


def answer(decision: Decision, others: Mapping[str, Decision] = MappingProxyType({})) -> str:
    """State how many areas pass, when an area passes, which algorithm to publish, and which epsilon the target takes.

    Parameters
    ----------
    decision : Decision
        Decision on what is published.
    others : mapping
        Decisions on what else could be published, as in `others_sentence`.
    """
    if not decision.count:
        return headline(decision)
    enough = _passing(decision) >= decision.needed
    target = "" if enough else _from_where(decision)
    return joined(
        headline(decision), best_sentence(decision), target, others_sentence(decision, others)
    )


def others_sentence(decision: Decision, others: Mapping[str, Decision]) -> str:
    """State from which epsilon enough areas pass where another quantity is published; a warning if `others` is empty.

    Parameters
    ----------
    decision : Decision
        Decision on what is published.
    others : mapping
        Decisions on what else could be published, by its name in a sentence.
    """
    if not others:
        return UNASKED[decision.question]
    needs = [
        f"never for {name}"
        if alternative.smallest is None
        else f"for {name} from ε = {format_amount(alternative.smallest[1])}"
        for name, alternative in others.items()
    ]
    return f"{format_share(decision.target)} pass {listed(needs)}."


def shape_sentence(decision: Decision, reshaped: Decision, shape: str) -> str:
    """State how many areas pass with the same algorithm where x has a distribution of another shape.

    Parameters
    ----------
    decision : Decision
        Decision that is shown.
    reshaped : Decision
        Decision on the same guesses with the other shape, for the same algorithm.
    shape : str
        The other shape, in words.
    """
    return f"With {shape}, {_passing(reshaped):,} of {reshaped.count:,} would pass in place of {_passing(decision):,}."


def guesses_sentence(source: GuessedAreas) -> str:
    """State the guesses that areas were simulated from, in the units of the data, and how many areas have no line."""
    x, y = source.x, source.y
    small = sum(n < SMALLEST for n in source.n)
    shapes = dict.fromkeys([source.x_shape] if isinstance(source.x_shape, str) else source.x_shape)
    spreads = (
        (np.sqrt(source.var_x) * x.scale, x.name),
        (np.sqrt(source.var_e) * y.scale, f"{y.name} about the line"),
    )
    return joined(
        f"Guessed of {counted(len(source.areas), 'area')} in {source.name}:",
        listed(X_SHAPES[shape] for shape in shapes),
        f"about {x.name} = {_from_to(x.from_unit(source.x_mean))}; standard deviations:",
        f"{' and '.join(f'{_from_to(spread)} of {name}' for spread, name in spreads)};",
        f"slope {_from_to(np.array(source.slope) * y.scale / x.scale)}.",
        f"{counted(small, 'area has', 'areas have')} fewer than {SMALLEST} records, and no line."
        if small
        else "",
    )


def _from_to(values: ArrayLike) -> str:
    """Write a guess for all areas, or the range of guesses by area: "0.2" or "0.1 to 0.3"."""
    low, high = (format_amount(float(end)) for end in (np.min(values), np.max(values)))
    return low if low == high else f"{low} to {high}"


def _passing(decision: Decision) -> int:
    """Number of areas that pass at epsilon with the algorithm to publish."""
    return int(decision.algorithms["passing"].iloc[0]) if len(decision.algorithms) else 0


def _of_all(decision: Decision, passing: int) -> str:
    """State the share of all areas that pass, given how many of a random sample pass; "" where all were measured."""
    if not decision.sampled:
        return ""
    low, high = map(format_share, decision.limits(passing))
    return f"Of all {decision.of:,}, {low} to {high} pass ({CERTAINTY:.0%} interval for sampling)."


def sample_words(decision: Decision) -> str:
    """Name the areas that were looked at: "40 areas", or "a random 200 of 3,108 areas"."""
    if not decision.sampled:
        return counted(decision.count, "area")
    return f"a random {decision.count:,} of {decision.of:,} areas"


def _from_where(decision: Decision) -> str:
    """State the smallest epsilon that reaches the target, and with which algorithm."""
    share = format_share(decision.target)
    if decision.smallest is None:
        return f"No ε up to {in_full(EPSILONS[1])} lets {share} of them pass with one algorithm."
    name, epsilon = decision.smallest
    return f"{share} of them pass from ε = {format_amount(epsilon)}, with {name}."


def about(decision: Decision) -> tuple[str, ...]:
    """Sentences on the target, on the areas looked at and those without a sampling error, and on failing areas."""
    without = len(decision.areas) - decision.count
    sentences = (
        ONE_FOR_ALL,
        f"Target: {format_share(decision.target)} of the areas, that is {decision.needed:,} of "
        f"{decision.count:,}.",
        f"Looked at: {sample_words(decision)}, drawn by their labels alone."
        if decision.sampled
        else "",
        f"{counted(without, 'area has', 'areas have')} no sampling error to compare with."
        if without
        else "",
        failing_sentence(decision),
    )
    return tuple(filter(None, sentences))


def picture_sentence(decision: Decision) -> str:
    """Describe the curves of areas that pass against epsilon, for those who do not see them."""
    table = decision.algorithms.sort_values("target_from", kind="stable")
    reached = [row for row in table.itertuples() if row.target_from < inf]
    algorithms = ", ".join(
        f"{row.mechanism} from ε = {no_smaller(row.target_from)}" for row in reached
    )
    target = (
        f"{format_share(decision.target)} of the areas pass with {algorithms}."
        if algorithms
        else "None reaches the target."
    )
    shown = f"How many of {sample_words(decision)} pass against ε, a curve for each algorithm."
    band = (
        f"The band is the {CERTAINTY:.0%} interval for sampling."
        if decision.sampled and decision.mechanism
        else ""
    )
    return joined(shown, band, target)


def algorithms_table(decision: Decision) -> pd.DataFrame:
    """Table to show: algorithm, the smallest epsilon for the target, and how many areas pass at which epsilon."""
    table, counts = decision.algorithms, decision.counts()
    return pd.DataFrame(
        {
            "algorithm": table["mechanism"],
            f"smallest ε for {format_share(decision.target)}": table["target_from"].where(
                table["target_from"] < inf
            ),
            **{f"ε = {in_full(epsilon)}": counts[epsilon].to_numpy() for epsilon in counts},
            "at its best ε": table["most"],
        }
    )


def counts_sentence(decision: Decision) -> str:
    """State of how many areas the table of algorithms counts those that pass."""
    of = f"of {sample_words(decision)}" if decision.sampled else f"of {decision.count:,}"
    return f"Number of areas that pass, {of}, by algorithm and ε in each area."


def smallest_label(decision: Decision) -> str:
    """Label of the button that sets the smallest epsilon for the target; "" where there is nothing to set."""
    if decision.smallest is None or decision.smallest[1] == decision.epsilon:
        return ""
    name, epsilon = decision.smallest
    with_name = "" if name == decision.mechanism else f" with {name}"
    return f"Set ε = {format_amount(epsilon)}: {format_share(decision.target)} pass{with_name}"


def failing_table(decision: Decision, scale: float = 1.0, unit: str = "") -> pd.DataFrame:
    """Table to show: the areas that do not pass, their size, and what would help each area.

    Parameters
    ----------
    decision : Decision
        Decision on what is published.
    scale : float
        Factor from the unit square to the units of y, for the standard error.
    unit : str
        Text after the name of the column of standard errors.
    """
    rows = decision.failing()
    from_where = [
        "" if epsilon == inf else no_smaller(epsilon) for epsilon in rows["passes_from"].fillna(inf)
    ]
    remedies = zip(rows["helps"], from_where, rows["instead"], strict=True)
    helps = [
        HELPS[help_].format(epsilon=epsilon, instead=instead)
        for help_, epsilon, instead in remedies
    ]
    return pd.DataFrame(
        {
            "area": rows["group"].astype("str"),
            "n": rows["n"],
            "n var(x)": rows["nvar"],
            f"standard error{unit}": rows["standard_error"] * scale,
            "passes from ε": rows["passes_from"].where(rows["passes_from"] < inf),
            "what would help": helps,
        }
    )


def failing_sentence(decision: Decision) -> str:
    """State how many areas do not pass with the algorithm to publish, and what would help."""
    rows = decision.failing()
    if rows.empty:
        all_of = (
            f"All of {sample_words(decision)} pass."
            if decision.sampled
            else f"All {decision.count:,} areas pass."
        )
        return all_of if decision.count else ""
    counts, remedies = rows["helps"].value_counts(), []
    words = {
        MORE_EPSILON: "a larger ε, up to twice as much", ANOTHER: "another algorithm", POOLING: "pooling",
        SUPPRESSION: "leaving them out: they have no sampling error",
    }  # fmt: skip
    for help_, word in words.items():
        if help_ in counts:
            remedies.append(f"{int(counts[help_]):,} by {word}")
    none = f"{counted(len(rows), 'area does', 'areas do')} not pass."
    if decision.sampled:
        none = f"Of {sample_words(decision)}, {len(rows):,} do not pass."
    return f"{none} What would help: {', '.join(remedies)}."
