"""Processor time of the page Guidance: at the usual settings, for other n, and to decide between the tied."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from dpslr_core.guidance.maps import own_cells, winner
from dpslr_core.guidance.recommendation import GuidanceQuestion, answered, sized_question
from dpslr_core.mechanisms import MECHANISMS
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import Synthetic

from .timing import Row, seconds


def sized(n: int) -> GuidanceQuestion:
    """Return the question of the page for n records."""
    return sized_question(Scenario(source=Synthetic(n=n)))


def rows() -> Iterator[Row]:
    """Measure answers and the map."""
    every = Scenario(mechanisms=tuple(algorithm() for algorithm in MECHANISMS))
    questions = {f"n = {n:,}": (sized(n), aim) for n, aim in ((250, 0.8), (3_000, 5), (10_000, 8))}
    questions["decided"] = (sized_question(Scenario(), decide=True), 5)
    questions["all algorithms"] = (sized_question(every), 3)
    answered(sized_question(Scenario(seed=1)))  # imports, and a round to warm up
    for what, (question, aim) in questions.items():
        used = seconds(partial(answered, question), time.process_time)
        yield Row(f"Guidance, {what}", f"{used:.2f} s CPU", f"at most {aim} s", used <= aim)
    cells = own_cells(answered(sized(250)))
    used = seconds(lambda: [winner(cell) for cell in cells], time.process_time)
    yield Row(f"map of {len(cells)} cells", f"{used:.2f} s CPU", "at most 30 s", used <= 30)
