"""Sessions that step epsilon as pupils do: each with its own data, every two to three seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import inf

import numpy as np
from websockets.exceptions import WebSocketException

from ..visitor import Visitor
from .expected import Answer, faults, query, shown_answer

THINK = (2.0, 3.0)  # seconds from one step to the next
CHECKED = "compare"  # the page whose numbers are compared with the core's


@dataclass
class Step:
    """Answer of the server; ``first`` if it opened the page."""

    page: str
    seed: int
    epsilon: float
    seconds: float
    bytes: int
    first: bool = False
    faults: list[str] = field(default_factory=list)
    answer: Answer | None = None


@dataclass
class Pupil:
    """Session: the server, its page, its own data, what the server answered so far, and its tab once open."""

    url: str
    page: str
    seed: int
    steps: list[Step] = field(default_factory=list)
    visitor: Visitor | None = None

    def open(self) -> None:
        """Open the page as a link does."""
        self._answered(2.0, self._come, first=True)

    def work(self, until: float) -> None:
        """Step epsilon until that time, once at least; then leave."""
        rng, done = np.random.default_rng(self.seed), self.steps[-1].seconds == inf
        while not done:
            last = self.steps[-1].seconds if len(self.steps) > 1 else 0.0
            time.sleep(max(0.0, rng.uniform(*THINK) - last))
            # No epsilon twice, so that no answer is cached.
            epsilon = round(float(10 ** rng.uniform(-0.5, 1.2)), 4)
            self._answered(epsilon, partial(self._step, epsilon))
            done = time.perf_counter() >= until or self.steps[-1].seconds == inf
        if self.visitor is not None:
            self.visitor.close()

    def _come(self) -> Visitor:
        self.visitor = Visitor(self.url, self.page, query(self.seed))
        self.visitor.run()
        return self.visitor

    def _step(self, epsilon: float) -> Visitor:
        assert self.visitor is not None
        self.visitor.run(epsilon=repr(epsilon))
        return self.visitor

    def _answered(self, epsilon: float, ask: Callable[[], Visitor], first: bool = False) -> None:
        step = Step(self.page, self.seed, epsilon, inf, 0, first)
        self.steps.append(step)
        start = time.perf_counter()
        try:
            visitor = ask()
            step.seconds, step.bytes = time.perf_counter() - start, visitor.received
            step.faults = faults(visitor, self.seed)
            step.answer = shown_answer(visitor) if self.page == CHECKED else None
        except (OSError, LookupError, WebSocketException) as problem:
            step.seconds, step.faults = inf, [f"{type(problem).__name__}: {problem}"]


def a_class(
    url: str,
    pages: Sequence[str],
    sessions: int,
    seconds: float,
    first_seed: int = 1,
) -> list[Step]:
    """Run all sessions at once, on the pages in turn; session i has the data seed first_seed + i.

    All open their page at the same moment; then they step epsilon for ``seconds`` seconds.
    """
    pupils = [Pupil(url, pages[i % len(pages)], first_seed + i) for i in range(sessions)]
    with ThreadPoolExecutor(sessions) as threads:
        list(threads.map(Pupil.open, pupils))
        until = time.perf_counter() + seconds
        list(threads.map(lambda pupil: pupil.work(until), pupils))
    return [step for pupil in pupils for step in pupil.steps]
