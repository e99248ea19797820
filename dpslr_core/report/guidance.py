"""The report on a recommendation: answer, picture, evidence, what was guessed, what it protects, what comes next."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..charts.recommended import error_parts, first_names
from ..guidance.recommendation import Recommendation
from ..privacy.accounting import guarantee
from ..scenario import Scenario
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..text import guidance as text
from ..text import memo
from ..text.phrases import both_sides_of_one, format_share, in_full, joined, listed, points_on
from .content import LIMITS, MADE_WITH, NEIGHBOURS, first_of, or_none, published
from .document import Report, Section, Table

ON_GUESSES = (
    "Computed from public guesses and the number of records alone: no value of a record was used."
)
BY_LOOKING = "The guesses were read off the data. This choice is not private."
DECIDING = (0, 1, 4, 5)  # columns of evidence_table on the first page
AGAIN = (
    "The link, behind the address of the app, shows the same numbers. "
    "So does the scenario, a file beside this report."
)
AGAIN_FROM_A_FILE = (
    "The link, behind the address of the app, shows the same numbers once the same file is "
    "uploaded. The scenario holds what was read off it."
)


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
    table = evidence_table(r)
    about = (
        Section(
            "Question", ("Which algorithm should be used for data like these, and by what margin?",)
        ),
        Section("Answer", (joined(text.headline(r), text.details(r)),)),
        Section("Why", (text.reason(r), text.agreement(r))),
        Section("Settings", _settings(r, x)),
    )
    best = r.mechanism
    protects = (
        () if best is None else memo.protects(guarantee(best, r.budget), r.budget.epsilon, False)
    )
    sections = (
        Section("Protected", protects),
        Section("Assumed", (*memo.FIXED, text.guesses_sentence(r, x, y), *[text.LOOKED] * looked)),
        Section("Next step", memo.NEXT if looked else memo.AFTER_GUESSES),
    )
    return Report(
        title="Which differentially private algorithm to use",
        answer=joined(text.headline(r), text.weaker_sentence(r)),
        context=text.context(r),
        warning=BY_LOOKING if looked else ON_GUESSES,
        warnings=tuple(warned),
        picture=error_parts(r, first_names(r)),
        picture_sentence=joined(text.picture_sentence(r, first_names(r)), text.ERROR_CAPTION),
        decide=first_of(evidence_table(r, candidates=True), DECIDING),
        memo=tuple(section for section in sections if section.sentences),
        published=published(),
        about=about,
        table=table,
        method=(
            Section("Method", (NEIGHBOURS, text.ERROR_CAPTION)),
            Section("Limits", LIMITS[1:3]),
        ),
        again=AGAIN_FROM_A_FILE if needs_file else AGAIN,
        link=link,
        scenario=scenario.model_dump_json(),
        made_with=MADE_WITH,
    )


def evidence_table(recommendation: Recommendation, candidates: bool = False) -> Table:
    """Table of the expected errors on simulated data sets, the smallest first.

    Parameters
    ----------
    recommendation : Recommendation
        The answer.
    candidates : bool
        Whether to leave out the algorithms that may not be recommended.
    """
    evidence = recommendation.evidence
    evidence = evidence[evidence["candidate"]] if candidates else evidence
    columns = (
        "algorithm", "times the error without privacy", "expected error, in standard errors", "Monte-Carlo error",
        "behind the best", "guarantee",
    )  # fmt: skip
    rows = [
        (
            row.mechanism,
            or_none(row.times),
            both_sides_of_one(row.error) if row.error < float("inf") else or_none(row.error),
            or_none(row.monte_carlo_error),
            "" if pd.isna(row.behind) else _behind(row.behind),
            str(row.guarantee),
        )
        for row in evidence.itertuples()
    ]
    return Table("Expected errors on simulated data sets", columns, tuple(rows))


def _behind(behind: float) -> str:
    """Write an excess over the best error as a share, with its sign."""
    if behind == float("inf"):
        return "without bound"
    return f"{'−' if behind < 0 else ''}{format_share(abs(behind))}"


def _settings(r: Recommendation, x: Axis) -> tuple[str, ...]:
    """Sentences on budget, points, seed and numbers of data sets and trials."""
    places = listed(f"{x.name} = {point}" for point in points_on(x, r.budget.at))
    return (
        f"ε = {in_full(r.budget.epsilon)} for {places} together.",
        f"Seed {r.run.seed}, {r.datasets_of_best:,} simulated data sets, and {r.run.trials:,} "
        "trials where there is no exact output distribution.",
    )
