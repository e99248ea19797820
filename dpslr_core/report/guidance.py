"""The report on a recommendation: answer, picture, evidence, what was guessed, what it protects, what comes next."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.recommended import error_parts, first_names
from ..guidance.recommendation import Recommendation
from ..privacy.accounting import guarantee
from ..scenario import Scenario
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..text import guidance as text
from ..text import memo
from ..text.phrases import in_full, joined, listed, points_on
from .content import (
    AGAIN,
    AGAIN_FROM_A_FILE,
    LIMITS,
    MADE_WITH,
    NEIGHBOURS,
    PUBLISHED,
    first_of,
    or_none,
    sections,
)
from .document import Report, Section, Table

ON_GUESSES = (
    "Computed from public guesses and the number of records alone: no value of a record was used."
)
BY_LOOKING = "The guesses were read off the data. This choice is not private."
DECIDING = (0, 1, 4)  # columns of evidence_table on the first page


def report_on_guidance(
    recommendation: Recommendation,
    scenario: Scenario,
    looked: bool,
    link: str,
    axes: tuple[Axis, Axis] = (UNIT_X, UNIT_Y),
    needs_file: bool = False,
    warned: Sequence[str] = (),
) -> Report:
    """Make the report on a recommendation from guesses.

    Parameters
    ----------
    recommendation : Recommendation
        The answer.
    scenario : Scenario
        Scenario of the simulated data sets.
    looked : bool
        Whether the guesses were read off the data.
    link : str
        Address of the Guidance page with these settings, without a host.
    axes : (Axis, Axis)
        Units of the guesses of x and y.
    needs_file : bool
        Whether the link needs an uploaded file.
    warned : sequence of str
        Warnings of the page.
    """
    r, (x, y) = recommendation, axes
    protects = (
        ()
        if r.mechanism is None
        else memo.protects(guarantee(r.mechanism, r.budget), r.budget.epsilon, False)
    )
    table = evidence_table(r)
    names = first_names(r)
    return Report(
        title="Which differentially private algorithm to use",
        answer=joined(text.headline(r), text.weaker_sentence(r)),
        context=text.context(r),
        warning=BY_LOOKING if looked else ON_GUESSES,
        warnings=tuple(warned),
        picture=error_parts(r, names),
        picture_sentence=joined(text.picture_sentence(r, names), text.ERROR_CAPTION),
        decide=first_of(table, DECIDING),
        memo=sections(
            Section("Protected", protects),
            Section(
                "Assumed", (*memo.FIXED, text.guesses_sentence(r, x, y), *[text.LOOKED] * looked)
            ),
            Section("Next step", memo.NEXT if looked else memo.AFTER_GUESSES),
        ),
        about=sections(
            Section("Answer", (text.details(r),)),
            Section("Why", (text.reason(r),)),
            Section("Settings", _settings(r, x)),
        ),
        tables=(table, PUBLISHED),
        method=(
            Section("Method", (NEIGHBOURS, text.ERROR_CAPTION)),
            Section("Limits", LIMITS[1:]),
        ),
        again=joined(AGAIN, AGAIN_FROM_A_FILE if needs_file else ""),
        link=link,
        scenario=scenario.model_dump_json(),
        made_with=MADE_WITH,
    )


def evidence_table(recommendation: Recommendation) -> Table:
    """Table of the expected errors on simulated data sets, algorithms that may be recommended first."""
    columns = (
        "algorithm", "times the error without privacy", "expected error, in standard errors", "Monte-Carlo error",
        "guarantee",
    )  # fmt: skip
    evidence = recommendation.evidence.sort_values("candidate", ascending=False, kind="stable")
    rows = [
        (
            row.mechanism,
            or_none(row.times),
            or_none(row.error),
            or_none(row.monte_carlo_error),
            str(row.guarantee),
        )
        for row in evidence.itertuples()
    ]
    return Table("Expected errors on simulated data sets", columns, tuple(rows))


def _settings(r: Recommendation, x: Axis) -> tuple[str, ...]:
    """Sentences on budget, points, seed and numbers of data sets and trials."""
    places = listed(f"{x.name} = {point}" for point in points_on(x, r.budget.at))
    return (
        f"ε = {in_full(r.budget.epsilon)} for {places} together.",
        f"Seed {r.run.seed}, {r.datasets_of_best:,} simulated data sets, and {r.run.trials:,} "
        "trials where there is no exact output distribution.",
    )
