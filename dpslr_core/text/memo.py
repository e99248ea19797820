"""Sentences of a report's first page: what is protected, what others chose, what was assumed, and what comes next."""

from __future__ import annotations

import pandas as pd

from ..guidance.decision import POOLING, SUPPRESSION, Decision
from ..privacy import PureDP
from ..privacy.guarantees import ForPerson, Guarantee
from .decision import sample_words
from .phrases import counted, in_full, listed
from .pooling import cost_sentence
from .privacy import factor

MOST_NAMED = 12  # most areas that a sentence names


PUBLISHED = (  # publication, ε, protected unit and a remark, source; the largest ε first
    (
        "US Census Bureau, persons in the redistricting data", "17.14",
        "a person; by zCDP; housing units have 2.47 more",
        "US Census Bureau, Census Bureau Sets Key Parameters to Protect Privacy in 2020 Census "
        "Results, 9 June 2021",
    ),
    (
        "Alabi et al., two points of a simulated tract", "16", "a record",
        "Alabi, McMillan, Sarathy, Smith and Vadhan, Differentially Private Simple Linear "
        "Regression, 2020",
    ),
    (
        "Israel's Ministry of Health, births of a year", "9.98", "a birth",
        "Hod and Canetti, Differentially Private Release of Israel's National Registry of Live "
        "Births, 2024",
    ),
    (
        "Opportunity Atlas, each estimate of a tract", "8",
        "a record; not differentially private: its noise is read off the data",
        "Chetty and Friedman, A Practical Method to Reduce Privacy Loss When Disclosing "
        "Statistics Based on Small Samples, AEA Papers and Proceedings 109, 2019",
    ),
    (
        "Apple, emoji suggestions", "4", "a user's day; noise is added on the device",
        "Apple, Differential Privacy Technical Overview, 2017",
    ),
    (
        "Google, Community Mobility Reports", "2.64", "a user's day",
        "Aktay et al., Google COVID-19 Community Mobility Reports: Anonymization Process "
        "Description, 2020",
    ),
    (
        "Wikimedia, daily page views by country", "1",
        "a reader's day; up to ten views of different pages",
        "Adeleye et al., Publishing Wikipedia Usage Data with Strong Privacy Guarantees, 2023",
    ),
)  # fmt: skip
TRUE_OF_MANY = "It does not hide what is true of many: someone may learn it about a person who is not in the data."
FIXED = (
    "Fixed in public, before anybody looks at the data: bounds, points, sizes, labels of areas "
    "and settings.",
    "A straight line describes the data.",
)
HOLD_BACK = "Do not publish with this algorithm alone: {areas}."
NOT_LOOKED_AT = (
    "These are of {sample}. Before you publish, measure all: others will not pass either."
)
ALL_OF_SAMPLE = "All of {sample} pass. Before you publish, measure all: others may not."
TOO_LARGE = (
    "The smallest error is larger than the sampling error.",
    "The page Guidance says how much ε, or how many records, would be enough.",
)
NOTHING_TO_COMPARE = ("There is no sampling error to compare with: judge the error itself.",)
NEXT = (
    "Choose on public guesses: Small areas and Guidance do so without a value of the data.",
    "Then fix bounds, points, algorithm and ε in writing, and release once, with fresh noise "
    "that nobody keeps.",
    "What is drawn here from a seed is no release.",
)

AFTER_GUESSES = (  # advice where the choice has looked at no record
    "Fix bounds, points, algorithm and ε in writing, and release once, with fresh noise that "
    "nobody keeps.",
    *NEXT[2:],
)


def protects(guarantee: Guarantee, epsilon: float, areas: bool) -> tuple[str, ...]:
    """Sentences on what the release promises one person, and what it does not promise.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of the recommended algorithm.
    epsilon : float
        Total budget.
    areas : bool
        Whether many areas are released.
    """
    records, bare = guarantee.records if isinstance(guarantee, ForPerson) else 1, guarantee.bare
    subject = "one person's record" if records == 1 else f"all {records} records of a person"
    if isinstance(bare, PureDP):
        promise = (
            f"Had {subject} been any other, no result would be more than e^{in_full(bare.epsilon)} = "
            f"{factor(bare.epsilon)} times as likely."
        )
    else:
        promise = f"The promise is {guarantee}: it bounds how far a result's odds move if {subject} were any other."
    everybody = (
        "Each record lies in one area, so that this holds for the whole table." if areas else ""
    )
    most = "one record" if records == 1 else f"{records} records"
    more = (
        f"People with more than {most}, be it in several areas, lose more than that."
        if areas
        else ""
    )
    return tuple(filter(None, (promise, everybody, TRUE_OF_MANY, more, _beside(epsilon))))


def _beside(epsilon: float) -> str:
    """State how many of the published choices are larger than this epsilon."""
    larger = sum(float(choice) > epsilon for _, choice, _, _ in PUBLISHED)
    return f"Of {len(PUBLISHED)} choices that others published, {larger} {'is' if larger == 1 else 'are'} larger."


def not_passing(decision: Decision) -> tuple[str, ...]:
    """Sentences on the areas that do not pass with the algorithm to publish, and what to do with them."""
    rows = decision.failing()
    if rows.empty:
        return (ALL_OF_SAMPLE.format(sample=sample_words(decision)),) if decision.sampled else ()
    pool, usable = rows["helps"] == POOLING, rows["helps"] != SUPPRESSION
    sentences = [HOLD_BACK.format(areas=_named(rows["group"]))]
    if decision.sampled:
        sentences.append(NOT_LOOKED_AT.format(sample=sample_words(decision)))
    if usable.any():
        sentences.append("The appendix says for each from which ε it passes, and what would help.")
    if pool.any():
        sentences.append(
            f"For {counted(int(pool.sum()), 'area')} that is pooling. "
            f"{cost_sentence(decision.mechanism)}"
        )
    if (~usable).any():
        sentences.append(
            f"Leave out {_named(rows.loc[~usable, 'group'])}: no sampling error to compare with."
        )
    return tuple(sentences)


def _named(labels: pd.Series) -> str:
    """Name the first MOST_NAMED labels, and count the remaining ones."""
    first, more = [str(label) for label in labels[:MOST_NAMED]], len(labels) - MOST_NAMED
    return f"{', '.join(first)} and {more:,} more" if more > 0 else listed(first)
