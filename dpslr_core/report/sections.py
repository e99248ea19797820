"""The paragraphs of a report: question, data, settings, method and limits, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
import pandas as pd
import scipy

from ..mechanisms.base import hyperparameters
from ..privacy.accounting import Accounting
from ..support import VERSION
from ..text.data import View, clipping_sentence
from ..text.phrases import (
    SEEDED,
    format_amount,
    format_share,
    in_full,
    listed,
    place_on,
    points_together,
    size_of,
    with_unit,
)
from .document import Section

WARNING = "Computed from the true data. This report is not private."
MADE_WITH = f"dpslr {VERSION}, numpy {np.__version__}, scipy {scipy.__version__}."
NONE = "—"
NEIGHBOURS = (
    "Two data sets are neighbours if they differ in one record. The number of records, the bounds and all settings "
    "are public."
)
ERROR_PARTS = (
    "The error has two sources. The noise is how far 68% of releases are from the algorithm's own target; more ε makes "
    "it smaller. The gap is how far that target is from OLS on these data; no ε changes it. They do not add up: the "
    "error is at most their sum."
)
LIMITS = (
    "All numbers here are computed from the true data. Do not publish them if the data are private.",
    "Choosing an algorithm or ε by looking at private data reveals something about them that ε does not cover. Choose "
    "on public or simulated data, or by ChooseByCenteredStats, which pays for its look.",
    SEEDED,
    "The ranking holds for these data, bounds, points and this ε. It says nothing about whether a straight line suits "
    "the data.",
)


def about(view: View, at: float, question: str, records: str, more: Sequence[Section]) -> tuple[Section, ...]:
    """Question, data, settings, and what more there is; sections without a sentence are left out.

    records: how many there are.
    """
    sections = (
        Section("Question", (question,)),
        Section("Data", (records, view.grouped.about, clipping_sentence(view.grouped))),
        Section("Settings", _settings(view, at)),
        *more,
    )
    return tuple(section for section in sections if section.sentences)


def _settings(view: View, at: float) -> tuple[str, ...]:
    scenario, rule = view.scenario, view.scenario.accounting
    points = [place_on(view.x, point) for point in scenario.at]
    changed = [
        f"{mechanism.name}: {', '.join(f'{field} = {value}' for field, value in hyperparameters(mechanism).items())}"
        for mechanism in scenario.mechanisms
        if hyperparameters(mechanism)
    ]
    return (
        f"ε = {in_full(scenario.epsilon)} for {points_together(len(points), points[0])}.",
        *([f"The points are {listed(points)}; this report looks at {place_on(view.x, at)}."] if points[1:] else []),
        f"Seed {scenario.seed}, and {scenario.trials:,} trials where there is no exact output distribution.",
        *([f"What each algorithm may spend: {rule.label}. {rule.explanation}"] if rule != Accounting.PAPER else []),
        *([f"Set by hand: {'; '.join(changed)}."] if changed else []),
    )


def sampling_error(view: View, ranked: pd.DataFrame, at: float) -> str:
    center, error = (float(ranked[name].iloc[0]) for name in ("center", "standard_error"))
    prediction = with_unit(float(view.y.from_unit(center)), view.y)
    size = size_of(error, view.y) if error > 0 else "0 or undefined"
    return (
        f"Without privacy (OLS) the prediction of {view.y.name} at {place_on(view.x, at)} is {prediction}. Its "
        f"standard error is {size}."
    )


def method(known: Sequence[str], parts: Sequence[str] = ()) -> tuple[Section, ...]:
    """How the numbers are made, and what they do not say; known: how exact they are; parts: what errors consist of."""
    explained = (
        "C(68) is the error of an algorithm: 68% of its releases are this near to the OLS prediction, and 95% within "
        "C(95). Below 1 standard error it is smaller than the sampling error. A dash: it does not answer often enough."
    )
    return (
        Section("Method", (explained, *parts, *known, NEIGHBOURS)),
        Section("Limits", LIMITS),
    )


def how_known(ranked: pd.DataFrame) -> list[str]:
    """Whose errors are read off an exact output distribution, and how the others are known and how well."""
    exact, others = ranked[ranked["exact"].astype(bool)], ranked[~ranked["exact"].astype(bool)]
    sentences = []
    if len(exact):
        who = "All errors" if others.empty else f"The errors of {listed(exact['algorithm'])}"
        sentences.append(f"{who} are read off exact output distributions, without simulation.")
    for how, rows in others.groupby("how", sort=False):
        low, high = rows["c68_low"] / rows["c68"] - 1, rows["c68_high"] / rows["c68"] - 1
        off = float(pd.concat([-low, high]).replace(float("inf"), float("nan")).max())
        known = "" if pd.isna(off) else f", so that C(68) may be off by {format_share(off)}"
        sentences.append(f"Those of {listed(rows['algorithm'])} come from {how}{known}.")
    return sentences


def again(view: View) -> str:
    """How to come to the same numbers."""
    if view.grouped.reproducible:
        return "The link, behind the address of the app, shows the same numbers. So does the scenario."
    return (
        "The link, behind the address of the app, shows the same numbers once the same file is uploaded. The file is "
        "in neither the link nor the scenario."
    )


def or_none(amount: float) -> str:
    """A distance to both sides; a dash where it is not finite."""
    return f"±{format_amount(amount)}" if isfinite(amount) else NONE
