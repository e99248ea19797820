"""Sentences of plans, certificates and the page Release: the promise, its limits, and how decisions were made."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite

import pandas as pd

from ..experiments.ranking import lead_among
from ..experiments.released_intervals import with_intervals
from ..mechanisms import Mechanism
from ..privacy import zcdp_epsilon
from ..sources.axis import Axis
from ..sources.choices import Synthetic
from ..sources.linear import X_SHAPES
from ..sources.numbers import Style
from ..support.readable import all_in_full, at_most, format_amount
from ..text.data import READ_OFF, View
from ..text.phrases import counted, listed, point_on, size_of
from ..text.privacy import factor
from .explored import ReleasedError, released_error
from .plans import LOOKED, UNITS, Plan, Promise, exact, shown
from .programs import NOT_PROVED, REFUSED

DIFFERS = 0.1  # share of the explored error: smaller differences to a release's get no sentence
DELTA = 1e-6  # zCDP is also reported as epsilon at this delta
REHEARSAL = "REHEARSAL on synthetic data: not a release. It must not be published as one."
NEVER_RELEASES = (
    "This app never releases. A release reads the records once, on the computer where they lie, "
    "and its spending log "
    "stays beside them. A web page has no such log: it would draw anew each time somebody asks."
)
SEAT_BELT = (
    "The spending log is a seat belt, no lock: whoever may change its files may also delete them."
)
UNSIGNED = (
    "A certificate is not signed, and cannot show that its integers were drawn. Compare its "
    "SHA-256 with the one that the publisher names."
)


def whom(plan: Plan) -> str:
    """Say whose records may be replaced between neighbours."""
    if plan.records_per_person == 1:
        return f"the record of one {plan.unit}"
    return f"up to {plan.records_per_person} records of one {plan.unit}"


def guarantee_sentence(plan: Plan) -> str:
    """Write the guarantee for a reader who knows no symbol."""
    amount, written, of = (
        float(exact(plan.promise.amount)),
        shown(exact(plan.promise.amount)),
        whom(plan),
    )
    if plan.promise.definition == "pure":
        times = factor(amount)
        return (
            f"Replacing {of} makes no outcome of this release more than {times} times as likely. "
            f"This is {written}-differential privacy: ε = {written}."
        )
    epsilon = at_most(zcdp_epsilon(amount, DELTA))
    return (
        f"Replacing {of} changes what this release shows by little: zero-concentrated privacy with "
        f"ρ = {written}. Every Rényi divergence of order a between two such releases is at most ρ "
        f"a. It implies (ε = {epsilon}, δ = one in a million)-differential privacy."
    )


def neighbours_sentence(plan: Plan) -> str:
    """Write the sentence that defines neighbours."""
    kept = " Each record stays in its area." if plan.areas else ""
    return (
        f"Two data sets are neighbours if they differ by replacing {whom(plan)}.{kept} "
        "The number of records is public."
    )


def bounds_sentence(plan: Plan) -> str:
    """Write the sentence on the columns and their public bounds."""
    ranges = [
        f"{scale.raw.name} from "
        f"{' to '.join(scale.raw.written((scale.raw.lower, scale.raw.upper)))}"
        for scale in (plan.x, plan.y)
    ]
    return f"Public bounds: {'; '.join(ranges)}."


STYLE_WORDS: dict[Style, str] = {
    "point": "with a decimal point (1,234.5)",
    "comma": "with a decimal comma (1.234,5)",
    "plain": "plainly (1234.5)",
}


def numbers_sentence(plan: Plan) -> str:
    """Write the sentence on how a release reads the numbers of both columns."""
    x, y = plan.columns.x_numbers or "point", plan.columns.y_numbers or "point"
    if x == y:
        return f"The release reads numbers as written {STYLE_WORDS[x]}."
    return f"The release reads {plan.x.raw.name} as written {STYLE_WORDS[x]}, {plan.y.raw.name} {STYLE_WORDS[y]}."


def unprotected(plan: Plan) -> tuple[str, ...]:
    """Write a sentence on each fact that the guarantee does not cover."""
    sizes = f"The number of records, n = {plan.n:,}."
    if plan.areas:
        sizes = f"The number of records of each of {counted(len(plan.areas), 'area')}, and in which area a record is."
    return (
        sizes,
        "That these columns exist, how their numbers are written, and their public bounds.",
        "All settings of the plan, and that and when this release was made.",
        "The time that the release took. It is not protected, so nobody should print it.",
    )


def looked_sentences(plan: Plan) -> tuple[str, ...]:
    """Write sentences on the choice of bounds and algorithm, and on whether anybody looked at the data for it."""
    sentences = []
    bounds = "Bounds and the value of unusable rows were" if plan.unusable_as else "The bounds were"
    for what, source in (
        (bounds, plan.bounds_from),
        ("Algorithm, promise and points were", plan.choice_from),
    ):
        if source == LOOKED:
            sentences.append(f"{what} {LOOKED}. What this reveals of the data is not counted.")
        else:
            sentences.append(
                f"{what} chosen without the data, the planner says: {source.rstrip('.')}."
            )
    return tuple(sentences)


def _on_intervals(mechanism: Mechanism) -> tuple[str, ...]:
    """Write sentences on the intervals of a release, or that it carries none."""
    if not with_intervals([mechanism]):
        return ("The release carries no interval for the true line.",)
    assume = "Intervals for the true line assume a straight line and independent errors about it."
    return (assume, *filter(None, [mechanism.interval_remark]))


NO_LINE = "no line: too few records"


def rules(plan: Plan) -> tuple[str, ...]:
    """Write sentences on a plan's unusable rows, small areas and the model of its expected errors."""
    sentences = []
    if plan.unusable_as:
        as_what = " and ".join(
            f"{scale.raw.name} = {scale.raw.written((value,))[0]}"
            for value, scale in zip(plan.unusable_as, (plan.x, plan.y), strict=True)
        )
        sentences.append(
            f"A row without two numbers counts as one with {as_what}. How many do so is not said."
        )
    if plan.smallest and (few := len(plan.areas) - len(plan.sizes)):
        sentences.append(
            f"{counted(few, 'area has', 'areas have')} fewer than {plan.smallest} records by the "
            "plan, and no line. Their records are in no draw."
        )
    if plan.expected:
        sentences.append(f"{EXPECTED} {model_sentence(plan.expected.source)}")
    return tuple(sentences)


