"""A class at work: many sessions step epsilon, on Compare and then on a mix of pages; ``python -m benchmarks load``.

A run is a round to warm up, in which every session is new, and a second one with new sessions and new data, after
which memory should be what it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from ..timing import Row
from .expected import core_answer, same
from .servers import Server, server
from .sessions import Step, a_class

MIX = ("start", "data", "compare", "guidance", "privacy", "lesson", "findings", "methods")
AIMS = {"compare": (1.0, 3.0), "mix": (1.5, 4.0)}  # seconds of the median, of the 95th percentile
AIMS_OF_PAGE = (4.0, 10.0)  # the same for a page of the mix
GROWTH = 1.2  # of memory from the first to the last round, at most


def main(arguments: Sequence[str]) -> None:
    """Print the figures of the runs that the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks load", description=__doc__)
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=180, help="of a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--pages", choices=["compare", "mix"], nargs="+", default=["compare", "mix"]
    )
    parser.add_argument("--workers", type=int, default=1, help="server processes")
    parser.add_argument("--url", help="of a server that runs already")
    parser.add_argument("--checked", type=int, default=60, help="answers to check by the core")
    options = parser.parse_args(arguments)
    with server(options.url, options.workers) as running:
        seeds = count(1, options.sessions)
        for pages in options.pages:
            for row in rows(running, pages, options, seeds):
                print(row, flush=True)


def rows(
    running: Server, pages: str, options: argparse.Namespace, seeds: count[int]
) -> Iterator[Row]:
    """Measure some rounds on Compare or on the mix of pages."""
    named = MIX if pages == "mix" else [pages]
    memory, steps, used = [], list[Step](), running.cpu()
    for _ in range(options.rounds):
        steps += a_class(running.url, named, options.sessions, options.seconds, next(seeds))
        memory.append(running.megabytes())
    used = running.cpu() - used
    yield _times(pages, [step for step in steps if not step.first], AIMS[pages])
    if pages == "mix":
        for page in MIX:
            own = [step for step in steps if step.page == page and not step.first]
            yield _times(f"  {page}", own, AIMS_OF_PAGE)
    opened = [step.seconds for step in steps if step.first]
    yield Row("  pages opened, median and slowest", f"{np.median(opened):.2f}, {max(opened):.2f} s")
    yield Row("  server CPU of an answer", f"{used / len(steps):.3f} s")
    received = np.median([step.bytes for step in steps if not step.first]) / 1024
    yield Row("  received in a step, median", f"{received:.0f} kB")
    sizes = ", ".join(f"{size:.0f}" for size in memory)
    aim = f"grows by < {GROWTH - 1:.0%}"
    yield Row("  memory after each round", f"{sizes} MB", aim, memory[-1] <= GROWTH * memory[0])
    yield from _faults(steps, options.checked)


def _times(name: str, steps: Sequence[Step], aims: tuple[float, float]) -> Row:
    middle, most = np.percentile([step.seconds for step in steps], [50, 95])
    what = f"{name}: {len(steps)} steps, median and 95th percentile"
    reached = middle < aims[0] and most < aims[1]
    return Row(what, f"{middle:.2f}, {most:.2f} s", f"under {aims[0]:g}, {aims[1]:g} s", reached)


def _faults(steps: Sequence[Step], most: int) -> Iterator[Row]:
    """Count errors, and answers whose numbers do not belong to the session's own seed."""
    messages = [fault for step in steps for fault in step.faults]
    yield Row("  errors, links to data of others", str(len(messages)), "0", not messages)
    for fault in dict.fromkeys(messages):
        yield Row(f"    {fault}"[:120], "")
    answers = [step for step in steps if step.answer is not None]
    checked = answers[:: max(1, len(answers) // max(1, most))][:most]
    wrong = [s for s in checked if s.answer and not same(s.answer, core_answer(s.seed, s.epsilon))]
    yield Row(f"  of {len(checked)} answers not the core's", str(len(wrong)), "0", not wrong)
