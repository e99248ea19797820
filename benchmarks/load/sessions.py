"""Sessions that step epsilon as pupils do: each with its own data, every two to three seconds."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import numpy as np

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


async def a_class(url: str, pages: list[str], sessions: int, seconds: float, first_seed: int = 1) -> list[Step]:
    """All sessions at once, on the pages in turn; session i has the data seed first_seed + i."""
    until = time.perf_counter() + seconds
    running = [_session(url, pages[i % len(pages)], first_seed + i, until) for i in range(sessions)]
    return [step for steps in await asyncio.gather(*running) for step in steps]


async def _session(url: str, page: str, seed: int, until: float) -> list[Step]:
    browser, steps, rng = Browser(url), [], np.random.default_rng(seed)
    epsilon = 2.0
    try:
        taken = await browser.open(page, query(seed))
        steps.append(_step(browser, page, seed, epsilon, taken, first=True))
        while len(steps) < 2 or time.perf_counter() < until:
            await asyncio.sleep(max(0.0, rng.uniform(*THINK) - taken))
            epsilon = round(float(10 ** rng.uniform(-0.5, 1.2)), 4)  # none twice, so that nothing is known before
            taken = await browser.set("epsilon", epsilon)
            steps.append(_step(browser, page, seed, epsilon, taken))
    except (OSError, TimeoutError, LookupError) as problem:
        steps.append(Step(page, seed, epsilon, float("inf"), 0, faults=[f"{type(problem).__name__}: {problem}"]))
    finally:
        await browser.close()
    return steps


def _step(browser: Browser, page: str, seed: int, epsilon: float, taken: float, first: bool = False) -> Step:
    answer = shown_answer(browser) if page == CHECKED else None
    return Step(page, seed, epsilon, taken, browser.sizes[-1], first, faults(browser, seed), answer)
