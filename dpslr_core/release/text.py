"""Sentences of plans, certificates and the page Release: what is promised, what is not, and what was decided how."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite

import pandas as pd

from ..experiments.ranking import lead_among
from ..experiments.released_intervals import LEVEL, with_intervals
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

DIFFERS = (
    0.1  # of the error explored: a smaller difference to the error of a release is not spoken of
)
DELTA = 1e-6  # for which zCDP is told in epsilon as well
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
    """Whose records may be replaced between neighbours."""
    if plan.records_per_person == 1:
        return f"the record of one {plan.unit}"
    return f"up to {plan.records_per_person} records of one {plan.unit}"


def guarantee_sentence(plan: Plan) -> str:
    """The guarantee, for a reader who knows no symbol."""
    amount, written, of = (
        float(exact(plan.promise.amount)),
        shown(exact(plan.promise.amount)),
        whom(plan),
    )
    if plan.promise.definition == "pure":
        times = factor(amount)
        return (
            f"Replacing {of} makes no outcome of this release more than {times} times as likely. "
            "This is "
            f"{written}-differential privacy: ε = {written}."
        )
    epsilon = at_most(zcdp_epsilon(amount, DELTA))
    return (
        f"Replacing {of} changes what this release shows by little: zero-concentrated privacy "
        "with ρ = "
        f"{written}. Every Rényi divergence of order a between two such releases is at most ρ a. "
        "It implies "
        f"(ε = {epsilon}, δ = one in a million)-differential privacy."
    )


def neighbours_sentence(plan: Plan) -> str:
    """What neighbours are."""
    kept = " Each record stays in its area." if plan.areas else ""
    return (
        f"Two data sets are neighbours if they differ by replacing {whom(plan)}.{kept} "
        "The number of records is public."
    )


def bounds_sentence(plan: Plan) -> str:
    """The columns and their public bounds."""
    parts = [
        f"{scale.raw.name} from "
        f"{' to '.join(scale.raw.written((scale.raw.lower, scale.raw.upper)))}"
        for scale in (plan.x, plan.y)
    ]
    return f"Public bounds: {'; '.join(parts)}."


STYLE_WORDS: dict[Style, str] = {
    "point": "with a decimal point (1,234.5)",
    "comma": "with a decimal comma (1.234,5)",
    "plain": "plainly (1234.5)",
}


def numbers_sentence(plan: Plan) -> str:
    """How a release reads the numbers of both columns."""
    x, y = plan.columns.x_numbers or "point", plan.columns.y_numbers or "point"
    if x == y:
        return f"The release reads numbers as written {STYLE_WORDS[x]}."
    return f"The release reads {plan.x.raw.name} as written {STYLE_WORDS[x]}, {plan.y.raw.name} {STYLE_WORDS[y]}."


def unprotected(plan: Plan) -> tuple[str, ...]:
    """What the guarantee does not cover, one sentence each."""
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
    """How the bounds and the algorithm were chosen, and whether anybody looked at the data for it."""
    said = []
    bounds = "Bounds and the value of unusable rows were" if plan.unusable_as else "The bounds were"
    for what, source in (
        (bounds, plan.bounds_from),
        ("Algorithm, promise and points were", plan.choice_from),
    ):
        if source == LOOKED:
            said.append(f"{what} {LOOKED}. What this reveals of the data is not counted.")
        else:
            said.append(f"{what} chosen without the data, the planner says: {source.rstrip('.')}.")
    return tuple(said)


def _on_intervals(mechanism: Mechanism) -> tuple[str, ...]:
    """Sentence on the intervals of a release, or that it carries none."""
    if not with_intervals([mechanism]):
        return ("The release carries no interval for the true line.",)
    assume = "Intervals for the true line assume a straight line and independent errors about it."
    return (assume, *filter(None, [mechanism.interval_remark]))


NO_LINE = "no line: too few records"


def rules(plan: Plan) -> tuple[str, ...]:
    """Rules of a plan on unusable rows and small areas, and the model of its expected errors, a sentence each."""
    said = []
    if plan.unusable_as:
        as_what = " and ".join(
            f"{scale.raw.name} = {scale.raw.written((value,))[0]}"
            for value, scale in zip(plan.unusable_as, (plan.x, plan.y), strict=True)
        )
        said.append(
            f"A row without two numbers counts as one with {as_what}. How many do so is not said."
        )
    if plan.smallest and (few := len(plan.areas) - len(plan.sizes)):
        said.append(
            f"{counted(few, 'area has', 'areas have')} fewer than {plan.smallest} records by the "
            "plan, and no line. Their records are in no draw."
        )
    if plan.expected:
        said.append(f"{EXPECTED} {model_sentence(plan.expected.source)}")
    return tuple(said)


EXPECTED = (
    "Expected error: 68% of such releases are so near to the line without privacy. "
    "It was computed before the data were read."
)


def model_sentence(source: Synthetic) -> str:
    """The model of simulated records, in the unit square."""
    x, e, slope, intercept = all_in_full(
        [source.var_x, source.var_e, source.slope, source.intercept]
    )
    return (
        f"The records were simulated, with {X_SHAPES[source.x_shape]} and both axes from 0 to 1. "
        f"Variances: {x} of x, {e} of the errors. The line: y = {slope} x + {intercept}."
    )


def _at(points: Sequence[float]) -> str:
    """Points of a certificate, as a sentence ends."""
    return f"at {listed(format_amount(point, 6) for point in points)}."


def outside_sentence(plan: Plan, at: Sequence[float]) -> str:
    """At which points predictions lie outside the public bounds of y; "" where none does."""
    return f"Outside the public bounds of {plan.y.raw.name} {_at(at)}" if at else ""


def vague_sentence(plan: Plan, at: Sequence[float]) -> str:
    """At which points the expected error is large; "" where it is nowhere."""
    return (
        f"Too vague to use: the expected error is over a quarter of {plan.y.raw.name}'s bounds "
        f"{_at(at)}"
        if at
        else ""
    )


def limits(plan: Plan) -> tuple[str, ...]:
    """Known limits of a release with this plan, one sentence each."""
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
    """What a release costs, and how much of the budget is spent with all before it."""
    unit = UNITS[budget.definition]
    return (
        f"This release costs {promise}. By its log, with all earlier ones, {unit} = "
        f"{shown(after)} of {shown(exact(budget.amount))} is spent."
    )


def pooling_sentence(areas: int) -> str:
    """What pooled lines are."""
    return (
        f"Each of {areas:,} areas is one release, and each record lies in one area. Pooled lines "
        "follow from all of them, at no further cost. They are no way to rank areas."
    )


def headline(
    algorithm: str, promise: Promise, within: float | None, y: Axis, table: bool = False
) -> str:
    """How near a release will be to the line without privacy; within: of it, LEVEL of releases, in the unit square."""
    if within is None:
        return f"This plan releases {algorithm} once, at {promise}."
    of = " in a typical area" if table else ""
    return f"{100 * LEVEL:.0f}% of releases{of} are within {size_of(within, y)} of the line without privacy."


def context(n: int, like: str, x: Axis, at: float) -> str:
    """Point and simulated records that the headline holds for; like: the origin of the model, in words."""
    return (
        f"At {x.name} = {point_on(x, at)}, on {n:,} simulated records {like}. "
        "The plan is made before anybody reads the file."
    )


def explored_sentence(name: str, error: ReleasedError | None, y: Axis) -> str:
    """The error of a release where it is not the one explored; "" where both are within a tenth, or one is unknown.

    name: of the algorithm. y: in whose units.
    """
    if error is None or not (isfinite(error.released) and 0 < error.explored < inf):
        return ""
    if abs(error.released / error.explored - 1) <= DIFFERS:
        return ""
    sizes = [size_of(each, y) for each in (error.released, error.explored)]
    return (
        f"A release of {name} draws on {error.drawn_from}: its error is {sizes[0]}, not {sizes[1]}."
    )


def released_sentence(view: View, ranked: pd.DataFrame, at: float) -> str:
    """explored_sentence of the best algorithm on the data of a view, at one of the points; ranked: at this point."""
    scenario, best = view.scenario, lead_among(ranked).mechanism
    mechanism = next((m for m in scenario.admitted if m.name == best), None)
    if mechanism is None:
        return ""
    error = released_error(mechanism, view.data, scenario.budget, scenario.at.index(at))
    return explored_sentence(mechanism.name, error, view.y)


def n_sentence(n: int, source: str, areas: bool, alone: str = "") -> str:
    """Origin of the number of records of a plan, which the guarantee takes as public.

    areas: whether each area is released. alone: the area that is released without the others, or "".
    """
    held = f" The file of the release must hold {alone!r} alone." if alone else ""
    each, they_are = (", and that of each area", "they are") if areas else ("", "it is")
    return f"n = {n:,}, {source}. The guarantee takes n as public{each}: use this plan only if {they_are}.{held}"


def why_sentence(algorithm: str, said: str, page: str) -> str:
    """Why an algorithm is planned at first. said: the algorithm that a page named; "" where none did."""
    if said == algorithm:
        return f"{algorithm} is the answer of {page}."
    if not said:
        return f"No page has named one yet, so {algorithm} stands first. Guidance names one for your data."
    reason = REFUSED.get(said, NOT_PROVED)
    return (
        f"{page} named {said}, which cannot be released: {reason}. {algorithm} stands in its place."
    )


def pools_sentence(pooling: str, other: str, times: float | None) -> str:
    """What pools areas, and what that costs; times: its error over that of another algorithm, None where not known."""
    said = f"Areas help each other only after a release of {pooling}."
    if times is None or pooling == other:
        return said
    return f"{said} In a single area its error is {format_amount(times, 2)} times that of {other}."


def refusal_sentence(rows: int, rule: bool) -> str:
    """Why a release of an uploaded file as it is would be refused; "" where it would not be.

    rows: with no number in x or y, or no label; under a rule for the former those without a label alone.
    """
    if not rows:
        return ""
    lack = "without an area" if rule else "without two numbers"
    todo = (
        "Put them into one." if rule else "Set the rule for them, without looking at their values."
    )
    return f"A release of this file would be refused: it has {counted(rows, 'row')} {lack}. {READ_OFF} {todo}"


def persons_refusal(rows: int, records: int) -> str:
    """Why a release of a file with so many rows of one person would be refused; "" where the plan protects as many."""
    if rows <= records:
        return ""
    return (
        f"A release of this file would be refused: one person has {rows:,} rows, and the plan "
        f"protects {records:,}. {READ_OFF} Cover them on Data, or drop some by a rule set without looking."
    )


REHEARSED_AREAS = "A rehearsal here takes at most {} areas; the command takes any number."


def not_released(refused: list[str]) -> list[str]:
    """Which of some algorithms have no release, and why: a sentence for each reason."""
    reasons: dict[str, list[str]] = {}
    for name in refused:
        reasons.setdefault(REFUSED.get(name, NOT_PROVED), []).append(name)
    return [f"No release of {listed(names)}: {reason}." for reason, names in reasons.items()]


def certificate_says(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What the certificate of a plan will say, by heading; all but the numbers."""
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
