"""Cached guidance: nothing is computed twice, and a click interrupts between two chunks.

What follows from public guesses alone is shared by all sessions; what was read off data stays in its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, product

import numpy as np

from dpslr_core.experiments.memory import guidance_memory
from dpslr_core.experiments.sweep import SweepBatch, combine
from dpslr_core.guidance import Recommendation, required_values
from dpslr_core.guidance.recommendation import Question, recommendations
from dpslr_core.guidance.required_values import SwitchPoint
from dpslr_core.mechanisms import Mechanism
from dpslr_core.report.scripts import guidance_command
from dpslr_core.support.types import Floats

from ..cache import kept_by_origin
from ..work import Work, progress

CHUNK = 600  # records that are worked on between two looks at whether the user has clicked
REDUCE = "n, the points x_new or the matchings k, or choose fewer algorithms"


def stages(asked: Question, looked: bool) -> Iterator[Recommendation]:
    """The answers on more and more data sets, chunk after chunk."""
    anyone = replace(asked, weaker=True)  # what is measured does not depend on who may be recommended

    def measured(mechanisms: Sequence[Mechanism], first: int, count: int) -> SweepBatch:
        chunks = _in_chunks(asked, first, count)
        return combine([_measured(looked, anyone, tuple(mechanisms), *chunk) for chunk in chunks]).batches[0]

    def noise(mechanism: Mechanism, first: int, count: int) -> Floats:
        return np.concatenate([_noise(looked, anyone, mechanism, *chunk) for chunk in _in_chunks(asked, first, count)])

    yield from recommendations(asked, measured, noise)


def _in_chunks(asked: Question, first: int, count: int) -> Iterator[tuple[int, int]]:
    """The number of the first data set of each chunk, and how many; ends do not depend on where the first begins."""
    size = max(1, CHUNK // asked.model.n)
    edges = [first, *(edge for edge in range(0, first + count, size) if edge > first), first + count]
    chunks = [(start, end - start) for start, end in pairwise(edges)]
    return progress(chunks, _work(asked), lambda chunk: f"{chunk[0]} simulated data sets …")


def _work(asked: Question) -> Work:
    """The answer; the budget is left out, so that a click holds for others."""
    return Work(
        f"guidance {asked.model} {asked.budget.at} {[mechanism.name for mechanism in asked.mechanisms]}",
        REDUCE,
        guidance_memory(asked.model, asked.budget, asked.private),
        guidance_command(asked.weaker),
    )


def work_after(recommendation: Recommendation) -> Work:
    """What follows from an answer."""
    names = [mechanism.name for mechanism in recommendation.mechanisms]
    return Work(f"after guidance {recommendation.model} {recommendation.budget.at} {names}", REDUCE)


@kept_by_origin(2_000)
def _measured(asked: Question, mechanisms: tuple[Mechanism, ...], first: int, count: int) -> SweepBatch:
    return asked.measured(mechanisms, first, count)


@kept_by_origin(2_000)
def _noise(asked: Question, mechanism: Mechanism, first: int, count: int) -> Floats:
    return asked.noise(mechanism, first, count)


def switch_points(recommendation: Recommendation, looked: bool) -> list[SwitchPoint]:
    """Below and above in n, then in epsilon, value after value."""
    at_value = partial(_candidates_at, looked, recommendation)
    sides = progress(
        list(product(("n", "epsilon"), (-1, 1))),
        work_after(recommendation),
        lambda side: f"Looking where the answer changes: {'smaller' if side[1] < 0 else 'larger'} {side[0]} …",
    )
    return [required_values.switch_point(recommendation, *side, at_value) for side in sides]


@kept_by_origin(400)
def _candidates_at(recommendation: Recommendation, parameter: str, value: float) -> SweepBatch:
    return required_values.candidates_at(recommendation, parameter, value)
