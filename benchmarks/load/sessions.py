"""Sessions that step epsilon as pupils do: each with its own data, every two to three seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from websockets.exceptions import WebSocketException

from .browser import Browser
from .expected import Answer, faults, query, shown_answer

THINK = (2.0, 3.0)  # seconds from one step to the next
CHECKED = "compare"  # the page whose numbers are compared with the core's


@dataclass
class Step:
    """One answer of the server. first: of opening the page."""

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
    """One session: its browser, its page, its own data, and what the server answered so far."""

    browser: Browser
    page: str
    seed: int
    steps: list[Step] = field(default_factory=list)

    async def open(self) -> None:
        """Open the page as a link does."""
        await self._answered(2.0, lambda: self.browser.open(self.page, query(self.seed)), first=True)

    async def work(self, until: float) -> None:
        """Step epsilon until that time, once at least; then leave."""
        rng, done = np.random.default_rng(self.seed), not self.browser.shown
        while not done:
            last = self.steps[-1].seconds if len(self.steps) > 1 else 0.0
            await asyncio.sleep(max(0.0, rng.uniform(*THINK) - last))
            epsilon = round(float(10 ** rng.uniform(-0.5, 1.2)), 4)  # none twice, so that nothing is known before
            await self._answered(epsilon, lambda epsilon=epsilon: self.browser.set("epsilon", epsilon))
            done = time.perf_counter() >= until or self.steps[-1].seconds == inf
        await self.browser.close()

    async def _answered(self, epsilon: float, ask: Callable[[], Awaitable[float]], first: bool = False) -> None:
        step = Step(self.page, self.seed, epsilon, inf, 0, first)
        self.steps.append(step)
        try:
            step.seconds = await ask()
            step.bytes = self.browser.sizes[-1]
            step.faults = faults(self.browser, self.seed)
            step.answer = shown_answer(self.browser) if self.page == CHECKED else None
        except (OSError, TimeoutError, LookupError, WebSocketException) as problem:
            step.seconds, step.faults = inf, [f"{type(problem).__name__}: {problem}"]


async def a_class(
    url: str, pages: Sequence[str], sessions: int, seconds: float, first_seed: int = 1,
    opened: Callable[[], None] = lambda: None,
) -> list[Step]:  # fmt: skip
    """All sessions at once, on the pages in turn; session i has the data seed first_seed + i.

    All open their page at the same moment; then, after a call of opened, they step epsilon for so many seconds.
    """
    pupils = [Pupil(Browser(url), pages[i % len(pages)], first_seed + i) for i in range(sessions)]
    await asyncio.gather(*(pupil.open() for pupil in pupils))
    opened()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(pupil.work(until) for pupil in pupils))
    return [step for pupil in pupils for step in pupil.steps]