EXPECTED = (
    "Expected error: 68% of such releases are so near to the line without privacy. "
    "It was computed before the data were read."
)


def model_sentence(source: Synthetic) -> str:
    """Write sentences on the model of simulated records, in the unit square."""
    x, e, slope, intercept = all_in_full(
        [source.var_x, source.var_e, source.slope, source.intercept]
    )
    return (
        f"The records were simulated, with {X_SHAPES[source.x_shape]} and both axes from 0 to 1. "
        f"Variances: {x} of x, {e} of the errors. The line: y = {slope} x + {intercept}."
    )


def _at(points: Sequence[float]) -> str:
    """Write points of a certificate as the end of a sentence."""
    return f"at {listed(format_amount(point, 6) for point in points)}."


def outside_sentence(plan: Plan, at: Sequence[float]) -> str:
    """Write the sentence on points whose predictions lie outside the public bounds of y; "" for none."""
    return f"Outside the public bounds of {plan.y.raw.name} {_at(at)}" if at else ""


def vague_sentence(plan: Plan, at: Sequence[float]) -> str:
    """Write the sentence on points where the expected error is large; "" for none."""
    return (
        f"Too vague to use: the expected error is over a quarter of {plan.y.raw.name}'s bounds "
        f"{_at(at)}"
        if at
        else ""
    )


def unknown_sentence(at: Sequence[float]) -> str:
    """Write the sentence on points without an expected error; "" for none."""
    return f"The expected error is not known, and may have no limit, {_at(at)}" if at else ""


