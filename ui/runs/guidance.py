"""Cached guidance: nothing is computed twice, and a click interrupts between two chunks.

What follows from public guesses alone is shared by all sessions; what was read off data stays in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
import streamlit as st

from dpslr_core.experiments.cost.of_runs import guidance_cost
from dpslr_core.experiments.sweep import SweepBatch, combine
from dpslr_core.guidance import Recommendation, required_values
from dpslr_core.guidance.recommendation import Question, recommendations
from dpslr_core.guidance.required_values import SwitchPoint
from dpslr_core.mechanisms import Mechanism
from dpslr_core.report.scripts import guidance_command
from dpslr_core.support.types import Floats
from dpslr_core.text.phrases import format_amount

from ..cache import kept_by_origin
from ..work.ask import Work, within_budget

CHUNK = 600  # records that are worked on between two looks at whether the user has clicked
REDUCE = "n, the points x_new or the matchings k, or choose fewer algorithms"
Part = TypeVar("Part")


def stages(asked: Question, looked: bool) -> Iterator[Recommendation]:
    """The answers on more and more data sets, chunk after chunk."""
    q = asked
    cost = guidance_cost(q.model, q.budget, q.private, q.datasets, q.run.trials)
    within_budget(cost, _work(asked))
    bar = st.progress(0.0)
    anyone = replace(asked, weaker=True)  # what is measured does not depend on who may be recommended

    def measured(mechanisms: Sequence[Mechanism], first: int, count: int) -> SweepBatch:
        def part(start: int, size: int) -> SweepBatch:
            bar.progress(min((start + size) / asked.datasets, 1.0), f"{start} simulated data sets …")
            return _measured(looked, anyone, tuple(mechanisms), start, size)

        return combine(_in_chunks(part, first, count, asked.model.n)).batches[0]

    def noise(mechanism: Mechanism, first: int, count: int) -> Floats:
        def part(start: int, size: int) -> Floats:
            return _noise(looked, anyone, mechanism, start, size)

        return np.concatenate(_in_chunks(part, first, count, asked.model.n))

    yield from recommendations(asked, measured, noise)
    bar.empty()


def _work(asked: Question) -> Work:
    """The answer; the budget is left out, so that a click holds for others."""
    what = f"guidance {asked.model} {asked.budget.at} {[mechanism.name for mechanism in asked.mechanisms]}"
    return Work(what, REDUCE, guidance_command(asked.weaker))


def work_after(recommendation: Recommendation) -> Work:
    """What follows from an answer."""
    names = [mechanism.name for mechanism in recommendation.mechanisms]
    return Work(f"after guidance {recommendation.model} {recommendation.budget.at} {names}", REDUCE)


def _in_chunks(part: Callable[[int, int], Part], first: int, count: int, n: int) -> list[Part]:
    """part(start, size) for chunks of so many data sets; their ends do not depend on where the first begins."""
    size = max(1, CHUNK // n)
    edges = [first, *(edge for edge in range(0, first + count, size) if edge > first), first + count]
    return [part(start, end - start) for start, end in pairwise(edges)]


@kept_by_origin(2_000)
def _measured(asked: Question, mechanisms: tuple[Mechanism, ...], first: int, count: int) -> SweepBatch:
    return asked.measured(mechanisms, first, count)


@kept_by_origin(2_000)
def _noise(asked: Question, mechanism: Mechanism, first: int, count: int) -> Floats:
    return asked.noise(mechanism, first, count)


def switch_points(recommendation: Recommendation, looked: bool) -> list[SwitchPoint]:
    """Below and above in n, then in epsilon, value after value."""
    bar = st.progress(0.0)

    def at_value(parameter: str, value: float) -> SweepBatch:
        bar.progress(len(points) / 4, f"Looking where the answer changes: {parameter} = {format_amount(value, 4)} …")
        return _candidates_at(looked, recommendation, parameter, value)

    points: list[SwitchPoint] = []
    for parameter in ("n", "epsilon"):
        for direction in (-1, 1):
            points.append(required_values.switch_point(recommendation, parameter, direction, at_value))
    bar.empty()
    return points


@kept_by_origin(400)
def _candidates_at(recommendation: Recommendation, parameter: str, value: float) -> SweepBatch:
    return required_values.candidates_at(recommendation, parameter, value)