def limits(plan: Plan) -> tuple[str, ...]:
    """Write a sentence on each known limit of a release with this plan."""
    return (
        f"Records are moved to the nearer bound beyond it, and rounded to {plan.grid:,} steps "
        "between the bounds.",
        *rules(plan),
        *_on_intervals(plan.mechanism),
        "Noise comes from OpenDP and the operating system's randomness. OpenDP's components "
        "behind its flag contrib are not all vetted.",
        UNSIGNED,
        SEAT_BELT,
    )


def spent_sentence(promise: Promise, budget: Promise, after: Fraction) -> str:
    """Write the cost of a release, and the part of the budget that is spent with all releases before it."""
    unit = UNITS[budget.definition]
    return (
        f"This release costs {promise}. By its log, with all earlier ones, {unit} = "
        f"{shown(after)} of {shown(exact(budget.amount))} is spent."
    )


def pooling_sentence(areas: int) -> str:
    """Write sentences that define pooled lines."""
    return (
        f"Each of {areas:,} areas is one release, and each record lies in one area. Pooled lines "
        "follow from all of them, at no further cost. They are no way to rank areas."
    )


def headline(
    algorithm: str, promise: Promise, within: float | None, y: Axis, table: bool = False
) -> str:
    """Write how near a release will be to the line without privacy.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm.
    promise : Promise
        Promise of the release.
    within : float or None
        Distance from that line that 68% of releases keep, in the unit square; None where unknown.
    y : Axis
        Quantity y, for the unit of the distance.
    table : bool
        Whether each area is released.
    """
    if within is None:
        return f"This plan releases {algorithm} once, at {promise}."
    of = " in a typical area" if table else ""
    return f"68% of releases{of} are within {size_of(within, y)} of the line without privacy."


def context(n: int, like: str, x: Axis, at: float) -> str:
    """Write the point and the simulated records of the headline, and why Compare may say another number.

    Parameters
    ----------
    n : int
        Number of records.
    like : str
        Origin of their model, in words.
    x : Axis
        Quantity x.
    at : float
        Point in the unit square.
    """
    return (
        f"At {x.name} = {point_on(x, at)}, on {n:,} simulated records {like}. "
        "The program of a release draws here, so Compare's error can differ a little. "
        "The plan is made before anybody reads the file."
    )


def explored_sentence(name: str, error: ReleasedError | None, y: Axis) -> str:
    """Write the error of a release where it differs from the error that the pages explore.

    "" where both are within a tenth of each other, or either is unknown.

    Parameters
    ----------
    name : str
        Name of the algorithm.
    error : ReleasedError or None
        Both errors.
    y : Axis
        Quantity y, for the unit of the errors.
    """
    if error is None or not (isfinite(error.released) and 0 < error.explored < inf):
        return ""
    if abs(error.released / error.explored - 1) <= DIFFERS:
        return ""
    sizes = [size_of(error_size, y) for error_size in (error.released, error.explored)]
    return (
        f"A release of {name} draws on {error.drawn_from}: its error is {sizes[0]}, not {sizes[1]}."
    )


def released_sentence(view: View, ranked: pd.DataFrame, at: float) -> str:
    """Write `explored_sentence` for the best algorithm at a point on the data of a view.

    Parameters
    ----------
    view : View
        Data and scenario of a page.
    ranked : DataFrame
        Algorithms ranked at this point.
    at : float
        The point, in the unit square.
    """
    scenario, best = view.scenario, lead_among(ranked).mechanism
    mechanism = next((m for m in scenario.admitted if m.name == best), None)
    if mechanism is None:
        return ""
    error = released_error(mechanism, view.data, scenario.budget, scenario.at.index(at))
    return explored_sentence(mechanism.name, error, view.y)


def n_sentence(n: int, source: str, areas: bool, alone: str = "") -> str:
    """Write the origin of the number of records of a plan, which the guarantee takes as public.

    Parameters
    ----------
    n : int
        Number of records.
    source : str
        Origin of this number, in words.
    areas : bool
        Whether each area is released.
    alone : str
        Area that is released without the others, or "".
    """
    held = f" The file of the release must hold {alone!r} alone." if alone else ""
    also, they_are = (", and that of each area", "they are") if areas else ("", "it is")
    return f"n = {n:,}, {source}. The guarantee takes n as public{also}: use this plan only if {they_are}.{held}"


def why_sentence(algorithm: str, recommended: str, page: str) -> str:
    """Write why an algorithm is planned at first.

    Parameters
    ----------
    algorithm : str
        Name of the planned algorithm.
    recommended : str
        Name of the algorithm that a page recommends; "" without a recommendation.
    page : str
        Name of the page.
    """
    if recommended == algorithm:
        return f"{algorithm} is the answer of {page}."
    if not recommended:
        return f"No page has named one yet, so {algorithm} stands first. Guidance names one for your data."
    reason = REFUSED.get(recommended, NOT_PROVED)
    return f"{page} named {recommended}, which cannot be released: {reason}. {algorithm} stands in its place."


def pools_sentence(pooling: str, compared: str, times: float | None) -> str:
    """Write which algorithm pools areas, and the cost of pooling.

    Parameters
    ----------
    pooling, compared : str
        Names of this algorithm, and of the algorithm it is compared with.
    times : float or None
        Ratio of the first's error to the second's; None where unknown.
    """
    sentence = f"Areas help each other only after a release of {pooling}."
    if times is None or pooling == compared:
        return sentence
    return f"{sentence} In a single area its error is {format_amount(times, 2)} times that of {compared}."


def refusal_sentence(rows: int, rule: bool) -> str:
    """Write why a release of an uploaded file would be refused; "" where it would not be.

    Parameters
    ----------
    rows : int
        Number of rows with no number in x or y, or no label; under a rule, of rows without a label alone.
    rule : bool
        Whether the plan has a rule for rows without two numbers.
    """
    if not rows:
        return ""
    lack = "without an area" if rule else "without two numbers"
    todo = (
        "Put them into one." if rule else "Set the rule for them, without looking at their values."
    )
    return f"A release of this file would be refused: it has {counted(rows, 'row')} {lack}. {READ_OFF} {todo}"


def persons_refusal(rows: int, records: int) -> str:
    """Write why a release is refused of a file where a person has `rows` rows; "" where the plan protects `rows`."""
    if rows <= records:
        return ""
    return (
        f"A release of this file would be refused: one person has {rows:,} rows, and the plan "
        f"protects {records:,}. {READ_OFF} Cover them on Data, or drop some by a rule set without looking."
    )


REHEARSED_AREAS = (
    "A rehearsal here takes at most {} areas. For any number: dpslr rehearse plan.json."
)


def not_released(refused: list[str]) -> list[str]:
    """Write a sentence on each reason why algorithms have no release."""
    reasons: dict[str, list[str]] = {}
    for name in refused:
        reasons.setdefault(REFUSED.get(name, NOT_PROVED), []).append(name)
    return [f"No release of {listed(names)}: {reason}." for reason, names in reasons.items()]


def certificate_says(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Write the sentences of a plan's certificate by heading; all but the numbers."""
    return {
        "Guarantee": (guarantee_sentence(plan), neighbours_sentence(plan), bounds_sentence(plan)),
        "Not protected": unprotected(plan),
        "Did anybody look at the data before?": looked_sentences(plan),
        "Known limits": limits(plan),
    }


RULE = "A row without two numbers counts as this public value. Left empty, a file with such a row is refused."
SMALLEST_HELP = (
    "Of the public numbers of records. Smaller areas get no line, and their records are in no draw."
)
WITHOUT_OPENDP = "A rehearsal needs OpenDP: pip install 'dpslr[release]'. The plan does not."
NONE_PRIVATE = "No private algorithm is chosen."
UNSAID = "to be said before the plan is made"
MARK = "The plan then says so, in place of the words above."
OPEN_HERE = (
    "These records are open in this app. If you looked at them to choose, mark it: then the "
    "certificate says that the choice is outside the guarantee."
)
